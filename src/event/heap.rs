//! An indexed heap: it stores the position of every owner, so that it moves an entry without a search.

use super::queue::{Event, EventQueue, QueueError, accept, owner_of, rank};

/// Position of an owner that has no entry.
const ABSENT: u32 = u32::MAX;

/// A heap with `ARITY` children per node. Wide nodes keep it flat: a reschedule moves an entry
/// through few levels, and the children of one node are contiguous in memory.
#[derive(Clone, Debug, Default)]
pub struct IndexedHeap<const ARITY: usize> {
    /// Ranks in heap order.
    heap: Vec<u128>,
    /// Index in `heap` of the rank of each owner, or [`ABSENT`].
    positions: Vec<u32>,
    /// Last event of each owner; meaningless where absent.
    events: Vec<Event>,
}

impl<const ARITY: usize> IndexedHeap<ARITY> {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty queue with room for owners 0 to `owners` - 1 without further allocation.
    pub fn with_capacity(owners: usize) -> Self {
        IndexedHeap {
            heap: Vec::with_capacity(owners),
            positions: Vec::with_capacity(owners),
            events: Vec::with_capacity(owners),
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, rank: u128) {
        self.heap[at] = rank;
        self.positions[owner_of(rank) as usize] = at as u32;
    }

    /// Moves a rank from `at` towards the root until the heap order holds.
    #[inline]
    fn climb(&mut self, mut at: usize, rank: u128) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            let above = self.heap[parent];
            if above <= rank {
                break;
            }
            self.put(at, above);
            at = parent;
        }
        self.put(at, rank);
    }

    /// Moves a rank from `at` towards the leaves until the heap order holds.
    #[inline]
    fn sink(&mut self, mut at: usize, rank: u128) {
        loop {
            let first = at * ARITY + 1;
            if first >= self.heap.len() {
                break;
            }
            let last = (first + ARITY).min(self.heap.len());
            let mut child = first;
            let mut least = self.heap[first];
            for (k, &other) in self.heap[first..last].iter().enumerate().skip(1) {
                // Selects without a branch: which child wins is unpredictable.
                let less = other < least;
                child = if less { first + k } else { child };
                least = if less { other } else { least };
            }
            if least >= rank {
                break;
            }
            self.put(at, least);
            at = child;
        }
        self.put(at, rank);
    }

    /// Removes the entry at a position and fills the gap with the last one.
    fn remove_at(&mut self, at: usize) -> (u32, Event) {
        let owner = owner_of(self.heap[at]);
        self.positions[owner as usize] = ABSENT;
        if let Some(moved) = self.heap.pop()
            && at < self.heap.len()
        {
            if at > 0 && moved < self.heap[(at - 1) / ARITY] {
                self.climb(at, moved);
            } else {
                self.sink(at, moved);
            }
        }
        (owner, self.events[owner as usize])
    }

    fn position(&self, owner: u32) -> Option<usize> {
        let at = *self.positions.get(owner as usize)?;
        (at != ABSENT).then_some(at as usize)
    }
}

impl<const ARITY: usize> EventQueue for IndexedHeap<ARITY> {
    #[inline]
    fn schedule(&mut self, owner: u32, event: Event) -> Result<(), QueueError> {
        let event = accept(owner, event)?;
        let new = rank(owner, &event);
        let slot = owner as usize;
        if slot >= self.positions.len() {
            self.positions.resize(slot + 1, ABSENT);
            self.events.resize(slot + 1, event);
        }
        self.events[slot] = event;
        let at = self.positions[slot];
        if at == ABSENT {
            self.heap.push(new);
            self.climb(self.heap.len() - 1, new);
        } else if new < self.heap[at as usize] {
            self.climb(at as usize, new);
        } else {
            self.sink(at as usize, new);
        }
        Ok(())
    }

    #[inline]
    fn cancel(&mut self, owner: u32) -> Option<Event> {
        let at = self.position(owner)?;
        Some(self.remove_at(at).1)
    }

    #[inline]
    fn peek(&self) -> Option<(u32, Event)> {
        let owner = owner_of(*self.heap.first()?);
        Some((owner, self.events[owner as usize]))
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, Event)> {
        (!self.heap.is_empty()).then(|| self.remove_at(0))
    }

    #[inline]
    fn get(&self, owner: u32) -> Option<Event> {
        self.position(owner).map(|_| self.events[owner as usize])
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn entries(&self) -> Vec<(u32, Event)> {
        let mut ranks = self.heap.clone();
        ranks.sort_unstable();
        ranks
            .into_iter()
            .map(|rank| (owner_of(rank), self.events[owner_of(rank) as usize]))
            .collect()
    }
}

super::queue::serde_as_entries!(IndexedHeap<ARITY>, const ARITY);
