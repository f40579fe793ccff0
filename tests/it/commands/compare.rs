//! `arenite compare`: what it says of runs whose differences are known.

use std::fs;
use std::path::Path;

use arenite::study::repose::{repose, slope, surface};
use arenite::study::samples::{curve_distance, deciles, sample_distance};
use serde_json::Value;

use crate::cli_tools::{arenite, run_well, said};
use crate::records::export::walk;

/// Forty disks on the floor of a box with a hole in it.
const SMALL: &str = "name = \"small\"\ndimension = 2\nseed = 1\n[field]\ngravity = [0.0, -9.8]\n\
    [run]\nend_time = 0.4\noutlet_interval = 0.002\n[log]\nseries = 0.01\nsnapshots = 0.05\n\
    [[boundary]]\nname = \"box\"\nmaterial = \"thesis-wall\"\n\
    polyline = { points = [[0.06, 0.0], [0.0, 0.0], [0.0, 0.6]] }\n\
    [[boundary]]\nname = \"other\"\nmaterial = \"thesis-wall\"\n\
    polyline = { points = [[0.14, 0.0], [0.2, 0.0], [0.2, 0.6]] }\n\
    [[fill]]\nmaterial = \"thesis-disk\"\n[fill.lattice]\ncount = 40\n\
    radius = { mean = 0.01, spread = 0.05 }\nmin = [0.0, 0.0]\nmax = [0.2, 0.6]\njitter = 1.0\n\
    [[outlet]]\nplane = { point = [0.0, 0.0], normal = [0.0, 1.0] }\n";

/// A ball that flies through a periodic box.
const FLYER: &str = "name = \"flyer\"\ndimension = 2\nseed = 1\n[periodic]\nx = [0.0, 1.0]\n\
    [run]\nend_time = 1.0\n[log]\nsnapshots = 0.25\nseries = 0.25\n[[fill]]\n\
    material = \"thesis-disk\"\n\
    grains = [{ position = [0.5, 0.5], radius = 0.01, velocity = [1.0, 0.0] }]\n";

fn run(folder: &Path, scenario: &str, out: &str, more: &[&str]) {
    let file = format!("{out}.toml");
    fs::write(folder.join(&file), scenario).unwrap();
    let arguments = ["run", &file, "-q", "-o", out, "--threads", "1"];
    run_well(folder, &[&arguments[..], more].concat());
}

fn compare(folder: &Path, runs: &[&str]) -> Value {
    let output = arenite(folder, &[&["compare", "--json"], runs].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_run_is_equal_to_itself_and_not_to_another() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), SMALL, "a", &[]);
    run(folder.path(), SMALL, "b", &[]);
    run(folder.path(), SMALL, "c", &["--set", "run.safety=0.4"]);
    let found = compare(folder.path(), &["a", "b", "c"]);
    let mut first = found["runs"][0].clone();
    let mut second = found["runs"][1].clone();
    for run in [&mut first, &mut second] {
        run["folder"] = Value::Null;
        run["figures"]["time.wall"] = Value::Null;
        assert!(run["figures"]["discharge.count"].as_f64().unwrap() > 5.0);
    }
    assert_eq!(first, second);
    assert_eq!(found["runs"][0]["settings"]["run.safety"], "0.8");
    assert_eq!(found["runs"][2]["settings"]["run.safety"], "0.4");
    assert_eq!(found["runs"][2]["settings"].as_object().unwrap().len(), 1);
    let same = &found["pairs"][0];
    assert_eq!(same["reference"], 0);
    for what in ["forces", "discharged/rms", "kinetic/largest"] {
        assert_eq!(same.pointer(&format!("/{what}")).unwrap(), 0.0, "{what}");
    }
    let paths = &same["trajectories"];
    assert_eq!(paths["time"].as_array().unwrap().len(), 9);
    assert!(
        paths["largest"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d == 0.0)
    );
    assert!(paths["parted"].is_null());
    // Steps half as long are another path through the same contacts.
    assert!(found["pairs"][1]["kinetic"]["rms"].as_f64().unwrap() > 0.0);
}

/// Whatever default follows from the radii that are drawn: seeds are no other settings.
#[test]
fn defaults_that_follow_from_drawn_radii_are_no_settings() {
    let folder = tempfile::tempdir().unwrap();
    let still = SMALL.to_string() + "[morph]\n";
    run(folder.path(), &still, "a", &["--set", "run.end_time=0.01"]);
    let other = ["--set", "run.end_time=0.01", "--seed", "2"];
    run(folder.path(), &still, "b", &other);
    let found = compare(folder.path(), &["a", "b"]);
    for run in found["runs"].as_array().unwrap() {
        assert!(run["settings"].as_object().unwrap().is_empty(), "{run}");
    }
}

