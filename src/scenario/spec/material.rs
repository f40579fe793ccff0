//! Materials and the laws of their pairs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LawSection;

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// What it is, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Density, kg/m^3; in two dimensions kg/m^2. Needed by grains, not by walls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub density: Option<f64>,
    /// Young's modulus, Pa; needed by all laws but `linear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub young: Option<f64>,
    /// Poisson's ratio, from 0 to 0.5; needed by all laws but `linear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub poisson: Option<f64>,
    /// Electric charge of a grain over its mass, C/kg; it sits at the centre.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub charge_per_mass: f64,
    /// Electric dipole moment of a grain over its mass, C m/kg: three numbers, in the plane too. It is fixed
    /// in the grain, in the frame in which its shape is given, and sits at the centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub electric_moment_per_mass: Option<Vec<f64>>,
    /// Magnetic dipole moment of a grain over its mass, A m^2/kg; likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnetic_moment_per_mass: Option<Vec<f64>>,
    /// Where the figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Ranges of its figures, each with its source: for the choice of values, a run does not look at them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<RangesSpec>,
}

/// Between which values the figures of a material are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangesSpec {
    /// Density, kg/m^3; in two dimensions kg/m^2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<RangeSpec>,
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<RangeSpec>,
    /// Poisson's ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<RangeSpec>,
    /// Restitution coefficient of two of its grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<RangeSpec>,
    /// Friction coefficient of two of its grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<RangeSpec>,
    /// Radii in which it is met, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<RangeSpec>,
}

impl RangesSpec {
    /// Each figure with its name and unit, in the order of the keys.
    pub fn all(&self) -> [(&'static str, &'static str, Option<&RangeSpec>); 6] {
        [
            ("density", "kg/m^3", self.density.as_ref()),
            ("young", "Pa", self.young.as_ref()),
            ("poisson", "1", self.poisson.as_ref()),
            ("restitution", "1", self.restitution.as_ref()),
            ("friction", "1", self.friction.as_ref()),
            ("radius", "m", self.radius.as_ref()),
        ]
    }
}

/// The range of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeSpec {
    /// Least and greatest value.
    pub range: [f64; 2],
    /// Where it comes from; "not verified" where nobody has looked it up.
    pub source: String,
}

pub(in crate::scenario) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A file of `models/materials`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    /// Materials by name.
    pub material: BTreeMap<String, MaterialSpec>,
    /// Laws of their pairs.
    #[serde(default)]
    pub law: Vec<LawSection>,
}
