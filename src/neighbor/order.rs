//! Orders of grains that keep neighbours in space mostly close in memory.

use crate::geometry::{Dimension, Vector};

/// The numbers of grains along a Z-curve through cells of the given size (m), cell by cell and by
/// number inside a cell (Morton 1966). `order[k]` is the k-th grain. Cells beyond 2^32 per direction in
/// the plane, or 2^21 in space, count as the last; so do positions that are not finite.
pub fn spatial_order<D: Dimension>(positions: &[D::Vector], cell: f64) -> Vec<u32> {
    let mut least = [f64::INFINITY; 3];
    for x in positions.iter().filter(|x| x.is_finite()) {
        for (k, low) in least.iter_mut().enumerate().take(D::N) {
            *low = low.min(x[k]);
        }
    }
    let bits = 64 / D::N as u32;
    let last = (1u64 << bits.min(32)) - 1;
    let mut keys: Vec<(u64, u32)> = positions
        .iter()
        .zip(0..)
        .map(|(x, number)| {
            let mut key = 0;
            for (k, low) in least.iter().enumerate().take(D::N) {
                let steps = (x[k] - low) / cell;
                let step = if steps.is_finite() {
                    (steps as u64).min(last)
                } else {
                    last
                };
                key |= spread::<D>(step) << k;
            }
            (key, number)
        })
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// The numbers of grains layer by layer, and row by row in each layer: layers are perpendicular to
/// the longest side of the box that the positions fill, rows parallel to its shortest.
///
/// Compared with a Z-curve this order reads memory in a few long runs, which the processor prefetches. Linked grains are in
/// one layer or in two consecutive ones (except for images across a border), and layers are as small as possible.
pub fn row_order<D: Dimension>(positions: &[D::Vector], cell: f64) -> Vec<u32> {
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in positions.iter().filter(|x| x.is_finite()) {
        for k in 0..D::N {
            least[k] = least[k].min(x[k]);
            most[k] = most[k].max(x[k]);
        }
    }
    let rows = Rows::of([least, most], cell);
    let mut keys: Vec<(RowPlace, u32)> = positions
        .iter()
        .zip(0..)
        .map(|(x, number)| (rows.place::<D>(*x), number))
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Position in the order of [`row_order`]: layer, row and place in the row.
pub type RowPlace = [u32; 3];

/// Division of a box into layers and rows of cells.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    least: [f64; 3],
    /// Axes from the longest to the shortest side.
    axes: [usize; 3],
    /// Side of a cell, m.
    cell: f64,
}

impl Rows {
    /// Rows for the box between two corners, m, with cells of the given size, m; corners of an empty box need not be finite.
    pub fn of([least, most]: [[f64; 3]; 2], cell: f64) -> Self {
        let length = |k: usize| most[k] - least[k];
        // Among sides of equal length the last axis counts as the longest.
        let mut axes = [2, 1, 0];
        axes.sort_by(|&j, &k| length(k).total_cmp(&length(j)));
        let least = least.map(|x| if x.is_finite() { x } else { 0.0 });
        Rows { least, axes, cell }
    }

    /// The place of a position.
    pub fn place<D: Dimension>(&self, x: D::Vector) -> RowPlace {
        // Cells are finer along the row than across: a cell may contain several small grains. Positions before the
        // first cell, or not a number, count as in it; positions out of range count as in the last.
        let sizes = [1.0, 1.0, 0.125].map(|part| part * self.cell);
        let mut place = [0; 3];
        let axes = self.axes.into_iter().filter(|&k| k < D::N);
        for (k, axis) in (3 - D::N..).zip(axes) {
            place[k] = ((x[axis] - self.least[axis]) / sizes[k]) as u32;
        }
        place
    }
}

/// Moves bit b of a number to bit 2 b or 3 b.
fn spread<D: Dimension>(number: u64) -> u64 {
    // Separates halves, then quarters, and so on down to bits.
    let masks: [(u32, u64); 5] = if D::N == 2 {
        [
            (16, 0x0000_ffff_0000_ffff),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ]
    } else {
        [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ]
    };
    let mut spread = number;
    for (shift, mask) in masks {
        spread = (spread | (spread << shift)) & mask;
    }
    spread
}
