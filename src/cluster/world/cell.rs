//! The periodic cell.

use crate::cluster::cell::{CellSetup, CellState, CellSums};

/// The periodic cell.
#[derive(Default)]
pub struct Cell {
    /// What drives its edges; none where these stay.
    pub(in crate::cluster) setup: Option<CellSetup>,
    /// Where they are; none where they stay.
    pub state: Option<CellState>,
    /// Sums of the last evaluation, where edges may move.
    pub(in crate::cluster) sums: Option<Box<CellSums>>,
    /// When the second half of the run begins, s.
    pub late_from: f64,
}
