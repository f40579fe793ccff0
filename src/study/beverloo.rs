//! Beverloo's law: the rate of discharge through an orifice.
//!
//! W = C rho sqrt(g) (D - k d)^(5/2) for a round orifice of diameter D and grains of diameter d (Beverloo, Leniger &
//! van de Velde 1961, Chem. Eng. Sci. 15, 260); in the plane, and through slots for their width, the exponent is 3/2.
//! Here rates are any measure of flow, such as grains per second, and the law is rate = factor (D - offset)^exponent;
//! [`BeverlooFit::scaled`] makes it dimensionless.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::ensemble::Interval;
use super::error::{StudyError, enough, positive, share};
use super::janssen_fit::Estimate;
use super::special::student_quantile;

/// A rate of discharge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Discharged {
    /// Width or diameter of the orifice, m.
    pub width: f64,
    /// Rate, for example in 1/s.
    pub rate: f64,
    /// Standard error; if all points have one they weight the fit, else relative errors count as equal.
    pub error: Option<f64>,
}

/// The exponent of the law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exponent {
    /// Given: 1.5 in the plane, 2.5 in space.
    Given(f64),
    /// Fitted as well, from this first guess.
    Free(f64),
    /// Fitted, for a given offset of the law.
    Beside {
        /// First guess.
        first: f64,
        /// The offset, m.
        offset: f64,
    },
}

/// Beverloo's law fitted by least squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BeverlooFit {
    /// Number of points.
    pub points: usize,
    /// Exponent; its error is 0 if it was given.
    pub exponent: Estimate,
    /// Rate at an effective width of 1 m, in the unit of the rate.
    pub factor: Estimate,
    /// Offset of the width, k d, m; its error is 0 if it was given.
    pub offset: Estimate,
    /// Interval of the exponent, by Student's t; none if it was given.
    pub exponent_interval: Option<Interval>,
    /// Interval of the factor, symmetric in its logarithm.
    pub factor_interval: Interval,
    /// Interval of the offset, m.
    pub offset_interval: Interval,
    /// Greatest deviation of a point from the law, relative to the law there.
    pub largest_residual: f64,
    /// Sum of squared residuals over squared errors and degrees of freedom: about 1 if the law holds within the
    /// errors. None without errors. The errors above are scaled by its square root in any case.
    pub chi_square: Option<f64>,
}

impl BeverlooFit {
    /// Returns the law's rate at a width.
    pub fn rate(&self, width: f64) -> f64 {
        let free = (width - self.offset.value).max(0.0);
        self.factor.value * libm::pow(free, self.exponent.value)
    }

    /// Returns dimensionless C and k for grains of a diameter (m) under gravity (m/s^2): rate sqrt(d / g) = C (D / d
    /// - k)^exponent.
    ///
    /// # Errors
    /// Numbers that are not above 0.
    pub fn scaled(&self, diameter: f64, gravity: f64) -> Result<[Estimate; 2], StudyError> {
        positive("diameter", diameter)?;
        positive("gravity", gravity)?;
        let unit = libm::pow(diameter, self.exponent.value) * (diameter / gravity).sqrt();
        let scaled = |e: Estimate, by: f64| Estimate {
            value: e.value * by,
            error: e.error * by,
        };
        Ok([
            scaled(self.factor, unit),
            scaled(self.offset, 1.0 / diameter),
        ])
    }
}

/// Greatest number of iterations of the fit, and the relative change of a step at which it has converged.
const ROUNDS: usize = 500;
const CLOSE: f64 = 1e-12;

