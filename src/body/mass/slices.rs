//! Unions of any spheres: the cross-sections are exact unions of disks, integrated over the height.

use nalgebra::{Vector2, Vector3};

use super::disks::union;
use super::spheres::{neighbours, triples};
use super::{Integrals, MassError, MassProperties, Work};
use crate::body::{Ball, Clump};
use crate::geometry::{Planar, Spatial};

/// Initial and greatest number of slices of a layer.
const FEWEST: usize = 8;
const MOST: usize = 256;
/// Thickness relative to the body below which layers are ignored.
const THIN: f64 = 1e-12;

/// Returns mass properties of a spatial clump to a relative error. Between two neighbouring heights at which the
/// cross-section changes its form the integrand is smooth except for square roots at both ends, which z = a + (b - a)
/// (1 - cos t) / 2 removes: Gauss's rule in t then converges fast.
///
/// # Errors
/// When the tolerance is not reached.
pub fn slices(
    clump: &Clump<Spatial>,
    tolerance: f64,
) -> Result<MassProperties<Spatial>, MassError> {
    let bare: Vec<(usize, &Ball<Spatial>)> = clump.bare().collect();
    let balls: Vec<Ball<Spatial>> = bare.iter().map(|(_, ball)| **ball).collect();
    let heights = heights(&bare);
    let largest = balls.iter().max_by(|a, b| a.radius.total_cmp(&b.radius));
    let largest = largest.copied().unwrap_or(balls[0]);
    let mut scale = Integrals::<Spatial>::new(largest.centre);
    scale.add_ball(largest.centre, largest.radius);
    let scale = scale.properties(0.0);
    let gyration = (scale.polar() / scale.measure).sqrt();

    let mut rules: Rules = vec![None; MOST + 1];
    let mut integrals = Integrals::new(largest.centre);
    let layers = heights.windows(2).count();
    let (share, mut error) = (tolerance / layers as f64, 0.0);
    for ends in heights.windows(2) {
        let mut count = FEWEST;
        let mut before = layer(&balls, largest.centre, ends, &mut rules, count);
        let (layer, rest) = loop {
            count *= 2;
            let next = layer(&balls, largest.centre, ends, &mut rules, count);
            let mut rest = (next.measure - before.measure).abs() / scale.measure;
            rest = rest.max((next.first - before.first).norm() / (scale.measure * gyration));
            for i in 0..3 {
                for j in 0..3 {
                    let change = (next.second[i][j] - before.second[i][j]).abs();
                    rest = rest.max(change / scale.polar());
                }
            }
            if rest <= share || count == MOST {
                break (next, rest);
            }
            before = next;
        };
        integrals.add_weighted(&layer, 1.0);
        error += rest;
    }
    if error <= tolerance {
        return Ok(integrals.properties(error));
    }
    Err(MassError::Tolerance {
        wanted: tolerance,
        reached: error,
        work: Work::Slices(MOST),
    })
}

type Rules = Vec<Option<Vec<[f64; 2]>>>;

/// Integrates one layer by a number of slices.
fn layer(
    balls: &[Ball<Spatial>],
    origin: Vector3<f64>,
    ends: &[f64],
    rules: &mut Rules,
    count: usize,
) -> Integrals<Spatial> {
    let half = 0.5 * (ends[1] - ends[0]);
    let mut integrals = Integrals::new(origin);
    let mut disks: Vec<Ball<Planar>> = Vec::new();
    for &[node, weight] in rules[count].get_or_insert_with(|| gauss(count)).iter() {
        let (sine, cosine) = libm::sincos(0.5 * std::f64::consts::PI * (1.0 + node));
        let z = ends[0] + half * (1.0 - cosine);
        disks.clear();
        for ball in balls {
            let height = z - ball.centre.z;
            let square = (ball.radius - height) * (ball.radius + height);
            if square > 0.0 {
                disks.push(Ball {
                    centre: ball.centre.xy(),
                    radius: square.sqrt(),
                });
            }
        }
        let slice = union(&disks, origin.xy());
        let spread = spread(&slice, origin, z - origin.z);
        integrals.add_weighted(&spread, half * 0.5 * std::f64::consts::PI * sine * weight);
    }
    integrals
}

