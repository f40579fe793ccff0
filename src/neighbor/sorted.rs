//! Grains sorted into the cells of one grid.

use std::ops::Range;

use super::grid::Grid;
use super::periodic::{Images, is_under};
use crate::geometry::{Dimension, Vector};

/// A grain as stored in the cells: all data of a distance test, contiguous in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry<V> {
    pub(super) position: V,
    pub(super) radius: f64,
    pub(super) number: u32,
}

impl<V: Vector> Entry<V> {
    /// Numbers of the grains of a range whose surface is closer than `margin` (m).
    #[inline(always)]
    pub(super) fn reached<'h, const PERIODIC: bool>(
        &self,
        others: &[Entry<V>],
        margin: f64,
        images: &Images,
        hits: &'h mut Vec<u32>,
    ) -> &'h [u32] {
        if hits.len() < others.len() {
            hits.resize(others.len(), 0);
        }
        // Hits are unpredictable: counting is faster than branching.
        let mut count = 0;
        for other in others {
            let mut delta = other.position - self.position;
            if PERIODIC {
                delta = images.shorten(delta);
            }
            let reach = self.radius + other.radius + margin;
            hits[count] = other.number;
            count += usize::from(is_under(delta.norm_squared(), reach));
        }
        &hits[..count]
    }
}

/// Grains in cells as wide as their greatest reach.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorted<D: Dimension> {
    pub(super) grid: Grid,
    /// Grains in order of their cells.
    pub(super) entries: Vec<Entry<D::Vector>>,
    /// Start of the entries of each cell, and the end of the last.
    starts: Vec<u32>,
    pub(super) greatest_radius: f64,
    /// Cell of each grain, in the order given.
    cell_of: Vec<u32>,
    hits: Vec<u32>,
    coordinates: Vec<f64>,
}

/// The ranges of entries that a cell is tested against, besides its own row from itself onwards.
#[derive(Default)]
struct Around {
    ranges: [(u32, u32); 16],
    len: usize,
}

impl Around {
    fn add(&mut self, range: Range<u32>) {
        if !range.is_empty() {
            self.ranges[self.len] = (range.start, range.end);
            self.len += 1;
        }
    }
}

