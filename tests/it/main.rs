//! Integration tests, in one crate to link once.

mod cli;
mod collision;
mod filling;
mod flight;
mod record;
mod record_export;
mod record_sample;
mod scenario;
mod surface;
mod view;
