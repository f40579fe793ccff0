//! Integration tests.

mod collision;
mod filling;
mod flight;
mod surface;
