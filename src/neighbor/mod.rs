//! Neighbour search: the pairs of grains that may touch.
//!
//! A [`BroadPhase`] lists the pairs whose gap is under a margin. [`Brute`] tests every pair and is the
//! reference, [`Cells`] sorts grains into a grid, [`Levels`] into several grids where sizes differ
//! widely. All give the same list in the same order. [`DynamicCells`] store objects that are inserted,
//! moved and removed one by one: grains in flight, grains at rest, the surroundings of an inlet.

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
pub(crate) use periodic::nearest;
pub use periodic::{PeriodicAxis, images_within, wrapped};

use crate::geometry::Dimension;

/// A neighbour search, rebuilt from scratch on request.
pub trait BroadPhase<D: Dimension>: Send {
    /// Stores all grains and lists every pair (i, j), i < j, whose gap is under `margin` (m). The
    /// gap is the distance of the centres (to the nearest image in periodic directions) minus both
    /// radii. The list replaces the content of `out` and is sorted, so that it does not depend on
    /// the method. Missing entries of `periodic` mean open directions.
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

    /// Lists in order the grains of the last build whose surface is closer to a point than `reach`
    /// (m). The list replaces the content of `out`.
    fn near(&self, point: D::Vector, reach: f64, out: &mut Vec<u32>);

    /// Distances computed in the last build; n (n - 1) / 2 for an exhaustive search.
    fn tests(&self) -> u64;
}
