//! Event sources that act at even intervals.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::system::schedule::Source;
use crate::system::ticks::tick_at;

/// A source whose events come at even intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct Ticker {
    source: Source,
    /// Number of events so far.
    turns: u64,
}

impl Ticker {
    /// All sources that tick.
    pub const ALL: [Source; 5] = [
        Source::Series,
        Source::Snapshot,
        Source::Outlet,
        Source::Meter,
        Source::Checkpoint,
    ];

    /// Creates the ticker of one of [`Ticker::ALL`].
    pub fn new(source: Source) -> Self {
        Self { source, turns: 0 }
    }

    /// Returns the source.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Returns the ticker without its events before a time (s).
    pub fn after<D: Dimension>(mut self, setup: &Setup<D>, time: f64) -> Self {
        if let Some(every) = self.every(setup) {
            self.turns = (time / every).floor() as u64;
        }
        self
    }

    /// Sets the number of events from which it counts.
    pub fn set(&mut self, turns: u64) {
        self.turns = turns;
    }

    /// Counts one more event; returns the next.
    pub fn tick<D: Dimension>(&mut self, setup: &Setup<D>) -> Option<Turn> {
        self.turns += 1;
        self.turn(setup)
            .filter(|turn| turn.time <= setup.run.end_time)
    }

    /// Returns the time between two events, s; `None` where there are none.
    fn every<D: Dimension>(&self, setup: &Setup<D>) -> Option<f64> {
        match self.source {
            Source::Series => setup.log.series,
            Source::Snapshot => setup.log.snapshots,
            Source::Checkpoint => setup.log.checkpoint,
            Source::Outlet => {
                (!setup.sources.outlets.is_empty()).then_some(setup.sources.outlet_interval)
            }
            // The shortest of all meters counts for all.
            _ => setup
                .sources
                .meters
                .iter()
                .map(|meter| meter.every)
                .reduce(f64::min),
        }
    }

    /// Returns the next event, even if it is past the finish. Times follow from the count, so that rounding does not add up.
    fn turn<D: Dimension>(&self, setup: &Setup<D>) -> Option<Turn> {
        let every = self.every(setup)?;
        let (time, kind) = match self.source {
            // These begin at time 0, and have a last event at the end.
            Source::Series => (
                tick_at(self.turns, every, setup.run.end_time),
                EventKind::LogState,
            ),
            Source::Snapshot => (
                tick_at(self.turns, every, setup.run.end_time),
                EventKind::Visualize,
            ),
            // A check of outlets at the very end would change the run.
            Source::Outlet => ((self.turns + 1) as f64 * every, EventKind::DeleteBodies),
            Source::Checkpoint => ((self.turns + 1) as f64 * every, EventKind::Checkpoint),
            _ => ((self.turns + 1) as f64 * every, EventKind::LogState),
        };
        Some(Turn { time, kind })
    }
}

impl<D: Dimension> EventSource<D> for Ticker {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        self.turn(setup)
    }

    fn act(&mut self, _: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        let orders = match self.source {
            Source::Series => vec![Order::Row],
            Source::Snapshot => vec![Order::Snapshot],
            Source::Outlet => vec![Order::RemoveLeft],
            Source::Checkpoint => vec![Order::Save],
            // Meters have been updated before each source that reads them.
            _ => Vec::new(),
        };
        let next = self.tick(sight.setup());
        // In a jam no grain leaves: checks begin again once it is broken.
        let rests = self.source == Source::Outlet && sight.is_jammed();
        Answer {
            orders,
            next: next.filter(|_| !rests),
        }
    }
}
