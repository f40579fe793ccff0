//! Controls: valves that close by what a meter counts.

use arenite::event::EventKind;
use arenite::geometry::{Dimension, Vector};
use arenite::record::MemorySink;
use arenite::system::{Setup, System};
use arenite::walls::{Motion, MotionPiece};

use crate::support;

/// A vessel with a slit in its floor, the side of which slides to when the meter below has counted enough.
fn dosing(dimension: usize, count: u64, more: &str) -> String {
    let v = |x: f64, y: f64, up: f64| match dimension {
        2 => format!("[{x}, {up}]"),
        _ => format!("[{x}, {y}, {up}]"),
    };
    let wall = |name: &str, shape: String| {
        format!("[[boundary]]\nname = \"{name}\"\nmaterial = \"bead\"\n{shape}\n")
    };
    let plane =
        |point: String, normal: String| format!("plane = {{ point = {point}, normal = {normal} }}");
    let floor = |from: f64, to: f64| match dimension {
        2 => format!("segment = {{ from = [{from}, 0.0], to = [{to}, 0.0] }}"),
        _ => format!(
            "box = {{ min = [{from}, -0.01, -0.0001], max = [{to}, 0.03, 0.0], grains = \"outside\" }}"
        ),
    };
    let mut walls = vec![
        wall("left", plane(v(-0.03, 0.0, 0.0), v(1.0, 0.0, 0.0))),
        wall("right", plane(v(0.03, 0.0, 0.0), v(-1.0, 0.0, 0.0))),
        wall("ledge", floor(-0.03, -0.01)),
        wall("slide", floor(0.01, 0.05)),
    ];
    if dimension == 3 {
        walls.push(wall("front", plane(v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0))));
        walls.push(wall("back", plane(v(0.0, 0.02, 0.0), v(0.0, -1.0, 0.0))));
    }
    let [stiffness, across, damping] = match dimension {
        2 => [1e5, 5e4, 5.0],
        _ => [1e3, 5e2, 0.05],
    };
    format!(
        r#"
name = "dosing"
dimension = {dimension}
[field]
gravity = {gravity}
[run]
end_time = 0.6
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
{walls}[[outlet]]
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
        gravity = v(0.0, 0.0, -9.81),
        walls = walls.concat(),
        low = v(0.0, 0.0, -0.2),
        upward = v(0.0, 0.0, 1.0),
        half = v(0.0, 0.0, -0.02),
        down = v(0.0, 0.0, -1.0),
        min = v(-0.03, 0.0, 0.0),
        max = v(0.03, 0.02, 0.3),
        way = v(-0.02, 0.0, 0.0),
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
    twin.sources.controls.clear();
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
            .dem()
            .world
            .walls
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
        (twin.run.end_time, own.run.end_time) = (at + 0.01, at + 0.01);
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
    open.sources.controls.clear();
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
end_time = 1.0
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
    for more in ["[morph]\nrigid = false\n", "[morph]\n"] {
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

/// Once feeds have given all, by mass or shut, what rests above an outlet that nobody reaches is a jam; before, it is none.
#[test]
fn a_jam_is_found_when_feeds_have_given_all() {
    let outlet = "[[outlet]]\nplane = { point = [0.0, -0.1], normal = [0.0, 1.0] }\n";
    let jams = |text: &str| {
        let (system, _) = support::run(&support::written_planar(&format!("{text}{outlet}")));
        let summary = system.summary();
        let given = summary.feeds[0].given.count;
        (given, summary.jams.len(), summary.time.simulated)
    };
    let shut = filling("").replace("end_time = 1.0", "end_time = 3.0");
    let (given, found, _) = jams(&shut);
    assert_eq!((given < 60, found), (true, 1));
    // 20 disks of 28 g each.
    let valve = shut.find("[[control]]").unwrap();
    let by_mass = shut[..valve].replace("count = 60", "mass = 0.56");
    let (given, found, _) = jams(&by_mass);
    assert_eq!((given, found), (20, 1));
    // One that gives on is waited for.
    let slow = by_mass.replace("every = 0.01", "every = 0.2");
    let (given, found, _) = jams(&slow);
    assert!((15..=16).contains(&given) && found == 0, "{given} {found}");
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

/// A run that came to its finish and is let go on ends as one that was to go so far at once: rows, meters, the valve, outlets.
#[test]
fn a_run_that_is_extended_has_all_its_sources() {
    let setup = support::written_planar(&dosing(2, 15, ""));
    let (straight, whole) = support::run(&setup);
    let [at] = closed(&whole)[..] else {
        panic!("it closes once")
    };
    // Before the valve closes, while it does, and after.
    for first in [0.5 * at, at + 0.011, at + 0.1] {
        let mut short = setup.clone();
        short.run.end_time = first;
        let (mut system, mut sink) = support::run(&short);
        let so_far = sink.series.len();
        system.extend(setup.run.end_time);
        support::finish(&mut system, &mut sink);
        assert_eq!(system.state_hash(), straight.state_hash(), "from {first} s");
        assert_eq!(closed(&sink), [at], "from {first} s");
        let [own, other] = [&system, &straight].map(|system| system.summary());
        assert_eq!(own.meters, other.meters, "from {first} s");
        assert_eq!(own.discharge, other.discharge, "from {first} s");
        // One row is of the first finish.
        let rows: Vec<f64> = sink.series[so_far..].iter().map(|row| row.time).collect();
        let wanted = whole.series.iter().map(|row| row.time);
        let wanted: Vec<f64> = wanted.filter(|time| *time > first).collect();
        assert_eq!(rows, wanted, "from {first} s");
    }
}
