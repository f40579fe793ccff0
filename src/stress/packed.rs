//! A symmetric matrix in packed storage: each entry of the triangle is stored once.
//!
//! The lower triangle is divided into square tiles of eight rows, stored row by row of tiles, so
//! that an update or a product reads memory once, in order, in whole cache lines. Tiles on the
//! diagonal are stored in full (both halves, equal to the bit), so that they need no masks. Entries
//! beyond the last row are zero.

use std::ops::Range;

use super::storage::Storage;
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// A tile has as many rows as a row has lanes.
pub(super) type Tile = [Row; LANES];

/// A vector in blocks of eight.
pub(super) type Blocks = Vec<Row>;

/// Returns one entry of a vector in blocks.
pub(super) fn entry(vector: &[Row], i: usize) -> f64 {
    vector[i / LANES].0[i % LANES]
}

/// Mutable access to one entry of a vector in blocks.
pub(super) fn entry_mut(vector: &mut [Row], i: usize) -> &mut f64 {
    &mut vector[i / LANES].0[i % LANES]
}

/// A symmetric matrix that grows by rows and changes by low-rank updates.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    tiles: Vec<Tile>,
    len: usize,
}

/// Number of tiles to prefetch ahead: the processor's own prefetcher stops at the end of each page
/// of memory, which is eight tiles.
const AHEAD: usize = 12;

/// First tile of a row of tiles.
fn first(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Packed {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Number of blocks of a vector.
    pub(super) fn blocks(&self) -> usize {
        self.len.div_ceil(LANES)
    }

    /// One entry.
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        self.tiles[first(i / LANES) + j / LANES][i % LANES].0[j % LANES]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        let (i, j) = (i.max(j), i.min(j));
        let (p, q) = (i / LANES, j / LANES);
        let tile = &mut self.tiles[first(p) + q];
        tile[i % LANES].0[j % LANES] = value;
        if p == q {
            tile[j % LANES].0[i % LANES] = value;
        }
    }

    /// Appends zero rows.
    fn grow(&mut self, rows: usize) {
        self.len += rows;
        self.tiles
            .resize(first(self.blocks()), [Row::default(); LANES]);
    }

    /// Appends rows: first their entries left of the present end, then the square at the end.
    pub(super) fn border(&mut self, left: &[Blocks], corner: impl Fn(usize, usize) -> f64) {
        let n = self.len;
        self.grow(left.len());
        for (a, row) in left.iter().enumerate() {
            let i = n + a;
            let base = first(i / LANES);
            let whole = n / LANES;
            for (tile, block) in self.tiles[base..base + whole].iter_mut().zip(row) {
                tile[i % LANES] = *block;
            }
            for j in whole * LANES..n {
                self.set(i, j, entry(row, j));
            }
            for b in 0..=a {
                self.set(i, n + b, corner(a, b));
            }
        }
    }

    /// Appends another matrix as a block on the diagonal.
    pub(super) fn append(&mut self, other: &Packed) {
        let n = self.len;
        self.grow(other.len);
        for i in 0..other.len {
            for j in 0..=i {
                self.set(n + i, n + j, other.get(i, j));
            }
        }
    }

    /// y = matrix x.
    pub(super) fn multiply(&self, x: &[Row], y: &mut Blocks) {
        y.clear();
        y.resize(self.blocks(), Row::default());
        run(
            Level::best(),
            Multiply {
                tiles: &self.tiles,
                x,
                y,
            },
        );
    }

    /// y = matrix x, for an x that is zero except in some blocks. The cost per block is that of one row.
    pub(super) fn multiply_sparse(&self, x: &[Row], blocks: &[usize], y: &mut Blocks) {
        y.clear();
        y.resize(self.blocks(), Row::default());
        for &block in blocks {
            let kernel = MultiplyBlock {
                tiles: &self.tiles,
                block,
                x: &x[block],
                y,
            };
            run(Level::best(), kernel);
        }
    }

    /// matrix -= sum over k of signs\[k\] w\[k\] w\[k\]^T, in one sweep over the tiles that change.
    pub(super) fn update(&mut self, w: &[Blocks], signs: &[f64]) {
        let rank = w.len();
        let blocks = self.blocks();
        let mut columns = Vec::with_capacity(rank * blocks);
        let mut rows = Vec::with_capacity(rank * blocks);
        // For uncoupled parts most of w is zero: those tiles are skipped.
        let mut runs: Vec<Range<usize>> = Vec::new();
        for t in 0..blocks {
            let mut any = false;
            for k in 0..rank {
                let block = w[k][t];
                any |= block.0.iter().any(|&v| v != 0.0);
                columns.push(block);
                rows.push(Row(block.0.map(|v| signs[k] * v)));
            }
            if any {
                match runs.last_mut() {
                    Some(last) if last.end == t => last.end = t + 1,
                    _ => runs.push(t..t + 1),
                }
            }
        }
        run(
            Level::best(),
            Update {
                tiles: &mut self.tiles,
                columns: &columns,
                rows: &rows,
                rank,
                runs: &runs,
            },
        );
    }
}

