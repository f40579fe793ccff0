//! What bonds store and bear.

use crate::body::GrainId;
use crate::cluster::cell;
use crate::cluster::integrate::Integrate;
use crate::cluster::rigid;
use crate::cluster::world::World;
use crate::contact::bond::{Bond, Ends, Load};
use crate::geometry::Dimension;

/// State of both ends of a bond at the evaluation.
fn ends_of<D: Integrate>(world: &World<D>, bond: &Bond<D>) -> Ends<D> {
    let arrays = &world.grains.arrays;
    let [i, j] = bond.slots.map(|slot| slot as usize);
    let d = arrays.position(j) - arrays.position(i);
    let (apart, image) =
        cell::drive::nearest_image_of(&world.clock, &world.physics, &world.cell, d, false);
    Ends {
        apart,
        velocity: arrays.velocity(j) - arrays.velocity(i) + image,
        spins: [i, j].map(|slot| {
            let inverse = 1.0 / arrays.radius(slot);
            let spin = D::surface_spin(arrays, slot);
            D::spin_from_fn(|k| spin[k] * inverse)
        }),
        directors: bond.turned([i, j].map(|slot| D::rotation(arrays, slot))),
    }
}

/// Returns the energy that bonds store, J.
pub fn energy<D: Integrate>(world: &World<D>) -> f64 {
    energy_of(world, |_| true)
}

/// Returns the energy that some bonds store, by their slots, J.
pub(in crate::cluster) fn energy_of<D: Integrate>(
    world: &World<D>,
    which: impl Fn([u32; 2]) -> bool,
) -> f64 {
    let bonds = world.contacts.bonds.list.iter();
    let bonds = bonds.filter(|bond| which(bond.slots));
    let stored = bonds.map(|bond| {
        let ends = ends_of(world, bond);
        bond.beam.energy::<D>(ends.apart, ends.directors)
    });
    // An empty sum is -0.
    0.0 + stored.sum::<f64>()
}

/// A bond as a snapshot tells of it.
#[derive(Clone, Copy, Debug)]
pub struct BondSight<D: Dimension> {
    /// Numbers of its grains.
    pub grains: [GrainId; 2],
    /// Their radii, m.
    pub radii: [f64; 2],
    /// From the first centre to the second, m.
    pub apart: D::Vector,
    /// Half-way between them, m.
    pub middle: D::Vector,
    /// Its force on the second, with dampers, N.
    pub force: D::Vector,
    /// What it bears, without dampers.
    pub load: Load,
    /// Share of its strength that this is.
    pub share: f64,
}

/// Returns all bonds at the last evaluation: stepped ones in the order in which they formed, then those of rigid bodies.
pub fn sights<D: Integrate>(world: &World<D>) -> impl Iterator<Item = BondSight<D>> {
    let arrays = &world.grains.arrays;
    let stepped = world.contacts.bonds.list.iter().map(move |bond| {
        let ends = ends_of(world, bond);
        let found = bond.beam.respond(&ends);
        let load = found.load;
        let [i, j] = bond.slots.map(|slot| slot as usize);
        BondSight {
            grains: [arrays.id[i], arrays.id[j]],
            radii: [arrays.radius(i), arrays.radius(j)],
            apart: ends.apart,
            middle: arrays.position(i) + ends.apart * 0.5,
            force: found.force + found.damping,
            load,
            share: bond.beam.share(&load).max(0.0),
        }
    });
    stepped.chain(rigid::sights(world))
}
