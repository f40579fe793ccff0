//! The inverse stiffness matrix under bordering and rank-1 updates (thesis eq. 4.19-4.28).
//!
//! A bar of stiffness k and strain g.q adds k g g^T to the stiffness, so that Z' = Z - Z g g^T Z /
//! (1/k + g.Z g), the thesis's cases 2 and 3; removing a bar adds one of stiffness -k. Updates are
//! stored as a list of vectors, which products take into account, and are applied to the matrix
//! many at a time: the cost of a sweep over the matrix is its memory traffic, hardly more for
//! sixteen vectors than for one.

use super::packed::{Blocks, Packed, entry, entry_mut};
use super::storage::Storage;
use crate::vector::{LANES, Row};

/// Number of updates stored before they are applied to the matrix.
pub(super) const RANK: usize = 16;

/// Greatest number of degrees of freedom of a node.
pub(super) const MOST: usize = 6;

/// A compatibility row: values at the degrees of freedom of two nodes at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// First degree of freedom of each node; none for a fixed node.
    pub at: [Option<usize>; 2],
    /// The values at each node.
    pub values: [[f64; MOST]; 2],
    /// Number of values per node.
    pub width: usize,
}

impl Pair {
    /// Positions and values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..2).flat_map(move |end| {
            let at = self.at[end];
            (0..self.width).filter_map(move |k| at.map(|at| (at + k, self.values[end][k])))
        })
    }

    /// Scalar product with a vector.
    pub fn dot(&self, vector: &[Row]) -> f64 {
        self.iter().map(|(i, v)| v * entry(vector, i)).sum()
    }
}

/// Z = matrix - sum over k of signs\[k\] waiting\[k\] waiting\[k\]^T + sum of soft soft^T.
#[derive(Clone, Debug)]
pub(super) struct Inverse<S> {
    matrix: S,
    waiting: Vec<Blocks>,
    signs: Vec<f64>,
    /// Flexibility so great that it must not be added to the matrix, which would keep its rounding
    /// errors after it is removed. These are never applied to the matrix.
    soft: Vec<Blocks>,
    /// Buffer; zero between uses.
    sparse: Blocks,
}

impl<S: Storage> Inverse<S> {
    /// An inverse without rows, in an empty matrix.
    pub fn new(matrix: S) -> Self {
        Inverse {
            matrix,
            waiting: Vec::new(),
            signs: Vec::new(),
            soft: Vec::new(),
            sparse: Vec::new(),
        }
    }

    /// The storage of its rows.
    pub fn matrix(&self) -> &S {
        &self.matrix
    }

    /// Announces the rows whose columns will be requested next.
    pub fn announce(&mut self, rows: &[usize]) {
        self.matrix.announce(rows);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.matrix.rows()
    }

    /// Number of values stored in the matrix.
    pub fn held(&self) -> usize {
        self.matrix.held()
    }

    /// A vector of zeros.
    pub fn zeros(&self) -> Blocks {
        vec![Row::default(); self.matrix.blocks()]
    }

    /// Z x.
    pub fn multiply(&self, x: &[Row], y: &mut Blocks) {
        self.matrix.multiply(x, y);
        for (w, sign) in self.waiting.iter().zip(&self.signs) {
            add_scaled(y, -sign * dot(w, x), w);
        }
        for w in &self.soft {
            add_scaled(y, dot(w, x), w);
        }
    }

    /// Z g, in time proportional to the number of rows.
    pub fn column(&mut self, g: &Pair, y: &mut Blocks) {
        let mut blocks = Vec::with_capacity(4);
        for (i, value) in g.iter() {
            *entry_mut(&mut self.sparse, i) += value;
            if !blocks.contains(&(i / LANES)) {
                blocks.push(i / LANES);
            }
        }
        self.matrix.multiply_sparse(&self.sparse, &blocks, y);
        for block in blocks {
            self.sparse[block] = Row::default();
        }
        for (w, sign) in self.waiting.iter().zip(&self.signs) {
            add_scaled(y, -sign * g.dot(w), w);
        }
        for w in &self.soft {
            add_scaled(y, g.dot(w), w);
        }
    }

    /// Z += factor c c^T, stored separately until [`Inverse::stiffen`].
    pub fn soften(&mut self, c: Blocks, factor: f64) {
        self.soft.push(scaled(c, factor.sqrt()));
    }

    /// Removes all softening; must be called before any other change.
    pub fn stiffen(&mut self) {
        self.soft.clear();
    }

    /// Z -= factor c c^T.
    pub fn update(&mut self, c: Blocks, factor: f64) {
        self.waiting.push(scaled(c, factor.abs().sqrt()));
        self.signs.push(factor.signum());
        if self.waiting.len() >= RANK {
            self.sweep();
        }
    }

    /// Applies all stored updates to the matrix.
    pub fn sweep(&mut self) {
        if !self.waiting.is_empty() {
            self.matrix.update(&self.waiting, &self.signs);
            self.waiting.clear();
            self.signs.clear();
        }
    }

    /// Appends rows: first the entries left of the present end, then the square at the end.
    pub fn border(&mut self, left: &[Blocks], corner: impl Fn(usize, usize) -> f64) {
        self.matrix.border(left, &corner);
        self.widen();
    }

    fn widen(&mut self) {
        let blocks = self.matrix.blocks();
        self.sparse.resize(blocks, Row::default());
        for w in &mut self.waiting {
            w.resize(blocks, Row::default());
        }
    }
}

impl Inverse<Packed> {
    /// Appends another inverse as a block of its own (thesis Fig. 5.32).
    pub fn append(&mut self, other: Self) {
        let n = self.matrix.len();
        self.matrix.append(&other.matrix);
        self.widen();
        for (w, sign) in other.waiting.iter().zip(&other.signs) {
            let mut shifted = self.zeros();
            for i in 0..other.matrix.len() {
                *entry_mut(&mut shifted, n + i) = entry(w, i);
            }
            self.waiting.push(shifted);
            self.signs.push(*sign);
        }
        if self.waiting.len() >= RANK {
            self.sweep();
        }
    }
}

fn scaled(mut c: Blocks, scale: f64) -> Blocks {
    for block in &mut c {
        for value in &mut block.0 {
            *value *= scale;
        }
    }
    c
}

/// Scalar product, in a fixed order.
pub(super) fn dot(a: &[Row], b: &[Row]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            sums[k] += a.0[k] * b.0[k];
        }
    }
    sums.iter().sum()
}

/// y += factor x.
pub(super) fn add_scaled(y: &mut [Row], factor: f64, x: &[Row]) {
    if factor == 0.0 {
        return;
    }
    for (y, x) in y.iter_mut().zip(x) {
        for k in 0..LANES {
            y.0[k] += factor * x.0[k];
        }
    }
}
