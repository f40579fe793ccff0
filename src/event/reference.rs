//! Reference queue on a published crate, against which the project's own queues are checked.

use std::cmp::Reverse;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::FxHasher;

use super::queue::{Event, EventQueue, QueueError, accept, rank};

/// Entry of the queue: the rank orders it, the event is its data.
#[derive(Clone, Copy, Debug)]
struct Priority {
    rank: Reverse<u128>,
    event: Event,
}

impl PartialEq for Priority {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}
impl Eq for Priority {}
impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Priority {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// A queue on the `priority-queue` crate. Hashing serves look-up only: ranks, no two of which are
/// equal, determine the order of events.
#[derive(Clone, Debug, Default)]
pub struct ReferenceQueue {
    queue: PriorityQueue<u32, Priority, BuildHasherDefault<FxHasher>>,
}

impl ReferenceQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }
}

impl EventQueue for ReferenceQueue {
    fn schedule(&mut self, owner: u32, event: Event) -> Result<(), QueueError> {
        let event = accept(owner, event)?;
        let rank = Reverse(rank(owner, &event));
        self.queue.push(owner, Priority { rank, event });
        Ok(())
    }

    fn cancel(&mut self, owner: u32) -> Option<Event> {
        self.queue.remove(&owner).map(|(_, entry)| entry.event)
    }

    fn peek(&self) -> Option<(u32, Event)> {
        self.queue
            .peek()
            .map(|(owner, entry)| (*owner, entry.event))
    }

    fn pop(&mut self) -> Option<(u32, Event)> {
        self.queue.pop().map(|(owner, entry)| (owner, entry.event))
    }

    fn get(&self, owner: u32) -> Option<Event> {
        self.queue.get_priority(&owner).map(|entry| entry.event)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn entries(&self) -> Vec<(u32, Event)> {
        let mut all: Vec<_> = self
            .queue
            .iter()
            .map(|(o, p)| (p.rank.0, *o, p.event))
            .collect();
        all.sort_unstable_by_key(|&(rank, _, _)| rank);
        all.into_iter()
            .map(|(_, owner, event)| (owner, event))
            .collect()
    }
}

super::queue::serde_as_entries!(ReferenceQueue);
