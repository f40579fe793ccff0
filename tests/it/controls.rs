//! Controls: valves that close by what a meter counts.

use arenite::event::EventKind;
use arenite::geometry::{Dimension, Vector};
use arenite::record::MemorySink;
use arenite::system::{Setup, System};
use arenite::walls::{Motion, MotionPiece};

use crate::support;

/// A vessel with a slit in its floor, the side of which slides to when the meter below has counted enough.
fn dosing(dimension: usize, count: u64, more: &str) -> String {
    let v = |x: f64, up: f64| match dimension {
        2 => format!("[{x}, {up}]"),
        _ => format!("[{x}, 0.01, {up}]"),
    };
    let wall = |name: &str, x: f64, across: f64| {
        let normal = match dimension {
            2 => format!("[{across}, 0.0]"),
            _ => format!("[{across}, 0.0, 0.0]"),
        };
        let point = v(x, 0.0);
        format!(
            "[[boundary]]\nname = \"{name}\"\nmaterial = \"bead\"\nplane = {{ point = {point}, normal = {normal} }}\n"
        )
    };
    let floor = |name: &str, from: f64, to: f64| {
        let shape = match dimension {
            2 => format!("segment = {{ from = [{from}, 0.0], to = [{to}, 0.0] }}"),
            _ => format!(
                "box = {{ min = [{from}, -0.01, -0.0001], max = [{to}, 0.03, 0.0], grains = \"outside\" }}"
            ),
        };
        format!("[[boundary]]\nname = \"{name}\"\nmaterial = \"bead\"\n{shape}\n")
    };
    let sides = match dimension {
        2 => String::new(),
        _ => ["front", "back"]
            .into_iter()
            .zip([(0.0, 1.0), (0.02, -1.0)])
            .map(|(name, (y, across))| format!(
                "[[boundary]]\nname = \"{name}\"\nmaterial = \"bead\"\nplane = {{ point = [0.0, {y}, 0.0], normal = [0.0, {across}, 0.0] }}\n"
            ))
            .collect(),
    };
    format!(
        r#"
name = "dosing"
dimension = {dimension}
[field]
gravity = {gravity}
[run]
finish = 0.6
{more}
[log]
series = 0.01
events = "links"
checkpoint = 0.05
[material.bead]
density = 1000.0
[[law]]
between = ["bead", "bead"]
linear = {{ normal_stiffness = {stiffness}, tangential_stiffness = {across}, normal_damping = {damping}, tangential_damping = 0, friction = 0.4 }}
{left}{right}{sides}{ledge}{slide}
[[outlet]]
plane = {{ point = {low}, normal = {upward} }}
[[meter]]
name = "under"
plane = {{ point = {half}, normal = {down} }}
every = 0.002
[[fill]]
material = "bead"
lattice = {{ count = 60, radius = 0.003, min = {min}, max = {max}, jitter = 0.5, speed = 0.05 }}
[[control]]
valve = {{ meter = "under", count = {count}, boundary = "slide", way = {way}, lasts = 0.02 }}
"#,
        gravity = v(0.0, -9.81).replace("0.01", "0.0"),
        stiffness = if dimension == 2 { 1e5 } else { 1e3 },
        across = if dimension == 2 { 5e4 } else { 5e2 },
        damping = if dimension == 2 { 5.0 } else { 0.05 },
        left = wall("left", -0.03, 1.0),
        right = wall("right", 0.03, -1.0),
        ledge = floor("ledge", -0.03, -0.01),
        slide = floor("slide", 0.01, 0.05),
        low = v(0.0, -0.2),
        upward = v(0.0, 1.0).replace("0.01", "0.0"),
        half = v(0.0, -0.02),
        down = v(0.0, -1.0).replace("0.01", "0.0"),
        min = if dimension == 2 {
            "[-0.03, 0.0]".into()
        } else {
            "[-0.03, 0.0, 0.0]".to_owned()
        },
        max = if dimension == 2 {
            "[0.03, 0.3]".into()
        } else {
            "[0.03, 0.02, 0.3]".to_owned()
        },
        way = v(-0.02, 0.0).replace("0.01", "0.0"),
    )
}

/// When walls began to move, as the log of events tells it, s.
fn closed(sink: &MemorySink) -> Vec<f64> {
    let rows = sink.events.iter();
    let rows = rows.filter(|row| row.kind == EventKind::BoundaryUpdate);
    rows.map(|row| row.time).collect()
}

