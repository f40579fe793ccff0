//! What acts from outside on runs from collision to collision: grains that come and go, valves, perturbations, maps of walls.

use arenite::record::{MemorySink, Summary};

use crate::support::driven;

/// A ball in a wide empty space, with or without weight.
fn alone(dimension: usize, gravity: f64, finish: f64, more: &str) -> String {
    let along = |axis: usize, size: f64| {
        let all: Vec<f64> = (0..dimension)
            .map(|k| if k == axis { size } else { 0.0 })
            .collect();
        format!("{all:?}")
    };
    format!(
        r#"
name = "alone"
dimension = {dimension}
[run]
end_time = {finish:?}
[field]
gravity = {}
[events]
restitution = 1.0
[log]
series = 0.05
snapshots = 0.05
events = "links"
[material.ball]
density = 2500.0
[[fill]]
material = "ball"
grains = [{{ position = {}, radius = 0.01, velocity = {} }}]
{more}
"#,
        along(dimension - 1, -gravity),
        along(0, 0.3),
        along(0, 0.5),
    )
}

fn place(sink: &MemorySink, row: usize, grain: usize) -> [f64; 3] {
    sink.snapshots[row].0[grain].position
}

fn run(text: &str) -> (MemorySink, Summary) {
    let found = driven(text);
    found.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// In the frame of a vessel that swings whole swings a free ball comes back to its own path, and is off it by the vessel's way meanwhile.
#[test]
fn a_free_ball_sees_the_vessel_swing() {
    for (dimension, gravity) in [(2, 0.0), (3, 0.0), (2, 9.81), (3, 9.81)] {
        let direction = if dimension == 2 {
            "[0.0, 1.0]"
        } else {
            "[0.0, 0.0, 1.0]"
        };
        let shake = format!(
            "[[perturb]]\ntime = 0.1\nshake = {{ direction = {direction}, amplitude = 0.02, frequency = 5.0, cycles = 2 }}"
        );
        let (sink, summary) = run(&alone(dimension, gravity, 0.8, &shake));
        for (row, (grains, _)) in sink.snapshots.iter().enumerate() {
            let (time, x) = (grains[0].time, place(&sink, row, 0));
            let lasted = (time - 0.1).clamp(0.0, 0.4);
            let off = 0.02 * (1.0 - (std::f64::consts::TAU * 5.0 * lasted).cos());
            let wanted = -0.5 * gravity * time * time - off;
            // Each piece is off by a millionth of the radius at most, and there are hundreds.
            assert!(
                (x[dimension - 1] - wanted).abs() < 1e-5,
                "{time}: {x:?}, {wanted}"
            );
            assert!((x[0] - 0.3 - 0.5 * time).abs() < 1e-12);
        }
        let energy = &summary.energy;
        assert!(energy.balance_error_max < 1e-4, "{energy:?}");
        // From rest to rest nothing is left of what the swing gave, but for its way through gravity.
        assert!(energy.injected.abs() < 1e-5 * energy.kinetic, "{energy:?}");
    }
}

/// Under a gravity that turns at a rate w the path is known: v = g/w (cos wt - 1, -sin wt).
#[test]
fn a_free_ball_falls_where_gravity_turns_to() {
    let (g, w, from) = (9.81, 2.0, 0.1);
    for dimension in [2, 3] {
        let angle = if dimension == 2 {
            "0.8"
        } else {
            "[0.0, -0.8, 0.0]"
        };
        let tilt =
            format!("[[perturb]]\ntime = {from}\ntilt = {{ angle = {angle}, duration = 0.4 }}");
        let (sink, summary) = run(&alone(dimension, g, 0.5, &tilt));
        let last = sink.snapshots.len() - 1;
        let (x, t) = (place(&sink, last, 0), 0.4);
        // Gravity (g sin wt, -g cos wt).
        let along = 0.3 + 0.5 * 0.5 + g / w * t - g / (w * w) * (w * t).sin();
        let fallen = 0.5 * g * from * from + g * from * t + g / (w * w) * (1.0 - (w * t).cos());
        assert!((x[0] - along).abs() < 1e-5, "{x:?} {along}");
        assert!((x[dimension - 1] + fallen).abs() < 1e-5, "{x:?} {fallen}");
        assert!(
            summary.energy.balance_error_max < 1e-4,
            "{:?}",
            summary.energy
        );
    }
}

/// A tap gives a velocity at its time, and its energy; a grain that is taken away takes its own with it.
#[test]
fn taps_and_removals() {
    for dimension in [2, 3] {
        let (velocity, near) = match dimension {
            2 => ("[0.0, 0.2]", "[0.4, 0.0]"),
            _ => ("[0.0, 0.0, 0.2]", "[0.4, 0.0, 0.0]"),
        };
        let more = format!(
            "[[perturb]]\ntime = 0.1\ntap = {{ velocity = {velocity} }}\n[[perturb]]\ntime = 0.32\nremove = {{ near = {near} }}"
        );
        let (sink, summary) = run(&alone(dimension, 0.0, 0.5, &more));
        let x = place(&sink, 6, 0);
        assert!(
            (x[0] - 0.45).abs() < 1e-12 && (x[dimension - 1] - 0.04).abs() < 1e-12,
            "{x:?}"
        );
        assert!(sink.snapshots[7].0.is_empty());
        let mass = sink.snapshots[0].0[0].mass;
        let energy = &summary.energy;
        assert!((energy.injected - 0.5 * mass * 0.04).abs() < 1e-12 * mass);
        assert!((energy.removed - 0.5 * mass * 0.29).abs() < 1e-12 * mass);
        assert_eq!(summary.grains.removed, 1);
        assert!(energy.balance_error_max < 1e-12, "{energy:?}");
        let kinds: Vec<&str> = sink.events.iter().map(|row| row.kind.name()).collect();
        assert_eq!(kinds, ["perturb", "perturb", "delete-bodies", "finish"]);
        assert_eq!(sink.events[2].cause, sink.events[1].seq);
    }
}

/// Rain from a feed to an outlet, and the same stepped: who falls freely falls the same way, and leaves at the same look.
fn rain(dimension: usize, model: &str) -> String {
    let at = |x: f64, y: f64| match dimension {
        2 => format!("[{x:?}, {y:?}]"),
        _ => format!("[{x:?}, {x:?}, {y:?}]"),
    };
    let up = at(0.0, 1.0);
    format!(
        r#"
name = "rain"
dimension = {dimension}
[run]
end_time = 1.5
outlet_interval = 0.004
{model}
[field]
gravity = {}
[log]
series = 0.1
[material.ball]
density = 2500.0
[[law]]
between = ["ball", "ball"]
linear = {{ normal_stiffness = 1e6, tangential_stiffness = 0.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0, per_mass = true }}
[[feed]]
material = "ball"
radius = {{ min = 0.004, max = 0.006 }}
min = {}
max = {}
every = 0.02
count = 40
[[outlet]]
plane = {{ point = {}, normal = {up} }}
"#,
        at(0.0, -9.81),
        at(0.0, 0.9),
        at(1.0, 1.0),
        at(0.0, 0.0),
    )
}

#[test]
fn rain_leaves_as_in_steps() {
    for dimension in [2, 3] {
        let (_, events) = run(&rain(dimension, "[events]\nrestitution = 1.0\n"));
        let (_, stepped) = run(&rain(dimension, ""));
        let [one, other] = [&events, &stepped].map(|summary| summary.discharge.unwrap());
        assert_eq!(one.count, 40);
        assert_eq!(one, other);
        assert_eq!(events.grains, stepped.grains);
        assert_eq!(events.feeds, stepped.feeds);
        let energy = &events.energy;
        assert!(energy.balance_error_max < 1e-12, "{energy:?}");
        let off = (energy.removed / stepped.energy.removed - 1.0).abs();
        assert!(off < 1e-3, "{off}");
    }
}

/// A crowd that is fed into a box and leaves through a hole: no overlap ever, all are counted, energy is.
#[test]
fn a_box_that_is_fed_and_drained() {
    for (dimension, count) in [(2, 300), (3, 600)] {
        let all = |x: f64| format!("{:?}", vec![x; dimension]);
        let text = format!(
            r#"
name = "drained"
dimension = {dimension}
[run]
end_time = 6.0
stop_when_empty = true
outlet_interval = 0.01
[events]
restitution = 0.98
[log]
series = 0.5
snapshots = 0.5
[material.ball]
density = 2500.0
[[boundary]]
name = "box"
material = "ball"
box = {{ min = {}, max = {}, grains = "inside" }}
[[feed]]
material = "ball"
radius = {{ min = 0.002, max = 0.005 }}
min = {}
max = {}
velocity = {}
every = 0.005
count = {count}
[[outlet]]
inside = {{ min = {}, max = {} }}
"#,
            all(0.0),
            all(0.2),
            all(0.02),
            all(0.1),
            all(0.4),
            all(0.15),
            all(0.19),
        );
        let (sink, summary) = run(&text);
        assert_eq!(summary.grains.created, count);
        assert!(summary.grains.removed > count / 4, "{:?}", summary.grains);
        assert_eq!(
            summary.grains.created - summary.grains.removed,
            summary.grains.last
        );
        assert!(
            summary.energy.balance_error_max < 1e-11,
            "{:?}",
            summary.energy
        );
        assert!(summary.work.collisions > 3_000, "{:?}", summary.work);
        for (grains, _) in &sink.snapshots {
            for (k, a) in grains.iter().enumerate() {
                assert!(
                    a.position[..dimension]
                        .iter()
                        .all(|x| (a.radius - 1e-9..=0.2 - a.radius + 1e-9).contains(x))
                );
                for b in &grains[..k] {
                    let apart: f64 = (0..3)
                        .map(|k| (a.position[k] - b.position[k]).powi(2))
                        .sum();
                    assert!(
                        apart.sqrt() > (a.radius + b.radius) * (1.0 - 1e-9),
                        "{a:?} {b:?}"
                    );
                }
            }
        }
    }
}

/// What a map of walls tells adds up to what all collisions with it did.
#[test]
fn maps_of_walls_add_up() {
    let text = r#"
name = "worn"
dimension = 3
[run]
end_time = 1.0
[events]
restitution = 0.9
[[events.rule]]
between = ["ball", "ball"]
restitution = 0.9
friction = 0.3
[[events.rule]]
between = ["ball", "wall"]
restitution = 0.9
friction = 0.3
[field]
gravity = [0.0, 0.0, -9.81]
[log]
series = 0.5
wear = 0.05
[material.ball]
density = 2500.0
[material.wall]
[[boundary]]
name = "box"
material = "wall"
box = { min = [0.0, 0.0, 0.0], max = [0.2, 0.2, 0.2], grains = "inside" }
motion = { harmonic = { amplitude = [0.0, 0.0, 0.002], frequency = 20.0 } }
[[fill]]
material = "ball"
lattice = { count = 100, radius = 0.004, min = [0.0, 0.0, 0.0], max = [0.2, 0.2, 0.2], jitter = 0.9, speed = 0.5 }
"#;
    let (sink, summary) = run(text);
    let impacts = summary.impacts.unwrap();
    let sum = |of: fn(&arenite::record::WearRow) -> f64| sink.wear.iter().map(of).sum::<f64>();
    assert_eq!(
        sink.wear.iter().map(|row| row.impacts).sum::<u64>(),
        impacts.wall.count
    );
    let (friction, energy) = (sum(|row| row.friction), sum(|row| row.impact_energy));
    // All that is lost at walls: across, and along the normal a share of what came in.
    let lost = friction + (1.0 - 0.81) * energy;
    assert!(
        (lost / impacts.wall.lost - 1.0).abs() < 1e-9,
        "{lost} {impacts:?}"
    );
    // Where all slide, work is friction times pressed way; who grips slides on a shorter way.
    let pressed = sum(|row| row.archard_work);
    assert!(
        pressed > friction / 0.3 * (1.0 - 1e-9),
        "{pressed} {friction}"
    );
    for row in &sink.wear {
        let surface = row
            .position
            .iter()
            .filter(|x| !(0.05..=0.15).contains(*x))
            .count();
        assert!(surface > 0, "{row:?}");
    }
}
