//! Walls in the animation: how those that move stand at the time of each frame.

use serde::Serialize;

use crate::body::Boundary;
use crate::geometry::{Dimension, Vector};

/// A wall that moves.
#[derive(Debug, Serialize)]
pub(super) struct Moving {
    name: String,
    /// For each frame an affine map from where the wall is at the start to where it is: three rows of
    /// four numbers, or two of three in the plane.
    poses: Vec<Vec<f32>>,
}

/// The poses of all walls that move, at these times.
pub(super) fn moving<D: Dimension>(boundaries: &[Boundary<D>], times: &[f64]) -> Vec<Moving> {
    let moving = boundaries.iter().filter(|wall| !wall.motion.is_fixed());
    moving
        .map(|wall| Moving {
            name: wall.name.clone(),
            poses: times.iter().map(|&time| pose(wall, time)).collect(),
        })
        .collect()
}

fn pose<D: Dimension>(wall: &Boundary<D>, time: f64) -> Vec<f32> {
    // Drawings show walls where they are at time 0.
    let (then, now) = (wall.motion.pose(0.0), wall.motion.pose(time));
    let moved = |x: D::Vector| now.to_world(then.to_frame(x));
    let origin = moved(D::Vector::from_fn(|_| 0.0));
    let mut rows = Vec::new();
    for row in 0..D::N {
        for column in 0..D::N {
            let axis = D::Vector::from_fn(|k| f64::from(u8::from(k == column)));
            rows.push((moved(axis)[row] - origin[row]) as f32);
        }
        rows.push(origin[row] as f32);
    }
    rows
}
