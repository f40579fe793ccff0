//! Walls in the animation: how those that move stand at the time of each frame.

use serde::Serialize;

use crate::body::{Boundary, Motion, MotionPiece};
use crate::geometry::{Dimension, Vector};
use crate::record::read::{Columns, Values};

/// A wall that moves.
#[derive(Debug, Serialize)]
pub(super) struct Moving {
    name: String,
    /// For each frame an affine map from where the wall is at the start to where it is: three rows of
    /// four numbers, or two of three in the plane.
    poses: Vec<Vec<f32>>,
}

/// Walls that forces move go the way that the series tells, straight from row to row.
pub(super) fn follow_record<D: Dimension>(boundaries: &mut [Boundary<D>], series: &Columns) {
    let column = |name: &str| match series.get(name) {
        Some(Values::Floats(values)) => Some(values.as_slice()),
        _ => None,
    };
    let guided = |wall: &&mut Boundary<D>| matches!(wall.motion, Motion::Guided(_));
    for wall in boundaries.iter_mut().filter(guided) {
        let shifts: Vec<&[f64]> = ["x", "y", "z"][..D::N]
            .iter()
            .filter_map(|axis| column(&format!("wall_{}_shift_{axis}", wall.name)))
            .collect();
        let Some(times) = column("time").filter(|_| shifts.len() == D::N) else {
            continue;
        };
        let shift = |row: usize| D::Vector::from_fn(|k| shifts[k][row]);
        let piece = |row: usize| {
            let last = row + 1 == times.len();
            let lasts = if last {
                1.0
            } else {
                times[row + 1] - times[row]
            };
            let way = shift(if last { row } else { row + 1 }) - shift(row);
            MotionPiece {
                from: times[row],
                velocity: way * (1.0 / lasts),
                acceleration: D::Vector::default(),
            }
        };
        wall.motion = Motion::Pieces((0..times.len()).map(piece).collect());
    }
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
