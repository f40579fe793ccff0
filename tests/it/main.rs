//! Integration tests, in one crate to link once.

use proptest::test_runner::{Config, RngSeed};

mod cli;
mod cli_tools;
mod collision;
mod documents;
mod faults;
mod field;
mod filling;
mod flight;
mod hgraph;
mod neighbor;
mod queue;
mod record;
mod record_export;
mod record_sample;
mod resume;
mod scenario;
mod scenarios_run;
mod surface;
mod view;

/// Property tests draw the same cases in every run, so that a failure is never a matter of luck.
fn same_cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
