//! The hierarchical graph of the thesis (5.1), and the index of clusters.
//!
//! [`HierarchicalGraph`] is the complete structure, at every level, with stable keys: system, clusters,
//! quasi-rigid bodies, grains and boundaries, and each link at its level. [`ClusterIndex`] answers only
//! the question that every step asks, which grains are connected, over dense indices and at a few
//! nanoseconds per link; hot loops use it and do not traverse the tree.

mod clusters;
mod grouping;
mod search;
mod touched;
mod tree;

pub use clusters::ClusterIndex;
pub use touched::Touched;
pub use tree::{GraphError, HierarchicalGraph, Link, LinkKey, NodeKey, NodeKind};
