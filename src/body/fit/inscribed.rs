//! The largest inscribed spheres of the distance transform, one after another.

use nalgebra::Vector3;

use super::{Body, FitError};
use crate::body::Ball;
use crate::geometry::Spatial;

/// Fraction of a voxel to which the steps of the search for the maximum are halved.
const FINEST: f64 = 1e-6;
/// Least gain of a step over its length; the distance itself grows by at most the length.
const CREEP: f64 = 1e-4;

/// Settings of inscribed spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inscribed {
    /// Greatest overlap with an earlier sphere, over the radius of that one: 0 to below 1.
    pub overlap: f64,
    /// Smaller spheres are omitted, m.
    pub least: f64,
    /// Number of voxels along the longest side; the search starts from their centres.
    pub voxels: usize,
}

impl Inscribed {
    /// Returns at most `count` spheres, each the largest that fits: its centre is where the *remaining distance* is
    /// greatest, the lesser of the distances to the surface and to the earlier spheres, shrunk by the overlap; and
    /// that distance is its radius. Voxels give the starting point; a search in ever smaller steps finds the maximum.
    /// The list begins with the largest sphere of all, and the first spheres of a longer list are those of a shorter
    /// one.
    ///
    /// # Errors
    /// When a number is out of range, or no sphere of the least radius fits.
    pub fn spheres(&self, body: &Body, count: usize) -> Result<Vec<Ball<Spatial>>, FitError> {
        if !(0.0..1.0).contains(&self.overlap) {
            return Err(FitError::Overlap(self.overlap));
        }
        let mut field = self.field(body);
        let mut balls: Vec<Ball<Spatial>> = Vec::new();
        while balls.len() < count {
            let Some(&(start, remaining)) = greatest(&field.0) else {
                break;
            };
            if remaining <= 0.0 {
                break;
            }
            let (centre, radius) = self.summit(body, &balls, start, remaining, field.1);
            if radius < self.least {
                break;
            }
            let ball = Ball { centre, radius };
            let shrunk = (1.0 - self.overlap) * radius;
            for (at, remaining) in &mut field.0 {
                let left = (*at - centre).norm() - shrunk;
                *remaining = remaining.min(left);
            }
            balls.push(ball);
        }
        if balls.is_empty() {
            return Err(FitError::NoSphere(self.least));
        }
        Ok(balls)
    }

    /// Returns the centres of the voxels inside with their distances to the surface, and the side of a voxel.
    fn field(&self, body: &Body) -> (Vec<(Vector3<f64>, f64)>, f64) {
        let size = body.max - body.min;
        let side = size.max() / self.voxels.max(2) as f64;
        let count = [0, 1].map(|k| ((size[k] / side).ceil() as usize).max(1));
        let columns = super::Columns::of_mesh(&body.mesh, body.min, body.max, count);
        let layers = ((size.z / side).ceil() as usize).max(1);
        let height = size.z / layers as f64;
        let mut field = Vec::new();
        for j in 0..count[1] {
            for i in 0..count[0] {
                let spans = &columns.spans[j * count[0] + i];
                for k in 0..layers {
                    let z = body.min.z + (k as f64 + 0.5) * height;
                    if spans.iter().any(|s| s[0] < z && z < s[1]) {
                        let at = columns.at(i, j);
                        let at = Vector3::new(at.x, at.y, z);
                        field.push((at, body.nearest.distance(at)));
                    }
                }
            }
        }
        (field, side)
    }

    fn remaining(&self, body: &Body, balls: &[Ball<Spatial>], at: Vector3<f64>) -> f64 {
        let left = |b: &Ball<Spatial>| (at - b.centre).norm() - (1.0 - self.overlap) * b.radius;
        let others = balls.iter().map(left).fold(f64::INFINITY, f64::min);
        if others <= 0.0 {
            return others;
        }
        others.min(body.nearest.distance(at))
    }

    /// Ascends from a voxel's centre. A step shorter than the distance to the surface stays inside.
    fn summit(
        &self,
        body: &Body,
        balls: &[Ball<Spatial>],
        start: Vector3<f64>,
        remaining: f64,
        side: f64,
    ) -> (Vector3<f64>, f64) {
        let (mut at, mut best) = (start, remaining);
        let mut step = 0.5 * side;
        while step > FINEST * side {
            let length = step.min(0.5 * best);
            let mut found = (at, best);
            for direction in directions() {
                let place = at + direction * length;
                let value = self.remaining(body, balls, place);
                if value > found.1 {
                    found = (place, value);
                }
            }
            // A gain far below the step does not count: the search must not creep along a ridge.
            if found.1 > best + CREEP * length {
                (at, best) = found;
            } else {
                step *= 0.5;
            }
        }
        (at, best)
    }
}

/// Returns the first of the greatest values.
fn greatest(field: &[(Vector3<f64>, f64)]) -> Option<&(Vector3<f64>, f64)> {
    field
        .iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Returns the directions along the axes, the diagonals of faces and those of a cube.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    (0..27).filter(|k| *k != 13).map(|k: i32| {
        let part = |n: i32| f64::from(k / n % 3 - 1);
        Vector3::new(part(9), part(3), part(1)).normalize()
    })
}