/// What a wall that slides by itself at a time, in place of the valve, makes of the same: the same motion, told in advance.
fn told_in_advance<D: Dimension>(setup: &Setup<D>, at: f64) -> Setup<D> {
    let mut twin = setup.clone();
    twin.controls.clear();
    for wall in &mut twin.boundaries {
        if let Motion::Slide(slide) = wall.motion {
            let piece = |from, velocity| MotionPiece {
                from,
                velocity,
                acceleration: D::Vector::default(),
            };
            wall.motion = Motion::Pieces(vec![
                piece(at, slide.velocity()),
                piece(at + slide.lasts, D::Vector::default()),
            ]);
        }
    }
    twin
}

/// No grain comes through a valve that is closed, and the bed above it stays; what is under way then is counted still.
#[test]
fn a_valve_closes_when_enough_have_passed() {
    fn see<D: arenite::cluster::integrate::Integrate>(setup: &Setup<D>) {
        let (system, sink) = support::run(setup);
        let times = closed(&sink);
        let [at] = times[..] else {
            panic!("closed at {times:?}")
        };
        let counts: Vec<(f64, i64)> = sink
            .series
            .iter()
            .map(|row| (row.time, row.meters[0].0))
            .collect();
        assert!(
            counts
                .iter()
                .filter(|(time, _)| *time < at)
                .all(|(_, count)| *count < 15)
        );
        // 2 cm of fall and the slide itself, and a moment more.
        let late = at + 0.02 + 0.1;
        let after: Vec<i64> = counts
            .iter()
            .filter(|(time, _)| *time > late)
            .map(|(_, count)| *count)
            .collect();
        let (first, last) = (after[0], after[after.len() - 1]);
        assert_eq!(first, last, "it leaks");
        assert!((15..45).contains(&last), "{last} passed");
        let summary = system.summary();
        // A falling bed: most that happens is steps, then links; looks of meters and of the valve are in the queue.
        let (events, kind) = (&summary.events, |name: &str| {
            summary.events.by_kind.get(name).copied().unwrap_or(0)
        });
        let of_links = [
            "insert-link",
            "remove-link",
            "slip-link",
            "grip-link",
            "stabilize-link",
        ];
        assert_eq!(events.links, of_links.into_iter().map(kind).sum::<u64>());
        let rows =
            kind("log-state") + kind("visualize") + kind("checkpoint") + kind("delete-bodies");
        assert!(
            events.queue > rows + 200 && events.steps > 1000,
            "{events:?}"
        );
        assert!(events.steps <= kind("predict-trajectory"));
        assert!(
            summary.energy.balance_error_max < 1e-3,
            "{}",
            summary.energy.balance_error_max
        );
        // The wall is where it was to go.
        let wall = system
            .engine()
            .boundaries
            .iter()
            .find(|wall| wall.boundary.name == "slide")
            .unwrap();
        let Motion::Slide(slide) = wall.boundary.motion else {
            panic!("it slides")
        };
        assert!((slide.at(system.time()).0 - slide.way).norm() == 0.0);
        // Nobody is left half in a wall.
        for grain in system.grains_at(system.time()) {
            let pose = wall.boundary.motion.pose(system.time());
            assert!(wall.distance(&pose, grain.position) > 0.9 * grain.radius);
        }
    }
    see(&support::written_planar(&dosing(2, 15, "")));
    see(&support::written_planar(&dosing(
        2,
        15,
        "collisions = true",
    )));
    see(&support::written_spatial(&dosing(3, 15, "")));
}

/// A wall whose motion is known in advance does the same, half of its way: all are stepped, so that rounding is the same until it begins.
#[test]
fn a_valve_moves_its_wall_as_a_motion_does() {
    fn see<D: arenite::cluster::integrate::Integrate>(setup: &Setup<D>) {
        let [at] = closed(&support::run(setup).1)[..] else {
            panic!("it closes once")
        };
        let mut twin = told_in_advance(setup, at);
        let mut own = setup.clone();
        (twin.finish, own.finish) = (at + 0.01, at + 0.01);
        let [twin, own] = [twin, own].map(|setup| support::end(&setup));
        assert_eq!(twin.len(), own.len());
        for (a, b) in twin.iter().zip(&own) {
            assert_eq!(a.id, b.id);
            let apart = (a.position - b.position).norm();
            assert!(apart < 1e-9, "{apart}");
        }
    }
    see(&support::written_planar(&dosing(2, 15, "flight = false")));
    see(&support::written_spatial(&dosing(3, 15, "flight = false")));
}

