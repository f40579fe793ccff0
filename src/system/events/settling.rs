//! Grains that settle before time 0: gates are closed, outlets and feeds rest, and nothing is told.

use super::{Events, Tally};
use crate::body::Formed;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::system::jam_watch::SETTLE_LOOKS;
use crate::system::schedule::Source;

/// Schedules what settling needs: looks for rest, and its end.
pub(super) fn schedule_settling<D: Formed>(events: &mut Events<D>) {
    let (start, schedule) = (events.engine.time(), &mut events.course.schedule);
    if let Some(look) = events.course.sources.look().settling(start) {
        schedule.set(Source::Jam, look.time, look.kind);
    }
    schedule.set(Source::Finish, 0.0, EventKind::Finish);
}

/// Whether all hop so little that they count as settled: no grain that collides ever rests.
fn is_calm<D: Dimension>(events: &Events<D>) -> bool {
    let Some(settle) = events.setup.run.settle else {
        return true;
    };
    let (motion, spin) = events.engine.kinetic();
    let g = events.setup.fields.gravity.norm();
    let weights = events
        .present()
        .map(|(_, grain)| grain.mass * 2.0 * grain.radius * g);
    motion + spin <= settle.kinetic_fraction * weights.sum::<f64>()
}

/// Looks whether all have settled; the run begins where they have.
pub(super) fn look_for_rest<D: Formed>(events: &mut Events<D>) {
    let calm = is_calm(events);
    events.tally.calm_looks = if calm { events.tally.calm_looks + 1 } else { 0 };
    if events.tally.calm_looks >= SETTLE_LOOKS {
        begin(events);
    }
}

/// They have not come to rest, but settling has had its time.
pub(super) fn give_up_settling<D: Formed>(events: &mut Events<D>) {
    events.course.warnings.push(format!(
        "the grains had not come to rest after {} s of settling; the run starts all the same",
        events.setup.run.settle.map_or(0.0, |settle| settle.at_most)
    ));
    begin(events);
}

/// Time 0: books are opened, and all that the setup schedules is scheduled.
fn begin<D: Formed>(events: &mut Events<D>) {
    if events.tally.settling {
        events.engine.begin_at(0.0);
        events.tally = Tally::of(&events.setup, &events.engine);
        events.course.time = 0.0;
        events.course.schedule.clear();
    }
    events.course.journal.begin(events.setup.log.events);
    events.course.start(&events.setup);
    // No jam stands where all collide.
    events.course.schedule.cancel(Source::Jam);
    events.look_at_meters();
}

/// Begins, or settles first.
pub(super) fn begin_or_settle<D: Formed>(events: &mut Events<D>) {
    let fresh = events.course.schedule.first().is_none() && events.course.over.is_none();
    match (fresh, events.tally.settling) {
        (false, _) => {}
        (true, true) => schedule_settling(events),
        (true, false) => begin(events),
    }
}
