//! What a contact law may have beside spring, dashpot and friction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Attraction of two bodies in touch: exactly one of these. R is the effective radius, x the overlap. Links form when
/// two bodies touch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CohesionSpec {
    /// The same pull at any overlap, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-F in touch", "x-unit" = "N", "x-source" = "elementary"))]
    pub force: Option<f64>,
    /// A pull 2 pi w R with this work of adhesion w, J/m^2 (Derjaguin, Muller and Toporov 1975).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-2 pi w R in touch", "x-unit" = "N", "x-source" = "Derjaguin, Muller and Toporov 1975"))]
    pub dmt: Option<f64>,
    /// Adhesion of elastic spheres with this work of adhesion, J/m^2 (Johnson, Kendall and Roberts 1971); needs `hertz`
    /// or `viscoelastic`. Links break at a gap; the greatest pull is 1.5 pi w R.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "4 E a^3 / (3 R) - sqrt(8 pi w E) a^1.5, x = a^2 / R - sqrt(2 pi w a / E)", "x-unit" = "N", "x-source" = "Johnson, Kendall and Roberts 1971"))]
    pub jkr: Option<f64>,
    /// A pull in proportion to the area 2 pi R x of contact, with this energy density, J/m^3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-k 2 pi R x", "x-unit" = "N", "x-source" = "energy density times the area in which two spheres meet"))]
    pub area: Option<f64>,
    /// A pull that fades over a gap as the two part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "-F in touch, -(F - c gap) while the two part", "x-unit" = "N", "x-source" = "elementary"))]
    pub fading: Option<FadingSpec>,
}

/// A pull that lasts while two bodies part, and falls to zero over a gap of force over stiffness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FadingSpec {
    /// Pull in touch, N.
    #[schemars(range(min = 0.0))]
    pub force: f64,
    /// By how much it falls for each metre of gap, N/m.
    #[schemars(range(min = 0.0))]
    pub stiffness: f64,
}

/// Loading along the law's `normal_stiffness`, unloading and loading again along a greater one (Walton and Braun 1986;
/// Luding 2008); needs `linear`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlasticSpec {
    /// Stiffness of unloading, N/m, more than `normal_stiffness`. A head-on contact without damping has the
    /// restitution sqrt(normal_stiffness / unloading_stiffness).
    #[schemars(range(min = 0.0))]
    pub unloading_stiffness: f64,
    /// The link pulls with at most this times the overlap, N/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub cohesion_stiffness: f64,
}

/// Resistance to rolling or twisting. Its force acts at the effective radius R against v = R (difference of spins); the
/// moment is R times it. Either a spring with a dashpot behind a slider (the default), or with `smoothing_speed` its
/// greatest size at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResistanceSpec {
    /// Coefficient: the greatest force over what presses the two together.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Stiffness of the spring, N/m; by default 2.25 friction^2 times the normal stiffness (Ai et al. 2011).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub stiffness: Option<f64>,
    /// Damping beside the spring, N s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub damping: Option<f64>,
    /// Without a spring: the speed v at which the force has half its size, m/s. What is at rest on a slope creeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub smoothing_speed: Option<f64>,
}
