//! Perturbations as event sources: they disturb the whole at a time, or after a jam.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::system::PerturbWhen;

/// A perturbation that may come once, or after each of so many jams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct Perturbation {
    /// Index in order of the scenario.
    index: usize,
    /// Number of times that it has come.
    uses: u64,
}

impl Perturbation {
    /// Creates the perturbation with this index.
    pub fn new(index: usize) -> Self {
        Self { index, uses: 0 }
    }

    /// Counts one more use.
    pub fn used(&mut self) {
        self.uses += 1;
    }

    /// Returns when it comes after a jam that was found at a time, s.
    pub fn after_jam<D: Dimension>(&self, setup: &Setup<D>, time: f64) -> Option<Turn> {
        match setup.sources.perturbs[self.index].when {
            PerturbWhen::OnJam { delay, at_most }
                if at_most.is_none_or(|most| self.uses < most) =>
            {
                Some(turn(time + delay))
            }
            _ => None,
        }
    }
}

fn turn(time: f64) -> Turn {
    Turn {
        time,
        kind: EventKind::Perturb,
    }
}

impl<D: Dimension> EventSource<D> for Perturbation {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        match setup.sources.perturbs[self.index].when {
            PerturbWhen::At(time) => Some(turn(time)),
            PerturbWhen::OnJam { .. } => None,
        }
    }

    fn act(&mut self, _: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        // The jam that it was to break may be over.
        let when = sight.setup().sources.perturbs[self.index].when;
        let late = matches!(when, PerturbWhen::OnJam { .. }) && !sight.is_jammed();
        Answer {
            orders: match late {
                true => Vec::new(),
                false => vec![Order::Perturb(self.index)],
            },
            next: None,
        }
    }
}
