//! Spheres along the axis of a body (Favier et al. 1999).

use nalgebra::Vector3;

use super::{Body, FitError, holds};
use crate::body::Ball;
use crate::body::mass::{principal, tetrahedra};
use crate::geometry::Spatial;

/// Number of positions along the axis that are tested.
const PLACES: usize = 512;

/// Settings of spheres along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlongAxis {
    /// Direction of the axis through the centroid; none: the principal axis of the least moment, along which the body
    /// is longest.
    pub axis: Option<Vector3<f64>>,
    /// Smaller spheres are omitted, m.
    pub least: f64,
}

impl AlongAxis {
    /// Returns `count` spheres with centres at equal distances on the axis, each reaching to the surface; the first
    /// and the last are the largest that touch the ends of the axis from inside, if those are not smaller than the
    /// least (Favier et al. 1999, for bodies of revolution; for other bodies the spheres are those that fit inside).
    /// Fewer if all would coincide, or the axis leaves the body.
    ///
    /// # Errors
    /// When the axis has no direction or misses the body, or no sphere of the least radius fits.
    pub fn spheres(&self, body: &Body, count: usize) -> Result<Vec<Ball<Spatial>>, FitError> {
        let mass = tetrahedra(&body.mesh);
        let along = match self.axis {
            Some(axis) => axis
                .try_normalize(f64::MIN_POSITIVE)
                .ok_or(FitError::Axis)?,
            None => principal(&mass).axes[0],
        };
        let origin = mass.centroid;
        let size = (body.max - body.min).norm();
        let (low, high) = ends(body, origin, along).ok_or(FitError::Missed)?;
        let at = |t: f64| origin + along * t;
        let radius = |t: f64| {
            if holds(&body.mesh, at(t)) {
                body.nearest.distance(at(t))
            } else {
                0.0
            }
        };
        let mut from = low + body.touching(at(low), along);
        let mut to = high - body.touching(at(high), -along);
        // In a pointed end the first position where a sphere of the least radius fits.
        let step = (high - low) / PLACES as f64;
        let fits = |t: &f64| radius(*t) >= self.least.max(1e-6 * size);
        let places = || (0..=PLACES).map(|k| low + k as f64 * step);
        let outermost = [places().find(fits), places().rev().find(fits)];
        let [Some(first), Some(last)] = outermost else {
            return Err(FitError::NoSphere(self.least));
        };
        if !fits(&from) {
            from = first;
        }
        if !fits(&to) {
            to = last;
        }
        let widest = places().reduce(|a, b| if radius(b) > radius(a) { b } else { a });
        let middle = widest.unwrap_or(0.5 * (low + high));
        // A body as wide as long needs a single sphere.
        let alone = to - from <= 1e-6 * size;
        let ball = |t: f64| Ball {
            centre: at(t),
            radius: radius(t),
        };
        if count < 2 || alone {
            let t = if alone { 0.5 * (from + to) } else { middle };
            return Ok(vec![ball(t)]);
        }
        let gap = (to - from) / (count - 1) as f64;
        let places = (0..count).map(|k| from + k as f64 * gap);
        let balls: Vec<_> = places.filter(fits).map(ball).collect();
        if balls.is_empty() {
            return Err(FitError::NoSphere(self.least));
        }
        Ok(balls)
    }
}

/// Returns where a line first enters and last leaves the surface.
fn ends(body: &Body, origin: Vector3<f64>, along: Vector3<f64>) -> Option<(f64, f64)> {
    let mut ends: Option<(f64, f64)> = None;
    for &[a, b, c] in body.nearest.triangles() {
        let (u, v) = (b - a, c - a);
        let across = along.cross(&v);
        let det = u.dot(&across);
        if det == 0.0 {
            continue;
        }
        let arm = origin - a;
        let p = arm.dot(&across) / det;
        let turned = arm.cross(&u);
        let q = along.dot(&turned) / det;
        // An edge counts for both neighbours, which does not change the ends.
        if p >= -1e-9 && q >= -1e-9 && p + q <= 1.0 + 1e-9 {
            let t = v.dot(&turned) / det;
            ends = Some(ends.map_or((t, t), |(low, high)| (low.min(t), high.max(t))));
        }
    }
    ends.filter(|(low, high)| high > low)
}
