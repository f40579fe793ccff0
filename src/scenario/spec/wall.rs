//! Walls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpinSpec;

/// A wall: exactly one shape (`plane`, `segment`, `polyline`, `box`, `circle`, `sphere`,
/// `cylinder`, `cone`, `revolved`, `vessel` or `mesh`) of a material.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundarySpec {
    /// Name in records and messages; `wall-1`, `wall-2`, ... when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of its material.
    pub material: String,
    /// A half-space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneSpec>,
    /// A straight thin wall between two points (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<SegmentSpec>,
    /// A chain of thin straight walls (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polyline: Option<PolylineSpec>,
    /// A box with sides along the axes.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub cuboid: Option<BoxSpec>,
    /// A circle (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circle: Option<BallSpec>,
    /// A sphere (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<BallSpec>,
    /// A thin tube, open at both ends (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<CylinderSpec>,
    /// A thin cone or frustum, open at both ends (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<ConeSpec>,
    /// A thin surface made by turning a profile about an axis (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revolved: Option<RevolvedSpec>,
    /// A cylinder closed by flat or spherical lids (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vessel: Option<VesselSpec>,
    /// Triangles, from an STL file or a list; thin, felt from both sides, open or closed (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshSpec>,
    /// How it moves; it stands still when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// A gate: when it is taken away, s. Settling comes before time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<f64>,
    /// A dividing grid: grains of a radius up to this go through as if it were not there, m (with a shape: the
    /// radius of the circle or sphere around a grain). Absent: none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub passes: Option<f64>,
    /// A belt: velocity of its surface, m/s, while the wall itself stays (or moves as `motion` says). Only its part
    /// along the surface counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belt: Option<Vec<f64>>,
}

/// A half-space: grains live on the side to which the normal points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneSpec {
    /// A point of the plane, m.
    pub point: Vec<f64>,
    /// The normal, of any length.
    pub normal: Vec<f64>,
}

/// A straight thin wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SegmentSpec {
    /// One end, m.
    pub from: Vec<f64>,
    /// The other end, m.
    pub to: Vec<f64>,
}

/// A chain of thin straight walls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolylineSpec {
    /// The corners in order, m.
    pub points: Vec<Vec<f64>>,
    /// Whether the last corner is joined to the first.
    #[serde(default)]
    pub closed: bool,
}

/// On which side of a closed wall the grains are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Grains live inside.
    Inside,
    /// Grains live outside.
    Outside,
}

/// A box with sides along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxSpec {
    /// Least corner, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
    /// Where the grains are.
    pub grains: Side,
}

/// A circle or a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallSpec {
    /// Centre, m.
    pub centre: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Where the grains are.
    pub grains: Side,
}

/// A thin tube, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderSpec {
    /// Centre of one end, m.
    pub from: Vec<f64>,
    /// Centre of the other end, m.
    pub to: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// A thin cone or frustum, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeSpec {
    /// Centre of one end, m.
    pub from: Vec<f64>,
    /// Centre of the other end, m.
    pub to: Vec<f64>,
    /// Radius at `from`, m; 0 for a tip.
    #[schemars(range(min = 0.0))]
    pub from_radius: f64,
    /// Radius at `to`, m; 0 for a tip.
    #[schemars(range(min = 0.0))]
    pub to_radius: f64,
}

/// A thin surface made by turning a profile about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevolvedSpec {
    /// The point of the axis from which heights are measured, m.
    pub origin: Vec<f64>,
    /// Direction of the axis, of any length.
    pub axis: Vec<f64>,
    /// Corners of the profile in order: distance from the axis and height along it, m.
    pub profile: Vec<[f64; 2]>,
}

/// A cylinder closed by lids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VesselSpec {
    /// Centre of one lid's rim, m.
    pub from: Vec<f64>,
    /// Centre of the other lid's rim, m.
    pub to: Vec<f64>,
    /// Radius of the cylinder, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Radius of the spheres of which the lids are parts, m, at least that of the cylinder; they bulge
    /// outwards and grains live inside. Flat lids when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub lid_radius: Option<f64>,
}

fn one() -> f64 {
    1.0
}

fn is_one(scale: &f64) -> bool {
    *scale == 1.0
}

/// A mesh of triangles: `file`, or `corners` with `triangles`; scaled first, then turned about the origin, then
/// moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshSpec {
    /// From an STL file, text or binary, its path relative to the scenario's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Factor to m: 0.001 for a file in mm.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 0.0))]
    pub scale: f64,
    /// How it is turned: an axis of the length of the angle, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<SpinSpec>,
    /// Where the origin of the file comes to lie, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// Neighbouring triangles whose corners lie no further than this from one plane are one plane part, m. Absent:
    /// a millionth of the greatest coordinate of the file, scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub flatness: Option<f64>,
    /// Leave out triangles without area instead of refusing the mesh.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_degenerate: bool,
    /// The corners, in the unit of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<[f64; 3]>>,
    /// The triangles, by the numbers of their corners, from 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
}

/// The path of a moving wall: one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MotionSpec {
    /// Constant velocity, m/s.
    Velocity(Vec<f64>),
    /// Constant turning about a centre.
    Rotation {
        /// Centre, m.
        centre: Vec<f64>,
        /// Angular velocity, rad/s.
        spin: SpinSpec,
    },
    /// Harmonic: displacement = amplitude (sin(2 pi frequency t + phase) - sin(phase)).
    Harmonic {
        /// Amplitude, m.
        amplitude: Vec<f64>,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        #[serde(default)]
        phase: f64,
    },
    /// Nearly harmonic, of constant acceleration in each half period: parabolic arcs of height
    /// `amplitude`, to its side first (thesis eq. 3.19).
    Parabolic {
        /// Amplitude, m.
        amplitude: Vec<f64>,
        /// Frequency, Hz.
        frequency: f64,
    },
    /// Pieces of constant acceleration, one after the other; at rest before the first.
    Pieces(Vec<PieceSpec>),
}

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceSpec {
    /// When it starts, s.
    pub from: f64,
    /// Velocity at its start, m/s; zero when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<f64>>,
    /// Acceleration, m/s^2; zero when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<Vec<f64>>,
}
