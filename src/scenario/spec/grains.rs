//! Grains: there at the start, fed, and leaving.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CountedSpec, RadiusSpec, SortSpec, SpinSpec};
use crate::walls::shapes::PlaneKeys;

/// Grains that are there at the start: exactly one of the ways (`lattice`, `random`, `roll_down`,
/// `file` or `grains`) of a material.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillSpec {
    /// Name of the grains' material.
    pub material: String,
    /// Name of their shape; disks or spheres when absent. Radii are then those of the circle or sphere
    /// around a grain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// With a shape: radii are those of a disk or sphere of the same area or volume instead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub equal_measure: bool,
    /// On a square or cubic lattice, row upon row, shaken by `jitter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "a grain a cell, row upon row", "x-unit" = "m", "x-source" = "geometry"))]
    pub lattice: Option<LatticeSpec>,
    /// At random, none overlapping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "uniform places, none overlapping", "x-unit" = "m", "x-source" = "random sequential addition"))]
    pub random: Option<RegionSpec>,
    /// One after the other, each rolling down the heap until it is supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "each rolls down the heap to a stable place", "x-unit" = "m", "x-source" = "Visscher and Bolsterli 1972"))]
    pub roll_down: Option<RegionSpec>,
    /// From a table in a CSV file, its path relative to the scenario's folder. The columns by
    /// the names in its first line, in any order: x, y, r and in space z; optional: vx, vy,
    /// vz, w (in space wx, wy, wz) for the spin, and id: grains are numbered in the order of their ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "rows of x, y, (z,) r, velocities, spins", "x-unit" = "m", "x-source" = "a table"))]
    pub file: Option<String>,
    /// One by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "one by one", "x-unit" = "m", "x-source" = "a list"))]
    pub grains: Option<Vec<GrainSpec>>,
    /// Sorts of grains that it is mixed of, each with its `share`; of one sort when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-formula" = "each grain of sort i with probability share_i / sum of shares", "x-unit" = "1", "x-source" = "independent draws"))]
    pub mix: Vec<SortSpec>,
    /// Whether shares of `mix` are by "number" (when absent) or by "mass", which is met in the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix_by: Option<CountedSpec>,
}

impl FillSpec {
    /// How many grains it asks for; 0 for a file that has not been read.
    pub fn count(&self) -> u64 {
        let listed = self.grains.as_ref().map(|list| list.len() as u64);
        let lattice = self.lattice.as_ref().map(|fill| fill.count);
        let region = self.random.as_ref().or(self.roll_down.as_ref());
        let region = region.map(|fill| fill.count);
        listed.or(lattice).or(region).unwrap_or(0)
    }
}

/// A lattice of grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatticeSpec {
    /// How many grains.
    pub count: u64,
    /// Their radii, m.
    pub radius: RadiusSpec,
    /// Least corner of the region that the grains fill, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
    /// Random displacement as a share of the room in each cell, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
    /// Each component of the velocity is drawn from -speed to speed, m/s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub speed: f64,
}

/// A number of grains in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// How many grains.
    pub count: u64,
    /// Their radii, m.
    pub radius: RadiusSpec,
    /// Least corner of the region that the grains fill, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
}

/// A grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainSpec {
    /// Centre, m.
    pub position: Vec<f64>,
    /// Radius, m. Without it a shape is taken as it is given, in m, with its origin at `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub radius: Option<f64>,
    /// Velocity, m/s; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity, rad/s; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spin: Option<SpinSpec>,
    /// How a shape is turned: the angle, rad; in space an axis times the angle. As given when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<SpinSpec>,
}

pub(super) fn is_false(value: &bool) -> bool {
    !value
}

/// Grains that come during the run, shot at random into a region. Exactly one of `every`, `poisson` and
/// `mass_rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedSpec {
    /// Name of the grains' material.
    pub material: String,
    /// Name of their shape; disks or spheres when absent. Radii are then those of the circle or sphere
    /// around a grain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// With a shape: radii are those of a disk or sphere of the same area or volume instead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub equal_measure: bool,
    /// Their radii, m.
    pub radius: RadiusSpec,
    /// Grains in all at most. May be left out with `mass_rate` or `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Mass in all at most, kg (in the plane per metre of depth), kept to half a grain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Least corner of the region of their centres, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
    /// Speed at which the region moves from the first grain on, m/s, as to keep above a surface that
    /// rises; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rise: Option<Vec<f64>>,
    /// Time of the first, s.
    #[serde(default)]
    pub start: f64,
    /// Fixed interval between them, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "t_k = start + k every", "x-unit" = "s", "x-source" = "a clock"))]
    pub every: Option<f64>,
    /// Mean rate of a Poisson stream, 1/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "gaps of exp(-rate t)", "x-unit" = "1/s", "x-source" = "a Poisson stream"))]
    pub poisson: Option<f64>,
    /// Mass that comes in a second, kg/s (in the plane per metre of depth): each grain when those before it have had their time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "t_k = start + (mass of those before) / rate", "x-unit" = "kg/s", "x-source" = "a clock of mass"))]
    pub mass_rate: Option<f64>,
    /// Their velocity, m/s; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<f64>>,
    /// Random places tried at one go before a grain is postponed, a million at most.
    #[serde(default = "default_attempts")]
    pub attempts: u32,
    /// How long it is postponed, s.
    #[serde(default = "default_retry_interval")]
    pub retry_interval: f64,
    /// After this many postponements in a row, a million at most, the feed is jammed.
    #[serde(default = "default_max_retries")]
    pub max_retries: u32,
    /// Sorts of grains that it is mixed of, each with its `share`; of one sort when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-formula" = "each grain of sort i with probability share_i / sum of shares", "x-unit" = "1", "x-source" = "independent draws"))]
    pub mix: Vec<SortSpec>,
    /// Whether shares of `mix` are by "number" (when absent) or by "mass", which is met in the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix_by: Option<CountedSpec>,
}

fn default_attempts() -> u32 {
    20
}
fn default_retry_interval() -> f64 {
    0.01
}
fn default_max_retries() -> u32 {
    100
}

/// Where grains leave: exactly one of `plane`, `inside` and `outside`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutletSpec {
    /// Grains wholly behind this plane (the side from which the normal points away) are
    /// discharged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "(x - point) . n < -r", "x-unit" = "m", "x-source" = "geometry"))]
    pub plane: Option<PlaneKeys>,
    /// Grains wholly within this box are discharged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "min + r < x < max - r", "x-unit" = "m", "x-source" = "geometry"))]
    pub inside: Option<ExtentSpec>,
    /// Grains wholly outside of this box are lost; they do not count as discharged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "wholly out of min, max", "x-unit" = "m", "x-source" = "geometry"))]
    pub outside: Option<ExtentSpec>,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtentSpec {
    /// Least corner, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
}
