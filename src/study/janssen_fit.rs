//! Janssen's curve fitted to measured wall pressures.
//!
//! The curve has two parameters only: its limit rho g (area / perimeter) / mu and its length, (area / perimeter) /
//! (mu K). A second free parameter, be it the density or the friction, is therefore another interpretation of the
//! limit.

use serde::Serialize;

use super::error::{StudyError, check, enough, finite, positive};
use super::janssen::{Janssen, Section, saturation};
use super::minimum::golden;

/// A measured wall pressure, the mean over a range of depths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallPressure {
    /// Upper end, m below the surface.
    pub top: f64,
    /// Lower end, m below the surface; may equal `top`.
    pub bottom: f64,
    /// Pressure, Pa or N/m.
    pub pressure: f64,
    /// Standard error; if all points have one they weight the fit, else all have the same weight.
    pub error: Option<f64>,
}

/// Parameter fitted besides the product K mu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Free {
    /// None: density and friction are given.
    Product,
    /// The density; friction is given.
    Density,
    /// The friction; density is given.
    Friction,
}

/// An estimate with its standard error, which is 0 for a given number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Standard error.
    pub error: f64,
}

/// Janssen's curve fitted by least squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct JanssenFit {
    /// The fitted silo.
    pub silo: Janssen,
    /// K mu.
    pub product: Estimate,
    /// Density, kg/m^3 or kg/m^2.
    pub density: Estimate,
    /// Coefficient of wall friction.
    pub wall_friction: Estimate,
    /// K.
    pub ratio: Estimate,
    /// Root mean square of the residuals, Pa or N/m.
    pub residual: f64,
    /// Fraction of the variance of the pressures explained by the curve.
    pub explained: f64,
    /// Number of points less number of fitted parameters.
    pub freedom: usize,
}

/// Given figures of the silo whose pressures are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Given {
    /// Cross-section.
    pub section: Section,
    /// Density of the packing, kg/m^3 or kg/m^2; only the first guess if it is fitted.
    pub density: f64,
    /// Gravity, m/s^2.
    pub gravity: f64,
    /// Coefficient of wall friction, mobilised; only the first guess if it is fitted.
    pub wall_friction: f64,
}

/// Search range of the saturation length relative to the deepest point. A longer one is indistinguishable from a
/// straight line, a shorter one from a constant.
const LENGTHS: (f64, f64) = (1e-3, 1e3);
/// Number of lengths tried before the best is refined.
const TRIES: usize = 200;

/// Fits Janssen's curve by weighted least squares. Standard errors come from the curvature at the optimum and the
/// residuals, so that stated errors of the points only weight them.
pub fn fit_janssen(
    points: &[WallPressure],
    given: &Given,
    free: Free,
) -> Result<JanssenFit, StudyError> {
    let count = if free == Free::Product { 1 } else { 2 };
    enough("wall pressures to fit", points.len(), count + 1)?;
    let start = Janssen::new(
        given.section,
        given.density,
        given.gravity,
        given.wall_friction,
        1.0,
    )?;
    let weights = weights(points)?;
    let deepest = points.iter().map(|p| p.bottom).fold(0.0, f64::max);
    positive("deepest wall pressure", deepest)?;
    let fixed = (free == Free::Product).then(|| start.deepest_pressure());
    let problem = Problem {
        points,
        weights: &weights,
        fixed,
    };

    let (low, high) = (libm::log(LENGTHS.0), libm::log(LENGTHS.1));
    let step = (high - low) / TRIES as f64;
    let misfit = |log: f64| problem.misfit(deepest * libm::exp(log));
    let best = (0..=TRIES)
        .map(|k| low + step * k as f64)
        .map(|log| (misfit(log), log))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(low, |(_, log)| log);
    if best <= low || best >= high - 0.5 * step {
        return Err(StudyError::Undetermined {
            what: "the saturation length of Janssen's curve",
        });
    }
    let length = deepest * libm::exp(golden(best - step, best + step, misfit));
    let limit = problem.limit(length);
    check("fitted limit of the wall pressure", limit, "above 0", |v| {
        v > 0.0
    })?;
    problem.report(&start, free, limit, length)
}

