//! Integration tests, in one crate to link once.

mod cli;
mod collision;
mod field;
mod filling;
mod flight;
mod hgraph;
mod neighbor;
mod queue;
mod record;
mod record_export;
mod record_sample;
mod scenario;
mod surface;
mod view;
