//! Vessels whose walls all turn together, computed in their own frame: what is told is that of the laboratory. References: free flight;
//! the same run computed in the laboratory; the work of a wall as its moment times its rate; statics.

use std::f64::consts::PI;

use arenite::control::Command;
use arenite::geometry::Dimension;
use arenite::record::{GrainRow, MemorySink, SeriesRow, Summary};
use arenite::system::frame_of;

use crate::support::{close, driven, driver, written_planar, written_spatial};

/// A drum with teeth about (0.1, 0.05), without its fills.
fn flat(rate: f64, end: f64, more: &str) -> String {
    let corners: Vec<String> = (0..48)
        .map(|k| {
            let (angle, radius) = (2.0 * PI * f64::from(k) / 48.0, [0.16, 0.15][k as usize % 2]);
            format!(
                "[{:.6}, {:.6}]",
                0.1 + radius * angle.cos(),
                0.05 + radius * angle.sin()
            )
        })
        .collect();
    let wall = format!(
        "motion = {{ rotation = {{ centre = [0.1, 0.05], spin = {rate} }} }}\npolyline = {{ closed = true, points = [{}] }}",
        corners.join(", ")
    );
    disks(end, &wall, more)
}

/// Disks in a drum with such a wall.
fn disks(end: f64, wall: &str, more: &str) -> String {
    format!(
        r#"
name = "drum"
dimension = 2
[field]
gravity = [0.0, -9.8]
[run]
end_time = {end}
[log]
series = 0.02
snapshots = 0.1
[[boundary]]
name = "drum"
material = "thesis-wall"
{wall}
{more}"#
    )
}

/// A tube with lids, about an axis along y through (0, 0, 0.1), without its fills.
fn round(rate: f64, end: f64, more: &str) -> String {
    let motion = format!(
        "motion = {{ rotation = {{ centre = [0.0, 0.2, 0.1], spin = [0.0, {rate}, 0.0] }} }}"
    );
    format!(
        r#"
name = "drum"
dimension = 3
[field]
gravity = [0.0, 0.0, -9.8]
[run]
end_time = {end}
[log]
series = 0.02
snapshots = 0.1
[material.bead]
density = 2500.0
[material.shell]
[[law]]
between = ["bead", "bead"]
linear = {{ normal_stiffness = 1e5, tangential_stiffness = 3e4, normal_damping = 4.0, tangential_damping = 1.0, friction = 0.4 }}
[[law]]
between = ["bead", "shell"]
linear = {{ normal_stiffness = 1e5, tangential_stiffness = 3e4, normal_damping = 4.0, tangential_damping = 1.0, friction = 0.3 }}
[[boundary]]
name = "tube"
material = "shell"
vessel = {{ from = [0.0, 0.0, 0.1], to = [0.0, 0.1, 0.1], radius = 0.1 }}
{motion}
{more}"#
    )
}

/// One grain at a place with a velocity and a spin.
fn one(material: &str, place: &str, velocity: &str, spin: &str) -> String {
    format!(
        "[[fill]]\nmaterial = \"{material}\"\ngrains = [{{ position = {place}, radius = 0.01, velocity = {velocity}, spin = {spin} }}]\n"
    )
}

/// Fills the lower half of the flat drum and lets it settle.
const BED: &str = "[settle]\nat_most = 2.0\n[[fill]]\nmaterial = \"thesis-disk\"\n[fill.lattice]\ncount = 60\nradius = { min = 0.008, max = 0.010 }\nmin = [0.0, -0.05]\nmax = [0.2, 0.12]\njitter = 1.0\nspeed = 0.2\n";

/// The same with every grain stepped in the laboratory.
fn in_the_laboratory(text: &str) -> String {
    format!("{text}\n[morph]\nown_frame = false\nrigid = false\n")
}

