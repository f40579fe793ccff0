//! Handling of events that are not steps.

use super::schedule::{Due, Source};
use super::{
    Outcome, System, SystemError, air, driver, linear_response, logging, meter, perturb, reason,
    turning, wear, zones,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::record::Sink;

/// Prepares an event that is not a step. The world is at the last step before it.
pub(super) fn before<D: Integrate>(system: &mut System<D>, due: Due) -> Result<(), SystemError> {
    let (who, time) = (due.source, due.time);
    system.s.journal.handle();
    skip_to(system, time);
    if matches!(who, Source::Series | Source::Checkpoint | Source::Finish) {
        reason::check_numbers(&system.dem.world)?;
    }
    if !who.only_looks() {
        // What only looks must not decide when the sums are taken: the books would depend on the log.
        perturb::forget_moment(&mut system.s.perturb);
    }
    if matches!(
        who,
        Source::Series | Source::Outlet | Source::Meter | Source::Perturb(_) | Source::Control(_)
    ) {
        meter::look_at_meters(
            &system.setup,
            &system.dem.world,
            &system.s.stage,
            &mut system.s.meters,
            time,
        );
    }
    Ok(())
}

/// Moves the grid on to a time, s, where no grain is stepped.
pub(super) fn skip_to<D: Integrate>(system: &mut System<D>, time: f64) {
    if !driver::steps(&system.dem.world) {
        cluster::sleep_interface::skip_to(
            &mut system.dem.world.clock,
            &system.dem.world.sleeping,
            &mut system.dem.book,
            time,
        );
    }
}

/// Handles an event of flights, or of a gravity that changes while no grain is stepped.
pub(super) fn own_turn<D: Integrate>(
    system: &mut System<D>,
    source: Source,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    match source {
        Source::Flight => air::fly_on(system, sink),
        _ => {
            system.s.journal.count(EventKind::FieldUpdate);
            perturb::follow_gravity(
                &mut system.setup,
                &mut system.dem.world,
                &mut system.s.ledger,
                &mut system.s.perturb,
            );
            turning::gather_walls(
                &system.setup,
                &system.dem.world,
                &mut system.dem.book,
                &mut system.s.turned,
            );
            linear_response::follow_plan(system, sink)
        }
    }
}

impl<D: Integrate> System<D> {
    pub(super) fn stop_if_empty(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
    ) -> Result<(), SystemError> {
        let to_come = self.s.sources.to_come(&self.setup);
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
        // The last row reports the end, whatever it is; it is part of it, and no event of its own.
        if self.setup.log.series.is_some() && self.s.last_row.last() < time {
            logging::log_state(self, sink, time)?;
        }
        self.s.stage.held = super::ledger::held(&self.dem.world, &self.fields, time);
        self.s.last_row.end(time);
        zones::log_zones(&self.setup, &self.s.zones, sink)?;
        wear::log_wear(&self.setup, &self.dem.book.wear, sink)?;
        self.s.journal.causes.now = self.s.journal.causes.end;
        self.log(sink, time, EventKind::Finish, None)?;
        self.s.stage.over = Some(outcome);
        Ok(())
    }
}
