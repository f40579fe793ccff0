//! The inverse stiffness matrix under bordering and updates of rank one (thesis eq. 4.19-4.28).
//!
//! A bar of stiffness k whose strain is g.q adds k g g^T to the stiffness, so that
//! Z' = Z - Z g g^T Z / (1/k + g.Z g), the thesis's cases 2 and 3; a bar taken away is one of
//! stiffness -k. Updates are kept as a list of vectors, which products take into account, and go
//! into the matrix many at a time: a sweep over the matrix costs its memory traffic, hardly more
//! for sixteen vectors than for one.

use super::packed::{Blocks, Packed, entry, entry_mut};
use super::storage::Storage;
use crate::vector::{LANES, Row};

/// Updates kept before they go into the matrix.
pub(super) const RANK: usize = 16;

/// Greatest number of degrees of freedom of a node.
pub(super) const MOST: usize = 6;

/// A row of compatibility: numbers at the degrees of freedom of two nodes at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// First degree of freedom of each node; none when it is fixed.
    pub at: [Option<usize>; 2],
    /// The numbers at each.
    pub values: [[f64; MOST]; 2],
    /// How many of them count.
    pub width: usize,
}

impl Pair {
    /// Positions and numbers.
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
    /// Flexibility so great that it must not be mixed with the rest: the matrix would keep its
    /// rounding when it has gone. These never go into the matrix.
    soft: Vec<Blocks>,
    /// Zeros between uses.
    sparse: Blocks,
}

impl<S: Storage> Inverse<S> {
    /// An inverse of nothing, in an empty matrix.
    pub fn new(matrix: S) -> Self {
        Inverse {
            matrix,
            waiting: Vec::new(),
            signs: Vec::new(),
            soft: Vec::new(),
            sparse: Vec::new(),
        }
    }

    /// Where its rows are.
    pub fn matrix(&self) -> &S {
        &self.matrix
    }

    /// Tells which rows columns will be asked of next.
    pub fn announce(&mut self, rows: &[usize]) {
        self.matrix.announce(rows);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.matrix.rows()
    }

    /// Numbers held by the matrix.
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

    /// Z += factor c c^T, kept apart until [`Inverse::stiffen`].
    pub fn soften(&mut self, c: Blocks, factor: f64) {
        self.soft.push(scaled(c, factor.sqrt()));
    }

    /// Takes back all that was softened. Before anything else may change.
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

    /// Brings all updates into the matrix.
    pub fn sweep(&mut self) {
        if !self.waiting.is_empty() {
            self.matrix.update(&self.waiting, &self.signs);
            self.waiting.clear();
            self.signs.clear();
        }
    }

    /// Appends rows: what lies left of the present end, then the square at the end.
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
