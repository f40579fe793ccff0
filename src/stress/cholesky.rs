//! A sparse Cholesky factor of a stiffness matrix, recomputed or updated within its pattern.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, amd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::sparse::Stiffness;

/// A pivot below this fraction of its diagonal entry means that a row is not held. Rounding leaves
/// about 1e-16 times the number of rows of a front; a chain of n grains has 1 / n^3.
pub(crate) const SINGULAR: f64 = 1e-12;

/// Reason why a factorization failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The pivot of this row of free nodes is not positive.
    Pivot(usize),
    /// The library failed for lack of memory or indices.
    Library,
}

/// Ordering, pattern and values of a factor. The ordering is by whole nodes: the degrees of freedom
/// of a node have the same neighbours, so that ordering blocks takes m^2 times less work.
pub struct Cholesky {
    per_node: usize,
    pattern: u64,
    /// Position in the factor of each row of free nodes, and the inverse mapping.
    place: Vec<usize>,
    row_at: Vec<usize>,
    /// Entries of the stiffness below the diagonal, column by column of the factor.
    below: Vec<usize>,
    below_starts: Vec<usize>,
    /// Rows of the entries on and below the diagonal.
    lower: Columns,
    matrix: Vec<f64>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
    /// Number of entries that an update starting at each column visits.
    path: Vec<usize>,
    supernode_of: Vec<u32>,
    /// Number of multiplications of a factorization.
    work: f64,
    spread: Vec<f64>,
}

impl Cholesky {
    /// Computes order and pattern for a matrix; [`Cholesky::factor`] computes the values.
    ///
    /// # Errors
    /// [`Failed::Library`] if memory runs out.
    pub fn analyse(stiffness: &Stiffness) -> Result<Self, Failed> {
        let place = order(stiffness)?;
        let n = place.len();
        let m = stiffness.per_node();
        let mut row_at = vec![0; n];
        for (row, &at) in place.iter().enumerate() {
            row_at[at] = row;
        }
        let (mut below, mut below_starts) = (Vec::new(), vec![0]);
        let mut lower = Columns::default();
        let mut upper = Columns::default();
        let mut neighbors: Vec<(usize, usize)> = Vec::new();
        for column in 0..n {
            let row = row_at[column];
            let first = stiffness.first(row);
            let entries = stiffness.row(row).0.iter().enumerate();
            neighbors.clear();
            neighbors.extend(entries.map(|(k, &other)| (place[other as usize], first + k)));
            neighbors.sort_unstable();
            let middle = neighbors.partition_point(|&(at, _)| at < column);
            below.extend(neighbors[middle..].iter().map(|&(_, entry)| entry));
            below_starts.push(below.len());
            let own = column * m..column * m + m;
            let of = |blocks: &[(usize, usize)]| -> Vec<usize> {
                let rows = blocks.iter().flat_map(|&(at, _)| at * m..at * m + m);
                rows.collect()
            };
            let (before, after) = (of(&neighbors[..middle]), of(&neighbors[middle..]));
            for q in own.clone() {
                let above = before.iter().copied().chain(own.start..q + 1);
                upper.push(above);
                lower.push((q..own.end).chain(after.iter().copied()));
            }
        }
        let parameters = CholeskySymbolicParams {
            // The library's default chooses the slower type at some thousand grains.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..CholeskySymbolicParams::default()
        };
        let symbolic = factorize_symbolic_cholesky(
            upper.view(n * m),
            Side::Upper,
            SymmetricOrdering::Identity,
            parameters,
        )
        .map_err(|_| Failed::Library)?;
        let scratch = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(scratch).map_err(|_| Failed::Library)?;
        let mut cholesky = Cholesky {
            per_node: m,
            pattern: stiffness.pattern(),
            place,
            row_at,
            below,
            below_starts,
            matrix: vec![0.0; lower.indices.len()],
            lower,
            values: vec![0.0; symbolic.len_val()],
            symbolic,
            memory,
            path: Vec::new(),
            supernode_of: Vec::new(),
            work: 0.0,
            spread: vec![0.0; n * m],
        };
        cholesky.measure();
        Ok(cholesky)
    }

