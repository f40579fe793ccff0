//! The product of a distributed matrix with a vector, in the order of one rank.
//!
//! Each tile below the diagonal is used twice: as stored, it contributes to the sums of its own rows, which one rank has; transposed,
//! it contributes to numbers of the result that belong to earlier rows. Each of those numbers is a sum down the rows of tiles, and is
//! passed from the rank of one group of rows to the rank of the next. To keep all ranks busy, the result is passed in pieces of
//! [`PIECE`] blocks: while one rank works on the second piece, the next works on the first. The schedule follows from the size alone,
//! and all ranks compute the same plan; each step ends with a paired exchange, which cannot deadlock.

use super::distributed_matrix::{AHEAD, DistributedMatrix, GROUP, Own, prefetch};
use super::packed::Blocks;
use super::storage::Storage;
use crate::ranks::{RankError, Tag, pack, unpack};
use crate::vector::{Kernel, LANES, Lanes, Level, Row, run};

/// Number of blocks of the result that are passed on together: whole groups. Smaller pieces need
/// more messages; with larger ones ranks wait longer for their first.
const PIECE: usize = 4 * GROUP;

const SUMS: Tag = Tag::new(41);

/// A group of rows and a piece of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    group: usize,
    piece: usize,
}

/// The schedule of each rank, step by step: a cell, or none.
fn plan(blocks: usize, size: usize) -> Vec<Vec<Option<Cell>>> {
    let groups = blocks.div_ceil(GROUP);
    let mut lists: Vec<std::iter::Peekable<_>> = (0..size)
        .map(|rank| {
            let own = (rank..groups).step_by(size);
            let cells = own.flat_map(|group| {
                (0..=group * GROUP / PIECE).map(move |piece| Cell { group, piece })
            });
            cells.peekable()
        })
        .collect();
    // Number of groups that each piece has passed; it begins at the first group that reaches it.
    let mut through: Vec<usize> = (0..blocks.div_ceil(PIECE))
        .map(|piece| piece * PIECE / GROUP)
        .collect();
    let mut steps = Vec::new();
    while lists.iter_mut().any(|list| list.peek().is_some()) {
        let now: Vec<Option<Cell>> = lists
            .iter_mut()
            .map(|list| list.next_if(|cell: &Cell| through[cell.piece] == cell.group))
            .collect();
        for cell in now.iter().flatten() {
            through[cell.piece] += 1;
        }
        steps.push(now);
    }
    steps
}

/// y = matrix x; y must be zero before.
pub(super) fn multiply(
    matrix: &DistributedMatrix<'_>,
    x: &[Row],
    y: &mut Blocks,
) -> Result<(), RankError> {
    let (ranks, blocks) = (matrix.ranks, matrix.blocks());
    let (me, size) = (ranks.rank(), ranks.size());
    let groups = blocks.div_ceil(GROUP);
    if groups == 0 {
        return Ok(());
    }
    // Sums of the rows of the current group.
    let mut sums = vec![[Row::default(); LANES]; GROUP];
    let within = |piece: usize| piece * PIECE..((piece + 1) * PIECE).min(blocks);
    for step in plan(blocks, size) {
        if let Some(cell) = step[me] {
            if cell.piece == 0 {
                sums.fill([Row::default(); LANES]);
            }
            let first = matrix
                .own
                .partition_point(|own| own.row < cell.group * GROUP);
            let rows = &matrix.own[first..];
            let rows = &rows[..rows.len().min(GROUP)];
            let range = within(cell.piece);
            let kernel = Part {
                rows,
                from: range.start,
                to: range.end,
                x,
                y,
                sums: &mut sums,
            };
            run(Level::best(), kernel);
        }
        if size == 1 {
            continue;
        }
        let goes_on = |cell: &Cell| cell.group + 1 < groups;
        let before = (me + size - 1) % size;
        let mine = step[me].filter(goes_on);
        let theirs = step[before].filter(goes_on);
        let mut bytes = Vec::new();
        if let Some(cell) = mine {
            let numbers: Vec<f64> = y[within(cell.piece)].iter().flat_map(|b| b.0).collect();
            bytes = pack(&numbers);
        }
        let out = [((me + 1) % size, &bytes[..])];
        let out = &out[..usize::from(mine.is_some())];
        let from = &[before][..usize::from(theirs.is_some())];
        if out.is_empty() && from.is_empty() {
            continue;
        }
        let come = ranks.exchange(SUMS, out, from)?;
        if let (Some(cell), Some(bytes)) = (theirs, come.first()) {
            let numbers: Vec<f64> = unpack(bytes).unwrap_or_default();
            let piece = &mut y[within(cell.piece)];
            if numbers.len() != piece.len() * LANES {
                return Err(RankError::Garbled {
                    rank: before,
                    bytes: bytes.len(),
                });
            }
            for (block, eight) in piece.iter_mut().zip(numbers.chunks_exact(LANES)) {
                block.0.copy_from_slice(eight);
            }
        }
    }
    // All pieces end with the last group.
    matrix.spread_from((groups - 1) % size, y)
}

