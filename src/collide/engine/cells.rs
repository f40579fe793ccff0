//! Cells that hold few grains each, for finding who could be touched.
//!
//! A cell is half a cache line: six grains and a count. What does not fit goes to further blocks
//! of its own chain, so that one crowded cell makes no other dearer.

use serde::{Deserialize, Serialize};

use crate::geometry::Dimension;

/// Grains that fit in one block.
const ROOM: usize = 6;
const NEXT: usize = 6;
const COUNT: usize = 7;

/// Six grains, the next block of the chain (0: none), and the number of grains: in the first block
/// that of the whole chain.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C, align(32))]
pub(super) struct Block([u32; 8]);

/// A grid of cells over a box. Axes that are not periodic have a border of cells that stay empty,
/// so that each cell that is used has all its neighbours; their outermost used cells hold also
/// what lies beyond the box.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cells {
    /// Cells along each axis, borders included.
    pub(super) counts: [u16; 3],
    /// 1 where there is a border.
    pub(super) border: [u16; 3],
    /// Least corner of the box, m.
    pub(super) origin: [f64; 3],
    /// Sizes, m.
    pub(super) width: [f64; 3],
    /// Position of the neighbours along each axis in the array: before, here, after.
    near: [Vec<[u32; 3]>; 3],
    /// Lower and upper ends of the cells along each axis, m; infinite where nothing lies beyond.
    pub(super) ends: [Vec<[f64; 2]>; 3],
    blocks: Vec<Block>,
    free: Vec<u32>,
}

/// Most grains that a search can find: those of 27 cells, chains included.
pub(super) const MOST: usize = 4096;

/// Whom a search found; more room than is filled.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) grains: Box<[u32; MOST]>,
}

impl Default for Found {
    fn default() -> Self {
        Found {
            grains: Box::new([0; MOST]),
        }
    }
}

impl Cells {
    /// Cells of at least `least` over a box; at most about `most` of them.
    pub(super) fn new<D: Dimension>(
        min: D::Vector,
        max: D::Vector,
        periodic: [bool; 3],
        least: f64,
        most: usize,
    ) -> Self {
        let mut width = least;
        let counts = loop {
            let mut counts = [1u16; 3];
            let mut total = 1usize;
            for k in 0..D::N {
                let fit = ((max[k] - min[k]) / width).floor().clamp(1.0, 60_000.0);
                counts[k] = fit as u16;
                total = total.saturating_mul(fit as usize);
            }
            if total <= most {
                break counts;
            }
            width *= 1.1;
        };
        let mut cells = Cells {
            counts,
            border: [0; 3],
            origin: [0.0; 3],
            width: [1.0; 3],
            near: Default::default(),
            ends: Default::default(),
            blocks: Vec::new(),
            free: Vec::new(),
        };
        let mut stride = 1u32;
        for k in 0..3 {
            if k < D::N {
                cells.origin[k] = min[k];
                cells.width[k] = (max[k] - min[k]) / f64::from(counts[k]);
                if !periodic[k] {
                    cells.border[k] = 1;
                    cells.counts[k] += 2;
                }
            }
            let n = u32::from(cells.counts[k]);
            cells.near[k] = (0..n)
                .map(|c| {
                    [(c + n - 1) % n * stride, c * stride, (c + 1) % n * stride]
                })
                .collect();
            let border = f64::from(cells.border[k]);
            cells.ends[k] = (0..n)
                .map(|c| {
                    let low = cells.origin[k] + (f64::from(c) - border) * cells.width[k];
                    let high = cells.origin[k] + (f64::from(c + 1) - border) * cells.width[k];
                    let first = border > 0.0 && c == 1;
                    let last = border > 0.0 && c + 2 == n;
                    [
                        if first { f64::NEG_INFINITY } else { low },
                        if last { f64::INFINITY } else { high },
                    ]
                })
                .collect();
            stride *= n;
        }
        cells.blocks = vec![Block::default(); stride as usize];
        cells
    }

