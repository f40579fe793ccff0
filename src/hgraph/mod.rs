//! Who belongs to what: the hierarchical graph of the thesis (5.1), and the index of clusters.
//!
//! [`HierarchicalGraph`] is the whole structure, at every level, with stable keys: system, clusters,
//! quasi-rigid bodies, grains and boundaries, and the links where they belong. [`ClusterIndex`]
//! answers the question of every step, which grains hang together, over dense indices and at a few
//! nanoseconds a link; hot loops use it and do not walk the tree.

mod clusters;
mod grouping;
mod search;
mod touched;
mod tree;

pub use clusters::ClusterIndex;
pub use touched::Touched;
pub use tree::{GraphError, HierarchicalGraph, Link, LinkKey, NodeKey, NodeKind};
