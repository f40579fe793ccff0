//! Timings of two programs in turn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Asked, Fallible, run};

/// Jobs: a name, and what is run.
const JOBS: [(&str, &[&str]); 8] = [
    ("hopper", &["hopper"]),
    ("silo-fill", &["silo-fill"]),
    ("bed-10000", &["benches/net/bed.toml"]),
    ("gas", &["gas", "--set", "run.end_time=24.0"]),
    ("mill", &["mill", "--set", "run.end_time=6.0"]),
    ("hopper-clumps", &["hopper-clumps"]),
    ("settle-shapes", &["settle-shapes"]),
    ("rain", &["rain"]),
];

/// User time of all processes that this one has started and that have ended, s.
fn children() -> Fallible<f64> {
    let told = std::fs::read_to_string("/proc/self/stat")?;
    let after = told.rsplit(") ").next().unwrap_or_default();
    let ticks = after.split(' ').nth(13).ok_or("no user time is told")?;
    Ok(ticks.parse::<f64>()? / 100.0)
}

/// User time, s, and peak memory, MiB.
fn timed(program: &Path, arguments: &[&str]) -> Fallible<[f64; 2]> {
    let arguments: Vec<String> = arguments.iter().map(|word| word.to_string()).collect();
    let before = children()?;
    let (mut command, folder) = run::command(program, &arguments);
    let mut process = command
        .args(["--set", "log.snapshots=never"])
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    let status = format!("/proc/{}/status", process.id());
    let mut peak: f64 = 0.0;
    while process.try_wait()?.is_none() {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0.0) / 1024.0);
        std::thread::sleep(Duration::from_millis(20));
    }
    folder.summary()?;
    Ok([children()? - before, peak])
}

/// Student's t of a one-sided 95 %, by degrees of freedom from 1 on.
const T: [f64; 15] = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
    1.761, 1.753,
];

/// Mean of ratios and the upper bound at 95 % of it (that of an interval of 90 %).
fn bound(ratios: &[f64]) -> [f64; 2] {
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let square = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>();
    let error = (square / (n * (n - 1.0))).sqrt();
    let t = T.get(ratios.len().saturating_sub(2)).unwrap_or(&1.7);
    [mean, mean + t * error]
}

pub fn pairs(asked: &Asked) -> Fallible<bool> {
    let mut names = asked.names.clone();
    if names.is_empty() {
        return Err("pairs need the old program's file".into());
    }
    let old = PathBuf::from(names.remove(0));
    if let Some(name) = names
        .iter()
        .find(|name| !JOBS.iter().any(|job| job.0 == *name))
    {
        let known = JOBS.map(|job| job.0).join(", ");
        return Err(format!("{name} is none of the jobs: {known}").into());
    }
    println!("job, old s, new s, ratio, upper bound, memory old MiB, new MiB");
    let mut well = true;
    for (name, arguments) in JOBS {
        if !names.is_empty() && !names.iter().any(|n| n == name) {
            continue;
        }
        let programs = [&old, &asked.program];
        let mut sums = [[0.0; 2]; 2];
        let mut ratios = Vec::new();
        for pair in 0..asked.pairs {
            let mut took = [[0.0; 2]; 2];
            // Who goes first changes.
            for side in [pair % 2, 1 - pair % 2] {
                took[side] = timed(programs[side], arguments)?;
                sums[side][0] += took[side][0];
                sums[side][1] = f64::max(sums[side][1], took[side][1]);
            }
            ratios.push(took[1][0] / took[0][0]);
        }
        let [mean, upper] = bound(&ratios);
        let [a, b] = sums.map(|sum| sum[0] / asked.pairs as f64);
        let [old, new] = sums.map(|sum| sum[1]);
        println!("{name}, {a:.2}, {b:.2}, {mean:.3}, {upper:.3}, {old:.0}, {new:.0}");
        well &= upper < 1.03;
    }
    Ok(well)
}
