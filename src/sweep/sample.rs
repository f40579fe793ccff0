//! Sample points in a unit cube: random, Latin hypercube, or Sobol's sequence.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How points are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Low discrepancy: Sobol's sequence, moved by a digital shift that the seed draws; at most 16 keys.
    #[default]
    Sobol,
    /// Each key's range is cut into as many parts as there are points; each part is met once.
    LatinHypercube,
    /// Independent.
    Random,
}

/// Greatest number of keys for Sobol's sequence.
pub const SOBOL_KEYS: usize = 16;

/// Returns points of `dimensions` numbers in [0, 1). The first points do not change when `count` grows, except for
/// the Latin hypercube.
///
/// More than [`SOBOL_KEYS`] dimensions leave Sobol's sequence empty.
pub fn points(method: Method, count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    match method {
        Method::Random => (0..count)
            .map(|_| (0..dimensions).map(|_| rng.random::<f64>()).collect())
            .collect(),
        Method::LatinHypercube => {
            let mut found = vec![vec![0.0; dimensions]; count];
            for k in 0..dimensions {
                let mut parts: Vec<usize> = (0..count).collect();
                parts.shuffle(&mut rng);
                for (point, part) in found.iter_mut().zip(parts) {
                    let place = (part as f64 + rng.random::<f64>()) / count as f64;
                    // The sum may round up to the end of the stratum.
                    point[k] = place.min(BELOW_ONE);
                }
            }
            found
        }
        Method::Sobol if dimensions > SOBOL_KEYS => Vec::new(),
        Method::Sobol => {
            let directions: Vec<[u32; BITS]> = (0..dimensions).map(directions).collect();
            let shift: Vec<u32> = (0..dimensions).map(|_| rng.random()).collect();
            let point = |n: usize| {
                let axis = |(v, shift): (&[u32; BITS], &u32)| {
                    let bits = v.iter().enumerate().filter(|(bit, _)| n >> bit & 1 == 1);
                    let x = bits.fold(*shift, |x, (_, direction)| x ^ direction);
                    f64::from(x) / TWO_32
                };
                directions.iter().zip(&shift).map(axis).collect()
            };
            (0..count).map(point).collect()
        }
    }
}

/// The greatest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
/// 2^32.
const TWO_32: f64 = 4_294_967_296.0;
/// Bits of a coordinate.
const BITS: usize = 32;

/// Primitive polynomials modulo 2 (degree, and inner coefficients as a number) and odd numbers m_i < 2^i that begin
/// the sequence of directions: Joe & Kuo 2008, SIAM J. Sci. Comput. 30, 2635, for the second dimension on. The first
/// is van der Corput's.
const JOE_KUO: [(usize, u32, &[u32]); SOBOL_KEYS - 1] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
];

/// Returns the direction numbers of a dimension, from 0: the bits that bit k of the index contributes.
fn directions(dimension: usize) -> [u32; BITS] {
    let mut v = [0; BITS];
    let Some((degree, inner, first)) = dimension.checked_sub(1).map(|k| JOE_KUO[k]) else {
        for (k, v) in v.iter_mut().enumerate() {
            *v = 1 << (BITS - 1 - k);
        }
        return v;
    };
    for k in 0..BITS {
        v[k] = if k < degree {
            first[k] << (BITS - 1 - k)
        } else {
            let mut x = v[k - degree] ^ (v[k - degree] >> degree);
            for j in 1..degree {
                if inner >> (degree - 1 - j) & 1 == 1 {
                    x ^= v[k - j];
                }
            }
            x
        };
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the multiplicative order of x modulo a polynomial over the field of two elements.
    fn order(polynomial: u32, degree: usize) -> u32 {
        let mut x = 1u32;
        for k in 1.. {
            x <<= 1;
            if x >> degree & 1 == 1 {
                x ^= polynomial;
            }
            if x == 1 {
                return k;
            }
        }
        0
    }

    /// Sobol's conditions on the numbers: the polynomials are primitive and all different, and m_i is odd and below
    /// 2^i.
    #[test]
    fn the_table_is_one_of_direction_numbers() {
        let mut seen = Vec::new();
        for (degree, inner, first) in JOE_KUO {
            let polynomial = 1 << degree | inner << 1 | 1;
            assert_eq!(order(polynomial, degree), (1 << degree) - 1, "{inner}");
            assert!(!seen.contains(&polynomial));
            seen.push(polynomial);
            assert_eq!(first.len(), degree);
            for (i, m) in first.iter().enumerate() {
                assert!(m % 2 == 1 && *m < 1 << (i + 1), "{first:?}");
            }
        }
    }

    /// The first points without shift, as Joe and Kuo's own program prints them (in another order, that
    /// of Gray's code, so sorted here by the first coordinate).
    #[test]
    fn the_first_points_are_sobols() {
        let v: Vec<[u32; BITS]> = (0..3).map(directions).collect();
        let point = |n: usize| {
            let axis = |v: &[u32; BITS]| {
                let bits = v.iter().enumerate().filter(|(bit, _)| n >> bit & 1 == 1);
                f64::from(bits.fold(0, |x, (_, d)| x ^ d)) / TWO_32
            };
            v.iter().map(axis).collect::<Vec<f64>>()
        };
        let mut found: Vec<Vec<f64>> = (0..4).map(point).collect();
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let wanted = [
            [0.0, 0.0, 0.0],
            [0.25, 0.75, 0.75],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
        ];
        assert_eq!(found, wanted);
    }

    /// Each aligned block of 2^m points meets each of 2^m equal parts of each axis once, and the first
    /// two axes together meet each elementary rectangle of area 2^-m once: a (0, 2)-sequence.
    #[test]
    fn sobol_fills_evenly() {
        for seed in 0..3 {
            let all = points(Method::Sobol, 256, SOBOL_KEYS, seed);
            for m in 1..=6u32 {
                let size = 1usize << m;
                for block in all.chunks_exact(size) {
                    for k in 0..SOBOL_KEYS {
                        let mut seen = vec![0; size];
                        for p in block {
                            seen[(p[k] * size as f64) as usize] += 1;
                        }
                        assert!(seen.iter().all(|n| *n == 1), "axis {k}, 2^{m}");
                    }
                    for a in 0..=m {
                        let (wide, high) = (1usize << a, size >> a);
                        let mut seen = vec![0; size];
                        for p in block {
                            let column = (p[0] * wide as f64) as usize;
                            seen[column * high + (p[1] * high as f64) as usize] += 1;
                        }
                        assert!(seen.iter().all(|n| *n == 1), "{wide} by {high}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_latin_hypercube_meets_each_part_once() {
        let all = points(Method::LatinHypercube, 37, 5, 4);
        for k in 0..5 {
            let mut seen = [0; 37];
            for p in &all {
                seen[(p[k] * 37.0) as usize] += 1;
            }
            assert_eq!(seen, [1; 37]);
        }
    }

    #[test]
    fn more_points_leave_the_first_as_they_are() {
        for method in [Method::Sobol, Method::Random] {
            let (few, many) = (points(method, 5, 3, 9), points(method, 50, 3, 9));
            assert_eq!(few[..], many[..5]);
            assert_ne!(few, points(method, 5, 3, 10));
        }
    }
}
