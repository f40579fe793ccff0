//! Where the rows of an inverse lie: here, or dealt out to ranks.

use crate::vector::{LANES, Row};

/// A symmetric matrix that grows by rows and changes by updates of low rank. Vectors are held by blocks of eight numbers.
///
/// Where it is dealt out to ranks, all ranks make the same calls in the same order, and get the same bits from them.
pub trait Storage {
    /// Whether it wants to be told which rows will be asked for.
    const TOLD: bool = false;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// Number of blocks of a vector.
    fn blocks(&self) -> usize {
        self.rows().div_ceil(LANES)
    }

    /// Numbers held here, those beyond the last row included.
    fn held(&self) -> usize;

    /// Appends rows: their entries left of the present end, then the square at the end.
    fn border(&mut self, left: &[Vec<Row>], corner: &dyn Fn(usize, usize) -> f64);

    /// y = matrix x.
    fn multiply(&self, x: &[Row], y: &mut Vec<Row>);

    /// y = matrix x, for an x that is zero but for some blocks.
    fn multiply_sparse(&mut self, x: &[Row], blocks: &[usize], y: &mut Vec<Row>);

    /// matrix -= sum over k of signs\[k\] w\[k\] w\[k\]^T.
    fn update(&mut self, w: &[Vec<Row>], signs: &[f64]);

    /// Tells which rows products with sparse vectors will ask for next, so that they can come at one go.
    fn announce(&mut self, _rows: &[usize]) {}
}
