//! Walls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpinSpec;

/// A wall: exactly one shape (`plane`, `segment`, `polyline`, `arc`, `box`, `circle`, `sphere`,
/// `cylinder`, `cone`, `revolved`, `vessel`, `mesh` or `rough`) of a material.
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
    #[schemars(extend("x-formula" = "(x - point) . n = 0; grains where it is over 0", "x-unit" = "m", "x-source" = "geometry"))]
    pub plane: Option<PlaneSpec>,
    /// A straight thin wall between two points (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "from + s (to - from), 0 <= s <= 1; both sides; ends are points", "x-unit" = "m", "x-source" = "geometry"))]
    pub segment: Option<SegmentSpec>,
    /// A chain of thin straight walls (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "segments from corner to corner; a corner counts once", "x-unit" = "m", "x-source" = "geometry"))]
    pub polyline: Option<PolylineSpec>,
    /// A thin piece of a circle (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "|x - centre| = radius between two angles; both sides; ends are points", "x-unit" = "m", "x-source" = "geometry"))]
    pub arc: Option<ArcWallSpec>,
    /// A box with sides along the axes.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "min <= x <= max; faces, edges and corners count once", "x-unit" = "m", "x-source" = "geometry"))]
    pub cuboid: Option<BoxSpec>,
    /// A circle (two dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "|x - centre| = radius", "x-unit" = "m", "x-source" = "geometry"))]
    pub circle: Option<BallSpec>,
    /// A sphere (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "|x - centre| = radius", "x-unit" = "m", "x-source" = "geometry"))]
    pub sphere: Option<BallSpec>,
    /// A thin tube, open at both ends (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "distance from the line = radius, between its ends", "x-unit" = "m", "x-source" = "geometry"))]
    pub cylinder: Option<CylinderSpec>,
    /// A thin cone or frustum, open at both ends (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "distance from the line goes evenly from from_radius to to_radius", "x-unit" = "m", "x-source" = "geometry"))]
    pub cone: Option<ConeSpec>,
    /// A thin surface made by turning a profile about an axis (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "a chain of (distance, height) turned about the axis", "x-unit" = "m", "x-source" = "geometry"))]
    pub revolved: Option<RevolvedSpec>,
    /// A cylinder closed by flat or spherical lids (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "a cylinder with lids, flat or parts of spheres", "x-unit" = "m", "x-source" = "geometry"))]
    pub vessel: Option<VesselSpec>,
    /// Triangles, from an STL file or a list; thin, felt from both sides, open or closed (three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "the nearest points of its plane parts, ridges and tips", "x-unit" = "m", "x-source" = "geometry"))]
    pub mesh: Option<MeshSpec>,
    /// Grains that do not move against each other: a rough bottom, bars of a screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "|x - centre| = radius of each grain; laws see two round bodies", "x-unit" = "m", "x-source" = "geometry"))]
    pub rough: Option<RoughSpec>,
    /// How it moves; it stands still when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "how the frame of the wall moves; see motions", "x-unit" = "m", "x-source" = "kinematics"))]
    pub motion: Option<MotionSpec>,
    /// A gate: when it is taken away, s. Settling comes before time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<f64>,
    /// A dividing grid: grains of a radius up to this go through as if it were not there, m (with a shape: the
    /// radius of the circle or sphere around a grain). Absent: none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "acts on grains with r > passes", "x-unit" = "m", "x-source" = "geometry"))]
    pub passes: Option<f64>,
    /// A belt: velocity of its surface, m/s, while the wall itself stays (or moves as `motion` says). Only its part
    /// along the surface counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "surface velocity u - (u . n) n", "x-unit" = "m/s", "x-source" = "kinematics"))]
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

/// A thin piece of a circle, from one angle on counter-clockwise to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArcWallSpec {
    /// Centre of the circle, m.
    pub centre: Vec<f64>,
    /// Its radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Angle of the first end, rad, from x towards y.
    pub from: f64,
    /// Angle of the other, greater by less than a turn.
    pub to: f64,
}

