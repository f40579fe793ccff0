//! When grains change their regime.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When grains in equilibrium come to stand still, and when they are woken (docs/morphing.md). Without this section disks and spheres do
/// where gravity acts and everything in the scenario supports it. Forces are in weights of the grain; the defaults follow from `run.tolerance`
/// (from a fifth of it without this section in a vessel that turns as a whole).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MorphSpec {
    /// Whether grains may stand still; false steps each of them all the time.
    #[serde(default = "default_rigid")]
    pub rigid: bool,
    /// Whether a vessel all of whose walls turn about one axis at one rate, slowly, is computed in its own frame, where its bed can come to
    /// rest; what is written is that of the laboratory all the same.
    #[serde(default = "default_own_frame")]
    pub own_frame: bool,
    /// A grain is calm under this kinetic energy, over m g d. Default: tolerance / 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinetic: Option<f64>,
    /// It creeps, and is not stopped, when its mean velocity over `dwell` has more kinetic energy than this, over m g d. Default:
    /// `kinetic` / 100 where links can pull, since what cohesion holds fails slowly; else `kinetic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep: Option<f64>,
    /// It must be calm for so long, s. Default: 4 contact times of the softest pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dwell: Option<f64>,
    /// Greatest force that it may lack to equilibrium when it is stopped. Default: 100 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// Or this share of what presses on it in all, if that is more. Default: a fifth of `residual`, but at most 20 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_share: Option<f64>,
    /// It is woken when it lacks more than this. Default: 10,000 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<f64>,
    /// It is woken at the very step in which it is struck, with all grains that a wave can reach, and come back from, while the striker is in
    /// touch, when the striker could rise by this many diameters of the smaller of the two with its speed. Default: 50 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strike: Option<f64>,
    /// It is woken, too, when it lacks more than this share of what the other grains at rest press on it
    /// in all, and more than half its weight. Default: 200 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_share: Option<f64>,
    /// How often loads are carried down by a quasi-static solve, s. Default: 75 contact times of
    /// the softest pair; down to a quarter of that where gravity turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_every: Option<f64>,
    /// Load that an equilibrium solve may leave to the next, over the weight of the grains: one that leaves more goes on for longer. Default: 100 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<f64>,
    /// Time that grains have in such a solve to move against their inertia, s: the longer, the farther
    /// loads are carried at once. Default: 15 contact times of the softest pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solve_time: Option<f64>,
    /// It is woken when a solve leaves it lacking more than this. Default: 200 tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_after_solve: Option<f64>,
}

impl Default for MorphSpec {
    fn default() -> Self {
        MorphSpec {
            rigid: default_rigid(),
            own_frame: default_own_frame(),
            kinetic: None,
            creep: None,
            dwell: None,
            residual: None,
            residual_share: None,
            wake: None,
            strike: None,
            wake_share: None,
            carry_every: None,
            pending: None,
            solve_time: None,
            residual_after_solve: None,
        }
    }
}

fn default_rigid() -> bool {
    true
}

fn default_own_frame() -> bool {
    true
}
