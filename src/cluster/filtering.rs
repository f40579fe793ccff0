//! Filters the outer lists: selects the candidates near enough for a step to process.

use super::bands::BlockEnd;
use super::kernel::{Batch, Flags, Memory};
use super::lists::{History, Lists};
use super::team::Team;
use crate::vector::{LANES, Row};

impl<H: History> Lists<H> {
    /// Filters the outer list again, block by block: keeps near candidates, and every link in contact
    /// with its history. Remaining lanes refer to the same bodies. If `sorted`, links in contact come
    /// first. Each block begins with a batch of its own; the ends are stored in `blocks`.
    pub fn refilter<C: Copy + Sync>(
        &mut self,
        outer: &[C],
        blocks: &mut [BlockEnd],
        spare: &mut Lists<H>,
        notes: &mut Notes,
        team: Team,
        sorted: bool,
        bodies: impl Fn(C) -> [u32; 2] + Sync,
        near: impl Fn(C) -> bool + Sync,
    ) {
        let Notes { carry, stays } = notes;
        carry.clear();
        carry.resize(outer.len(), 0);
        for (i, (batch, outer)) in self.batches.iter().zip(&self.outer).enumerate() {
            for k in (0..LANES).filter(|&k| batch.a[k] != 0) {
                carry[outer[k] as usize] = (i * LANES + k) as u32 + 1;
            }
        }
        stays.clear();
        stays.resize(outer.len(), Stay::Not);
        let old = &*self;
        let mut counts = vec![0u32; blocks.len()];
        let mut jobs = Vec::with_capacity(blocks.len());
        let (mut rest, mut start) = (&mut stays[..], 0);
        for (block, count) in blocks.iter().zip(&mut counts) {
            let (stays, after) = rest.split_at_mut(block.outer as usize - start);
            jobs.push((start, stays, count));
            (rest, start) = (after, block.outer as usize);
        }
        team.each(jobs, |(start, stays, count)| {
            for (index, stay) in (start..).zip(stays) {
                let touching = carry[index]
                    .checked_sub(1)
                    .map(|from| from as usize)
                    .is_some_and(|from| old.flags[from / LANES].touch >> (from % LANES) & 1 == 1);
                if touching {
                    *stay = Stay::Touching;
                    *count += 1;
                } else if near(outer[index]) {
                    *stay = Stay::BandRows;
                    *count += 1;
                }
            }
        });
        let mut batches = 0;
        for (block, count) in blocks.iter_mut().zip(counts) {
            batches += count.div_ceil(LANES as u32);
            block.batches = batches;
        }
        spare.clear();
        spare.composed = self.composed;
        spare.stiffens = self.stiffens;
        spare.lengthen(batches as usize);
        let mut start = 0;
        let stretches = spare.stretches(blocks);
        let mut jobs = Vec::with_capacity(blocks.len());
        for (block, stretch) in blocks.iter().zip(stretches) {
            jobs.push((start..block.outer as usize, stretch));
            start = block.outer as usize;
        }
        let (carry, stays) = (&*carry, &*stays);
        team.each(jobs, |(range, mut stretch)| {
            let mut filled = 0;
            let mut take = |only: Option<Stay>| {
                for index in range.clone() {
                    let stay = stays[index];
                    if stay == Stay::Not || only.is_some_and(|only| only != stay) {
                        continue;
                    }
                    let from = (carry[index] as usize).checked_sub(1);
                    let from = from.map(|from| (from / LANES, from % LANES));
                    let named = from.map_or_else(
                        || bodies(outer[index]),
                        |(j, l)| [old.batches[j].a[l], old.batches[j].b[l]],
                    );
                    let place = (filled / LANES, filled % LANES);
                    filled += 1;
                    stretch.put(place, named, index as u32);
                    if let Some(from) = from.filter(|_| stay == Stay::Touching) {
                        stretch.carry(place, old, from);
                    }
                }
            };
            if sorted {
                take(Some(Stay::Touching));
                take(Some(Stay::BandRows));
            } else {
                take(None);
            }
        });
        std::mem::swap(self, spare);
    }