/// Fits the law by least squares (Levenberg 1944, Marquardt 1963).
///
/// # Errors
/// Fewer points than parameters plus one, numbers that are not above 0, rates that do not grow with the width.
pub fn fit(
    points: &[Discharged],
    exponent: Exponent,
    level: f64,
) -> Result<BeverlooFit, StudyError> {
    let (first, free): (f64, &[usize]) = match exponent {
        Exponent::Given(p) => (p, &[LOG, OFFSET]),
        Exponent::Free(p) => (p, &[LOG, OFFSET, POWER]),
        Exponent::Beside { first, .. } => (first, &[LOG, POWER]),
    };
    positive("exponent", first)?;
    share("level", level)?;
    let parameters = free.len();
    enough("rates of discharge", points.len(), parameters + 1)?;
    for point in points {
        positive("width", point.width)?;
        positive("rate", point.rate)?;
        if let Some(error) = point.error {
            positive("error of a rate", error)?;
        }
    }
    let mean = points.iter().map(|p| p.width).sum::<f64>() / points.len() as f64;
    let weighed = points.iter().all(|point| point.error.is_some());
    let problem = Problem {
        // Widths relative to their mean, so that no parameter is large.
        widths: points.iter().map(|p| p.width / mean).collect(),
        rates: points.iter().map(|p| p.rate).collect(),
        errors: points
            .iter()
            .map(|p| p.error.filter(|_| weighed).unwrap_or(p.rate))
            .collect(),
        free,
    };
    let start = match exponent {
        Exponent::Beside { offset, .. } => problem.start_beside(first, offset / mean)?,
        _ => problem.start(first)?,
    };
    let found = problem.solve(start)?;
    let freedom = (points.len() - parameters) as f64;
    let chi_square = problem.squares(&found) / freedom;
    let (_, normal) = problem.normal(&found);
    let inverse = normal.try_inverse().ok_or(StudyError::Undetermined {
        what: "Beverloo's law",
    })?;
    let covariance = |a: usize, b: usize| {
        let place = |of: usize| free.iter().position(|&one| one == of);
        let both = place(a).zip(place(b));
        both.map_or(0.0, |(a, b)| inverse[(a, b)] * chi_square)
    };
    let (log, offset, p) = (found[LOG], found[OFFSET], found[POWER]);
    // ln factor = ln (rate at the mean width) - p ln mean.
    let ln_mean = libm::log(mean);
    let variance = covariance(LOG, LOG)
        + ln_mean * (ln_mean * covariance(POWER, POWER) - 2.0 * covariance(LOG, POWER));
    let factor = libm::exp(log - p * ln_mean);
    let factor_error = variance.max(0.0).sqrt();
    let t = student_quantile(0.5 * (1.0 + level), freedom);
    let around = |value: f64, error: f64| Interval {
        low: value - t * error,
        high: value + t * error,
        level,
    };
    let error = |of: usize| covariance(of, of).max(0.0).sqrt();
    let offset = Estimate {
        value: offset * mean,
        error: error(OFFSET) * mean,
    };
    let exponent = Estimate {
        value: p,
        error: error(POWER),
    };
    let in_logs = around(libm::log(factor), factor_error);
    let mut fit = BeverlooFit {
        points: points.len(),
        exponent,
        factor: Estimate {
            value: factor,
            error: factor * factor_error,
        },
        offset,
        exponent_interval: free
            .contains(&POWER)
            .then(|| around(exponent.value, exponent.error)),
        factor_interval: Interval {
            low: libm::exp(in_logs.low),
            high: libm::exp(in_logs.high),
            level,
        },
        offset_interval: around(offset.value, offset.error),
        largest_residual: 0.0,
        chi_square: weighed.then_some(chi_square),
    };
    for point in points {
        let law = fit.rate(point.width);
        let off = ((point.rate - law) / law).abs();
        fit.largest_residual = fit.largest_residual.max(off);
    }
    Ok(fit)
}

struct Problem<'a> {
    widths: Vec<f64>,
    rates: Vec<f64>,
    errors: Vec<f64>,
    /// Indices of the fitted parameters.
    free: &'a [usize],
}

/// Logarithm of the factor, offset, exponent.
type Parameters = [f64; 3];
const LOG: usize = 0;
const OFFSET: usize = 1;
const POWER: usize = 2;

