//! A spatially uniform acceleration that alternates.

use crate::geometry::three;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::{PhaseKeys, View};
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::oscillation::{Oscillation, oscillation};
use super::rates::Fastest;
use super::source::Carried;
use super::{FieldFeature, FieldPoint, FieldSection, FieldSet, ForceField, LongRangeSetup};
use crate::geometry::{Dimension, Vector};

pub(super) const ALTERNATING: FieldRow = FieldRow {
    name: "field.alternating",
    key: "field.alternating",
    noun: "alternating acceleration",
    kind: FieldKind::Time,
};

/// An acceleration beside gravity, as of a frame that is shaken. Its work is booked as given from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "m a sin(2 pi f t + phase)", "x-unit" = "m/s^2", "x-source" = "Newton"))]
pub struct AccelerationKeys {
    /// Greatest acceleration along each axis, m/s^2.
    pub amplitude: Vec<f64>,
    /// Frequency, Hz.
    #[schemars(range(min = 0.0))]
    pub frequency: f64,
    /// Phase at time 0, rad: a number, 0 by default, or one for each component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseKeys>,
}

/// An alternating acceleration: force m a.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternating {
    /// The acceleration, m/s^2.
    pub acceleration: Oscillation,
}

impl<D: Dimension> ForceField<D> for Alternating {
    fn name(&self) -> &str {
        "alternating"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let acceleration = self.acceleration.at(at.time);
        D::Vector::from_fn(|k| acceleration[k] * at.mass)
    }
    fn gives_work(&self) -> bool {
        true
    }
}

impl<D: Dimension> Kind<D> for Alternating {
    fn asks(&self) -> Vec<FieldFeature> {
        vec![FieldFeature::Alternating]
    }
    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        (self.acceleration.amplitude == [0.0; 3]).then_some("its amplitude is 0")
    }
    fn put_into(&self, set: &mut FieldSet<D>, _around: Around<'_, D>) {
        set.add(*self);
    }
    fn speed(&self, before: f64, _reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        before + 2.0 * self.acceleration.greatest() / self.acceleration.rate()
    }
    fn fastest(&self, _reach: &Reach<'_, D>) -> Option<Fastest> {
        Some(Fastest {
            what: "alternation of the acceleration",
            frequency: self.acceleration.rate(),
        })
    }
}

impl<D: Dimension> Read<D> for Alternating {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let Some(keys) = &section.alternating else {
            return Ok(None);
        };
        let vector = |at: &V, values: &[f64]| at.vector::<D>(values).map(three);
        let swing = (&keys.amplitude[..], keys.frequency);
        let acceleration =
            oscillation(&view.key("alternating"), swing, keys.phase.as_ref(), vector)?;
        Ok(Some(Alternating { acceleration }))
    }
}
