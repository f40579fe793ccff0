//! Events and the queue that orders them.
//!
//! An [`Event`] is plain data. Every owner (a grain in flight, a cluster, a feed, a log) has a
//! dense slot and at most one entry, its earliest event, in the central [`EventQueue`].

mod heap;
mod kind;
mod queue;
mod reference;

pub use heap::IndexedHeap;
pub use kind::{EventKind, Regime};
pub use queue::{DefaultQueue, Event, EventQueue, QueueError};
pub use reference::ReferenceQueue;
