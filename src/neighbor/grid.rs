//! Geometry of a grid of cells: the number of cells, and the cell of a point.

use super::periodic::Images;
use crate::geometry::{Dimension, Vector};

/// Cells are slightly wider than the reach, so that no rounding puts two near grains two cells apart.
const SLACK: f64 = 1.0 + 1e-6;

/// A grid over a box. Points outside of the box in an open direction belong to the outermost cells:
/// near points stay in near cells, so that the box affects only speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    least: [f64; 3],
    /// Cells per metre.
    density: [f64; 3],
    /// Number of cells.
    pub(super) cells: [usize; 3],
    pub(super) images: Images,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            least: [0.0; 3],
            density: [0.0; 3],
            cells: [1; 3],
            images: Images::default(),
        }
    }
}

impl Grid {
    /// A grid of at most `cap` cells, each at least `reach` wide, around (wrapped) positions.
    /// `scratch` is a buffer for the coordinates of one direction.
    pub(super) fn around<D: Dimension>(
        positions: impl Iterator<Item = D::Vector> + Clone,
        reach: f64,
        cap: f64,
        images: Images,
        scratch: &mut Vec<f64>,
    ) -> Self {
        let mut least = [f64::INFINITY; 3];
        let mut greatest = [f64::NEG_INFINITY; 3];
        for x in positions.clone().filter(Vector::is_finite) {
            for k in 0..D::N {
                least[k] = least[k].min(x[k]);
                greatest[k] = greatest[k].max(x[k]);
            }
        }
        for k in 0..D::N {
            if let Some(axis) = images.axis(k) {
                (least[k], greatest[k]) = (axis.origin, axis.origin + axis.length);
            }
        }
        if count::<D>(&least, &greatest, reach) > cap {
            // A few distant grains would widen the cells of all others: the box excludes them.
            for k in (0..D::N).filter(|&k| images.axis(k).is_none()) {
                scratch.clear();
                scratch.extend(positions.clone().map(|x| x[k]).filter(|x| x.is_finite()));
                if scratch.len() > 100 {
                    let (low, high) = (scratch.len() / 100, scratch.len() * 99 / 100);
                    least[k] = *scratch.select_nth_unstable_by(low, f64::total_cmp).1;
                    greatest[k] = *scratch.select_nth_unstable_by(high, f64::total_cmp).1;
                }
            }
        }
        let mut width = reach.max(0.0) * SLACK;
        if width == 0.0 {
            let widest = (0..D::N)
                .map(|k| greatest[k] - least[k])
                .fold(0.0, f64::max);
            width = widest / cap;
        }
        while count::<D>(&least, &greatest, width) > cap {
            width *= 1.25;
        }
        let mut grid = Grid {
            images,
            ..Grid::default()
        };
        for k in 0..D::N {
            let extent = greatest[k] - least[k];
            let cells = cells_along(extent, width);
            if cells > 1.0 && cells <= cap {
                grid.least[k] = least[k];
                grid.density[k] = cells / extent;
                grid.cells[k] = cells as usize;
            }
        }
        grid
    }

    /// Total number of cells.
    pub(super) fn total(&self) -> usize {
        self.cells.iter().product()
    }

    /// The cell of a coordinate; NaN belongs to the first.
    #[inline(always)]
    pub(super) fn along(&self, k: usize, x: f64) -> usize {
        // A cast saturates, and rounds non-negative numbers down.
        (((x - self.least[k]) * self.density[k]) as usize).min(self.cells[k] - 1)
    }

    /// Number of the cell of a wrapped position; the first direction varies fastest.
    #[inline(always)]
    pub(super) fn cell_of<D: Dimension>(&self, x: &D::Vector) -> usize {
        let mut cell = 0;
        for k in (0..D::N).rev() {
            cell = cell * self.cells[k] + self.along(k, x[k]);
        }
        cell
    }

    /// First cell and number of cells along a direction that cover everything within `reach` of a
    /// wrapped coordinate; in a periodic direction they may wrap around.
    pub(super) fn span(&self, k: usize, x: f64, reach: f64) -> (usize, usize) {
        let cells = self.cells[k];
        let reach = reach * SLACK;
        let Some(axis) = self.images.axis(k) else {
            let first = self.along(k, x - reach);
            return (first, self.along(k, x + reach) + 1 - first);
        };
        let whole = (0, cells);
        if cells == 1 || 2.0 * reach >= axis.length {
            return whole;
        }
        let low = ((x - reach - self.least[k]) * self.density[k]).floor();
        let high = ((x + reach - self.least[k]) * self.density[k]).floor();
        // One more cell at either end allows for rounding.
        let number = high - low + 3.0;
        if number >= cells as f64 {
            return whole;
        }
        let first = (low as i64 - 1).rem_euclid(cells as i64);
        (first as usize, number as usize)
    }
}

/// Number of cells of a width that fit into an extent, at least one.
fn cells_along(extent: f64, width: f64) -> f64 {
    let cells = (extent / width).floor();
    if cells >= 1.0 { cells } else { 1.0 }
}

fn count<D: Dimension>(least: &[f64; 3], greatest: &[f64; 3], width: f64) -> f64 {
    (0..D::N)
        .map(|k| cells_along(greatest[k] - least[k], width))
        .product()
}
