//! The conjugate gradient iteration: matrix, preconditioner, vectors.

use super::precondition::Made;
use super::solver::StressError;
use super::sparse::Stiffness;

/// Ratio p.Ap / p.Dp, with D the diagonal, below which a direction counts as free of strain:
/// rounding leaves 1e-16.
const SLACK: f64 = 1e-14;

/// Vectors of the iteration.
#[derive(Debug, Default)]
pub(super) struct Space {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

/// The equations to solve.
pub(super) struct Equations<'a> {
    pub matrix: &'a Stiffness,
    pub made: &'a Made,
    /// Inverse of the diagonal.
    pub weights: &'a [f64],
}

impl Equations<'_> {
    /// Improves x until the norm of the residual is at most tolerance times unit; returns the
    /// number of iterations. Rows in errors are those of the matrix.
    pub fn solve(
        &self,
        load: &[f64],
        x: &mut [f64],
        [tolerance, unit]: [f64; 2],
        most: Option<usize>,
        space: &mut Space,
    ) -> Result<usize, StressError> {
        let (matrix, weights) = (self.matrix, self.weights);
        let (n, m) = (load.len(), matrix.per_node());
        let Space { r, z, p, q } = space;
        for v in [&mut *r, &mut *z, &mut *p, &mut *q] {
            v.clear();
            v.resize(n, 0.0);
        }
        let goal = tolerance * unit;
        let most = most.unwrap_or(10 * n + 1000);
        let mut iterations = 0;
        loop {
            // The true residual, not that of the recursion: at the start, and again at the end.
            matrix.multiply(x, q);
            for i in 0..n {
                r[i] = load[i] - q[i];
            }
            let mut left = norm(r, weights);
            if left <= goal {
                return Ok(iterations);
            }
            let mut old = 0.0;
            while left > goal {
                if iterations == most || !left.is_finite() {
                    return Err(StressError::NotConverged {
                        iterations,
                        residual: left / unit,
                        tolerance,
                    });
                }
                iterations += 1;
                self.made.apply(m, r, z);
                let rz = dot(r, z);
                let beta = if old == 0.0 { 0.0 } else { rz / old };
                old = rz;
                let mut scale = 0.0;
                for i in 0..n {
                    p[i] = z[i] + beta * p[i];
                    scale += p[i] * p[i] / weights[i];
                }
                matrix.multiply(p, q);
                let curvature = dot(p, q);
                // A comparison with NaN is false.
                let strained = curvature > SLACK * scale;
                if !strained && scale.is_finite() {
                    let size = |i: usize| p[i] * p[i] / weights[i];
                    let greatest = (0..n).max_by(|&i, &j| size(i).total_cmp(&size(j)));
                    return Err(StressError::Mechanism {
                        node: matrix.node_of(greatest.unwrap_or(0) / m),
                    });
                }
                let step = rz / curvature;
                let mut sum = 0.0;
                for i in 0..n {
                    x[i] += step * p[i];
                    r[i] -= step * q[i];
                    sum += r[i] * r[i] * weights[i];
                }
                left = sum.sqrt();
            }
        }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four partial sums, so that additions do not wait for each other.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Norm of forces and moments, each weighted by its inverse diagonal entry.
pub(super) fn norm(r: &[f64], weights: &[f64]) -> f64 {
    let squares = r.iter().zip(weights).map(|(r, w)| r * r * w);
    squares.sum::<f64>().sqrt()
}
