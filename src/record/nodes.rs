//! What the hierarchy came to in a run: its nodes, and who was under which model.

use serde::{Deserialize, Serialize};

/// Means over time of the numbers of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeFigures {
    /// Clusters: grains that hang together by contacts, single ones included; those in flight are none.
    pub clusters: f64,
    /// Groups of grains that stand still, or are in a filling, and hang together.
    pub rest_groups: f64,
    /// Rigid groups; in space as of the last snapshot.
    pub rigid_groups: f64,
    /// Grains in the largest group at rest.
    pub largest_rest_group: f64,
}

/// Groups of grains that stand still, or are in a filling, at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// Groups that hang together by their links.
    pub rest: u64,
    /// Rigid groups; in space as of the last snapshot.
    pub rigid: u64,
    /// Grains in the largest group at rest.
    pub largest: u64,
}

/// The models that a run may tell of, by the names that lists of capabilities have.
pub(crate) const MODELS: [&str; 5] = ["dem", "flight", "collisions", "rest", "quasi_static"];

/// What a model had of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFigures {
    /// Its share of the time of all grains.
    pub grain_time: f64,
    /// Its share of the work of the processor, as counted: steps, collisions, solves, each by what it takes on a common machine.
    pub work: f64,
}
