//! The queue as a trait, and the order of events.

use serde::{Deserialize, Serialize};

use super::{EventKind, IndexedHeap};

/// The queue that measures fastest on the pattern of a run (`cargo bench --bench queue`). With 1e3,
/// 1e5 and 1e6 owners an operation took 26, 45 and 140 ns; with 4 children a node 26, 51 and 194; on
/// the reference queue 49, 133 and 603 (medians, a loaded two-core machine: mind the ratios).
pub type DefaultQueue = IndexedHeap<8>;

/// One event of one owner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// The generation of the subject under which the event was foreseen.
    pub generation: u32,
    /// What the owner wants to know when the event comes: a slot of a link, a partner, a number.
    pub payload: u32,
}

impl Event {
    /// An event without payload, of generation 0.
    pub const fn new(time: f64, kind: EventKind) -> Self {
        Event {
            time,
            kind,
            generation: 0,
            payload: 0,
        }
    }
}

/// Why an event was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The time cannot be ordered.
    #[error("the time of event `{}` of owner {owner} is not a number", kind.name())]
    NotANumber {
        /// Slot of the owner.
        owner: u32,
        /// Kind of the event.
        kind: EventKind,
    },
    /// The greatest slot number stands for "none".
    #[error("{0} is not a slot of an owner: it stands for none")]
    NoSuchOwner(u32),
}

/// The central queue: at most one event for each owner, earliest first.
///
/// Order is by time (-0 and 0 are one time), then kind, then owner, so that it depends neither on
/// addresses nor on the history of insertions. Owners are dense slots: memory is proportional to
/// the greatest one. `+inf` is a time like any other, later than all.
pub trait EventQueue: Default {
    /// Sets the event of an owner in place of the one that it had. Refused when its time is NaN,
    /// and then the earlier event stays.
    fn schedule(&mut self, owner: u32, event: Event) -> Result<(), QueueError>;
    /// Takes the event of an owner out.
    fn cancel(&mut self, owner: u32) -> Option<Event>;
    /// The earliest event.
    fn peek(&self) -> Option<(u32, Event)>;
    /// Takes the earliest event out.
    fn pop(&mut self) -> Option<(u32, Event)>;
    /// The event of an owner.
    fn get(&self, owner: u32) -> Option<Event>;
    /// How many owners have an event.
    fn len(&self) -> usize;
    /// Whether nothing is scheduled.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// All entries, earliest first.
    fn entries(&self) -> Vec<(u32, Event)>;
}

/// What the order compares, as one number: time, kind, owner from the highest bits down.
#[inline(always)]
pub(super) fn rank(owner: u32, event: &Event) -> u128 {
    let bits = event.time.to_bits();
    // Negative numbers are stored as sign and size: all their bits turn over, of others the sign.
    let flip = ((bits as i64 >> 63) as u64) | (1 << 63);
    (u128::from(bits ^ flip) << 64) | (u128::from(event.kind as u8) << 32) | u128::from(owner)
}

/// The owner in a rank.
#[inline(always)]
pub(super) fn owner_of(rank: u128) -> u32 {
    rank as u32
}

/// The event with its time made fit for the order, or why that cannot be.
#[inline(always)]
pub(super) fn accept(owner: u32, mut event: Event) -> Result<Event, QueueError> {
    let kind = event.kind;
    if event.time.is_nan() {
        return Err(QueueError::NotANumber { owner, kind });
    }
    if owner == u32::MAX {
        return Err(QueueError::NoSuchOwner(owner));
    }
    event.time += 0.0; // -0 becomes 0
    Ok(event)
}

/// Serialises a queue as the list of its entries in order, which holds all that it does later.
macro_rules! serde_as_entries {
    ($type:ty $(, const $arity:ident)?) => {
        impl$(<const $arity: usize>)? serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_seq(crate::event::EventQueue::entries(self))
            }
        }
        impl<'de $(, const $arity: usize)?> serde::Deserialize<'de> for $type {
            fn deserialize<S: serde::Deserializer<'de>>(from: S) -> Result<Self, S::Error> {
                let entries = <Vec<(u32, crate::event::Event)>>::deserialize(from)?;
                let mut queue = Self::default();
                // A place is kept for each owner up to the last: numbers far beyond are those of no queue.
                let most = 1_000_000 + 16 * entries.len() as u64;
                for (owner, event) in entries {
                    if u64::from(owner) > most {
                        return Err(serde::de::Error::custom("an owner of events that there cannot be"));
                    }
                    crate::event::EventQueue::schedule(&mut queue, owner, event)
                        .map_err(serde::de::Error::custom)?;
                }
                Ok(queue)
            }
        }
    };
}
pub(super) use serde_as_entries;
