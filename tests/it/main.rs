//! Integration tests.

use proptest::test_runner::{Config, RngSeed};

mod collision;
mod filling;
mod flight;
mod surface;

/// Property tests draw the same cases in every run, so that a failure is never a matter of luck.
fn same_cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
