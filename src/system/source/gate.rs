//! Gates, which are walls that open at a time, as event sources.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::event::EventKind;
use crate::geometry::Dimension;

/// A wall that may open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct Gate {
    /// Index of the wall.
    wall: usize,
}

impl Gate {
    /// Creates the gate of the wall with this index.
    pub fn new(wall: usize) -> Self {
        Self { wall }
    }
}

impl<D: Dimension> EventSource<D> for Gate {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        let time = setup.boundaries[self.wall].opens_at?;
        Some(Turn {
            time: time.max(0.0),
            kind: EventKind::BoundaryUpdate,
        })
    }

    fn act(&mut self, _: f64, _: &mut dyn Sight<D>) -> Answer<D> {
        Answer {
            orders: vec![Order::Open(self.wall)],
            next: None,
        }
    }
}
