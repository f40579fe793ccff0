//! The kernel of the coarse-graining.

use crate::study::StudyError;
use crate::study::error::positive;

/// Line pieces shorter than this, relative to the range, are integrated by Simpson's rule: the difference of two
/// antiderivatives would lose digits there, and the error of the rule is of the fourth power of the length.
const SHORT: f64 = 1e-3;

/// Lucy's kernel (1977), normalised in the plane or in space: c (1 + 3 s) (1 - s)^3 of the distance s over its range,
/// 0 beyond; twice continuously differentiable. The *width* is half the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lucy {
    reach: f64,
    /// Value at the centre, 1/m^2 or 1/m^3.
    peak: f64,
    dimensions: usize,
}

impl Lucy {
    /// Returns a kernel of a width, m, in 2 or 3 dimensions.
    ///
    /// # Errors
    /// A width that is not above 0 or whose powers overflow or underflow, or another dimension.
    pub fn new(width: f64, dimensions: usize) -> Result<Lucy, StudyError> {
        let reach = 2.0 * positive("width of the kernel", width)?;
        let pi = std::f64::consts::PI;
        let peak = match dimensions {
            2 => 5.0 / (pi * reach * reach),
            3 => 105.0 / (16.0 * pi * reach * reach * reach),
            _ => {
                return Err(StudyError::Range {
                    what: "number of dimensions",
                    value: dimensions as f64,
                    must: "2 or 3",
                });
            }
        };
        positive("peak of the kernel", peak)?;
        Ok(Lucy {
            reach,
            peak,
            dimensions,
        })
    }

    /// Returns half the range, m.
    pub fn width(&self) -> f64 {
        0.5 * self.reach
    }

    /// Returns the range, m; beyond it the kernel is 0.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Returns the number of dimensions, 2 or 3.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the value at a distance, given as its square, m^2.
    pub fn at(&self, squared: f64) -> f64 {
        let s = squared.sqrt() / self.reach;
        if s < 1.0 {
            let rest = 1.0 - s;
            self.peak * (1.0 + 3.0 * s) * rest * rest * rest
        } else {
            0.0
        }
    }

    /// Returns the exact mean over a line piece, with ends relative to the centre of the kernel, m. On a line that
    /// passes at the distance h, s^2 = h^2 + t^2, and 1 - 6 s^2 + 8 s^3 - 3 s^4 has an antiderivative of polynomials,
    /// a root and an inverse hyperbolic sine.
    pub fn along(&self, from: [f64; 3], to: [f64; 3]) -> f64 {
        let scaled = |v: [f64; 3]| v.map(|x| x / self.reach);
        let (from, to) = (scaled(from), scaled(to));
        let way: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
        let length = dot(way, way).sqrt();
        if length < SHORT {
            let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (from[k] + to[k]));
            let value = |v: [f64; 3]| self.at(self.reach * self.reach * dot(v, v));
            return (value(from) + 4.0 * value(middle) + value(to)) / 6.0;
        }
        let start = dot(from, way) / length;
        let foot: [f64; 3] = std::array::from_fn(|k| from[k] - start * way[k] / length);
        let off = dot(foot, foot);
        if off >= 1.0 {
            return 0.0;
        }
        let half = (1.0 - off).sqrt();
        let [a, b] = [start, start + length].map(|t| t.clamp(-half, half));
        if a >= b {
            return 0.0;
        }
        self.peak * (antiderivative(off, b) - antiderivative(off, a)) / length
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Antiderivative of 1 - 6 s^2 + 8 s^3 - 3 s^4 with s^2 = off + t^2, over t.
fn antiderivative(off: f64, t: f64) -> f64 {
    let square = t * t;
    let root = (off + square).sqrt();
    let bend = match off > 0.0 {
        true => 0.375 * off * off * libm::asinh(t / off.sqrt()),
        false => 0.0,
    };
    let third = 0.125 * t * (2.0 * square + 5.0 * off) * root + bend;
    let second = t * (off + square / 3.0);
    let fourth = t * (off * off + square * (2.0 / 3.0 * off + 0.2 * square));
    t - 6.0 * second + 8.0 * third - 3.0 * fourth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_normalised() {
        // Simpson's rule over the radius; the integrand is a polynomial there, of sixth order.
        for dimensions in [2, 3] {
            let kernel = Lucy::new(0.3, dimensions).unwrap();
            let n = 2000;
            let step = kernel.reach() / f64::from(n);
            let shell = |r: f64| match dimensions {
                2 => std::f64::consts::TAU * r,
                _ => 2.0 * std::f64::consts::TAU * r * r,
            };
            let mut sum = 0.0;
            for k in 0..=n {
                let r = step * f64::from(k);
                let weight = match k {
                    0 => 1.0,
                    k if k == n => 1.0,
                    k if k % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                sum += weight * shell(r) * kernel.at(r * r);
            }
            assert!((sum * step / 3.0 - 1.0).abs() < 1e-11, "{sum}");
        }
    }

    #[test]
    fn means_along_lines_are_those_of_fine_sums() {
        let kernel = Lucy::new(0.5, 3).unwrap();
        let lines = [
            ([-2.0, 0.1, 0.2], [2.0, 0.3, -0.1]),
            ([0.1, 0.2, 0.3], [0.4, -0.2, 0.1]),
            // Through the centre, and along one of its rays.
            ([-0.5, 0.0, 0.0], [0.25, 0.0, 0.0]),
            ([0.3, 0.0, 0.0], [3.0, 0.0, 0.0]),
            ([0.2, 0.1, 0.0], [0.2001, 0.1, 0.0]),
            ([1.1, 0.0, 0.0], [0.0, 1.1, 0.0]),
        ];
        for (from, to) in lines {
            let n = 200_000;
            let mut sum = 0.0;
            for k in 0..n {
                let t = (f64::from(k) + 0.5) / f64::from(n);
                let x: [f64; 3] = std::array::from_fn(|i| from[i] + t * (to[i] - from[i]));
                sum += kernel.at(dot(x, x));
            }
            let (mean, exact) = (sum / f64::from(n), kernel.along(from, to));
            // The midpoint rule errs by (length / n)^2 / 24 times the second derivative, under 1e2.
            assert!((mean - exact).abs() < 1e-8, "{mean} {exact}");
            let back = kernel.along(to, from);
            assert!((back - exact).abs() < 1e-13, "{back} {exact}");
        }
    }

    #[test]
    fn wrong_widths_are_refused() {
        for width in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200, 1e200] {
            assert!(Lucy::new(width, 3).is_err(), "{width}");
        }
        assert!(Lucy::new(1.0, 4).is_err());
    }
}
