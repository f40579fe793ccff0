//! A symmetric matrix whose rows are distributed over ranks (thesis 4.8).
//!
//! The lower triangle is divided into tiles as in [`super::packed`]; rows of tiles are distributed cyclically
//! over ranks in groups of [`GROUP`]. Vectors are stored completely on every rank: each rank computes for
//! itself whatever follows from rows of the matrix. So there are only two types of communication: rows of the
//! matrix to all ranks, for columns of the inverse, and the product with a full vector.
//!
//! **The same bits as on one rank.** Each number of the matrix is stored on one rank and updated by the same operations as on
//! a single rank. A column consists of whole rows in the same order. In a product each number of the result is a sum down the
//! rows; it is passed from the rank of one group of rows to that of the next ([`super::distributed_matvec`]).

use std::cell::RefCell;

use super::distributed_matvec;
use super::packed::{Blocks, Tile};
use super::storage::Storage;
use crate::ranks::{RankError, Ranks, Tag, Values, pack, unpack};
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// Number of rows of tiles in a group. Larger groups make shares less even, smaller ones pass sums on more often.
pub(super) const GROUP: usize = 16;

/// Number of tiles to prefetch ahead, as on one rank.
pub(super) const AHEAD: usize = 12;

/// Number of received rows that are kept until the matrix changes.
const KEPT: usize = 64;

const ROWS: Tag = Tag::new(40);

/// Method of communicating rows of the matrix to all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fetch {
    /// As in the thesis (4.8.4, 4.8.5): to the rank of the last of them, which computes the column and sends
    /// it to all others. Each update takes two messages, one after the other, and one rank that sends to all.
    Broadcast,
    /// Each rank sends its parts to all, at once for everything that the attachment of a node requires; rows are kept until
    /// the matrix changes. Data that each rank can compute needs no message: the row of a new node, and all pending updates.
    #[default]
    Gather,
}

/// A row of tiles.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// Index of the row.
    pub row: usize,
    /// The tiles up to the diagonal.
    pub tiles: Vec<Tile>,
}

/// A matrix distributed over ranks.
#[derive(Clone, Debug)]
pub struct DistributedMatrix<'r> {
    pub(super) ranks: &'r (dyn Ranks + Sync),
    fetch: Fetch,
    rows: usize,
    /// Local rows of tiles, in order.
    pub(super) own: Vec<Own>,
    /// Known rows of the present matrix, oldest first.
    known: Vec<(usize, Blocks)>,
    /// The rows requested last, if only one rank knows them.
    last: Vec<usize>,
    failure: RefCell<Option<RankError>>,
}

impl<'r> DistributedMatrix<'r> {
    /// A matrix without rows.
    pub fn new(ranks: &'r (dyn Ranks + Sync), fetch: Fetch) -> Self {
        DistributedMatrix {
            ranks,
            fetch,
            rows: 0,
            own: Vec::new(),
            known: Vec::new(),
            last: Vec::new(),
            failure: RefCell::default(),
        }
    }

    /// The reason why communication failed, if it did: all later results are NaN.
    pub fn failure(&self) -> Option<RankError> {
        self.failure.borrow().clone()
    }

    /// The rank of a row of tiles.
    pub(super) fn owner(&self, row: usize) -> usize {
        (row / GROUP) % self.ranks.size()
    }

    /// Result of an operation with communication; none if it fails, or communication failed before.
    pub(super) fn guarded<T>(&self, act: impl FnOnce() -> Result<T, RankError>) -> Option<T> {
        if self.failure.borrow().is_some() {
            return None;
        }
        match act() {
            Ok(value) => Some(value),
            Err(error) => {
                *self.failure.borrow_mut() = Some(error);
                None
            }
        }
    }

    /// The local parts of a row of the matrix: those left of the diagonal and the diagonal tile if
    /// that row of tiles is local, then those below.
    fn parts(&self, i: usize, to: &mut Vec<f64>) {
        let (block, lane) = (i / LANES, i % LANES);
        let from = self.own.partition_point(|own| own.row < block);
        let below = match self.own.get(from) {
            Some(own) if own.row == block => {
                for tile in &own.tiles {
                    to.extend_from_slice(&tile[lane].0);
                }
                &self.own[from + 1..]
            }
            _ => &self.own[from..],
        };
        for own in below {
            to.extend(own.tiles[block].iter().map(|row| row.0[lane]));
        }
    }

    /// Assembles rows from the parts of all ranks.
    fn together(&self, rows: &[usize], parts: &[Vec<f64>]) -> Result<Vec<Blocks>, RankError> {
        let mut parts: Vec<_> = parts.iter().map(|part| part.chunks_exact(LANES)).collect();
        let mut all = Vec::with_capacity(rows.len());
        for i in rows {
            let block = i / LANES;
            let mut row = Vec::with_capacity(self.blocks());
            for p in 0..self.blocks() {
                let rank = self.owner(p.max(block));
                let eight = parts[rank].next().and_then(|eight| eight.try_into().ok());
                row.push(Row(eight.ok_or(RankError::Garbled { rank, bytes: 0 })?));
            }
            all.push(row);
        }
        Ok(all)
    }

