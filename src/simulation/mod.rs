//! A run from a program: built from a scenario or a setup, advanced to any time, and observed on the way.
//!
//! Observers, conditions and reads by the caller between two calls change no bit of the run.
//!
//! ```
//! use arenite::simulation::{Outcome, Simulation, SimulationError, Stop};
//!
//! fn main() -> Result<(), SimulationError> {
//!     let mut simulation = Simulation::builder()
//!         .scenario("oblique-impact")
//!         .set("run.finish=0.01")
//!         .build()?;
//!     assert_eq!(simulation.run_until(0.005)?, Stop::Time);
//!     // Goes on from a state with the same bits.
//!     let state = simulation.save()?;
//!     assert_eq!(simulation.run()?, Stop::Over(Outcome::Finished));
//!     let mut again = Simulation::builder()
//!         .scenario("oblique-impact")
//!         .set("run.finish=0.01")
//!         .resume(state)
//!         .build()?;
//!     again.run()?;
//!     assert_eq!(again.summary().state_hash, simulation.summary().state_hash);
//!     Ok(())
//! }
//! ```

mod builder;
mod watchers;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::control::Command;
use crate::record::{GrainRow, LinkRow, Sink, Summary};
use crate::scenario::Problem;
use crate::system::{Control, Driver};

pub use crate::system::{Outcome, SystemError};
pub use builder::Builder;
use watchers::Watchers;

/// A run at its current time.
pub struct Simulation<'a> {
    driver: Box<dyn Driver>,
    /// Name of the scenario.
    name: String,
    dimension: usize,
    threads: usize,
    sink: Box<dyn Sink + 'a>,
    watchers: Watchers<'a>,
    interrupted: Arc<AtomicBool>,
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("name", &self.name)
            .field("dimension", &self.dimension)
            .field("time", &self.driver.time())
            .finish_non_exhaustive()
    }
}

/// All grains and links at a time.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Time, s; negative while grains settle.
    pub time: f64,
    /// Grains in order of number.
    pub grains: Vec<GrainRow>,
    /// Links as of the last evaluation; empty for a run with `[events]`.
    pub links: Vec<LinkRow>,
}

/// Reason why a run has stopped for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The run has reached the requested time.
    Time,
    /// A condition holds ([`Builder::stop_when`]): the index of the first one, in the order in which they were added.
    Condition(usize),
    /// The run has finished or was interrupted.
    Over(Outcome),
}

/// Reason why a simulation cannot be built or continued.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scenario has a fault, reported with file, line and key.
    #[error(transparent)]
    Scenario(#[from] Problem),
    /// The run cannot begin, or went wrong.
    #[error(transparent)]
    Run(#[from] SystemError),
    /// A request to the builder or the run that makes no sense.
    #[error("{0}")]
    Asked(String),
}

impl<'a> Simulation<'a> {
    /// Returns the builder of a run.
    #[must_use]
    pub fn builder() -> Builder<'a> {
        Builder::new()
    }

    /// Runs to the end, until a condition holds, or until it is interrupted.
    ///
    /// # Errors
    /// A record that cannot be written, or a state from which a run cannot continue.
    pub fn run(&mut self) -> Result<Stop, SimulationError> {
        self.run_until(f64::INFINITY)
    }

    /// Runs as [`Simulation::run`] does, but at most to a time (s). Every event due by then is handled.
    ///
    /// # Errors
    /// As [`Simulation::run`]; a time that is not a number.
    pub fn run_until(&mut self, time: f64) -> Result<Stop, SimulationError> {
        if time.is_nan() {
            return Err(SimulationError::Asked(
                "the time to run until is not a number".into(),
            ));
        }
        loop {
            let next = self.watchers.next();
            let interrupted = Arc::clone(&self.interrupted);
            let mut control = Control {
                threads: self.threads,
                ..Control::new(&interrupted)
            };
            let until = next.min(time);
            let over = self
                .driver
                .run_until(until, &mut *self.sink, &mut control)?;
            if let Some(outcome) = over {
                // Watchers due at this time are still called; the run is over, so their commands and conditions have
                // no effect.
                if outcome != Outcome::Interrupted && next <= self.driver.time() {
                    let moment = self.moment();
                    self.watchers.look(&moment, true);
                }
                return Ok(Stop::Over(outcome));
            }
            if until == next {
                let moment = self.moment();
                let told = self.watchers.look(&moment, false);
                for command in &told.commands {
                    self.command(command)?;
                }
                if let Some(condition) = told.condition {
                    return Ok(Stop::Condition(condition));
                }
            }
            if until == time {
                return Ok(Stop::Time);
            }
        }
    }

    /// Advances the run by an interval (s) repeatedly, to a time (s) or the end, and yields the state after each
    /// interval. An interval that is not positive yields an error as the first item.
    pub fn steps(&mut self, every: f64, until: f64) -> Steps<'_, 'a> {
        Steps {
            begin: self.time().max(0.0),
            simulation: self,
            every,
            until,
            count: 0,
            over: false,
        }
    }

    /// Applies a command to the run at its current time, as a section of its scenario would have done then: it is
    /// logged with the events, reported in the summary, and kept in saved states.
    ///
    /// # Errors
    /// A command that the run or its models do not support, which changes nothing; a record that cannot be written.
    pub fn command(&mut self, command: &Command) -> Result<(), SimulationError> {
        Ok(self.driver.command(command, &mut *self.sink)?)
    }

    /// Returns the current time, s; negative while grains settle.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.driver.time()
    }

    /// Returns all grains and links at the current time.
    pub fn moment(&mut self) -> Moment {
        let (grains, links) = self.driver.rows();
        Moment {
            time: self.driver.time(),
            grains,
            links,
        }
    }

    /// Returns the summary so far, as in `summary.json`.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            scenario: self.name.clone(),
            ..self.driver.summary()
        }
    }

    /// Returns the state, from which [`Builder::resume`] continues with the same bits.
    ///
    /// # Errors
    /// A state that cannot be serialized.
    pub fn save(&mut self) -> Result<Vec<u8>, SimulationError> {
        Ok(self.driver.save()?)
    }

    /// Returns a flag that, set to true by a signal or another thread, stops the run after a checkpoint.
    #[must_use]
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    /// Returns the number of dimensions of space.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }
}

/// Iterator over the states of a run at even intervals: [`Simulation::steps`].
#[derive(Debug)]
pub struct Steps<'s, 'a> {
    simulation: &'s mut Simulation<'a>,
    begin: f64,
    every: f64,
    until: f64,
    count: u64,
    over: bool,
}

impl Iterator for Steps<'_, '_> {
    type Item = Result<Moment, SimulationError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        if self.every.is_nan() || self.every <= 0.0 {
            self.over = true;
            let text = format!(
                "moments come every {} s: it must be more than 0",
                self.every
            );
            return Some(Err(SimulationError::Asked(text)));
        }
        self.count += 1;
        // From the count, so that rounding errors do not accumulate.
        let time = self.begin + self.count as f64 * self.every;
        if time > self.until {
            self.over = true;
            return None;
        }
        match self.simulation.run_until(time) {
            Ok(Stop::Time) => Some(Ok(self.simulation.moment())),
            Ok(stop) => {
                self.over = true;
                let ended = !matches!(stop, Stop::Over(Outcome::Interrupted));
                let there = ended && self.simulation.time() >= time;
                there.then(|| Ok(self.simulation.moment()))
            }
            Err(error) => {
                self.over = true;
                Some(Err(error))
            }
        }
    }
}
