//! Neighbour search: which grains may touch.
//!
//! A [`BroadPhase`] lists the pairs whose gap is under a margin; [`Brute`] asks every pair and is
//! the reference, [`Cells`] sorts grains into a grid, [`Levels`] into grids for several sizes where
//! these differ widely. All give the same list, in the same order. [`DynamicCells`] hold what comes,
//! moves and goes one by one: flyers, grains that stand still, what is around a place where grains enter.

mod brute;
mod cells;
mod displaced;
mod dynamic;
mod grid;
mod levels;
mod order;
mod periodic;
mod sorted;

pub use brute::Brute;
pub use cells::Cells;
pub use displaced::pairs_across;
pub use dynamic::{Cell, DynamicCells, Lattice};
pub use levels::Levels;
pub use order::{RowPlace, Rows, row_order, spatial_order};
pub use periodic::{PeriodicAxis, images_within, wrapped};

use crate::geometry::Dimension;

/// A search for near grains, rebuilt from scratch whenever the caller says so.
pub trait BroadPhase<D: Dimension>: Send {
    /// Takes in all grains and lists every pair (i, j), i < j, whose gap, that is the distance of
    /// the centres (by the nearest images in periodic directions) less both radii, is under
    /// `margin` (m). The list replaces what is in `out` and is sorted, so that neither the order
    /// nor the set depends on how it was found. Missing entries of `periodic` mean open directions.
    ///
    /// Grains whose position is not finite are in no pair.
    fn pairs(
        &mut self,
        positions: &[D::Vector],
        radii: &[f64],
        margin: f64,
        periodic: &[Option<PeriodicAxis>],
        out: &mut Vec<(u32, u32)>,
    );

    /// Lists the grains of the last build whose surface is nearer to a point than `reach` (m), in
    /// order; the list replaces what is in `out`.
    fn near(&self, point: D::Vector, reach: f64, out: &mut Vec<u32>);

    /// Distances taken in the last build; n (n - 1) / 2 when nothing is saved.
    fn tests(&self) -> u64;
}