/// Returns a cross-section at some height as a part of the body.
fn spread(slice: &Integrals<Planar>, origin: Vector3<f64>, z: f64) -> Integrals<Spatial> {
    let (m, first, second) = (slice.measure, slice.first, slice.second);
    let (xz, yz) = (first.x * z, first.y * z);
    Integrals {
        origin,
        measure: m,
        first: Vector3::new(first.x, first.y, m * z),
        second: [
            [second[0][0], second[0][1], xz],
            [second[1][0], second[1][1], yz],
            [xz, yz, m * z * z],
        ],
    }
}

/// Returns the heights at which a cross-section changes its form: tops and bottoms of spheres and of their common
/// circles, and points common to three.
fn heights(bare: &[(usize, &Ball<Spatial>)]) -> Vec<f64> {
    let mut heights: Vec<f64> = Vec::new();
    for (_, ball) in bare {
        heights.extend([ball.centre.z - ball.radius, ball.centre.z + ball.radius]);
    }
    let neighbours = neighbours(bare);
    for (i, near) in neighbours.iter().enumerate() {
        for &j in near.iter().filter(|&&j| j > i) {
            let (a, b) = (bare[i].1, bare[j].1);
            let arm = b.centre - a.centre;
            let d = arm.norm();
            let h = 0.5 * (d + (a.radius - b.radius) * (a.radius + b.radius) / d);
            let rim = ((a.radius - h) * (a.radius + h)).max(0.0).sqrt();
            let flat = Vector2::new(arm.x, arm.y).norm() / d;
            let middle = a.centre.z + h * arm.z / d;
            heights.extend([middle - rim * flat, middle + rim * flat]);
        }
    }
    for [i, j, k] in triples(&neighbours) {
        heights.extend(
            corners(bare[i].1, bare[j].1, bare[k].1)
                .into_iter()
                .flatten(),
        );
    }
    heights.sort_by(f64::total_cmp);
    let thin = THIN * (heights[heights.len() - 1] - heights[0]);
    heights.dedup_by(|b, a| *b - *a <= thin);
    heights
}

/// Returns the heights of the two points common to three spheres.
fn corners(a: &Ball<Spatial>, b: &Ball<Spatial>, c: &Ball<Spatial>) -> Option<[f64; 2]> {
    let (to_b, to_c) = (b.centre - a.centre, c.centre - a.centre);
    let d = to_b.norm();
    let x_axis = to_b / d;
    let i = x_axis.dot(&to_c);
    let side = to_c - x_axis * i;
    let j = side.norm();
    let y_axis = side / j;
    let squares = |other: &Ball<Spatial>| (a.radius - other.radius) * (a.radius + other.radius);
    let x = 0.5 * (d + squares(b) / d);
    let y = 0.5 * (squares(c) + i * i + j * j) / j - i / j * x;
    let square = a.radius * a.radius - x * x - y * y;
    // Three collinear centres, or no common point.
    if square.is_nan() || square <= 0.0 {
        return None;
    }
    let middle = a.centre + x_axis * x + y_axis * y;
    let rise = x_axis.cross(&y_axis).z * square.sqrt();
    Some([middle.z - rise, middle.z + rise])
}

/// Returns nodes and weights of Gauss's rule on -1 to 1.
fn gauss(count: usize) -> Vec<[f64; 2]> {
    let n = count as f64;
    (0..count)
        .map(|i| {
            let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
            let mut slope = 1.0;
            for _ in 0..8 {
                let (mut p, mut q) = (1.0, 0.0);
                for k in 1..=count {
                    let k = k as f64;
                    (p, q) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * q) / k, p);
                }
                slope = n * (x * p - q) / (x * x - 1.0);
                x -= p / slope;
            }
            [x, 2.0 / ((1.0 - x * x) * slope * slope)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::gauss;

    /// Gauss's rule is exact up to degree 2 n - 1.
    #[test]
    fn the_rule_is_exact_for_polynomials() {
        for count in [8, 32, 256] {
            let rule = gauss(count);
            for power in [0, 2, 7, 14] {
                let sum: f64 = rule.iter().map(|[x, w]| w * x.powi(power)).sum();
                let exact = if power % 2 == 0 {
                    2.0 / f64::from(power + 1)
                } else {
                    0.0
                };
                assert!((sum - exact).abs() < 1e-13, "{count} {power}: {sum}");
            }
        }
    }
}
