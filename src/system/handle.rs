//! What is done at each event that is not a step.

use std::time::Instant;

use super::Outcome;
use super::schedule::{Due, Source};
use super::ticks::tick_at;
use super::{System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::record::Sink;

impl<D: Integrate> System<D> {
    /// Handles an event that is not a step. The engine stands at the last step before it.
    pub(super) fn handle(&mut self, due: Due, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let (who, time) = (due.source, due.time);
        self.s.journal.handle();
        if !self.steps() {
            // Nobody steps: the grid moves on to here.
            let h = self.engine.options.step;
            let n = ((time - self.engine.time_of(0)) / h).floor() as i64;
            self.engine.skip_to(n);
        }
        self.forget_moment();
        if matches!(who, Source::Series | Source::Checkpoint | Source::Finish) {
            self.check_numbers()?;
        }
        if matches!(
            who,
            Source::Series
                | Source::Outlet
                | Source::Meter
                | Source::Perturb(_)
                | Source::Control(_)
        ) {
            self.look_at_meters(time);
        }
        match who {
            Source::Meter => self.schedule_meters(),
            Source::Series => {
                self.regroup(sink)?;
                self.count(EventKind::LogState);
                self.log_state(sink, time)?;
                self.look_at_zones(time);
                self.next_tick(Source::Series, self.setup.log.series, EventKind::LogState);
            }
            Source::Snapshot => {
                self.regroup(sink)?;
                self.count(EventKind::Visualize);
                self.log_snapshot(sink, time)?;
                self.next_tick(
                    Source::Snapshot,
                    self.setup.log.snapshots,
                    EventKind::Visualize,
                );
            }
            Source::Outlet => {
                self.count(EventKind::DeleteBodies);
                self.delete_left(sink, time)?;
                // In a jam nobody leaves: no ticks until it is broken.
                if self.s.watch.jam().is_none() {
                    self.next_tick(
                        Source::Outlet,
                        Some(self.setup.outlet_interval),
                        EventKind::DeleteBodies,
                    );
                }
                self.stop_if_empty(sink, time)?;
            }
            Source::Jam if self.s.stage.settling => self.look_for_rest(sink, time)?,
            Source::Jam => self.look_for_jam(sink, time)?,
            Source::Checkpoint => {
                self.count(EventKind::Checkpoint);
                self.next_tick(
                    Source::Checkpoint,
                    self.setup.log.checkpoint,
                    EventKind::Checkpoint,
                );
                self.schedule_step();
                self.s.stage.wall_seconds = self.wall_time();
                self.started_at = Instant::now();
                sink.checkpoint(&self.save())?;
            }
            Source::Finish if self.s.stage.settling => self.give_up_settling(sink)?,
            Source::Finish => {
                self.regroup(sink)?;
                self.check_all_overlaps()?;
                self.count(EventKind::Finish);
                let outcome = if self.s.watch.jam().is_some() {
                    Outcome::Jammed
                } else {
                    Outcome::Finished
                };
                self.finish(sink, time, outcome)?;
            }
            Source::Flight if self.flyers_collide() => self.fly_on(sink)?,
            Source::Flight => {
                self.renew(sink)?;
            }
            Source::Field => {
                self.count(EventKind::FieldUpdate);
                self.fields.handle_event(time);
                if let Some(next) = self.fields.next_event(time) {
                    self.schedule(Source::Field, next, EventKind::FieldUpdate);
                }
            }
            Source::Gravity => {
                self.count(EventKind::FieldUpdate);
                self.follow_gravity();
                self.follow_plan(sink)?;
            }
            Source::Gate(_) | Source::Feed(_) | Source::Control(_) => self.turn_of(due, sink)?,
            Source::Perturb(index) => self.perturb(sink, index as usize, time)?,
            // Taken by the loop.
            Source::Step => {}
        }
        self.balance_the_last(sink)?;
        self.schedule_step();
        Ok(())
    }

    pub(super) fn next_tick(&mut self, who: Source, every: Option<f64>, kind: EventKind) {
        let Some(every) = every else { return };
        // From the count, so that rounding does not add up.
        let first = if matches!(who, Source::Series | Source::Snapshot) {
            0
        } else {
            1
        };
        let n = self.s.ticks.next(who) + first;
        let time = match who {
            Source::Series | Source::Snapshot => tick_at(n, every, self.setup.finish),
            // A look at outlets at the very end would change the run.
            _ => n as f64 * every,
        };
        if time <= self.setup.finish {
            self.schedule(who, time, kind);
        }
    }

    fn stop_if_empty(&mut self, sink: &mut dyn Sink, time: f64) -> Result<(), SystemError> {
        let to_come = self
            .setup
            .feeds
            .iter()
            .zip(self.s.sources.feeds())
            .any(|(feed, now)| !feed.is_done(now.state(), &self.setup.forms));
        if self.setup.stop_when_empty && !to_come && self.grain_count() == 0 {
            self.finish(sink, time, Outcome::Empty)?;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        sink: &mut dyn Sink,
        time: f64,
        outcome: Outcome,
    ) -> Result<(), SystemError> {
        self.look_at_meters(time);
        self.fields.handle_event(time);
        self.account(time);
        // The last row tells of the end, whatever it is; it is part of it, and no event of its own.
        if self.setup.log.series.is_some() && self.s.ticks.last() < time {
            self.log_state(sink, time)?;
        }
        self.s.stage.held = super::ledger::held(&self.engine, &self.fields, time);
        self.s.ticks.end(time);
        self.log_zones(sink)?;
        self.log_wear(sink)?;
        self.s.journal.causes.now = self.s.journal.causes.end;
        self.log_whole(sink, time, EventKind::Finish, None)?;
        self.s.stage.over = Some(outcome);
        Ok(())
    }
}
