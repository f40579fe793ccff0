//! Cells that contain few grains each, for finding the grains within reach.
//!
//! A cell is a cache line: fourteen grains and a count. Further grains go to additional blocks in
//! the chain of the cell, so that one crowded cell does not make others slower.
//!
//! The place of a grain along an axis is given in halves of cells, which are two diameters wide:
//! from the lower half only the cell below is within reach, from the upper half only the one above.
//! So 2^d cells contain everything within reach, not 3^d. A grain that passes the middle or the end
//! of a cell has to check one new layer of cells. For neighbour lists, which are rarely built but
//! need few candidates, cells are one reach wide and 3^d of them are searched.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// Grains that fit in one block.
const ROOM: usize = 14;
const NEXT: usize = 14;
const COUNT: usize = 15;

/// How far beyond its place a grain is still assigned to it, in widths: a grain that turns back at
/// an end, as on a floor, does not cross to and fro without advance of time.
const HOLD: f64 = 1e-11;

/// Fourteen grains, the next block of the chain (0: none), and the number of grains; in the first
/// block, that of the whole chain.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Block([u32; 16]);

impl Block {
    /// The first entries; unfilled ones contain the number of some grain, or 0.
    #[inline(always)]
    pub(super) fn first(&self) -> &[u32; 8] {
        self.0.first_chunk().unwrap_or(&[0; 8])
    }
}

/// A grid of cells over a box. Axes that are not periodic have a border of cells that stay empty,
/// so that each used cell has all its neighbours; the outermost used cells also contain grains
/// beyond the box.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cells {
    /// Number of cells along each axis, including borders.
    pub(super) counts: [u16; 3],
    /// 1 for axes with a border.
    pub(super) border: [u16; 3],
    /// Places per cell along an axis: 2 (halves) or 1.
    pub(super) parts: u16,
    /// Least corner of the box, m.
    pub(super) origin: [f64; 3],
    /// Widths of the cells, m.
    pub(super) width: [f64; 3],
    /// For each place along an axis the cells within reach, as offsets in the array: two cells, or
    /// three.
    pub(super) near: [Vec<[u32; 3]>; 3],
    /// Cell of each place, as offset in the array.
    pub(super) own: [Vec<u32>; 3],
    /// Lower and upper ends of the places along each axis, m; infinite for the outermost ones of an open axis.
    pub(super) ends: [Vec<[f64; 2]>; 3],
    blocks: Vec<Block>,
    free: Vec<u32>,
}

/// The part of the cells around a place to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All cells.
    All,
    /// The layer, upper or lower, along an axis towards which the grain moved. When a grain passes
    /// the middle of a cell, that layer comes within its reach; when it enters a cell, it comes
    /// within reach of the grains of that layer that did not reach the former cell.
    Layer(u8, bool),
}

/// Greatest number of grains that a search can find: those of 27 cells, including chains.
pub(super) const MOST: usize = 4096;

