//! Integration tests, in one crate to link once.

mod cli;
mod scenario;
