//! Stagnant zones: what stands still in a silo that empties through its middle.

use std::fs;
use std::path::Path;

use arenite::record::read;

use crate::cli_tools::{arenite, run_well, said, summary};
use crate::records::export::walk;

/// A silo like `funnel`, but smaller, and its flow cut after its beginning.
fn funnel(folder: &Path, more: &[&str]) {
    let start = ["run", "funnel", "-q", "-o", "run"];
    let count = ["--set", "fill[0].lattice.count=900"];
    run_well(folder, &[&start[..], &count, more].concat());
}

#[test]
fn the_corners_of_a_funnel_stand_and_its_middle_flows() {
    let folder = tempfile::tempdir().unwrap();
    funnel(folder.path(), &["--until", "2.5"]);
    let run = folder.path().join("run");
    let zones = read::stagnant(&run).unwrap();
    let [x, y, size, still, speed, down, occupied] =
        ["x", "y", "size", "still", "speed", "velocity_y", "occupied"]
            .map(|name| zones.floats(name).unwrap().to_vec());
    assert!(size.iter().all(|s| *s == 0.04));
    for k in 0..zones.rows {
        assert!((0.0..=1.0).contains(&still[k]) && (0.0..=1.0).contains(&occupied[k]));
        // The mean velocity cannot exceed the mean speed, but for rounding.
        assert!(down[k].abs() <= speed[k] * (1.0 + 1e-12));
    }
    // Means over the three by three cells of each corner and over those above the orifice.
    let mean = |of: &[f64], within: &dyn Fn(f64) -> bool| {
        let cells: Vec<usize> = (0..zones.rows)
            .filter(|&k| within(x[k]) && (0.0..0.12).contains(&y[k]))
            .collect();
        assert!(cells.len() >= 6);
        cells.iter().map(|&k| of[k]).sum::<f64>() / cells.len() as f64
    };
    for corner in [0.0..0.12, 0.88..1.0] {
        // They are shaken while all flows; the longer it lasts the more they stand.
        let share = mean(&still, &|x| corner.contains(&x));
        assert!(share > 0.6, "a corner stands still for {share}");
        // With all stepped, three seeds of the whole funnel have 0.004 to 0.008 m/s.
        let creep = mean(&speed, &|x| corner.contains(&x));
        assert!(creep < 0.008, "a corner moves at {creep} m/s");
    }
    let above = |x: f64| (0.44..0.56).contains(&x);
    assert!(mean(&still, &above) < 0.02);
    // Free fall over a third of the orifice, as it is known of the free-fall arch: sqrt(g 0.05).
    let flow = -mean(&down, &above);
    assert!((0.3..1.5).contains(&flow), "{flow} m/s above the orifice");

    // As a picture: a square for each cell, and arrows.
    for (format, name) in [("svg", "stagnant.svg"), ("png", "stagnant.png")] {
        let arguments = ["export", "run", "--to", format, "--show", "stagnant"];
        run_well(folder.path(), &arguments);
        assert!(run.join("export").join(name).is_file());
    }
    let drawn = fs::read_to_string(run.join("export/stagnant.svg")).unwrap();
    let paths = walk(&drawn).iter().filter(|e| e.0 == "path").count();
    assert!(paths > zones.rows + 50 && !drawn.contains("NaN"), "{paths}");
}

/// Looking changes nothing, and what was not looked at is not there.
#[test]
fn looking_changes_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["--until", "0.05", "--set", "settle.at_most=0.05"];
    funnel(folder.path(), &short);
    let run = folder.path().join("run");
    let with = summary(&run)["state_hash"].clone();
    let text = fs::read_to_string(run.join("scenario.toml")).unwrap();
    assert!(text.contains("stagnant = 0.04\n"));
    let without = text.replace("stagnant = 0.04\n", "");
    fs::write(folder.path().join("without.toml"), without).unwrap();
    run_well(
        folder.path(),
        &["run", "without.toml", "-q", "-o", "without"],
    );
    let other = folder.path().join("without");
    assert_eq!(summary(&other)["state_hash"], with);
    assert_eq!(read::stagnant(&other).unwrap().rows, 0);
    let output = arenite(
        folder.path(),
        &["export", "without", "--to", "png", "--show", "stagnant"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("log.stagnant=SIZE"),
        "{}",
        said(&output)
    );
}

#[test]
fn what_cannot_be_looked_at_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (scenario, set, reason) in [
        ("funnel", &["log.stagnant=-1"][..], "log.stagnant"),
        (
            "funnel",
            &["log.series='never'"],
            "with each row of the series",
        ),
        ("pile", &["log.stagnant=0.04"], "nothing moves"),
    ] {
        let mut arguments = vec!["check", scenario];
        set.iter()
            .for_each(|value| arguments.extend(["--set", value]));
        let output = arenite(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{set:?}");
        assert!(said(&output).contains(reason), "{}", said(&output));
    }
}
