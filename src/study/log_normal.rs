//! The log-normal law above x_min, fitted by maximum likelihood.
//!
//! With y = ln(x / x_min) its density is that of a normal law cut off at y = 0, at `cut` standard deviations `width`
//! from the mean. For cut and width both to infinity, with cut / width constant, it becomes the power law of exponent
//! 1 + cut / width; the law is therefore stored as exp(-slope y - (bend y)^2 / 2), with slope = cut / width and bend
//! = 1 / width, where that limit is bend = 0.

use super::error::StudyError;
use super::minimum::{golden, minimise};
use super::power_law::{PowerLaw, Support};
use super::special::{ln_mills, mills_excess};

/// A log-normal law above x_min.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    support: Support,
    start: f64,
    /// (ln x_min - mu) / sigma^2.
    pub slope: f64,
    /// 1 / sigma.
    pub bend: f64,
}

/// Standard deviations between mean and x_min above which the limit is used.
const FARTHEST: f64 = 1e6;

impl LogNormal {
    /// Fits the law of greatest likelihood to the sizes of `tail`, all from x_min on, in order.
    pub(super) fn fit(tail: &[f64], law: &PowerLaw) -> Result<Self, StudyError> {
        let n = tail.len() as f64;
        // Whole numbers are cells; the first begins half below x_min.
        let edge = match law.support {
            Support::Continuous => law.start,
            Support::Discrete => law.start - 0.5,
        };
        let (mut first, mut second) = (0.0, 0.0);
        for x in tail {
            let y = libm::log(x / edge);
            first += y / n;
            second += y * y / n;
        }
        if first.is_nan() || first <= 0.0 {
            return Err(StudyError::Undetermined {
                what: "a log-normal law",
            });
        }
        let mut best = LogNormal {
            support: law.support,
            start: edge,
            slope: 1.0 / first,
            bend: 0.0,
        };
        if let Some(cut) = cut_of(second / (first * first)) {
            let width = first / mills_excess(cut).0;
            best.slope = cut / width;
            best.bend = 1.0 / width;
        }
        if law.support == Support::Continuous {
            return Ok(best);
        }
        // For cells that is only a start. Scales: the slope varies by its own size, or by the bend.
        let misfit = |p: [f64; 2]| {
            let trial = LogNormal {
                slope: p[0],
                bend: p[1].abs(),
                ..best
            };
            let densities = trial.ln_densities(tail);
            let sum = densities.iter().sum::<f64>();
            if sum.is_finite() { -sum } else { f64::INFINITY }
        };
        let scale = [
            0.2 * (best.slope.abs() + best.bend),
            0.2 * (best.slope.abs().sqrt() + best.bend),
        ];
        let inner = minimise(misfit, [best.slope, best.bend], scale);
        // The limit itself, which the simplex approaches only slowly.
        let outer = golden(0.2 / first, 5.0 / first, |slope| misfit([slope, 0.0]));
        let point = if misfit([outer, 0.0]) <= misfit(inner) {
            [outer, 0.0]
        } else {
            inner
        };
        best.slope = point[0];
        best.bend = point[1].abs();
        Ok(best)
    }

    /// Returns the logarithms of the densities, or for whole numbers of the probabilities, of sizes in order.
    pub(super) fn ln_densities(&self, tail: &[f64]) -> Vec<f64> {
        let place = |x: f64| libm::log(x / self.start);
        let mut densities: Vec<f64> = Vec::with_capacity(tail.len());
        let mut last = f64::NAN;
        for &x in tail {
            if x == last {
                densities.push(densities[densities.len() - 1]);
                continue;
            }
            last = x;
            densities.push(match self.support {
                Support::Continuous => self.ln_norm() - libm::log(x) + self.ln_shape(place(x)),
                Support::Discrete => {
                    let high = self.ln_survival(place(x + 0.5));
                    let low = self.ln_survival(place(x - 0.5));
                    low + libm::log(-libm::expm1(high - low))
                }
            });
        }
        densities
    }

    fn cut(&self) -> f64 {
        self.slope / self.bend
    }

    fn is_limit(&self) -> bool {
        self.bend <= 0.0 || self.cut() > FARTHEST
    }

    fn ln_shape(&self, y: f64) -> f64 {
        let bent = self.bend * y;
        -self.slope * y - 0.5 * bent * bent
    }

    /// Returns the logarithm of the normalisation factor.
    fn ln_norm(&self) -> f64 {
        if self.is_limit() {
            libm::log(self.slope)
        } else {
            libm::log(self.bend) - ln_mills(self.cut())
        }
    }

    fn ln_survival(&self, y: f64) -> f64 {
        if self.is_limit() {
            return self.ln_shape(y);
        }
        let cut = self.cut();
        self.ln_shape(y) + ln_mills(cut + self.bend * y) - ln_mills(cut)
    }
}

/// Returns where a normal law is cut off, in standard deviations above its mean, from the mean square over the
/// squared mean of the rest (Cohen 1959): 1 with almost nothing cut off, 2 in the limit of the exponential. None at
/// that limit or beyond.
fn cut_of(ratio: f64) -> Option<f64> {
    let at = |z: f64| {
        let (mean, square) = mills_excess(z);
        square / (mean * mean)
    };
    let (mut low, mut high) = (-1e3, FARTHEST);
    if ratio >= at(high) {
        return None;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if at(middle) < ratio {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}
