//! What somebody found who knew the program and its guide only, and tried for an hour to break it
//! (docs/reliability.md). What of it belongs to exports, sweeps and tables stands with these.

use std::fs;

use crate::cli_tools::{arenite, run_well, said, start, wait_for_checkpoint};
use crate::commands::faults::mixed;

/// One disk of 10 mm over a floor, with a stiffness of its links, and more of a scenario.
fn disk(speed: &str, stiffness: &str, more: &str) -> String {
    format!(
        "name = 'disk'\ndimension = 2\n[run]\nend_time = 0.5\n{more}[material.m]\ndensity = 2500.0\n[[law]]\nbetween = ['m', 'm']\n\
         linear = {{ normal_stiffness = {stiffness}, tangential_stiffness = {stiffness}, normal_damping = 0.0, \
         tangential_damping = 0.0, friction = 0.3 }}\n[[boundary]]\nname = 'floor'\nmaterial = 'm'\n\
         plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n[[fill]]\nmaterial = 'm'\n\
         grains = [{{ position = [0.0, 0.1], radius = 0.01, velocity = {speed} }}]\n"
    )
}

/// The step that such links ask for was longer than the run: the disk fell through the floor, and nothing was said.
#[test]
fn links_soft_beyond_reason_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = disk("[0.0, 0.0]", "1e-4", "[field]\ngravity = [0.0, -9.81]\n");
    fs::write(folder.path().join("soft.toml"), text).unwrap();
    let output = arenite(folder.path(), &["run", "soft.toml", "-q", "-o", "run"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("overlap by"), "{}", said(&output));
}

/// Where drag alone asked for a step, a grain went further in it than a run allows.
#[test]
fn a_chosen_step_is_short_enough_for_what_flies() {
    let folder = tempfile::tempdir().unwrap();
    let text = disk("[3.0, 0.0]", "1.0", "[field]\ndrag = 0.02\n");
    let floor = text.find("[[boundary]]").unwrap()..text.find("[[fill]]").unwrap();
    let text = text.replace(&text[floor], "");
    fs::write(folder.path().join("drag.toml"), text).unwrap();
    let arguments = [
        "run",
        "drag.toml",
        "-q",
        "-o",
        "run",
        "--set",
        "run.flight=false",
    ];
    run_well(folder.path(), &arguments);
    let grains = arenite::record::read::grains(&folder.path().join("run")).unwrap();
    let last = grains.rows - 1;
    // v = v0 exp(-c t / m), m of a disk with a depth of 1 m. The step of 6.6e-4 s is 1.7e-5 of m / c, and the scheme of
    // second order.
    let mass = 2500.0 * std::f64::consts::PI * 1e-4;
    let speed = 3.0 * libm::exp(-0.02 * 0.5 / mass);
    let found = grains.floats("velocity_x").unwrap()[last];
    assert!(
        (found - speed).abs() < 1e-9 * speed,
        "{found} is not {speed}"
    );
}

/// A bit in the records of an interrupted run went on into its tables.
#[test]
fn a_bit_that_flipped_in_records_is_seen_at_resume() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let file = mixed();
    let arguments = ["run", &file, "-q", "-o", "run"];
    let resume = ["run", &file, "-q", "-o", "run", "--resume"];
    run_well(at, &["run", &file, "-q", "-o", "whole"]);
    for name in ["series", "grains", "links"] {
        let _ = fs::remove_dir_all(at.join("run"));
        let mut child = start(at, &arguments);
        assert!(wait_for_checkpoint(&at.join("run"), &mut child, 3));
        child.kill().unwrap();
        child.wait().unwrap();
        let path = at.join(format!("run/checkpoint/{name}.spool"));
        let mut bytes = fs::read(&path).unwrap();
        bytes[17] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let output = arenite(at, &resume);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
        let told = "the records that belong to it are damaged, and so is the one before it";
        assert!(said(&output).contains(told), "{name}: {}", said(&output));
        // Nothing was thrown away: with the bit as it was it goes on.
        bytes[17] ^= 4;
        fs::write(&path, &bytes).unwrap();
        run_well(at, &resume);
        let table = format!("{name}.parquet");
        let read = |run: &str| fs::read(at.join(run).join(&table)).unwrap();
        assert!(read("run") == read("whole"), "{name}");
    }
}

