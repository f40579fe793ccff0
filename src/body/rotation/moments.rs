//! Principal moments of inertia, checked, with derived quantities for integrators.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An impossible moment of inertia.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("a principal moment of inertia is {0}, but must be a finite number above 0")]
pub struct MomentsError(pub f64);

/// The principal moments of inertia of a body, kg m^2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 3]", into = "[f64; 3]")]
pub struct PrincipalMoments {
    moments: [f64; 3],
    inverse: [f64; 3],
    /// A third of the sum of the inverse moments.
    mean_inverse: f64,
    /// Sum of the moments over six times their product.
    sum_over_product: f64,
    /// Inverse of three times the product.
    inverse_product: f64,
    /// The largest over the smallest moment.
    ratio: f64,
}

impl PrincipalMoments {
    /// Returns the moments about the principal axes, in their order.
    pub fn new(moments: [f64; 3]) -> Result<Self, MomentsError> {
        if let Some(&bad) = moments.iter().find(|m| !(m.is_finite() && **m > 0.0)) {
            return Err(MomentsError(bad));
        }
        let [a, b, c] = moments;
        let (sum, largest) = (a + b + c, a.max(b).max(c));
        let product = a * b * c;
        Ok(Self {
            moments,
            inverse: moments.map(|m| 1.0 / m),
            mean_inverse: (1.0 / a + 1.0 / b + 1.0 / c) / 3.0,
            sum_over_product: sum / (6.0 * product),
            inverse_product: 1.0 / (3.0 * product),
            ratio: largest / a.min(b).min(c),
        })
    }

    /// Returns the moments of a body `factor` times as heavy, or of a larger one: all moments times the factor. There
    /// is no check, so that an engine can keep the moments of a shape and scale them cheaply to each grain.
    pub fn scaled(&self, factor: f64) -> Self {
        let inverse = 1.0 / factor;
        Self {
            moments: self.moments.map(|m| m * factor),
            inverse: self.inverse.map(|m| m * inverse),
            mean_inverse: self.mean_inverse * inverse,
            sum_over_product: self.sum_over_product * (inverse * inverse),
            inverse_product: self.inverse_product * (inverse * inverse * inverse),
            ratio: self.ratio,
        }
    }

    /// Returns the moments, kg m^2.
    pub fn moments(&self) -> [f64; 3] {
        self.moments
    }

    /// Returns the inverse moments.
    pub fn inverse(&self) -> [f64; 3] {
        self.inverse
    }

    /// Returns the modifiers of the inverse moments: a third of their sum, the sum of the moments over six times
    /// their product, the inverse of three times that.
    pub(super) fn modifiers(&self) -> [f64; 3] {
        [
            self.mean_inverse,
            self.sum_over_product,
            self.inverse_product,
        ]
    }

    /// Returns the largest over the smallest moment.
    pub(super) fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Whether every axis is a principal one, as for a ball.
    pub fn round(&self) -> bool {
        self.ratio == 1.0
    }

    /// Returns the angular momentum of a spin, both in the body's frame.
    pub fn momentum(&self, spin: Vector3<f64>) -> Vector3<f64> {
        Vector3::from(self.moments).component_mul(&spin)
    }

    /// Returns the spin of an angular momentum, both in the body's frame.
    pub fn spin(&self, momentum: Vector3<f64>) -> Vector3<f64> {
        Vector3::from(self.inverse).component_mul(&momentum)
    }

    /// Returns inverse moments with which one discrete step of size `step` follows the free top to fourth order
    /// instead of second (Hairer and Vilmart 2006, J. Phys. A 39, 13225: the terms of h^2). They depend only on
    /// energy and magnitude of the momentum, so that both are still conserved.
    pub(super) fn modified_inverse(&self, momentum: &Vector3<f64>, step: f64) -> [f64; 3] {
        let energy = 0.5 * momentum.dot(&self.spin(*momentum));
        let size = 0.5 * momentum.norm_squared();
        let square = step * step;
        let scale = 1.0 + square * (self.sum_over_product * size - self.mean_inverse * energy);
        let shift = square * (self.sum_over_product * energy - self.inverse_product * size);
        self.inverse.map(|i| i * scale + shift)
    }
}

impl TryFrom<[f64; 3]> for PrincipalMoments {
    type Error = MomentsError;

    fn try_from(moments: [f64; 3]) -> Result<Self, MomentsError> {
        Self::new(moments)
    }
}

impl From<PrincipalMoments> for [f64; 3] {
    fn from(moments: PrincipalMoments) -> Self {
        moments.moments
    }
}
