//! Shapes of grains that are no disks or spheres.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RadiusSpec;
use super::grains::is_false;

/// The shape of a grain, in any unit of length: exactly one of `disks`, `spheres`, `arcs`, `packed` and `chain`.
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
    /// Disks or spheres packed into an outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<PackedSpec>,
    /// Disks or spheres in a row along x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainSpec>,
    /// Whether its disks or spheres are grains of their own that bonds hold together (an agglomerate), as `bond` in the law of their
    /// material says.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bonded: bool,
}

/// Disks or spheres packed into an outline about the origin: exactly one of `ball`, `brick` and `cylinder`. Those wholly inside are
/// kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackedSpec {
    /// Radii of the disks or spheres, in the unit of the outline; on a lattice all are equal.
    pub radius: RadiusSpec,
    /// How they are placed.
    #[serde(default, skip_serializing_if = "Arrangement::is_lattice")]
    pub arrangement: Arrangement,
    /// Another seed is another random arrangement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Inside of a circle or a sphere with this radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<f64>,
    /// Inside of a rectangle or a cuboid with these edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brick: Option<Vec<f64>>,
    /// In space: inside of a cylinder along z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<CylinderSpec>,
}

/// How disks or spheres are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// On the densest lattice: hexagonal, rows along x; in space face-centred cubic, its hexagonal layers across z.
    #[default]
    Lattice,
    /// One after the other rolls down those before it until it is supported.
    Random,
}

impl Arrangement {
    fn is_lattice(&self) -> bool {
        *self == Arrangement::Lattice
    }
}

/// An upright cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderSpec {
    /// Its radius.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Its length.
    #[schemars(range(min = 0.0))]
    pub length: f64,
}

/// Equal disks or spheres in a row along x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainSpec {
    /// How many.
    pub count: u64,
    /// Their radius.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Distance of their centres; they touch when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
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
