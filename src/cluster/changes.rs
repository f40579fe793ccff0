//! What a displacement of grains that stand still does to the links among them, one by one.

use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::state::{Book, Effects, LinkEvent, Other};
use super::world::{Clock, Physics};
use crate::event::EventKind;
use crate::geometry::Dimension;

/// A link that a displacement opened, closed, or let slide or grip.
#[derive(Clone, Copy, Debug)]
pub struct LinkChange<D: Dimension> {
    /// What happened; none where a link that slid already slid on.
    pub kind: Option<EventKind>,
    /// Slot of the first body.
    pub a: u32,
    /// The other body.
    pub b: Other,
    /// Where the two touch, m.
    pub point: D::Vector,
    /// Of a slide: elastic energy that it set free with the bodies where they are, J; and the same by
    /// the thesis's formula (4.36).
    pub heat: [f64; 2],
}

impl<D: Dimension> LinkChange<D> {
    /// A link that came about or was lost.
    pub(super) fn between(kind: EventKind, a: u32, b: Other, at: &Kinematics<D>) -> Self {
        LinkChange {
            kind: Some(kind),
            a,
            b,
            point: at.point,
            heat: [0.0; 2],
        }
    }

    /// A link that slides now, or has slid until now; none when it did neither. `slid` tells both.
    pub(super) fn across(
        slid: [bool; 2],
        heat: [f64; 2],
        a: u32,
        b: Other,
        at: &Kinematics<D>,
    ) -> Option<Self> {
        let kind = match slid {
            [false, false] => return None,
            [false, true] => Some(EventKind::SlipLink),
            [true, false] => Some(EventKind::GripLink),
            [true, true] => None,
        };
        Some(LinkChange {
            kind,
            a,
            b,
            point: at.point,
            heat,
        })
    }
}

/// Counts these changes, and notes them for the log if it wants links. What came about and was lost
/// is counted with the clusters.
pub(super) fn book_changes<D: Integrate>(
    clock: &Clock,
    physics: &Physics<D>,
    book: &mut Book,
    effects: &mut Effects<D>,
) {
    let time = clock.time();
    for change in &effects.changes {
        let Some(kind) = change.kind else { continue };
        match kind {
            EventKind::SlipLink => book.counts.slipped += 1,
            EventKind::GripLink => book.counts.gripped += 1,
            _ => {}
        }
        if physics.options.log_links {
            effects.link_events.push(LinkEvent {
                kind,
                time,
                a: change.a,
                b: change.b,
                // Nothing approaches in a solve.
                energy: if kind == EventKind::InsertLink {
                    0.0
                } else {
                    f64::NAN
                },
            });
        }
    }
}
