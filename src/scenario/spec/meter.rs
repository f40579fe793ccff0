//! Meters of what flows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ExtentSpec;
use crate::walls::shapes::PlaneKeys;

/// A meter counts grains that pass, forward less back, with mass, sizes and materials: exactly one of `plane` and
/// `inside`. The centre of a grain decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeterSpec {
    /// Its name, in the columns `meter_NAME_count` and `meter_NAME_mass` of the series and in the summary.
    pub name: String,
    /// Counts grains that pass this plane: along its normal is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "sign changes of (x - point) . n", "x-unit" = "1", "x-source" = "geometry"))]
    pub plane: Option<PlaneKeys>,
    /// Counts only grains that pass the plane within this distance from its point, m: a segment in the plane, a disc in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub radius: Option<f64>,
    /// Counts grains that enter this box (forward) or leave it (back).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "grains within now less those before", "x-unit" = "1", "x-source" = "geometry"))]
    pub inside: Option<ExtentSpec>,
    /// Time between two looks, s; all meters look at the shortest. Default: a quarter of sqrt(d / g), d the mean
    /// diameter, but at most end_time / 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub every: Option<f64>,
}
