//! Grains that settle before time 0: gates are closed, outlets and feeds rest, and nothing is told.

use super::{Events, Tally};
use crate::body::Formed;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::system::jam_watch::SETTLE_LOOKS;
use crate::system::schedule::Source;

impl<D: Dimension> Events<D> {
    /// Schedules what settling needs: looks for rest, and its end.
    pub(super) fn schedule_settling(&mut self) {
        let (start, schedule) = (self.engine.time(), &mut self.course.schedule);
        if let Some(look) = self.course.sources.look().settling(start) {
            schedule.set(Source::Jam, look.time, look.kind);
        }
        schedule.set(Source::Finish, 0.0, EventKind::Finish);
    }

    /// Whether all hop so little that they count as settled: no grain that collides ever rests.
    fn is_calm(&self) -> bool {
        let Some(settle) = self.setup.run.settle else {
            return true;
        };
        let (motion, spin) = self.engine.kinetic();
        let g = self.setup.fields.gravity.norm();
        let weights = self
            .present()
            .map(|(_, grain)| grain.mass * 2.0 * grain.radius * g);
        motion + spin <= settle.kinetic_fraction * weights.sum::<f64>()
    }
}

impl<D: Formed> Events<D> {
    /// Looks whether all have settled; the run begins where they have.
    pub(super) fn look_for_rest(&mut self) {
        let calm = self.is_calm();
        self.tally.calm_looks = if calm { self.tally.calm_looks + 1 } else { 0 };
        if self.tally.calm_looks >= SETTLE_LOOKS {
            self.begin();
        }
    }

    /// They have not come to rest, but settling has had its time.
    pub(super) fn give_up_settling(&mut self) {
        self.people.warnings.push(format!(
            "the grains had not come to rest after {} s of settling; the run starts all the same",
            self.setup.run.settle.map_or(0.0, |settle| settle.at_most)
        ));
        self.begin();
    }

    /// Time 0: books are opened, and all that the setup schedules is scheduled.
    fn begin(&mut self) {
        if self.tally.settling {
            self.engine.begin_at(0.0);
            self.tally = Tally::of(&self.setup, &self.engine);
            self.course.time = 0.0;
            self.course.schedule.clear();
        }
        self.course.journal.begin(self.setup.log.events);
        self.course.start(&self.setup);
        // No jam stands where all collide.
        self.course.schedule.cancel(Source::Jam);
        self.look_at_meters();
    }

    /// Begins, or settles first.
    pub(super) fn begin_or_settle(&mut self) {
        let fresh = self.course.schedule.first().is_none() && self.course.over.is_none();
        match (fresh, self.tally.settling) {
            (false, _) => {}
            (true, true) => self.schedule_settling(),
            (true, false) => self.begin(),
        }
    }
}
