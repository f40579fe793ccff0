//! Uniform electric fields, constant or alternating.

use crate::geometry::{cross, dot, three};
use serde::{Deserialize, Serialize};

use super::keys::View;
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::oscillation::Oscillation;
use super::rates::Fastest;
use super::source::{Carried, size};
use super::{FieldFeature, FieldPoint, FieldSection, FieldSet, ForceField, LongRangeSetup};
use crate::geometry::{Dimension, Vector};

pub(super) const STEADY: FieldRow = FieldRow {
    name: "field.electric",
    key: "field.electric",
    noun: "electric field",
    kind: FieldKind::Carried,
};
pub(super) const ALTERNATING: FieldRow = FieldRow {
    name: "field.electric.alternating",
    key: "field.electric",
    noun: "alternating electric field",
    kind: FieldKind::CarriedInTime,
};

/// An electric field as given in a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Electric {
    /// The constant part, V/m.
    pub steady: [f64; 3],
    /// The alternating part, V/m.
    pub alternating: Option<Oscillation>,
}

impl Electric {
    /// Returns a bound of the field strength, V/m.
    pub fn greatest(&self) -> f64 {
        let swing = self.alternating.as_ref();
        size(self.steady) + swing.map_or(0.0, Oscillation::greatest)
    }
}

impl<D: Dimension> Kind<D> for Electric {
    fn asks(&self) -> Vec<FieldFeature> {
        let found = [
            (self.steady != [0.0; 3]).then_some(FieldFeature::Electric),
            self.alternating.map(|_| FieldFeature::AlternatingElectric),
        ];
        found.into_iter().flatten().collect()
    }
    fn idle(&self, carried: Carried) -> Option<&'static str> {
        if self.greatest() == 0.0 {
            return Some("it is 0");
        }
        let met = carried.charges || carried.electric;
        (!met).then_some(
            "no grain carries what it acts on, by `charge_per_mass` or `electric_moment_per_mass` of its material",
        )
    }
    fn put_into(&self, set: &mut FieldSet<D>, around: Around<'_, D>) {
        if !around.carried.charges && !around.carried.electric {
            return;
        }
        if self.steady != [0.0; 3] {
            set.add(ElectricField {
                strength: self.steady,
            });
        }
        if let Some(strength) = self.alternating {
            set.add(AlternatingElectricField { strength });
        }
    }
    fn is_booked(&self) -> bool {
        self.alternating.is_some()
    }
    /// Returns the speed; from rest an alternating force gives a charge up to 2 q E / (m w).
    fn speed(&self, before: f64, _reach: &Reach<'_, D>, carried: &LongRangeSetup) -> f64 {
        let charges = carried.sources.iter().map(|source| source.charge.abs());
        let charge = charges.fold(0.0, f64::max);
        let swing = |swing: Oscillation| 2.0 * charge * swing.greatest() / swing.rate();
        before + self.alternating.map_or(0.0, swing)
    }
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        self.alternating.map(|swing| Fastest {
            what: "alternation of the electric field",
            frequency: swing.rate(),
        })
    }
}

impl<D: Dimension> Read<D> for Electric {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let Some(keys) = &section.electric else {
            return Ok(None);
        };
        let vector = |at: &V, values: &[f64]| at.vector::<D>(values).map(three);
        let (steady, alternating) = keys.read(&view.key("electric"), vector)?;
        Ok(Some(Electric {
            steady,
            alternating,
        }))
    }
}

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

/// An alternating electric field: its energy is not conserved by a potential, so that its work on charges, and that
/// of the moments on turning grains, counts as injected from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlternatingElectricField {
    /// Strength, V/m.
    pub strength: Oscillation,
}

impl<D: Dimension> ForceField<D> for AlternatingElectricField {
    fn name(&self) -> &str {
        "alternating-electric"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let strength = self.strength.at(at.time);
        D::Vector::from_fn(|k| at.source.charge * strength[k])
    }
    fn moment(&self, at: &FieldPoint<D>) -> [f64; 3] {
        cross(at.source.electric, self.strength.at(at.time))
    }
    fn gives_work(&self) -> bool {
        true
    }
}
