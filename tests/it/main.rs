//! Integration tests, in one crate to link once.

mod hgraph;
mod neighbor;
mod queue;
mod surface;
