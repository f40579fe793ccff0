//! Every embedded scenario runs, its ledger closes and its folder is whole; and small scenarios
//! for feeds, gates, outlets, moving walls, drag and periodic space give the counts and the
//! motions that can be worked out by hand.

use std::fs;
use std::path::Path;

use arenite::record::read::{self, Columns};
use arenite::record::{Table, columns};
use serde_json::Value;

use crate::cli_tools::{arenite, number, run_well, said, summary};

/// Keys of `summary.json` that every run has, whatever it holds, as paths.
const KEYS: [&str; 43] = [
    "arenite",
    "scenario",
    "seed",
    "status",
    "time/virtual",
    "time/wall",
    "state_hash",
    "events/total",
    "events/by_kind",
    "events/per_virtual_second",
    "events/per_wall_second",
    "grains/initial",
    "grains/created",
    "grains/removed",
    "grains/final",
    "regimes/flight",
    "regimes/cluster",
    "regimes/rest",
    "regimes/rigid",
    "work/grain_steps",
    "work/collisions",
    "work/stress_solves",
    "work/grain_steps_if_all_stepped",
    "work/grains_per_link_event",
    "energy/kinetic",
    "energy/potential",
    "energy/elastic",
    "energy/dissipated/damping",
    "energy/dissipated/slip",
    "energy/dissipated/collision",
    "energy/dissipated/morph",
    "energy/injected",
    "energy/removed",
    "energy/balance_error",
    "discharge",
    "jam",
    "jams",
    "avalanches",
    "impacts",
    "warnings",
    "time",
    "events",
    "grains",
];

/// Looks at all that a run must have left, and gives its figures.
fn whole_folder(run: &Path, dimensions: usize) -> Value {
    let figures = summary(run);
    for key in KEYS {
        assert!(
            figures.pointer(&format!("/{key}")).is_some(),
            "no {key} in {figures:#}"
        );
    }
    assert_eq!(figures["arenite"], env!("CARGO_PKG_VERSION"));
    let by_kind = figures["events"]["by_kind"].as_object().unwrap();
    let sum: u64 = by_kind.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(figures["events"]["total"], sum);
    let [initial, created, removed, last] = ["initial", "created", "removed", "final"]
        .map(|key| figures["grains"][key].as_u64().unwrap());
    assert_eq!(initial + created, removed + last);
    let shares = ["flight", "cluster", "rest", "rigid"];
    let shares: f64 = shares
        .iter()
        .map(|key| number(&figures, &format!("/regimes/{key}")))
        .sum();
    assert!((shares - 1.0).abs() < 1e-9, "shares add up to {shares}");
    let meta = read::meta(run).unwrap();
    assert_eq!(meta.dimensions, dimensions);
    for table in Table::ALL {
        let rows = read::table(run, table).unwrap();
        let names: Vec<&str> = rows.columns.iter().map(|(name, _)| name.as_str()).collect();
        let wanted = columns(
            table,
            dimensions,
            &meta.boundaries,
            &meta.meters,
            meta.extras(),
        );
        let wanted: Vec<&str> = wanted.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, wanted);
        let mut reader = read::TableReader::open(run, table).unwrap();
        assert!(
            reader
                .metadata(match table {
                    Table::Avalanches => "units.start",
                    Table::Stagnant => "units.size",
                    Table::Impacts => "units.from",
                    Table::Wear => "units.size",
                    _ => "units.time",
                })
                .is_some_and(|unit| unit
                    == match table {
                        Table::Stagnant | Table::Wear => "m",
                        Table::Impacts => "J",
                        _ => "s",
                    })
        );
        assert!(reader.next_group().is_ok());
        if table == Table::Series || table == Table::Grains {
            assert!(rows.rows > 0, "{} is empty", table.file_name());
        }
    }
    for folder in [run.to_path_buf(), run.join("checkpoint")] {
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                !name.ends_with(".part") && !name.ends_with(".spool"),
                "{name} was left"
            );
        }
    }
    figures
}

/// Runs with values set, in a new folder.
fn run(scenario: &str, set: &[&str]) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec!["run", scenario, "-q", "-o", "run"];
    for value in set {
        arguments.extend(["--set", *value]);
    }
    run_well(folder.path(), &arguments);
    let figures = summary(&folder.path().join("run"));
    (folder, figures)
}

