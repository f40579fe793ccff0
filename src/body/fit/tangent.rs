//! Spheres inside, tangent to the surface at points of it (Ferrellec and McDowell 2010).

use std::collections::BTreeMap;

use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Body, FitError};
use crate::body::Ball;
use crate::geometry::Spatial;

/// Cosine of the angle up to which neighbouring triangles approximate one round surface: 30 degrees.
const ROUND: f64 = 0.866;

/// Settings of tangent spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Smaller spheres are omitted, m.
    pub least: f64,
    /// A point of the surface within this distance of a sphere is covered, m.
    pub distance: f64,
    /// Fraction of the surface's points to be covered, 0 to 1.
    pub coverage: f64,
    /// Number of points of the surface.
    pub points: usize,
    /// Seed of the points.
    pub seed: u64,
}

impl Tangent {
    /// Returns at most `count` spheres. Points of the surface are drawn at random, uniformly over its area; each
    /// point that is not yet covered gets the largest sphere that touches the surface there from inside, unless it is
    /// too small, until the coverage is reached (Ferrellec and McDowell 2010; they use the corners of the mesh as
    /// points, which leaves flat faces without any). Normals are interpolated between triangles that approximate a
    /// round surface. The first spheres of a longer list are those of a shorter one.
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
            let centre = point + inwards * body.touching(point, inwards);
            let radius = body.nearest.distance(centre);
            if radius < self.least || radius <= 0.0 || !body.holds(centre) {
                continue;
            }
            let ball = Ball::<Spatial> { centre, radius };
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

/// Returns random points of the surface, uniformly over its area, with the unit normals that point inwards.
pub(super) fn surface_points(
    body: &Body,
    count: usize,
    seed: u64,
) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let triangles = body.nearest.triangles();
    let normals = normals(triangles);
    let mut total = 0.0;
    let sums: Vec<f64> = triangles
        .iter()
        .map(|triangle| {
            total += 0.5 * outwards(triangle).norm();
            total
        })
        .collect();
    (0..count)
        .map(|_| {
            let at = stream.random::<f64>() * total;
            let index = sums.partition_point(|sum| *sum <= at);
            let index = index.min(triangles.len() - 1);
            let [a, b, c] = triangles[index];
            let (mut u, mut v) = (stream.random::<f64>(), stream.random::<f64>());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let [m, n, o] = normals[index];
            let normal = m * (1.0 - u - v) + n * u + o * v;
            (
                a + (b - a) * u + (c - a) * v,
                -normal / normal.norm().max(f64::MIN_POSITIVE),
            )
        })
        .collect()
}

/// Returns twice the area along the outward normal.
fn outwards([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

/// Returns unit normals at the corners of each triangle: the mean over the triangles around a corner that are
/// inclined little against this one, weighted by their angles there.
fn normals(triangles: &[[Vector3<f64>; 3]]) -> Vec<[Vector3<f64>; 3]> {
    let unit = |v: Vector3<f64>| v / v.norm().max(f64::MIN_POSITIVE);
    let key = |v: Vector3<f64>| [v.x, v.y, v.z].map(f64::to_bits);
    let mut around: BTreeMap<[u64; 3], Vec<(Vector3<f64>, f64)>> = BTreeMap::new();
    for triangle in triangles {
        let normal = unit(outwards(triangle));
        for k in 0..3 {
            let [u, v] = [1, 2].map(|n| unit(triangle[(k + n) % 3] - triangle[k]));
            let angle = libm::acos(u.dot(&v).clamp(-1.0, 1.0));
            around
                .entry(key(triangle[k]))
                .or_default()
                .push((normal, angle));
        }
    }
    let corner = |own: Vector3<f64>, at: Vector3<f64>| {
        let neighbours = around.get(&key(at)).into_iter().flatten();
        let like = neighbours.filter(|(normal, _)| normal.dot(&own) > ROUND);
        let sum = like.fold(Vector3::zeros(), |sum, (normal, angle)| {
            sum + normal * *angle
        });
        if sum.norm() > 0.0 { unit(sum) } else { own }
    };
    triangles
        .iter()
        .map(|triangle| {
            let own = unit(outwards(triangle));
            triangle.map(|at| corner(own, at))
        })
        .collect()
}
