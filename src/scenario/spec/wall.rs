//! Walls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpinSpec;
use crate::geometry::Dimension;
use crate::keys::View;
use crate::walls::shapes::registry::with_all_shape_keys;
use crate::walls::shapes::{
    ArcKeys, BallKeys, BoxKeys, ConeKeys, CylinderKeys, MeshKeys, PlaneKeys, PolylineKeys,
    RevolvedKeys, RoughKeys, SegmentKeys, Shape, ShapeKeys, TorusKeys, VesselKeys,
};

/// The dimensions of space that an entry names.
macro_rules! dimensions {
    () => {
        None
    };
    ($space:literal) => {
        Some($space)
    };
}

/// Makes the section of walls with the keys of all shapes.
macro_rules! boundary {
    ($($(#[$meta:meta])* $key:ident $(in $space:literal)?: $keys:ty;)+) => {
        /// A wall: exactly one shape of a material.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct BoundarySpec {
            /// Name in records and messages; `wall-1`, `wall-2`, ... when absent.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Name of its material.
            pub material: String,
            $(
                $(#[$meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $key: Option<$keys>,
            )+
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
            #[schemars(extend("x-formula" = "acts on grains with r > passes_below_radius", "x-unit" = "m", "x-source" = "geometry"))]
            pub passes_below_radius: Option<f64>,
            /// A belt: velocity of its surface, m/s, while the wall itself stays (or moves as `motion` says). Only its part
            /// along the surface counts.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-formula" = "surface velocity u - (u . n) n", "x-unit" = "m/s", "x-source" = "kinematics"))]
            pub belt: Option<Vec<f64>>,
        }

        impl BoundarySpec {
            /// The keys of all shapes, and the dimensions of space in which there are such; none: in both.
            pub const SHAPES: &[(&str, Option<usize>)] = &[
                $((bare(stringify!($key)), dimensions!($($space)?)),)+
            ];

            /// The shape that it has; what comes from files is taken into the keys.
            pub fn shape<D: Dimension, V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
                here.one_of(
                    "what shape it has",
                    &[$((bare(stringify!($key)), self.$key.is_some())),+],
                )?;
                $(if let Some(keys) = &mut self.$key {
                    return read::<D, V, $keys>(keys, &here.key(bare(stringify!($key))), dimensions!($($space)?));
                })+
                Err(here.fault(format!("`{}` has no shape", here.path())))
            }
        }
    };
}

with_all_shape_keys!(boundary);

/// A key without the mark of those that are words of the language.
const fn bare(key: &str) -> &str {
    match key.as_bytes() {
        [b'r', b'#', ..] => key.split_at(2).1,
        _ => key,
    }
}

/// Reads a shape, if there is such in so many dimensions.
fn read<D: Dimension, V: View, K: ShapeKeys<D>>(
    keys: &mut K,
    here: &V,
    space: Option<usize>,
) -> Result<Shape<D>, V::Fault> {
    let Some(dimensions) = space.filter(|&dimensions| dimensions != D::N) else {
        return keys.read(here);
    };
    let path = here.path();
    let fault = here.fault_of_key(format!(
        "`{path}` is a shape of {dimensions} dimensions, but this scenario has {}",
        D::N
    ));
    let there = BoundarySpec::SHAPES.iter();
    let there = there.filter(|(_, space)| space.is_none_or(|space| space == D::N));
    let mut there: Vec<String> = there.map(|(key, _)| format!("`{key}`")).collect();
    let last = there.pop().unwrap_or_default();
    let any = format!("use {} or {last}", there.join(", "));
    Err(V::with_help(fault, K::instead().map_or(any, String::from)))
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