impl Storage for Packed {
    fn rows(&self) -> usize {
        self.len
    }

    fn held(&self) -> usize {
        self.tiles.len() * LANES * LANES
    }

    fn border(&mut self, left: &[Blocks], corner: &dyn Fn(usize, usize) -> f64) {
        Packed::border(self, left, corner);
    }

    fn multiply(&self, x: &[Row], y: &mut Blocks) {
        Packed::multiply(self, x, y);
    }

    fn multiply_sparse(&mut self, x: &[Row], blocks: &[usize], y: &mut Blocks) {
        Packed::multiply_sparse(self, x, blocks, y);
    }

    fn update(&mut self, w: &[Blocks], signs: &[f64]) {
        Packed::update(self, w, signs);
    }
}

#[inline(always)]
fn prefetch<L: Lanes>(tile: Option<&Tile>) {
    if let Some(tile) = tile {
        for r in 0..LANES {
            L::prefetch(&tile[r]);
        }
    }
}

struct Multiply<'a> {
    tiles: &'a [Tile],
    x: &'a [Row],
    y: &'a mut [Row],
}

impl Kernel for Multiply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for p in 0..self.y.len() {
            let tiles = &self.tiles[first(p)..first(p + 1)];
            let mut ahead = self.tiles[first(p)..].iter().skip(AHEAD);
            let Some((diagonal, others)) = tiles.split_last() else {
                continue;
            };
            let own = &self.x[p].0;
            let mut sums = [L::splat(0.0); LANES];
            // Each tile is used twice: as stored, and transposed.
            for ((tile, x), y) in others.iter().zip(self.x).zip(self.y.iter_mut()) {
                prefetch::<L>(ahead.next());
                let x = L::load(x);
                let mut even = L::load(y);
                let mut odd = L::splat(0.0);
                for r in 0..LANES {
                    let row = L::load(&tile[r]);
                    sums[r] = sums[r].add(row.mul(x));
                    let turned = row.mul(L::splat(own[r]));
                    if r % 2 == 0 {
                        even = even.add(turned);
                    } else {
                        odd = odd.add(turned);
                    }
                }
                even.add(odd).store(y);
            }
            let x = L::load(&self.x[p]);
            for r in 0..LANES {
                self.y[p].0[r] += sums[r].add(L::load(&diagonal[r]).mul(x)).total();
            }
        }
    }
}

struct MultiplyBlock<'a> {
    tiles: &'a [Tile],
    block: usize,
    x: &'a Row,
    y: &'a mut [Row],
}

impl Kernel for MultiplyBlock<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let b = self.block;
        let x = L::load(self.x);
        for (tile, y) in self.tiles[first(b)..].iter().zip(self.y[..b].iter_mut()) {
            let mut sum = L::load(y);
            for r in 0..LANES {
                sum = sum.add(L::load(&tile[r]).mul(L::splat(self.x.0[r])));
            }
            sum.store(y);
        }
        for p in b..self.y.len() {
            let tile = &self.tiles[first(p) + b];
            let mut products = [x; LANES];
            for r in 0..LANES {
                products[r] = L::load(&tile[r]).mul(x);
            }
            let turned = L::transpose(products);
            let mut sum = L::load(&self.y[p]);
            for r in 0..LANES {
                sum = sum.add(turned[r]);
            }
            sum.store(&mut self.y[p]);
        }
    }
}

struct Update<'a> {
    tiles: &'a mut [Tile],
    /// The vectors, `rank` rows for each block.
    columns: &'a [Row],
    /// The same multiplied by their signs.
    rows: &'a [Row],
    rank: usize,
    /// Ranges of blocks with a nonzero vector.
    runs: &'a [Range<usize>],
}

