//! Viscous drag.

use super::{FieldPoint, ForceField};
use crate::geometry::{Dimension, Vector};

/// Drag proportional to the velocity, as in a fluid at rest; the same for all sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViscousDrag {
    /// Force over velocity, N s/m.
    pub coefficient: f64,
}

impl<D: Dimension> ForceField<D> for ViscousDrag {
    fn name(&self) -> &str {
        "viscous-drag"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        at.velocity * -self.coefficient
    }
    fn dissipated_power(&self, at: &FieldPoint<D>) -> f64 {
        self.coefficient * at.velocity.norm_squared()
    }
    fn uniform_acceleration(&self) -> Option<D::Vector> {
        (self.coefficient == 0.0).then(D::Vector::default)
    }
    fn damping_rate(&self, mass: f64, _radius: f64) -> f64 {
        self.coefficient / mass
    }
}