    /// Communicates rows to all ranks, except those that are known.
    fn gather(&mut self, rows: &[usize]) {
        let mut missing = Vec::new();
        for i in rows {
            if self.row(*i).is_none() && !missing.contains(i) {
                missing.push(*i);
            }
        }
        if missing.is_empty() {
            return;
        }
        let mut own = Vec::new();
        for i in &missing {
            self.parts(*i, &mut own);
        }
        let come = self.guarded(|| {
            let parts = self.ranks.all_gather_values(&own)?;
            self.together(&missing, &parts)
        });
        let Some(come) = come else { return };
        // Requested rows are kept in any case.
        let surplus = (self.known.len() + come.len()).saturating_sub(KEPT.max(rows.len()));
        let mut left = surplus;
        self.known.retain(|(i, _)| {
            let old = left > 0 && !rows.contains(i);
            left -= usize::from(old);
            !old
        });
        self.known.extend(missing.into_iter().zip(come));
    }

    fn row(&self, i: usize) -> Option<&Blocks> {
        let found = self.known.iter().find(|(known, _)| *known == i);
        found.map(|(_, row)| row)
    }

    /// The sum of known rows times numbers, added in the order of one rank.
    fn combine(&self, factors: &[(usize, f64)], y: &mut Blocks) {
        for (i, factor) in factors {
            let Some(row) = self.row(*i) else { return };
            for (y, row) in y.iter_mut().zip(row) {
                for k in 0..LANES {
                    y.0[k] += row.0[k] * factor;
                }
            }
        }
    }

    /// Computes the column on the rank of the last row, and sends it to all.
    fn made_by_one(&mut self, factors: &[(usize, f64)], y: &mut Blocks) -> Result<(), RankError> {
        let rows: Vec<usize> = factors.iter().map(|(i, _)| *i).collect();
        // The second bar of a link requires the same rows as the first.
        let again = rows.iter().all(|i| self.last.contains(i));
        if !again {
            self.last.clone_from(&rows);
        }
        let last = self.last.iter().max().map_or(0, |i| i / LANES);
        let (root, me) = (self.owner(last), self.ranks.rank());
        if !again {
            let mut own = Vec::new();
            for i in &rows {
                self.parts(*i, &mut own);
            }
            self.known.clear();
            if me == root {
                let others: Vec<usize> = (0..self.ranks.size()).filter(|r| *r != me).collect();
                let come = self.ranks.exchange(ROWS, &[], &others)?;
                let mut parts = Vec::with_capacity(come.len() + 1);
                for (rank, bytes) in others.iter().zip(&come) {
                    let garbled = RankError::Garbled {
                        rank: *rank,
                        bytes: bytes.len(),
                    };
                    parts.push(unpack(bytes).ok_or(garbled)?);
                }
                parts.insert(me, own);
                let come = self.together(&rows, &parts)?;
                self.known = rows.iter().copied().zip(come).collect();
            } else {
                self.ranks.exchange(ROWS, &[(root, &pack(&own))], &[])?;
            }
        }
        if me == root {
            self.combine(factors, y);
        }
        self.spread_from(root, y)
    }

    /// Sends a vector from one rank to all.
    pub(super) fn spread_from(&self, root: usize, y: &mut Blocks) -> Result<(), RankError> {
        let mut numbers: Vec<f64> = y.iter().flat_map(|block| block.0).collect();
        self.ranks.broadcast_values(root, &mut numbers)?;
        if self.ranks.rank() == root {
            return Ok(());
        }
        if numbers.len() != y.len() * LANES {
            let bytes = numbers.len() * size_of::<f64>();
            return Err(RankError::Garbled { rank: root, bytes });
        }
        for (block, eight) in y.iter_mut().zip(numbers.chunks_exact(LANES)) {
            block.0.copy_from_slice(eight);
        }
        Ok(())
    }

    /// Discards received rows, since the matrix has changed.
    fn forget(&mut self) {
        self.known.clear();
        self.last.clear();
    }
}

/// Marks a vector that could not be communicated.
pub(super) fn none(y: &mut [Row]) {
    y.fill(Row([f64::NAN; LANES]));
}