/// The embedded scenarios; long ones stop early, and their settling is cut short.
#[test]
fn embedded_scenarios_run_and_their_ledgers_close() {
    let short = [
        ("hopper", 2, &["run.end_time=0.3"][..]),
        ("hopper-poly", 2, &["run.end_time=0.3"]),
        (
            "hopper-3d",
            3,
            &["run.end_time=0.06", "settle.at_most=0.35"],
        ),
        ("dam-break", 2, &["run.end_time=0.2", "settle.at_most=0.3"]),
        ("conveyor", 2, &["run.end_time=0.3"]),
        ("screen", 2, &["run.end_time=0.5"]),
        ("segregation", 2, &["run.end_time=0.1"]),
        ("brazil-nut", 2, &["run.end_time=0.2", "settle.at_most=0.3"]),
        ("shear-cell", 2, &["run.end_time=0.1"]),
        ("simple-shear", 2, &["run.end_time=0.1"]),
        ("triaxial", 3, &["run.end_time=0.01", "settle.at_most=0.02"]),
        ("triaxial-cell", 3, &["run.end_time=0.02"]),
        ("pipe-flow", 2, &["run.end_time=0.5"]),
        ("ice-floes", 2, &["run.end_time=60.0"]),
        ("centrifuge", 2, &["run.end_time=0.2"]),
        ("toning", 3, &["run.end_time=1e-4"]),
        (
            "cohesive-heap",
            2,
            &["run.end_time=0.1", "settle.at_most=0.2"],
        ),
        (
            "angle-of-repose",
            3,
            &["run.end_time=0.05", "settle.at_most=0.1"],
        ),
        ("rolling", 3, &[]),
        ("head-on", 3, &[]),
        ("hertz-impact", 3, &[]),
        ("oblique-impact", 3, &[]),
        ("spinning-ball", 3, &[]),
        ("stacked-compression", 3, &[]),
        ("silo", 2, &["run.end_time=40"]),
        ("silo-large", 2, &["run.end_time=40"]),
        ("silo-3d", 3, &["run.end_time=40"]),
        ("silo-to-heap", 2, &["run.end_time=6"]),
        ("silo-fill", 2, &["run.end_time=1", "feed[0].count=50"]),
        (
            "silo-fill-large",
            2,
            &["run.end_time=1", "feed[0].count=50"],
        ),
        ("fill-3d", 3, &["run.end_time=0.6", "feed[0].count=40"]),
        ("discharge-reload", 2, &["run.end_time=2.2"]),
        ("funnel", 2, &["run.end_time=0.3", "settle.at_most=0.3"]),
        ("heap", 2, &["run.end_time=1", "feed[0].count=50"]),
        ("wind-heap", 2, &["run.end_time=0.1", "settle.at_most=0.2"]),
        ("tilt", 2, &["run.end_time=1"]),
        ("drum", 2, &["run.end_time=1"]),
        ("pile", 2, &["run.end_time=40"]),
        ("bridge", 2, &[]),
        ("gas", 3, &["run.end_time=1"]),
        ("cooling-gas", 3, &["run.end_time=0.5"]),
        ("soft-gas", 3, &["run.end_time=0.1"]),
        ("billiard", 2, &[]),
        ("newton-cradle", 3, &[]),
        ("mill", 3, &["run.end_time=0.1"]),
        ("mill-breakage", 2, &["run.end_time=0.05"]),
        ("tumbling-mill", 2, &["run.end_time=0.02"]),
        ("shaker", 3, &["run.end_time=0.02"]),
        ("spray", 3, &["run.end_time=0.1"]),
        ("agglomerate-drop", 3, &["run.end_time=0.002"]),
        ("beam", 2, &["run.end_time=0.2"]),
        (
            "brazilian",
            2,
            &["run.end_time=0.002", "settle.at_most=0.002"],
        ),
        (
            "uniaxial",
            3,
            &["run.end_time=0.001", "settle.at_most=0.001"],
        ),
        ("fibre", 3, &["run.end_time=0.03"]),
        ("rain", 2, &["run.end_time=0.8"]),
        ("tbar", 3, &["run.end_time=20"]),
        ("t-gas", 3, &["run.end_time=0.03"]),
        ("settle-shapes", 2, &["run.end_time=0.3"]),
        (
            "hopper-ovals",
            2,
            &["run.end_time=0.2", "settle.at_most=0.7"],
        ),
        (
            "hopper-clumps",
            2,
            &["run.end_time=0.2", "settle.at_most=0.7"],
        ),
        ("cavity", 3, &["run.end_time=0.003"]),
        ("osmosis", 2, &["run.end_time=0.2"]),
        ("rod-box", 2, &["run.end_time=10"]),
        ("domino", 2, &["run.end_time=0.3"]),
        ("gomboc", 3, &["run.end_time=0.5"]),
        (
            "drum-clumps",
            3,
            &["run.end_time=0.2", "settle.at_most=0.2"],
        ),
    ];
    let names: Vec<&str> = short.iter().map(|(name, ..)| *name).collect();
    for item in arenite::scenario::embedded::SCENARIOS {
        assert!(names.contains(&item.name), "{} is not run here", item.name);
    }
    for (name, dimensions, set) in short {
        let (folder, _) = run(name, set);
        let figures = whole_folder(&folder.path().join("run"), dimensions);
        assert_eq!(figures["scenario"], name);
        // Cut short, it may end in a jam that its next tap would break.
        let cut_in_a_jam = name == "discharge-reload" && figures["status"] == "jammed";
        assert!(
            cut_in_a_jam || figures["status"] == "finished",
            "{name}: {}",
            figures["status"]
        );
        // The issue asks for 1e-3 of the energy that flowed; the single contacts are made to
        // close to 2e-4.
        let limit = if figures["grains"]["initial"].as_u64().unwrap() < 3 {
            2e-4
        } else {
            1e-3
        };
        let error = number(&figures, "/energy/balance_error");
        assert!(error < limit, "{name}: ledger out by {error}");
        for loss in ["damping", "slip"] {
            let lost = number(&figures, &format!("/energy/dissipated/{loss}"));
            assert!(lost > -1e-12, "{name}: {loss} gives {lost} J");
        }
        // Only where settling is cut short is there anything to warn of; and in a silo a wedge of
        // disks may slide without end (thesis Fig. 4.4), which is told.
        let warnings = figures["warnings"].as_array().unwrap();
        let cut = set.iter().any(|value| value.starts_with("settle"));
        let endless = |text: &Value| text.to_string().contains("only dynamics");
        // And what beds in space that stand still get wrong is told wherever grains do.
        let still = |text: &Value| {
            let beds = "forces in beds of spheres that stand still";
            dimensions == 3 && text.to_string().contains(beds)
        };
        let known = |text: &Value| endless(text) || still(text);
        assert!(cut || warnings.iter().all(known), "{name}: {warnings:?}");
    }
}

