//! The queue of events: a ring of time blocks, each sorted when it becomes the present one.
//!
//! An entry is a time and a grain. It is valid while the grain's event still has that time, and is
//! otherwise dropped without a search. Entries of later blocks are appended to chunks, so that a
//! push touches one cache line; the present block is sorted once; later pushes into it go to a
//! small heap. The cost of an event does not grow with the number of grains.

use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

/// A grain's event, ordered by time, then grain; the earliest is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) time: f64,
    pub(super) grain: u32,
}

impl Entry {
    /// Times are never negative, so their bits are ordered like the times.
    #[inline(always)]
    fn key(&self) -> u128 {
        u128::from(self.time.to_bits()) << 32 | u128::from(self.grain)
    }
}
impl Eq for Entry {}
impl Ord for Entry {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.key().cmp(&self.key())
    }
}
impl PartialOrd for Entry {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Number of blocks in the ring.
const BLOCKS: usize = 4096;
/// Number of entries in a chunk.
const CHUNK: usize = 15;
/// Intended number of entries per block.
pub(super) const PER_BLOCK: f64 = 96.0;
const NONE: u32 = u32::MAX;
const NO_ENTRY: Entry = Entry {
    time: 0.0,
    grain: NONE,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Chunk {
    entries: [Entry; CHUNK],
    next: u32,
    filled: u32,
}

/// The event queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Calendar {
    per_time: f64,
    /// The present block, counted from time 0.
    present: u64,
    ring: Vec<u32>,
    chunks: Vec<Chunk>,
    free: u32,
    /// Entries beyond the ring.
    far: Vec<Entry>,
    /// Sorted entries of the present block, latest first.
    sorted: Vec<Entry>,
    late: BinaryHeap<Entry>,
}

impl Calendar {
    /// An empty queue from time 0 on, with blocks of the given width in s.
    pub(super) fn new(width: f64) -> Self {
        Calendar {
            per_time: 1.0 / width,
            present: 0,
            ring: vec![NONE; BLOCKS],
            chunks: Vec::new(),
            free: NONE,
            far: Vec::new(),
            sorted: Vec::new(),
            late: BinaryHeap::new(),
        }
    }
    /// Clears the queue and restarts it at time 0 with another width.
    pub(super) fn restart(&mut self, width: f64) {
        self.per_time = 1.0 / width;
        self.present = 0;
        self.ring.fill(NONE);
        self.chunks.clear();
        self.free = NONE;
        self.far.clear();
        self.sorted.clear();
        self.late.clear();
    }
    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
            + (self.far.capacity() + self.sorted.capacity() + self.late.capacity())
                * size_of::<Entry>()
            + self.ring.capacity() * 4
    }

    /// The block of a time; all times beyond 2^62 blocks share one.
    #[inline(always)]
    fn block(&self, time: f64) -> u64 {
        ((time * self.per_time) as u64).min(1 << 62)
    }

    /// Adds an event.
    #[inline(always)]
    pub(super) fn push(&mut self, time: f64, grain: u32) {
        let entry = Entry { time, grain };
        let block = self.block(time);
        if block <= self.present {
            self.late.push(entry);
        } else if block - self.present < BLOCKS as u64 {
            self.append(block as usize % BLOCKS, entry);
        } else {
            self.far.push(entry);
        }
    }
    #[inline(always)]
    fn append(&mut self, place: usize, entry: Entry) {
        let head = self.ring[place];
        if head != NONE {
            let chunk = &mut self.chunks[head as usize];
            let filled = chunk.filled as usize;
            if filled < CHUNK {
                chunk.entries[filled] = entry;
                chunk.filled += 1;
                return;
            }
        }
        self.append_chunk(place, entry);
    }
    #[inline(never)]
    fn append_chunk(&mut self, place: usize, entry: Entry) {
        let chunk = Chunk {
            entries: [entry; CHUNK],
            next: self.ring[place],
            filled: 1,
        };
        if self.free == NONE {
            self.ring[place] = self.chunks.len() as u32;
            self.chunks.push(chunk);
        } else {
            self.ring[place] = self.free;
            let at = &mut self.chunks[self.free as usize];
            self.free = at.next;
            *at = chunk;
        }
    }

