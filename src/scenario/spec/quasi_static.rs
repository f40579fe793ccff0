//! The quasi-static model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::system::{FreedomName, OrderName, PlacedName, SolverName, TensionName, ThenName};

/// The quasi-static model (thesis, chapter 4): the grains of the fills are added one by one, in
/// order; after each the forces of all contacts are found in equilibrium, with slides and breaks.
/// Nothing moves but by the small displacements under load; time only counts grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuasiStaticSpec {
    /// Time from one grain to the next, s: grain k (from 1) comes at k times this.
    #[serde(default = "default_interval")]
    pub interval: f64,
    /// How displacements are solved for; `arenite check` shows what "auto" chooses.
    #[serde(default)]
    pub solver: SolverName,
    /// Which displacements grains have.
    #[serde(default)]
    pub freedom: FreedomName,
    /// Whether links slide where friction does not hold them.
    #[serde(default = "default_true")]
    pub slides: bool,
    /// What becomes of links in tension.
    #[serde(default)]
    pub tension: TensionName,
    /// In which order links connect, break and slide.
    #[serde(default)]
    pub order: OrderName,
    /// Whether a grain that comes finds the bed as it has settled, or in the reference positions as
    /// a total-load solve of the thesis has it.
    #[serde(default)]
    pub placed: PlacedName,
    /// Forces under this share of the mean weight of a grain count as none.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// Bodies nearer than this many mean radii are watched: displacements may bring them in touch.
    #[serde(default = "default_reach")]
    pub reach: f64,
    /// What comes after the last grain: "nothing", or "motion", which begins an interval after it with the forces of the filling; gates,
    /// feeds, outlets, meters and perturbations act from then on.
    #[serde(default)]
    pub then: ThenName,
}

fn default_interval() -> f64 {
    1.0
}
fn default_true() -> bool {
    true
}
fn default_tolerance() -> f64 {
    1e-10
}
fn default_reach() -> f64 {
    0.1
}
