//! The events of a soft collision and their two exceptions (Poeschel and Mueller 2013).
//!
//! A contact takes three events: it is detected; its grains are displaced at once to their final
//! positions relative to the centre of mass, and move with it; at the end they get their
//! velocities. There are two exceptions. If another grain occupies a final position, the collision
//! becomes a hard one with the same restitution ([`begin`]). If a third grain hits one of the two
//! before the end, that one gets its velocity at once and then moves like any other, while its
//! partner waits ([`Pending::interrupt`]). Both are approximations, and are counted.

use serde::{Deserialize, Serialize};

use super::Collision;
use crate::geometry::Dimension;

/// Counts of collisions and exceptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Collisions that began.
    pub collisions: u64,
    /// Of these, the hard ones because the place was occupied (first exception).
    pub blocked: u64,
    /// Grains met by a third one during contact (second exception).
    pub interrupted: u64,
    /// Mappings outside the table, solved one by one.
    pub solved: u64,
}

impl Counters {
    /// Ratio of exceptions to collisions.
    pub fn exceptional_share(&self) -> f64 {
        (self.blocked + self.interrupted) as f64 / self.collisions.max(1) as f64
    }
}

/// Beginning of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begin<D: Dimension> {
    /// Move the grains to these positions with these velocities, and keep the pending contact until its end.
    Soft {
        /// New positions, m.
        positions: [D::Vector; 2],
        /// Velocity of both, m/s.
        velocity: D::Vector,
        /// The pending contact.
        pending: Pending<D>,
    },
    /// Leave the grains at their positions, with these velocities, m/s.
    Hard([D::Vector; 2]),
}

/// Begins a collision at a time (s). `blocked` reports whether a third body occupies the new
/// position of one of the two grains.
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

/// A contact in progress: its grains move with the centre of mass until the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending<D: Dimension> {
    /// End, s.
    pub end: f64,
    /// Change of each grain's velocity at the end, m/s.
    relative: [D::Vector; 2],
    /// Energy that each grain regains at the end, relative to the centre of mass, J.
    stored: [f64; 2],
    /// Whether each grain still waits for its velocity.
    waiting: [bool; 2],
}

impl<D: Dimension> Pending<D> {
    /// Handles the hit of a third body on grain 0 or 1: returns the change of its velocity now,
    /// m/s, to be applied before the collision of the two. None if it has its velocity already.
    pub fn interrupt(&mut self, which: usize, counters: &mut Counters) -> Option<D::Vector> {
        let change = self.take(which);
        counters.interrupted += u64::from(change.is_some());
        change
    }
    /// Ends the contact: returns the change of velocity of each grain, m/s; none for one that was interrupted.
    pub fn finish(&mut self) -> [Option<D::Vector>; 2] {
        [self.take(0), self.take(1)]
    }
    /// Whether both grains have their velocities, so that no end event is needed.
    pub fn is_over(&self) -> bool {
        self.waiting == [false; 2]
    }
    /// Stored energy, relative to the centre of mass, J.
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
