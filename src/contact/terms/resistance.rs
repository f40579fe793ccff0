//! Resistance to rolling and twisting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Resistance to the relative rotation of two bodies. Its force acts at the effective radius R on the speed v = R
/// (spin_a - spin_b), along the normal for twisting and across it for rolling; the moment is R times it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resistance {
    /// Coefficient: the greatest force over the pressing force.
    pub friction: f64,
    /// Model of the resistance.
    pub kind: ResistanceKind,
}

/// Model of a resistance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ResistanceKind {
    /// Always at its limit, smoothed: friction times the pressing force, times v / (|v| + smoothing speed, m/s) (Zhou
    /// et al. 1999, model A).
    Constant(f64),
    /// A spring with a dashpot behind a slider (Iwashita and Oda 1998; Ai et al. 2011, model C).
    Spring {
        /// Stiffness, N/m; none for 2.25 friction^2 times the current normal stiffness (Ai et al. 2011).
        stiffness: Option<f64>,
        /// Damping, N s/m.
        damping: f64,
    },
}

impl Resistance {
    /// Returns the stiffness of the spring over the normal one, if none is given.
    pub fn usual_share(&self) -> f64 {
        2.25 * self.friction * self.friction
    }
}

/// Resistance to rolling or twisting. Its force acts at the effective radius R against v = R (difference of spins); the
/// moment is R times it. Either a spring with a dashpot behind a slider (the default), or with `smoothing_speed` its
/// greatest size at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResistanceKeys {
    /// Coefficient: the greatest force over what presses the two together.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Stiffness of the spring, N/m; by default 2.25 friction^2 times the normal stiffness (Ai et al. 2011).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub stiffness: Option<f64>,
    /// Damping beside the spring, N s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub damping: Option<f64>,
    /// Without a spring: the speed v at which the force has half its size, m/s. What is at rest on a slope creeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub smoothing_speed: Option<f64>,
}