fn weights(points: &[WallPressure]) -> Result<Vec<f64>, StudyError> {
    for p in points {
        finite("wall pressure", &[p.pressure])?;
        check("depth of a wall pressure", p.top, "at least 0", |v| {
            v >= 0.0
        })?;
        check(
            "lower depth of a wall pressure",
            p.bottom,
            "at least the upper one",
            |v| v >= p.top,
        )?;
    }
    let errors: Option<Vec<f64>> = points.iter().map(|p| p.error).collect();
    let Some(errors) = errors else {
        return Ok(vec![1.0; points.len()]);
    };
    let mut weights = Vec::with_capacity(errors.len());
    for error in errors {
        let error = positive("error of a wall pressure", error)?;
        weights.push(1.0 / (error * error));
    }
    // Only ratios of weights matter: a mean of one keeps the residual in the unit of pressure.
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    Ok(weights.into_iter().map(|w| w / mean).collect())
}

struct Problem<'a> {
    points: &'a [WallPressure],
    weights: &'a [f64],
    /// The limit if it is known.
    fixed: Option<f64>,
}

impl Problem<'_> {
    /// Returns the limit that fits best with a given length: the curve is linear in it.
    fn limit(&self, length: f64) -> f64 {
        if let Some(limit) = self.fixed {
            return limit;
        }
        let (mut top, mut bottom) = (0.0, 0.0);
        for (p, w) in self.points.iter().zip(self.weights) {
            let s = saturation(p.top, p.bottom, length);
            top += w * s * p.pressure;
            bottom += w * s * s;
        }
        top / bottom
    }

    fn misfit(&self, length: f64) -> f64 {
        let limit = self.limit(length);
        let square = |(p, w): (&WallPressure, &f64)| {
            let r = p.pressure - limit * saturation(p.top, p.bottom, length);
            w * r * r
        };
        self.points.iter().zip(self.weights).map(square).sum()
    }

    fn report(
        &self,
        start: &Janssen,
        free: Free,
        limit: f64,
        length: f64,
    ) -> Result<JanssenFit, StudyError> {
        // Normal equations in (ln length, ln limit): relative errors, whatever the units.
        let (mut ll, mut la, mut aa) = (0.0, 0.0, 0.0);
        let h = 1e-4;
        for (p, w) in self.points.iter().zip(self.weights) {
            let at = |f: f64| limit * saturation(p.top, p.bottom, length * f);
            let by_length = (at(libm::exp(h)) - at(libm::exp(-h))) / (2.0 * h);
            let by_limit = at(1.0);
            ll += w * by_length * by_length;
            la += w * by_length * by_limit;
            aa += w * by_limit * by_limit;
        }
        let misfit = self.misfit(length);
        let count = if free == Free::Product { 1 } else { 2 };
        let freedom = self.points.len() - count;
        let noise = misfit / freedom as f64;
        let (var_l, var_a, cov) = if free == Free::Product {
            (noise / ll, 0.0, 0.0)
        } else {
            let det = ll * aa - la * la;
            if det.is_nan() || det <= 1e-12 * ll * aa {
                return Err(StudyError::Undetermined {
                    what: "Janssen's curve with two free numbers",
                });
            }
            (noise * aa / det, noise * ll / det, -noise * la / det)
        };
        let breadth = start.section.breadth();
        let relative = |value: f64, variance: f64| Estimate {
            value,
            error: value * variance.max(0.0).sqrt(),
        };
        // product = breadth / length; limit = density g breadth / friction; K = product / friction.
        let product = relative(breadth / length, var_l);
        let weight = start.gravity * breadth;
        let (density, friction, ratio_variance) = match free {
            Free::Product => (
                relative(start.density, 0.0),
                relative(start.wall_friction, 0.0),
                var_l,
            ),
            Free::Density => (
                relative(limit * start.wall_friction / weight, var_a),
                relative(start.wall_friction, 0.0),
                var_l,
            ),
            Free::Friction => (
                relative(start.density, 0.0),
                relative(start.density * weight / limit, var_a),
                var_l + var_a - 2.0 * cov,
            ),
        };
        let ratio = relative(product.value / friction.value, ratio_variance);
        let silo = Janssen::new(
            start.section,
            density.value,
            start.gravity,
            friction.value,
            ratio.value,
        )?;
        let total: f64 = self.weights.iter().sum();
        let weighted = |f: &dyn Fn(f64) -> f64| {
            let pairs = self.points.iter().zip(self.weights);
            pairs.map(|(p, w)| w * f(p.pressure)).sum::<f64>() / total
        };
        let mean = weighted(&|v| v);
        let variance = weighted(&|v| (v - mean) * (v - mean));
        Ok(JanssenFit {
            silo,
            product,
            density,
            wall_friction: friction,
            ratio,
            residual: (misfit / total).sqrt(),
            explained: 1.0 - misfit / total / variance,
            freedom,
        })
    }
}
