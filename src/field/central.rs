//! The attraction of a centre, as of a planet.

use serde::{Deserialize, Serialize};

use super::{FieldPoint, ForceField};
use crate::geometry::{Dimension, Vector};

/// Attraction as the inverse square of the distance to a centre; in the plane too, as if it were a plane of space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct CentralField<D: Dimension> {
    /// The centre, m.
    pub centre: D::Vector,
    /// Constant of gravitation times its mass, m^3/s^2.
    pub strength: f64,
    /// Radius of the homogeneous ball that attracts, m: within it the force goes as the distance. 0: a point.
    pub radius: f64,
}

impl<D: Dimension> CentralField<D> {
    /// Acceleration over distance, 1/s^2, at a distance.
    pub fn pull(&self, distance: f64) -> f64 {
        let r = distance.max(self.radius);
        self.strength / (r * r * r)
    }
}

impl<D: Dimension> ForceField<D> for CentralField<D> {
    fn name(&self) -> &str {
        "central"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let arm = at.position - self.centre;
        arm * (-at.mass * self.pull(arm.norm()))
    }
    /// None infinitely far away.
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let r = (at.position - self.centre).norm();
        let outer = r.max(self.radius);
        let inside = 0.5 * (r * r / (outer * outer) - 1.0);
        self.strength * at.mass / outer * (inside - 1.0)
    }
}
