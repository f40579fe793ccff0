//! The estimated error of the forces of groups at rest, against stepped twins.

#[path = "../../../examples/branch_twins/twins.rs"]
mod twins;

use arenite::record::Summary;

use crate::support::{planar, run};
use twins::branches;

/// Branches fillings of some seeds for a while; returns how many groups at rest there were, and how many their estimates cover.
fn groups(scenario: &str, seeds: u64, keys: &[&str], times: [f64; 2]) -> [usize; 2] {
    let keys: Vec<String> = keys.iter().map(|&key| key.into()).collect();
    let mut all = [0; 2];
    for seed in 1..=seeds {
        let apart = branches(scenario, seed, &keys, times).expect("branches");
        assert!(apart.at_rest > 0, "nobody rests");
        let [asleep, chaos] = [apart.asleep[0], apart.chaos[0]];
        println!("{scenario}, seed {seed}: asleep {asleep:+.3}, chaos {chaos:+.3}");
        all = [all[0] + apart.groups[0], all[1] + apart.groups[1]];
    }
    println!("{scenario}: {} of {} groups covered", all[1], all[0]);
    all
}

/// Landings go on while the branches run: what no solve has carried yet is told.
#[test]
fn estimates_cover_the_error_of_small_fillings() {
    let [all, covered] = groups("silo-fill", 6, &[], [2.0, 0.3]);
    assert!(covered as f64 >= 0.9 * all as f64, "{covered} of {all}");
}

/// 20 fillings in the plane while disks land, and a second after the last; and in space.
/// `cargo test --release --test it estimates_cover -- --ignored --nocapture`
#[test]
#[ignore = "some minutes"]
fn estimates_cover_the_error_of_20_fillings() {
    let mut sum = [0; 2];
    for (scenario, seeds, keys, times) in [
        ("silo-fill", 7, &[][..], [8.0, 1.0]),
        ("silo-fill", 7, &[], [5.3, 0.8]),
        ("silo-fill", 3, &["feed.0.count=800"], [7.5, 1.5]),
        ("fill-3d", 3, &[], [12.0, 0.5]),
    ] {
        let [all, covered] = groups(scenario, seeds, keys, times);
        sum = [sum[0] + all, sum[1] + covered];
    }
    assert!(sum[1] as f64 >= 0.9 * sum[0] as f64, "{sum:?}");
}

fn summary(keys: &[&str]) -> Summary {
    run(&planar("silo-fill", keys)).0.summary()
}

/// What nobody disturbs has next to nothing pending, loads that no solve carried have no history, and stepped grains have no such error.
#[test]
fn the_error_follows_what_is_pending() {
    let filling = ["run.end_time=3.0", "log.snapshots=\"never\""];
    let often = summary(&filling).force_error.expect("some rest");
    let never = [&filling[..], &["morph.carry_every=100.0"]].concat();
    let never = summary(&never).force_error.expect("some rest");
    assert!(
        often.history > 0.01 && never.history == 0.0,
        "{never:?} {often:?}"
    );
    let full = [
        "feed.0.count=100",
        "run.end_time=12.0",
        "log.snapshots=\"never\"",
    ];
    let quiet = summary(&full).force_error.expect("some rest");
    assert!(quiet.pending < 0.5 * often.pending, "{quiet:?} {often:?}");
    let stepped = [&filling[..], &["morph.rigid=false"]].concat();
    assert_eq!(summary(&stepped).force_error, None);
}
