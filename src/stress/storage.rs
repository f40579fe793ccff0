//! Storage of the rows of an inverse: local, or distributed over ranks.

use crate::vector::{LANES, Row};

/// A symmetric matrix that grows by rows and changes by low-rank updates. Vectors are stored in blocks of eight numbers.
///
/// If the matrix is distributed over ranks, all ranks make the same calls in the same order, and get the same bits.
pub trait Storage {
    /// Whether the storage uses announcements of rows.
    const TOLD: bool = false;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// Number of blocks of a vector.
    fn blocks(&self) -> usize {
        self.rows().div_ceil(LANES)
    }

    /// Number of values stored locally, including those beyond the last row.
    fn held(&self) -> usize;

    /// Appends rows: first their entries left of the present end, then the square at the end.
    fn border(&mut self, left: &[Vec<Row>], corner: &dyn Fn(usize, usize) -> f64);

    /// y = matrix x.
    fn multiply(&self, x: &[Row], y: &mut Vec<Row>);

    /// y = matrix x, for an x that is zero except in some blocks.
    fn multiply_sparse(&mut self, x: &[Row], blocks: &[usize], y: &mut Vec<Row>);

    /// matrix -= sum over k of signs\[k\] w\[k\] w\[k\]^T.
    fn update(&mut self, w: &[Vec<Row>], signs: &[f64]);

    /// Announces the rows that products with sparse vectors will request next, so that they can be communicated at once.
    fn announce(&mut self, _rows: &[usize]) {}
}
