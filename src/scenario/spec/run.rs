//! Time, integration, accuracy and logs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IntervalSpec, StepSpec};
use crate::system::{EventLog, IntegratorName, NeighborName};

/// Time, integration and accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// When the run ends, s.
    #[schemars(range(min = 0.0))]
    pub end_time: f64,
    /// Whether the run ends once no grain is left and no feed has more to give.
    #[serde(default)]
    pub stop_when_empty: bool,
    /// Step of the clusters, s, or "auto" (the default): chosen from stiffness and damping;
    /// `arenite check` explains the choice.
    #[serde(default = "default_step")]
    pub step: StepSpec,
    /// The share of its limits that an automatic step keeps to, over 0 and up to 1.
    #[serde(default = "default_safety")]
    pub safety: f64,
    /// Integrator of the clusters.
    #[serde(default)]
    pub integrator: IntegratorName,
    /// Neighbour search.
    #[serde(default)]
    pub neighbor: NeighborName,
    /// Whether grains without contact fly on exact paths (true, the default) or are stepped
    /// like all others.
    #[serde(default = "default_flight")]
    pub flight: bool,
    /// Whether grains on free paths that meet each other or a wall by themselves collide at once, by
    /// their contact law, where that is short and no third body is near (docs/collisions.md#in-flight).
    /// Else, and by default, each contact is followed step by step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collisions: bool,
    /// Collisions are short up to this displacement of the two surfaces during the contact, over the sum of the
    /// radii; at walls gravity may change the approach by as much. Default: 30 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision_way: Option<f64>,
    /// The one dimensionless measure of accuracy; `stable_speed` and `slip_tolerance` follow
    /// from it where they are not given.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// A link is at rest below this relative speed, m/s. Default: tolerance x sqrt(g d), d the
    /// mean diameter; without gravity the greatest speed at the start stands for sqrt(g d).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_speed: Option<f64>,
    /// and is stable after this long at rest, s. Default: ten contact times of the softest
    /// pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_dwell: Option<f64>,
    /// Relative tolerance of slip and grip against the Coulomb limit. Default: tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip_tolerance: Option<f64>,
    /// How often grains that have left are looked for, s. Default: end_time / 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlet_interval: Option<f64>,
    /// The greatest overlap at the start, as a share of the smaller radius.
    #[serde(default = "default_start_overlap")]
    pub start_overlap: f64,
}

fn default_step() -> StepSpec {
    StepSpec::Auto
}
fn default_safety() -> f64 {
    0.8
}
fn default_flight() -> bool {
    true
}
fn default_tolerance() -> f64 {
    1e-3
}
fn default_start_overlap() -> f64 {
    0.05
}

/// Settling before time 0, with gates closed and outlets shut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettleSpec {
    /// It lasts at most this long, s.
    pub at_most: f64,
    /// and ends as soon as the mean kinetic energy of a grain is under this share of m g d.
    #[serde(default = "default_kinetic_fraction")]
    pub kinetic_fraction: f64,
}

fn default_kinetic_fraction() -> f64 {
    1e-6
}

/// What is recorded, and how often.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogSpec {
    /// Interval of the series (energies, counts, wall loads), s, or "never". Default:
    /// end_time / 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<IntervalSpec>,
    /// Interval of snapshots of all grains and links, s, or "never". Default: end_time / 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<IntervalSpec>,
    /// Interval of checkpoints in simulated time, s, or "never". Default: one after each hundred
    /// million grain-steps (some seconds of work), as `arenite check` estimates them, or thousand
    /// quasi-static grains; never in a
    /// run with less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<IntervalSpec>,
    /// Which events get a row of their own; all are counted.
    #[serde(default)]
    pub events: EventLog,
    /// Cell size of the field of stagnant zones, m: of each place how much of the time it stands
    /// still and how what passes it moves, gathered at the ticks of the series (docs/zones.md). Not
    /// recorded when absent. A diameter or two of the grains is a good size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagnant: Option<f64>,
    /// Cell size of the maps of walls, m: of each place of a wall, in its own frame, what slid on it and what struck it,
    /// summed up step by step into `wear.parquet` (docs/scenarios.md). Not recorded when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear: Option<f64>,
    /// Whether the collisions of an event-driven run are sorted by their energy, pairs of grains and each
    /// wall apart, into `impacts.parquet`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impacts: bool,
}
