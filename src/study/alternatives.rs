//! Compares a fitted power law with other laws by likelihood ratios: the exponential and the log-normal (Vuong 1989;
//! Clauset, Shalizi & Newman 2009, section 5 and appendix C).

use std::f64::consts::FRAC_1_SQRT_2;

use serde::Serialize;

use super::error::{StudyError, enough};
use super::goodness::{Goodness, RULED_OUT};
use super::log_normal::LogNormal;
use super::power_law::{PowerLaw, Sample, Support};

/// A law to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// Exponential decay from x_min on: sizes have a scale.
    Exponential,
    /// Log-normal above x_min. The power law is its limit, so it never fits worse.
    LogNormal,
}

/// Comparison of the power law with another law, both fitted to the same tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The other law.
    pub alternative: Alternative,
    /// Log-likelihood of the power law less that of the other: positive in favour of the power law.
    pub ratio: f64,
    /// The ratio relative to its standard deviation.
    pub deviations: f64,
    /// Probability of a ratio at least as far from 0 if both laws were equally close to the truth (Vuong). Above 0.1
    /// the data do not decide.
    pub probability: f64,
    /// For the log-normal: probability of a gain at least as great if the power law were true. The laws are nested at
    /// an end of the range, so half of chi square applies (Self & Liang 1987). For whole numbers they are nested only
    /// approximately: the limit is a rounded power law.
    pub nested: Option<f64>,
}

/// Joint result of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// The data are unlikely to come from a power law.
    RuledOut,
    /// A power law is possible, but another law fits clearly better.
    Beaten,
    /// A power law is possible, and so is another law.
    Open,
    /// A power law is possible and clearly better than the others.
    Favoured,
}

/// Compares a fitted power law with each alternative on the sizes from x_min on.
pub fn compare(values: &[f64], law: &PowerLaw) -> Result<Vec<Comparison>, StudyError> {
    Sample::new(values, law.support)?;
    let mut tail: Vec<f64> = values.iter().copied().filter(|&v| v >= law.start).collect();
    enough("sizes from x_min on", tail.len(), 3)?;
    tail.sort_by(f64::total_cmp);
    let norm = law.ln_norm();
    let own: Vec<f64> = tail
        .iter()
        .map(|&x| law.ln_density_scaled(x, norm))
        .collect();
    let log_normal = LogNormal::fit(&tail, law)?;
    Ok(vec![
        vuong(Alternative::Exponential, &own, &exponential(&tail, law)?),
        vuong(
            Alternative::LogNormal,
            &own,
            &log_normal.ln_densities(&tail),
        ),
    ])
}

/// Combines the tests, as Clauset et al. 2009 (section 6) do. The log-normal is judged by its nested test: Vuong's
/// test does not apply to laws of which one is the limit of the other.
pub fn judge(goodness: &Goodness, comparisons: &[Comparison]) -> Judgement {
    if goodness.probability < RULED_OUT {
        return Judgement::RuledOut;
    }
    let beaten = |c: &Comparison| c.ratio < 0.0 && c.nested.unwrap_or(c.probability) < RULED_OUT;
    if comparisons.iter().any(beaten) {
        return Judgement::Beaten;
    }
    // The power law, a limit of the log-normal, cannot fit better: it is enough that the log-normal gains nothing.
    let clear = |c: &Comparison| c.nested.is_some() || (c.ratio > 0.0 && c.probability < RULED_OUT);
    if comparisons.iter().all(clear) {
        Judgement::Favoured
    } else {
        Judgement::Open
    }
}

/// Returns the log-densities of the exponential of greatest likelihood from x_min on.
fn exponential(tail: &[f64], law: &PowerLaw) -> Result<Vec<f64>, StudyError> {
    let excess = tail.iter().map(|x| x - law.start).sum::<f64>() / tail.len() as f64;
    if excess.is_nan() || excess <= 0.0 {
        return Err(StudyError::Undetermined {
            what: "the rate of an exponential law",
        });
    }
    let (rate, lead) = match law.support {
        Support::Continuous => (1.0 / excess, -libm::log(excess)),
        // For whole numbers a geometric law.
        Support::Discrete => (libm::log1p(1.0 / excess), -libm::log1p(excess)),
    };
    Ok(tail.iter().map(|x| lead - rate * (x - law.start)).collect())
}

fn vuong(alternative: Alternative, own: &[f64], other: &[f64]) -> Comparison {
    let n = own.len() as f64;
    let gains: Vec<f64> = own.iter().zip(other).map(|(a, b)| a - b).collect();
    let ratio: f64 = gains.iter().sum();
    let mean = ratio / n;
    let variance = gains.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / n;
    let spread = (n * variance).sqrt();
    let deviations = if spread > 0.0 { ratio / spread } else { 0.0 };
    Comparison {
        alternative,
        ratio,
        deviations,
        probability: libm::erfc(deviations.abs() * FRAC_1_SQRT_2),
        nested: (alternative == Alternative::LogNormal)
            .then(|| 0.5 * libm::erfc((-ratio).max(0.0).sqrt())),
    }
}
