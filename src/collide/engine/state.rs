//! What the engine holds of its grains.
//!
//! All grains are told at one common *epoch*: a grain's path is x + v t + g t^2 / 2 with t since
//! the epoch, so that no grain has a clock of its own, and a collision moves x by the change of v
//! times t. The epoch is renewed now and then, before t grows so large that digits are lost.

use serde::{Deserialize, Serialize};

use super::lists::Span;
use crate::geometry::{Dimension, Vector};
use crate::vector::Row;

/// What comes next for a grain.
pub(super) mod next {
    /// A wall: this plus its index. Below lie grains.
    pub const WALL: u32 = 0x8000_0000;
    /// The end of its place among the cells: this plus 2 axis + (1 if upwards).
    pub const FACE: u32 = 0xffff_fff0;
    /// The end of a piece of its path.
    pub const PIECE: u32 = 0xffff_fffb;
    /// The end of its contact.
    pub const END: u32 = 0xffff_fffc;
    /// The collision that is known.
    pub const HIT: u32 = 0xffff_fffd;
    /// Nothing by itself: look again.
    pub const LOOK: u32 = 0xffff_fffe;
    /// Nothing, ever.
    pub const NONE: u32 = 0xffff_ffff;
}

/// What the engine knows of a grain besides its row: one cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// Time of its event, s since the epoch.
    pub time: f64,
    /// Time of the earliest collision with a grain that is known, s since the epoch.
    pub hit_time: f64,
    /// Time of its last collision, s since the epoch; negative before.
    pub last_time: f64,
    /// 1/kg.
    pub inverse_mass: f64,
    /// What the event is.
    pub event: u32,
    /// With whom the earliest collision is.
    pub hit: u32,
    /// That grain's collisions when it was foreseen.
    pub hit_count: u32,
    /// Its list of neighbours.
    pub span: Span,
    /// Its place among the cells.
    pub at: [u16; 3],
    /// For the rules.
    pub species: u16,
    /// Collisions in a row without any time between them.
    pub burst: u16,
}

impl Slot {
    /// That of nobody, with a number.
    pub fn nobody(slot: u32) -> Self {
        Slot {
            time: f64::INFINITY,
            hit_time: f64::INFINITY,
            last_time: f64::NEG_INFINITY,
            inverse_mass: 1.0,
            event: next::NONE,
            hit: slot,
            hit_count: 0,
            span: Span::default(),
            at: [0; 3],
            species: 0,
            burst: 0,
        }
    }
}

/// Spin and orientation of a grain.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Turning<D: Dimension> {
    /// rad/s.
    pub spin: D::Spin,
    /// At `since`.
    pub rotation: D::Rotation,
    /// s, on the engine's clock.
    pub since: f64,
}

/// Row: x, y, z, radius, vx, vy, vz, collisions so far. The count
/// lies here because a prediction has read the row already.
pub(super) const RADIUS: usize = 3;
pub(super) const SPEED: usize = 4;
pub(super) const COUNT: usize = 7;

/// Position at the epoch, m.
#[inline(always)]
pub(super) fn place<D: Dimension>(row: &Row) -> D::Vector {
    D::Vector::from_fn(|k| row.0[k])
}
/// Velocity at the epoch, m/s.
#[inline(always)]
pub(super) fn speed<D: Dimension>(row: &Row) -> D::Vector {
    D::Vector::from_fn(|k| row.0[SPEED + k])
}
/// Position t s after the epoch, m.
#[inline(always)]
pub(super) fn place_at<D: Dimension>(row: &Row, gravity: D::Vector, t: f64) -> D::Vector {
    place::<D>(row) + (speed::<D>(row) + gravity * (0.5 * t)) * t
}
/// Changes the velocity at time t without a jump of the position.
#[inline(always)]
pub(super) fn kick<D: Dimension>(row: &mut Row, change: D::Vector, t: f64) {
    for k in 0..D::N {
        row.0[SPEED + k] += change[k];
        row.0[k] -= change[k] * t;
    }
}
