//! What of a wall is the same along a direction.

use super::STRAIGHT;
use crate::body::{Motion, Shape};
use crate::geometry::{Dimension, Vector};

/// Whether a wall is one surface around all grains.
pub(super) fn encloses<D: Dimension>(shape: &Shape<D>) -> bool {
    matches!(shape, Shape::Ball { inside: true, .. } | Shape::Vessel(_))
}

/// Whether the frame of a wall only shifts, or turns about that direction.
pub(super) fn keeps_direction<D: Dimension>(motion: &Motion<D>, k: usize) -> bool {
    match motion {
        Motion::Rotation { spin, .. } => {
            D::SPINS == 3 && (0..3).all(|j| j == k || D::spin_component(*spin, j) == 0.0)
        }
        _ => true,
    }
}

/// Whether the frame of a wall does not shift.
pub(super) fn stays<D: Dimension>(motion: &Motion<D>) -> bool {
    matches!(motion, Motion::Fixed | Motion::Rotation { .. })
}

/// A plane that is neither along a direction nor across it.
pub(super) fn is_slanted<D: Dimension>(shape: &Shape<D>, k: usize) -> bool {
    match shape {
        Shape::Plane { normal, .. } => {
            let hair = STRAIGHT * normal.norm();
            normal[k].abs() > hair && (0..D::N).any(|j| j != k && normal[j].abs() > hair)
        }
        _ => false,
    }
}

/// From where to where a wall is the same along a direction; none where it is not.
pub(super) fn stretch<D: Dimension>(shape: &Shape<D>, k: usize) -> Option<[f64; 2]> {
    let endless = Some([f64::NEG_INFINITY, f64::INFINITY]);
    match shape {
        Shape::Plane { normal, .. } => {
            endless.filter(|_| normal[k].abs() <= STRAIGHT * normal.norm())
        }
        // Of planes that have no ends.
        Shape::Box { inside: true, .. } => endless,
        Shape::Box { min, max, .. } => Some([min[k], max[k]]),
        Shape::Polyline { points, closed } => {
            let first = *points.first().filter(|_| !closed)?;
            let ends = points.iter().map(|p| p[k]);
            let (low, high) = (
                ends.clone().fold(f64::INFINITY, f64::min),
                ends.fold(f64::NEG_INFINITY, f64::max),
            );
            let straight = |p: &D::Vector| {
                (0..D::N).all(|j| j == k || (p[j] - first[j]).abs() <= STRAIGHT * (high - low))
            };
            points.iter().all(straight).then_some([low, high])
        }
        Shape::Revolved {
            origin,
            axis,
            profile,
        } => {
            let length = axis.norm();
            let across = (0..D::N).any(|j| j != k && axis[j].abs() > STRAIGHT * length);
            let radius = profile.first()?[0];
            if across || profile.iter().any(|corner| corner[0] != radius) {
                return None;
            }
            let heights = profile
                .iter()
                .map(|corner| origin[k] + corner[1] * axis[k].signum());
            Some([
                heights.clone().fold(f64::INFINITY, f64::min),
                heights.fold(f64::NEG_INFINITY, f64::max),
            ])
        }
        _ => None,
    }
}
