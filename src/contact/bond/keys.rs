//! The keys of bonds in scenarios.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rigid, When};

/// Bonds between grains of the two materials: elastic beams between their centres, which act beside the contact until they break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BondKeys {
    /// When they form: `start` (the default), before grains settle, or `settled`, at time 0.
    #[serde(default, skip_serializing_if = "When::is_start")]
    pub when: When,
    /// Gap up to which they form, m; by default grains have to touch.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub gap: f64,
    /// A beam with these properties; or give `stiffness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "E A / l, 12 E I / (l^3 (1 + f)), E I / l, G J / l; f = 12 E I / (s G A l^2)", "x-unit" = "N/m and N m", "x-source" = "Timoshenko 1921; s: Cowper 1966; as a potential Kuzkin and Asonov 2012"))]
    pub beam: Option<BeamKeys>,
    /// Stiffnesses, the same for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<BondStiffnessKeys>,
    /// Share of the critical damping of the two grains, for each way of deformation.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
    /// Whether the grains that they join move as rigid bodies, whose bonds are loaded as in equilibrium with inertia: `never` (the
    /// default: bonds are stepped) or `always`.
    #[serde(default, skip_serializing_if = "Rigid::is_never")]
    pub rigid: Rigid,
    /// Greatest stress of a beam; without it and `loads` bonds do not break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "N / A + M r / I, Q / A + M_t r / J", "x-unit" = "Pa", "x-source" = "Potyondy and Cundall 2004"))]
    pub strength: Option<StrengthKeys>,
    /// Greatest loads, the same for all; or give `strength`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "N / N_max + M / M_max, Q / Q_max + M_t / M_t,max at most 1", "x-unit" = "1", "x-source" = "as Wang, Place and Mora 2006, without squares"))]
    pub loads: Option<LoadKeys>,
    /// Scatter of the strength from bond to bond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scatter: Option<ScatterKeys>,
}

/// A round beam between the centres, in the plane a strip of unit depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeamKeys {
    /// Young's modulus, Pa.
    #[schemars(range(min = 0.0))]
    pub young: f64,
    /// Poisson's ratio; the shear modulus is young / (2 (1 + poisson)).
    #[serde(default = "quarter")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub poisson: f64,
    /// Radius over that of the smaller grain.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

fn quarter() -> f64 {
    0.25
}

fn one() -> f64 {
    1.0
}

/// Stiffnesses of a bond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BondStiffnessKeys {
    /// Against stretching, N/m.
    #[schemars(range(min = 0.0))]
    pub normal: f64,
    /// Against shear, N/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub shear: f64,
    /// Against bending, N m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub bending: f64,
    /// Against twisting, N m; in space only.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub twisting: f64,
}

/// Greatest stress of a beam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrengthKeys {
    /// In tension, by stretching and bending, Pa.
    #[schemars(range(min = 0.0))]
    pub tension: f64,
    /// In shear, with twisting, Pa.
    #[schemars(range(min = 0.0))]
    pub shear: f64,
}

/// Greatest loads of a bond; what is left out does not break it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadKeys {
    /// Tension, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub tension: Option<f64>,
    /// Shear force, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub shear: Option<f64>,
    /// Bending moment, N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub bending: Option<f64>,
    /// Twisting moment, N m; in space only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub twisting: Option<f64>,
}

/// Scatter of strengths: exactly one of `deviation` and `weibull`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScatterKeys {
    /// Normal: standard deviation over the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub deviation: Option<f64>,
    /// Weibull: the modulus; the strengths are then what 63 % of all bonds do not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub weibull: Option<f64>,
    /// With `weibull`: volume of a beam, m^3 (in the plane m^2), to which the strengths belong; smaller ones are stronger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub volume: Option<f64>,
}
