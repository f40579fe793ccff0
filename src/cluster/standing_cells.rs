//! Cells of bodies that stand still: put in and taken out one by one.

use crate::geometry::Vector;
use crate::neighbor::{DynamicCells, Lattice};

/// Slots that stand still, by their centres.
#[derive(Clone, Debug, Default)]
pub(crate) struct StandingCells {
    cells: DynamicCells,
    /// Greatest radius, m.
    largest: f64,
}

impl StandingCells {
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// True when cells should be made anew: larger bodies have come than they were made for.
    pub fn outgrown(&self) -> bool {
        2.0 * self.largest > self.cells.lattice().width(0)
    }

    /// Takes in all bodies (slot, centre, radius) anew, in cells `margin` wider than the largest.
    pub fn build<V: Vector>(&mut self, bodies: &[(u32, V, f64)], margin: f64) {
        self.largest = bodies.iter().map(|body| body.2).fold(0.0, f64::max);
        self.cells = DynamicCells::new(Lattice::new(2.0 * self.largest + margin, &[]));
        for (slot, x, _) in bodies {
            self.cells.insert(*slot, *x);
        }
    }

    /// Puts a body in.
    pub fn insert<V: Vector>(&mut self, slot: u32, x: V, radius: f64) {
        if self.is_empty() {
            self.build(&[(slot, x, radius)], radius);
            return;
        }
        self.largest = self.largest.max(radius);
        self.cells.insert(slot, x);
    }

    /// Takes a body out.
    pub fn remove(&mut self, slot: u32) {
        self.cells.remove(slot);
    }

    /// Tells where a body has moved to, if it stands.
    pub fn relocate<V: Vector>(&mut self, slot: u32, x: V) {
        if self.cells.cell_of(slot).is_some() {
            self.cells.insert(slot, x);
        }
    }

    /// Calls back with each slot whose centre may be nearer to a point than `reach` and its own radius, m, in no particular order.
    pub fn near<V: Vector>(&self, x: V, reach: f64, f: impl FnMut(u32)) {
        self.cells.near(x, reach + self.largest, f);
    }
}
