//! Preconditioners of the conjugate gradients: approximate inverses of the stiffness.

use super::incomplete::Incomplete;
use super::sparse::Stiffness;

/// Type of approximate inverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioner {
    /// No preconditioner.
    None,
    /// Inverse of the diagonal (the choice of thesis 5.7.7.2).
    Jacobi,
    /// Inverse of the diagonal blocks of the nodes.
    BlockJacobi,
    /// Incomplete Cholesky factor without fill-in, by blocks of nodes.
    #[default]
    IncompleteCholesky,
    /// Inverses of the stiffness of small groups of neighbours, as thesis 5.7.7.4 suggests.
    SmallInverse,
}

impl Preconditioner {
    /// All types.
    pub const ALL: [Preconditioner; 5] = [
        Preconditioner::None,
        Preconditioner::Jacobi,
        Preconditioner::BlockJacobi,
        Preconditioner::IncompleteCholesky,
        Preconditioner::SmallInverse,
    ];

    /// Name in scenarios and summaries.
    pub const fn name(self) -> &'static str {
        match self {
            Preconditioner::None => "none",
            Preconditioner::Jacobi => "jacobi",
            Preconditioner::BlockJacobi => "block-jacobi",
            Preconditioner::IncompleteCholesky => "incomplete-cholesky",
            Preconditioner::SmallInverse => "small-inverse",
        }
    }
}

/// Number of nodes in a group of [`Preconditioner::SmallInverse`].
const GROUP: usize = 16;

/// A preconditioner made for a matrix. It may be out of date: any positive definite one leads to
/// the same solution.
#[derive(Debug)]
pub(super) enum Made {
    None,
    Diagonal(Vec<f64>),
    Blocks(Vec<f64>),
    Incomplete(Incomplete),
    Groups(Groups),
}

impl Made {
    /// A preconditioner, or the row whose diagonal block is not positive definite: too few links
    /// hold that node, whatever its neighbours do.
    pub fn new(kind: Preconditioner, matrix: &Stiffness) -> Result<Self, usize> {
        Ok(match kind {
            Preconditioner::None => Made::None,
            Preconditioner::Jacobi => {
                let mut inverse = Vec::with_capacity(matrix.rows() * matrix.per_node());
                for row in 0..matrix.rows() {
                    inverse.extend(diagonal(matrix, row)?.map(|v| 1.0 / v));
                }
                Made::Diagonal(inverse)
            }
            Preconditioner::BlockJacobi => {
                let mut blocks = Vec::new();
                for row in 0..matrix.rows() {
                    blocks.extend(inverse_block(matrix, row)?);
                }
                Made::Blocks(blocks)
            }
            Preconditioner::IncompleteCholesky => Made::Incomplete(Incomplete::new(matrix)?),
            Preconditioner::SmallInverse => Made::Groups(Groups::new(matrix)?),
        })
    }

    /// Updates the preconditioner for changed rows, in ascending order; returns whether it could.
    pub fn renew(&mut self, matrix: &Stiffness, changed: &[usize]) -> Result<bool, usize> {
        let m = matrix.per_node();
        match self {
            Made::None => Ok(true),
            Made::Diagonal(inverse) => {
                inverse.resize(matrix.rows() * m, 0.0);
                for &row in changed {
                    for (to, v) in inverse[row * m..].iter_mut().zip(diagonal(matrix, row)?) {
                        *to = 1.0 / v;
                    }
                }
                Ok(true)
            }
            Made::Blocks(blocks) => {
                blocks.resize(matrix.rows() * m * m, 0.0);
                for &row in changed {
                    let inverse = inverse_block(matrix, row)?;
                    blocks[row * m * m..][..m * m].copy_from_slice(&inverse);
                }
                Ok(true)
            }
            // A factor that is out of date is sufficient while few rows differ.
            Made::Incomplete(factor) => factor.append(matrix),
            Made::Groups(groups) => groups.renew(matrix, changed).map(|()| true),
        }
    }

    /// z = M^-1 r.
    pub fn apply(&self, m: usize, r: &[f64], z: &mut [f64]) {
        match self {
            Made::None => z.copy_from_slice(r),
            Made::Diagonal(inverse) => {
                for i in 0..r.len() {
                    z[i] = inverse[i] * r[i];
                }
            }
            Made::Blocks(blocks) => {
                for (row, block) in blocks.chunks_exact(m * m).enumerate() {
                    for p in 0..m {
                        let line = block[p * m..p * m + m].iter();
                        z[row * m + p] = line.zip(&r[row * m..]).map(|(a, b)| a * b).sum();
                    }
                }
            }
            Made::Incomplete(factor) => factor.apply(r, z),
            Made::Groups(groups) => groups.apply(m, r, z),
        }
    }
}

/// The diagonal of a row; the row if an entry is not positive.
fn diagonal(matrix: &Stiffness, row: usize) -> Result<impl Iterator<Item = f64> + '_, usize> {
    let m = matrix.per_node();
    let entries = (0..m).map(move |p| matrix.diagonal(row)[p * m + p]);
    if entries.clone().all(|v| v > 0.0) {
        Ok(entries)
    } else {
        Err(row)
    }
}

/// Inverse of the diagonal block of a row, or the row if the block is not positive definite.
pub(super) fn inverse_block(matrix: &Stiffness, row: usize) -> Result<Vec<f64>, usize> {
    let m = matrix.per_node();
    let mut factor = matrix.diagonal(row).to_vec();
    cholesky(&mut factor, m).map_err(|_| row)?;
    Ok(inverse(&factor, m))
}