    /// Whether the matrix has the analysed pattern.
    pub fn fits(&self, stiffness: &Stiffness) -> bool {
        self.pattern == stiffness.pattern()
    }

    /// Number of multiplications of a factorization.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Number of multiplications for adding one bar at some rows.
    pub fn update_work(&self, rows: [Option<usize>; 2]) -> f64 {
        let places = rows.iter().flatten().map(|&row| self.place[row]);
        let first = places.min().map(|at| self.path[at * self.per_node]);
        2.0 * first.unwrap_or(0) as f64
    }

    fn supernodes(
        &self,
    ) -> &faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky<usize> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(supernodes) => supernodes,
            // Forced above.
            SymbolicCholeskyRaw::Simplicial(_) => unreachable!("a supernodal factor was asked for"),
        }
    }

    /// Computes the lengths of the paths of updates, and the work of a factorization.
    fn measure(&mut self) {
        let n = self.spread.len();
        let (mut path, mut supernode_of, mut work) = (vec![0; n], vec![0; n], 0.0);
        let supernodes = self.supernodes();
        for s in (0..supernodes.n_supernodes()).rev() {
            let (begin, end) = (
                supernodes.supernode_begin()[s],
                supernodes.supernode_end()[s],
            );
            let pattern = supernodes.supernode(s).pattern();
            for column in (begin..end).rev() {
                let height = end - column + pattern.len();
                let next = if column + 1 < end {
                    Some(column + 1)
                } else {
                    pattern.first().copied()
                };
                path[column] = height + next.map_or(0, |next| path[next]);
                supernode_of[column] = s as u32;
                work += 0.5 * (height * height) as f64;
            }
        }
        (self.path, self.supernode_of, self.work) = (path, supernode_of, work);
    }

    /// Factors a matrix of the analysed pattern.
    ///
    /// # Errors
    /// [`Failed::Pivot`] if the matrix is not positive definite.
    pub fn factor(&mut self, stiffness: &Stiffness) -> Result<(), Failed> {
        let m = self.per_node;
        let mut out = self.matrix.iter_mut();
        for column in 0..self.place.len() {
            let diagonal = stiffness.diagonal(self.row_at[column]);
            let below = &self.below[self.below_starts[column]..self.below_starts[column + 1]];
            for q in 0..m {
                let blocks = below.iter().flat_map(|&entry| {
                    // The blocks of a row are those of the column, transposed.
                    stiffness.block(entry)[q * m..q * m + m].iter()
                });
                let inside = diagonal[q * m + q..q * m + m].iter();
                for (value, to) in inside.chain(blocks).zip(&mut out) {
                    *to = *value;
                }
            }
        }
        let n = self.spread.len();
        let pattern = self.lower.view(n);
        let made = self.symbolic.factorize_numeric_llt(
            &mut self.values,
            SparseColMatRef::new(pattern, &self.matrix),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        match made {
            Ok(_) => {}
            Err(LltError::NonPositivePivot { index }) => {
                return Err(Failed::Pivot(self.row_at[(index / m).min(n / m - 1)]));
            }
        }
        for column in 0..n {
            let pivot = self.values[self.at(column).0];
            let diagonal = self.matrix[self.lower.pointers[column]];
            // A comparison with NaN is false.
            let positive = pivot * pivot > SINGULAR * diagonal;
            if !positive {
                return Err(Failed::Pivot(self.row_at[column / m]));
            }
        }
        Ok(())
    }

    /// Position of the diagonal of a column in the values, and its supernode with its end.
    fn at(&self, column: usize) -> (usize, usize, usize) {
        let supernodes = self.supernodes();
        let s = self.supernode_of[column] as usize;
        let (begin, end) = (
            supernodes.supernode_begin()[s],
            supernodes.supernode_end()[s],
        );
        let height = end - begin + supernodes.nnz_per_super()[s];
        let inside = column - begin;
        let at = supernodes.col_ptr_for_val()[s] + inside * height + inside;
        (at, s, end)
    }

    /// Adds the bar w w^T to the factored matrix, or subtracts it: a rank-1 update along the
    /// elimination tree (Davis and Hager 1999). `ends` are rows of free nodes, with the components
    /// of w at these.
    ///
    /// # Errors
    /// [`Failed::Pivot`] if the result would not be positive definite; the factor is then invalid.
    pub fn update(&mut self, ends: &[(usize, &[f64])], add: bool) -> Result<(), Failed> {
        let (m, sign) = (self.per_node, if add { 1.0 } else { -1.0 });
        let mut column = usize::MAX;
        for (row, part) in ends {
            let at = self.place[*row] * m;
            self.spread[at..at + m].copy_from_slice(part);
            column = column.min(at);
        }
        let mut failed = None;
        let mut spread = std::mem::take(&mut self.spread);
        let mut values = std::mem::take(&mut self.values);
        while column < spread.len() {
            let (at, s, end) = self.at(column);
            let pattern = self.supernodes().supernode(s).pattern();
            let (pivot, w) = (values[at], std::mem::take(&mut spread[column]));
            let square = pivot * pivot + sign * w * w;
            let diagonal = self.matrix[self.lower.pointers[column]];
            let positive = square > SINGULAR * diagonal;
            if failed.is_none() && !positive {
                failed = Some(Failed::Pivot(self.row_at[column / m]));
            }
            // After a failure the loop only clears the work array.
            if w != 0.0 && failed.is_none() {
                let root = square.sqrt();
                let (c, s) = (root / pivot, w / pivot);
                values[at] = root;
                let inside = end - column - 1;
                let (dense, sparse) =
                    values[at + 1..at + 1 + inside + pattern.len()].split_at_mut(inside);
                let near = dense.iter_mut().zip(&mut spread[column + 1..end]);
                for (value, w) in near {
                    *value = (*value + sign * s * *w) / c;
                    *w = c * *w - s * *value;
                }
                for (value, &row) in sparse.iter_mut().zip(pattern) {
                    let w = &mut spread[row];
                    *value = (*value + sign * s * *w) / c;
                    *w = c * *w - s * *value;
                }
            }
            column = if column + 1 < end {
                column + 1
            } else {
                pattern.first().copied().unwrap_or(usize::MAX)
            };
        }
        (self.spread, self.values) = (spread, values);
        failed.map_or(Ok(()), Err)
    }

    /// Solves in place: replaces loads by displacements.
    pub fn solve(&mut self, x: &mut [f64]) {
        let m = self.per_node;
        let mut y = std::mem::take(&mut self.spread);
        for (row, part) in x.chunks_exact(m).enumerate() {
            y[self.place[row] * m..][..m].copy_from_slice(part);
        }
        let n = y.len();
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut y, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (row, part) in x.chunks_exact_mut(m).enumerate() {
            part.copy_from_slice(&y[self.place[row] * m..][..m]);
        }
        y.fill(0.0);
        self.spread = y;
    }
}

