//! Gravity.

use super::{FieldPoint, ForceField};
use crate::geometry::{Dimension, Vector};

/// A uniform acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravity<D: Dimension> {
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
}

impl<D: Dimension> ForceField<D> for Gravity<D> {
    fn name(&self) -> &str {
        "gravity"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        self.acceleration * at.mass
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        -at.mass * self.acceleration.dot(&at.position)
    }
    fn uniform_acceleration(&self) -> Option<D::Vector> {
        Some(self.acceleration)
    }
}