/// Product of a group of rows with a piece.
struct Part<'a> {
    rows: &'a [Own],
    /// Blocks of the piece.
    from: usize,
    to: usize,
    x: &'a [Row],
    y: &'a mut [Row],
    sums: &'a mut [[Row; LANES]],
}

impl Kernel for Part<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (own, kept) in self.rows.iter().zip(self.sums) {
            let p = own.row;
            let own_x = &self.x[p].0;
            let mut sums = [L::splat(0.0); LANES];
            for r in 0..LANES {
                sums[r] = L::load(&kept[r]);
            }
            for q in self.from..self.to.min(p) {
                prefetch::<L>(own.tiles.get(q + AHEAD));
                let tile = &own.tiles[q];
                let x = L::load(&self.x[q]);
                let mut even = L::load(&self.y[q]);
                let mut odd = L::splat(0.0);
                for r in 0..LANES {
                    let row = L::load(&tile[r]);
                    sums[r] = sums[r].add(row.mul(x));
                    let turned = row.mul(L::splat(own_x[r]));
                    if r % 2 == 0 {
                        even = even.add(turned);
                    } else {
                        odd = odd.add(turned);
                    }
                }
                even.add(odd).store(&mut self.y[q]);
            }
            if (self.from..self.to).contains(&p) {
                let x = L::load(&self.x[p]);
                for r in 0..LANES {
                    self.y[p].0[r] += sums[r].add(L::load(&own.tiles[p][r]).mul(x)).total();
                }
            }
            for r in 0..LANES {
                sums[r].store(&mut kept[r]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell occurs once, each piece passes the groups in order, each rank has only its own groups.
    #[test]
    fn the_plan_goes_down_the_rows() {
        let sizes: [(usize, usize); 7] = [
            (1, 1),
            (1, 4),
            (16, 2),
            (70, 3),
            (200, 2),
            (200, 4),
            (333, 5),
        ];
        for (blocks, size) in sizes {
            let groups = blocks.div_ceil(GROUP);
            let mut through: Vec<Vec<usize>> = vec![Vec::new(); blocks.div_ceil(PIECE)];
            let mut busy = 0;
            for step in plan(blocks, size) {
                assert_eq!(step.len(), size);
                let mut now = Vec::new();
                for (rank, cell) in step.iter().enumerate() {
                    let Some(cell) = cell else { continue };
                    assert_eq!(cell.group % size, rank);
                    assert!(!now.contains(&cell.piece), "two ranks at one piece");
                    now.push(cell.piece);
                    through[cell.piece].push(cell.group);
                    busy += 1;
                }
                assert!(!now.is_empty(), "a step in which nobody works");
            }
            for (piece, went) in through.iter().enumerate() {
                let all: Vec<usize> = (piece * PIECE / GROUP..groups).collect();
                assert_eq!(went, &all, "{blocks} {size}");
            }
            assert!(busy >= groups);
        }
    }
}
