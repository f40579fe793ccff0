//! Effects of a displacement of grains at rest on the links between them, one by one.

use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::state::{Book, Effects, LinkEvent, Other};
use super::world::{Clock, Physics};
use crate::event::EventKind;
use crate::geometry::Dimension;

/// A link that a displacement formed, ended, or made slide or grip.
#[derive(Clone, Copy, Debug)]
pub struct LinkChange<D: Dimension> {
    /// Kind of the event; none if a link that slid before continues to slide.
    pub kind: Option<EventKind>,
    /// Slot of the first body.
    pub a: u32,
    /// The other body.
    pub b: Other,
    /// Point of contact, m.
    pub point: D::Vector,
    /// For a slide: the elastic energy that it released with the bodies fixed, J; and the same by
    /// the thesis's formula (4.36).
    pub heat: [f64; 2],
}

impl<D: Dimension> LinkChange<D> {
    /// A link that formed or ended.
    pub(super) fn between(kind: EventKind, a: u32, b: Other, at: &Kinematics<D>) -> Self {
        LinkChange {
            kind: Some(kind),
            a,
            b,
            point: at.point,
            heat: [0.0; 2],
        }
    }

    /// A link that slides now, or slid before; none for neither. `slid` gives both.
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

/// Counts these changes, and records them in the log if it includes links. Formed and ended links
/// are counted with the clusters.
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
                // There is no approach in an equilibrium solve.
                energy: if kind == EventKind::InsertLink {
                    0.0
                } else {
                    f64::NAN
                },
            });
        }
    }
}
