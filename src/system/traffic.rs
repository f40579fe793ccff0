//! Record of the grains that came and left, and of the times.

use serde::{Deserialize, Serialize};

use super::state_hash::Departures;
use crate::body::{Grain, GrainId};
use crate::geometry::Dimension;
use crate::record::{Discharge, GrainFigures};

/// Grains that came and left since the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Traffic {
    /// Number of the next grain; no number is used again.
    next: GrainId,
    initial: u64,
    created: u64,
    removed: u64,
    /// Hash of the departed grains, with their motion.
    departures: Departures,
    discharged: u64,
    /// Times at which the first and the last grain passed an outlet, s.
    out: [f64; 2],
    /// Time at which a grain last came or left, s.
    changed: f64,
    /// Time at which a grain last passed each outlet, s.
    through: Vec<Option<f64>>,
}

impl Traffic {
    /// Creates the record before any grain comes.
    pub fn new(next: GrainId, outlets: usize) -> Self {
        Self {
            next,
            through: vec![None; outlets],
            ..Self::default()
        }
    }

    /// Sets the number of grains at the start.
    pub fn begin(&mut self, grains: usize) {
        self.initial = grains as u64;
    }

    /// Counts the grains at the start as added, since they came one by one, in a filling before.
    pub fn have_come(&mut self) {
        self.created += std::mem::take(&mut self.initial);
    }

    /// Returns the number of the next grain; `None` where all numbers are used.
    pub fn next(&self) -> Option<GrainId> {
        (self.next < GrainId::MAX).then_some(self.next)
    }

    /// Books the grain with the next number, which comes at a time, s.
    pub fn enter(&mut self, time: f64) {
        self.next += 1;
        self.created += 1;
        self.changed = time;
    }

    /// Books a grain that a perturbation removes.
    pub fn take_away(&mut self) {
        self.removed += 1;
    }

    /// Books a grain that leaves, as it is at a time, s.
    pub fn leave<D: Dimension>(&mut self, grain: &Grain<D>, time: f64) {
        self.removed += 1;
        self.changed = time;
        self.departures.book(grain, time);
    }

    /// Books a leaving grain that passes an outlet at a time, s.
    pub fn discharge(&mut self, outlet: Option<usize>, time: f64) {
        if self.discharged == 0 {
            self.out[0] = time;
        }
        self.out[1] = time;
        self.discharged += 1;
        if let Some(last) = outlet.and_then(|outlet| self.through.get_mut(outlet)) {
            *last = Some(time);
        }
    }

    /// Returns the number of grains that are there now.
    pub fn count(&self) -> usize {
        (self.initial + self.created - self.removed) as usize
    }

    /// Returns the number of grains that passed outlets.
    pub fn discharged(&self) -> u64 {
        self.discharged
    }

    /// Returns when the last grain passed an outlet, s.
    pub fn last_out(&self) -> Option<f64> {
        (self.discharged > 0).then_some(self.out[1])
    }

    /// Returns when a grain last came or left, s.
    pub fn changed(&self) -> f64 {
        self.changed
    }

    /// Returns when the last grain passed this outlet, s.
    pub fn last_through(&self, outlet: usize) -> Option<f64> {
        self.through.get(outlet).copied().flatten()
    }

    /// Returns the hash of departed grains.
    pub fn departures(&self) -> Departures {
        self.departures
    }

    /// Returns the figures of grains for the summary, given the present number.
    pub fn figures(&self, last: usize) -> GrainFigures {
        GrainFigures {
            initial: self.initial,
            created: self.created,
            removed: self.removed,
            last: last as u64,
        }
    }

    /// Returns the figures of the discharge for the summary.
    pub fn discharge_figures(&self) -> Discharge {
        let [first, last] = self.out;
        let out = self.discharged;
        Discharge {
            count: out,
            mean_rate: if out >= 2 && last > first {
                (out - 1) as f64 / (last - first)
            } else {
                0.0
            },
            first,
            last,
        }
    }

    /// Adds the record of another rank.
    pub fn add(&mut self, by: &Traffic) {
        if by.discharged > 0 {
            let [first, last] = &mut self.out;
            *first = match self.discharged {
                0 => by.out[0],
                _ => first.min(by.out[0]),
            };
            *last = last.max(by.out[1]);
        }
        for (to, by) in self.through.iter_mut().zip(&by.through) {
            *to = match (*to, *by) {
                (Some(a), Some(b)) => Some(f64::max(a, b)),
                (a, b) => a.or(b),
            };
        }
        self.changed = self.changed.max(by.changed);
        self.initial += by.initial;
        self.created += by.created;
        self.removed += by.removed;
        self.discharged += by.discharged;
        self.departures.add(by.departures);
    }
}
