//! A frame that turns: centrifugal and Coriolis forces.

use serde::{Deserialize, Serialize};

use super::source::{cross, dot, three};
use super::{FieldPoint, ForceField};
use crate::geometry::{Dimension, Vector};

/// All is told in a frame that turns at a constant rate: positions, velocities and spins.
///
/// Centrifugal force m w x (x x w), with potential -m |w x r|^2 / 2; Coriolis force 2 m v x w, which does no work; and
/// in space what turns a ball's spin s, s x w a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TurningFrame<D: Dimension> {
    /// A point of the axis, m.
    pub centre: D::Vector,
    /// Rate, rad/s; in the plane about its normal.
    pub rate: [f64; 3],
}

impl<D: Dimension> TurningFrame<D> {
    fn velocity(&self, at: D::Vector) -> [f64; 3] {
        cross(self.rate, three(at - self.centre))
    }
}

impl<D: Dimension> ForceField<D> for TurningFrame<D> {
    fn name(&self) -> &str {
        "turning-frame"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let outwards = cross(self.velocity(at.position), self.rate);
        D::Vector::from_fn(|k| at.mass * outwards[k])
    }
    fn gyration(&self, _at: &FieldPoint<D>) -> [f64; 3] {
        self.rate.map(|w| 2.0 * w)
    }
    fn spin_turning(&self) -> [f64; 3] {
        self.rate
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let v = self.velocity(at.position);
        -0.5 * at.mass * dot(v, v)
    }
}
