//! Integration tests, in one crate to link once.

mod field;
mod hgraph;
mod neighbor;
mod queue;
mod surface;
