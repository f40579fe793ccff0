//! Distribution of contact forces relative to their mean, with the exponential tail known from packings of rigid
//! grains (Mueth, Jaeger & Nagel 1998).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::error::{StudyError, check, enough, finite, positive};
use super::histogram::{Bin, histogram};

/// Distribution of forces relative to their mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceDistribution {
    /// Number of forces.
    pub count: usize,
    /// Mean force, N.
    pub mean: f64,
    /// Standard deviation relative to the mean.
    pub variation: f64,
    /// Greatest force relative to the mean.
    pub greatest: f64,
    /// Fraction of forces below the mean.
    pub weak: f64,
    /// Histogram of force over mean.
    pub bins: Vec<Bin>,
}

/// Returns the distribution of normal forces (N, none negative) in bins of `width`, a fraction of the mean.
pub fn force_distribution(forces: &[f64], width: f64) -> Result<ForceDistribution, StudyError> {
    let scaled = over_mean(forces)?;
    positive("width of a bin", width)?;
    let greatest = scaled.iter().copied().fold(0.0, f64::max);
    check("number of bins", greatest / width, "at most 1e6", |n| {
        n <= 1e6
    })?;
    let bins = (greatest / width).floor() as usize + 1;
    let n = scaled.len() as f64;
    let square = scaled.iter().map(|f| (f - 1.0) * (f - 1.0)).sum::<f64>();
    Ok(ForceDistribution {
        count: scaled.len(),
        mean: forces.iter().sum::<f64>() / n,
        variation: (square / (n - 1.0)).sqrt(),
        greatest,
        weak: scaled.iter().filter(|&&f| f < 1.0).count() as f64 / n,
        bins: histogram(&scaled, 0.0, width * bins as f64, bins)?,
    })
}

/// Returns the forces relative to their mean, in the given order.
pub fn over_mean(forces: &[f64]) -> Result<Vec<f64>, StudyError> {
    enough("forces", forces.len(), 2)?;
    for &force in forces {
        check("normal force", force, "at least 0", |f| f >= 0.0)?;
    }
    let mean = positive(
        "mean force",
        forces.iter().sum::<f64>() / forces.len() as f64,
    )?;
    Ok(forces.iter().map(|f| f / mean).collect())
}

/// The tail exp(-rate x) above a cutoff, by maximum likelihood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExponentialTail {
    /// The cutoff.
    pub cut: f64,
    /// Number of values above it.
    pub count: usize,
    /// Fraction of all values.
    pub share: f64,
    /// Decay rate, in the inverse unit of the values.
    pub rate: f64,
    /// Standard error of the rate.
    pub error: f64,
    /// Greatest distance of the two cumulative distributions (Kolmogorov, Smirnov).
    pub distance: f64,
    /// Probability of a distance at least as great if the tail were exponential. Below 0.1 the exponential is
    /// doubtful.
    pub probability: f64,
}

/// Fits an exponential tail to the values above `cut`; for forces in units of their mean a cutoff of 1 is usual.
///
/// The rate is estimated from the same data, which makes distances smaller than Kolmogorov's table expects
/// (Lilliefors 1969); they are therefore compared with `replicas` random samples, whose distances do not depend on
/// the rate. Equal seeds give equal results.
pub fn exponential_tail(
    values: &[f64],
    cut: f64,
    replicas: usize,
    seed: u64,
) -> Result<ExponentialTail, StudyError> {
    finite("value of a distribution", values)?;
    finite("cut", &[cut])?;
    enough("replicas", replicas, 1)?;
    let mut tail: Vec<f64> = values
        .iter()
        .filter(|&&v| v > cut)
        .map(|v| v - cut)
        .collect();
    enough("values above the cut", tail.len(), 5)?;
    let n = tail.len() as f64;
    let mean = tail.iter().sum::<f64>() / n;
    let distance = exponential_distance(&mut tail);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = vec![0.0; tail.len()];
    let mut as_far = 0usize;
    for _ in 0..replicas {
        for x in &mut drawn {
            *x = -libm::log1p(-rng.random::<f64>());
        }
        as_far += usize::from(exponential_distance(&mut drawn) >= distance);
    }
    Ok(ExponentialTail {
        cut,
        count: tail.len(),
        share: n / values.len() as f64,
        rate: 1.0 / mean,
        error: 1.0 / (mean * n.sqrt()),
        distance,
        probability: as_far as f64 / replicas as f64,
    })
}

/// Returns the distance of positive values from the exponential distribution with their own mean; sorts them.
fn exponential_distance(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let mut distance: f64 = 0.0;
    for (i, v) in values.iter().enumerate() {
        let model = -libm::expm1(-v / mean);
        distance = distance
            .max((i + 1) as f64 / n - model)
            .max(model - i as f64 / n);
    }
    distance
}
