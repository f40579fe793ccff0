//! Who belongs to what: the hierarchical graph of the thesis (5.1), and the index of clusters.
//!
//! [`ClusterIndex`] answers the question of every step, which grains hang together, over dense
//! indices and at a few nanoseconds a link.

mod clusters;

pub use clusters::ClusterIndex;
