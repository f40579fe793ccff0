//! What is done at each event that is not a step.

use super::schedule::{Due, Source};
use super::{
    Outcome, System, SystemError, air, apply, driver, known, logging, meter, perturb, reason,
    regimes, rest, wear, zones,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::record::Sink;

impl<D: Integrate> System<D> {
    /// Handles an event that is not a step. The engine stands at the last step before it.
    pub(super) fn handle(&mut self, due: Due, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let (who, time) = (due.source, due.time);
        self.s.journal.handle();
        if !driver::steps(&self.dem.world) {
            // Nobody steps: the grid moves on to here.
            cluster::rim::skip_to(
                &mut self.dem.world.clock,
                &self.dem.world.sleeping,
                &mut self.dem.book,
                time,
            );
        }
        perturb::forget_moment(&mut self.s.perturb);
        if matches!(who, Source::Series | Source::Checkpoint | Source::Finish) {
            reason::check_numbers(&self.dem.world)?;
        }
        if matches!(
            who,
            Source::Series
                | Source::Outlet
                | Source::Meter
                | Source::Perturb(_)
                | Source::Control(_)
        ) {
            meter::look_at_meters(
                &self.setup,
                &self.dem.world,
                &self.s.stage,
                &mut self.s.meters,
                time,
            );
        }
        match who {
            Source::Flight if air::flyers_collide(&self.air) => air::fly_on(self, sink)?,
            Source::Flight => {
                regimes::renew(self, sink)?;
            }
            Source::Gravity => {
                self.s.journal.count(EventKind::FieldUpdate);
                perturb::follow_gravity(
                    &mut self.setup,
                    &mut self.dem.world,
                    &mut self.s.ledger,
                    &mut self.s.perturb,
                );
                known::follow_plan(self, sink)?;
            }
            // Taken by the loop.
            Source::Step => {}
            _ => apply::turn_of(self, due, sink)?,
        }
        rest::balance_the_last(self, sink)?;
        self.schedule_step();
        Ok(())
    }

    pub(super) fn stop_if_empty(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
    ) -> Result<(), SystemError> {
        let to_come = self
            .setup
            .sources
            .feeds
            .iter()
            .zip(self.s.sources.feeds())
            .any(|(feed, now)| !feed.is_done(now.state(), &self.setup.matter.forms));
        if self.setup.run.stop_when_empty && !to_come && self.grain_count() == 0 {
            self.finish(sink, time, Outcome::Empty)?;
        }
        Ok(())
    }

    pub(super) fn finish(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        outcome: Outcome,
    ) -> Result<(), SystemError> {
        meter::look_at_meters(
            &self.setup,
            &self.dem.world,
            &self.s.stage,
            &mut self.s.meters,
            time,
        );
        self.fields.handle_event(time);
        self.account(time);
        // The last row tells of the end, whatever it is; it is part of it, and no event of its own.
        if self.setup.log.series.is_some() && self.s.last_row.last() < time {
            logging::log_state(self, sink, time)?;
        }
        self.s.stage.held = super::ledger::held(&self.dem.world, &self.fields, time);
        self.s.last_row.end(time);
        zones::log_zones(&self.setup, &self.s.zones, sink)?;
        wear::log_wear(&self.setup, &self.dem.book, sink)?;
        self.s.journal.causes.now = self.s.journal.causes.end;
        self.log(sink, time, EventKind::Finish, None)?;
        self.s.stage.over = Some(outcome);
        Ok(())
    }
}
