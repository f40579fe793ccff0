//! Ranks under the common run loop: each has the same queue, and their events come at the same moments.

use super::Domains;
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::control::Readings;
use crate::event::EventKind;
use crate::record::{NullSink, Sink};
use crate::system::run_loop::Driven;
use crate::system::schedule::{Due, Schedule, Source};
use crate::system::source::{Order, Sight, Sources};
use crate::system::watch::Watch;
use crate::system::{Outcome, Progress, Setup, SystemError, driver, reason, stillness};

impl<D: Integrate> Readings for Domains<'_, D> {
    fn passed(&self, meter: usize) -> i64 {
        self.system.passed(meter)
    }
}

/// As of one rank; ranks support no feeds, which would check for free places.
impl<D: Integrate> Sight<D> for Domains<'_, D> {
    fn setup(&self) -> &Setup<D> {
        &self.system.setup
    }

    fn is_settling(&self) -> bool {
        self.system.is_settling()
    }

    fn is_jammed(&self) -> bool {
        self.system.is_jammed()
    }

    fn next_grain(&self) -> Option<GrainId> {
        self.system.next_grain()
    }

    fn wrapped(&self, place: D::Vector) -> D::Vector {
        self.system.wrapped(place)
    }

    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool {
        self.system.is_free(place, radius, time)
    }
}

impl<D: Integrate> Driven<D> for Domains<'_, D> {
    fn queue(&mut self) -> (&mut Schedule, &mut Sources) {
        self.system.queue()
    }

    fn start(&mut self, _: &mut dyn Sink) -> Result<(), SystemError> {
        let system = &mut self.system;
        if system.s.stage.started {
            return Ok(());
        }
        system.s.stage.started = true;
        if system.s.stage.settling {
            driver::schedule_settling(&mut system.s);
        } else {
            system.begin(&mut NullSink)?;
        }
        self.renew()
    }

    /// Performs one step of all ranks, which agree in it whether to stop: each has its own clock, so the loop's check is not used.
    fn go_on(&mut self, watch: &mut Watch<'_, '_>, _: &mut dyn Sink) -> Result<bool, SystemError> {
        watch.report(|| self.progress());
        watch.look();
        let first = self.system.s.schedule.first();
        let clock = &self.system.dem.world.clock;
        let next = first.map_or(f64::INFINITY, |due| due.time);
        if self.stepped > 0 && clock.time_of(clock.n + 1) <= next {
            if self.step(watch.stops())? {
                self.ended = Some(Outcome::Interrupted);
            }
        } else if self.is_left_to_one() {
            self.ended = Some(Outcome::Finished);
        } else if first.is_some_and(|due| due.source == Source::Nodes) {
            // Groups that extend over several ranks are not assembled.
            self.system.s.schedule.pop();
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn before(&mut self, due: Due) -> Result<(), SystemError> {
        self.system.s.journal.handle();
        let dem = &mut self.system.dem;
        if self.stepped == 0 {
            // No grain is stepped: the grid moves on to this time.
            cluster::sleep_interface::skip_to(
                &mut dem.world.clock,
                &dem.world.sleeping,
                &mut dem.book,
                due.time,
            );
        }
        if due.source == Source::Series {
            let checked = reason::check_numbers(&self.system.dem.world);
            self.note(checked);
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        order: Order<D>,
        due: Due,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        match order {
            Order::Row => {
                self.count(EventKind::LogState);
                if let Some(row) = self.series_row(due.time)? {
                    let written = sink.series(&row).map_err(SystemError::from);
                    self.note(written);
                }
            }
            Order::Snapshot => {
                self.count(EventKind::Visualize);
                if let Some((grains, links)) = self.snapshot(due.time)? {
                    let written = sink.snapshot(&grains, &links).map_err(SystemError::from);
                    self.note(written);
                }
            }
            Order::RemoveLeft => {
                self.delete_left(due.time)?;
                if self.system.setup.run.stop_when_empty && self.grains == 0 {
                    // Rank 0 checks once more, and ends the run.
                    self.leave_to_one(due);
                } else {
                    self.count(EventKind::DeleteBodies);
                }
            }
            Order::LookForRest => self.look_for_rest(due.time)?,
            Order::LookForJam => self.look_for_jam(due)?,
            // Warnings of the other ranks are dropped in the end.
            Order::GiveUpSettling => stillness::give_up_settling(&mut self.system, &mut NullSink)?,
            Order::Open(wall) => self.open(wall, due.time)?,
            Order::Count(kind) => self.count(kind),
            // The other orders do not occur where ranks share a run, or rank 0 alone executes them.
            Order::Add(_)
            | Order::Slide(_)
            | Order::Shut(_)
            | Order::Save
            | Order::Finish
            | Order::UpdateFields
            | Order::Perturb(_)
            | Order::Warn(..) => {}
        }
        Ok(())
    }

    fn after(&mut self, _: Due, _: &mut dyn Sink) -> Result<(), SystemError> {
        Ok(())
    }

    /// Returns how the sharing ended; the part left to rank 0 ends later.
    fn over(&self) -> Option<Outcome> {
        self.ended
    }

    fn progress(&self) -> Progress {
        Progress {
            grains: self.grains as usize,
            ..self.system.progress()
        }
    }

    /// Never called, see [`Driven::go_on`]: rank 0 saves the gathered state.
    fn interrupt(&mut self, _: &mut dyn Sink) -> Result<(), SystemError> {
        Ok(())
    }

    fn went_wrong(&mut self, _: &SystemError, _: &mut dyn Sink) -> Result<(), SystemError> {
        Ok(())
    }

    /// Does nothing: rank 0 has a clock for the whole run.
    fn spent(&mut self, _: f64) {}

    /// Does nothing: the run is not observed before its end.
    fn pause(&mut self, _: f64) {}
}