/// Rule 1 of the design: in dense flow a link between grains that comes or goes costs its
/// neighbourhood: in the median a grain's degree, six in the plane, and its own two ends; 99 of a
/// hundred under 200 grains.
#[test]
fn link_events_cost_their_neighbourhood() {
    for name in ["hopper", "hopper-poly"] {
        let (_folder, figures) = run(name, &["run.end_time=1.5"]);
        let cost = |key: &str| {
            let value = &figures["work"]["grains_per_link_event"][key];
            value.as_f64().unwrap()
        };
        assert!(cost("events") > 1e4, "{name}: {} events", cost("events"));
        assert!(cost("median") <= 8.0, "{name}: median {}", cost("median"));
        assert!(cost("p99") < 200.0, "{name}: p99 {}", cost("p99"));
        assert!(cost("largest") >= cost("p99"), "{name}");
    }
}

/// The last value of a column for a grain.
fn last_of(grains: &Columns, grain: i64, column: &str) -> f64 {
    let numbers = grains.integers("grain").unwrap();
    let row = numbers.iter().rposition(|n| *n == Some(grain)).unwrap();
    grains.floats(column).unwrap()[row]
}

/// Rest states of the single contacts, from rigid-body theory and statics.
#[test]
fn small_scenarios_end_as_theory_says() {
    // A solid ball that slides until it rolls keeps 5/7 of its speed, one that spins keeps 2/7 of
    // its rim speed. The normal load wavers by the rounded start, a part in 1e6 of the weight.
    for (name, wanted) in [("rolling", 5.0 / 7.0), ("spinning-ball", 2.0 / 7.0)] {
        let (folder, _) = run(name, &[]);
        let grains = read::grains(&folder.path().join("run")).unwrap();
        let [speed, spin] = ["velocity_x", "spin_y"].map(|key| last_of(&grains, 0, key));
        assert!((speed / wanted - 1.0).abs() < 1e-4, "{name}: {speed} m/s");
        // Rolling: the creep that the spring allows is gone.
        assert!((spin * 0.01 / speed - 1.0).abs() < 1e-4, "{name}: {spin}");
    }
    // Two spheres on springs between plates: forces on each add up to nothing.
    let (folder, _) = run("stacked-compression", &[]);
    let grains = read::grains(&folder.path().join("run")).unwrap();
    let [low, high] = [0, 1].map(|grain| last_of(&grains, grain, "z"));
    let (k, g, r, top) = (1e3, 9.81, 5e-4, 1.8e-3);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    let force = |a: f64, b: f64| k * (2.0 * r - (b - a));
    let [first, second] = [
        k * (r - low) - force(low, high) - 20000.0 * volume * g,
        force(low, high) - k * (high - (top - r)) - 10000.0 * volume * g,
    ];
    // What swings still after 0.01 s decays at 2000 1/s: below 1e-8 of the 0.1 N at work.
    assert!(
        first.abs() < 1e-6 && second.abs() < 1e-6,
        "{first} {second}"
    );
}