/// Computes the inverse from a Cholesky factor.
pub(super) fn inverse(factor: &[f64], n: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; n * n];
    for (q, column) in inverse.chunks_exact_mut(n).enumerate() {
        column[q] = 1.0;
        forward(factor, n, column);
        backward(factor, n, column);
    }
    inverse
}

/// Computes the lower Cholesky factor of a small block in place, or returns the first row whose
/// pivot is not clearly positive: some motion without strain moves it.
pub(super) fn cholesky(block: &mut [f64], m: usize) -> Result<(), usize> {
    for j in 0..m {
        let own = block[j * m + j];
        let row = &block[j * m..j * m + j];
        let pivot = own - row.iter().map(|v| v * v).sum::<f64>();
        // A comparison with NaN is false.
        let positive = pivot > super::cholesky::SINGULAR * own;
        if !positive {
            return Err(j);
        }
        let root = pivot.sqrt();
        block[j * m + j] = root;
        for i in j + 1..m {
            let dot: f64 = (0..j).map(|k| block[i * m + k] * block[j * m + k]).sum();
            block[i * m + j] = (block[i * m + j] - dot) / root;
        }
    }
    Ok(())
}

/// Solves L y = x in place.
#[inline(always)]
pub(super) fn forward(factor: &[f64], m: usize, x: &mut [f64]) {
    for p in 0..m {
        let mut sum = x[p];
        for q in 0..p {
            sum -= factor[p * m + q] * x[q];
        }
        x[p] = sum / factor[p * m + p];
    }
}

/// Solves L^T y = x in place.
#[inline(always)]
pub(super) fn backward(factor: &[f64], m: usize, x: &mut [f64]) {
    for p in (0..m).rev() {
        let mut sum = x[p];
        for q in p + 1..m {
            sum -= factor[q * m + p] * x[q];
        }
        x[p] = sum / factor[p * m + p];
    }
}

/// Groups of neighbours with the inverse of the stiffness of each, all others held.
#[derive(Debug)]
pub(super) struct Groups {
    group_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    inverses: Vec<Vec<f64>>,
}

impl Groups {
    fn new(matrix: &Stiffness) -> Result<Self, usize> {
        let mut groups = Groups {
            group_of: vec![u32::MAX; matrix.rows()],
            members: Vec::new(),
            inverses: Vec::new(),
        };
        for row in 0..matrix.rows() {
            if groups.group_of[row] != u32::MAX {
                continue;
            }
            // Grows from its first node in order of distance: compact, with a short rim.
            let group = groups.members.len() as u32;
            let mut members = vec![row as u32];
            groups.group_of[row] = group;
            let mut next = 0;
            while next < members.len() && members.len() < GROUP {
                for &other in matrix.row(members[next] as usize).0 {
                    if groups.group_of[other as usize] == u32::MAX && members.len() < GROUP {
                        groups.group_of[other as usize] = group;
                        members.push(other);
                    }
                }
                next += 1;
            }
            groups.members.push(members);
        }
        for group in 0..groups.members.len() {
            groups.inverses.push(groups.inverse(matrix, group)?);
        }
        Ok(groups)
    }

    fn inverse(&self, matrix: &Stiffness, group: usize) -> Result<Vec<f64>, usize> {
        let m = matrix.per_node();
        let members = &self.members[group];
        let n = members.len() * m;
        let mut k = vec![0.0; n * n];
        for (i, &row) in members.iter().enumerate() {
            let mut put = |j: usize, block: &[f64]| {
                for p in 0..m {
                    for q in 0..m {
                        k[(i * m + p) * n + j * m + q] = block[p * m + q];
                    }
                }
            };
            put(i, matrix.diagonal(row as usize));
            let (columns, blocks) = matrix.row(row as usize);
            for (column, block) in columns.iter().zip(blocks.chunks_exact(m * m)) {
                if let Some(j) = members.iter().position(|other| other == column) {
                    put(j, block);
                }
            }
        }
        cholesky(&mut k, n).map_err(|at| members[at / m] as usize)?;
        Ok(inverse(&k, n))
    }

    fn renew(&mut self, matrix: &Stiffness, changed: &[usize]) -> Result<(), usize> {
        let mut touched: Vec<usize> = Vec::new();
        for row in self.group_of.len()..matrix.rows() {
            // A new node is a group of its own until the preconditioner is made anew.
            self.group_of.push(self.members.len() as u32);
            self.members.push(vec![row as u32]);
            self.inverses.push(Vec::new());
        }
        touched.extend(changed.iter().map(|&row| self.group_of[row] as usize));
        touched.sort_unstable();
        touched.dedup();
        for group in touched {
            self.inverses[group] = self.inverse(matrix, group)?;
        }
        Ok(())
    }

    fn apply(&self, m: usize, r: &[f64], z: &mut [f64]) {
        let mut local = [0.0; GROUP * 6];
        for (members, inverse) in self.members.iter().zip(&self.inverses) {
            let n = members.len() * m;
            for (i, &row) in members.iter().enumerate() {
                local[i * m..i * m + m].copy_from_slice(&r[row as usize * m..][..m]);
            }
            let mut out = [0.0; GROUP * 6];
            for (column, value) in inverse.chunks_exact(n).zip(&local[..n]) {
                for (to, a) in out[..n].iter_mut().zip(column) {
                    *to += a * value;
                }
            }
            for (i, &row) in members.iter().enumerate() {
                z[row as usize * m..][..m].copy_from_slice(&out[i * m..i * m + m]);
            }
        }
    }
}
