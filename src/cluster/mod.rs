//! Clusters: connected groups of grains moved by their differential equations.

pub mod kernel;