/// Writes a scenario and runs it, with the same start for all.
pub fn run_text(dimension: usize, text: &str) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("name = \"small\"\ndimension = {dimension}\n{text}");
    fs::write(folder.path().join("small.toml"), text).unwrap();
    let output = arenite(
        folder.path(),
        &["run", "small.toml", "-q", "-o", "run", "--threads", "1"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let figures = whole_folder(&folder.path().join("run"), dimension);
    (folder, figures)
}

/// Times of the logged events of a kind.
fn times(folder: &tempfile::TempDir, kind: &str) -> Vec<f64> {
    let events = read::events(&folder.path().join("run")).unwrap();
    let kinds = events.names("kind").unwrap();
    let all = events.floats("time").unwrap();
    kinds
        .iter()
        .zip(all)
        .filter(|(k, _)| k.as_deref() == Some(kind))
        .map(|(_, &time)| time)
        .collect()
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{found} is not {wanted} to {tolerance}"
    );
}

/// Grains at fixed times, all of them; what they bring in is on the book.
#[test]
fn a_feed_keeps_its_interval() {
    let (folder, figures) = run_text(
        2,
        "seed = 5\n[run]\nend_time = 1.0\n[[feed]]\nmaterial = \"thesis-disk\"\nradius = 0.01\n\
         count = 20\nmin = [0.0, 0.0]\nmax = [1.0, 1.0]\nevery = 0.03\nstart = 0.2\n\
         velocity = [0.0, 3.0]\n",
    );
    assert_eq!(figures["grains"]["created"], 20);
    assert_eq!(figures["grains"]["final"], 20);
    let found = times(&folder, "add-body");
    assert_eq!(found.len(), 20);
    for (k, time) in found.iter().enumerate() {
        // To rounding: the times are counted, not added up.
        near(*time, 0.2 + 0.03 * k as f64, 1e-12);
    }
    let mass = 1190.0 * std::f64::consts::PI * 1e-4;
    let brought = 20.0 * 0.5 * mass * 9.0;
    near(
        number(&figures, "/energy/injected"),
        brought,
        1e-9 * brought,
    );
    near(number(&figures, "/energy/kinetic"), brought, 1e-3 * brought);
}

