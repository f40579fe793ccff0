//! Proportions of runs, with confidence intervals.

use serde::Serialize;

use super::ensemble::Interval;
use super::error::{StudyError, check, enough, share};
use super::special::{incomplete_beta, normal_quantile};

/// A number of successes out of a number of trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Proportion {
    /// Number of successes.
    pub successes: u64,
    /// Number of trials.
    pub trials: u64,
}

impl Proportion {
    /// Returns a proportion of at least one trial, with no more successes than trials.
    ///
    /// # Errors
    /// Other numbers.
    pub fn new(successes: u64, trials: u64) -> Result<Self, StudyError> {
        enough("trials", usize::try_from(trials).unwrap_or(usize::MAX), 1)?;
        check("successes", successes as f64, "at most the trials", |s| {
            s <= trials as f64
        })?;
        Ok(Proportion { successes, trials })
    }

    /// Returns the fraction of successes.
    pub fn estimate(&self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    /// Returns Wilson's interval (1927): the proportions that a score test does not reject. Its coverage is near the
    /// level on average over proportions, also for few trials (Brown, Cai & DasGupta 2001).
    ///
    /// # Errors
    /// A level that is not between 0 and 1.
    pub fn wilson(&self, level: f64) -> Result<Interval, StudyError> {
        share("level", level)?;
        let (n, p) = (self.trials as f64, self.estimate());
        let z = normal_quantile(0.5 * (1.0 + level));
        let square = z * z / n;
        let middle = (p + 0.5 * square) / (1.0 + square);
        let half = z / (1.0 + square) * (p * (1.0 - p) / n + 0.25 * square / n).sqrt();
        // Exact at the ends, where rounding would matter.
        Ok(Interval {
            low: if self.successes == 0 {
                0.0
            } else {
                middle - half
            },
            high: if self.successes == self.trials {
                1.0
            } else {
                middle + half
            },
            level,
        })
    }

    /// Returns the interval of Clopper and Pearson (1934): its coverage is at least the level, for any proportion.
    ///
    /// # Errors
    /// A level that is not between 0 and 1.
    pub fn clopper_pearson(&self, level: f64) -> Result<Interval, StudyError> {
        share("level", level)?;
        let tail = 0.5 * (1.0 - level);
        let (k, n) = (self.successes as f64, self.trials as f64);
        // P(at least k) = I_p(k, n - k + 1), which grows with p.
        let low = match self.successes {
            0 => 0.0,
            _ => solve(|p| incomplete_beta(k, n - k + 1.0, p) - tail),
        };
        let high = match self.successes == self.trials {
            true => 1.0,
            false => solve(|p| incomplete_beta(k + 1.0, n - k, p) - (1.0 - tail)),
        };
        Ok(Interval { low, high, level })
    }
}

/// Returns the root of an increasing function between 0 and 1.
fn solve(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