    /// Number of cells, borders included.
    pub(super) fn len(&self) -> usize {
        self.near.iter().map(Vec::len).product()
    }
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>() + self.free.capacity() * 4
    }

    /// The cell of a point.
    pub(super) fn locate<D: Dimension>(&self, x: D::Vector) -> [u16; 3] {
        let mut at = [0u16; 3];
        for k in 0..D::N {
            let inside = f64::from(self.counts[k] - 2 * self.border[k]) - 1.0;
            let place = ((x[k] - self.origin[k]) / self.width[k]).floor();
            at[k] = place.clamp(0.0, inside) as u16 + self.border[k];
        }
        at
    }
    /// Place of a cell in the array.
    #[inline(always)]
    pub(super) fn index(&self, at: [u16; 3]) -> u32 {
        self.near[0][at[0] as usize][1]
            + self.near[1][at[1] as usize][1]
            + self.near[2][at[2] as usize][1]
    }
    /// The cell one further along an axis.
    #[inline(always)]
    pub(super) fn beside(&self, at: [u16; 3], axis: usize, up: bool) -> (u16, bool) {
        let (n, c) = (self.counts[axis], at[axis]);
        match up {
            true if c + 1 == n => (0, true),
            true => (c + 1, false),
            false if c == 0 => (n - 1, true),
            false => (c - 1, false),
        }
    }
    /// Adds a grain to a cell.
    #[inline(always)]
    pub(super) fn insert(&mut self, cell: u32, grain: u32) {
        let block = &mut self.blocks[cell as usize].0;
        let count = block[COUNT] as usize;
        block[COUNT] += 1;
        if count < ROOM {
            block[count] = grain;
        } else {
            self.insert_further(cell, grain);
        }
    }
    #[cold]
    #[inline(never)]
    fn insert_further(&mut self, cell: u32, grain: u32) {
        let mut at = cell as usize;
        loop {
            let next = self.blocks[at].0[NEXT] as usize;
            if next == 0 {
                break;
            }
            at = next;
        }
        let filled = if at == cell as usize {
            ROOM
        } else {
            self.blocks[at].0[COUNT] as usize
        };
        if filled < ROOM {
            let block = &mut self.blocks[at].0;
            block[filled] = grain;
            block[COUNT] += 1;
            return;
        }
        let new = self.free.pop().unwrap_or_else(|| {
            self.blocks.push(Block::default());
            (self.blocks.len() - 1) as u32
        });
        let mut block = Block::default();
        block.0[0] = grain;
        block.0[COUNT] = 1;
        self.blocks[new as usize] = block;
        self.blocks[at].0[NEXT] = new;
    }

    /// Takes a grain out of a cell.
    #[inline(always)]
    pub(super) fn remove(&mut self, cell: u32, grain: u32) {
        let block = &mut self.blocks[cell as usize].0;
        let count = block[COUNT] as usize;
        if count > ROOM {
            return self.remove_further(cell, grain);
        }
        for k in 0..count {
            if block[k] == grain {
                block[k] = block[count - 1];
                block[COUNT] -= 1;
                return;
            }
        }
    }
    #[cold]
    #[inline(never)]
    fn remove_further(&mut self, cell: u32, grain: u32) {
        // The last grain of the chain takes the place of the one that goes.
        let (mut before, mut last) = (cell as usize, cell as usize);
        while self.blocks[last].0[NEXT] != 0 {
            before = last;
            last = self.blocks[last].0[NEXT] as usize;
        }
        let tail = self.blocks[last].0[COUNT] as usize - 1;
        let mover = self.blocks[last].0[tail];
        let mut at = cell as usize;
        'search: loop {
            for k in 0..ROOM {
                if self.blocks[at].0[k] == grain {
                    self.blocks[at].0[k] = mover;
                    break 'search;
                }
            }
            at = self.blocks[at].0[NEXT] as usize;
            if at == 0 {
                return;
            }
        }
        self.blocks[last].0[COUNT] -= 1;
        if tail == 0 {
            self.blocks[before].0[NEXT] = 0;
            self.free.push(last as u32);
        }
        self.blocks[cell as usize].0[COUNT] -= 1;
    }

    /// Writes all grains of the cells around `at` (in the plane 9, in space 27) to `found`;
    /// returns how many. Copies whole blocks and moves on by their counts, so that the processor
    /// has nothing to guess.
    #[inline(always)]
    pub(super) fn gather<D: Dimension>(&self, at: [u16; 3], found: &mut Found) -> usize {
        let [x0, x1, x2] = self.near[0][at[0] as usize];
        let ys = self.near[1][at[1] as usize];
        let zs = self.near[2][at[2] as usize];
        let blocks = self.blocks.as_slice();
        let out = &mut *found.grains;
        let mut len = 0;
        let rows = if D::N == 3 { 3 } else { 1 };
        for &z in &zs[..rows] {
            let z = if D::N == 3 { z } else { 0 };
            for y in ys {
                let row = y + z;
                for x in [x0, x1, x2] {
                    let block = &blocks[(x + row) as usize].0;
                    let count = block[COUNT] as usize;
                    out[len..len + 8].copy_from_slice(block);
                    if count > ROOM {
                        len = further(blocks, block[NEXT], len, out);
                    } else {
                        len += count;
                    }
                }
            }
        }
        len
    }

    /// The blocks around a cell, for asking for them early.
    #[inline(always)]
    pub(super) fn around<D: Dimension>(&self, at: [u16; 3], mut each: impl FnMut(&Block)) {
        let xs = self.near[0][at[0] as usize];
        let ys = self.near[1][at[1] as usize];
        let zs = self.near[2][at[2] as usize];
        let rows = if D::N == 3 { 3 } else { 1 };
        for z in 0..rows {
            let z = if D::N == 3 { zs[z] } else { 0 };
            for y in ys {
                each(&self.blocks[(xs[0] + y + z) as usize]);
                each(&self.blocks[(xs[2] + y + z) as usize]);
            }
        }
    }
}

/// Copies what a chain holds beyond its first block. What does not fit is left out: that many
/// grains have no room around one cell unless sizes differ beyond reason, which the setup refuses.
#[cold]
#[inline(never)]
fn further(blocks: &[Block], first: u32, from: usize, out: &mut [u32; MOST]) -> usize {
    let mut len = from + ROOM;
    let mut at = first as usize;
    while at != 0 && len + 16 <= MOST {
        let block = &blocks[at].0;
        out[len..len + 8].copy_from_slice(block);
        len += block[COUNT] as usize;
        at = block[NEXT] as usize;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Spatial;
    use nalgebra::Vector3;

    #[test]
    fn crowded_cells_chain_and_shrink() {
        let mut cells =
            Cells::new::<Spatial>(Vector3::zeros(), Vector3::repeat(4.0), [true; 3], 1.0, 1000);
        let cell = cells.index([1, 2, 3]);
        let mut found = Found::default();
        let mut told = |cells: &Cells| {
            let n = cells.gather::<Spatial>([1, 2, 3], &mut found);
            let mut all = found.grains[..n].to_vec();
            all.sort_unstable();
            all
        };
        let mut held: Vec<u32> = Vec::new();
        for grain in 1..40 {
            cells.insert(cell, grain);
            held.push(grain);
            assert_eq!(told(&cells), held);
        }
        for grain in (1..40).rev().step_by(2).chain((2..39).step_by(2)) {
            cells.remove(cell, grain);
            held.retain(|&g| g != grain);
            assert_eq!(told(&cells), held);
        }
        assert!(held.is_empty());
    }
}