/// A Poisson stream of 500 grains a second through a box that they leave at once. In 4 s it gives
/// 2000 with a spread of sqrt(2000) = 45, and a share of 1/e of its gaps is over the mean gap,
/// with a spread of 0.011; both must lie within four spreads.
#[test]
fn a_poisson_feed_is_poisson() {
    let (folder, figures) = run_text(
        2,
        "seed = 11\n[run]\nend_time = 4.0\noutlet_interval = 0.001\n[[feed]]\n\
         material = \"thesis-disk\"\nradius = 0.001\ncount = 100000\nmin = [0.0, 0.0]\n\
         max = [1.0, 0.1]\npoisson = 500.0\nvelocity = [0.0, 50.0]\n[[outlet]]\n\
         outside = { min = [-1.0, -1.0], max = [2.0, 1.0] }\n",
    );
    let created = number(&figures, "/grains/created");
    near(created, 2000.0, 4.0 * 45.0);
    let found = times(&folder, "add-body");
    assert_eq!(found.len() as f64, created);
    let long = found
        .windows(2)
        .filter(|pair| pair[1] - pair[0] > 1.0 / 500.0)
        .count();
    near(long as f64 / created, 0.367_879, 4.0 * 0.011);
    // Lost through the sides, not discharged. Each is inside for (1 - y) / 50, some 0.02 s.
    assert_eq!(figures["discharge"]["count"], 0);
    let last = number(&figures, "/grains/final");
    assert!((1.0..30.0).contains(&last), "{last} left");
    near(number(&figures, "/energy/balance_error"), 0.0, 1e-9);
}

/// A feed that finds no room waits, and gives up after its retries.
#[test]
fn a_feed_without_room_waits_and_jams() {
    let feed = "[run]\nend_time = 1.0\n[[feed]]\nmaterial = \"thesis-disk\"\nradius = 0.01\n\
        count = 10\nmin = [0.0, 0.0]\nmax = [0.001, 0.001]\nevery = 0.02\nretry_interval = 0.01\n\
        max_retries = 5\nattempts = 3\n";
    // The first stays where it is: the second is tried at 0.02 s and four times more.
    let (folder, figures) = run_text(2, feed);
    assert_eq!(figures["grains"]["created"], 1);
    assert_eq!(figures["events"]["by_kind"]["jam"], 1);
    assert_eq!(figures["events"]["by_kind"]["add-body"], 6);
    near(times(&folder, "jam")[0], 0.06, 1e-9);
    let warnings = figures["warnings"].as_array().unwrap();
    for (warning, said) in warnings.iter().zip([
        "`feed[0]` cannot give the required",
        "feed 1 found no room in 5 retries and stopped at 0.060000 s",
        "`feed[0]` fell short",
    ]) {
        assert!(warning.as_str().unwrap().starts_with(said), "{warning}");
    }
    assert_eq!(warnings.len(), 3);
    let told = &figures["feeds"][0];
    assert_eq!(
        (&told["asked"]["count"], &told["given"]["count"]),
        (&10.into(), &1.into())
    );
    assert_eq!(told["postponed"], 5);
    // They go on at 0.8 m/s: room after two radii, 0.025 s or a little less or more by where in
    // the region they start. Each waits for the one before, and none is lost.
    let moving = feed.to_string() + "velocity = [0.8, 0.0]\n";
    let (folder, figures) = run_text(2, &moving);
    assert_eq!(figures["grains"]["created"], 10);
    assert_eq!(figures["warnings"], serde_json::json!([]));
    let found = times(&folder, "add-body");
    for pair in found.windows(2) {
        let gap = pair[1] - pair[0];
        assert!((0.0235..0.0365).contains(&gap), "a gap of {gap} s");
    }
}

/// A column over a gate: nothing leaves before it opens, then each has fallen its height and two
/// radii. The outlet is looked at every millisecond.
#[test]
fn a_gate_opens_in_time() {
    let (folder, figures) = run_text(
        2,
        "[field]\ngravity = [0.0, -9.8]\n[run]\nend_time = 1.0\nstop_when_empty = true\n\
         outlet_interval = 0.001\n[[boundary]]\nname = \"gate\"\nmaterial = \"thesis-wall\"\n\
         plane = { point = [0, 0], normal = [0, 1] }\nopens_at = 0.25\n[[fill]]\n\
         material = \"thesis-disk\"\ngrains = [{ position = [0.1, 0.01], radius = 0.01 }, \
         { position = [0.2, 0.03], radius = 0.01 }]\n[[outlet]]\n\
         plane = { point = [0, 0], normal = [0, 1] }\n",
    );
    assert_eq!(figures["status"], "empty");
    assert_eq!(figures["discharge"]["count"], 2);
    // Both lie on the gate by 0.25 s; the second fell from 0.02 m over it and bounced a little.
    let out = 0.25 + (2.0f64 * 0.02 / 9.8).sqrt();
    for key in ["/discharge/first", "/discharge/last"] {
        let time = number(&figures, key);
        assert!(
            time > out - 1e-4 && time < out + 1.1e-3,
            "{key}: {time} s for {out}"
        );
    }
    near(times(&folder, "boundary-update")[0], 0.25, 1e-9);
    near(number(&figures, "/energy/balance_error"), 0.0, 1e-3);
}

