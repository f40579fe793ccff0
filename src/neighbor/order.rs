//! An order of grains in which near in space is mostly near in memory.

use crate::geometry::{Dimension, Planar, Vector};

/// The numbers of grains along a Z-curve through cells of the given size (m), cell by cell and by
/// number inside a cell (Morton 1966). `order[k]` is the grain that comes k-th. Cells beyond 2^32 a
/// direction in the plane, 2^21 in space, count as the last; positions that are not finite too.
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

/// The numbers of grains row by row: along the first direction through a row of cells of the given
/// size (m), then the next row. In space rows follow each other along a Z-curve. Wide systems are
/// cut into pieces, each with short rows, so that neighbouring rows are near in memory too.
///
/// Beside a Z-curve this reads memory in a few long runs, which the processor fetches ahead.
pub fn row_order<D: Dimension>(positions: &[D::Vector], cell: f64) -> Vec<u32> {
    let mut least = [f64::INFINITY; 3];
    for x in positions.iter().filter(|x| x.is_finite()) {
        for (k, low) in least.iter_mut().enumerate().take(D::N) {
            *low = low.min(x[k]);
        }
    }
    let mut keys: Vec<(RowPlace, u32)> = positions
        .iter()
        .zip(0..)
        .map(|(x, number)| (row_place::<D>(*x, least, cell), number))
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// A place in the order of [`row_order`].
pub type RowPlace = (u32, u64, u32);

/// The place of a position in the order of [`row_order`], rows beginning at `least`.
pub fn row_place<D: Dimension>(x: D::Vector, least: [f64; 3], cell: f64) -> RowPlace {
    let cells_a_piece = if D::N == 2 { 512.0 } else { 64.0 };
    // Out of range counts as the last cell, not a number as the first.
    let step = |x: f64, size: f64| (x / size) as u32;
    let from = |k: usize| x[k] - least[k];
    let mut row = 0;
    for k in 1..D::N {
        let step = u64::from(step(from(k), cell));
        row |= if D::N == 2 {
            step
        } else {
            spread::<Planar>(step) << (k - 1)
        };
    }
    let piece = step(from(0), cells_a_piece * cell);
    // Finer along the row than across: several small grains lie in a cell.
    (piece, row, step(from(0), 0.125 * cell))
}

/// Moves bit b of a number to bit 2 b or 3 b.
fn spread<D: Dimension>(number: u64) -> u64 {
    // Halves move apart, then quarters, and so on down to bits.
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
