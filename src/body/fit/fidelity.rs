//! Fidelity of a clump to a body.

use nalgebra::Vector3;
use serde::Serialize;

use super::tangent::surface_points;
use super::{Body, Columns};
use crate::body::Ball;
use crate::body::mass::{Integrals, MassProperties, tetrahedra};
use crate::geometry::Spatial;

/// Number of lines along the longer side of the grid: the middle one of every three lines also forms a grid, which
/// gives the error.
const LINES: usize = 192;
/// Number of points of the body's surface, and approximately of the clump's.
const POINTS: usize = 20_000;

/// Statistics of the distances of points of one surface from another, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SurfaceDistance {
    /// Mean distance.
    pub mean: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Greatest distance.
    pub max: f64,
}

/// Fidelity of a clump to a body. Lengths in the unit of the body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fidelity {
    /// Number of spheres.
    pub spheres: usize,
    /// Volume of the spheres' union over that of the body.
    pub volume: f64,
    /// Volume of the intersection over that of the union: 1 if they are equal.
    pub overlap: f64,
    /// Volume of the body outside of all spheres, relative to that of the body.
    pub missing: f64,
    /// Volume of the spheres outside of the body, relative to that of the body.
    pub excess: f64,
    /// Error of the four fractions above: their difference on a grid with a third of the lines per side.
    pub volume_error: f64,
    /// Distances of the body's surface from that of the clump; for points inside spheres, the depth in the deepest
    /// one, a lower bound of the distance.
    pub surface: SurfaceDistance,
    /// Distances of the clump's surface from that of the body.
    pub clump_surface: SurfaceDistance,
    /// Distance of the centroids over the body's radius of gyration.
    pub centroid: f64,
    /// Relative error of the inertia tensor about each one's own centroid at equal density (norm of the difference
    /// over the norm).
    pub inertia: f64,
    /// The same for a clump with the density that gives it the body's mass.
    pub inertia_equal_mass: f64,
    /// Error of the errors of inertia, from the grid.
    pub inertia_error: f64,
}

/// A body with which clumps are compared: lines through it, and points of its surface.
pub struct Measured<'a> {
    body: &'a Body,
    exact: MassProperties<Spatial>,
    lines: Columns,
    points: Vec<Vector3<f64>>,
}

/// Volumes on a grid of lines.
struct Volumes {
    body: f64,
    clump: f64,
    both: f64,
    integrals: Integrals<Spatial>,
}

impl Volumes {
    fn shares(&self) -> [f64; 4] {
        [
            self.clump / self.body,
            self.both / (self.body + self.clump - self.both),
            1.0 - self.both / self.body,
            (self.clump - self.both) / self.body,
        ]
    }
}

impl<'a> Measured<'a> {
    /// Prepares for clumps that lie within a box around the body and these balls; the seed determines the points of
    /// the surface.
    pub fn new(body: &'a Body, balls: &[Ball<Spatial>], seed: u64) -> Self {
        let (mut min, mut max) = (body.min, body.max);
        for ball in balls {
            let reach = Vector3::repeat(ball.radius);
            min = min.inf(&(ball.centre - reach));
            max = max.sup(&(ball.centre + reach));
        }
        let size = max - min;
        let longest = size.x.max(size.y);
        let count = [0, 1].map(|k| {
            let thirds = (LINES as f64 / 3.0 * size[k] / longest).ceil() as usize;
            3 * thirds.max(8)
        });
        let points = surface_points(body, POINTS, seed);
        Measured {
            body,
            exact: tetrahedra(&body.mesh),
            lines: Columns::of_mesh(&body.mesh, min, max, count),
            points: points.into_iter().map(|(point, _)| point).collect(),
        }
    }

    /// Returns the exact mass properties of the body.
    pub fn exact(&self) -> &MassProperties<Spatial> {
        &self.exact
    }

    /// Returns the volume of the intersection over that of the union; part of [`Measured::fidelity`], but faster.
    pub fn overlap(&self, balls: &[Ball<Spatial>]) -> f64 {
        self.volumes(&self.lined(balls), 1).shares()[1]
    }

    fn lined(&self, balls: &[Ball<Spatial>]) -> Columns {
        let mut clump = self.lines.empty();
        balls.iter().for_each(|ball| clump.add(ball));
        clump.join();
        clump
    }

    /// Returns the fidelity of a clump of these spheres.
    pub fn fidelity(&self, balls: &[Ball<Spatial>]) -> Fidelity {
        let clump = self.lined(balls);
        let (fine, coarse) = (self.volumes(&clump, 1), self.volumes(&clump, 3));
        let (shares, rough) = (fine.shares(), coarse.shares());
        let off = shares.iter().zip(rough).map(|(a, b)| (a - b).abs());
        let found = self.inertia(&fine);
        let rough = self.inertia(&coarse);
        Fidelity {
            spheres: balls.len(),
            volume: shares[0],
            overlap: shares[1],
            missing: shares[2],
            excess: shares[3],
            volume_error: off.fold(0.0, f64::max),
            surface: distances(self.points.iter().map(|p| depth(balls, p).abs()).collect()),
            clump_surface: distances(self.clump_surface(balls)),
            centroid: found[0],
            inertia: found[1],
            inertia_equal_mass: found[2],
            inertia_error: (1..3)
                .map(|k| (found[k] - rough[k]).abs())
                .fold(0.0, f64::max),
        }
    }

