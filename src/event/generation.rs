//! Generation counters, by which stale events are recognised.

use serde::{Deserialize, Serialize};

/// One counter for each slot: an event keeps the count it was made under, and is stale once the
/// slot has moved on. Both take one look into an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generations {
    counts: Vec<u32>,
}

impl Generations {
    /// No slot has been touched.
    pub fn new() -> Self {
        Self::default()
    }
    /// The present generation of a slot; 0 for one that was never advanced.
    #[inline]
    pub fn current(&self, slot: u32) -> u32 {
        self.counts.get(slot as usize).copied().unwrap_or(0)
    }
    /// Makes everything that was said about a slot stale, and returns its new generation.
    ///
    /// The count wraps: an event is mistaken for a fresh one only if its slot was advanced exactly
    /// 2^32 times while it waited.
    #[inline]
    pub fn advance(&mut self, slot: u32) -> u32 {
        let index = slot as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        let count = &mut self.counts[index];
        *count = count.wrapping_add(1);
        *count
    }
    /// Whether what was made under `generation` still holds for the slot.
    #[inline]
    pub fn is_current(&self, slot: u32, generation: u32) -> bool {
        self.current(slot) == generation
    }
}
