//! The scenario file as Rust types. The doc comment of each key is its description in
//! `arenite schema`, so it is written for the person who writes a scenario.

mod cell;
mod events;
mod grains;
mod law;
mod material;
mod meter;
mod mixture;
mod morph;
mod perturb;
mod quasi_static;
mod run;
mod scalar;
mod shape;
mod wall;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::ControlSection;
use crate::field::FieldSection;

pub use cell::*;
pub use events::*;
pub use grains::*;
pub use law::*;
pub use material::*;
pub use meter::*;
pub use mixture::*;
pub use morph::*;
pub use perturb::*;
pub use quasi_static::*;
pub use run::*;
pub use scalar::*;
pub use shape::*;
pub use wall::*;

/// A scenario: all that a run starts from. Units are SI, angles in radians. In two dimensions
/// (x, y) densities are per area, kg/m^2, and masses and forces per metre of depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the scenario; letters, digits, `-`, `_` and `.`. Names the folder of a run.
    pub name: String,
    /// What it shows, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version of the program that wrote this file; set in the `scenario.toml` of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Dimensions of space: 2 (disks) or 3 (spheres).
    #[schemars(range(min = 2, max = 3))]
    pub dimension: u64,
    /// Seed of all random numbers: the same seed gives the same run, bit for bit.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Forces that act everywhere.
    #[serde(default)]
    pub field: FieldSection,
    /// Directions in which space repeats itself.
    #[serde(default, skip_serializing_if = "PeriodicSpec::is_empty")]
    pub periodic: PeriodicSpec,
    /// Time, integration and accuracy.
    pub run: RunSpec,
    /// What is recorded, and how often.
    #[serde(default)]
    pub log: LogSpec,
    /// Settling before time 0, with gates closed and outlets shut. Absent: start at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<SettleSpec>,
    /// The quasi-static model instead of motion. Absent: grains move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quasi_static: Option<QuasiStaticSpec>,
    /// Hard collisions from event to event instead of contacts that last. Absent: contacts last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsSpec>,
    /// Grains in equilibrium stand still until something wakes them. Absent: disks and spheres do where gravity acts
    /// and everything in the scenario supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub morph: Option<MorphSpec>,
    /// Materials by name, as `[material.clay]`. A name that is not defined here is looked for
    /// among the embedded ones (`arenite list`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub material: BTreeMap<String, MaterialSpec>,
    /// Shapes of grains by name, as `[shape.bone]`. A name that is not defined here is looked for among
    /// the embedded ones (`arenite list`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shape: BTreeMap<String, ShapeSpec>,
    /// Contact laws of pairs of materials; these come before the embedded ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub law: Vec<LawSection>,
    /// Walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundary: Vec<BoundarySpec>,
    /// Grains that are there at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<FillSpec>,
    /// Grains that come during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feed: Vec<FeedSpec>,
    /// Where grains leave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlet: Vec<OutletSpec>,
    /// What counts grains that pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meter: Vec<MeterSpec>,
    /// What acts on walls and feeds by what meters count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub control: Vec<ControlSection>,
    /// What disturbs the whole from outside: taps, shakes, tilts, grains taken away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturb: Vec<PerturbSpec>,
}

fn default_seed() -> u64 {
    1
}

/// Directions in which space repeats itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeriodicSpec {
    /// Least and greatest x, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Least and greatest y, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Least and greatest z, m (in three dimensions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
    /// Lengths that change: by a rate of strain, or under a pressure. All directions must be periodic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drive: Vec<CellDriveSpec>,
    /// A shear that goes on: the images above the box move along x (Lees and Edwards).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shear: Vec<CellShearSpec>,
}

impl PeriodicSpec {
    fn is_empty(&self) -> bool {
        *self == PeriodicSpec::default()
    }
}
