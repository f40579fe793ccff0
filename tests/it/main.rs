//! Integration tests.

mod collision;
mod flight;
mod surface;
