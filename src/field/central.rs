//! The attraction of a centre, such as a planet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::{View, is_zero, vector_or_zero};
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::rates::Fastest;
use super::source::Carried;
use super::{FieldFeature, FieldPoint, FieldSection, FieldSet, ForceField, LongRangeSetup};
use crate::geometry::{Dimension, Vector};

pub(super) const CENTRE: FieldRow = FieldRow {
    name: "field.central",
    key: "field.central",
    noun: "centre that attracts",
    kind: FieldKind::Place,
};

/// A centre that attracts: exactly one of `strength` and `acceleration`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "-G M m r / |r|^3, within a radius R -G M m r / R^3", "x-unit" = "m^3/s^2", "x-source" = "Newton"))]
pub struct CentralKeys {
    /// The centre, m; the origin when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Vec<f64>>,
    /// Constant of gravitation times mass, m^3/s^2: the acceleration is this over the square of the distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub strength: Option<f64>,
    /// Acceleration at `radius`, m/s^2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub acceleration: Option<f64>,
    /// Radius of the homogeneous ball that attracts, m: within it the acceleration goes as the distance. 0 (the default): a
    /// point.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// Attraction by the inverse square of the distance to a centre; in the plane too, as in a plane of space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct CentralField<D: Dimension> {
    /// The centre, m.
    pub centre: D::Vector,
    /// Gravitational constant times mass of the centre, m^3/s^2.
    pub strength: f64,
    /// Radius of the homogeneous attracting ball, m: inside it the force is proportional to the distance. 0: a point.
    pub radius: f64,
}

impl<D: Dimension> CentralField<D> {
    /// Returns acceleration over distance, 1/s^2, at a distance.
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
    /// Zero at infinity.
    fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        let r = (at.position - self.centre).norm();
        let outer = r.max(self.radius);
        let inside = 0.5 * (r * r / (outer * outer) - 1.0);
        self.strength * at.mass / outer * (inside - 1.0)
    }
}

impl<D: Dimension> Kind<D> for CentralField<D> {
    fn asks(&self) -> Vec<FieldFeature> {
        vec![FieldFeature::Centre]
    }
    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        (self.strength == 0.0).then_some("its strength is 0")
    }
    fn put_into(&self, set: &mut FieldSet<D>, _around: Around<'_, D>) {
        set.add(*self);
    }
    /// Returns the speed of a fall to the closest distance.
    fn speed(&self, before: f64, reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        let ends = [(reach.near)(self.centre), (reach.far)(self.centre)];
        let [near, far] = ends.map(|r| r.max(self.radius));
        if near > 0.0 {
            let square = 2.0 * self.strength * (1.0 / near - 1.0 / far);
            before + square.max(0.0).sqrt()
        } else {
            before
        }
    }
    fn fastest(&self, reach: &Reach<'_, D>) -> Option<Fastest> {
        let frequency = self.pull((reach.near)(self.centre)).sqrt();
        frequency.is_finite().then_some(Fastest {
            what: "going round the centre",
            frequency,
        })
    }
    fn varies_along(&self, _axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        Some("central")
    }
}

impl<D: Dimension> Read<D> for CentralField<D> {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let Some(keys) = &section.central else {
            return Ok(None);
        };
        let view = view.key("central");
        let radius = view.key("radius").non_negative(keys.radius)?;
        view.one_of(
            "how strong it is",
            &[
                ("strength", keys.strength.is_some()),
                ("acceleration", keys.acceleration.is_some()),
            ],
        )?;
        let strength = match (keys.strength, keys.acceleration) {
            (_, Some(acceleration)) => {
                let at = view.key("acceleration");
                if radius == 0.0 {
                    let text = "`acceleration` is that at a `radius`, which is missing";
                    return Err(at.fault_of_key(text.into()));
                }
                at.non_negative(acceleration)? * radius * radius
            }
            (strength, None) => {
                let at = view.key("strength");
                at.non_negative(strength.unwrap_or_default())?
            }
        };
        Ok(Some(CentralField {
            centre: vector_or_zero::<D, V>(&view.key("centre"), keys.centre.as_deref())?,
            strength,
            radius,
        }))
    }
}