/// A valve that never closes changes no bit, and a run that goes on from any checkpoint, before, while and after the wall slides,
/// ends as one that was not interrupted.
#[test]
fn a_run_with_a_valve_goes_on_from_any_checkpoint() {
    let setup = support::written_planar(&dosing(2, 15, ""));
    let mut fine = setup.clone();
    fine.log.checkpoint = Some(0.007);
    let mut states = support::Checkpoints::default();
    let (_, sink) = support::run(&fine);
    let mut system = System::new(fine.clone()).unwrap();
    support::finish(&mut system, &mut states);
    let end = system.state_hash();
    let [at] = closed(&sink)[..] else {
        panic!("it closes once")
    };
    assert!(states.states.len() > 60);
    let mut during = 0;
    for state in &states.states {
        let mut resumed = System::restore(fine.clone(), state).unwrap();
        let time = resumed.time();
        during += usize::from(time > at && time < at + 0.02);
        support::finish(&mut resumed, &mut MemorySink::default());
        assert_eq!(resumed.state_hash(), end, "from {time} s");
    }
    assert!(during >= 2, "{during}");

    let idle = support::written_planar(&dosing(2, 1000, ""));
    let mut open = idle.clone();
    open.controls.clear();
    let [a, b] = [idle, open].map(|setup| support::run(&setup).0.state_hash());
    assert_eq!(a, b);
}

fn filling(more: &str) -> String {
    format!(
        r#"
name = "filling"
dimension = 2
[field]
gravity = [0.0, -9.81]
[run]
finish = 1.0
[log]
series = 0.05
checkpoint = "never"
{more}
[material.bead]
density = 1000.0
[[law]]
between = ["bead", "bead"]
linear = {{ normal_stiffness = 1e5, tangential_stiffness = 5e4, normal_damping = 5.0, tangential_damping = 0, friction = 0.4 }}
[[boundary]]
name = "box"
material = "bead"
polyline = {{ points = [[0.0, 0.5], [0.0, 0.0], [0.1, 0.0], [0.1, 0.5]] }}
[[meter]]
name = "in"
plane = {{ point = [0.0, 0.1], normal = [0.0, -1.0] }}
[[feed]]
material = "bead"
radius = 0.003
count = 60
every = 0.01
min = [0.01, 0.15]
max = [0.09, 0.2]
[[control]]
valve = {{ meter = "in", count = 20, feed = 0 }}
"#
    )
}

/// A feed that is shut gives no more, is not said to fall short, and the run is not held up by what it would have given; sleeping beds
/// too.
#[test]
fn a_valve_shuts_a_feed() {
    for more in ["", "[morph]"] {
        let (system, sink) = support::run(&support::written_planar(&filling(more)));
        let [at] = closed(&sink)[..] else {
            panic!("it closes once")
        };
        // 5 to 10 cm of fall take 0.1 to 0.14 s.
        assert!((0.29..0.36).contains(&at), "{at}");
        let summary = system.summary();
        assert_eq!(summary.warnings, Vec::<String>::new());
        let feed = &summary.feeds[0];
        let due = (at / 0.01).floor() as u64 + 1;
        assert_eq!(feed.given.count, due);
        assert_eq!(feed.asked.count, feed.given.count);
        assert_eq!(system.grain_count() as u64, due);
        assert_eq!(summary.meters[0].count as u64, due);
    }
}

/// What cannot be a valve is refused where it stands, with what is allowed.
#[test]
fn what_is_no_valve_is_refused() {
    let refused = |text: &str| support::driver(text, None).err().unwrap();
    let all = dosing(2, 15, "");
    for (from, to, told) in [
        (
            "meter = \"under\"",
            "meter = \"undr\"",
            "did you mean `under`?",
        ),
        (
            "boundary = \"slide\"",
            "boundary = \"slid\"",
            "did you mean `slide`?",
        ),
        ("count = 15", "count = 0", "from 1 to"),
        (", way = [-0.02, 0]", "", "needs `way`"),
        (", lasts = 0.02", "", "needs `lasts`"),
        ("lasts = 0.02", "lasts = 0", "greater than 0"),
        (
            "boundary = \"slide\", way = [-0.02, 0], lasts = 0.02",
            "feed = 0",
            "there is none",
        ),
        (
            "boundary = \"slide\"",
            "boundary = \"slide\", feed = 0",
            "exactly one",
        ),
        ("count = 15,", "count = 15, colour = 1,", "unknown"),
    ] {
        let text = all.replace(from, to);
        assert_ne!(text, all, "{from}");
        let said = refused(&text);
        assert!(said.contains(told), "{told}: {said}");
        assert!(said.contains("valve"), "{said}");
    }
    // Two valves on one wall.
    let valve = &all[all.find("[[control]]").unwrap()..];
    let said = refused(&format!("{all}{valve}"));
    assert!(said.contains("another valve"), "{said}");
}
