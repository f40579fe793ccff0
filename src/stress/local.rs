//! Solves after a local change: a patch of nodes moves while all others are held.
//!
//! The effect of a load on one grain decays with distance. The patch grows until the force that its
//! rim transmits is at most a given fraction of the mean load at each node outside. The remainder
//! is pending: it stays in the residual, so that the next solve includes it once the accumulated
//! force exceeds that fraction.

use super::conjugate::{Equations, Space};
use super::precondition::{Made, Preconditioner};
use super::solver::StressError;
use super::sparse::Stiffness;

/// Number of rings of neighbours around the imbalance at first; each enlargement adds as many.
const RINGS: usize = 4;

/// Patches with more than one in this many rows are not used: the whole system is solved.
const LARGEST: usize = 2;

/// Fraction of the mean load above which a node counts as unbalanced.
const SEEN: f64 = 1e-9;

/// Forces that a local solve left unbalanced.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pending {
    /// Number of nodes with more than 1e-9 of the mean nodal load unbalanced.
    pub nodes: usize,
    /// Greatest unbalanced force at a node, as a fraction of the mean nodal load.
    pub greatest: f64,
    /// Norm of the imbalance over the norm of the load: the residual of a whole solve.
    pub residual: f64,
    /// Number of nodes in the local solve; 0 for a whole solve.
    pub patch: usize,
}

/// Local solves and their buffers.
#[derive(Debug, Default)]
pub(super) struct Local {
    pub pending: Pending,
    residual: Vec<f64>,
    /// Position of each row in the patch.
    index: Vec<u32>,
    rows: Vec<u32>,
    space: Space,
}

impl Local {
    /// Improves a solution where it is unbalanced; returns none if that is nearly everywhere.
    pub fn solve(
        &mut self,
        matrix: &Stiffness,
        weights: &[f64],
        preconditioner: Preconditioner,
        load: &[f64],
        x: &mut [f64],
        [tolerance, share]: [f64; 2],
    ) -> Result<Option<usize>, StressError> {
        let (rows, m) = (matrix.rows(), matrix.per_node());
        // Squares weighted by the inverse diagonal, so that forces and moments are comparable.
        let square = |v: &[f64], row: usize| -> f64 {
            let at = row * m..row * m + m;
            let pairs = v[at.clone()].iter().zip(&weights[at]);
            pairs.map(|(v, w)| v * v * w).sum()
        };
        let whole: f64 = (0..rows).map(|row| square(load, row)).sum();
        let mean = (whole / rows as f64).sqrt();
        let limit = (share * mean).powi(2);
        // Far enough below the limit that no row inside counts as unbalanced again.
        let goal = (tolerance * whole.sqrt()).min(0.1 * share * mean);
        self.residual.resize(load.len(), 0.0);
        matrix.multiply(x, &mut self.residual);
        for (r, f) in self.residual.iter_mut().zip(load) {
            *r = f - *r;
        }
        self.index.clear();
        self.index.resize(rows, u32::MAX);
        self.rows.clear();
        let mut rings = RINGS;
        let mut iterations = 0;
        // Roughly while the patch grows, then to the final accuracy.
        let mut aim = 0.1 * share * mean;
        loop {
            let above = |row: &usize| square(&self.residual, *row) > limit;
            let seeds: Vec<usize> = (0..rows).filter(above).collect();
            if seeds.is_empty() {
                if aim <= goal || self.rows.is_empty() {
                    break;
                }
                aim = goal;
            } else {
                self.grow(matrix, &seeds, rings);
                rings += RINGS;
                if self.rows.len() * LARGEST > rows {
                    return Ok(None);
                }
            }
            iterations += self.relax(matrix, weights, preconditioner, x, aim)?;
        }
        let seen = (SEEN * mean).powi(2);
        let (mut nodes, mut greatest, mut left) = (0, 0.0f64, 0.0);
        for row in 0..rows {
            let own = square(&self.residual, row);
            nodes += usize::from(own > seen);
            greatest = greatest.max(own);
            left += own;
        }
        let zero = |v: f64| if v.is_finite() { v } else { 0.0 };
        self.pending = Pending {
            nodes,
            greatest: zero(greatest.sqrt() / mean),
            residual: zero((left / whole).sqrt()),
            patch: self.rows.len(),
        };
        Ok(Some(iterations))
    }

    fn take(&mut self, row: usize) {
        if self.index[row] == u32::MAX {
            self.index[row] = self.rows.len() as u32;
            self.rows.push(row as u32);
        }
    }

    /// Adds the unbalanced rows, with rings of neighbours around them. Rows of the patch are
    /// balanced, so these are beyond its rim.
    fn grow(&mut self, matrix: &Stiffness, seeds: &[usize], rings: usize) {
        let mut from = self.rows.len();
        for &row in seeds {
            self.take(row);
        }
        for _ in 0..rings {
            let end = self.rows.len();
            for k in from..end {
                for &other in matrix.row(self.rows[k] as usize).0 {
                    self.take(other as usize);
                }
            }
            from = end;
        }
    }

    /// Balances the patch; the rows beyond its rim receive the transmitted forces.
    fn relax(
        &mut self,
        matrix: &Stiffness,
        weights: &[f64],
        preconditioner: Preconditioner,
        x: &mut [f64],
        goal: f64,
    ) -> Result<usize, StressError> {
        let m = matrix.per_node();
        // Rows in ascending order: the incomplete factor is better in the order of insertion.
        self.rows.sort_unstable();
        for (place, &row) in self.rows.iter().enumerate() {
            self.index[row as usize] = place as u32;
        }
        let part = matrix.part(&self.rows, &self.index);
        let mechanism = |row: usize| StressError::Mechanism {
            node: part.node_of(row),
        };
        let made = Made::new(preconditioner, &part).map_err(mechanism)?;
        let gather = |v: &[f64]| -> Vec<f64> {
            let rows = self.rows.iter().map(|&row| row as usize * m);
            rows.flat_map(|at| v[at..at + m].iter().copied()).collect()
        };
        let (own, load) = (gather(weights), gather(&self.residual));
        let equations = Equations {
            matrix: &part,
            made: &made,
            weights: &own,
        };
        let mut step = vec![0.0; load.len()];
        let iterations = equations.solve(&load, &mut step, [1.0, goal], None, &mut self.space)?;
        for (part, &row) in step.chunks_exact(m).zip(&self.rows) {
            for (x, s) in x[row as usize * m..].iter_mut().zip(part) {
                *x += s;
            }
        }
        // Effect of the step on the residual: on the rows of the patch and their neighbours.
        let mut product = [0.0; 6];
        for (place, &row) in self.rows.iter().enumerate() {
            let row = row as usize;
            part.multiply_row(place, &step, &mut product[..m]);
            for k in 0..m {
                self.residual[row * m + k] -= product[k];
            }
            let (columns, blocks) = matrix.row(row);
            for (&column, block) in columns.iter().zip(blocks.chunks_exact(m * m)) {
                let other = column as usize;
                if self.index[other] != u32::MAX {
                    continue;
                }
                // The block of the other row is the transpose of this one.
                for p in 0..m {
                    for q in 0..m {
                        self.residual[other * m + q] -= block[p * m + q] * step[place * m + p];
                    }
                }
            }
        }
        Ok(iterations)
    }
}
