//! Central queue of events.

use std::cmp::Reverse;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::FxHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::EventKind;

/// Owner of an entry in the queue. Entries at one time and of one kind come in this order; those of gates, feeds, perturbations and
/// controls in the order of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Source {
    /// The grid of steps.
    Step,
    /// Rows of the series.
    Series,
    Snapshot,
    /// Checks of outlets.
    Outlet,
    /// Checks for a jam and, while settling, for rest.
    Jam,
    Checkpoint,
    Finish,
    /// Grains in flight.
    Flight,
    /// Force fields with an inner state.
    Field,
    /// Gravity that turns slowly while no grain is stepped.
    Gravity,
    Meter,
    /// Grains of a quasi-static filling.
    Filling,
    /// Counts of nodes.
    Nodes,
    /// Loads of a group at rest, by the number of one of its grains.
    Rest(u32),
    Gate(u32),
    Feed(u32),
    Perturb(u32),
    Control(u32),
    /// Time up to which a caller from outside drives the run.
    Pause,
}

impl Source {
    /// Whether its events only look at the system: nothing that moves may depend on when they come.
    pub fn only_looks(self) -> bool {
        matches!(
            self,
            Source::Series
                | Source::Snapshot
                | Source::Meter
                | Source::Nodes
                | Source::Checkpoint
                | Source::Pause
                | Source::Finish
        )
    }
}

/// An entry of the queue. Entries are ordered by time, then kind, then source: by nothing that depends on addresses or on the history
/// of insertions.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Due {
    /// Time, s; no NaN, and no -0.
    pub time: f64,
    /// Kind of the event.
    pub kind: EventKind,
    /// Owner of the entry.
    pub source: Source,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |due: &Self| (due.kind, due.source);
        self.time
            .total_cmp(&other.time)
            .then_with(|| key(self).cmp(&key(other)))
    }
}

/// Queue with at most one entry for each source, earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    queue: PriorityQueue<Source, Reverse<Due>, BuildHasherDefault<FxHasher>>,
    /// Events at a NaN time, which were dropped.
    dropped: Vec<EventKind>,
}

impl Schedule {
    /// Sets the entry of a source in place of the one that it had; the old entry stays where the new time is NaN.
    pub fn set(&mut self, source: Source, time: f64, kind: EventKind) {
        if time.is_nan() {
            self.dropped.push(kind);
            return;
        }
        // -0 becomes 0.
        let time = time + 0.0;
        self.queue.push(source, Reverse(Due { time, kind, source }));
    }

    /// Returns the events that were dropped, since their times are NaN.
    pub fn dropped(&self) -> &[EventKind] {
        &self.dropped
    }

    /// Removes the entry of a source.
    pub fn cancel(&mut self, source: Source) {
        self.queue.remove(&source);
    }

    /// Returns the time at which a source is due, s.
    pub fn time_of(&self, source: Source) -> Option<f64> {
        self.queue.get_priority(&source).map(|due| due.0.time)
    }

    /// Returns the earliest entry.
    pub fn first(&self) -> Option<Due> {
        self.queue.peek().map(|(_, due)| due.0)
    }

    /// Returns the time of the earliest entry, s; infinity where there is none.
    pub fn first_time(&self) -> f64 {
        self.first().map_or(f64::INFINITY, |due| due.time)
    }

    /// Removes the earliest entry and returns it.
    pub fn pop(&mut self) -> Option<Due> {
        self.queue.pop().map(|(_, due)| due.0)
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.queue.clear();
    }
}

/// Written as the list of entries in order, which determines all that the queue does later.
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // A pause of the caller does not belong to the run.
        let own = self
            .queue
            .iter()
            .filter(|(source, _)| **source != Source::Pause);
        let mut all: Vec<Due> = own.map(|(_, due)| due.0).collect();
        all.sort_unstable();
        (all, &self.dropped).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (entries, dropped) = <(Vec<Due>, Vec<EventKind>)>::deserialize(from)?;
        let mut schedule = Self {
            dropped,
            ..Self::default()
        };
        for due in entries {
            schedule.set(due.source, due.time, due.kind);
        }
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut schedule: Schedule) -> Vec<(f64, Source)> {
        std::iter::from_fn(|| schedule.pop())
            .map(|due| (due.time, due.source))
            .collect()
    }

    #[test]
    fn order_is_by_time_then_kind_then_source() -> Result<(), Box<dyn std::error::Error>> {
        let mut schedule = Schedule::default();
        schedule.set(Source::Finish, 1.0, EventKind::Finish);
        schedule.set(Source::Feed(1), 1.0, EventKind::AddBody);
        schedule.set(Source::Feed(0), 1.0, EventKind::AddBody);
        schedule.set(Source::Perturb(0), -0.0, EventKind::Perturb);
        schedule.set(Source::Series, 0.0, EventKind::LogState);
        schedule.set(Source::Step, f64::INFINITY, EventKind::PredictTrajectory);
        schedule.set(Source::Step, 0.5, EventKind::PredictTrajectory);
        schedule.set(Source::Gate(3), 0.25, EventKind::BoundaryUpdate);
        schedule.cancel(Source::Gate(3));
        let saved = postcard::to_stdvec(&schedule)?;
        let expected = [
            (0.0, Source::Perturb(0)),
            (0.0, Source::Series),
            (0.5, Source::Step),
            (1.0, Source::Feed(0)),
            (1.0, Source::Feed(1)),
            (1.0, Source::Finish),
        ];
        assert_eq!(all(schedule), expected);
        assert_eq!(all(postcard::from_bytes(&saved)?), expected);
        Ok(())
    }

    #[test]
    fn what_is_at_no_time_leaves_what_was() {
        let mut schedule = Schedule::default();
        schedule.set(Source::Series, 2.0, EventKind::LogState);
        schedule.set(Source::Series, f64::NAN, EventKind::LogState);
        assert_eq!(schedule.dropped(), [EventKind::LogState]);
        assert_eq!(schedule.time_of(Source::Series), Some(2.0));
        assert_eq!(schedule.first_time(), 2.0);
        schedule.clear();
        assert_eq!(schedule.first_time(), f64::INFINITY);
    }
}
