//! Spatial cells of flyers and of stepped grains.

use super::Kind;
use crate::geometry::Dimension;
use crate::neighbor::Cell;

/// Distance beyond its cell at which a flyer enters the next one, over the cell width, so that rounding
/// never leaves it between two cells.
pub(super) const SLACK: f64 = 0.02;

impl super::Air {
    /// Collects the grains in and around a cell into `found`, in no particular order: predictions must not depend on the order.
    pub(super) fn gather<D: Dimension>(&mut self, cell: Cell) {
        let (cells, found) = (&self.cells, &mut self.found);
        found.clear();
        cells.around::<D>(cell, |id| found.push(id));
    }

    /// Collects the grains around a grain into `found`; empties `found` where the grain is not in the air.
    pub(super) fn gather_around<D: Dimension>(&mut self, id: u32) {
        match self.cells.cell_of(id) {
            Some(cell) => self.gather::<D>(cell),
            None => self.found.clear(),
        }
    }

    /// Collects the grains of a kind around a grain, in no particular order.
    pub(super) fn around<D: Dimension>(
        &mut self,
        id: u32,
        kind: Kind,
    ) -> impl Iterator<Item = u32> + '_ {
        self.gather_around::<D>(id);
        let bodies = &self.s.bodies;
        let is = move |with: &u32| bodies[*with as usize].kind == kind;
        self.found.iter().copied().filter(is)
    }
}