/// Grains found by a search; the array is larger than its filled part.
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
    /// Cells of at least `least` over a box; at most about `most` of them, with `parts` places per
    /// cell along an axis. If `sheared`, rows at the two ends of the second axis are no neighbours: beyond either is a row that
    /// stays empty.
    pub(super) fn new<D: Dimension>(
        min: D::Vector,
        max: D::Vector,
        periodic: [bool; 3],
        least: f64,
        most: usize,
        parts: u16,
        sheared: bool,
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
            parts,
            origin: [0.0; 3],
            width: [1.0; 3],
            near: Default::default(),
            own: Default::default(),
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
            let border = u32::from(cells.border[k]);
            let part = cells.width[k] / f64::from(parts);
            for place in 0..n * u32::from(parts) {
                let c = place / u32::from(parts);
                let (mut below, mut above) = ((c + n - 1) % n * stride, (c + 1) % n * stride);
                if sheared && k == 1 {
                    below = if c == 0 { n * stride } else { below };
                    above = (c + 1) * stride;
                }
                let here = c * stride;
                cells.own[k].push(here);
                cells.near[k].push(match (parts, place % 2) {
                    (2, 0) => [below, here, 0],
                    (2, _) => [here, above, 0],
                    _ => [below, here, above],
                });
                let steps = f64::from(place) - f64::from(border * u32::from(parts));
                let low = cells.origin[k] + (steps - HOLD) * part;
                let high = cells.origin[k] + (steps + 1.0 + HOLD) * part;
                let first = border == 1 && place == u32::from(parts);
                let last = border == 1 && place + 1 == (n - 1) * u32::from(parts);
                cells.ends[k].push([
                    if first { f64::NEG_INFINITY } else { low },
                    if last { f64::INFINITY } else { high },
                ]);
            }
            stride *= n + u32::from(sheared && k == 1);
        }
        cells.blocks = vec![Block::default(); stride as usize];
        cells
    }

    /// Number of cells, including borders.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().map(|&n| n as usize).product()
    }
    /// The cells that grains may be in, and the least and greatest corner of each; infinite for cells without an end.
    pub(super) fn boxes<D: Dimension>(&self) -> Vec<(u32, [D::Vector; 2])> {
        let mut boxes = Vec::new();
        let inner = |k: usize| self.border[k]..self.counts[k] - self.border[k];
        for z in inner(2) {
            for y in inner(1) {
                for x in inner(0) {
                    let at = [x, y, z].map(|c| c * self.parts);
                    let end = |k: usize, last: bool| {
                        let first = at[k] as usize;
                        if last {
                            self.ends[k][first + self.parts as usize - 1][1]
                        } else {
                            self.ends[k][first][0]
                        }
                    };
                    let corners = [false, true].map(|last| D::Vector::from_fn(|k| end(k, last)));
                    boxes.push((self.index(at), corners));
                }
            }
        }
        boxes
    }
    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>() + self.free.capacity() * 4
    }

    /// The place of a point.
    pub(super) fn locate<D: Dimension>(&self, x: D::Vector) -> [u16; 3] {
        let mut at = [0u16; 3];
        for k in 0..D::N {
            let inside = f64::from((self.counts[k] - 2 * self.border[k]) * self.parts) - 1.0;
            let part = self.width[k] / f64::from(self.parts);
            let place = (x[k] - self.origin[k]) / part;
            at[k] = place.clamp(0.0, inside) as u16 + self.border[k] * self.parts;
        }
        at
    }
    /// The cell of a place, as index in the array.
    #[inline(always)]
    pub(super) fn index(&self, at: [u16; 3]) -> u32 {
        self.own[0][at[0] as usize] + self.own[1][at[1] as usize] + self.own[2][at[2] as usize]
    }
    /// The next place along an axis, and whether it is beyond the end of a period.
    #[inline(always)]
    pub(super) fn beside(&self, at: [u16; 3], axis: usize, up: bool) -> (u16, bool) {
        let (n, c) = (self.ends[axis].len() as u16, at[axis]);
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

    /// Removes a grain from a cell.
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
        // The last grain of the chain fills the place of the removed one.
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

    /// Calls `each` with every grain of a cell.
    pub(super) fn each_in(&self, cell: u32, each: &mut impl FnMut(u32)) {
        let mut block = &self.blocks[cell as usize].0;
        let mut count = (block[COUNT] as usize).min(ROOM);
        loop {
            block[..count].iter().for_each(|&grain| each(grain));
            if block[NEXT] == 0 {
                return;
            }
            block = &self.blocks[block[NEXT] as usize].0;
            count = block[COUNT] as usize;
        }
    }

    /// Offsets in the array, along each axis, of the cells within reach of `at`, and their numbers.
    #[inline(always)]
    fn reach<D: Dimension>(&self, at: [u16; 3], scope: Scope) -> ([[u32; 3]; 3], [usize; 3]) {
        let mut near = [
            self.near[0][at[0] as usize],
            self.near[1][at[1] as usize],
            self.near[2][at[2] as usize],
        ];
        let parts = if self.parts == 2 { 2 } else { 3 };
        let mut counts = [parts; 3];
        if D::N == 2 {
            counts[2] = 1;
            near[2][0] = 0;
        }
        match scope {
            Scope::All => {}
            Scope::Layer(axis, up) => {
                let axis = axis as usize;
                near[axis][0] = near[axis][usize::from(up)];
                counts[axis] = 1;
            }
        }
        (near, counts)
    }

    /// Writes all grains of the cells within reach of `at` to `found`; returns their number. Copies
    /// whole blocks and advances by their counts, so that there is no branch to mispredict.
    #[inline(always)]
    pub(super) fn gather<D: Dimension>(
        &self,
        at: [u16; 3],
        scope: Scope,
        found: &mut Found,
    ) -> usize {
        let (near, counts) = self.reach::<D>(at, scope);
        let blocks = self.blocks.as_slice();
        let out = &mut *found.grains;
        let mut len = 0;
        for &z in &near[2][..counts[2]] {
            for &y in &near[1][..counts[1]] {
                for &x in &near[0][..counts[0]] {
                    let block = &blocks[(x + y + z) as usize].0;
                    let count = block[COUNT] as usize;
                    out[len..len + 16].copy_from_slice(block);
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

    /// The blocks within reach of a place, for prefetching.
    #[inline(always)]
    pub(super) fn around<D: Dimension>(&self, at: [u16; 3], mut each: impl FnMut(&Block)) {
        let xs = self.near[0][at[0] as usize];
        let ys = self.near[1][at[1] as usize];
        let zs = self.near[2][at[2] as usize];
        for &z in &zs[..if D::N == 3 { 2 } else { 1 }] {
            let z = if D::N == 3 { z } else { 0 };
            for &y in &ys[..2] {
                for &x in &xs[..2] {
                    each(&self.blocks[(x + y + z) as usize]);
                }
            }
        }
    }

    /// The same for part of the cells; a separate function, since the compiler does not know their number then.
    #[inline(always)]
    pub(super) fn around_in<D: Dimension>(
        &self,
        at: [u16; 3],
        scope: Scope,
        mut each: impl FnMut(&Block),
    ) {
        let (near, counts) = self.reach::<D>(at, scope);
        for &z in &near[2][..counts[2]] {
            for &y in &near[1][..counts[1]] {
                for &x in &near[0][..counts[0]] {
                    each(&self.blocks[(x + y + z) as usize]);
                }
            }
        }
    }
}

/// Copies the part of a chain beyond its first block. Grains that do not fit are omitted: so many
/// grains do not fit around one cell unless sizes differ extremely, which the setup rejects.
#[cold]
#[inline(never)]
fn further(blocks: &[Block], first: u32, from: usize, out: &mut [u32; MOST]) -> usize {
    let mut len = from + ROOM;
    let mut at = first as usize;
    while at != 0 && len + 64 <= MOST {
        let block = &blocks[at].0;
        out[len..len + 16].copy_from_slice(block);
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
        let mut cells = Cells::new::<Spatial>(
            Vector3::zeros(),
            Vector3::repeat(8.0),
            [true; 3],
            2.0,
            1000,
            2,
            false,
        );
        let cell = cells.index([1, 2, 3]);
        let mut found = Found::default();
        let mut told = |cells: &Cells| {
            let n = cells.gather::<Spatial>([1, 2, 3], Scope::All, &mut found);
            let mut all = found.grains[..n].to_vec();
            all.sort_unstable();
            all
        };
        let mut held: Vec<u32> = Vec::new();
        for grain in 1..80 {
            cells.insert(cell, grain);
            held.push(grain);
            assert_eq!(told(&cells), held);
        }
        for grain in (1..80).rev().step_by(2).chain((2..79).step_by(2)) {
            cells.remove(cell, grain);
            held.retain(|&g| g != grain);
            assert_eq!(told(&cells), held);
        }
        assert!(held.is_empty());
    }
}
