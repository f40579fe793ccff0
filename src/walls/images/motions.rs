//! Which motions of a wall are compatible with a periodic direction.

use crate::geometry::Dimension;
use crate::walls::Motion;

/// Whether the frame of a wall only moves by translation, or by rotation about that direction.
pub(super) fn keeps_direction<D: Dimension>(motion: &Motion<D>, k: usize) -> bool {
    match motion {
        Motion::Rotation { spin, .. } => {
            D::SPINS == 3 && (0..3).all(|j| j == k || D::spin_component(*spin, j) == 0.0)
        }
        _ => true,
    }
}

/// Whether the frame of a wall has no translation.
pub(super) fn stays<D: Dimension>(motion: &Motion<D>) -> bool {
    matches!(motion, Motion::Fixed | Motion::Rotation { .. })
}
