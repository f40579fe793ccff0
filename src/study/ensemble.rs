//! Means over repeated runs: spread, intervals, and tests whether two means are equal within a margin.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::error::{StudyError, enough, finite, positive, share};
use super::special::{student_quantile, student_tail};

/// Mean and spread of independent values, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Number of values.
    pub count: usize,
    /// Mean value.
    pub mean: f64,
    /// Standard deviation, with n - 1.
    pub deviation: f64,
    /// Standard error of the mean.
    pub error: f64,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// A range with the probability that it contains the true value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability, 0 to 1.
    pub level: f64,
}

/// Result of a test of equivalence by two one-sided t tests (Schuirmann 1987).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Equivalence {
    /// Difference of the means.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// Greatest difference that counts as equal.
    pub margin: f64,
    /// Probability of data this close to equality if the true difference were the margin.
    pub probability: f64,
    /// Interval of the difference at the level 1 - 2 alpha: inside the margin exactly when equivalent.
    pub interval: Interval,
    /// Whether `probability` is at most alpha.
    pub equivalent: bool,
}

/// Returns mean and spread of at least two values.
pub fn spread(values: &[f64]) -> Result<Spread, StudyError> {
    enough("values to average", values.len(), 2)?;
    finite("value to average", values)?;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    Ok(Spread {
        count: values.len(),
        mean,
        deviation,
        error: deviation / count.sqrt(),
        least: values.iter().copied().fold(f64::INFINITY, f64::min),
        greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

impl Spread {
    /// Returns the mean's interval by Student's t: exact for normal values.
    pub fn interval(&self, level: f64) -> Result<Interval, StudyError> {
        share("level", level)?;
        Ok(around(
            self.mean,
            self.error,
            (self.count - 1) as f64,
            level,
        ))
    }
}

/// Returns the interval of any statistic from the quantiles of its values over resampled data (Efron 1979).
///
/// Equal seeds give equal intervals. For few values the true level is below the stated one.
pub fn bootstrap_interval(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    level: f64,
    resamples: usize,
    seed: u64,
) -> Result<Interval, StudyError> {
    enough("values to resample", values.len(), 2)?;
    finite("value to resample", values)?;
    enough("resamples", resamples, 2)?;
    share("level", level)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = vec![0.0; values.len()];
    let mut found = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        for place in &mut drawn {
            *place = values[rng.random_range(0..values.len())];
        }
        found.push(statistic(&drawn));
    }
    finite("statistic of a resample", &found)?;
    found.sort_by(f64::total_cmp);
    let tail = 0.5 * (1.0 - level);
    Ok(Interval {
        low: quantile(&found, tail),
        high: quantile(&found, 1.0 - tail),
        level,
    })
}

/// Returns a quantile of sorted values, interpolated linearly; `p` from 0 to 1, at least one value.
pub(super) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = (place as usize).min(sorted.len() - 1);
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - below as f64;
    sorted[below] * (1.0 - part) + sorted[above] * part
}

/// Tests whether the mean of `values` equals `reference` within `margin`.
///
/// Unlike a test of difference it does not call a mean equal merely because there are few data.
pub fn equivalent_to(
    values: &[f64],
    reference: f64,
    margin: f64,
    alpha: f64,
) -> Result<Equivalence, StudyError> {
    finite("reference", &[reference])?;
    let a = spread(values)?;
    two_one_sided(
        a.mean - reference,
        a.error,
        (a.count - 1) as f64,
        margin,
        alpha,
    )
}

/// Tests whether two means are equal within `margin`; spreads may differ (Welch 1947).
pub fn equivalent(
    first: &[f64],
    second: &[f64],
    margin: f64,
    alpha: f64,
) -> Result<Equivalence, StudyError> {
    let (a, b) = (spread(first)?, spread(second)?);
    let (va, vb) = (a.error * a.error, b.error * b.error);
    let shares = va * va / (a.count - 1) as f64 + vb * vb / (b.count - 1) as f64;
    let freedom = if shares > 0.0 {
        (va + vb) * (va + vb) / shares
    } else {
        (a.count + b.count - 2) as f64
    };
    two_one_sided(a.mean - b.mean, (va + vb).sqrt(), freedom, margin, alpha)
}

fn two_one_sided(
    difference: f64,
    error: f64,
    freedom: f64,
    margin: f64,
    alpha: f64,
) -> Result<Equivalence, StudyError> {
    positive("margin", margin)?;
    super::error::check("alpha", alpha, "above 0 and under 0.5", |a| {
        a > 0.0 && a < 0.5
    })?;
    let room = margin - difference.abs();
    let probability = if error > 0.0 {
        student_tail(room / error, freedom)
    } else if room > 0.0 {
        0.0
    } else {
        1.0
    };
    Ok(Equivalence {
        difference,
        error,
        margin,
        probability,
        interval: around(difference, error, freedom, 1.0 - 2.0 * alpha),
        equivalent: probability <= alpha,
    })
}

fn around(mean: f64, error: f64, freedom: f64, level: f64) -> Interval {
    let half = student_quantile(0.5 * (1.0 + level), freedom) * error;
    Interval {
        low: mean - half,
        high: mean + half,
        level,
    }
}
