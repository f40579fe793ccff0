//! Periodic cells whose edges move.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AxisName {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third, in space.
    Z,
}

/// What drives lengths of the periodic box for a time: exactly one of `pressure` and `strain_rate`. Of several that are
/// on at once for an axis the last acts; where none is, the length stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellDriveSpec {
    /// Which axes; each goes by itself.
    pub axes: Vec<AxisName>,
    /// The pressure that the axis keeps, Pa, in two dimensions N/m: M d2L/dt2 = A (P - p (1 + (dL/dt) / (L r))), where P is
    /// that of grains on planes across the axis, A their area, M `mass` and r `greatest_rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "M d2L/dt2 = A (P - p (1 + (dL/dt) / (L r)))", "x-unit" = "Pa", "x-source" = "Andersen 1980; Parrinello and Rahman 1981"))]
    pub pressure: Option<f64>,
    /// True rate of strain, 1/s: dL/dt = rate L; below 0 the box becomes shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "dL/dt = rate L", "x-unit" = "1/s", "x-source" = "kinematics"))]
    pub strain_rate: Option<f64>,
    /// With `pressure`: inertia of the edge, kg. Default: the mass of a layer of grains one mean diameter thick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// With `pressure`: rate of strain at which it would press an empty box together, 1/s; resistance to change grows
    /// in proportion to the rate. Default: 0.01 sqrt(pressure / density) / d, d the mean diameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greatest_rate: Option<f64>,
    /// From when on, s.
    #[serde(default)]
    pub from: f64,
    /// Until when, s; to the end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// A shear of the periodic box for a time: velocity along x that grows with y. Of several that are on at once the last
/// acts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellShearSpec {
    /// Rate of shear, 1/s: the image above moves along x by `rate` times the length along y.
    #[schemars(extend("x-formula" = "v_x = rate y", "x-unit" = "1/s", "x-source" = "Lees and Edwards 1972"))]
    pub rate: f64,
    /// From when on, s.
    #[serde(default)]
    pub from: f64,
    /// Until when, s; to the end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}