    /// The earliest entry that is still valid according to `holds`.
    #[inline(always)]
    pub(super) fn peek(&mut self, holds: impl Fn(&Entry) -> bool) -> Option<Entry> {
        loop {
            let entry = match (self.sorted.last(), self.late.peek()) {
                (Some(a), Some(b)) => *a.max(b),
                (Some(a), None) => *a,
                (None, Some(b)) => *b,
                (None, None) => {
                    if !self.advance(&holds) {
                        return None;
                    }
                    continue;
                }
            };
            if holds(&entry) {
                return Some(entry);
            }
            self.pop();
        }
    }
    /// Removes the earliest entry.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        match (self.sorted.last(), self.late.peek()) {
            (Some(a), Some(b)) if a < b => drop(self.late.pop()),
            (Some(_), _) => drop(self.sorted.pop()),
            (None, _) => drop(self.late.pop()),
        }
    }
    /// The grain of the entry `ahead` positions after the earliest of the present block, if known.
    #[inline(always)]
    pub(super) fn coming(&self, ahead: usize) -> Option<u32> {
        let n = self.sorted.len();
        (n > ahead).then(|| self.sorted[n - 1 - ahead].grain)
    }

    /// Advances to the next non-empty block.
    #[inline(never)]
    fn advance(&mut self, holds: &impl Fn(&Entry) -> bool) -> bool {
        loop {
            let turn = self.present / BLOCKS as u64;
            let end = (turn + 1) * BLOCKS as u64;
            while self.present + 1 < end {
                self.present += 1;
                let place = self.present as usize % BLOCKS;
                if self.ring[place] != NONE {
                    self.take(place, holds);
                    if !self.sorted.is_empty() {
                        return true;
                    }
                }
            }
            // The ring is complete: entries beyond it may be within it now.
            self.far.retain(holds);
            let blocks_left = self.ring.iter().any(|&head| head != NONE);
            let next = if blocks_left {
                self.present + 1
            } else {
                let Some(first) = self.far.iter().map(|e| self.block(e.time)).min() else {
                    return false;
                };
                first
            };
            self.present = next;
            let far = std::mem::take(&mut self.far);
            for entry in far {
                self.push(entry.time, entry.grain);
            }
            // The block at which the ring restarts.
            let place = self.present as usize % BLOCKS;
            if self.ring[place] != NONE {
                self.take(place, holds);
            }
            if !self.sorted.is_empty() || !self.late.is_empty() {
                return true;
            }
        }
    }
    /// Sorts the valid entries of a block.
    fn take(&mut self, place: usize, holds: &impl Fn(&Entry) -> bool) {
        let mut at = std::mem::replace(&mut self.ring[place], NONE);
        while at != NONE {
            let chunk = &mut self.chunks[at as usize];
            let filled = chunk.filled as usize;
            // Copies every entry and advances past the valid ones only: no branch to mispredict.
            let mut kept = self.sorted.len();
            self.sorted.resize(kept + filled, NO_ENTRY);
            for entry in &chunk.entries[..filled] {
                self.sorted[kept] = *entry;
                kept += usize::from(holds(entry));
            }
            self.sorted.truncate(kept);
            let next = std::mem::replace(&mut chunk.next, self.free);
            self.free = at;
            at = next;
        }
        // The greatest entry is the earliest and comes last.
        self.sorted.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a plain list: the same order, whatever the width of the blocks.
    #[test]
    fn gives_all_entries_in_order() {
        for width in [1e-6, 1e-3, 0.1, 10.0] {
            let mut state = 1u64;
            let mut next = || {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            let mut calendar = Calendar::new(width);
            let mut times: Vec<f64> = (0..500).map(|_| next() * 3.0).collect();
            for (k, &t) in times.iter().enumerate() {
                calendar.push(t, k as u32);
            }
            let mut now = 0.0;
            for _ in 0..5000 {
                let entry = calendar
                    .peek(|e| times[e.grain as usize] == e.time)
                    .unwrap();
                let least = times.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(entry.time, least);
                assert!(entry.time >= now);
                now = entry.time;
                calendar.pop();
                // This grain and another get new times; the other's old entry becomes invalid.
                let other = (next() * 500.0) as usize;
                for k in [entry.grain as usize, other] {
                    let long = if next() < 0.01 { 100.0 } else { 1.0 };
                    times[k] = now + next() * long;
                    calendar.push(times[k], k as u32);
                }
            }
        }
    }
}
