//! The events of a soft collision and their two exceptions (Poeschel and Mueller 2013).
//!
//! A contact takes three events: it is found; its grains are put at once where they will be seen from
//! the centre of mass, and go with it; at the end they get their velocities. Two things can come in
//! between. Where a grain is to be put, another may be: then the collision becomes a hard one with the
//! same restitution ([`begin`]). And a third grain may run into one of the two before the end: that
//! one gets its velocity at once and goes on as any other, its partner waits ([`Pending::interrupt`]).
//! Both are approximations, and are counted.

use serde::{Deserialize, Serialize};

use super::Collision;
use crate::geometry::Dimension;

/// How many collisions went which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Collisions that began.
    pub collisions: u64,
    /// Of these, hard ones because the place was taken (first exception).
    pub blocked: u64,
    /// Grains met by a third one during contact (second exception).
    pub interrupted: u64,
    /// Mappings beyond the table, solved one by one.
    pub solved: u64,
}

impl Counters {
    /// Exceptions over collisions.
    pub fn exceptional_share(&self) -> f64 {
        (self.blocked + self.interrupted) as f64 / self.collisions.max(1) as f64
    }
}

/// How a collision begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begin<D: Dimension> {
    /// Put the grains there with these velocities, and keep what is pending until its end.
    Soft {
        /// Positions from now on, m.
        positions: [D::Vector; 2],
        /// Velocity of both, m/s.
        velocity: D::Vector,
        /// What is to come.
        pending: Pending<D>,
    },
    /// Leave the grains where they are, with these velocities, m/s.
    Hard([D::Vector; 2]),
}

/// Begins a collision at a time (s). `blocked` tells whether a third body is where one of the two
/// grains is to be put.
pub fn begin<D: Dimension>(
    collision: &Collision<D>,
    time: f64,
    blocked: impl FnOnce(&[D::Vector; 2]) -> bool,
    counters: &mut Counters,
) -> Begin<D> {
    counters.collisions += 1;
    if blocked(&collision.placed) {
        counters.blocked += 1;
        return Begin::Hard(collision.hard());
    }
    let energies = collision.touch.masses.map(|mass| {
        collision.stored * (1.0 - mass / (collision.touch.masses[0] + collision.touch.masses[1]))
    });
    Begin::Soft {
        positions: collision.placed,
        velocity: collision.touch.centre_velocity,
        pending: Pending {
            end: time + collision.duration,
            relative: collision.relative,
            stored: energies,
            waiting: [true; 2],
        },
    }
}

/// A contact under way: its grains go with the centre of mass until the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending<D: Dimension> {
    /// When it ends, s.
    pub end: f64,
    /// What each grain's velocity changes by then, m/s.
    relative: [D::Vector; 2],
    /// Energy that each grain gets back then, seen from the centre of mass, J.
    stored: [f64; 2],
    /// Whether each grain has still to get it.
    waiting: [bool; 2],
}

impl<D: Dimension> Pending<D> {
    /// A third body runs into one of the two, 0 or 1: what is to be added to its velocity now, m/s,
    /// before the two are looked at as any others. None if it has its velocity already.
    pub fn interrupt(&mut self, which: usize, counters: &mut Counters) -> Option<D::Vector> {
        let change = self.take(which);
        counters.interrupted += u64::from(change.is_some());
        change
    }
    /// The end: what is to be added to the velocity of each, m/s; none for one that was interrupted.
    pub fn finish(&mut self) -> [Option<D::Vector>; 2] {
        [self.take(0), self.take(1)]
    }
    /// Whether both have their velocities, so that no end has to come.
    pub fn is_over(&self) -> bool {
        self.waiting == [false; 2]
    }
    /// Energy that is out of sight, seen from the centre of mass, J.
    pub fn stored(&self) -> f64 {
        let parts = self.stored.iter().zip(self.waiting);
        parts
            .map(|(energy, waits)| if waits { *energy } else { 0.0 })
            .sum()
    }
    fn take(&mut self, which: usize) -> Option<D::Vector> {
        std::mem::take(&mut self.waiting[which]).then(|| self.relative[which])
    }
}
