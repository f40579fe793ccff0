//! The forces of bonds, and how they break.
//!
//! What a bond needs of its grains is gathered once for each grain.

use super::{Bonds, longest};
use crate::cluster::arrays::Arrays;
use crate::cluster::dem::{spin_of, three};
use crate::cluster::integrate::Integrate;
use crate::cluster::state::{Book, Effects, LinkEvent, Other};
use crate::cluster::world::World;
use crate::cluster::{cell, evaluate};
use crate::contact::bond::{Bond, Break, Directors, Ends};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;

/// A bonded grain at the evaluation.
struct End<D: Dimension> {
    position: D::Vector,
    velocity: D::Vector,
    /// rad/s.
    spin: D::Spin,
    /// The spin that the integrator stores, rad/s.
    stored: D::Spin,
    /// The axes of its frame; in the plane two.
    axes: Directors<D>,
    /// Sums of the elastic force and the dampers', N, and of the moments, N m.
    force: D::Vector,
    damping: D::Vector,
    moment: D::Spin,
    damping_moment: D::Spin,
}

impl<D: Integrate> End<D> {
    fn new(arrays: &mut Arrays<D>, slot: usize) -> Self {
        let rotation = D::settle_rotation(arrays, slot);
        let inverse = 1.0 / arrays.radius(slot);
        let spin = |surface: [f64; 3]| D::spin_from_fn(|k| surface[k] * inverse);
        let axis = |k: usize| D::Vector::from_fn(|j| if j == k { 1.0 } else { 0.0 });
        let x = D::rotate(rotation, axis(0));
        let axes = if D::N == 2 {
            let y = D::Vector::from_fn(|k| if k == 0 { -x[1] } else { x[0] });
            [x, y, D::Vector::default()]
        } else {
            [
                x,
                D::rotate(rotation, axis(1)),
                D::rotate(rotation, axis(2)),
            ]
        };
        End {
            position: arrays.position(slot),
            velocity: arrays.velocity(slot),
            spin: spin(D::surface_spin(arrays, slot)),
            stored: spin(D::carried(arrays, slot).1),
            axes,
            force: D::Vector::default(),
            damping: D::Vector::default(),
            moment: D::Spin::default(),
            damping_moment: D::Spin::default(),
        }
    }

    /// Returns a vector of its frame in space.
    #[inline(always)]
    fn turned(&self, own: D::Vector) -> D::Vector {
        let flat = self.axes[0] * own[0] + self.axes[1] * own[1];
        match D::N {
            2 => flat,
            _ => flat + self.axes[2] * own[2],
        }
    }
}

/// Adds the forces of bonds to those of the evaluation, before contacts; breaks those that bear more than their strength.
pub(in crate::cluster) fn evaluate<D: Integrate>(
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
    let arrays = &mut world.grains.arrays;
    let slots = bonds.slots.iter();
    let mut grains: Vec<End<D>> = slots.map(|&slot| End::new(arrays, slot as usize)).collect();
    let half = 0.5 * world.clock.step;
    let after = evaluate::timing(world).after * world.clock.step;
    let longest = longest(world);
    let is_open = longest == f64::INFINITY;
    let mut given = 0.0;
    let mut broken = Vec::new();
    for (index, (bond, places)) in bonds.list.iter_mut().zip(&bonds.ends).enumerate() {
        let [a, b] = places.map(|place| place as usize);
        let ends: Ends<D> = {
            let (first, second) = (&grains[a], &grains[b]);
            let d = second.position - first.position;
            let (apart, image) = match is_open {
                true => (d, D::Vector::default()),
                false => cell::drive::nearest_image_of(
                    &world.clock,
                    &world.physics,
                    &world.cell,
                    d,
                    false,
                ),
            };
            Ends {
                apart,
                velocity: second.velocity - first.velocity + image,
                spins: [first.spin, second.spin],
                directors: [
                    bond.directors[0].map(|own| first.turned(own)),
                    bond.directors[1].map(|own| second.turned(own)),
                ],
            }
        };
        if ends.apart.norm_squared() > longest * longest {
            bonds.overlong = Some((bond.slots, ends.apart.norm()));
        }
        let found = bond.beam.respond::<D>(&ends);
        for (end, place) in [a, b].into_iter().enumerate() {
            let grain = &mut grains[place];
            let sign = if end == 0 { -1.0 } else { 1.0 };
            grain.force += found.force * sign;
            grain.damping += found.damping * sign;
            grain.moment += found.moments[end];
            grain.damping_moment += found.damping_moments[end];
            if D::N == 3 {
                // The stride takes all moments for losses: in each at the mean of the spins that it stores before and after.
                let acted = found.moments[end] + bond.moments[end];
                given += half * D::spin_dot(acted, grain.stored);
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
        if world.physics.options.log_links {
            effects.link_events.push(break_of(bond, time, released));
        }
    }
    book.flows.damping += given;
    for (&slot, grain) in bonds.slots.iter().zip(&grains) {
        grain.push(&mut world.grains.arrays, slot as usize);
    }
    remove_broken(&mut bonds, &broken, clusters);
    world.contacts.bonds = bonds;
}

impl<D: Integrate> End<D> {
    /// Adds its forces and moments to those of the evaluation.
    fn push(&self, arrays: &mut Arrays<D>, slot: usize) {
        let inverse = 1.0 / arrays.radius(slot);
        let forces = [self.force, self.damping].map(three);
        let moments = [self.moment, self.damping_moment];
        let moments = moments.map(|moment| spin_of::<D>(moment * inverse));
        D::add_bond(arrays, slot, forces, moments);
    }
}

fn remove_broken<D: Dimension>(
    bonds: &mut Bonds<D>,
    broken: &[usize],
    clusters: &mut ClusterIndex,
) {
    if broken.is_empty() {
        return;
    }
    let mut holds = vec![true; bonds.list.len()];
    for &index in broken {
        let [a, b] = bonds.list[index].slots;
        clusters.remove_link(a, b);
        holds[index] = false;
    }
    let mut holds = holds.into_iter();
    bonds.list.retain(|_| holds.next() == Some(true));
    bonds.find_slots();
}

fn break_of<D: Dimension>(bond: &Bond<D>, time: f64, energy: f64) -> LinkEvent {
    LinkEvent {
        kind: EventKind::BreakBond,
        time,
        a: bond.slots[0],
        b: Other::Slot(bond.slots[1]),
        energy,
    }
}
