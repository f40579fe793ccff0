//! Keys of a fluid and its flow in scenarios.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::grid::GridKeys;
use super::super::keys::is_zero;
use super::super::rotation::TurningKeys;

/// A fluid: it drags grains along, and bears part of their weight. Grains do not change it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "(c + m / T + 6 pi eta r f(Re) + C rho A w / 2) (u - v) - rho V g, w = |u - v|", "x-unit" = "N", "x-source" = "Stokes 1851; Schiller and Naumann 1933; Archimedes"))]
pub struct FluidKeys {
    /// Density, kg/m^3 (in two dimensions kg/m^2): for buoyancy, `drag_coefficient` and `schiller-naumann`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "buoyancy -density V g", "x-unit" = "kg/m^3", "x-source" = "Archimedes"))]
    pub density: f64,
    /// Viscosity, Pa s: drag of spheres (three dimensions) as `law` says; of grains of a shape as of the sphere of their volume.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-6 pi eta r (v - u), times 1 + 0.15 Re^0.687 with schiller-naumann", "x-unit" = "Pa s", "x-source" = "Stokes 1851; Schiller and Naumann 1933"))]
    pub viscosity: f64,
    /// Drag by viscosity: `"stokes"` (the default): 6 pi eta r v; `"schiller-naumann"`: times 1 + 0.15 Re^0.687, and not under that of a drag
    /// coefficient of 0.44.
    #[serde(default)]
    pub law: ViscousName,
    /// Drag coefficient: a drag of this times density A v^2 / 2, A = pi r^2 (in two dimensions 2 r); 0 (the default) for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-C density A |v - u| (v - u) / 2", "x-unit" = "1", "x-source" = "Newton"))]
    pub drag_coefficient: f64,
    /// A drag m v / time, s, which gives all grains this time to follow the fluid. None when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-m (v - u) / time", "x-unit" = "s", "x-source" = "one time for all grains"))]
    pub relaxation_time: Option<f64>,
    /// Whether grains are lighter by the fluid in whose place they are: with respect to `gravity`, `rotation` and `central`. By default where there
    /// is a density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buoyancy: Option<bool>,
}

/// How the viscosity of a fluid drags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViscousName {
    /// 6 pi eta r v (Stokes 1851): for Re well under 1.
    #[default]
    Stokes,
    /// That times 1 + 0.15 Re^0.687 (Schiller and Naumann 1933), and a drag coefficient of 0.44 at least.
    SchillerNaumann,
}

/// A flow: exactly one of `uniform`, `pipe`, `rotation`, `table` and `stream`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "u; in a pipe of radius R at r from its axis 2 mean (1 - r^2 / R^2), in two dimensions 3/2 mean (1 - r^2 / R^2)", "x-unit" = "m/s", "x-source" = "Poiseuille 1840; narrowing pipes by lubrication, Reynolds 1886"))]
pub struct FlowKeys {
    /// The same velocity everywhere, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "u everywhere", "x-unit" = "m/s", "x-source" = "kinematics"))]
    pub uniform: Option<Vec<f64>>,
    /// Poiseuille's flow through a pipe (in two dimensions a channel); outside the fluid rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "peak (1 - (distance / radius)^2)", "x-unit" = "m/s", "x-source" = "Poiseuille 1840; with radii by lubrication theory"))]
    pub pipe: Option<PipeKeys>,
    /// It turns as a solid body does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "rate x (r - centre)", "x-unit" = "rad/s", "x-source" = "kinematics"))]
    pub rotation: Option<TurningKeys>,
    /// Velocities on a regular grid, m/s, linear in between along each axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "linear between nodes along each axis", "x-unit" = "m/s", "x-source" = "a table"))]
    pub table: Option<GridKeys>,
    /// The same velocity everywhere, which the grains slow down or carry along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "M du/dt = P - k u - sum of the drags", "x-unit" = "m/s", "x-source" = "Newton's second law"))]
    pub stream: Option<StreamKeys>,
}

/// A body of fluid with one velocity. What the grains gain by drag it loses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamKeys {
    /// Its mass, kg; in two dimensions per metre of depth.
    #[schemars(range(min = 0.0))]
    pub mass: f64,
    /// Velocity at time 0, m/s; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<f64>>,
    /// A force on all of it, N: a gradient of pressure times the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<Vec<f64>>,
    /// When the push begins, s.
    #[serde(default)]
    pub from: f64,
    /// When the push ends, s; never when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Force over velocity with which all that is no grain resists it, N s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub resistance: f64,
}

/// A pipe, or a channel: exactly one of `radius` and `radii`, and of `mean` and `peak`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipeKeys {
    /// A point of the axis, m.
    pub point: Vec<f64>,
    /// Direction of the axis, of any length; the fluid flows along it.
    pub axis: Vec<f64>,
    /// Radius, m; in two dimensions half of the width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub radius: Option<f64>,
    /// Or pairs of a place along the axis from `point` on, ascending, and the radius there, m; smooth between them, and the
    /// same volume flows through each cross-section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radii: Option<Vec<[f64; 2]>>,
    /// Mean velocity, m/s; with `radii` at the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Or that on the axis: twice the mean one, in two dimensions 1.5 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
}
