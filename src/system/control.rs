//! Control and outcome of a run: how it is watched and stopped, how it ended, its plan.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Outcome of a call of [`System::run`](super::System::run).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time, s; negative while settling.
    pub time: f64,
    /// Finish time, s.
    pub finish: f64,
    /// Grains in the system.
    pub grains: usize,
    /// Grains discharged.
    pub discharged: u64,
}

/// Means to watch and to stop a run.
pub struct Control<'a> {
    /// Set from outside (Ctrl-C) to stop after a checkpoint.
    pub interrupted: &'a AtomicBool,
    /// Stop after this much wall time, with a checkpoint.
    pub wall_limit: Option<Duration>,
    /// Called some times a second.
    pub progress: Option<&'a mut (dyn FnMut(Progress) + Send)>,
    /// Number of threads that share the work; never changes results.
    pub threads: usize,
}

impl<'a> Control<'a> {
    /// Creates the control of a run that only `interrupted` stops early, unwatched, on one thread.
    pub fn new(interrupted: &'a AtomicBool) -> Self {
        Control {
            interrupted,
            wall_limit: None,
            progress: None,
            threads: 1,
        }
    }
}

/// Plan of a run, for `arenite check`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Step of the clusters, s.
    pub step: f64,
    /// Reasons for the step: one line for each limit, the strictest first.
    pub reasons: Vec<String>,
    /// Advice, for example on a step that is too large for the damping.
    pub warnings: Vec<String>,
    /// Number of grains at the start.
    pub grains: usize,
    /// Grain-steps if every grain were stepped all the time.
    pub grain_steps: f64,
    /// Seconds of one core that these take, with the parts of grains counted.
    pub seconds: f64,
}
