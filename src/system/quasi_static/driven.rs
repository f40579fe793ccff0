//! Filling under the common run loop: the entry of each grain is an event of its own.

use super::{QuasiStatic, loads, moving_walls, perturb};
use crate::body::{Formed, GrainId};
use crate::control::{Command, Readings};
use crate::geometry::Dimension;
use crate::record::{Sink, Summary};
use crate::system::command::{self, Commanded};
use crate::system::journal::Journal;
use crate::system::run_loop::{self, Driven};
use crate::system::schedule::{Due, Schedule, Source};
use crate::system::source::{Order, Sight, Sources};
use crate::system::watch::{LOOK, Watch};
use crate::system::{Control, Driver, Outcome, Progress, Rows, Setup, SystemError};

impl<D: Dimension> Readings for QuasiStatic<'_, D> {
    /// Returns 0: nothing passes.
    fn passed(&self, _: usize) -> i64 {
        0
    }
}

impl<D: Dimension> Sight<D> for QuasiStatic<'_, D> {
    fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    fn is_settling(&self) -> bool {
        false
    }

    fn is_jammed(&self) -> bool {
        false
    }

    fn next_grain(&self) -> Option<GrainId> {
        None
    }

    fn wrapped(&self, place: D::Vector) -> D::Vector {
        place
    }

    fn is_free(&mut self, _: D::Vector, _: f64, _: f64) -> bool {
        false
    }
}

impl<D: Formed> Driven<D> for QuasiStatic<'_, D> {
    fn queue(&mut self) -> (&mut Schedule, &mut Sources) {
        (&mut self.course.schedule, &mut self.course.sources)
    }

    /// Does nothing: the run was started when it was made, since a saved state is reached by going there.
    fn start(&mut self, _: &mut dyn Sink) -> Result<(), SystemError> {
        Ok(())
    }

    /// Adds a grain at its event.
    fn go_on(
        &mut self,
        watch: &mut Watch<'_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, SystemError> {
        let due = self.course.schedule.first();
        let Some(due) = due.filter(|due| due.source == Source::Filling) else {
            return Ok(false);
        };
        self.course.schedule.pop();
        watch.worked(LOOK);
        self.fill(due.time, sink, &|| watch.stops())?;
        Ok(true)
    }

    fn before(&mut self, due: Due) -> Result<(), SystemError> {
        self.course.journal.handle();
        let perturbs = matches!(due.source, Source::Perturb(_));
        if !(perturbs || due.source == Source::Finish && self.goes_on()) {
            self.course.journal.count(due.kind);
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        order: Order<D>,
        due: Due,
        sink: &mut dyn Sink,
    ) -> Result<(), SystemError> {
        let time = due.time;
        match order {
            Order::Row => sink.series(&self.series_row(time))?,
            Order::Snapshot => {
                self.snapshot(time, sink)?;
                self.tally.last_snapshot = Some(time);
            }
            Order::Save => sink.checkpoint(&self.save()?)?,
            Order::Open(wall) => moving_walls::open(self, wall, time, sink)?,
            Order::UpdateFields => loads::follow_loads(self, time, sink)?,
            Order::Perturb(index) => perturb::perturb(self, index, time, sink)?,
            Order::Finish if self.goes_on() => self.course.over = Some(Outcome::Finished),
            Order::Finish => self.finish(time, sink)?,
            // Features that would give other orders are refused before a run.
            other => {
                return Err(SystemError::Setup(format!(
                    "no run of [quasi_static] takes {other:?}"
                )));
            }
        }
        Ok(())
    }

    fn after(&mut self, due: Due, _: &mut dyn Sink) -> Result<(), SystemError> {
        self.course.time = due.time;
        Ok(())
    }

    fn over(&self) -> Option<Outcome> {
        self.course.over
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.course.time,
            finish: self.setup.run.end_time,
            grains: self.nodes.len(),
            discharged: 0,
        }
    }

    fn interrupt(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        sink.checkpoint(&self.save()?)?;
        if self.given_up.is_some() {
            // Between two equilibria there is nothing to report, and the run resumes only from the saved state.
            self.course.over = Some(Outcome::Interrupted);
            return Ok(());
        }
        self.log_stop(sink)
    }

    fn went_wrong(&mut self, _: &SystemError, sink: &mut dyn Sink) -> Result<(), SystemError> {
        if self.energy().balance_error.is_finite() {
            self.log_stop(sink)?;
        }
        Ok(())
    }

    fn spent(&mut self, seconds: f64) {
        self.course.wall_seconds += seconds;
    }

    fn pause(&mut self, time: f64) {
        self.course.time = self.course.time.max(time);
    }
}

impl<D: Formed> Commanded<D> for QuasiStatic<'_, D> {
    fn setup_mut(&mut self) -> &mut Setup<D> {
        &mut self.setup
    }

    fn stands(&self) -> f64 {
        self.course.time
    }

    fn journal(&mut self) -> &mut Journal {
        &mut self.course.journal
    }

    /// Does nothing: the filling reads in its setup which walls are there.
    fn will_open(&mut self, _: usize, _: f64) {}
}

impl<D: Formed> Driver for QuasiStatic<'_, D> {
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
        QuasiStatic::rows(self, self.course.time)
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        QuasiStatic::save(self)
    }

    fn summary(&self) -> Summary {
        self.figures()
    }
}
