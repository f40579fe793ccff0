//! Statistics of the hierarchy in a run: its nodes, and the share of each model.

use serde::{Deserialize, Serialize};

/// Time averages of the numbers of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeFigures {
    /// Clusters: grains connected by contacts, including single grains; grains in flight do not count.
    pub clusters: f64,
    /// Connected groups of grains that are at rest or in a filling.
    pub rest_groups: f64,
    /// Rigid groups; in space as of the last snapshot.
    pub rigid_groups: f64,
    /// Grains in the largest group at rest.
    pub largest_rest_group: f64,
}

/// Estimated error of the forces of grains at rest, over these forces (docs/morphing.md): of one group, or the mean of several, each with the
/// weight of its forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForceError {
    /// Loads that no solve has carried down yet.
    pub pending: f64,
    /// Residuals within the thresholds.
    pub left: f64,
    /// Friction that loads carried by solves mobilised.
    pub history: f64,
}

impl ForceError {
    /// Sum of all parts.
    pub fn sum(&self) -> f64 {
        self.pending + self.left + self.history
    }
}

impl std::ops::AddAssign for ForceError {
    fn add_assign(&mut self, other: Self) {
        self.pending += other.pending;
        self.left += other.left;
        self.history += other.history;
    }
}

impl std::ops::Mul<f64> for ForceError {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        ForceError {
            pending: by * self.pending,
            left: by * self.left,
            history: by * self.history,
        }
    }
}

/// Groups of grains that are at rest or in a filling, at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// Groups connected by links.
    pub rest: u64,
    /// Rigid groups; in space as of the last snapshot.
    pub rigid: u64,
    /// Grains in the largest group at rest.
    pub largest: u64,
}

/// Names of the models that a run may report, as in the lists of capabilities.
pub(crate) const MODELS: [&str; 5] = ["dem", "flight", "collisions", "rest", "quasi_static"];

/// Share of a model in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFigures {
    /// Fraction of the time of all grains.
    pub grain_time: f64,
    /// Fraction of the processor's work, estimated from counts: steps, collisions and solves, each weighted by its
    /// cost on a common machine.
    pub work: f64,
}
