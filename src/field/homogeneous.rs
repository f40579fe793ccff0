//! Electric and magnetic fields that are the same everywhere.

use super::source::{cross, dot, three};
use super::{FieldPoint, ForceField};
use crate::geometry::{Dimension, Vector};

/// A homogeneous electric field E: force q E, moment p x E, energy -q E . x - p . E.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElectricField {
    /// Strength, V/m.
    pub strength: [f64; 3],
}

impl<D: Dimension> ForceField<D> for ElectricField {
    fn name(&self) -> &str {
        "electric"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        D::Vector::from_fn(|k| at.source.charge * self.strength[k])
    }
    fn moment(&self, at: &FieldPoint<D>) -> [f64; 3] {
        cross(at.source.electric, self.strength)
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let along = dot(self.strength, three(at.position));
        -at.source.charge * along - dot(at.source.electric, self.strength)
    }
}

/// A homogeneous magnetic field B: force q v x B, which does no work, moment m x B, energy -m . B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MagneticField {
    /// Flux density, T.
    pub density: [f64; 3],
}

impl<D: Dimension> ForceField<D> for MagneticField {
    fn name(&self) -> &str {
        "magnetic"
    }
    fn force(&self, _at: &FieldPoint<D>) -> D::Vector {
        D::Vector::default()
    }
    fn gyration(&self, at: &FieldPoint<D>) -> [f64; 3] {
        let specific = at.source.charge / at.mass;
        let [x, y, z] = self.density.map(|b| b * specific);
        // In the plane nothing moves along the normal, into which the others would turn.
        if D::N == 2 { [0.0, 0.0, z] } else { [x, y, z] }
    }
    fn moment(&self, at: &FieldPoint<D>) -> [f64; 3] {
        cross(at.source.magnetic, self.density)
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        -dot(at.source.magnetic, self.density)
    }
}
