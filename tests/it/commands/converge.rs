//! Series of runs with the step halved: orders of made-up series, and of integrators through the
//! program.

use std::fs;
use std::path::Path;

use arenite::study::StudyError;
use arenite::study::convergence::{Course, Placed, State, convergence, distance, fit_order};
use serde_json::Value;

use crate::cli_tools::{arenite, said};

const NOWHERE: [Option<f64>; 3] = [None; 3];

fn placed(body: u32, position: [f64; 3]) -> Placed {
    Placed {
        body,
        mass: 2.0,
        position,
        turn: [0.0, 0.0, 0.0, 1.0],
        arm: 0.0,
    }
}

/// A run whose body is off by `factor * time * step^order`, its energy by `step^energy`.
fn course(step: f64, factor: f64, order: f64, energy: f64) -> Course {
    let state = |k: u32| {
        let time = 0.1 * f64::from(k);
        State {
            time,
            bodies: vec![placed(
                3,
                [1.0, time + factor * time * step.powf(order), 0.0],
            )],
            energy: 5.0 + time * step.powf(energy),
            turnover: 10.0,
        }
    };
    Course {
        step,
        states: (0..=10).map(state).collect(),
    }
}

fn made(order: f64, energy: f64, halvings: u32) -> Vec<Course> {
    let step = |k: u32| 0.01 / f64::from(1 << k);
    let runs = 0..=halvings;
    runs.map(|k| course(step(k), 3.0, order, energy)).collect()
}

#[test]
fn orders_of_made_up_series() {
    for (order, energy) in [(1.0, 1.0), (2.0, 2.0), (4.0, 1.5)] {
        let found = convergence(&made(order, energy, 5), NOWHERE, [0.0, 1.0]).unwrap();
        // Positions of about 1 are rounded to 1e-16, the least of these distances is 1e-12.
        let fit = found.distance.unwrap();
        assert!((fit.order - order).abs() < 1e-4, "{fit:?}");
        assert!(fit.interval.unwrap().high - fit.interval.unwrap().low < 1e-2);
        let fit = found.energy.unwrap();
        assert!((fit.order - energy).abs() < 1e-6, "{fit:?}");
        assert_eq!((found.steps.len(), found.times.len()), (6, 11));
        for row in &found.steps[..4] {
            assert!((row.order.unwrap() - order).abs() < 1e-3, "{row:?}");
        }
        let last = found.steps.last().unwrap();
        assert_eq!((last.distance, last.order), (None, None));
        // At time 0 all are the same: no order.
        assert_eq!(found.times[0].order, None);
        assert!((found.times[10].order.unwrap() - order).abs() < 1e-4);
        // By hand: at time 1 the first two are 3 (h^p - (h/2)^p) apart.
        let want = 3.0 * (0.01_f64.powf(order) - 0.005_f64.powf(order));
        assert!((found.times[10].distances[0] - want).abs() < 1e-15);
    }
}

#[test]
fn rounding_takes_no_part() {
    // From 1e-14 on the distances are rounding: the fit must not follow them.
    let found = convergence(&made(4.0, 4.0, 9), NOWHERE, [0.0, 1.0]).unwrap();
    let fit = found.distance.unwrap();
    assert!(fit.points < 9 && fit.points >= 4, "{fit:?}");
    assert!((fit.order - 4.0).abs() < 0.05, "{fit:?}");
    assert!(found.steps[8].distance_is_rounding && !found.steps[0].distance_is_rounding);
    let still = made(0.0, 0.0, 3);
    let found = convergence(&still, NOWHERE, [0.0, 1.0]).unwrap();
    assert!(
        found.distance.is_none(),
        "equal runs have no order: {found:?}"
    );
}

#[test]
fn only_times_of_the_window_count() {
    // Off by h^2 until 0.5 s, by h^0.3 afterwards, as where chaos has set in.
    let mut courses = made(2.0, 2.0, 4);
    for course in &mut courses {
        for state in &mut course.states[6..] {
            state.bodies[0].position[0] += course.step.powf(0.3);
        }
    }
    let order = |window| {
        convergence(&courses, NOWHERE, window)
            .unwrap()
            .distance
            .unwrap()
            .order
    };
    assert!((order([0.0, 0.55]) - 2.0).abs() < 1e-4);
    assert!((order([0.55, 1.0]) - 0.3).abs() < 0.01);
    assert!(matches!(
        convergence(&courses, NOWHERE, [0.01, 0.02]),
        Err(StudyError::TooFew { .. })
    ));
}