    /// Resizes the list to a number of batches, without links in the new ones.
    fn lengthen(&mut self, batches: usize) {
        self.batches.resize(batches, Batch::default());
        self.history.resize(batches, H::default());
        self.flags.resize(batches, Flags::default());
        self.calm.resize(batches, [0; LANES]);
        self.outer.resize(batches, [0; LANES]);
        self.quiet.resize(batches, f64::NEG_INFINITY);
        if self.stiffens {
            self.stiffness.resize(batches, Row::default());
        }
        if self.composed {
            self.memory.resize(batches, Memory::default());
        }
    }

    /// The batches of each block.
    pub fn stretches(&mut self, blocks: &[BlockEnd]) -> Vec<Stretch<'_, H>> {
        let mut rest = Stretch {
            batches: &mut self.batches,
            history: &mut self.history,
            flags: &mut self.flags,
            calm: &mut self.calm,
            outer: &mut self.outer,
            stiffness: &mut self.stiffness,
            memory: &mut self.memory,
        };
        let mut out = Vec::with_capacity(blocks.len());
        let mut start = 0;
        for block in blocks {
            let (stretch, after) = rest.split(block.batches as usize - start);
            out.push(stretch);
            (rest, start) = (after, block.batches as usize);
        }
        out
    }
}

/// Whether a candidate stays when lists are filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    Not,
    BandRows,
    Touching,
}

/// Buffers of a filtering, kept to avoid reallocation.
#[derive(Debug, Default)]
pub struct Notes {
    /// By position in the outer list: the lane in the former lists, plus one.
    carry: Vec<u32>,
    stays: Vec<Stay>,
}

/// Consecutive batches, with all their data.
#[derive(Debug)]
pub struct Stretch<'a, H> {
    /// The candidates.
    pub batches: &'a mut [Batch],
    /// Tangential springs.
    pub history: &'a mut [H],
    /// Flags.
    pub flags: &'a mut [Flags],
    calm: &'a mut [[u8; LANES]],
    outer: &'a mut [[u32; LANES]],
    /// Tangential stiffnesses at the previous evaluation, N/m, for laws with variable stiffness.
    pub stiffness: &'a mut [Row],
    /// Contact history of laws with additional terms.
    pub memory: &'a mut [Memory],
}

impl<'a, H: History> Stretch<'a, H> {
    /// Splits off the first `count` batches.
    fn split(self, count: usize) -> (Self, Self) {
        let (batches, more_batches) = self.batches.split_at_mut(count);
        let (history, more_history) = self.history.split_at_mut(count);
        let (flags, more_flags) = self.flags.split_at_mut(count);
        let (calm, more_calm) = self.calm.split_at_mut(count);
        let (outer, more_outer) = self.outer.split_at_mut(count);
        // Laws without additional terms have no memory, those with constant stiffness no stiffnesses.
        let known = count.min(self.stiffness.len());
        let (stiffness, more_stiffness) = self.stiffness.split_at_mut(known);
        let (memory, more_memory) = self.memory.split_at_mut(count.min(self.memory.len()));
        let first = Stretch {
            batches,
            history,
            flags,
            calm,
            outer,
            stiffness,
            memory,
        };
        let rest = Stretch {
            batches: more_batches,
            history: more_history,
            flags: more_flags,
            calm: more_calm,
            outer: more_outer,
            stiffness: more_stiffness,
            memory: more_memory,
        };
        (first, rest)
    }

    /// Stores a candidate in a lane.
    fn put(&mut self, (batch, lane): (usize, usize), bodies: [u32; 2], outer: u32) {
        self.batches[batch].a[lane] = bodies[0];
        self.batches[batch].b[lane] = bodies[1];
        self.outer[batch][lane] = outer;
    }

    /// Copies the contact history of a link in contact to a lane.
    fn carry(&mut self, (i, k): (usize, usize), old: &Lists<H>, (j, l): (usize, usize)) {
        self.history[i].set_lane(k, old.history[j].lane(l));
        self.flags[i].touch |= 1 << k;
        self.flags[i].slip |= (old.flags[j].slip >> l & 1) << k;
        self.calm[i][k] = old.calm[j][l];
        if let Some(stiffness) = self.stiffness.get_mut(i) {
            stiffness.0[k] = old.stiffness[j].0[l];
        }
        if let Some(memory) = self.memory.get_mut(i) {
            memory.set_lane(k, old.memory[j].lane(l));
        }
    }
}