impl Kernel for Update<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let rank = self.rank;
        for p in self.runs.iter().flat_map(Clone::clone) {
            let left = &self.rows[p * rank..(p + 1) * rank];
            for range in self.runs {
                let end = range.end.min(p + 1);
                if range.start >= end {
                    break;
                }
                let columns = self.columns[range.start * rank..end * rank].chunks_exact(rank);
                for (index, right) in (first(p) + range.start..).zip(columns) {
                    prefetch::<L>(self.tiles.get(index + AHEAD));
                    let tile = &mut self.tiles[index];
                    let mut sums = [L::splat(0.0); LANES];
                    for r in 0..LANES {
                        sums[r] = L::load(&tile[r]);
                    }
                    for (left, right) in left.iter().zip(right) {
                        let right = L::load(right);
                        for r in 0..LANES {
                            sums[r] = sums[r].sub(right.mul(L::splat(left.0[r])));
                        }
                    }
                    for r in 0..LANES {
                        sums[r].store(&mut tile[r]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        (((i * 37 + j * 101) % 97) as f64 - 48.0) / 13.0
    }

    fn matrix(n: usize) -> Packed {
        let mut packed = Packed::default();
        for i in 0..n {
            let mut left = vec![Row::default(); packed.blocks()];
            for j in 0..i {
                *entry_mut(&mut left, j) = number(i, j);
            }
            packed.border(&[left], |_, _| number(i, i));
        }
        packed
    }

    fn vector(n: usize, seed: usize) -> Blocks {
        let mut v = vec![Row::default(); n.div_ceil(LANES)];
        for i in 0..n {
            *entry_mut(&mut v, i) = number(i + seed, 7 * seed + 3);
        }
        v
    }

    #[test]
    fn products_and_updates_are_those_of_the_full_matrix() {
        for n in [1, 7, 8, 9, 30, 64, 75] {
            let mut packed = matrix(n);
            let x = vector(n, 1);
            let mut y = Vec::new();
            packed.multiply(&x, &mut y);
            let blocks: Vec<usize> = (0..packed.blocks()).collect();
            let mut z = Vec::new();
            packed.multiply_sparse(&x, &blocks, &mut z);
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| number(i, j) * entry(&x, j)).sum();
                assert!((entry(&y, i) - sum).abs() < 1e-11, "{n} {i}");
                assert!((entry(&z, i) - sum).abs() < 1e-11, "{n} {i}");
            }
            let mut w = vec![vector(n, 2), vector(n, 3), vector(n, 4)];
            // The vectors are zero in some blocks.
            for k in 0..3 {
                for (b, block) in w[k].iter_mut().enumerate() {
                    if b % 3 == 1 {
                        *block = Row::default();
                    }
                }
            }
            let signs = [1.0, -1.0, 1.0];
            packed.update(&w, &signs);
            for i in 0..n {
                for j in 0..n {
                    let mut sum = number(i, j);
                    for k in 0..3 {
                        sum -= signs[k] * entry(&w[k], i) * entry(&w[k], j);
                    }
                    assert!((packed.get(i, j) - sum).abs() < 1e-11);
                }
            }
        }
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        let n = 75;
        let results: Vec<_> = [Level::Plain, Level::Avx2, Level::Avx512]
            .into_iter()
            .map(|level| {
                let mut packed = matrix(n);
                let columns: Vec<Row> = (0..packed.blocks())
                    .flat_map(|b| [vector(n, 2)[b], vector(n, 3)[b]])
                    .collect();
                #[allow(clippy::single_range_in_vec_init)] // one run of blocks
                let runs = [0..packed.blocks()];
                let kernel = Update {
                    columns: &columns,
                    rows: &columns,
                    rank: 2,
                    runs: &runs,
                    tiles: &mut packed.tiles,
                };
                run(level, kernel);
                let x = vector(n, 5);
                let mut y = vec![Row::default(); packed.blocks()];
                let (tiles, x, y_mut) = (&packed.tiles, &x[..], &mut y[..]);
                run(level, Multiply { tiles, x, y: y_mut });
                let kernel = MultiplyBlock {
                    tiles,
                    block: 3,
                    x: &x[3],
                    y: &mut y,
                };
                run(level, kernel);
                y.iter()
                    .flat_map(|r| r.0.map(f64::to_bits))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0], results[2]);
    }

    #[test]
    fn a_block_appended_is_uncoupled() {
        let (mut left, right) = (matrix(11), matrix(13));
        left.append(&right);
        assert_eq!(left.len(), 24);
        assert_eq!(left.get(20, 12), number(9, 1));
        assert_eq!(left.get(20, 10), 0.0);
        assert_eq!(left.get(10, 3), number(10, 3));
    }
}
