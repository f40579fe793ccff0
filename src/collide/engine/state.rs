//! State of grains in the engine.
//!
//! The paths of all grains refer to one common *epoch*: a grain's path is x + v t + g t^2 / 2 with t since
//! the epoch, so that no grain has a clock of its own, and a collision changes x by minus the change of v
//! times t. The epoch is renewed from time to time, before t grows so large that precision is lost.

use serde::{Deserialize, Serialize};

use super::lists::Span;
use crate::geometry::{Dimension, Vector};
use crate::vector::Row;

/// Codes of the next event of a grain.
pub(super) mod next {
    /// A wall: this plus the number of its surface. Smaller codes are grains.
    pub const WALL: u32 = 0x8000_0000;
    /// The end of its place in the cells: this plus 2 axis + (1 if upwards).
    pub const FACE: u32 = 0xffff_fff0;
    /// The end of a piece of path.
    pub const PIECE: u32 = 0xffff_fffb;
    /// The end of a contact.
    pub const END: u32 = 0xffff_fffc;
    /// The known collision.
    pub const HIT: u32 = 0xffff_fffd;
    /// No event: predict again.
    pub const LOOK: u32 = 0xffff_fffe;
    /// No event at any time.
    pub const NONE: u32 = 0xffff_ffff;
}

/// Data of a grain in addition to its row: one cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// Time of the next event, s since the epoch.
    pub time: f64,
    /// Time of the earliest known collision with a grain, s since the epoch.
    pub hit_time: f64,
    /// Time of the last collision, s since the epoch; negative before.
    pub last_time: f64,
    /// Inverse mass, 1/kg.
    pub inverse_mass: f64,
    /// Code of the next event.
    pub event: u32,
    /// Partner of the earliest collision.
    pub hit: u32,
    /// Collision count of that partner at the prediction.
    pub hit_count: u32,
    /// Range of the neighbour list.
    pub span: Span,
    /// Place in the cells.
    pub at: [u16; 3],
    /// Index of the species, for the rules.
    pub species: u16,
    /// Consecutive collisions without time between them.
    pub burst: u16,
}

impl Slot {
    /// An empty slot.
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
    /// Spin, rad/s.
    pub spin: D::Spin,
    /// Orientation at the time `since`.
    pub rotation: D::Rotation,
    /// Reference time, s, on the engine's clock.
    pub since: f64,
}

/// Row: x, y, z, radius, vx, vy, vz, number of collisions. The count is here because a prediction
/// reads the row anyway.
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