fn told(text: &str) -> (MemorySink, Summary) {
    driven(text).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn a_slow_drum_is_computed_in_its_frame_and_a_fast_one_is_not() {
    assert!(frame_of(&written_planar(&flat(0.05, 1.0, BED))).is_some());
    assert!(frame_of(&written_planar(&flat(5.0, 1.0, BED))).is_none());
    let forbidden = format!("{}\n[morph]\nown_frame = false\n", flat(0.05, 1.0, BED));
    assert!(frame_of(&written_planar(&forbidden)).is_none());
    let ball = one(
        "bead",
        "[0.0, 0.05, 0.1]",
        "[0.0, 0.0, 0.0]",
        "[0.0, 0.0, 0.0]",
    );
    assert!(frame_of(&written_spatial(&round(0.05, 1.0, &ball))).is_some());
    // What stands, or turns about another axis, or the other way, is in the way; so is all that has a place in the laboratory.
    for more in [
        "[[boundary]]\nname = \"floor\"\nmaterial = \"thesis-wall\"\nplane = { point = [0.0, -0.2], normal = [0.0, 1.0] }\n",
        "[[boundary]]\nname = \"second\"\nmaterial = \"thesis-wall\"\nmotion = { rotation = { centre = [0.1, 0.06], spin = 0.05 } }\nsegment = { from = [0.0, 0.05], to = [0.05, 0.05] }\n",
        "[[boundary]]\nname = \"second\"\nmaterial = \"thesis-wall\"\nmotion = { rotation = { centre = [0.1, 0.05], spin = -0.05 } }\nsegment = { from = [0.0, 0.05], to = [0.05, 0.05] }\n",
        "[[outlet]]\nplane = { point = [0.0, -1.0], normal = [0.0, 1.0] }\n",
        "[[perturb]]\ntime = 0.5\ntap = { velocity = [0.0, 0.1] }\n",
    ] {
        let text = flat(0.05, 1.0, &format!("{more}{BED}"));
        assert!(frame_of(&written_planar(&text)).is_none(), "{more}");
    }
}

/// A grain that touches nothing flies as in the laboratory, whatever the frame does: centrifugal and Coriolis forces and the turning of
/// gravity cancel, and its spin and orientation are its own.
fn flies<D: Dimension>(text: &str, x: [f64; 3], v: [f64; 3], s: [f64; 3]) {
    let (sink, summary) = told(text);
    let up = D::N - 1;
    assert!(sink.snapshots.len() > 2);
    for (rows, _) in &sink.snapshots {
        let (row, t) = (&rows[0], rows[0].time);
        for k in 0..D::N {
            let g = if k == up { -9.8 } else { 0.0 };
            close(
                "place",
                row.position[k],
                x[k] + v[k] * t + 0.5 * g * t * t,
                1e-7,
            );
            close("velocity", row.velocity[k], v[k] + g * t, 5e-7);
        }
        for k in 0..D::SPINS {
            close("spin", row.spin[k], s[k], 1e-6);
        }
        // No contact, no force: the inertial ones are no forces of contacts.
        for k in 0..3 {
            close("force", row.force[k], 0.0, 1e-6);
            close("moment", row.moment[k], 0.0, 1e-9);
        }
        if D::N == 2 {
            close("angle", row.rotation[0], s[0] * t, 1e-7);
        } else {
            // Constant spin about one axis: half the angle. In the frame the axis turns, and turns are added up as vectors until lists
            // are made anew.
            let angle = s.iter().map(|w| w * w).sum::<f64>().sqrt() * t;
            close(
                "orientation",
                row.rotation[3].abs(),
                (0.5 * angle).cos().abs(),
                2e-6,
            );
            for k in 0..3 {
                let axis = s[k] * t / angle.max(1e-300);
                close("axis", row.rotation[k], axis * (0.5 * angle).sin(), 2e-6);
            }
        }
    }
    // No wall has done anything.
    let last = sink.series.last().expect("a row");
    close("injected", last.injected, 0.0, 1e-9);
    assert_eq!(last.walls[0], [0.0; 7]);
    let energy = &summary.energy;
    let whole = |row: &SeriesRow| row.kinetic + row.potential;
    let first = whole(&sink.series[0]);
    close("energy", energy.kinetic + energy.potential, first, 1e-9);
}

#[test]
fn free_flight_is_that_of_the_laboratory() {
    let (x, v, s) = ([0.05, 0.0, 0.0], [0.1, 0.6, 0.0], [3.0, 0.0, 0.0]);
    // Rows lie on the grid of steps. The first half step, 5e-6 s, is without Coriolis force: 3e-7 m/s, 7e-7 rad/s.
    let even = |text: String| text.replace("[run]", "[run]\nstep = 1e-5");
    let text = even(flat(
        0.05,
        0.2,
        &one("thesis-disk", "[0.05, 0.0]", "[0.1, 0.6]", "3.0"),
    ));
    assert!(frame_of(&written_planar(&text)).is_some());
    flies::<arenite::geometry::Planar>(&text, x, v, s);
    let (x, v, s) = ([0.02, 0.05, 0.1], [-0.2, 0.1, 0.9], [2.0, 1.0, -3.0]);
    let ball = one(
        "bead",
        "[0.02, 0.05, 0.1]",
        "[-0.2, 0.1, 0.9]",
        "[2.0, 1.0, -3.0]",
    );
    let text = even(round(0.05, 0.2, &ball));
    assert!(frame_of(&written_spatial(&text)).is_some());
    flies::<arenite::geometry::Spatial>(&text, x, v, s);
}

/// The work of the wall, its moment times its rate, is what is injected, and the balance closes, while a bed is carried up and slides.
#[test]
fn the_wall_gives_what_the_bed_gains_and_loses() {
    let (sink, summary) = told(&flat(0.05, 6.0, BED));
    let rests = summary.regimes.rest + summary.regimes.rigid;
    assert!(rests > 0.3, "{rests} of the grain time at rest");
    let total = |row: &SeriesRow| {
        row.kinetic + row.potential + row.elastic + row.dissipated.iter().sum::<f64>()
    };
    let first = &sink.series[0];
    let mass: f64 = sink.snapshots[0].0.iter().map(|row| row.mass).sum();
    let flowed = 9.8 * mass * 0.01;
    for row in &sink.series {
        close(
            "balance",
            total(row) - row.injected,
            total(first),
            1e-4 * flowed,
        );
        // A bed at rest follows gravity from solve to solve, and stops take momentum that the wall then does not.
        close("work", row.walls[0][6], row.injected, 0.02 * flowed);
    }
    let last = sink.series.last().expect("a row");
    assert!(last.injected > 0.2 * flowed, "{} J", last.injected);
    // It bears the weight, and holds the bed up.
    let rows: Vec<&SeriesRow> = sink.series.iter().filter(|row| row.time > 1.0).collect();
    let mean = |k: usize| rows.iter().map(|row| row.walls[0][k]).sum::<f64>() / rows.len() as f64;
    close("across", mean(0) / (9.8 * mass), 0.0, 0.01);
    close("down", mean(1) / (9.8 * mass), -1.0, 0.01);
    let snapshots: Vec<&Vec<GrainRow>> = sink.snapshots.iter().map(|(rows, _)| rows).collect();
    let later = snapshots.iter().filter(|rows| rows[0].time > 1.0);
    let arms = later.map(|rows| {
        rows.iter()
            .map(|row| row.mass * row.position[0])
            .sum::<f64>()
            / mass
    });
    let arms: Vec<f64> = arms.collect();
    // About the reference point of the wall, its first corner.
    let arm = arms.iter().sum::<f64>() / arms.len() as f64;
    let reference = written_planar(&flat(0.05, 6.0, BED)).boundaries[0]
        .shape
        .reference_point()
        .x;
    close("moment", mean(5) / (9.8 * mass), reference - arm, 2e-3);
}

/// A bed that is carried without sliding turns with the drum: each disk keeps its place in it.
#[test]
fn a_bed_at_rest_is_carried_round() {
    let (sink, _) = told(&flat(0.05, 2.0, BED));
    let at = |time: f64| {
        let mut all = sink.snapshots.iter();
        &all.find(|(rows, _)| (rows[0].time - time).abs() < 1e-6)
            .expect("a snapshot")
            .0
    };
    let (before, after) = (at(0.5), at(1.9));
    let (sine, cosine) = (0.05f64 * 1.4).sin_cos();
    let mut carried = 0;
    for (a, b) in before.iter().zip(after) {
        let (x, y) = (a.position[0] - 0.1, a.position[1] - 0.05);
        let (u, v) = (cosine * x - sine * y, sine * x + cosine * y);
        let off = (b.position[0] - 0.1 - u).hypot(b.position[1] - 0.05 - v);
        carried += usize::from(off < 1e-3);
        if b.regime == arenite::event::Regime::Rest {
            close("spin", b.spin[0], 0.05, 1e-12);
            close(
                "speed",
                b.velocity[0],
                -0.05 * (b.position[1] - 0.05),
                1e-12,
            );
            close("speed", b.velocity[1], 0.05 * (b.position[0] - 0.1), 1e-12);
        }
    }
    assert!(carried > 45, "{carried} of 60 disks");
}

/// One disk in the drum rocks and rolls as one that is computed in the laboratory.
#[test]
fn one_disk_goes_as_in_the_laboratory() {
    let wall = "motion = { rotation = { centre = [0.0, 0.0], spin = 0.05 } }\ncircle = { centre = [0.0, 0.0], radius = 0.15, grains = \"inside\" }";
    let disk = one("thesis-disk", "[0.1, -0.05]", "[0.0, 0.0]", "0.0");
    let text = disks(1.5, wall, &disk).replace("[run]", "[run]\nstep = 1e-5");
    let (own, _) = told(&text);
    assert!(frame_of(&written_planar(&text)).is_some());
    let (lab, _) = told(&in_the_laboratory(&text));
    assert_eq!(own.snapshots.len(), lab.snapshots.len());
    for ((a, links), (b, others)) in own.snapshots.iter().zip(&lab.snapshots) {
        for k in 0..2 {
            close("place", a[0].position[k], b[0].position[k], 2e-5);
            close("velocity", a[0].velocity[k], b[0].velocity[k], 5e-4);
        }
        close("spin", a[0].spin[0], b[0].spin[0], 5e-2);
        assert_eq!(links.len(), others.len());
        for (a, b) in links.iter().zip(others) {
            close("point", a.point[0], b.point[0], 2e-5);
            close("normal", a.normal[1], b.normal[1], 2e-4);
        }
    }
    for (a, b) in own.series.iter().zip(&lab.series) {
        close("kinetic", a.kinetic, b.kinetic, 1e-4);
        close("potential", a.potential, b.potential, 1e-4);
        close("injected", a.injected, b.injected, 1e-4);
        for k in 0..6 {
            close("load", a.walls[0][k], b.walls[0][k], 0.02);
        }
        close("work", a.walls[0][6], b.walls[0][6], 2e-5);
    }
}

/// A ball that spins, rubs on a lid that stands and rolls in the tube goes as one that is computed in the laboratory.
#[test]
fn one_ball_beside_a_standing_lid_goes_as_in_the_laboratory() {
    let lid = "[[boundary]]\nname = \"lid\"\nmaterial = \"shell\"\nplane = { point = [0.0, 0.02, 0.0], normal = [0.0, 1.0, 0.0] }\n";
    let ball = one(
        "bead",
        "[0.03, 0.031, 0.02]",
        "[0.3, -0.2, 0.1]",
        "[20.0, -5.0, 10.0]",
    );
    let text = round(0.05, 0.5, &format!("{lid}{ball}")).replace("[run]", "[run]\nstep = 1e-5");
    assert!(frame_of(&written_spatial(&text)).is_some());
    let (own, _) = told(&text);
    let (lab, _) = told(&in_the_laboratory(&text));
    assert_eq!(own.snapshots.len(), lab.snapshots.len());
    let mut touched = [0; 2];
    for ((a, links), (b, others)) in own.snapshots.iter().zip(&lab.snapshots) {
        for k in 0..3 {
            close("place", a[0].position[k], b[0].position[k], 2e-5);
            close("velocity", a[0].velocity[k], b[0].velocity[k], 1e-3);
            close("spin", a[0].spin[k], b[0].spin[k], 0.1);
        }
        let turned: f64 = (0..4).map(|k| a[0].rotation[k] * b[0].rotation[k]).sum();
        // Turns are added up as vectors until lists are made anew, in both.
        close("orientation", turned.abs(), 1.0, 2e-4);
        assert_eq!(links.len(), others.len());
    }
    for (a, b) in own.series.iter().zip(&lab.series) {
        for (wall, touched) in touched.iter_mut().enumerate() {
            for k in 0..6 {
                close("load", a.walls[wall][k], b.walls[wall][k], 0.05);
            }
            close("work", a.walls[wall][6], b.walls[wall][6], 2e-5);
            *touched += usize::from(b.walls[wall][1] != 0.0);
        }
        close("kinetic", a.kinetic, b.kinetic, 5e-5);
        close("injected", a.injected, b.injected, 5e-5);
    }
    assert!(touched.iter().all(|&count| count > 0), "{touched:?}");
}

/// A run that is stopped and goes on has the same bits, and how often it is told decides nothing of the books.
#[test]
fn what_is_told_depends_on_no_pause() {
    let text = flat(0.05, 3.0, BED);
    let (whole, summary) = told(&text);
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut control = arenite::system::Control::new(&never);
    let mut sink = MemorySink::default();
    let mut first = driver(&text, None).expect("a driver");
    first
        .run_until(0.77, &mut sink, &mut control)
        .expect("a pause");
    let (rows, _) = first.rows();
    let state = first.save().expect("a state");
    let mut second = driver(&text, Some(&state)).expect("a driver");
    assert_eq!(second.rows().0, rows);
    second.run(&mut sink, &mut control).expect("an end");
    assert_eq!(second.summary().state_hash, summary.state_hash);
    assert_eq!(sink.series, whole.series);
    assert_eq!(sink.snapshots, whole.snapshots);
    // Among them rows at the very times at which gravity is updated while nobody is stepped.
    let every = written_planar(&text)
        .models
        .morph
        .expect("rest")
        .carry_every;
    let last = |sink: &MemorySink| sink.series.last().map(|row| row.injected);
    for series in [0.005, 0.1, every, 2.0 * every] {
        let (often, other) = told(&text.replace("series = 0.02", &format!("series = {series}")));
        assert_eq!(
            other.state_hash, summary.state_hash,
            "a row each {series} s"
        );
        assert_eq!(last(&often), last(&whole), "a row each {series} s");
    }
}

/// What no model of a frame that turns takes is computed in the laboratory, as before there was one.
#[test]
fn what_takes_no_frame_is_computed_in_the_laboratory() {
    let disk = one("thesis-disk", "[0.1, -0.05]", "[0.0, 0.0]", "0.0");
    for more in ["integrator = \"heun\"", "collisions = true"] {
        let text = flat(0.05, 0.05, &disk).replace("[run]", &format!("[run]\n{more}"));
        assert!(frame_of(&written_planar(&text)).is_none(), "{more}");
        assert_eq!(told(&text).0.snapshots.len(), 1, "{more}");
    }
}

#[test]
fn events_have_places_in_the_laboratory() {
    let text = flat(0.05, 3.0, BED).replace("[log]", "[log]\nevents = \"links\"");
    let (sink, _) = told(&text);
    // Each link begins between two grains that touch there, as the snapshots nearest in time have them.
    let mut looked = 0;
    for event in sink.events.iter().filter(|event| event.link > 0) {
        let arenite::record::BodyRef::Grain(id) = event.body_a else {
            continue;
        };
        let near = sink
            .snapshots
            .iter()
            .find(|(rows, _)| rows[0].time >= event.time);
        let Some((rows, _)) = near else { continue };
        let row = &rows[id as usize];
        let off = (row.position[0] - event.position[0]).hypot(row.position[1] - event.position[1]);
        assert!(off < 0.05, "{event:?} is {off} m from {row:?}");
        looked += 1;
    }
    assert!(looked > 20, "{looked} events");
}

/// Commands are given in the laboratory; those that have no way in the frame are refused by name.
#[test]
fn commands_are_those_of_the_laboratory() {
    let text = flat(0.05, 3.0, BED);
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut control = arenite::system::Control::new(&never);
    let mut sink = MemorySink::default();
    let mut run = driver(&text, None).expect("a driver");
    run.run_until(2.0, &mut sink, &mut control)
        .expect("a pause");
    let tilt = Command::Tilt {
        turn: [0.0, 0.0, 0.1],
        duration: 1.0,
    };
    let refused = run
        .command(&tilt, &mut sink)
        .expect_err("no way")
        .to_string();
    assert!(refused.contains("morph.own_frame"), "{refused}");
    let momentum = |run: &mut Box<dyn arenite::system::Driver>| -> [f64; 2] {
        let (rows, _) = run.rows();
        [0, 1].map(|k| rows.iter().map(|row| row.mass * row.velocity[k]).sum())
    };
    let (before, mass) = (
        momentum(&mut run),
        run.rows().0.iter().map(|row| row.mass).sum::<f64>(),
    );
    let tap = Command::Tap {
        velocity: [0.3, 0.1, 0.0],
        region: None,
    };
    run.command(&tap, &mut sink).expect("a tap");
    let after = momentum(&mut run);
    for (k, wanted) in [0.3, 0.1].into_iter().enumerate() {
        close("velocity", (after[k] - before[k]) / mass, wanted, 1e-9);
    }
    run.run(&mut sink, &mut control).expect("an end");
    assert!(run.summary().energy.balance_error < 1e-3);
}
