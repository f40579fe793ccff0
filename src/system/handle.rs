//! What is done at each event that is not a step.

use std::time::Instant;

use super::Outcome;
use super::driver::owner;
use super::ticks::tick_at;
use super::{System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::event::{Event, EventKind};
use crate::record::Sink;

impl<D: Integrate> System<D> {
    /// Handles an event that is not a step. The engine stands at the last step before it.
    pub(super) fn handle(
        &mut self,
        who: u32,
        event: Event,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let time = event.time;
        if !self.steps() {
            // Nobody steps: the grid moves on to here.
            let h = self.engine.options.step;
            let n = ((time - self.engine.time_of(0)) / h).floor() as i64;
            self.engine.skip_to(n);
        }
        self.forget_moment();
        if matches!(who, owner::SERIES | owner::CHECKPOINT | owner::FINISH) {
            self.check_numbers()?;
        }
        let perturbs = self.perturb_owner(0);
        if matches!(who, owner::SERIES | owner::OUTLET | owner::METER) || who >= perturbs {
            self.look_at_meters(time);
        }
        match who {
            owner::METER => self.schedule_meters(),
            owner::SERIES => {
                self.regroup(sink)?;
                self.count(EventKind::LogState);
                self.log_state(sink, time)?;
                self.look_at_zones(time);
                self.next_tick(owner::SERIES, self.setup.log.series, EventKind::LogState);
            }
            owner::SNAPSHOT => {
                self.regroup(sink)?;
                self.count(EventKind::Visualize);
                self.log_snapshot(sink, time)?;
                self.next_tick(
                    owner::SNAPSHOT,
                    self.setup.log.snapshots,
                    EventKind::Visualize,
                );
            }
            owner::OUTLET => {
                self.count(EventKind::DeleteBodies);
                self.delete_left(sink, time)?;
                // In a jam nobody leaves: no ticks until it is broken.
                if !self.s.frozen {
                    self.next_tick(
                        owner::OUTLET,
                        Some(self.setup.outlet_interval),
                        EventKind::DeleteBodies,
                    );
                }
                self.stop_if_empty(sink, time)?;
            }
            owner::JAM if self.s.settling => self.look_for_rest(sink, time)?,
            owner::JAM => self.look_for_jam(sink, time)?,
            owner::CHECKPOINT => {
                self.count(EventKind::Checkpoint);
                self.next_tick(
                    owner::CHECKPOINT,
                    self.setup.log.checkpoint,
                    EventKind::Checkpoint,
                );
                self.schedule_step();
                self.s.wall_seconds = self.wall_time();
                self.started_at = Instant::now();
                sink.checkpoint(&self.save())?;
            }
            owner::FINISH if self.s.settling => self.give_up_settling(sink)?,
            owner::FINISH => {
                self.regroup(sink)?;
                self.check_all_overlaps()?;
                self.count(EventKind::Finish);
                let outcome = if self.s.jam.is_some() {
                    Outcome::Jammed
                } else {
                    Outcome::Finished
                };
                self.finish(sink, time, outcome)?;
            }
            owner::FLIGHT if self.flyers_collide() => self.fly_on(sink)?,
            owner::FLIGHT => {
                self.renew(sink)?;
            }
            owner::FIELD => {
                self.count(EventKind::FieldUpdate);
                self.fields.handle_event(time);
                if let Some(next) = self.fields.next_event(time) {
                    self.schedule(owner::FIELD, next, EventKind::FieldUpdate);
                }
            }
            owner::GRAVITY => {
                self.count(EventKind::FieldUpdate);
                self.follow_gravity();
                self.follow_plan(sink)?;
            }
            other => {
                let index = (other - owner::FIRST_BOUNDARY) as usize;
                let feeds = self.setup.boundaries.len();
                let perturbs = feeds + self.setup.feeds.len();
                if index < feeds {
                    self.open_gate(sink, index, time)?;
                } else if index < perturbs {
                    self.feed(sink, index - feeds, time)?;
                } else {
                    self.perturb(sink, index - perturbs, time)?;
                }
            }
        }
        self.balance_the_last(sink)?;
        self.schedule_step();
        Ok(())
    }

    pub(super) fn next_tick(&mut self, who: u32, every: Option<f64>, kind: EventKind) {
        let Some(every) = every else { return };
        let tick = &mut self.s.ticks[who as usize % 5];
        *tick += 1;
        // From the count, so that rounding does not add up.
        let first = if matches!(who, owner::SERIES | owner::SNAPSHOT) {
            0
        } else {
            1
        };
        let n = *tick + first;
        let time = match who {
            owner::SERIES | owner::SNAPSHOT => tick_at(n, every, self.setup.finish),
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
            .zip(&self.s.feeds)
            .any(|(feed, state)| !feed.is_done(state, &self.setup.forms));
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
        if self.setup.log.series.is_some() && self.s.last_tick < time {
            self.log_state(sink, time)?;
        }
        self.s.held = super::ledger::held(&self.engine, &self.fields, time);
        self.s.last_tick = time;
        self.log_zones(sink)?;
        self.log_wear(sink)?;
        self.s.causes.now = self.s.causes.end;
        self.log_whole(sink, time, EventKind::Finish, None)?;
        self.s.over = Some(outcome);
        Ok(())
    }
}
