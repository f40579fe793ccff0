//! Cells of flyers and of stepped grains.

use crate::geometry::Dimension;
use crate::neighbor::Cell;

/// How far beyond its cell a flyer goes before it is in the next, over the width: so that rounding
/// never leaves it between two.
pub(super) const SLACK: f64 = 0.02;

impl super::Air {
    /// Who is in a cell and around it, into `found`, in no particular order: what is foreseen must not depend on it.
    pub(super) fn gather<D: Dimension>(&mut self, cell: Cell) {
        let (cells, found) = (&self.cells, &mut self.found);
        found.clear();
        cells.around::<D>(cell, |id| found.push(id));
    }

    /// Who is around a grain, into `found`; nobody where it is not in the air.
    pub(super) fn gather_around<D: Dimension>(&mut self, id: u32) {
        match self.cells.cell_of(id) {
            Some(cell) => self.gather::<D>(cell),
            None => self.found.clear(),
        }
    }
}