/// Columns of a sparse pattern, stored consecutively.
struct Columns {
    pointers: Vec<usize>,
    indices: Vec<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            pointers: vec![0],
            indices: Vec::new(),
        }
    }
}

impl Columns {
    fn push(&mut self, rows: impl Iterator<Item = usize>) {
        self.indices.extend(rows);
        self.pointers.push(self.indices.len());
    }

    fn view(&self, n: usize) -> SymbolicSparseColMatRef<'_, usize> {
        SymbolicSparseColMatRef::new_checked(n, n, &self.pointers, None, &self.indices)
    }
}

/// Position of each row of free nodes in a fill-reducing order (approximate minimum degree).
fn order(stiffness: &Stiffness) -> Result<Vec<usize>, Failed> {
    let n = stiffness.rows();
    let mut upper = Columns::default();
    for row in 0..n {
        let others = stiffness.row(row).0.iter().map(|&c| c as usize);
        upper.push(others.take_while(|&c| c < row).chain([row]));
    }
    let (mut forward, mut place) = (vec![0; n], vec![0; n]);
    let scratch = amd::order_maybe_unsorted_scratch::<usize>(n, upper.indices.len());
    let mut memory = MemBuffer::try_new(scratch).map_err(|_| Failed::Library)?;
    amd::order_maybe_unsorted(
        &mut forward,
        &mut place,
        upper.view(n),
        amd::Control::default(),
        MemStack::new(&mut memory),
    )
    .map_err(|_| Failed::Library)?;
    Ok(place)
}
