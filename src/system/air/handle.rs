//! The events of flyers, one after another.

use super::{AirTally, Foreseen, Kind, Next};
use crate::cluster::integrate::Integrate;
use crate::event::{Event, EventKind, EventQueue};
use crate::record::Sink;
use crate::system::schedule::Source;
use crate::system::{System, SystemError};

/// Events at one go, after which the driver looks at the clock.
const MANY: usize = 4096;

impl Next {
    fn kind(self) -> EventKind {
        match self {
            Next::Look => EventKind::PredictTrajectory,
            Next::Pair | Next::Wall => EventKind::Collision,
            Next::Return => EventKind::NeighborUpdate,
        }
    }
}

impl<D: Integrate> System<D> {
    /// Whether flyers collide.
    pub(in crate::system) fn flyers_collide(&self) -> bool {
        self.air.is_some()
    }

    /// What happened in flight since time 0; nothing where flyers do not collide.
    pub fn air_tally(&self) -> AirTally {
        self.air
            .as_ref()
            .map_or_else(AirTally::default, |air| air.s.tally)
    }

    /// Paths of flyers were changed from outside: all is foreseen anew at the next renewal.
    pub(in crate::system) fn forget_flyers(&mut self) {
        if let Some(air) = &mut self.air {
            air.forget();
        }
    }

    /// Nobody flies any more.
    pub(in crate::system) fn close_air(&mut self) {
        if let Some(air) = &mut self.air {
            air.clear();
            air.forget();
            self.s.schedule.cancel(Source::Flight);
        }
    }

    /// Puts a flyer's earliest event into the queue.
    pub(super) fn await_event(&mut self, id: u32, next: Foreseen) -> Result<(), SystemError> {
        let Some(air) = &mut self.air else {
            return Ok(());
        };
        air.s.bodies[id as usize].foreseen = next;
        let event = Event::new(next.time, next.next.kind());
        air.s.queue.schedule(id, event).map_err(|_| {
            SystemError::Numerical(format!(
                "grain {id} in flight is nowhere: its place or velocity is not a number any more"
            ))
        })
    }

    /// A grain is no flyer any more.
    pub(super) fn leave_air(&mut self, id: u32) {
        if let Some(air) = &mut self.air {
            air.unregister(id);
        }
    }

    /// The time of the grid to which a flyer comes back at a time, s.
    pub(super) fn grid_time(&self, time: f64) -> f64 {
        if self.engine.state.active.is_empty() {
            self.engine
                .time_of(self.idle_step(time).max(self.engine.state.n))
        } else {
            self.engine.time()
        }
    }

    /// Whether a flyer's path reaches back to the time of the grid.
    pub(super) fn is_free_to_return(&mut self, id: u32, time: f64) -> bool {
        let grid = self.grid_time(time);
        let slot = self.flyer(id);
        slot.is_some_and(|slot| self.engine.state.since[slot as usize] <= grid)
    }

    /// A flyer that collided since the last step comes back at the next.
    pub(super) fn await_step(&mut self, id: u32) -> Result<(), SystemError> {
        let step = self.engine.options.step;
        let slot = self.flyer(id).map_or(0, |slot| slot as usize);
        let since = self.engine.state.since[slot];
        // Half a step after it: then the grid stands there, whatever the rounding.
        let next = Foreseen {
            time: since + 1.5 * step,
            next: Next::Return,
            ..Foreseen::default()
        };
        self.await_event(id, next)
    }

    /// The last step before a time, were the grid to go on to there.
    fn idle_step(&self, time: f64) -> i64 {
        ((time - self.engine.time_of(0)) / self.engine.options.step).floor() as i64
    }

    /// Puts the flyers' first event into the queue of the driver.
    pub(in crate::system) fn schedule_flyers(&mut self) {
        let first = self.air.as_ref().and_then(|air| air.s.queue.peek());
        match first {
            Some((_, event)) if event.time.is_finite() => {
                // Never before what is done already.
                let time = event.time.max(self.engine.time());
                self.schedule(Source::Flight, time, event.kind);
            }
            _ => {
                self.s.schedule.cancel(Source::Flight);
            }
        }
    }

    /// What happens to flyers up to the next event of anybody else.
    pub(in crate::system) fn fly_on(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let limit = self.s.schedule.first_time();
        for round in 0..MANY {
            let Some(air) = &mut self.air else {
                return Ok(());
            };
            let Some((id, event)) = air.s.queue.peek() else {
                break;
            };
            if round > 0 && event.time >= limit {
                break;
            }
            air.s.queue.pop();
            let time = event.time.max(air.s.clock);
            air.s.clock = time;
            let body = air.s.bodies[id as usize];
            let next = body.foreseen;
            if body.kind != Kind::Flyer {
                continue;
            }
            match next.next {
                Next::Look => {
                    self.count(EventKind::PredictTrajectory);
                    self.foresee_again(id, time)?;
                }
                Next::Pair => {
                    let other = air.s.bodies[next.with as usize];
                    if other.kind == Kind::Flyer && other.path == next.detail {
                        let stepped = self.engine.state.counts.renewals;
                        self.meet_pair([id, next.with], time, sink)?;
                        if self.engine.state.counts.renewals != stepped {
                            break;
                        }
                    } else {
                        self.foresee_again(id, time)?;
                    }
                }
                Next::Wall => {
                    let stepped = self.engine.state.counts.renewals;
                    self.meet_wall(id, [next.with, next.detail], time, sink)?;
                    if self.engine.state.counts.renewals != stepped {
                        break;
                    }
                }
                Next::Return => {
                    let again = self.foresee_again(id, time)?;
                    let step = self.engine.options.step;
                    let due = again
                        .filter(|again| again.next == Next::Return && again.time <= time + step);
                    if due.is_some() {
                        if self.is_free_to_return(id, time) {
                            self.call_back(&[id], time, sink)?;
                            break;
                        }
                        self.await_step(id)?;
                    }
                }
            }
        }
        self.schedule_flyers();
        Ok(())
    }

    /// Sends flyers back to the grid.
    pub(super) fn call_back(
        &mut self,
        ids: &[u32],
        time: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        if self.engine.state.active.is_empty() {
            let n = self.idle_step(time);
            self.engine.skip_to(n);
        }
        let now = self.engine.time();
        self.count(EventKind::NeighborUpdate);
        self.s.known.plan = None;
        self.account(now);
        self.renew_air(sink, ids)
    }
}
