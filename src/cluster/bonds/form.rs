//! How bonds form.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::joining::{Joinable, Joining};
use super::longest;
use crate::body::GrainId;
use crate::cluster::cell;
use crate::cluster::dem::Dem;
use crate::cluster::integrate::Integrate;
use crate::cluster::rigid;
use crate::contact::bond::{Bond, Pair, Rigid};
use crate::geometry::Vector;

/// Bonds that cannot form.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BondError {
    /// A bond that is as long as its periodic box allows no more.
    #[error(transparent)]
    Long(#[from] LongBond),
    /// A grain with bonds that are stepped, and others that make a rigid body.
    #[error(
        "grain {0} would have bonds with `rigid = \"always\"` and others without: a grain of a rigid body has no stepped bonds; give all laws of its material the same `rigid`"
    )]
    Mixed(GrainId),
}

/// A bond that is as long as its periodic box allows no more.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "grains {} and {} would have a bond of {length:.3e} m; in this periodic box bonds may be {longest:.3e} m long, so that the nearest image of a grain is the bonded one; take a wider box or a smaller `gap`",
    grains[0],
    grains[1]
)]
pub struct LongBond {
    /// Numbers of the grains.
    pub grains: [GrainId; 2],
    /// Its length, m.
    pub length: f64,
    /// The greatest length, m.
    pub longest: f64,
}

/// Forms the bonds of an occasion between the grains that are there.
///
/// # Errors
/// When a bond would be so long that another image of its end is as near, or a grain would have bonds of both kinds.
pub fn form<D: Integrate>(
    dem: &mut Dem<D>,
    joining: Joining<'_>,
    seed: u64,
) -> Result<(), BondError> {
    let world = &mut dem.world;
    let arrays = &world.grains.arrays;
    let alone = |slot: &u32| world.grains.bodies.of(*slot).is_none();
    let mut slots: Vec<u32> = world.grains.own().filter(alone).collect();
    slots.sort_unstable_by_key(|&slot| arrays.id[slot as usize]);
    let joinable = |&slot: &u32| {
        let slot = slot as usize;
        Joinable {
            id: arrays.id[slot],
            material: arrays.material[slot],
            position: arrays.position(slot),
            radius: arrays.radius(slot),
        }
    };
    let grains: Vec<Joinable<D>> = slots.iter().map(joinable).collect();
    let (mut joined, mut of_bodies) = (Vec::new(), Vec::new());
    let longest = longest(world);
    for places in joining.pairs(&grains, &world.physics.periodic) {
        let [a, b] = places.map(|place| &grains[place]);
        let slots = places.map(|place| slots[place]);
        let [i, j] = slots.map(|slot| slot as usize);
        let d = arrays.position(j) - arrays.position(i);
        let (apart, _) =
            cell::drive::nearest_image_of(&world.clock, &world.physics, &world.cell, d, false);
        let pair = Pair {
            radii: [a.radius, b.radius],
            inverse_masses: [i, j].map(|slot| arrays.inverse_mass(slot)),
            inverse_inertias: [i, j].map(|slot| {
                let radius = arrays.radius(slot);
                arrays.inverse_inertia(slot) / (radius * radius)
            }),
            distance: apart.norm(),
        };
        let Some(law) = joining.joins(a, b, pair.distance) else {
            continue;
        };
        if pair.distance > longest {
            let long = LongBond {
                grains: [a.id, b.id],
                length: pair.distance,
                longest,
            };
            return Err(long.into());
        }
        let mut chance = stream(seed, [a.id, b.id]);
        let beam = law.beam(D::N, &pair, &mut chance);
        let rotations = [i, j].map(|slot| D::rotation(arrays, slot));
        let bond = Bond::new(slots, beam, rotations, apart);
        match law.rigid {
            Rigid::Never => joined.push(bond),
            Rigid::Always => of_bodies.push((bond, apart)),
        }
    }
    let mut in_bodies = vec![false; arrays.slots()];
    for slot in of_bodies.iter().flat_map(|(bond, _)| bond.slots) {
        in_bodies[slot as usize] = true;
    }
    let mut stepped = joined.iter().flat_map(|bond| bond.slots);
    if let Some(both) = stepped.find(|&slot| in_bodies[slot as usize]) {
        return Err(BondError::Mixed(arrays.id[both as usize]));
    }
    for bond in &joined {
        dem.clusters.insert_link(bond.slots[0], bond.slots[1]);
    }
    let bonds = &mut world.contacts.bonds;
    bonds.formed += (joined.len() + of_bodies.len()) as u64;
    bonds.list.extend(joined);
    bonds.find_slots();
    if !of_bodies.is_empty() {
        rigid::form(dem, &of_bodies);
        // Members of one body are no candidates any more.
        dem.renew_in_place();
    }
    Ok(())
}

/// Random numbers of the bond of two grains, whatever other bonds there are.
fn stream(seed: u64, grains: [GrainId; 2]) -> ChaCha8Rng {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let [a, b] = grains.map(|id| id as u64);
    stream.set_stream(a.min(b) << 32 | a.max(b));
    stream
}