#[test]
fn distances_by_hand() {
    let state = |bodies: Vec<Placed>| State {
        bodies,
        ..State::default()
    };
    let a = state(vec![
        placed(0, [0.0; 3]),
        placed(2, [0.1, 0.0, 0.0]),
        placed(7, [1.0; 3]),
    ]);
    let mut heavy = placed(2, [0.9, 0.0, 0.3]);
    heavy.mass = 6.0;
    let mut first = a.clone();
    first.bodies[1].mass = 6.0;
    let b = state(vec![placed(0, [0.0, 0.4, 0.0]), placed(1, [9.0; 3]), heavy]);
    // Bodies 0 and 2 are in both: (2 * 0.16 + 6 * (0.64 + 0.09)) / 8.
    let want = ((2.0 * 0.16 + 6.0 * 0.73) / 8.0_f64).sqrt();
    assert!((distance(&first, &b, NOWHERE) - want).abs() < 1e-15);
    // Across a border of a box of length 1 they are 0.2 apart, not 0.8.
    let want = ((2.0 * 0.16 + 6.0 * 0.13) / 8.0_f64).sqrt();
    assert!((distance(&first, &b, [Some(1.0), None, None]) - want).abs() < 1e-15);
    // A turn of 1e-9 about y, at an arm of 0.5; the opposite quaternion is the same orientation.
    let mut turned = placed(0, [0.0; 3]);
    turned.turn = [0.0, -0.5e-9, 0.0, -1.0];
    turned.arm = 0.5;
    let mut plain = placed(0, [0.0; 3]);
    plain.arm = 0.5;
    let (plain, turned) = (state(vec![plain]), state(vec![turned]));
    assert!((distance(&plain, &turned, NOWHERE) / 0.5e-9 - 1.0).abs() < 1e-12);
    let nobody = state(Vec::new());
    assert_eq!(distance(&plain, &nobody, NOWHERE), 0.0);
}

#[test]
fn a_fit_by_hand() {
    // Logarithms to the base of 2: (0, 0), (1, 2), (2, 3). Slope 3/2, residuals -1/6, 1/3, -1/6,
    // so the error is sqrt(1/6 / 1 / 2); t of 0.975 with one freedom is 12.7062.
    let fit = fit_order(&[1.0, 2.0, 4.0], &[1.0, 4.0, 8.0]).unwrap();
    let error = (1.0_f64 / 12.0).sqrt();
    assert!((fit.order - 1.5).abs() < 1e-14 && fit.points == 3);
    assert!((fit.error.unwrap() - error).abs() < 1e-14);
    let interval = fit.interval.unwrap();
    assert!(
        (interval.high - 1.5 - 12.706_204_736 * error).abs() < 1e-6,
        "{interval:?}"
    );
    assert!((fit.factor - 2.0_f64.powf(1.0 / 6.0)).abs() < 1e-14);
    let two = fit_order(&[1.0, 2.0], &[3.0, 12.0]).unwrap();
    assert!((two.order - 2.0).abs() < 1e-14 && two.error.is_none());
    for (steps, values) in [
        (vec![1.0], vec![1.0]),
        (vec![1.0, 2.0], vec![1.0]),
        (vec![1.0, 2.0], vec![1.0, 0.0]),
        (vec![1.0, -2.0], vec![1.0, 1.0]),
        (vec![2.0, 2.0], vec![1.0, 3.0]),
        (vec![1.0, 2.0], vec![1.0, f64::NAN]),
    ] {
        assert!(fit_order(&steps, &values).is_err(), "{steps:?} {values:?}");
    }
    let mut runs = made(2.0, 2.0, 3);
    runs.remove(1);
    let error = convergence(&runs, NOWHERE, [0.0, 1.0]).unwrap_err();
    assert!(
        error.to_string().contains("step over the next run's"),
        "{error}"
    );
    assert!(convergence(&runs[..2], NOWHERE, [0.0, 1.0]).is_err());
}

