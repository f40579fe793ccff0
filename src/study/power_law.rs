//! Power laws fitted by maximum likelihood (Clauset, Shalizi & Newman 2009), for continuous sizes and for whole
//! numbers.
//!
//! The law holds from some x_min on, chosen so that the data above it are closest to the law in the sense of
//! Kolmogorov and Smirnov. A fit alone proves nothing: every sample has a best exponent. `goodness` and
//! `alternatives` test whether there is a power law.

use std::cmp::Reverse;

use rand::{Rng, RngExt};
use serde::Serialize;

use super::error::{StudyError, check, enough, positive};
use super::special::{scaled_zeta, scaled_zeta_value};

/// Possible values of the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// All real values above x_min.
    Continuous,
    /// Whole numbers.
    Discrete,
}

/// Choice of x_min.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Search {
    /// Fixed x_min, if given.
    pub start: Option<f64>,
    /// Greatest number of values tried as x_min: of more, evenly spaced ranks are used.
    pub candidates: usize,
    /// Least number of values from x_min on.
    pub tail: usize,
}

impl Default for Search {
    /// A tail of fewer than 50 values gives no reliable exponent (Clauset et al. 2009, 3.4).
    fn default() -> Self {
        Search {
            start: None,
            candidates: 100,
            tail: 50,
        }
    }
}

/// A power law p(x) ~ x^-exponent from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLaw {
    /// Kind of sizes.
    pub support: Support,
    /// The exponent, above 1.
    pub exponent: f64,
    /// Standard error, with x_min taken as known.
    pub error: f64,
    /// x_min, where the law begins.
    pub start: f64,
    /// Number of all sizes.
    pub count: usize,
    /// Number of sizes from x_min on.
    pub tail: usize,
    /// Greatest distance of the cumulative distributions of data and law.
    pub distance: f64,
    /// Greatest size over x_min, as a power of ten: the observed range of the law.
    pub decades: f64,
}

/// Greatest exponent searched for whole numbers; with a steeper law all sizes are x_min.
const STEEPEST: f64 = 60.0;

/// Fits a power law to positive sizes.
pub fn fit_power_law(
    values: &[f64],
    support: Support,
    search: &Search,
) -> Result<PowerLaw, StudyError> {
    Sample::new(values, support)?.fit(search)
}

impl PowerLaw {
    /// Returns the probability of a size of at least `x`, among those from x_min on.
    pub fn survival(&self, x: f64) -> f64 {
        self.survival_scaled(x, self.norm())
    }

    /// Sum of the powers of the whole numbers over x_min; 1 if sizes are continuous.
    fn norm(&self) -> f64 {
        match self.support {
            Support::Continuous => 1.0,
            Support::Discrete => scaled_zeta_value(self.exponent, self.start),
        }
    }

    fn survival_scaled(&self, x: f64, norm: f64) -> f64 {
        if x <= self.start {
            return 1.0;
        }
        let log = libm::log(x / self.start);
        match self.support {
            Support::Continuous => libm::exp((1.0 - self.exponent) * log),
            Support::Discrete => {
                let ratio = scaled_zeta_value(self.exponent, x) / norm;
                ratio * libm::exp(-self.exponent * log)
            }
        }
    }

    /// Returns the logarithm of the density, or for whole numbers of the probability, at `x` from x_min on.
    pub fn ln_density(&self, x: f64) -> f64 {
        self.ln_density_scaled(x, self.ln_norm())
    }

    pub(super) fn ln_norm(&self) -> f64 {
        match self.support {
            Support::Continuous => libm::log(self.start / (self.exponent - 1.0)),
            Support::Discrete => libm::log(self.norm()),
        }
    }

    pub(super) fn ln_density_scaled(&self, x: f64, ln_norm: f64) -> f64 {
        -self.exponent * libm::log(x / self.start) - ln_norm
    }
}

/// Draws random sizes from a power law.
#[derive(Clone, Debug)]
pub struct Drawer {
    law: PowerLaw,
    norm: f64,
    /// Survival function of the first whole numbers from x_min on.
    table: Vec<f64>,
}

/// Number of whole numbers in the table.
const TABLE: usize = 512;
/// Greatest whole number drawn: beyond it doubles do not represent all of them.
const LARGEST: f64 = 4_503_599_627_370_496.0;

impl Drawer {
    /// Prepares the table.
    pub fn new(law: PowerLaw) -> Self {
        let mut table = Vec::new();
        let norm = law.norm();
        if law.support == Support::Discrete {
            let mut left = 1.0;
            for k in 0..TABLE {
                table.push(left);
                let log = libm::log1p(k as f64 / law.start);
                left -= libm::exp(-law.exponent * log) / norm;
            }
        }
        Drawer { law, norm, table }
    }

