//! A run from a program: built from a scenario or a setup, driven to any time, looked at on the way.
//!
//! What looks, an observer, a condition or the caller between two calls, changes no bit of the run: it goes on as if nobody had.

mod builder;
mod watchers;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::control::Command;
use crate::record::{GrainRow, LinkRow, Sink, Summary};
use crate::scenario::Problem;
use crate::system::{Control, Driver, Outcome, SystemError};

pub use builder::Builder;
use watchers::Watchers;

/// A run, wherever it stands.
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
    /// When, s; negative while grains settle.
    pub time: f64,
    /// In order of number.
    pub grains: Vec<GrainRow>,
    /// As of the last evaluation; none from collision to collision.
    pub links: Vec<LinkRow>,
}

/// Why a run does not go on for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has come to the time that was asked for.
    Time,
    /// A condition holds ([`Builder::stop_when`]): the first that does, by their order.
    Condition(usize),
    /// It is over, or was interrupted.
    Over(Outcome),
}

/// Why a simulation cannot be built, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scenario has a fault, told with file, line and key.
    #[error(transparent)]
    Scenario(#[from] Problem),
    /// The run cannot begin, or went wrong.
    #[error(transparent)]
    Run(#[from] SystemError),
    /// What was asked of the builder or of the run makes no sense.
    #[error("{0}")]
    Asked(String),
}

impl<'a> Simulation<'a> {
    /// A run to be put together.
    #[must_use]
    pub fn builder() -> Builder<'a> {
        Builder::new()
    }

    /// Runs to the end, or until a condition holds or somebody interrupts it.
    ///
    /// # Errors
    /// A record that cannot be written, or a state from which no run goes on.
    pub fn run(&mut self) -> Result<Stop, SimulationError> {
        self.run_until(f64::INFINITY)
    }

    /// The same up to a time (s) at most. All that is due until then is done.
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
                // Who was to look at that time does; there is nothing to be done any more.
                if outcome != Outcome::Interrupted && next <= self.driver.time() {
                    let moment = self.moment();
                    self.watchers.look(&moment);
                }
                return Ok(Stop::Over(outcome));
            }
            if until == next {
                let moment = self.moment();
                let told = self.watchers.look(&moment);
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

    /// Runs on by so much time (s) again and again until a time (s) or the end, and gives what is there each time. An interval that is not
    /// positive gives an error as its first item.
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

    /// Does something to the run where it stands, as a section of its scenario would have done then: logged with its events, told in its
    /// summary, and kept in its saved states.
    ///
    /// # Errors
    /// A command that the run or its models cannot take, by which nothing is changed; a record that cannot be written.
    pub fn command(&mut self, command: &Command) -> Result<(), SimulationError> {
        Ok(self.driver.command(command, &mut *self.sink)?)
    }

    /// Where it stands, s; negative while grains settle.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.driver.time()
    }

    /// All grains and links as they are now.
    pub fn moment(&mut self) -> Moment {
        let (grains, links) = self.driver.rows();
        Moment {
            time: self.driver.time(),
            grains,
            links,
        }
    }

    /// The figures so far, as `summary.json` has them.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            scenario: self.name.clone(),
            ..self.driver.summary()
        }
    }

    /// The state, from which [`Builder::resume`] goes on with the same bits.
    ///
    /// # Errors
    /// A state that cannot be written down.
    pub fn save(&mut self) -> Result<Vec<u8>, SimulationError> {
        Ok(self.driver.save()?)
    }

    /// Set to true, by a signal or by another thread, it stops the run after a checkpoint.
    #[must_use]
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    /// Dimensions of space.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }
}

/// Moments of a run at even intervals: [`Simulation::steps`].
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
        // By the count, so that rounding does not add up.
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