fn converge(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let output = arenite(
        folder.path(),
        &[&["converge", "--json", "-q"], arguments].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(said(&output), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn order(found: &Value, what: &str) -> f64 {
    let order = found.pointer(&format!("/convergence/{what}/order"));
    order
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("{what} in {found:#}"))
}

/// Two spheres that swing between plates and never part: nothing disturbs the integrator, so that
/// orders are clean.
#[test]
fn orders_of_the_integrators() {
    for (integrator, motion, books) in [
        ("verlet", 2.0, Some(2.0)),
        ("midpoint", 2.0, Some(2.0)),
        ("heun", 2.0, Some(2.0)),
        ("euler", 1.0, Some(1.0)),
    ] {
        let set = format!("run.integrator={integrator}");
        let found = converge(&[
            "stacked-compression",
            "--set",
            &set,
            "--set",
            "run.safety=0.1",
        ]);
        assert_eq!(found["integrator"], integrator);
        let distance = order(&found, "distance");
        assert!((distance - motion).abs() < 0.05, "{integrator}: {distance}");
        if let Some(wanted) = books {
            let energy = order(&found, "energy");
            assert!((energy - wanted).abs() < 0.05, "{integrator}: {energy}");
        }
    }
}

/// A contact begins and ends anywhere within a step, which makes single halvings uneven, between 1.5
/// and 2.9 for `verlet`; the line through all of them is nearer.
#[test]
fn orders_of_a_collision() {
    for (integrator, wanted) in [("verlet", 2.0), ("euler", 1.0)] {
        let set = format!("run.integrator={integrator}");
        let found = converge(&["head-on", "--set", &set, "--halvings", "7"]);
        let (distance, energy) = (order(&found, "distance"), order(&found, "energy"));
        assert!((distance - wanted).abs() < 0.25, "{integrator}: {distance}");
        assert!((energy - wanted).abs() < 0.25, "{integrator}: {energy}");
        let steps = found["convergence"]["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 8);
        let step = |k: usize| steps[k]["step"].as_f64().unwrap();
        assert_eq!(step(0), 128.0 * step(7));
    }
}

/// A free bar whose middle stays where it is: only orientations differ.
const BAR: &str = "name = \"bar\"\ndimension = 3\n[run]\nend_time = 2.0\nstep = 0.02\nflight = false\n\
    [material.stuff]\ndensity = 1000.0\n[[law]]\nbetween = [\"stuff\", \"stuff\"]\n[law.linear]\n\
    normal_stiffness = 1e3\ntangential_stiffness = 1e3\nnormal_damping = 0.0\n\
    tangential_damping = 0.0\nfriction = 0.3\n[shape.bar]\nspheres = [\
    { centre = [-2.0, 0.0, 0.0], radius = 0.6 }, { centre = [0.0, 0.0, 0.0], radius = 0.5 }, \
    { centre = [1.0, 0.0, 0.0], radius = 0.5 }, { centre = [0.0, 1.0, 0.0], radius = 0.5 }]\n\
    [[fill]]\nmaterial = \"stuff\"\nshape = \"bar\"\n\
    grains = [{ position = [0.0, 0.0, 0.0], radius = 0.01, spin = [2.0, 3.0, 1.0] }]\n";

#[test]
fn orientations_of_shaped_grains_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bar.toml"), BAR).unwrap();
    let output = arenite(folder.path(), &["converge", "bar.toml", "--json", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    // At least the second order of the motion of centres; a free turn may do better.
    let order = order(&found, "distance");
    assert!((1.95..4.1).contains(&order), "{order}");
    let coarse = &found["convergence"]["steps"][0]["distance"];
    assert!(coarse.as_f64().unwrap() > 1e-10, "{coarse}");
}

/// A free sphere falls on an exact path: there is nothing but rounding.
const FALL: &str = "name = \"fall\"\ndimension = 2\n[field]\ngravity = [0.0, -9.8]\n[run]\n\
    end_time = 0.1\nstep = 1e-3\n[[fill]]\nmaterial = \"thesis-disk\"\n\
    grains = [{ position = [0.5, 0.5], radius = 0.01, velocity = [1.0, 0.0] }]\n";

#[test]
fn tables_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| arenite(folder.path(), &[&["converge"], arguments].concat());
    let plotted = [
        "head-on",
        "--halvings",
        "3",
        "--plot",
        "orders.svg",
        "--from",
        "0.001",
    ];
    let output = run(&plotted);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("order of the distance: 2.") || text.contains("order of the distance: 1.")
    );
    assert!(
        text.starts_with("head-on, seed 1, verlet: 4 runs to 5.00e-3 s\n"),
        "{text}"
    );
    assert_eq!(
        said(&output).lines().count(),
        4,
        "a line a run: {}",
        said(&output)
    );
    let picture = fs::read_to_string(folder.path().join("orders.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("log10 of the step, s"));
    // The same again gives the same.
    assert_eq!(run(&plotted).stdout, output.stdout);
    fs::write(folder.path().join("fall.toml"), FALL).unwrap();
    let output = run(&["fall.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("order of the distance: not determined"),
        "{text}"
    );
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = arenite(folder, &[&["converge"], arguments].concat());
    assert_eq!(
        output.status.code(),
        Some(2),
        "{arguments:?}: {}",
        said(&output)
    );
    assert!(output.stdout.is_empty());
    said(&output)
}

#[test]
fn what_cannot_converge_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, told) in [
        (&["hoper"][..], "did you mean `hopper`?"),
        (&["head-on", "--halvings", "1"], "1 is not in 2..=20"),
        (&["head-on", "--halvings", "-3"], "-3 is not in 2..=20"),
        (&["head-on", "--times", "0"], "0 is not in 1..=10000"),
        (&["head-on", "--from", "nan"], "is not a time"),
        (
            &["head-on", "--from", "0.1"],
            "hold no time of a run from 0 to 0.005 s",
        ),
        (
            &["head-on", "--from", "0.003", "--to", "0.002"],
            "hold no time",
        ),
        (
            &["head-on", "--plot", "orders.pdf"],
            "must end in .svg or .png",
        ),
        (
            &["head-on", "--until", "0.05", "--halvings", "20"],
            "the finest run would take",
        ),
        (&["silo"], "no step that could be halved: [quasi_static]"),
        (&["gas"], "no step that could be halved: [events]"),
    ] {
        let message = refused(folder.path(), arguments);
        assert!(message.contains(told), "{arguments:?}: {message}");
    }
}
