//! The periodic cell.

use crate::cluster::cell::{CellSetup, CellState, CellSums};

/// The periodic cell.
#[derive(Default)]
pub struct Cell {
    /// Drives of its edges; none if these are fixed.
    pub(in crate::cluster) setup: Option<CellSetup>,
    /// State of its edges; none if they are fixed.
    pub state: Option<CellState>,
    /// Sums of the last evaluation, if the edges may move.
    pub(in crate::cluster) sums: Option<Box<CellSums>>,
    /// Start of the second half of the run, s.
    pub late_from: f64,
}
