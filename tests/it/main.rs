//! Integration tests, one crate.

mod queue;
