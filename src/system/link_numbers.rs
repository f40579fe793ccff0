//! Numbers of links in logs.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::event::EventKind;
use crate::record::BodyRef;

/// Numbers of links, given in order of creation when links are logged one by one. Bodies of several parts, and walls of
/// several pieces, may touch in several places at once: these places share one number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<((u32, i64), u64)>", into = "Vec<((u32, i64), u64)>")]
pub struct LinkNumbers {
    // Looked up, and iterated only to be sorted: its order decides nothing.
    open: FxHashMap<(u32, i64), Open>,
    last: u64,
}

/// A pair in touch.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u64,
    /// Number of places in touch.
    places: u32,
}

/// An entry for each place in which a pair touches, and one for the last number.
impl From<Vec<((u32, i64), u64)>> for LinkNumbers {
    fn from(entries: Vec<((u32, i64), u64)>) -> Self {
        let mut numbers = LinkNumbers::default();
        for (key, number) in entries {
            if key == (u32::MAX, i64::MAX) {
                numbers.last = number;
            } else {
                let open = numbers.open.entry(key);
                open.or_insert(Open { number, places: 0 }).places += 1;
            }
        }
        numbers
    }
}

impl From<LinkNumbers> for Vec<((u32, i64), u64)> {
    fn from(numbers: LinkNumbers) -> Self {
        let mut entries = vec![((u32::MAX, i64::MAX), numbers.last)];
        for (key, open) in numbers.open {
            entries.extend((0..open.places).map(|_| (key, open.number)));
        }
        entries.sort_unstable();
        entries
    }
}

impl LinkNumbers {
    fn key(a: BodyRef, b: BodyRef) -> (u32, i64) {
        match (a, b) {
            (BodyRef::Grain(a), BodyRef::Grain(b)) => (a.min(b), i64::from(a.max(b))),
            (BodyRef::Grain(a), other) => (a, other.code()),
            _ => (u32::MAX, 0),
        }
    }

    /// Continues after so many numbers that were given before.
    pub fn go_on_from(&mut self, last: u64) {
        self.last = last;
    }

    /// Returns the number of a pair whose link has an event.
    pub fn number(&mut self, a: BodyRef, b: BodyRef, kind: EventKind) -> u64 {
        let key = Self::key(a, b);
        let last = &mut self.last;
        let open = self.open.entry(key).or_insert_with(|| {
            *last += 1;
            // A pair in touch from the start gets its number at its first event.
            let places = u32::from(kind != EventKind::InsertLink);
            Open {
                number: *last,
                places,
            }
        });
        let number = open.number;
        match kind {
            EventKind::InsertLink => open.places += 1,
            EventKind::RemoveLink => open.places -= 1,
            _ => {}
        }
        if open.places == 0 {
            self.open.remove(&key);
        }
        number
    }

    /// Returns the number of a pair in touch, 0 if it has none yet.
    pub fn find(&self, a: BodyRef, b: BodyRef) -> u64 {
        self.open.get(&Self::key(a, b)).map_or(0, |o| o.number)
    }
}
