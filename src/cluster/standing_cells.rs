//! Cells of bodies at rest, inserted and removed one by one.

use crate::geometry::Vector;
use crate::neighbor::{DynamicCells, Lattice, PeriodicAxis};

/// Slots at rest, by their centres.
#[derive(Clone, Debug, Default)]
pub(crate) struct StandingCells {
    cells: DynamicCells,
    /// Greatest radius, m, and that for which the cells were built.
    largest: f64,
    built: f64,
}

impl StandingCells {
    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Whether the cells should be rebuilt: larger bodies were added than they were built for.
    pub fn outgrown(&self) -> bool {
        self.built < self.largest
    }

    /// Inserts all bodies (slot, centre, radius) anew, in cells `margin` wider than the largest, of a box with these periodic directions.
    pub fn build<V: Vector>(
        &mut self,
        bodies: &[(u32, V, f64)],
        margin: f64,
        periodic: &[Option<PeriodicAxis>],
    ) {
        self.largest = bodies.iter().map(|body| body.2).fold(0.0, f64::max);
        self.built = self.largest + 0.5 * margin;
        self.cells = DynamicCells::new(Lattice::new(2.0 * self.largest + margin, periodic));
        for (slot, x, _) in bodies {
            self.cells.insert(*slot, *x);
        }
    }

    /// Inserts a body.
    pub fn insert<V: Vector>(
        &mut self,
        slot: u32,
        x: V,
        radius: f64,
        periodic: &[Option<PeriodicAxis>],
    ) {
        if self.is_empty() {
            self.build(&[(slot, x, radius)], radius, periodic);
            return;
        }
        self.largest = self.largest.max(radius);
        self.cells.insert(slot, x);
    }

    /// Removes a body.
    pub fn remove(&mut self, slot: u32) {
        self.cells.remove(slot);
    }

    /// Updates the position of a body, if it is in the cells.
    pub fn relocate<V: Vector>(&mut self, slot: u32, x: V) {
        if self.cells.cell_of(slot).is_some() {
            self.cells.insert(slot, x);
        }
    }

    /// Calls back with each slot whose centre may be nearer to a point than `reach` plus its own radius, m, in no particular order.
    pub fn near<V: Vector>(&self, x: V, reach: f64, f: impl FnMut(u32)) {
        self.cells.near(x, reach + self.largest, f);
    }
}
