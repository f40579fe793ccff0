//! Integration tests, in one crate to link once.

mod collision;
mod field;
mod flight;
mod hgraph;
mod neighbor;
mod queue;
mod surface;
