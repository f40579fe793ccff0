//! Spheres inside, tangent to the surface at points of it (Ferrellec and McDowell 2010).

use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Body, FitError};
use crate::body::Ball;
use crate::geometry::Spatial;

/// Rounds in which a tangent sphere shrinks until it is inside; each at least comes nearer.
const ROUNDS: usize = 100;
/// Share of the body's size by which a sphere may stick out.
const INSIDE: f64 = 1e-9;

/// How spheres are laid against the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Spheres smaller than this are not made, m.
    pub least: f64,
    /// A point of the surface no farther than this from a sphere is covered, m.
    pub distance: f64,
    /// Share of the surface's points that shall be covered, 0 to 1.
    pub coverage: f64,
    /// How many points of the surface there are.
    pub points: usize,
    /// Seed of the points.
    pub seed: u64,
}

impl Tangent {
    /// At most `count` spheres. Points of the surface are drawn at random, evenly over its area; one after
    /// the other that is not yet covered gets the largest sphere that touches the surface there from
    /// inside, unless it is too small, until the coverage is reached (Ferrellec and McDowell 2010, section
    /// 3; they take the corners of the mesh for points, which leaves flat faces without any). The radius
    /// follows by shrinking a ball until no nearer point of the surface lies in it (Ma et al. 2012). The
    /// first spheres of a longer list are those of a shorter one.
    ///
    /// # Errors
    /// When a number is out of range, or no sphere of the least radius fits.
    pub fn spheres(&self, body: &Body, count: usize) -> Result<Vec<Ball<Spatial>>, FitError> {
        if !(self.coverage > 0.0 && self.coverage <= 1.0) {
            return Err(FitError::Coverage(self.coverage));
        }
        let points = surface_points(body, self.points, self.seed);
        let mut covered = vec![false; points.len()];
        let wanted = (self.coverage * points.len() as f64).ceil() as usize;
        let (mut done, mut balls) = (0, Vec::<Ball<Spatial>>::new());
        for k in 0..points.len() {
            if done >= wanted || balls.len() >= count {
                break;
            }
            if covered[k] {
                continue;
            }
            let (point, inwards): (Vector3<f64>, Vector3<f64>) = points[k];
            let Some(radius) = touching(body, point, inwards) else {
                continue;
            };
            if radius < self.least {
                continue;
            }
            let ball = Ball::<Spatial> {
                centre: point + inwards * radius,
                radius,
            };
            for (covered, (point, _)) in covered.iter_mut().zip(&points) {
                let arm: Vector3<f64> = point - ball.centre;
                if !*covered && arm.norm() - radius <= self.distance {
                    *covered = true;
                    done += 1;
                }
            }
            balls.push(ball);
        }
        if balls.is_empty() {
            return Err(FitError::NoSphere(self.least));
        }
        Ok(balls)
    }
}

/// Random points of the surface, evenly over its area, with the unit normals that look inwards.
pub(super) fn surface_points(
    body: &Body,
    count: usize,
    seed: u64,
) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let triangles = body.nearest.triangles();
    let mut total = 0.0;
    let sums: Vec<f64> = triangles
        .iter()
        .map(|[a, b, c]| {
            total += 0.5 * (b - a).cross(&(c - a)).norm();
            total
        })
        .collect();
    (0..count)
        .map(|_| {
            let at = stream.random::<f64>() * total;
            let index = sums.partition_point(|sum| *sum <= at);
            let [a, b, c] = triangles[index.min(triangles.len() - 1)];
            let (mut u, mut v) = (stream.random::<f64>(), stream.random::<f64>());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let inwards = -(b - a).cross(&(c - a));
            (
                a + (b - a) * u + (c - a) * v,
                inwards / inwards.norm().max(f64::MIN_POSITIVE),
            )
        })
        .collect()
}

/// Radius of the largest sphere inside that touches the surface at a point.
fn touching(body: &Body, point: Vector3<f64>, inwards: Vector3<f64>) -> Option<f64> {
    let size = (body.max - body.min).norm();
    let mut radius = size;
    for _ in 0..ROUNDS {
        let (other, distance) = body.nearest.find(point + inwards * radius);
        if distance >= radius - INSIDE * size {
            return Some(distance.min(radius));
        }
        // The sphere through both points that is tangent at the first.
        let arm = other - point;
        let along = 2.0 * inwards.dot(&arm);
        if along <= 0.0 {
            return None;
        }
        radius = arm.norm_squared() / along;
    }
    None
}
