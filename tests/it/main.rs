//! Integration tests, in one crate to link once.

use proptest::test_runner::{Config, RngSeed};

mod cli_tools;
mod commands;
mod domains_checks;
mod house;
mod models;
mod ranks_checks;
mod record_sample;
mod records;
mod regressions;
mod setups;
mod support;
mod theory;

/// Property tests draw the same cases in every run, so that a failure is never a matter of luck.
fn same_cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
