//! Means over many fillings, all disks stepped against disks that stand still when they can: the rate of
//! a hopper's discharge and the slopes that a funnel leaves. The two sides are compared by two one-sided tests
//! (Schuirmann 1987) at 5 %: a mean is called the same only if the data show it, and how many fillings that
//! takes follows from their scatter. Numbers: docs/validation.md, docs/zones.md.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use arenite::record::Status;
use arenite::study::ensemble::{equivalent, spread};
use arenite::study::repose::repose;

use crate::support::{planar, run};

/// A figure of each filling (none where it does not apply), in order of seeds; fillings are dealt to all cores.
fn by_seed(
    scenario: &str,
    options: &[&str],
    seeds: u64,
    figure: fn(&arenite::system::System<arenite::geometry::Planar>) -> Option<f64>,
) -> Vec<Option<f64>> {
    let next = AtomicU64::new(1);
    let found = Mutex::new(vec![None; seeds as usize]);
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > seeds {
                return;
            }
            let seed_option = format!("seed={seed}");
            let mut all = vec![
                seed_option.as_str(),
                "log.events=none",
                "log.snapshots=never",
                "log.series=1",
            ];
            all.extend(options);
            let (system, _) = run(&planar(scenario, &all));
            let balance = system.summary().energy.balance_error;
            assert!(balance < 1e-3, "{scenario} {seed}: {balance}");
            found.lock().unwrap()[seed as usize - 1] = figure(&system);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(worker);
        }
    });
    found.into_inner().unwrap()
}

/// Asserts that a mean is the same on both sides but for 3 %.
fn same_within_three_percent(stepped: &[Option<f64>], still: &[Option<f64>]) {
    let kept = |side: &[Option<f64>]| side.iter().copied().flatten().collect::<Vec<f64>>();
    let (stepped, still) = (kept(stepped), kept(still));
    let mean = spread(&stepped).unwrap().mean;
    for (name, side) in [("stepped", &stepped), ("still", &still)] {
        let s = spread(side).unwrap();
        println!(
            "{name}: {} fillings, {:.4} +- {:.4}",
            s.count, s.mean, s.error
        );
    }
    let test = equivalent(&still, &stepped, 0.03 * mean, 0.05).unwrap();
    let percent = |v: f64| 100.0 * v / mean;
    println!(
        "difference {:.2} +- {:.2} %, {:.2} to {:.2} %",
        percent(test.difference),
        percent(test.error),
        percent(test.interval.low),
        percent(test.interval.high)
    );
    assert!(test.equivalent, "{test:?}");
}

/// 70 fillings a side show 3 % with a probability over 0.99 if the rates are equal (they scatter by 5 disks
/// a second of 149).
#[test]
#[ignore = "140 runs, some 2 minutes"]
fn discharge_is_the_same_with_still_grains() {
    let rate = |rigid: &str| {
        let rates = by_seed("hopper", &[rigid], 70, |system| {
            let summary = system.summary();
            (summary.status == Status::Empty)
                .then(|| summary.discharge.map_or(0, |d| d.count) as f64 / summary.time.simulated)
        });
        let jams = rates.iter().filter(|r| r.is_none()).count();
        println!("{rigid}: {jams} jams");
        rates
    };
    same_within_three_percent(&rate("morph.rigid=false"), &rate("morph.rigid=true"));
}

/// Slopes scatter by 3 to 4 degrees of 27 from filling to filling: 310 a side would show 3 % with a probability of 0.9 if they were
/// equal, but with a fifth of the default tolerance they are 1.5 +- 0.6 % steeper (docs/zones.md), which 310 a side show to be within
/// 3 % two times in five, 620 three times in five. With the default tolerance of 1e-3 they are 2.4 +- 1.1 % steeper.
#[test]
#[ignore = "1,240 runs, 40 to 60 minutes"]
fn slopes_are_the_same_with_still_grains() {
    let slopes = |options: &[&str]| {
        by_seed("funnel", options, 620, |system| {
            let disks: Vec<([f64; 2], f64)> = system
                .grains_at(system.summary().time.simulated)
                .iter()
                .map(|g| (g.position.into(), g.radius))
                .collect();
            repose(&disks).unwrap().mean().map(f64::to_degrees)
        })
    };
    let stepped = slopes(&["morph.rigid=false"]);
    let fine = slopes(&["morph.rigid=true", "run.tolerance=2e-4"]);
    same_within_three_percent(&stepped, &fine);
}
