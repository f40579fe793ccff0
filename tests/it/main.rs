//! Integration tests, in one crate to link once.

mod cli;
mod collision;
mod filling;
mod flight;
mod scenario;
mod surface;
