//! Shapes of grains that are no disks or spheres.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of a grain, in any unit of length: exactly one of `disks`, `spheres` and `arcs`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapeSpec {
    /// In the plane: disks that keep their places to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disks: Option<Vec<ComponentSpec>>,
    /// In space: spheres that keep their places to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spheres: Option<Vec<ComponentSpec>>,
    /// In the plane: arcs that go over into each other without a corner, counter-clockwise around a
    /// convex grain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arcs: Option<Vec<ArcSpec>>,
}

/// A disk or sphere of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComponentSpec {
    /// Its centre.
    pub centre: Vec<f64>,
    /// Its radius.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// An arc of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArcSpec {
    /// Its name; its place in the list when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Centre of its circle.
    pub centre: [f64; 2],
    /// Radius of its circle.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Angle at which it begins, rad.
    pub from_angle: f64,
    /// Angle at which it ends, rad.
    pub to_angle: f64,
}
