//! Events: what they are, and the queue that orders them.
//!
//! An [`Event`] is plain data. Every owner (a flyer, a cluster, a feed, a log) holds a dense slot
//! and has at most one entry, its earliest event, in the central [`EventQueue`].

mod heap;
mod kind;
mod queue;
mod reference;

pub use heap::IndexedHeap;
pub use kind::{EventKind, Regime};
pub use queue::{DefaultQueue, Event, EventQueue, QueueError};
pub use reference::ReferenceQueue;
