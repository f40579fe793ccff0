//! The central queue: who acts next.

use std::cmp::Reverse;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::FxHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::EventKind;

/// Who has an entry in the queue. What is due at one time, and is of one kind, comes in this order; of gates, feeds, perturbations and controls in that of
/// the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Source {
    /// The grid of steps.
    Step,
    /// Rows of the series.
    Series,
    Snapshot,
    /// Looks at outlets.
    Outlet,
    /// Looks for a jam and, while settling, for rest.
    Jam,
    Checkpoint,
    Finish,
    /// Grains in flight.
    Flight,
    /// Force fields with an inner state.
    Field,
    /// Gravity that turns slowly while nobody steps.
    Gravity,
    Meter,
    /// Grains of a quasi-static filling.
    Filling,
    /// Counts of nodes.
    Nodes,
    /// Loads of a group that stands still, by the number of a grain of it.
    Rest(u32),
    Gate(u32),
    Feed(u32),
    Perturb(u32),
    Control(u32),
    /// Whoever drives the run from outside, up to a time.
    Pause,
}

/// An entry of the queue. Entries are ordered by time, then kind, then source: by nothing that depends on addresses or on the history of
/// insertions.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Due {
    /// When, s; no NaN, and no -0.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Who.
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

/// At most one entry for each source, earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    queue: PriorityQueue<Source, Reverse<Due>, BuildHasherDefault<FxHasher>>,
    /// Events at a time that is not a number: dropped.
    dropped: Vec<EventKind>,
}

impl Schedule {
    /// Sets the entry of a source in place of the one that it had; that stays where the new time is NaN.
    pub fn set(&mut self, source: Source, time: f64, kind: EventKind) {
        if time.is_nan() {
            self.dropped.push(kind);
            return;
        }
        // -0 becomes 0.
        let time = time + 0.0;
        self.queue.push(source, Reverse(Due { time, kind, source }));
    }

    /// Events that were dropped, since their times are no numbers.
    pub fn dropped(&self) -> &[EventKind] {
        &self.dropped
    }

    /// Takes the entry of a source out.
    pub fn cancel(&mut self, source: Source) {
        self.queue.remove(&source);
    }

    /// When a source is due, s.
    pub fn time_of(&self, source: Source) -> Option<f64> {
        self.queue.get_priority(&source).map(|due| due.0.time)
    }

    /// The earliest entry.
    pub fn first(&self) -> Option<Due> {
        self.queue.peek().map(|(_, due)| due.0)
    }

    /// When the earliest is due, s; without end where there is none.
    pub fn first_time(&self) -> f64 {
        self.first().map_or(f64::INFINITY, |due| due.time)
    }

    /// Takes the earliest entry out.
    pub fn pop(&mut self) -> Option<Due> {
        self.queue.pop().map(|(_, due)| due.0)
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.queue.clear();
    }
}

/// As the list of entries in order, which holds all that the queue does later.
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // Where somebody looks is not of the run.
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
