//! Integration tests, one crate.

mod hgraph;
mod neighbor;
mod queue;
