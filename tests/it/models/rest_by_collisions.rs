//! Grains that rest, from collision to collision with `collapse = "elastic"`: alone, in touch with others, with and without
//! a restitution, on floors that move. Nothing may stop the run, and all stay where they rest.

use std::fmt::Write;

use crate::support::driven as run;

/// Grains in a box from inside, in the plane or in space, under a gravity.
fn in_a_box(gravity: &[f64], events: &str, floor: &str, grains: &[(Vec<f64>, f64)]) -> String {
    let n = gravity.len();
    let (mut min, mut max) = (vec![0.0; n], vec![1.0; n]);
    (min[0], max[0]) = (0.0, 0.4);
    let mut text = format!(
        "name = \"resting\"\ndimension = {n}\n[field]\ngravity = {gravity:?}\n[run]\nend_time = 0.5\n\
         [log]\nsnapshots = 0.1\nseries = 0.1\n[events]\n{events}\n[material.stuff]\ndensity = 1000.0\n[material.wall]\n\
         [[boundary]]\nname = \"box\"\nmaterial = \"wall\"\nbox = {{ min = {min:?}, max = {max:?}, grains = \"inside\" }}\n{floor}\n\
         [[fill]]\nmaterial = \"stuff\"\ngrains = ["
    );
    for (position, radius) in grains {
        let _ = write!(text, "{{ position = {position:?}, radius = {radius:?} }}, ");
    }
    text + "]\n"
}

