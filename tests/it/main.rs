//! Integration tests, in one crate so that they link once.

mod record;
mod record_export;
mod record_sample;
mod view;
