//! Bonds between grains: formed, evaluated with the contacts, broken.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::arrays::Arrays;
use super::dem::{Dem, spin_of, three};
use super::integrate::Integrate;
use super::state::{Book, Effects, LinkEvent, Other};
use super::world::World;
use super::{cell, evaluate};
use crate::body::GrainId;
use crate::contact::LawTable;
use crate::contact::bond::{Bond, Break, Ends, Pair, Response, When};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;
use crate::neighbor::{BroadPhase, Cells};

/// The bonds of a system.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bonds<D: Dimension> {
    /// Unbroken bonds, in the order in which they formed.
    pub list: Vec<Bond<D>>,
    /// The slots that have any, ascending.
    pub slots: Vec<u32>,
    /// Number of those that formed.
    pub formed: u64,
}

impl<D: Dimension> Default for Bonds<D> {
    fn default() -> Self {
        Bonds {
            list: Vec::new(),
            slots: Vec::new(),
            formed: 0,
        }
    }
}

impl<D: Dimension> Bonds<D> {
    /// Renumbers the slots; bonds of dropped ones end.
    pub(super) fn renumber(&mut self, new_slot: &[u32]) {
        for bond in &mut self.list {
            bond.slots = bond.slots.map(|slot| new_slot[slot as usize]);
        }
        self.list.retain(|bond| !bond.slots.contains(&0));
        self.find_slots();
    }

    fn find_slots(&mut self) {
        let last = self.list.iter().flat_map(|bond| bond.slots).max();
        let mut bonded = vec![false; last.map_or(0, |last| last as usize + 1)];
        for slot in self.list.iter().flat_map(|bond| bond.slots) {
            bonded[slot as usize] = true;
        }
        self.slots.clear();
        let slots = (0..bonded.len() as u32).filter(|&slot| bonded[slot as usize]);
        self.slots.extend(slots);
    }

    /// Whether all slots exist.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        let there = |slot: &u32| (1..slots).contains(&(*slot as usize));
        self.list.iter().flat_map(|bond| &bond.slots).all(there) && self.slots.iter().all(there)
    }

    /// Takes out the bonds of slots that are marked; returns them.
    pub(super) fn remove(&mut self, gone: &[bool]) -> Vec<Bond<D>> {
        let is_gone = |bond: &mut Bond<D>| bond.slots.iter().any(|&slot| gone[slot as usize]);
        let removed: Vec<Bond<D>> = self.list.extract_if(.., is_gone).collect();
        if !removed.is_empty() {
            self.find_slots();
        }
        removed
    }
}

/// Forms the bonds of this occasion between the grains that are there.
pub fn form<D: Integrate>(dem: &mut Dem<D>, laws: &LawTable, when: When, seed: u64) {
    let gap = laws.bonds.iter().flatten().filter(|law| law.when == when);
    let Some(gap) = gap.map(|law| law.gap).reduce(f64::max) else {
        return;
    };
    let world = &mut dem.world;
    let arrays = &world.grains.arrays;
    let mut slots: Vec<u32> = world.grains.own().collect();
    slots.sort_unstable_by_key(|&slot| arrays.id[slot as usize]);
    let places: Vec<D::Vector> = slots.iter().map(|&s| arrays.position(s as usize)).collect();
    let radii: Vec<f64> = slots.iter().map(|&s| arrays.radius(s as usize)).collect();
    let mut near = Vec::new();
    // A gap that is the limit itself is in.
    let reach = gap + 1e-9 * radii.iter().copied().fold(0.0, f64::max);
    Cells::<D>::new().pairs(&places, &radii, reach, &world.physics.periodic, &mut near);
    let mut joined = Vec::new();
    for (a, b) in near {
        let [a, b] = [a, b].map(|place| slots[place as usize]);
        let [i, j] = [a as usize, b as usize];
        let Some(law) = laws.bond(arrays.material[i], arrays.material[j]) else {
            continue;
        };
        if law.when != when || [a, b].iter().any(|&s| world.grains.bodies.of(s).is_some()) {
            continue;
        }
        let d = arrays.position(j) - arrays.position(i);
        let (apart, _) =
            cell::drive::nearest_image_of(&world.clock, &world.physics, &world.cell, d, false);
        let radii = [i, j].map(|slot| arrays.radius(slot));
        let pair = Pair {
            radii,
            inverse_masses: [i, j].map(|slot| arrays.inverse_mass(slot)),
            inverse_inertias: [i, j].map(|slot| {
                let radius = arrays.radius(slot);
                arrays.inverse_inertia(slot) / (radius * radius)
            }),
            distance: apart.norm(),
        };
        if pair.distance - radii[0] - radii[1] > law.gap * (1.0 + 1e-9) {
            continue;
        }
        let mut chance = stream(seed, [arrays.id[i], arrays.id[j]]);
        let beam = law.beam(D::N, &pair, &mut chance);
        let rotations = [i, j].map(|slot| D::rotation(arrays, slot));
        joined.push(Bond::new([a, b], beam, rotations, apart));
    }
    for bond in &joined {
        dem.clusters.insert_link(bond.slots[0], bond.slots[1]);
    }
    let bonds = &mut world.contacts.bonds;
    bonds.formed += joined.len() as u64;
    bonds.list.extend(joined);
    bonds.find_slots();
}

