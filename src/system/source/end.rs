//! End of settling, and of the run, as an event source.

use serde::{Deserialize, Serialize};

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::event::EventKind;
use crate::geometry::Dimension;

/// Source that ends settling when its time is over, and the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct End;

impl<D: Dimension> EventSource<D> for End {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        Some(Turn {
            time: setup.run.end_time,
            kind: EventKind::Finish,
        })
    }

    fn act(&mut self, _: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        let order = match sight.is_settling() {
            true => Order::GiveUpSettling,
            false => Order::Finish,
        };
        Answer {
            orders: vec![order],
            next: None,
        }
    }
}