impl Storage for DistributedMatrix<'_> {
    const TOLD: bool = true;

    fn rows(&self) -> usize {
        self.rows
    }

    fn held(&self) -> usize {
        let tiles: usize = self.own.iter().map(|own| own.tiles.len()).sum();
        tiles * LANES * LANES
    }

    fn border(&mut self, left: &[Blocks], corner: &dyn Fn(usize, usize) -> f64) {
        let (n, before) = (self.rows, self.blocks());
        self.rows += left.len();
        for row in before..self.blocks() {
            if self.owner(row) == self.ranks.rank() {
                let tiles = vec![[Row::default(); LANES]; row + 1];
                self.own.push(Own { row, tiles });
            }
        }
        // The entries of each new row up to the diagonal, by blocks.
        let mut new: Vec<Blocks> = left.to_vec();
        for (a, row) in new.iter_mut().enumerate() {
            row.resize(self.rows.div_ceil(LANES), Row::default());
            for b in 0..left.len() {
                // The square is symmetric: the lower half is given.
                let value = corner(a.max(b), a.min(b));
                row[(n + b) / LANES].0[(n + b) % LANES] = value;
            }
        }
        for (a, row) in new.iter().enumerate() {
            let i = n + a;
            let (p, r) = (i / LANES, i % LANES);
            let Ok(at) = self.own.binary_search_by_key(&p, |own| own.row) else {
                continue;
            };
            let tiles = &mut self.own[at].tiles;
            for (tile, block) in tiles[..p].iter_mut().zip(row) {
                tile[r] = *block;
            }
            // The tile on the diagonal is stored in full.
            for j in p * LANES..=i {
                let value = row[p].0[j % LANES];
                tiles[p][r].0[j % LANES] = value;
                tiles[p][j % LANES].0[r] = value;
            }
        }
        match self.fetch {
            // Every rank knows the entries of new rows for old ones, and the new rows themselves.
            Fetch::Gather => {
                let blocks = self.blocks();
                for (i, known) in &mut self.known {
                    known.resize(blocks, Row::default());
                    for (a, row) in new.iter().enumerate() {
                        let j = n + a;
                        known[j / LANES].0[j % LANES] = row[*i / LANES].0[*i % LANES];
                    }
                }
                let surplus = (self.known.len() + new.len()).saturating_sub(KEPT);
                self.known.drain(..surplus.min(self.known.len()));
                self.known.extend((n..).zip(new));
            }
            Fetch::Broadcast => self.forget(),
        }
    }

    fn multiply(&self, x: &[Row], y: &mut Blocks) {
        y.clear();
        y.resize(self.blocks(), Row::default());
        if self
            .guarded(|| distributed_matvec::multiply(self, x, y))
            .is_none()
        {
            none(y);
        }
    }

    fn multiply_sparse(&mut self, x: &[Row], blocks: &[usize], y: &mut Blocks) {
        y.clear();
        y.resize(self.blocks(), Row::default());
        let mut factors = Vec::with_capacity(blocks.len() * LANES);
        for block in blocks {
            // A product with zero changes no bit of a sum that began at zero.
            let numbers = (block * LANES..).zip(x[*block].0);
            factors.extend(numbers.filter(|(_, value)| *value != 0.0));
        }
        match self.fetch {
            Fetch::Gather => {
                let rows: Vec<usize> = factors.iter().map(|(i, _)| *i).collect();
                self.gather(&rows);
                self.combine(&factors, y);
            }
            Fetch::Broadcast if self.failure.borrow().is_none() => {
                if let Err(error) = self.made_by_one(&factors, y) {
                    *self.failure.borrow_mut() = Some(error);
                }
            }
            Fetch::Broadcast => {}
        }
        if self.failure.borrow().is_some() {
            none(y);
        }
    }

    fn update(&mut self, w: &[Blocks], signs: &[f64]) {
        self.forget();
        let rank = w.len();
        let blocks = self.blocks();
        let mut columns = Vec::with_capacity(rank * blocks);
        let mut rows = Vec::with_capacity(rank * blocks);
        let mut touched = Vec::with_capacity(blocks);
        for t in 0..blocks {
            for (w, sign) in w.iter().zip(signs) {
                columns.push(w[t]);
                rows.push(Row(w[t].0.map(|v| sign * v)));
            }
            touched.push(w.iter().any(|w| w[t].0.iter().any(|&v| v != 0.0)));
        }
        let kernel = Update {
            own: &mut self.own,
            columns: &columns,
            rows: &rows,
            rank,
            touched: &touched,
        };
        run(Level::best(), kernel);
    }

    fn announce(&mut self, rows: &[usize]) {
        if self.fetch == Fetch::Gather {
            self.gather(&rows[..rows.len().min(KEPT)]);
        }
    }
}

#[inline(always)]
pub(super) fn prefetch<L: Lanes>(tile: Option<&Tile>) {
    if let Some(tile) = tile {
        for r in 0..LANES {
            L::prefetch(&tile[r]);
        }
    }
}

/// An update of the local part: as on one rank, tile by tile.
struct Update<'a> {
    own: &'a mut [Own],
    /// The vectors, `rank` rows for each block.
    columns: &'a [Row],
    /// The same multiplied by their signs.
    rows: &'a [Row],
    rank: usize,
    /// Whether a vector is nonzero in a block: other tiles are skipped.
    touched: &'a [bool],
}

impl Kernel for Update<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let rank = self.rank;
        for own in self.own {
            let p = own.row;
            if !self.touched[p] {
                continue;
            }
            let left = &self.rows[p * rank..(p + 1) * rank];
            for q in 0..=p {
                if !self.touched[q] {
                    continue;
                }
                prefetch::<L>(own.tiles.get(q + AHEAD));
                let right = &self.columns[q * rank..(q + 1) * rank];
                let tile = &mut own.tiles[q];
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
