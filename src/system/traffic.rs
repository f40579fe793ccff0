//! Who came, who went, and when.

use serde::{Deserialize, Serialize};

use super::state_hash::Departures;
use crate::body::{Grain, GrainId};
use crate::geometry::Dimension;
use crate::record::{Discharge, GrainFigures};

/// Grains that came and went since the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Traffic {
    /// Number of the next grain that comes; none is used again.
    next: GrainId,
    initial: u64,
    created: u64,
    removed: u64,
    /// Who left with what motion.
    departures: Departures,
    discharged: u64,
    /// When the first and the last went through an outlet, s.
    out: [f64; 2],
    /// When one last came or left, s.
    changed: f64,
    /// When a grain last went through each outlet, s.
    through: Vec<Option<f64>>,
}

impl Traffic {
    /// Before anything comes.
    pub fn new(next: GrainId, outlets: usize) -> Self {
        Self {
            next,
            through: vec![None; outlets],
            ..Self::default()
        }
    }

    /// So many grains are there from the start.
    pub fn begin(&mut self, grains: usize) {
        self.initial = grains as u64;
    }

    /// Those that were there came one by one, in a filling before.
    pub fn have_come(&mut self) {
        self.created += std::mem::take(&mut self.initial);
    }

    /// Number of the next grain; none where all numbers are used.
    pub fn next(&self) -> Option<GrainId> {
        (self.next < GrainId::MAX).then_some(self.next)
    }

    /// The grain with the next number comes at a time, s.
    pub fn enter(&mut self, time: f64) {
        self.next += 1;
        self.created += 1;
        self.changed = time;
    }

    /// A grain is taken away from the world by a perturbation.
    pub fn take_away(&mut self) {
        self.removed += 1;
    }

    /// A grain leaves the world as it is at a time, s.
    pub fn leave<D: Dimension>(&mut self, grain: &Grain<D>, time: f64) {
        self.removed += 1;
        self.changed = time;
        self.departures.book(grain, time);
    }

    /// A grain that leaves goes through an outlet at a time, s.
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

    /// How many are there now.
    pub fn count(&self) -> usize {
        (self.initial + self.created - self.removed) as usize
    }

    /// How many went through outlets.
    pub fn discharged(&self) -> u64 {
        self.discharged
    }

    /// When the last went through an outlet, s.
    pub fn last_out(&self) -> Option<f64> {
        (self.discharged > 0).then_some(self.out[1])
    }

    /// When one last came or left, s.
    pub fn changed(&self) -> f64 {
        self.changed
    }

    /// When the last went through this one, s.
    pub fn last_through(&self, outlet: usize) -> Option<f64> {
        self.through.get(outlet).copied().flatten()
    }

    /// Hash of who left.
    pub fn departures(&self) -> Departures {
        self.departures
    }

    /// For the summary, with how many there are now.
    pub fn figures(&self, last: usize) -> GrainFigures {
        GrainFigures {
            initial: self.initial,
            created: self.created,
            removed: self.removed,
            last: last as u64,
        }
    }

    /// For the summary.
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

    /// What other ranks saw comes on top.
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