/// Random numbers of the bond of two grains, whatever other bonds there are.
fn stream(seed: u64, grains: [GrainId; 2]) -> ChaCha8Rng {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let [a, b] = grains.map(|id| id as u64);
    stream.set_stream(a.min(b) << 32 | a.max(b));
    stream
}

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
pub(super) fn energy_of<D: Integrate>(world: &World<D>, which: impl Fn([u32; 2]) -> bool) -> f64 {
    let bonds = world.contacts.bonds.list.iter();
    let bonds = bonds.filter(|bond| which(bond.slots));
    let stored = bonds.map(|bond| {
        let ends = ends_of(world, bond);
        bond.beam.energy::<D>(ends.apart, ends.directors)
    });
    // An empty sum is -0.
    0.0 + stored.sum::<f64>()
}

/// Adds the forces of bonds to those of the evaluation, before contacts; breaks those that bear more than their strength.
pub(super) fn evaluate<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    effects: &mut Effects<D>,
    clusters: &mut ClusterIndex,
    time: f64,
) {
    if world.contacts.bonds.list.is_empty() {
        return;
    }
    let mut bonds = std::mem::take(&mut world.contacts.bonds);
    world.grains.settle_rotations_of(&bonds.slots);
    let half = 0.5 * world.clock.step;
    let after = evaluate::timing(world).after * world.clock.step;
    let mut given = 0.0;
    let mut broken = Vec::new();
    for (index, bond) in bonds.list.iter_mut().enumerate() {
        let ends = ends_of(world, bond);
        let found = bond.beam.respond(&ends);
        let arrays = &mut world.grains.arrays;
        push(arrays, bond.slots, &found);
        if D::N == 3 {
            // The stride takes all moments for losses: in each at the mean of the spins that it stores before and after.
            for (end, slot) in bond.slots.into_iter().enumerate() {
                let acted = found.moments[end] + bond.moments[end];
                given += half * D::spin_dot(acted, stored_spin(arrays, slot as usize));
            }
        }
        bond.moments = found.moments;
        if let Some(sums) = &mut world.cell.sums {
            let whole = found.force + found.damping;
            sums.add_one(three(ends.apart), three(whole), three(found.damping));
        }
        let Some(way) = found.breaks else { continue };
        // Its forces act on for the part of a step that is left.
        let turning = found.turning_power(&ends);
        let power = found.force.dot(&ends.velocity) + turning;
        let stored = bond.beam.energy::<D>(ends.apart, ends.directors);
        let released = stored - after * power;
        if D::N == 3 {
            given += half * turning;
        }
        book.flows.breakage += released;
        match way {
            Break::Torn => book.counts.torn += 1,
            Break::Sheared => book.counts.sheared += 1,
        }
        broken.push(index);
        log_break(world, effects, bond, time, released);
    }
    book.flows.damping += given;
    if !broken.is_empty() {
        let mut holds = vec![true; bonds.list.len()];
        for index in broken {
            let [a, b] = bonds.list[index].slots;
            clusters.remove_link(a, b);
            holds[index] = false;
        }
        let mut holds = holds.into_iter();
        bonds.list.retain(|_| holds.next() == Some(true));
        bonds.find_slots();
    }
    world.contacts.bonds = bonds;
}

/// Adds the forces and moments of a bond to those of its grains.
fn push<D: Integrate>(arrays: &mut Arrays<D>, slots: [u32; 2], found: &Response<D>) {
    for (end, slot) in slots.into_iter().enumerate() {
        let sign = if end == 0 { -1.0 } else { 1.0 };
        let inverse = 1.0 / arrays.radius(slot as usize);
        let forces = [found.force, found.damping].map(|force| three(force * sign));
        let moments = [found.moments[end], found.damping_moments[end]];
        let moments = moments.map(|moment| spin_of::<D>(moment * inverse));
        D::add_bond(arrays, slot as usize, forces, moments);
    }
}

/// Spin that the integrator stores, rad/s.
fn stored_spin<D: Integrate>(arrays: &Arrays<D>, slot: usize) -> D::Spin {
    let (_, spin) = D::carried(arrays, slot);
    let inverse = 1.0 / arrays.radius(slot);
    D::spin_from_fn(|k| spin[k] * inverse)
}

fn log_break<D: Integrate>(
    world: &World<D>,
    effects: &mut Effects<D>,
    bond: &Bond<D>,
    time: f64,
    energy: f64,
) {
    if world.physics.options.log_links {
        effects.link_events.push(LinkEvent {
            kind: EventKind::BreakBond,
            time,
            a: bond.slots[0],
            b: Other::Slot(bond.slots[1]),
            energy,
        });
    }
}
