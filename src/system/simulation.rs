//! What the command line asks of any driver.

use super::events::Events;
use super::filled::{Filled, filling_part, moving_part};
use super::quasi_static::QuasiStatic;
use super::{Control, Outcome, QuasiStaticSetup, Setup, System, SystemError, ThenName};
use crate::cluster::integrate::Integrate;
use crate::record::{Sink, Summary};

/// A run: of motion ([`System`]), of quasi-static equilibria ([`QuasiStatic`]), or from collision to
/// collision ([`Events`]).
pub trait Simulation {
    /// Runs to the finish, an interruption or an error.
    ///
    /// # Errors
    /// A record that cannot be written, or a state from which no run goes on.
    fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError>;

    /// The figures so far. The names of program version and scenario are the caller's to fill in.
    fn summary(&self) -> Summary;
}

impl<D: Integrate> Simulation for System<D> {
    fn run(
        &mut self,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        System::run(self, sink, control)
    }

    fn summary(&self) -> Summary {
        System::summary(self)
    }
}

/// The driver that a setup asks for, at its start or from a saved state.
///
/// # Errors
/// A setup that cannot run; a state of another setup.
pub fn simulation<D: Integrate>(
    setup: Setup<D>,
    state: Option<&[u8]>,
) -> Result<Box<dyn Simulation>, SystemError> {
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
