//! Incomplete Cholesky factorization without fill-in, IC(0), by blocks of nodes.

use super::precondition::{backward, cholesky, forward, inverse_block};
use super::sparse::Stiffness;

/// Shifts of the diagonal to try, as fractions of it: without a shift the incomplete factorization may
/// meet a pivot that is not positive although the matrix is positive definite (Manteuffel 1980).
const SHIFTS: [f64; 6] = [0.0, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// The factor is recomputed if more than one row in this many is new.
const STALE: usize = 16;

/// L L^T, an approximation of K on the pattern of K.
#[derive(Debug)]
pub(super) struct Incomplete {
    m: usize,
    /// Number of factored rows; later ones use inverses of their own block.
    factored: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    blocks: Vec<f64>,
    diagonal: Vec<f64>,
    appended: Vec<f64>,
}

impl Incomplete {
    /// The factor, or a row whose diagonal block is not positive definite.
    pub fn new(matrix: &Stiffness) -> Result<Self, usize> {
        let mut failed = 0;
        for shift in SHIFTS {
            match Self::shifted(matrix, shift) {
                Ok(factor) => return Ok(factor),
                Err(row) => failed = row,
            }
        }
        Err(failed)
    }

    fn shifted(matrix: &Stiffness, shift: f64) -> Result<Self, usize> {
        match matrix.per_node() {
            2 => Self::make::<2>(matrix, shift),
            3 => Self::make::<3>(matrix, shift),
            _ => Self::make::<6>(matrix, shift),
        }
    }

    fn make<const M: usize>(matrix: &Stiffness, shift: f64) -> Result<Self, usize> {
        let rows = matrix.rows();
        let mut factor = Incomplete {
            m: M,
            factored: rows,
            starts: vec![0],
            columns: Vec::with_capacity(matrix.entries() / 2),
            blocks: Vec::with_capacity(matrix.entries() / 2 * M * M),
            diagonal: Vec::with_capacity(rows * M * M),
            appended: Vec::new(),
        };
        for i in 0..rows {
            let own = matrix.diagonal(i);
            cholesky(&mut own.to_vec(), M).map_err(|_| i)?;
            let first = factor.columns.len();
            let (columns, blocks) = matrix.row(i);
            let mut diagonal = own.to_vec();
            for p in 0..M {
                diagonal[p * M + p] *= 1.0 + shift;
            }
            for (&column, block) in columns.iter().zip(blocks.chunks_exact(M * M)) {
                let j = column as usize;
                if j >= i {
                    break;
                }
                let mut sum: Vec<f64> = block.to_vec();
                factor.subtract::<M>(first..factor.columns.len(), j, &mut sum);
                // X L_jj^T = sum: each row of X by forward substitution.
                let pivot = &factor.diagonal[j * M * M..][..M * M];
                for line in sum.chunks_exact_mut(M) {
                    forward(pivot, M, line);
                }
                for p in 0..M {
                    for q in 0..M {
                        let dot: f64 = (0..M).map(|k| sum[p * M + k] * sum[q * M + k]).sum();
                        diagonal[p * M + q] -= dot;
                    }
                }
                factor.columns.push(column);
                factor.blocks.extend_from_slice(&sum);
            }
            cholesky(&mut diagonal, M).map_err(|_| i)?;
            factor.diagonal.extend_from_slice(&diagonal);
            factor.starts.push(factor.columns.len());
        }
        Ok(factor)
    }

    /// sum -= L_ik L_jk^T over the columns k that the present row and row j have in common.
    fn subtract<const M: usize>(&self, row: std::ops::Range<usize>, j: usize, sum: &mut [f64]) {
        let (mut s, mut t) = (row.start, self.starts[j]);
        while s < row.end && t < self.starts[j + 1] {
            match self.columns[s].cmp(&self.columns[t]) {
                std::cmp::Ordering::Less => s += 1,
                std::cmp::Ordering::Greater => t += 1,
                std::cmp::Ordering::Equal => {
                    let left = &self.blocks[s * M * M..][..M * M];
                    let right = &self.blocks[t * M * M..][..M * M];
                    for p in 0..M {
                        for q in 0..M {
                            for k in 0..M {
                                sum[p * M + q] -= left[p * M + k] * right[q * M + k];
                            }
                        }
                    }
                    s += 1;
                    t += 1;
                }
            }
        }
    }

    /// Adds new rows by the inverses of their diagonal blocks; returns false if there are too many.
    pub fn append(&mut self, matrix: &Stiffness) -> Result<bool, usize> {
        if (matrix.rows() - self.factored) * STALE > self.factored {
            return Ok(false);
        }
        self.appended.clear();
        for row in self.factored..matrix.rows() {
            self.appended.extend(inverse_block(matrix, row)?);
        }
        Ok(true)
    }

    /// z = (L L^T)^-1 r.
    pub fn apply(&self, r: &[f64], z: &mut [f64]) {
        match self.m {
            2 => self.substitute::<2>(r, z),
            3 => self.substitute::<3>(r, z),
            _ => self.substitute::<6>(r, z),
        }
    }

    fn substitute<const M: usize>(&self, r: &[f64], z: &mut [f64]) {
        for i in 0..self.factored {
            let mut sum = [0.0; M];
            sum.copy_from_slice(&r[i * M..i * M + M]);
            for entry in self.starts[i]..self.starts[i + 1] {
                let x = &z[self.columns[entry] as usize * M..][..M];
                let block = &self.blocks[entry * M * M..][..M * M];
                for p in 0..M {
                    for q in 0..M {
                        sum[p] -= block[p * M + q] * x[q];
                    }
                }
            }
            forward(&self.diagonal[i * M * M..][..M * M], M, &mut sum);
            z[i * M..i * M + M].copy_from_slice(&sum);
        }
        for i in (0..self.factored).rev() {
            let mut x = [0.0; M];
            x.copy_from_slice(&z[i * M..i * M + M]);
            backward(&self.diagonal[i * M * M..][..M * M], M, &mut x);
            z[i * M..i * M + M].copy_from_slice(&x);
            for entry in self.starts[i]..self.starts[i + 1] {
                let to = &mut z[self.columns[entry] as usize * M..][..M];
                let block = &self.blocks[entry * M * M..][..M * M];
                for q in 0..M {
                    for p in 0..M {
                        to[q] -= block[p * M + q] * x[p];
                    }
                }
            }
        }
        for (k, block) in self.appended.chunks_exact(M * M).enumerate() {
            let at = (self.factored + k) * M;
            for p in 0..M {
                let line = block[p * M..p * M + M].iter();
                z[at + p] = line.zip(&r[at..]).map(|(a, b)| a * b).sum();
            }
        }
    }
}
