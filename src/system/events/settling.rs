//! Settling of grains before time 0: gates are closed, outlets and feeds do nothing, and nothing is logged.

use super::{Events, Tally};
use crate::body::Formed;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::system::jam_watch::SETTLE_LOOKS;
use crate::system::schedule::Source;

/// Schedules the events of settling: rest checks, and its end.
pub(super) fn schedule_settling<D: Formed>(events: &mut Events<D>) {
    let (start, schedule) = (events.engine.time(), &mut events.course.schedule);
    if let Some(look) = events.course.sources.look().settling(start) {
        schedule.set(Source::Jam, look.time, look.kind);
    }
    schedule.set(Source::Finish, 0.0, EventKind::Finish);
}

/// Returns whether all hop so little that they count as settled: no grain that collides ever rests.
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

/// Checks whether all grains have settled; begins the run once they have.
pub(super) fn look_for_rest<D: Formed>(events: &mut Events<D>) {
    let calm = is_calm(events);
    events.tally.calm_looks = if calm { events.tally.calm_looks + 1 } else { 0 };
    if events.tally.calm_looks >= SETTLE_LOOKS {
        begin(events);
    }
}

/// Begins the run although the grains have not come to rest: the time for settling is over.
pub(super) fn give_up_settling<D: Formed>(events: &mut Events<D>) {
    events.course.warnings.push(format!(
        "the grains had not come to rest after {} s of settling; the run starts all the same",
        events.setup.run.settle.map_or(0.0, |settle| settle.at_most)
    ));
    begin(events);
}

/// Begins at time 0: opens the balances, and schedules all sources of the setup.
fn begin<D: Formed>(events: &mut Events<D>) {
    if events.tally.settling {
        events.engine.begin_at(0.0);
        events.tally = Tally::of(&events.setup, &events.engine);
        events.course.time = 0.0;
        events.course.schedule.clear();
    }
    events.course.journal.begin(events.setup.log.events);
    events.course.start(&events.setup);
    // No jam can be established where all grains collide.
    events.course.schedule.cancel(Source::Jam);
    events.look_at_meters();
}

/// Begins the run, or settling before it.
pub(super) fn begin_or_settle<D: Formed>(events: &mut Events<D>) {
    let fresh = events.course.schedule.first().is_none() && events.course.over.is_none();
    match (fresh, events.tally.settling) {
        (false, _) => {}
        (true, true) => schedule_settling(events),
        (true, false) => begin(events),
    }
}
