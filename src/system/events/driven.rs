//! Event-driven run under the common run loop: the engine handles collisions by itself up to the next event of a source.

use super::{Events, set_slide, settling, told};
use crate::body::{Formed, GrainId};
use crate::collide::engine::Stopped;
use crate::control::{Command, Readings};
use crate::event::EventKind;
use crate::geometry::Dimension;
use crate::neighbor::wrapped;
use crate::record::{Sink, Summary};
use crate::system::command::{self, Commanded};
use crate::system::journal::Journal;
use crate::system::run_loop::{self, Driven};
use crate::system::schedule::{Due, Schedule, Source};
use crate::system::source::{Order, Sight, Sources};
use crate::system::watch::{LOOK, Watch};
use crate::system::{Control, Driver, Outcome, Progress, Rows, Setup, SystemError};

impl<D: Dimension> Readings for Events<D> {
    fn passed(&self, meter: usize) -> i64 {
        self.meters.count(meter)
    }
}

impl<D: Dimension> Sight<D> for Events<D> {
    fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    fn is_settling(&self) -> bool {
        self.tally.settling
    }

    fn is_jammed(&self) -> bool {
        false
    }

    fn next_grain(&self) -> Option<GrainId> {
        self.population.traffic.next()
    }

    fn wrapped(&self, place: D::Vector) -> D::Vector {
        wrapped::<D>(&self.setup.space.periodic, place)
    }

    fn is_free(&mut self, place: D::Vector, radius: f64, _: f64) -> bool {
        self.engine.is_free(place, radius)
    }
}

impl<D: Formed> Driven<D> for Events<D> {
    fn queue(&mut self) -> (&mut Schedule, &mut Sources) {
        (&mut self.course.schedule, &mut self.course.sources)
    }

    fn start(&mut self, _: &mut dyn Sink) -> Result<(), SystemError> {
        settling::begin_or_settle(self);
        Ok(())
    }

    /// Runs collisions up to the next event of a source, in chunks.
    fn go_on(
        &mut self,
        watch: &mut Watch<'_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, SystemError> {
        let until = self.course.schedule.first_time();
        watch.worked(LOOK);
        let stopped = self.fly(until, sink)?;
        if stopped == Stopped::Until {
            return Ok(false);
        }
        self.course.time = self.engine.time();
        match stopped {
            Stopped::Collisions => Ok(true),
            stopped => Err(SystemError::Numerical(told(
                stopped,
                &self.setup,
                &self.population,
            ))),
        }
    }

    fn before(&mut self, due: Due) -> Result<(), SystemError> {
        self.course.journal.handle();
        self.course.time = due.time;
        let looks = matches!(due.source, Source::Series | Source::Meter | Source::Finish);
        if looks && !self.tally.settling {
            self.look_at_meters();
        }
        self.check_numbers()
    }

    fn carry_out(
        &mut self,
        order: Order<D>,
        due: Due,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        // The engine knows when each wall opens.
        if !matches!(order, Order::Open(_) | Order::Perturb(_) | Order::Warn(..)) {
            self.course.journal.count(due.kind);
        }
        match order {
            Order::Open(_) => {}
            Order::Row => sink.series(&self.series_row(due.time))?,
            Order::Snapshot => sink.snapshot(&self.grain_rows(due.time), &[])?,
            Order::Save => sink.checkpoint(&self.save()?)?,
            Order::Finish => self.finish(due.time, Outcome::Finished, sink)?,
            Order::Add(grain) => self.add(&grain, due.time, sink)?,
            Order::RemoveLeft => self.remove_left(due.time, sink)?,
            Order::Perturb(index) => self.perturb(index, due.time, sink)?,
            Order::Slide(wall) => {
                self.log(sink, (due.time, EventKind::BoundaryUpdate), None, 0.0)?;
                set_slide(&mut self.setup, wall, due.time);
                self.engine.slide(wall);
            }
            Order::Shut(feed) => {
                self.log(sink, (due.time, EventKind::BoundaryUpdate), None, 0.0)?;
                self.course.sources.shut(feed, due.time);
                self.course.schedule.cancel(Source::Feed(feed as u32));
            }
            Order::Count(_) => {}
            Order::LookForRest => settling::look_for_rest(self),
            Order::GiveUpSettling => settling::give_up_settling(self),
            Order::Warn(kind, words) => {
                self.course.journal.count(kind);
                self.course.warnings.push(words);
                self.log(sink, (due.time, kind), None, 0.0)?;
            }
            // Features that would give other orders are refused before a run.
            other => {
                return Err(SystemError::Setup(format!(
                    "no run of [events] takes {other:?}"
                )));
            }
        }
        Ok(())
    }

    fn after(&mut self, _: Due, _: &mut dyn Sink) -> Result<(), SystemError> {
        Ok(())
    }

    fn over(&self) -> Option<Outcome> {
        self.course.over
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.course.time,
            finish: self.setup.run.end_time,
            grains: self.engine.count(),
            discharged: self.population.traffic.discharged(),
        }
    }

    fn interrupt(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        sink.checkpoint(&self.save()?)?;
        self.log_stop(sink)
    }

    fn went_wrong(&mut self, error: &SystemError, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let energy = self.energy();
        let tells = (energy.kinetic + energy.potential).is_finite();
        match error {
            SystemError::Numerical(_) if tells => self.log_stop(sink),
            _ => Ok(()),
        }
    }

    fn spent(&mut self, seconds: f64) {
        self.course.wall_seconds += seconds;
    }

    /// The engine is at this time already.
    fn pause(&mut self, time: f64) {
        self.course.time = self.course.time.max(time);
    }
}

impl<D: Formed> Commanded<D> for Events<D> {
    fn setup_mut(&mut self) -> &mut Setup<D> {
        &mut self.setup
    }

    fn stands(&self) -> f64 {
        self.course.time
    }

    fn journal(&mut self) -> &mut Journal {
        &mut self.course.journal
    }

    fn will_open(&mut self, wall: usize, _: f64) {
        self.engine.open(wall);
    }
}

impl<D: Formed> Driver for Events<D> {
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        run_loop::run_until(self, time, sink, control)
    }

    fn time(&self) -> f64 {
        self.course.time
    }

    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError> {
        command::give(self, command, sink)
    }

    fn rows(&mut self) -> Rows {
        (self.grain_rows(self.course.time), Vec::new())
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        Events::save(self)
    }

    fn summary(&self) -> Summary {
        self.figures()
    }
}
