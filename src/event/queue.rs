//! The event queue as a trait, and the order of events.

use serde::{Deserialize, Serialize};

use super::{EventKind, IndexedHeap};

/// The fastest queue for the access pattern of a run (`cargo bench --bench queue`). With 1e3, 1e5 and
/// 1e6 owners an operation took 26, 45 and 140 ns; with 4 children per node 26, 51 and 194; on the
/// reference queue 49, 133 and 603 (medians on a loaded two-core machine: only the ratios count).
pub type DefaultQueue = IndexedHeap<8>;

/// One event of one owner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time of the event, s.
    pub time: f64,
    /// Kind of the event.
    pub kind: EventKind,
    /// Generation of the subject for which the event was predicted.
    pub generation: u32,
    /// Data for the owner: the slot of a link, a partner, or a number.
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

/// Why the queue rejects an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The time is NaN and cannot be ordered.
    #[error("the time of event `{}` of owner {owner} is not a number", kind.name())]
    NotANumber {
        /// Slot of the owner.
        owner: u32,
        /// Kind of the event.
        kind: EventKind,
    },
    /// The greatest slot number is reserved for "none".
    #[error("{0} is not a slot of an owner: it stands for none")]
    NoSuchOwner(u32),
}

/// The central queue: at most one event per owner, earliest first.
///
/// Events are ordered by time (-0 equals 0), then kind, then owner, so that the order depends
/// neither on addresses nor on the history of insertions. Owners are dense slots: memory is
/// proportional to the greatest one. `+inf` is a valid time, later than all others.
pub trait EventQueue: Default {
    /// Sets the event of an owner and replaces the one that it had. Rejects a NaN time; the earlier
    /// event then stays.
    fn schedule(&mut self, owner: u32, event: Event) -> Result<(), QueueError>;
    /// Removes and returns the event of an owner.
    fn cancel(&mut self, owner: u32) -> Option<Event>;
    /// The earliest event.
    fn peek(&self) -> Option<(u32, Event)>;
    /// Removes and returns the earliest event.
    fn pop(&mut self) -> Option<(u32, Event)>;
    /// The event of an owner.
    fn get(&self, owner: u32) -> Option<Event>;
    /// Number of owners that have an event.
    fn len(&self) -> usize;
    /// Whether nothing is scheduled.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// All entries, earliest first.
    fn entries(&self) -> Vec<(u32, Event)>;
}

/// The sort key as one number: time, kind and owner from the highest bits down.
#[inline(always)]
pub(super) fn rank(owner: u32, event: &Event) -> u128 {
    let bits = event.time.to_bits();
    // Floats store sign and magnitude: negative numbers flip all bits, others only the sign.
    let flip = ((bits as i64 >> 63) as u64) | (1 << 63);
    (u128::from(bits ^ flip) << 64) | (u128::from(event.kind as u8) << 32) | u128::from(owner)
}

/// The owner in a rank.
#[inline(always)]
pub(super) fn owner_of(rank: u128) -> u32 {
    rank as u32
}

/// Returns the event with its time normalised for the order, or why it is rejected.
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

/// Serialises a queue as the ordered list of its entries, which determines its later behaviour.
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
                // A slot is kept for each owner up to the last: no valid queue has far greater numbers.
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
