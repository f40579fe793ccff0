//! Checks for rest, while grains settle, and for jams, as an event source.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};

/// Time between two rest checks while settling, s.
const SETTLE_LOOK: f64 = 0.01;

/// Time between two jam checks, in roots of diameter over gravity. A grain that is not at rest for good must show it within all checks:
/// a ball on a slope of s has an energy of s^2 / 3 (t^2 g / d) m g d after the time t. With half of it, 0.275, heaps beside an orifice that
/// only crept were taken for jams.
const JAM_LOOK: f64 = 0.55;

/// Source that checks whether all grains are at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct RestLook {
    /// Time between two jam checks, s; infinite where nothing falls.
    every: f64,
}

impl RestLook {
    /// Creates the source at the start of a setup, with the setup's own gravity, even if it is shaken later.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        let gravity = setup.fields.gravity.norm();
        let every = match setup.mean_diameter() {
            Some(diameter) if gravity > 0.0 => JAM_LOOK * (diameter / gravity).sqrt(),
            _ => f64::INFINITY,
        };
        Self { every }
    }

    /// Returns the next jam check after a time, s.
    pub fn after(&self, time: f64) -> Turn {
        turn(time + self.every)
    }

    /// Returns a time, s, by which so many jam checks are over, the first of which comes at a time, s.
    pub fn last_of(&self, first: f64, looks: u32) -> f64 {
        first + f64::from(looks) * self.every
    }

    /// Returns the next rest check after a time, s, while grains settle, which they do before time 0.
    pub fn settling(&self, time: f64) -> Option<Turn> {
        let next = time + SETTLE_LOOK;
        (next < 0.0).then(|| turn(next))
    }
}

fn turn(time: f64) -> Turn {
    Turn {
        time,
        kind: EventKind::Jam,
    }
}

impl<D: Dimension> EventSource<D> for RestLook {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        let flows = setup.fields.gravity.norm() > 0.0 && !setup.sources.outlets.is_empty();
        flows.then(|| self.after(setup.run.begin))
    }

    fn act(&mut self, time: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        let (order, next) = match sight.is_settling() {
            true => (Order::LookForRest, self.settling(time)),
            false => (Order::LookForJam, Some(self.after(time))),
        };
        Answer {
            orders: vec![order],
            next,
        }
    }
}
