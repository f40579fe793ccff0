//! Integration tests, one crate.

mod hgraph;
mod queue;