    /// Returns the volumes by every line, or by the middle one of three along both sides.
    fn volumes(&self, clump: &Columns, every: usize) -> Volumes {
        let (lines, [nx, ny]) = (&self.lines, self.lines.count);
        let [dx, dy] = lines.side.map(|side| side * every as f64);
        let mut sums = Volumes {
            body: 0.0,
            clump: 0.0,
            both: 0.0,
            integrals: Integrals::new(self.exact.centroid),
        };
        for j in (every / 2..ny).step_by(every) {
            for i in (every / 2..nx).step_by(every) {
                let (own, other) = (&lines.spans[j * nx + i], &clump.spans[j * nx + i]);
                let length = |spans: &[[f64; 2]]| spans.iter().map(|s| s[1] - s[0]).sum::<f64>();
                sums.body += dx * dy * length(own);
                sums.clump += dx * dy * length(other);
                sums.both += dx * dy * common(own, other);
                for [from, to] in other {
                    let mut middle = lines.at(i, j) - self.exact.centroid;
                    middle.z = 0.5 * (from + to) - self.exact.centroid.z;
                    let high = to - from;
                    let volume = dx * dy * high;
                    let mut second = [[0.0; 3]; 3];
                    for (k, side) in [dx, dy, high].into_iter().enumerate() {
                        second[k][k] = volume * side * side / 12.0;
                    }
                    sums.integrals.add(volume, middle, &second);
                }
            }
        }
        sums
    }

    /// Returns the offset of the centroid and the errors of the inertia, at equal density and at equal mass.
    fn inertia(&self, volumes: &Volumes) -> [f64; 3] {
        if volumes.integrals.measure <= 0.0 {
            return [0.0, 1.0, 1.0];
        }
        let (clump, body) = (volumes.integrals.properties(0.0), &self.exact);
        let (a, b) = (clump.inertia(), body.inertia());
        let off = |scale: f64| {
            let (mut above, mut below) = (0.0, 0.0);
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                above += (a * scale - b) * (a * scale - b);
                below += b * b;
            }
            (above / below).sqrt()
        };
        let gyration = (body.polar() / body.measure).sqrt();
        [
            (clump.centroid - body.centroid).norm() / gyration,
            off(1.0),
            off(body.measure / clump.measure),
        ]
    }

    /// Returns the distances of evenly spread points of the clump's surface from the body's.
    fn clump_surface(&self, balls: &[Ball<Spatial>]) -> Vec<f64> {
        let total: f64 = balls.iter().map(|b| b.radius * b.radius).sum();
        let mut found = Vec::new();
        for (k, ball) in balls.iter().enumerate() {
            let share = ball.radius * ball.radius / total;
            let count = ((POINTS as f64 * share) as usize).max(16);
            for way in spiral(count) {
                let point = ball.centre + way * ball.radius;
                let hides = |(other, b): (usize, &Ball<Spatial>)| {
                    other != k && (point - b.centre).norm_squared() < b.radius * b.radius
                };
                if !balls.iter().enumerate().any(hides) {
                    found.push(self.body.nearest.distance(point));
                }
            }
        }
        found
    }
}

/// Returns unit vectors spread evenly over the sphere, on a spiral that turns by the golden angle.
fn spiral(count: usize) -> impl Iterator<Item = Vector3<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sine, cosine) = libm::sincos(golden * k as f64);
        let across = (1.0 - z * z).max(0.0).sqrt();
        Vector3::new(across * cosine, across * sine, z)
    })
}

/// Returns the signed distance of a point from the nearest sphere's surface; inside, from that of the sphere in which
/// it lies deepest.
fn depth(balls: &[Ball<Spatial>], point: &Vector3<f64>) -> f64 {
    let away = |b: &Ball<Spatial>| (point - b.centre).norm() - b.radius;
    balls.iter().map(away).fold(f64::INFINITY, f64::min)
}

/// Returns the length of the intersection of two ordered lists of intervals.
fn common(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        sum += (a[i][1].min(b[j][1]) - a[i][0].max(b[j][0])).max(0.0);
        if a[i][1] < b[j][1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}

fn distances(mut found: Vec<f64>) -> SurfaceDistance {
    found.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (share * found.len() as f64).ceil() as usize;
        found.get(index.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    SurfaceDistance {
        mean: found.iter().sum::<f64>() / found.len().max(1) as f64,
        p95: at(0.95),
        max: at(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_common() {
        let a = [[0.0, 1.0], [2.0, 5.0]];
        let b = [[0.5, 2.5], [3.0, 4.0], [4.5, 9.0]];
        assert_eq!(common(&a, &b), 0.5 + 0.5 + 1.0 + 0.5);
        assert_eq!(common(&a, &a), 4.0);
        assert_eq!(common(&a, &[]), 0.0);
    }
}
