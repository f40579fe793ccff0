//! Journal of events: their numbers by kind, the numbers of rows and of links, and the causes.

use serde::{Deserialize, Serialize};

use super::EventLog;
use super::link_numbers::LinkNumbers;
use crate::control::GivenCommand;
use crate::event::EventKind;
use crate::record::EventRow;

/// Numbers, in the log, of events that cause others; 0 where none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Causes {
    /// Event that is being handled: the cause of rows logged meanwhile.
    pub now: u64,
    /// Event of the last link that formed.
    pub link: u64,
    /// Event that will have ended the run: a jam, or the departure of the last grain.
    pub end: u64,
}

/// Journal of events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// Numbers of events handled, in the order of [`EventKind::ALL`].
    by_kind: Vec<u64>,
    /// Number of queue entries handled, except steps.
    handled: u64,
    /// Number of the last row.
    row: u64,
    pub links: LinkNumbers,
    pub causes: Causes,
    /// Commands given from outside, in order.
    pub given: Vec<GivenCommand>,
    /// Events that are logged one by one; none before time 0.
    #[serde(skip)]
    told: EventLog,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            by_kind: vec![0; EventKind::ALL.len()],
            handled: 0,
            row: 0,
            links: LinkNumbers::default(),
            causes: Causes::default(),
            given: Vec::new(),
            told: EventLog::None,
        }
    }
}

impl Journal {
    /// Begins at time 0: resets the counts, and logs events from now on.
    pub fn begin(&mut self, told: EventLog) {
        self.by_kind.fill(0);
        self.handled = 0;
        self.told = told;
    }

    /// Sets which events a resumed run logs from now on.
    pub fn go_on(&mut self, told: EventLog) {
        self.told = told;
    }

    /// Returns whether events of the whole system are logged one by one.
    pub fn tells(&self) -> bool {
        self.told != EventLog::None
    }

    /// Returns whether events of links are logged.
    pub fn tells_of_links(&self) -> bool {
        self.told == EventLog::Links
    }

    /// Counts an event of a kind.
    pub fn count(&mut self, kind: EventKind) {
        self.by_kind[kind as usize] += 1;
    }

    /// Counts so many more events of a kind.
    pub fn add(&mut self, kind: EventKind, events: u64) {
        self.by_kind[kind as usize] += events;
    }

    /// Counts a handled entry of the queue.
    pub fn handle(&mut self) {
        self.handled += 1;
    }

    /// Returns the number of queue entries handled, except steps.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Returns the numbers of events handled, in the order of [`EventKind::ALL`].
    pub fn by_kind(&self) -> &[u64] {
        &self.by_kind
    }

    /// Takes the numbers of events that all ranks handled.
    pub fn gather(&mut self, by_kind: Vec<u64>) {
        self.by_kind = by_kind;
    }

    /// Returns the number of the next row.
    pub fn next_number(&mut self) -> u64 {
        self.row += 1;
        self.row
    }

    /// Returns a row with the next number.
    pub fn row(&mut self, time: f64, kind: EventKind) -> EventRow {
        EventRow {
            position: [0.0; 3],
            ..EventRow::new(self.next_number(), time, kind)
        }
    }
}
