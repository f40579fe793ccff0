//! Common interface of all drivers, whichever models they have.

use super::command;
use super::events::Events;
use super::filled::{Filled, filling_part, moving_part};
use super::quasi_static::QuasiStatic;
use super::{Control, Outcome, QuasiStaticSetup, Setup, System, SystemError, ThenName, turning};
use crate::cluster::integrate::Integrate;
use crate::control::Command;
use crate::record::{GrainRow, LinkRow, Sink, Summary};

/// Rows of all grains and links at one time.
pub type Rows = (Vec<GrainRow>, Vec<LinkRow>);

/// Driver of a run: of motion ([`System`]), of quasi-static equilibria ([`QuasiStatic`]), or from collision to
/// collision ([`Events`]).
pub trait Driver {
    /// Runs to the finish, an interruption or an error.
    ///
    /// # Errors
    /// A record that cannot be written, or a state from which no run goes on.
    fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        let outcome = self.run_until(f64::INFINITY, sink, control)?;
        Ok(outcome.unwrap_or(Outcome::Finished))
    }

    /// Runs up to a time (s), or to the end if that comes first; `None` if the run can go on from there. Handles all events due until then.
    /// A pause to observe the run changes no bit of what follows.
    ///
    /// # Errors
    /// As [`Driver::run`].
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError>;

    /// Returns the present time of the run, s.
    fn time(&self) -> f64;

    /// Executes and logs a command at the present time of the run.
    ///
    /// # Errors
    /// A command that the run cannot take, by which nothing is changed; as [`Driver::run`].
    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// Returns all grains in order of number, all at [`Driver::time`], and all links as of the last evaluation before it. Event-driven runs
    /// have no links.
    fn rows(&mut self) -> Rows;

    /// Returns the state, from which [`driver_of`] resumes with the same bits.
    ///
    /// # Errors
    /// A state that cannot be written down.
    fn save(&mut self) -> Result<Vec<u8>, SystemError>;

    /// Returns the figures so far. The caller fills in the names of program version and scenario.
    fn summary(&self) -> Summary;
}

impl<D: Integrate> Driver for System<D> {
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        System::run_until(self, time, sink, control)
    }

    fn time(&self) -> f64 {
        self.time_now()
    }

    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError> {
        turning::telling(turning::own_frame(&self.setup), sink, |sink| {
            command::give(self, command, sink)
        })
    }

    fn rows(&mut self) -> Rows {
        let time = Driver::time(self);
        (self.grain_rows(time), self.link_rows(time))
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        System::save(self)
    }

    fn summary(&self) -> Summary {
        System::summary(self)
    }
}

/// Returns the driver that a setup requires, at its start or from a saved state.
///
/// # Errors
/// A setup that cannot run; a state of another setup.
pub fn driver_of<D: Integrate>(
    setup: Setup<D>,
    state: Option<&[u8]>,
) -> Result<Box<dyn Driver>, SystemError> {
    if setup.models.events.is_some() {
        return Ok(Box::new(Events::new(setup, state)?));
    }
    if moving_part(&setup).is_some() {
        return Ok(Box::new(Filled::new(&setup, state)?));
    }
    // The run ends before motion begins.
    let waits = |settings: &QuasiStaticSetup| settings.then == ThenName::Motion;
    let setup = match setup.models.quasi_static.as_ref().is_some_and(waits) {
        true => filling_part(&setup),
        false => setup,
    };
    Ok(match (setup.models.quasi_static, state) {
        (Some(_), state) => Box::new(QuasiStatic::new(setup, state)?),
        (None, Some(state)) => Box::new(System::restore(setup, state)?),
        (None, None) => Box::new(System::new(setup)?),
    })
}
