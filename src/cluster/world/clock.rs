//! The clock of steps.

use crate::cluster::integrate::IntegratorName;

/// Steps and their times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Time of step 0, s.
    pub origin: f64,
    /// Length of a step, s.
    pub step: f64,
    /// Integrator, which determines the time of evaluation within a step.
    pub integrator: IntegratorName,
    /// Number of the step.
    pub n: i64,
}

impl Clock {
    /// Upper bound of the displacement per step of a grain, whose speed squared (m^2/s^2) is at
    /// most the first number, plus that of a wall, m/s; m.
    pub(in crate::cluster) fn way_of(&self, [fastest, wall]: [f64; 2]) -> f64 {
        self.step * (fastest.sqrt() + wall)
    }

    /// Time of evaluation, to which the rows refer, s.
    pub fn time(&self) -> f64 {
        self.time_of(self.n)
    }

    /// Time of a step, s.
    pub fn time_of(&self, n: i64) -> f64 {
        let shift = if self.integrator == IntegratorName::Midpoint {
            0.5
        } else {
            0.0
        };
        self.origin + (n as f64 + shift) * self.step
    }

    /// Number of the last step before a time, s.
    pub fn step_before(&self, time: f64) -> i64 {
        ((time - self.time_of(0)) / self.step).floor() as i64
    }
}
