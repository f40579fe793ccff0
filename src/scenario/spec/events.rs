//! The event-driven model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::system::CollapseName;

/// The event-driven model: grains fly on exact paths from one instantaneous collision to the next
/// and nothing is stepped. Contact laws are not used; a pair of materials needs a rule, or the
/// `restitution` for all. Walls are planes, boxes seen from inside, circles, spheres, vessels, and
/// cans (a closed turned profile of a cylinder with flat ends); they may move but not turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    /// Restitution of all pairs without a rule of their own: the ratio of the normal relative speeds
    /// after and before, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f64>,
    /// Rules of pairs of materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule: Vec<RuleSpec>,
    /// A pair that collides again within this time, s, stays in touch; 0 (the default): no such
    /// limit.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub contact_time: f64,
    /// What then: the run stops and names the pair, or it collides without loss.
    #[serde(default)]
    pub collapse: CollapseName,
}

/// The rule of a pair of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    /// The two materials; their order does not matter.
    pub between: [String; 2],
    /// The ratio of the normal relative speeds after and before, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Coulomb's coefficient: a tangential impulse is at most this times the normal one. Absent:
    /// smooth, no tangential impulse at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Minus the ratio of the tangential speeds of the surfaces after and before while friction
    /// holds them: from -1 (smooth) to 1 (perfectly rough); 0 (the default with `friction`): they
    /// stick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1.0, max = 1.0))]
    pub tangential_restitution: Option<f64>,
}