/// A bit that flipped in a finished table was read as another number.
#[test]
fn a_bit_that_flips_in_a_finished_table_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", &mixed(), "-q", "-o", "run"]);
    for table in arenite::record::Table::ALL {
        let columns = arenite::record::read::table(&at.join("run"), table).unwrap();
        if columns.rows == 0 {
            continue;
        }
        let name = table.file_name();
        let path = at.join("run").join(&name);
        let whole = fs::read(&path).unwrap();
        // Each of these bytes is within the values: the footer, which tells where they are, comes after all of them.
        for place in [4, whole.len() / 4, whole.len() / 2] {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let output = arenite(at, &["export", "run", "--to", "csv"]);
            assert_eq!(output.status.code(), Some(1), "{name}: {}", said(&output));
            assert!(said(&output).contains(&name), "{}", said(&output));
            assert!(
                said(&output).contains("its checksum is"),
                "{name}: {}",
                said(&output)
            );
        }
        fs::write(&path, &whole).unwrap();
    }
    run_well(at, &["export", "run", "--to", "csv"]);
    // Somebody who knows what changed can do without.
    let path = at.join("run/series.parquet");
    let columns = arenite::record::read::series(&at.join("run")).unwrap();
    run_well(at, &["run", "head-on", "-q", "-o", "other"]);
    fs::copy(at.join("other/series.parquet"), &path).unwrap();
    assert!(arenite::record::read::series(&at.join("run")).is_err());
    let summary = at.join("run/summary.json");
    let text = fs::read_to_string(&summary).unwrap();
    fs::write(&summary, text.replace("\"series.parquet\"", "\"\"")).unwrap();
    let other = arenite::record::read::series(&at.join("run")).unwrap();
    assert!(other.columns != columns.columns);
}

/// A scenario that was changed after its run had ended was believed by the page.
#[test]
fn a_scenario_changed_after_its_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    run_well(at, &["run", "head-on", "-q", "-o", "other"]);
    let path = at.join("run/scenario.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("2500.0", "2600.0")).unwrap();
    assert!(fs::read_to_string(&path).unwrap() != text);
    for command in ["report run", "compare run other", "export run --to png"] {
        let output = arenite(at, &command.split(' ').collect::<Vec<_>>());
        let told = "scenario.toml: was damaged or changed after the run had ended";
        assert!(said(&output).contains(told), "{command}: {}", said(&output));
        assert!(!output.status.success(), "{command}");
    }
    fs::write(&path, text).unwrap();
    run_well(at, &["compare", "run", "other"]);
}

/// `check` found well what `run` then refused.
#[test]
fn check_finds_what_a_start_finds() {
    let folder = tempfile::tempdir().unwrap();
    for (scenario, set, told) in [
        (
            "heap",
            "boundary[0].polyline.points[3]=[0.1, 0.0]",
            "doubles back on itself",
        ),
        (
            "soft-gas",
            "law[0].linear.normal_damping=1000000",
            "is not reached",
        ),
    ] {
        for command in ["check", "run"] {
            let output = arenite(folder.path(), &[command, scenario, "--set", set]);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{command}: {}",
                said(&output)
            );
            assert!(said(&output).contains(told), "{command}: {}", said(&output));
        }
    }
}

/// A modulus that lets more overlap than was asked for was said to let no more.
#[test]
fn a_modulus_that_is_too_soft_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let law = |young: &str| {
        let numbers =
            "calibrate --radius 0.005 --density 2500 --restitution 0.9 --friction 0.5 --speed 1";
        let output = arenite(
            folder.path(),
            &format!("{numbers} --young {young}")
                .split(' ')
                .collect::<Vec<_>>(),
        );
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(law("1e7").contains("is softer already; it lets overlaps of 0.070 of the radius"));
    assert!(law("6e10").contains("softened  by"));
}

/// Squares of squares that are no numbers gave times that were wrong.
#[test]
fn flights_beyond_numbers_are_refused() {
    let flight = |scale: f64| {
        let sphere = |x: f64, v: f64| {
            serde_json::json!({"kind": "sphere", "position": [x * scale, 0.0], "velocity": [v * scale, 0.0],
                "acceleration": [0.0, 0.0], "radius": 0.5 * scale})
        };
        arenite::collide::calc::flight(
            serde_json::json!({"bodies": [sphere(0.0, 1.0), sphere(3.0, 0.0)]}),
        )
    };
    for scale in [1e-69, 1.0, 1e69] {
        let time = flight(scale).unwrap()["time"].as_f64().unwrap();
        assert!((time - 2.0).abs() < 1e-9, "{scale}: {time}");
    }
    for scale in [1e-90, 1e80] {
        let told = flight(scale).unwrap_err().to_string();
        assert!(
            told.contains("lengths must be from 1e-70 to 1e70 m"),
            "{told}"
        );
    }
}