/// The grains of a rough wall: exactly one of `file`, `grains` and `lattice`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoughSpec {
    /// From a table in a CSV file, its path relative to the scenario's folder; columns x, y, r and in space z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// One by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Vec<WallGrainSpec>>,
    /// Rows of equal grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<WallLatticeSpec>,
}

/// A grain of a rough wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallGrainSpec {
    /// Centre, m.
    pub position: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// Equal grains in a row, or in rows of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallLatticeSpec {
    /// Centre of the first, m.
    pub first: Vec<f64>,
    /// From one to the next: a vector for a row, m; a second one from row to row.
    pub steps: Vec<Vec<f64>>,
    /// How many along each of these.
    pub counts: Vec<u64>,
    /// Their radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// The path of a moving wall: one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MotionSpec {
    /// Constant velocity, m/s.
    #[schemars(extend("x-formula" = "x = v t", "x-unit" = "m/s", "x-source" = "kinematics"))]
    Velocity(Vec<f64>),
    /// Constant turning about a centre.
    #[schemars(extend("x-formula" = "turned by spin t about the centre", "x-unit" = "rad/s", "x-source" = "kinematics"))]
    Rotation {
        /// Centre, m.
        centre: Vec<f64>,
        /// Angular velocity, rad/s.
        spin: SpinSpec,
    },
    /// Harmonic: displacement = amplitude (sin(2 pi frequency t + phase) - sin(phase)).
    #[schemars(extend("x-formula" = "x = A (sin(2 pi f t + phase) - sin(phase))", "x-unit" = "m", "x-source" = "kinematics"))]
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
    #[schemars(extend("x-formula" = "x = 8 A f t - 16 A f^2 t^2 in the first half period, to the other side in the next", "x-unit" = "m", "x-source" = "Gavrilov, thesis, eq. 3.19"))]
    Parabolic {
        /// Amplitude, m.
        amplitude: Vec<f64>,
        /// Frequency, Hz.
        frequency: f64,
    },
    /// Pieces of constant acceleration, one after the other; at rest before the first.
    #[schemars(extend("x-formula" = "x = v t + a t^2 / 2 from each start on", "x-unit" = "m", "x-source" = "kinematics"))]
    Pieces(Vec<PieceSpec>),
    /// A table: rows of a time and the displacement then, s and m; straight from row to row, at rest before the first
    /// and after the last.
    #[schemars(extend("x-formula" = "straight from row to row", "x-unit" = "m", "x-source" = "kinematics"))]
    Table(Vec<Vec<f64>>),
    /// A wall with mass that forces move along a line: a lid, a piston, a plate that keeps a pressure.
    #[schemars(extend("x-formula" = "M dv/dt = F + M g - c v - push of the grains", "x-unit" = "N", "x-source" = "Newton"))]
    Guided(GuidedSpec),
}

/// A wall that forces move along a line; `force` or `pressure` drives it, against the grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuidedSpec {
    /// Direction of the line, of any length; forces, speeds and ways count along it.
    pub along: Vec<f64>,
    /// Mass, kg (in the plane per metre of depth).
    #[schemars(range(min = 0.0))]
    pub mass: f64,
    /// Force that drives it, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// Pressure that drives it, Pa (in the plane N/m), on `area` or on what lies `between` planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Area on which the pressure acts, m^2 (in the plane m); of pairs `between`, what their distances are times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub area: Option<f64>,
    /// Pairs of facing planes, by name: the area is the product of their distances, as they stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<[String; 2]>,
    /// Viscous damping of its motion, N s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
    /// Whether gravity acts on it.
    #[serde(default = "yes")]
    pub weight: bool,
    /// When it is let go, s; it stands before.
    #[serde(default)]
    pub from: f64,
    /// Speed with which it is let go, m/s.
    #[serde(default)]
    pub speed: f64,
    /// When it stops to follow forces and goes at `then_speed` instead, s: as a press that first keeps a pressure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Speed from `until` on, m/s; it stands when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then_speed: Option<f64>,
    /// Least and greatest way, m: there it is caught without rebound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<[f64; 2]>,
}

fn yes() -> bool {
    true
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
