//! Force fields with an inner state, as an event source.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::geometry::Dimension;

/// Source that updates fields. Fields report their next update once they have made one, so that no event follows from the setup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct FieldTurns;

impl<D: Dimension> EventSource<D> for FieldTurns {
    fn first(&self, _: &Setup<D>) -> Option<Turn> {
        None
    }

    fn act(&mut self, _: f64, _: &mut dyn Sight<D>) -> Answer<D> {
        Answer {
            orders: vec![Order::UpdateFields],
            next: None,
        }
    }
}
