//! The event-driven model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::system::{CollapseName, CollisionsName};

/// The event-driven model: grains fly on exact paths from one collision to the next and nothing is
/// stepped. The rule of the pair of materials decides the outcome of a collision, else the
/// `restitution` for all, else the pair's contact law. Walls are of all shapes and may move and
/// turn; in fields other than gravity paths are made of pieces of even acceleration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    /// Whether collisions by contact law are instantaneous, or last as long as the law has it. Those by
    /// rule and those with walls are always instantaneous.
    #[serde(default)]
    pub collisions: CollisionsName,
    /// Restitution of all pairs without a rule of their own: the ratio of the normal relative speeds
    /// after and before, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f64>,
    /// Rules of pairs of materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule: Vec<RuleSpec>,
    /// Error of the tables that are made of contact laws: of each number of a soft collision, and of
    /// tangential impulses over friction times effective mass times approach speed; these to 1e-4 where
    /// the damping differs from contact to contact.
    #[serde(default = "one_millionth")]
    #[schemars(range(min = 1e-6, max = 0.01))]
    pub tolerance: f64,
    /// A pair that collides again within this time, s, stays in touch; 0 (the default): no such
    /// limit, but where `collapse` is `"elastic"` a hundredth of the time in which the smallest grain falls by its radius.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub contact_time: f64,
    /// What then: the run stops and names the pair, or it collides without loss; a grain that rests on a wall then parts from
    /// it with the speed that gravity takes away in a quarter of the contact time, and where grains touch at the start they get
    /// room to part, the distance at that speed in the contact time (it goes with the square of the contact time): all places are spread by it, or,
    /// where walls hold the grains from all sides or the box is periodic, all radii are smaller by it.
    #[serde(default)]
    pub collapse: CollapseName,
}

impl Default for EventsSpec {
    fn default() -> Self {
        EventsSpec {
            collisions: CollisionsName::default(),
            restitution: None,
            rule: Vec::new(),
            tolerance: one_millionth(),
            contact_time: 0.0,
            collapse: CollapseName::default(),
        }
    }
}

fn one_millionth() -> f64 {
    1e-6
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