    /// Draws one size.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        // 1 - u is never 0.
        let chance = 1.0 - rng.random::<f64>();
        let law = &self.law;
        if law.support == Support::Continuous {
            return law.start * libm::exp(-libm::log(chance) / (law.exponent - 1.0));
        }
        // The greatest whole number whose survival is at least `chance`.
        let within = self.table.partition_point(|&s| s >= chance);
        if within < self.table.len() {
            return law.start + within.max(1) as f64 - 1.0;
        }
        // Close to the inverse of the law shifted by a half (Clauset et al. 2009, eq. D.6); steps from there double.
        let holds = |x: f64| law.survival_scaled(x, self.norm) >= chance;
        let least = law.start + (self.table.len() - 1) as f64;
        let inverse = libm::exp(-libm::log(chance) / (law.exponent - 1.0));
        let guess = ((law.start - 0.5) * inverse + 0.5).floor();
        let guess = guess.clamp(least, (LARGEST - 1.0).max(least));
        let (mut low, mut high, mut step) = (guess, guess, 1.0);
        if guess == least || holds(guess) {
            high += step;
            while high < LARGEST && holds(high) {
                step *= 2.0;
                (low, high) = (high, (high + step).min(LARGEST));
            }
        } else {
            low = (high - step).max(least);
            while low > least && !holds(low) {
                step *= 2.0;
                (low, high) = ((low - step).max(least), low);
            }
        }
        while high - low > 1.0 {
            let middle = (0.5 * (low + high)).floor();
            if holds(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Sorted sizes, each value once.
pub(super) struct Sample {
    support: Support,
    /// Distinct values, ascending.
    values: Vec<f64>,
    logs: Vec<f64>,
    /// `below[k]`: number of sizes below `values[k]`; the last entry is the total.
    below: Vec<usize>,
    /// `rest[k]`: sum of the logarithms of all sizes from `values[k]` on.
    rest: Vec<f64>,
}

impl Sample {
    pub(super) fn new(values: &[f64], support: Support) -> Result<Self, StudyError> {
        enough("sizes", values.len(), 2)?;
        for &v in values {
            positive("size", v)?;
            if support == Support::Discrete {
                check("size", v, "a whole number under 4.5e15", |v| {
                    v == v.floor() && v <= LARGEST
                })?;
            }
        }
        Ok(Sample::sorted(values.to_vec(), support))
    }

    /// Builds the sample from values that have been checked.
    pub(super) fn sorted(mut all: Vec<f64>, support: Support) -> Self {
        all.sort_unstable_by(f64::total_cmp);
        let (mut values, mut below) = (Vec::new(), Vec::new());
        for (i, &v) in all.iter().enumerate() {
            if values.last() != Some(&v) {
                values.push(v);
                below.push(i);
            }
        }
        below.push(all.len());
        let logs: Vec<f64> = values.iter().map(|&v| libm::log(v)).collect();
        let mut rest = vec![0.0; values.len() + 1];
        for k in (0..values.len()).rev() {
            rest[k] = rest[k + 1] + logs[k] * (below[k + 1] - below[k]) as f64;
        }
        Sample {
            support,
            values,
            logs,
            below,
            rest,
        }
    }

    pub(super) fn fit(&self, search: &Search) -> Result<PowerLaw, StudyError> {
        let total = self.total();
        let need = search.tail.max(2);
        if let Some(start) = search.start {
            positive("x_min", start)?;
            if self.support == Support::Discrete {
                check("x_min", start, "a whole number", |v| v == v.floor())?;
            }
            let first = self.values.partition_point(|&v| v < start);
            enough("sizes from x_min on", total - self.below[first], need)?;
            return self.fit_from(first, start, f64::INFINITY, &mut 0).ok_or(
                StudyError::Undetermined {
                    what: "the exponent of a power law",
                },
            );
        }
        enough("sizes", total, need)?;
        let usable = self.below[..self.values.len()].partition_point(|&b| total - b >= need);
        let tried = usable.min(search.candidates.max(1));
        // The first of the closest laws. Coarse steps come before fine ones: with a close law known early, most others
        // are found to be worse at few sizes, above all at the one where the last was worst.
        let mut order: Vec<usize> = (0..tried).collect();
        order.sort_by_key(|k| Reverse(k.trailing_zeros()));
        let mut nearest: Option<PowerLaw> = None;
        let mut worst = 0;
        for k in order {
            let first = k * usable / tried;
            let within = nearest.map_or(f64::INFINITY, |law| law.distance);
            let law = self.fit_from(first, self.values[first], within, &mut worst);
            let closer = |law: &PowerLaw| {
                let tie = nearest.is_some_and(|old| law.start < old.start);
                law.distance < within || law.distance == within && tie
            };
            nearest = law.filter(closer).or(nearest);
        }
        nearest.ok_or(StudyError::Undetermined {
            what: "the exponent of a power law",
        })
    }

    fn total(&self) -> usize {
        self.below[self.values.len()]
    }

    /// Fits the law to the sizes from the distinct value `first` on; none where all are the same. A distance above
    /// `within` may be inexact, but is above `within`. `worst`: see [`Sample::distance`].
    fn fit_from(
        &self,
        first: usize,
        start: f64,
        within: f64,
        worst: &mut usize,
    ) -> Option<PowerLaw> {
        let tail = self.total() - self.below[first];
        let n = tail as f64;
        let ln_start = libm::log(start);
        let mean_log = self.rest[first] / n - ln_start;
        if mean_log.is_nan() || mean_log <= 1e-12 {
            return None;
        }
        let (exponent, error) = match self.support {
            Support::Continuous => {
                let slope = 1.0 / mean_log;
                (1.0 + slope, slope / n.sqrt())
            }
            Support::Discrete => whole_exponent(mean_log, n, start)?,
        };
        let mut law = PowerLaw {
            support: self.support,
            exponent,
            error,
            start,
            count: self.total(),
            tail,
            distance: 0.0,
            decades: (self.logs[self.logs.len() - 1] - ln_start) * std::f64::consts::LOG10_E,
        };
        law.distance = self.distance(&law, first, within, worst);
        Some(law)
    }

    /// Returns the distance of the data from the law, on both sides of every step of the data. `worst` is the distinct
    /// value that is looked at first, and then the one of the greatest distance.
    fn distance(&self, law: &PowerLaw, first: usize, within: f64, worst: &mut usize) -> f64 {
        let n = law.tail as f64;
        let ln_start = libm::log(law.start);
        let norm = law.norm();
        let left = |below: usize| 1.0 - (below - self.below[first]) as f64 / n;
        let gap = |k: usize| {
            let log = self.logs[k] - ln_start;
            // Survival at the value and just above it; the same unless the law has steps too.
            let (at, above) = match law.support {
                Support::Continuous => {
                    let s = libm::exp((1.0 - law.exponent) * log);
                    (s, s)
                }
                Support::Discrete => {
                    let power = libm::exp(-law.exponent * log) / norm;
                    let s = scaled_zeta_value(law.exponent, self.values[k]) * power;
                    (s, s - power)
                }
            };
            let at = (at - left(self.below[k])).abs();
            at.max((above - left(self.below[k + 1])).abs())
        };
        let mut distance: f64 = 0.0;
        for k in std::iter::once((*worst).max(first)).chain(first..self.values.len()) {
            let found = gap(k);
            if found > distance {
                (distance, *worst) = (found, k);
            }
            if distance > within {
                break;
            }
        }
        distance
    }
}

/// Returns exponent and error for whole numbers: where the mean of ln(x / x_min) under the law, minus the derivative
/// of ln zeta, equals that of the data (Clauset et al. 2009, eq. 3.5).
fn whole_exponent(mean_log: f64, n: f64, start: f64) -> Option<(f64, f64)> {
    // Mean and variance of ln(x / x_min) under the law.
    let moments = |s: f64| {
        let [z, slope, bend] = scaled_zeta(s, start);
        let mean = -slope / z;
        (mean, bend / z - mean * mean)
    };
    let (mut low, mut high) = (1.0 + 1e-9, STEEPEST);
    if moments(high).0 > mean_log {
        return None;
    }
    // Close enough for Newton's method: eq. 3.7 there. The bracket limits it otherwise.
    let mut s = (1.0 + 1.0 / (mean_log - libm::log1p(-0.5 / start))).clamp(1.01, STEEPEST);
    for _ in 0..100 {
        let (mean, variance) = moments(s);
        if mean > mean_log {
            low = s;
        } else {
            high = s;
        }
        let next = s + (mean - mean_log) / variance;
        let next = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        let step = (next - s).abs();
        s = next;
        if step < 1e-12 * s {
            break;
        }
    }
    let (_, variance) = moments(s);
    Some((s, 1.0 / (n * variance).sqrt()))
}
