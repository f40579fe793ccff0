//! Controls as event sources.

use super::{Answer, EventSource, Order, Setup, Sight, Turn};
use crate::control::{Control, Order as Asked};
use crate::event::EventKind;
use crate::geometry::Dimension;

/// Returns the next check of a control, if it comes before the finish, s.
fn next(control: &Control, finish: f64) -> Option<Turn> {
    let time = control.next().filter(|&time| time <= finish)?;
    Some(Turn {
        time,
        kind: EventKind::BoundaryUpdate,
    })
}

impl<D: Dimension> EventSource<D> for Control {
    fn first(&self, setup: &Setup<D>) -> Option<Turn> {
        next(self, setup.run.end_time)
    }

    fn act(&mut self, time: f64, sight: &mut dyn Sight<D>) -> Answer<D> {
        let asked = (**self).act(time, &*sight);
        let orders = asked.into_iter().map(|order| match order {
            Asked::Slide(wall) => Order::Slide(wall),
            Asked::Shut(feed) => Order::Shut(feed),
        });
        Answer {
            orders: orders.collect(),
            next: next(self, sight.setup().run.end_time),
        }
    }
}