impl Problem<'_> {
    /// Starts from the least-squares line of rate^(1 / p), in which the law is linear.
    fn start(&self, p: f64) -> Result<Parameters, StudyError> {
        let n = self.widths.len() as f64;
        let y: Vec<f64> = self.rates.iter().map(|r| libm::pow(*r, 1.0 / p)).collect();
        let (mx, my) = (
            self.widths.iter().sum::<f64>() / n,
            y.iter().sum::<f64>() / n,
        );
        let (mut xx, mut xy) = (0.0, 0.0);
        for (x, y) in self.widths.iter().zip(&y) {
            xx += (x - mx) * (x - mx);
            xy += (x - mx) * (y - my);
        }
        let slope = xy / xx;
        if !slope.is_finite() || slope <= 0.0 {
            return Err(StudyError::Undetermined {
                what: "Beverloo's law (the rate does not grow with the width)",
            });
        }
        let least = self.widths.iter().copied().fold(f64::INFINITY, f64::min);
        // All orifices let grains pass.
        let offset = (mx - my / slope).min(0.99 * least);
        Ok([p * libm::log(slope), offset, p])
    }

    /// Starts from the factor that fits the mean of the logarithms of the rates.
    fn start_beside(&self, p: f64, offset: f64) -> Result<Parameters, StudyError> {
        if self.widths.iter().any(|width| *width <= offset) {
            return Err(StudyError::Undetermined {
                what: "Beverloo's law (a width is no greater than what the law takes off)",
            });
        }
        let points = self.widths.iter().zip(&self.rates);
        let logs = points.map(|(x, rate)| libm::log(*rate) - p * libm::log(x - offset));
        let log = logs.sum::<f64>() / self.widths.len() as f64;
        Ok([log, offset, p])
    }

    fn squares(&self, at: &Parameters) -> f64 {
        self.residuals(at).iter().map(|r| r * r).sum()
    }

    fn residuals(&self, at: &Parameters) -> Vec<f64> {
        let points = self.widths.iter().zip(&self.rates).zip(&self.errors);
        points
            .map(|((x, rate), error)| (rate - law(at, *x)) / error)
            .collect()
    }

    /// Returns the gradient (downhill) and the normal matrix.
    fn normal(&self, at: &Parameters) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.free.len();
        let mut gradient = DVector::zeros(size);
        let mut normal = DMatrix::zeros(size, size);
        for ((x, residual), error) in self.widths.iter().zip(self.residuals(at)).zip(&self.errors) {
            let room = x - at[OFFSET];
            let value = law(at, *x) / error;
            let slopes = [value, -at[POWER] * value / room, value * libm::log(room)];
            let slopes: Vec<f64> = self.free.iter().map(|of| slopes[*of]).collect();
            for a in 0..size {
                gradient[a] += slopes[a] * residual;
                for b in 0..size {
                    normal[(a, b)] += slopes[a] * slopes[b];
                }
            }
        }
        (gradient, normal)
    }

    fn solve(&self, start: Parameters) -> Result<Parameters, StudyError> {
        let undetermined = StudyError::Undetermined {
            what: "Beverloo's law",
        };
        let least = self.widths.iter().copied().fold(f64::INFINITY, f64::min);
        let mut at = start;
        let mut squares = self.squares(&at);
        let mut damping = 1e-3;
        for _ in 0..ROUNDS {
            let (gradient, normal) = self.normal(&at);
            let mut damped = normal.clone();
            for k in 0..damped.nrows() {
                damped[(k, k)] *= 1.0 + damping;
            }
            let Some(step) = damped.lu().solve(&gradient) else {
                return Err(undetermined);
            };
            let mut next = at;
            for (of, value) in self.free.iter().zip(&step) {
                next[*of] += value;
            }
            let better = self.squares(&next);
            let possible = next[OFFSET] < least && next[POWER] > 0.0 && better.is_finite();
            if possible && better <= squares {
                let moved = step.iter().fold(0.0f64, |most, v| most.max(v.abs()));
                at = next;
                squares = better;
                damping = (damping * 0.3).max(1e-12);
                if moved < CLOSE {
                    return Ok(at);
                }
            } else {
                damping *= 4.0;
                // Rounding prevents further improvement.
                if damping > 1e12 {
                    return Ok(at);
                }
            }
        }
        Err(undetermined)
    }
}

fn law(at: &Parameters, width: f64) -> f64 {
    let room = width - at[OFFSET];
    match room > 0.0 {
        true => libm::exp(at[LOG] + at[POWER] * libm::log(room)),
        false => 0.0,
    }
}
