//! The driver.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Setup;
use crate::geometry::Dimension;
use crate::record::{RecordError, Sink, Summary};

/// Why a run cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The setup contradicts itself.
    #[error("{0}")]
    Setup(String),
    /// A record could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A number went wrong.
    #[error("{0}")]
    Numerical(String),
}

/// How a call of [`System::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The finish time was reached.
    Finished,
    /// The finish time was reached with everything at rest and nothing able to leave.
    Jammed,
    /// No grain was left.
    Empty,
    /// Stopped from outside after a checkpoint.
    Interrupted,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time, s; negative while settling.
    pub time: f64,
    /// When it ends, s.
    pub finish: f64,
    /// Grains in the system.
    pub grains: usize,
    /// Grains discharged.
    pub discharged: u64,
}

/// How a run is watched and stopped.
pub struct Control<'a> {
    /// Set from outside (Ctrl-C) to stop after a checkpoint.
    pub interrupted: &'a AtomicBool,
    /// Stop after this much wall time, with a checkpoint.
    pub wall_limit: Option<Duration>,
    /// Called now and then (some times a second).
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Number of threads for background work; never changes results.
    pub threads: usize,
}

/// What a run would do, for `arenite check`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Step of the clusters, s.
    pub step: f64,
    /// Why: one line a limit, the strictest first.
    pub reasons: Vec<String>,
    /// Advice, as a step that is too large for the damping.
    pub warnings: Vec<String>,
    /// Number of grains at the start, and number of links among them.
    pub grains: usize,
    /// Grain-steps if every grain were stepped all the time.
    pub grain_steps: f64,
}

/// A granular system under the event loop.
#[derive(Debug)]
pub struct System<D: Dimension> {
    setup: Setup<D>,
}

impl<D: Dimension> System<D> {
    /// The system at the start of its setup.
    pub fn new(setup: Setup<D>) -> Result<Self, SystemError> {
        Ok(System { setup })
    }
    /// The system from a checkpoint.
    pub fn restore(setup: Setup<D>, _state: &[u8]) -> Result<Self, SystemError> {
        Ok(System { setup })
    }
    /// The state, for a checkpoint.
    pub fn save(&self) -> Vec<u8> {
        Vec::new()
    }
    /// What would run.
    pub fn plan(_setup: &Setup<D>) -> Result<Plan, SystemError> {
        Err(SystemError::Setup("not yet".into()))
    }
    /// Runs to the end of the setup, or until interrupted.
    pub fn run(
        &mut self,
        _sink: &mut dyn Sink,
        _control: &mut Control<'_>,
    ) -> Result<Outcome, SystemError> {
        Ok(Outcome::Finished)
    }
    /// The figures so far.
    pub fn summary(&self) -> Summary {
        Summary::default()
    }
    /// The setup.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }
}
