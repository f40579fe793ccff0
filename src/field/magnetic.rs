//! Uniform magnetic fields, constant or alternating.

use crate::geometry::{cross, dot};
use serde::{Deserialize, Serialize};

use super::keys::View;
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::oscillation::Oscillation;
use super::rates::Fastest;
use super::source::{Carried, size};
use super::{FieldFeature, FieldPoint, FieldSection, FieldSet, ForceField};
use crate::geometry::Dimension;

pub(super) const STEADY: FieldRow = FieldRow {
    name: "field.magnetic",
    key: "field.magnetic",
    noun: "magnetic field",
    kind: FieldKind::Carried,
};
pub(super) const ALTERNATING: FieldRow = FieldRow {
    name: "field.magnetic.alternating",
    key: "field.magnetic",
    noun: "alternating magnetic field",
    kind: FieldKind::CarriedInTime,
};

/// A magnetic field as given in a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Magnetic {
    /// The constant part, T.
    pub steady: [f64; 3],
    /// The alternating part, T.
    pub alternating: Option<Oscillation>,
}

impl Magnetic {
    /// Returns a bound of the flux density, T.
    pub fn greatest(&self) -> f64 {
        let swing = self.alternating.as_ref();
        size(self.steady) + swing.map_or(0.0, Oscillation::greatest)
    }
}

impl<D: Dimension> Kind<D> for Magnetic {
    fn asks(&self) -> Vec<FieldFeature> {
        let found = [
            (self.steady != [0.0; 3]).then_some(FieldFeature::Magnetic),
            self.alternating.map(|_| FieldFeature::AlternatingMagnetic),
        ];
        found.into_iter().flatten().collect()
    }
    fn idle(&self, carried: Carried) -> Option<&'static str> {
        if self.greatest() == 0.0 {
            return Some("it is 0");
        }
        let met = carried.charges || carried.magnetic;
        (!met).then_some(
            "no grain carries what it acts on, by `charge_per_mass` or `magnetic_moment_per_mass` of its material",
        )
    }
    fn put_into(&self, set: &mut FieldSet<D>, around: Around<'_, D>) {
        if !around.carried.charges && !around.carried.magnetic {
            return;
        }
        if self.steady != [0.0; 3] {
            set.add(MagneticField {
                density: self.steady,
            });
        }
        if let Some(density) = self.alternating {
            set.add(AlternatingMagneticField { density });
        }
    }
    fn is_booked(&self) -> bool {
        self.alternating.is_some()
    }
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        self.alternating.map(|swing| Fastest {
            what: "alternation of the magnetic field",
            frequency: swing.rate(),
        })
    }
}

impl<D: Dimension> Read<D> for Magnetic {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let Some(keys) = &section.magnetic else {
            return Ok(None);
        };
        let (steady, alternating) = keys.read(&view.key("magnetic"), V::in_space)?;
        Ok(Some(Magnetic {
            steady,
            alternating,
        }))
    }
}

/// Returns the rate at which velocities turn in a field, 1/s.
fn gyration<D: Dimension>(at: &FieldPoint<D>, density: [f64; 3]) -> [f64; 3] {
    let specific = at.source.charge / at.mass;
    let [x, y, z] = density.map(|b| b * specific);
    // In the plane only the normal component turns velocities, since nothing moves along the normal.
    if D::N == 2 { [0.0, 0.0, z] } else { [x, y, z] }
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
        gyration(at, self.density)
    }
    fn moment(&self, at: &FieldPoint<D>) -> [f64; 3] {
        cross(at.source.magnetic, self.density)
    }
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        -dot(at.source.magnetic, self.density)
    }
}

/// An alternating magnetic field; the induced electric field depends on its source and is neglected. The work of the
/// moments counts as injected from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlternatingMagneticField {
    /// Flux density, T.
    pub density: Oscillation,
}

impl<D: Dimension> ForceField<D> for AlternatingMagneticField {
    fn name(&self) -> &str {
        "alternating-magnetic"
    }
    fn force(&self, _at: &FieldPoint<D>) -> D::Vector {
        D::Vector::default()
    }
    fn gyration(&self, at: &FieldPoint<D>) -> [f64; 3] {
        gyration(at, self.density.at(at.time))
    }
    fn moment(&self, at: &FieldPoint<D>) -> [f64; 3] {
        cross(at.source.magnetic, self.density.at(at.time))
    }
    fn gives_work(&self) -> bool {
        true
    }
}
