//! Fragments: grains that bonds join.

use petgraph::unionfind::UnionFind;

use crate::body::GrainId;
use crate::cluster::integrate::Integrate;
use crate::cluster::world::World;

/// The fragments at a time.
#[derive(Clone, Debug, Default)]
pub struct Fragments {
    /// By slot: the least number of the grains of its fragment; empty where there are no bonds.
    names: Vec<GrainId>,
}

impl Fragments {
    /// Finds the fragments.
    pub fn of<D: Integrate>(world: &World<D>) -> Self {
        let (bonds, rigid) = (&world.contacts.bonds.list, &world.grains.rigid);
        if bonds.is_empty() && rigid.is_empty() {
            return Fragments::default();
        }
        let ids = &world.grains.arrays.id;
        let mut joined = UnionFind::<usize>::new(ids.len());
        for bond in bonds {
            let [a, b] = bond.slots.map(|slot| slot as usize);
            joined.union(a, b);
        }
        rigid.each_tie(|a, b| {
            joined.union(a as usize, b as usize);
        });
        let root_of = joined.into_labeling();
        let mut least = ids.clone();
        for (slot, &root) in root_of.iter().enumerate() {
            least[root] = least[root].min(ids[slot]);
        }
        Fragments {
            names: root_of.into_iter().map(|root| least[root]).collect(),
        }
    }

    /// Returns the number of the fragment of a slot: the least number of its grains, for one without bonds that of the grain.
    pub fn name(&self, slot: u32, grain: GrainId) -> GrainId {
        self.names.get(slot as usize).copied().unwrap_or(grain)
    }

    /// Returns the number of fragments of two grains and more, and the mass of the heaviest, kg.
    pub fn sizes<D: Integrate>(&self, world: &World<D>) -> (u64, f64) {
        let mass = |slot: u32| 1.0 / world.grains.arrays.inverse_mass(slot as usize);
        let members = world
            .grains
            .rigid
            .list
            .iter()
            .flat_map(|body| &body.members);
        let bonded = world.contacts.bonds.slots.iter().chain(members);
        let mut masses: Vec<(GrainId, f64)> = bonded
            .map(|&slot| (self.names[slot as usize], mass(slot)))
            .collect();
        masses.sort_unstable_by_key(|of| of.0);
        masses
            .chunk_by(|a, b| a.0 == b.0)
            .fold((0, 0.0), |(count, most), of| {
                let whole = of.iter().fold(0.0, |sum, of| sum + of.1);
                (count + 1, f64::max(most, whole))
            })
    }
}