impl<D: Dimension> Sorted<D> {
    /// Sorts grains, given as wrapped positions, radii and numbers, into cells.
    pub(super) fn build(
        &mut self,
        grains: impl Iterator<Item = (D::Vector, f64, u32)> + Clone,
        margin: f64,
        images: Images,
    ) {
        let radii = grains.clone().map(|grain| grain.1);
        self.greatest_radius = radii.fold(0.0, f64::max);
        let reach = 2.0 * self.greatest_radius + margin;
        let count = grains.clone().count();
        // Twice as many cells as grains cost little and suffice for dense grains.
        let cap = (2 * count).max(1024) as f64;
        let positions = grains.clone().map(|grain| grain.0);
        self.grid = Grid::around::<D>(positions.clone(), reach, cap, images, &mut self.coordinates);

        self.starts.clear();
        self.starts.resize(self.grid.total() + 1, 0);
        self.cell_of.clear();
        for x in positions {
            let cell = self.grid.cell_of::<D>(&x);
            self.cell_of.push(cell as u32);
            self.starts[cell] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Each start is now the end of its cell, and moves down as the cell fills.
        self.entries.resize(count, Entry::default());
        for ((position, radius, number), &cell) in grains.zip(&self.cell_of) {
            let start = &mut self.starts[cell as usize];
            *start -= 1;
            self.entries[*start as usize] = Entry {
                position,
                radius,
                number,
            };
        }
    }

    fn range(&self, first_cell: usize, last_cell: usize) -> Range<u32> {
        self.starts[first_cell]..self.starts[last_cell + 1]
    }

    /// The entries that a cell is tested against: half of the cells around it; the other half is tested
    /// against this cell. The three cells of a row are contiguous in memory, so that they form one range.
    fn around(&self, at: [usize; 3], row: usize) -> Around {
        let mut around = Around::default();
        let [nx, ny, _] = self.grid.cells;
        let x = at[0];
        let wraps = self.grid.images.axis(0).is_some();
        if wraps && x + 1 == nx {
            around.add(self.range(row, row));
        }
        let (low, high) = (x.saturating_sub(1), (x + 1).min(nx - 1));
        // Rows after this one, in the order of the second direction, then the third.
        const AFTER: [(isize, isize); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
        let rows = if D::N == 2 { 1 } else { 4 };
        for (dy, dz) in &AFTER[..rows] {
            let (Some(y), Some(z)) = (self.beside(1, at[1], *dy), self.beside(2, at[2], *dz))
            else {
                continue;
            };
            let row = (z * ny + y) * nx;
            around.add(self.range(row + low, row + high));
            if wraps && x == 0 {
                around.add(self.range(row + nx - 1, row + nx - 1));
            }
            if wraps && x + 1 == nx {
                around.add(self.range(row, row));
            }
        }
        around
    }

    /// The next cell in a direction, with wrapping if that is periodic.
    fn beside(&self, k: usize, at: usize, step: isize) -> Option<usize> {
        if step == 0 {
            return Some(at);
        }
        let cells = self.grid.cells[k];
        let next = at.checked_add_signed(step).filter(|&n| n < cells);
        match (next, self.grid.images.axis(k)) {
            (None, Some(_)) => Some(if step > 0 { 0 } else { cells - 1 }),
            _ => next,
        }
    }

    /// Lists pairs in the order of cells, and returns the number of distances computed. With few
    /// cells in a periodic direction it may list a pair twice, and a grain with its own image.
    pub(super) fn find(&mut self, margin: f64, found: &mut Vec<(u32, u32)>) -> u64 {
        if self.grid.images.any() {
            self.find_by::<true>(margin, found)
        } else {
            self.find_by::<false>(margin, found)
        }
    }

    fn find_by<const PERIODIC: bool>(&mut self, margin: f64, found: &mut Vec<(u32, u32)>) -> u64 {
        let images = &self.grid.images;
        let mut hits = std::mem::take(&mut self.hits);
        let mut tests = 0;
        let [nx, ny, nz] = self.grid.cells;
        for row in 0..ny * nz {
            for x in 0..nx {
                let cell = row * nx + x;
                let own = self.range(cell, cell);
                if own.is_empty() {
                    continue;
                }
                let around = self.around([x, row % ny, row / ny], row * nx);
                let end = self.range(cell, row * nx + (x + 1).min(nx - 1)).end;
                for p in own {
                    let here = self.entries[p as usize];
                    let first = [(p + 1, end)];
                    for &(start, end) in first.iter().chain(&around.ranges[..around.len]) {
                        let others = &self.entries[start as usize..end as usize];
                        tests += others.len() as u64;
                        let hits = here.reached::<PERIODIC>(others, margin, images, &mut hits);
                        for &number in hits {
                            if !PERIODIC || number != here.number {
                                let (a, b) = (here.number, number);
                                found.push((a.min(b), a.max(b)));
                            }
                        }
                    }
                }
            }
        }
        self.hits = hits;
        tests
    }

    /// Calls back with each range of entries in the cells that cover everything whose surface may
    /// be closer to a wrapped point than `reach` (m). No entry occurs twice.
    #[inline]
    pub(super) fn each_near(
        &self,
        point: D::Vector,
        reach: f64,
        mut f: impl FnMut(&[Entry<D::Vector>]),
    ) {
        if self.entries.is_empty() {
            return;
        }
        let widest = (reach + self.greatest_radius).max(0.0);
        let mut spans = [(0, 1); 3];
        for (k, span) in spans.iter_mut().enumerate().take(D::N) {
            *span = self.grid.span(k, point[k], widest);
        }
        let [nx, ny, nz] = self.grid.cells;
        let (first, last) = (spans[0].0, spans[0].0 + spans[0].1);
        for z in 0..spans[2].1 {
            for y in 0..spans[1].1 {
                let row = (((spans[2].0 + z) % nz) * ny + (spans[1].0 + y) % ny) * nx;
                let mut give = |low: usize, high: usize| {
                    if low < high {
                        let range = self.range(row + low, row + high - 1);
                        f(&self.entries[range.start as usize..range.end as usize]);
                    }
                };
                // A row that wraps around continues at its beginning.
                give(first, last.min(nx));
                give(0, last.saturating_sub(nx));
            }
        }
    }
}