/// None is ever further than `most` radii from where it was.
#[track_caller]
fn stays(what: &str, text: &str, grains: &[(Vec<f64>, f64)], most: f64) {
    let (sink, summary) = run(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    let last = sink.snapshots.last().unwrap_or_else(|| panic!("{what}"));
    assert_eq!(last.0.len(), grains.len(), "{what}");
    for (rows, _) in &sink.snapshots {
        for (row, (position, radius)) in rows.iter().zip(grains) {
            for (k, x) in position.iter().enumerate() {
                let off = (row.position[k] - x).abs();
                assert!(off < most * radius, "{what}: {off:e} {row:?}");
            }
        }
    }
    // What a wall lends so that a grain can part is in the ledger.
    assert!(
        summary.energy.balance_error_max < 1e-9,
        "{what}: {:?}",
        summary.energy
    );
}

/// A column and one in the corner.
fn column(n: usize, radii: &[f64]) -> Vec<(Vec<f64>, f64)> {
    let mut low = 0.0;
    let mut grains = Vec::new();
    for &r in radii {
        let mut x = vec![0.5; n];
        (x[0], x[n - 1]) = (0.2, low + r);
        grains.push((x, r));
        low += 2.0 * r;
    }
    let mut x = vec![0.07; n];
    x[0] = 0.07;
    grains.push((x, 0.07));
    grains
}

fn down(n: usize, g: f64) -> Vec<f64> {
    let mut gravity = vec![0.0; n];
    gravity[n - 1] = -g;
    gravity
}

const ELASTIC: &str = "collapse = \"elastic\"";

#[test]
fn who_rests_stays_at_any_restitution() {
    for n in [2, 3] {
        for (restitution, g, time) in [
            (0.0, 9.81, 1e-4),
            (0.3, 1.62, 5e-4),
            (0.9, 9.81, 2e-4),
            (1.0, 30.0, 1e-4),
        ] {
            let events =
                format!("restitution = {restitution:?}\ncontact_time = {time:?}\n{ELASTIC}");
            let what = format!("{n} {events}");
            let one = column(n, &[0.013]);
            stays(&what, &in_a_box(&down(n, g), &events, "", &one), &one, 1e-3);
            let many = column(n, &[0.02, 0.02, 0.01, 0.03]);
            stays(
                &what,
                &in_a_box(&down(n, g), &events, "", &many),
                &many,
                1e-2,
            );
        }
    }
}

/// Without a contact time one is chosen, and a friction does not change that they stay.
#[test]
fn a_contact_time_is_chosen_where_gravity_tells_one() {
    let rule = "[[events.rule]]\nbetween = [\"stuff\", \"wall\"]\nrestitution = 0.0\nfriction = 0.4\n\
                [[events.rule]]\nbetween = [\"stuff\", \"stuff\"]\nrestitution = 0.5\nfriction = 0.4";
    for n in [2, 3] {
        let grains = column(n, &[0.02, 0.03]);
        stays(
            rule,
            &in_a_box(&down(n, 9.81), &format!("{ELASTIC}\n{rule}"), "", &grains),
            &grains,
            1e-2,
        );
        let weightless = in_a_box(
            &vec![0.0; n],
            &format!("restitution = 0.5\n{ELASTIC}"),
            "",
            &grains,
        );
        let warnings = run(&weightless).unwrap().1.warnings;
        assert!(
            warnings.iter().any(|w| w.contains("contact_time")),
            "{warnings:?}"
        );
    }
}

/// A triangular bed of equal disks in touch fills the box from wall to wall: it keeps its places.
#[test]
fn a_bed_in_touch_goes_on() {
    let r = 0.02;
    let mut grains = Vec::new();
    for row in 0..5 {
        for k in 0..10 - row % 2 {
            let x = r * (1.0 + 2.0 * k as f64 + (row % 2) as f64);
            grains.push((vec![x, r * (1.0 + 3f64.sqrt() * row as f64)], r));
        }
    }
    for restitution in [0.0, 0.6] {
        let events = format!("restitution = {restitution:?}\ncontact_time = 1e-4\n{ELASTIC}");
        stays(
            &events,
            &in_a_box(&down(2, 9.81), &events, "", &grains),
            &grains,
            0.05,
        );
    }
}

/// Grains that touch, on a floor and at one wall or none, overlap at no time, with each other or with what they lie at, and sink no lower
/// than they were put; between two walls they go into each other by the room that the contact time asks for.
#[test]
fn who_touches_overlaps_at_no_time() {
    let r = 0.02;
    for n in [2, 3] {
        for (first, count, wedged) in [
            (0.1, 4, false),
            (r, 4, false),
            (0.4 - 7.0 * r, 4, false),
            (r, 10, true),
        ] {
            let mut grains = Vec::new();
            for row in 0..3 {
                for k in 0..count {
                    let mut x = vec![0.5; n];
                    (x[0], x[n - 1]) = (
                        first + 2.0 * r * f64::from(k),
                        r * (1.0 + 2.0 * f64::from(row)),
                    );
                    grains.push((x, r));
                }
            }
            let time = 1e-4;
            let events = format!("restitution = 0.6\ncontact_time = {time:?}\n{ELASTIC}");
            let text = in_a_box(&down(n, 9.81), &events, "", &grains);
            let (sink, _) = run(&text).unwrap();
            let mut deepest = f64::NEG_INFINITY;
            for (rows, _) in &sink.snapshots {
                for (k, a) in rows.iter().enumerate() {
                    let walls = [a.position[0], 0.4 - a.position[0], a.position[n - 1]];
                    deepest = walls
                        .into_iter()
                        .fold(deepest, |most, gap| most.max(r - gap));
                    for b in &rows[k + 1..] {
                        let square: f64 = (0..n)
                            .map(|k| (a.position[k] - b.position[k]).powi(2))
                            .sum();
                        deepest = deepest.max(2.0 * r - square.sqrt());
                    }
                }
            }
            // The way at g t / 4 in the time, of each of two.
            let room = 0.25 * 9.81 * time * time;
            let most = if wedged { 2.0 * room } else { 0.0 };
            assert!(
                deepest <= most + 1e-12 * r,
                "{n} {first} {count}: {deepest:e}, room {room:e}"
            );
            assert!(!wedged || deepest > 0.5 * room, "{n}: {deepest:e}");
        }
    }
}

/// What falls without a restitution lies where it fell: in free fall until then, within the hop of the contact time
/// afterwards.
#[test]
fn who_falls_without_restitution_lies() {
    for n in [2, 3] {
        let mut x = vec![0.5; n];
        (x[0], x[n - 1]) = (0.2, 0.12);
        let grains = [(x, 0.02)];
        let events = format!("restitution = 0.0\ncontact_time = 1e-4\n{ELASTIC}");
        let (sink, summary) = run(&in_a_box(&down(n, 9.81), &events, "", &grains)).unwrap();
        // 0.1 m take 0.143 s.
        for (rows, _) in &sink.snapshots {
            let row = &rows[0];
            let fallen = 0.5 * 9.81 * row.time * row.time;
            let height = row.position[n - 1] - 0.02;
            let wanted = (0.1 - fallen).max(0.0);
            assert!((height - wanted).abs() < 1e-7, "{height} {wanted}");
        }
        let mass = summary.energy.dissipated.collision / (9.81 * 0.1);
        let true_mass = 1000.0
            * if n == 2 {
                std::f64::consts::PI * 0.02f64.powi(2)
            } else {
                4.0 / 3.0 * std::f64::consts::PI * 0.02f64.powi(3)
            };
        assert!((mass / true_mass - 1.0).abs() < 1e-6, "{mass} {true_mass}");
    }
}

/// In a lift that gains speed what rests on the floor comes along.
#[test]
fn who_rests_on_a_rising_floor_comes_along() {
    let floor = "[[boundary]]\nname = \"lift\"\nmaterial = \"wall\"\nplane = { point = [0.0, 0.1], normal = [0.0, 1.0] }\n\
                 motion = { harmonic = { amplitude = [0.0, 0.05], frequency = 1.0, phase = -1.5707963267948966 } }";
    for restitution in [0.0, 0.5] {
        let grains = [(vec![0.2, 0.12], 0.02)];
        let events = format!("restitution = {restitution:?}\ncontact_time = 1e-4\n{ELASTIC}");
        let (sink, _) = run(&in_a_box(&down(2, 9.81), &events, floor, &grains)).unwrap();
        for (rows, _) in &sink.snapshots {
            // It begins with 0.05 (2 pi)^2 = 1.97 m/s^2 upwards; the amplitude's far end is reached after 0.5 s.
            let row = &rows[0];
            let lift = 0.05 * (1.0 - (std::f64::consts::TAU * row.time).cos());
            assert!(
                (row.position[1] - 0.12 - lift).abs() < 1e-5,
                "{} {lift}",
                row.position[1]
            );
        }
    }
}