const ELASTIC: &str = "[material.ball]\ndensity = 1000.0\n[[law]]\nbetween = [\"ball\", \"ball\"]\n\
    [law.linear]\nnormal_stiffness = 1e6\ntangential_stiffness = 0.0\nnormal_damping = 0.0\n\
    tangential_damping = 0.0\nfriction = 0.0\n";

/// An elastic wall that comes at speed V throws a grain at rest off at 2 V, and gives it all that
/// energy. The tolerance is that of the steps: some sixty a contact, error of second order.
#[test]
fn a_moving_wall_gives_energy() {
    let (folder, figures) = run_text(
        2,
        &format!(
            "[run]\nend_time = 0.05\nsafety = 0.1\n{ELASTIC}\
             [[boundary]]\nname = \"piston\"\nmaterial = \"ball\"\n\
             plane = {{ point = [0, 0], normal = [1, 0] }}\nmotion = {{ velocity = [0.5, 0] }}\n\
             [[fill]]\nmaterial = \"ball\"\ngrains = [{{ position = [0.02, 0], radius = 0.01 }}]\n"
        ),
    );
    let grains = read::grains(&folder.path().join("run")).unwrap();
    near(last_of(&grains, 0, "velocity_x"), 1.0, 2e-3);
    let mass = 1000.0 * std::f64::consts::PI * 1e-4;
    near(
        number(&figures, "/energy/injected"),
        0.5 * mass,
        4e-3 * mass,
    );
    near(number(&figures, "/energy/balance_error"), 0.0, 1e-3);
    // The wall is there at 0.02 s; on average over the contact the grain moves as the wall does,
    // then at 1 m/s.
    let contact = std::f64::consts::PI * (mass / 1e6).sqrt();
    near(last_of(&grains, 0, "x"), 0.05 - 0.5 * contact, 2e-5);
}

/// Fall under drag: v = -(g m / c) (1 - exp(-c t / m)).
#[test]
fn drag_slows_a_fall() {
    let (folder, figures) = run_text(
        3,
        "[field]\ngravity = [0, 0, -9.8]\ndrag = 0.1\n[run]\nend_time = 0.5\nstep = 1e-4\n\
         [material.ball]\ndensity = 2500.0\n[[fill]]\nmaterial = \"ball\"\n\
         grains = [{ position = [0, 0, 1], radius = 0.01 }]\n",
    );
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    let last = -9.8 * mass / 0.1 * (1.0 - (-0.1f64 * 0.5 / mass).exp());
    let grains = read::grains(&folder.path().join("run")).unwrap();
    // Second order in step x rate = 1e-3.
    near(last_of(&grains, 0, "velocity_z"), last, 1e-5);
    assert!(number(&figures, "/energy/dissipated/damping") > 0.0);
    near(number(&figures, "/energy/balance_error"), 0.0, 1e-5);
}

/// Two grains fly apart and meet across the border of periodic space: equal and elastic, they
/// swap velocities, and stay in the box.
#[test]
fn grains_meet_across_a_periodic_border() {
    let (folder, figures) = run_text(
        2,
        &format!(
            "[periodic]\nx = [0.0, 0.2]\n[run]\nend_time = 0.1\nsafety = 0.1\n{ELASTIC}\
             [[fill]]\nmaterial = \"ball\"\n\
             grains = [{{ position = [0.05, 0], radius = 0.01, velocity = [-1, 0] }}, \
             {{ position = [0.15, 0], radius = 0.01, velocity = [1, 0] }}]\n"
        ),
    );
    assert_eq!(figures["events"]["by_kind"]["insert-link"], 1);
    let grains = read::grains(&folder.path().join("run")).unwrap();
    // The gap over the border is 0.08 m, closed at 2 m/s within 0.04 s; then 0.06 s back.
    for (grain, speed, place) in [(0, 1.0, 0.07), (1, -1.0, 0.13)] {
        near(last_of(&grains, grain, "velocity_x"), speed, 2e-3);
        near(last_of(&grains, grain, "x"), place, 2e-3);
    }
    near(number(&figures, "/energy/balance_error"), 0.0, 1e-3);
}
