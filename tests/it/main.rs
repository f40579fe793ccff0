//! Integration tests, one crate.

mod field;
mod hgraph;
mod neighbor;
mod queue;