/// Free flight at 1 and at 1.6 m/s: apart by 0.6 t, across the border the nearer way round.
#[test]
fn paths_are_compared_across_a_periodic_border() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), FLYER, "a", &[]);
    run(
        folder.path(),
        &FLYER.replace("[1.0, 0.0]", "[1.6, 0.0]"),
        "b",
        &[],
    );
    let found = compare(folder.path(), &["a", "b"]);
    let paths = &found["pairs"][0]["trajectories"];
    for (k, wanted) in [0.0, 0.15, 0.3, 0.45, 0.4].into_iter().enumerate() {
        let apart = paths["rms"][k].as_f64().unwrap();
        // Rounding of positions of about a metre.
        assert!((apart - wanted).abs() < 1e-12, "{apart} at {k}");
    }
    assert_eq!(paths["parted"], 0.25);
    assert_eq!(
        found["runs"][1]["settings"]["fill[0].grains[0].velocity"],
        "[1.6, 0.0]"
    );
}

/// Two seeds of two settings: means, errors and their difference by hand.
#[test]
fn seeds_make_groups() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for (setting, radius) in [("s", "0.01"), ("t", "0.011")] {
        for seed in ["1", "2", "3"] {
            let out = format!("{setting}{seed}");
            let set = format!("fill[0].lattice.radius.mean={radius}");
            run(
                folder.path(),
                SMALL,
                &out,
                &["--seed", seed, "--set", &set, "--until", "0.3"],
            );
            names.push(out);
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = compare(folder.path(), &names);
    assert_eq!(found["groups"].as_array().unwrap().len(), 2);
    let values = |runs: std::ops::Range<usize>| -> Vec<f64> {
        runs.map(|k| {
            found["runs"][k]["figures"]["energy.dissipated"]
                .as_f64()
                .unwrap()
        })
        .collect()
    };
    let of = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / 3.0;
        let square = v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2.0;
        (mean, square / 3.0)
    };
    let ((a, va), (b, vb)) = (of(&values(0..3)), of(&values(3..6)));
    let difference = found["differences"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["figure"] == "energy.dissipated")
        .unwrap();
    let near = |value: &Value, wanted: f64| {
        let value = value.as_f64().unwrap();
        assert!(
            (value - wanted).abs() <= 1e-9 * wanted.abs(),
            "{value} {wanted}"
        );
    };
    near(&difference["difference"], b - a);
    near(&difference["error"], (va + vb).sqrt());
    near(
        &found["groups"][0]["figures"]["energy.dissipated"]["mean"],
        a,
    );
    // A fifth more mass falls, and more of it is lost: no margin of 3 % holds that.
    assert_eq!(difference["equivalent"], false);
    let low = difference["interval"]["low"].as_f64().unwrap();
    let high = difference["interval"]["high"].as_f64().unwrap();
    assert!(low < b - a && b - a < high);

    // The same for people, and as curves.
    let arguments = [&["compare", "--plot", "curves.svg"], &names[..]].concat();
    let output = arenite(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "  2  s2: small, seed 2, finished; fill[0].lattice.radius.mean = 0.01",
        "  group 2: 3 runs; fill[0].lattice.radius.mean = 0.011",
        "discharge.mean_rate, 1/s",
        "weight.other",
        "in errors",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let drawn = fs::read_to_string(folder.path().join("curves.svg")).unwrap();
    let paths = walk(&drawn).iter().filter(|e| e.0 == "path").count();
    // Six curves in each of four panels, with axes and ticks.
    assert!(paths > 24 && !drawn.contains("NaN"), "{paths}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), FLYER, "a", &[]);
    let refused = |runs: &[&str], reason: &str| {
        let output = arenite(folder.path(), &[&["compare"], runs].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(reason), "{}", said(&output));
    };
    refused(&["a"], "2 values required");
    refused(&["a", "nothing"], "nothing: there is no such folder");
    fs::create_dir(folder.path().join("empty")).unwrap();
    refused(&["a", "empty"], "empty: it has no scenario.toml");
    refused(&["a", "a", "--margin", "3"], "`3` is not a share");
    refused(&["a", "a", "--plot", "x.pdf"], ".svg or .png");
    let spatial = "name = \"flyer\"\ndimension = 3\n[run]\nend_time = 0.1\n[[fill]]\n\
        material = \"glass\"\ngrains = [{ position = [0, 0, 0], radius = 0.01 }]\n";
    run(folder.path(), spatial, "space", &[]);
    refused(&["a", "space"], "a run in 2 dimensions, space one in 3");
    fs::write(folder.path().join("long.toml"), SMALL).unwrap();
    let stopped = arenite(
        folder.path(),
        &["run", "long.toml", "-q", "-o", "long", "--wall-limit", "0"],
    );
    assert_eq!(stopped.status.code(), Some(130));
    refused(&["a", "long"], "long: the run was stopped at");
    fs::remove_file(folder.path().join("long/summary.json")).unwrap();
    refused(&["a", "long"], "long: it has no summary.json yet");
}

#[test]
fn distances_of_samples_and_curves() {
    let apart = |a: &[f64], b: &[f64]| sample_distance(a, b).unwrap();
    assert_eq!(apart(&[3.0, 1.0, 2.0], &[1.0, 2.0, 3.0]), 0.0);
    assert_eq!(apart(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
    // Below 1.5 lies half of the first and nothing of the second; equal values count at once.
    assert_eq!(apart(&[1.0, 2.0], &[2.0, 3.0]), 0.5);
    assert_eq!(apart(&[1.0, 1.0, 1.0, 2.0], &[1.0, 2.0]), 0.25);
    assert!(sample_distance(&[], &[1.0]).is_err());
    let tenths: Vec<f64> = (0..=100).map(f64::from).collect();
    assert!((deciles(&tenths).unwrap()[2] - 30.0).abs() < 1e-12);
    // A line and the same line 2 above with half as many points; one end is not shared.
    let first: Vec<[f64; 2]> = (0..11)
        .map(|k| [f64::from(k), 3.0 * f64::from(k)])
        .collect();
    let second: Vec<[f64; 2]> = (0..5)
        .map(|k| [2.0 * f64::from(k), 6.0 * f64::from(k) + 2.0])
        .collect();
    let found = curve_distance(&first, &second).unwrap();
    assert_eq!((found.points, found.largest), (9, 2.0));
    assert!((found.rms - 2.0).abs() < 1e-15);
    assert!(curve_distance(&first, &[[20.0, 0.0], [21.0, 0.0]]).is_err());
}

/// Disks in rows under the sides of a triangle.
fn triangle(angle: f64, valley: bool) -> Vec<([f64; 2], f64)> {
    let (radius, half) = (0.005, 1.0);
    let rise = 3f64.sqrt() * radius;
    let mut disks = Vec::new();
    for row in 0..400 {
        for column in 0..201 {
            let x = -half + 2.0 * radius * (f64::from(column) + 0.5 * f64::from(row % 2));
            let y = radius + rise * f64::from(row);
            let run = if valley { x.abs() } else { half - x.abs() };
            if x.abs() <= half && y + radius <= run * angle.tan() {
                disks.push(([x, y], radius));
            }
        }
    }
    disks
}

#[test]
fn the_slopes_of_a_made_heap_are_found() {
    for degrees in [12.0f64, 20.0, 27.0, 35.0] {
        for valley in [false, true] {
            let found = repose(&triangle(degrees.to_radians(), valley)).unwrap();
            let sign = if valley { -1.0 } else { 1.0 };
            // The surface is stepped by rows of 1.7 radii, which a line of a hundred radii and
            // more tells to a hundredth.
            for (slope, sign) in [(found.left, sign), (found.right, -sign)] {
                let angle = sign * slope.unwrap().angle.to_degrees();
                assert!((angle - degrees).abs() < 0.6, "{angle} for {degrees}");
            }
            let mean = found.mean().unwrap().to_degrees();
            assert!((mean - degrees).abs() < 0.4, "{mean} for {degrees}");
        }
    }
    // A level bed has none.
    let bed: Vec<([f64; 2], f64)> = (0..1000)
        .map(|k| [0.02 * f64::from(k % 100), 0.01 + 0.02 * f64::from(k / 100)])
        .map(|at| (at, 0.01))
        .collect();
    let level = repose(&bed).unwrap();
    assert!(level.left.is_none() && level.right.is_none());
    assert_eq!(surface(&bed, 0.06).unwrap().len(), 34);
    assert!(repose(&[]).is_err());
    // An exact line.
    let line = slope(&[[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]]).unwrap();
    assert!((line.angle.to_degrees() - 45.0).abs() < 1e-12 && line.error < 1e-12);
    assert!(slope(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]).is_err());
}

/// A failed run would fail again: it is not told to go on, but what it failed of.
#[test]
fn a_failed_run_is_told_with_its_error() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), FLYER, "a", &[]);
    run(folder.path(), FLYER, "b", &[]);
    // As a run that breaks off leaves it.
    let path = folder.path().join("b/summary.json");
    let mut summary: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    summary["status"] = "failed".into();
    summary["warnings"] = serde_json::json!(["a slow start", "grain 7 is nowhere"]);
    fs::write(&path, summary.to_string()).unwrap();
    let output = arenite(folder.path(), &["compare", "a", "b"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: b: the run failed at 1 s: grain 7 is nowhere\n"
    );
}
