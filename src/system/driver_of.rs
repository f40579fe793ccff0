//! What is asked of any driver, whichever models it has.

use super::command;
use super::events::Events;
use super::filled::{Filled, filling_part, moving_part};
use super::quasi_static::QuasiStatic;
use super::{Control, Outcome, QuasiStaticSetup, Setup, System, SystemError, ThenName};
use crate::cluster::integrate::Integrate;
use crate::control::Command;
use crate::record::{GrainRow, LinkRow, Sink, Summary};

/// All grains and links of a moment.
pub type Rows = (Vec<GrainRow>, Vec<LinkRow>);

/// A run: of motion ([`System`]), of quasi-static equilibria ([`QuasiStatic`]), or from collision to
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

    /// The same up to a time (s), if the end does not come first; none: there the run goes on. All that is due until then is done, and that
    /// somebody looks changes no bit of what follows.
    ///
    /// # Errors
    /// As [`Driver::run`].
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError>;

    /// Where the run stands, s.
    fn time(&self) -> f64;

    /// Has a command carried out where the run stands, and logged.
    ///
    /// # Errors
    /// A command that the run cannot take, by which nothing is changed; as [`Driver::run`].
    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError>;

    /// All grains in order of number, all at [`Driver::time`], and all links as of the last evaluation before it. From collision to collision
    /// there are no links.
    fn rows(&mut self) -> Rows;

    /// The state, from which [`driver_of`] goes on with the same bits.
    ///
    /// # Errors
    /// A state that cannot be written down.
    fn save(&mut self) -> Result<Vec<u8>, SystemError>;

    /// The figures so far. The names of program version and scenario are the caller's to fill in.
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
        command::give(self, command, sink)
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

/// The driver that a setup asks for, at its start or from a saved state.
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
    // A run that ends before motion begins.
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
