//! What is told of events: how many there were, the numbers of rows and of links, and what made what happen.

use serde::{Deserialize, Serialize};

use super::EventLog;
use super::link_numbers::LinkNumbers;
use crate::event::EventKind;
use crate::record::EventRow;

/// Events, by their numbers in the log, that make others happen; 0 where none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Causes {
    /// What is being handled: the cause of what is logged meanwhile.
    pub now: u64,
    /// The last link that formed.
    pub link: u64,
    /// What will have ended the run: a jam, or the last grain that left.
    pub end: u64,
}

/// The book of events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// Events handled, in the order of [`EventKind::ALL`].
    by_kind: Vec<u64>,
    /// Entries of the queue that were handled, but for steps.
    handled: u64,
    /// Number of the last row.
    row: u64,
    pub links: LinkNumbers,
    pub causes: Causes,
    /// What is told one by one; nothing before time 0.
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
            told: EventLog::None,
        }
    }
}

impl Journal {
    /// Time 0: nothing was handled before, and from now on events are told.
    pub fn begin(&mut self, told: EventLog) {
        self.by_kind.fill(0);
        self.handled = 0;
        self.told = told;
    }

    /// What is told from now on, of a run that goes on.
    pub fn go_on(&mut self, told: EventLog) {
        self.told = told;
    }

    /// Whether events of the whole are told one by one.
    pub fn tells(&self) -> bool {
        self.told != EventLog::None
    }

    /// Whether those of links are.
    pub fn tells_of_links(&self) -> bool {
        self.told == EventLog::Links
    }

    /// One more event of a kind was handled.
    pub fn count(&mut self, kind: EventKind) {
        self.by_kind[kind as usize] += 1;
    }

    /// So many more were.
    pub fn add(&mut self, kind: EventKind, events: u64) {
        self.by_kind[kind as usize] += events;
    }

    /// An entry of the queue is handled.
    pub fn handle(&mut self) {
        self.handled += 1;
    }

    /// Entries of the queue that were handled, but for steps.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Events handled, in the order of [`EventKind::ALL`].
    pub fn by_kind(&self) -> &[u64] {
        &self.by_kind
    }

    /// What all ranks handled.
    pub fn gather(&mut self, by_kind: Vec<u64>) {
        self.by_kind = by_kind;
    }

    /// The number of the next row.
    pub fn next_number(&mut self) -> u64 {
        self.row += 1;
        self.row
    }

    /// A row with the next number.
    pub fn row(&mut self, time: f64, kind: EventKind) -> EventRow {
        EventRow {
            position: [0.0; 3],
            ..EventRow::new(self.next_number(), time, kind)
        }
    }
}
