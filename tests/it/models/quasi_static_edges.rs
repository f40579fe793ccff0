//! Fillings by laws whose stiffness goes with the load, at their edges: links that open and close again, loads that turn over, pulls over gaps, nothing that
//! loads a grain, grains of all sizes.

use std::f64::consts::{PI, TAU};

use arenite::event::EventKind;
use arenite::record::{MemorySink, SeriesRow, Summary};

use crate::support::{close, driven};

const RADIUS: f64 = 0.01;
const GRAVITY: f64 = 9.81;
const HERTZ: &str = "hertz = { restitution = 0.5, friction = 0.5 }";
const LINEAR: &str = "linear = { normal_stiffness = 1e4, tangential_stiffness = 5e3, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.5 }";
const YIELDING: &str = "thornton_ning = { yield_pressure = 1e5, friction = 0.5 }";

fn weight(radius: f64) -> f64 {
    2500.0 * 4.0 / 3.0 * PI * radius.powi(3) * GRAVITY
}

/// A scene of one material in space: its law, what stands before the material, walls, and balls (place and radius).
fn scene(law: &str, before: &str, walls: &str, balls: &[([f64; 3], f64)]) -> String {
    let mut text = format!(
        "name = \"edges\"\ndimension = 3\n{before}\n[material.a]\ndensity = 2500.0\nyoung = 1e7\npoisson = 0.3\n\
         [[law]]\nbetween = [\"a\", \"a\"]\n{law}\n{walls}\n[[fill]]\nmaterial = \"a\"\n"
    );
    for (place, radius) in balls {
        text += &format!("[[fill.grains]]\nposition = {place:?}\nradius = {radius:?}\n");
    }
    text
}

/// `run.end_time`, gravity, and the section of the filling.
fn before(finish: f64, field: &str, filling: &str) -> String {
    format!(
        "[run]\nend_time = {finish:?}\n[field]\n{field}\n[log]\nseries = 0.1\nsnapshots = 0.1\nevents = \"links\"\n[quasi_static]\n{filling}"
    )
}

const DOWN: &str = "gravity = [0.0, 0.0, -9.81]";

fn plane(name: &str, z: f64, up: f64, more: &str) -> String {
    format!(
        "[[boundary]]\nname = \"{name}\"\nmaterial = \"a\"\nplane = {{ point = [0.0, 0.0, {z:?}], normal = [0.0, 0.0, {up:?}] }}\n{more}\n"
    )
}

fn run(text: &str) -> (MemorySink, Summary) {
    driven(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn row(sink: &MemorySink, time: f64) -> &SeriesRow {
    let near = |row: &&SeriesRow| (row.time - time).abs() < 1e-6;
    sink.series.iter().find(near).expect("a row")
}

/// Normal forces of the last snapshot, from below.
fn forces(sink: &MemorySink) -> Vec<f64> {
    let mut links = sink.snapshots.last().expect("a snapshot").1.clone();
    links.sort_by(|a, b| a.point[2].total_cmp(&b.point[2]));
    links.iter().map(|link| link.normal_force).collect()
}

/// Links that remember their load are links of motion from its beginning, and may be lost in it.
#[test]
fn links_with_memory_are_lost_in_motion() {
    let plastic = format!("{LINEAR}\nplastic = {{ unloading_stiffness = 3e4 }}");
    let balls = [
        ([0.0, 0.0, RADIUS], RADIUS),
        ([0.0, 0.0, 3.0 * RADIUS], RADIUS),
    ];
    for law in [plastic.as_str(), YIELDING, HERTZ] {
        let head = before(3.6, DOWN, "then = \"motion\"");
        let floor = plane("floor", 0.0, 1.0, "opens_at = 3.1");
        let (sink, summary) = run(&scene(law, &head, &floor, &balls));
        assert!(forces(&sink).is_empty(), "{law}");
        let count = |kind: EventKind| summary.events.by_kind[kind.name()];
        assert!(count(EventKind::RemoveLink) >= 1, "{law}");
        let fallen = 0.5 * GRAVITY * 0.5 * 0.5;
        let first = sink.snapshots.last().unwrap().0[0].position[2];
        close("fall", RADIUS - first, fallen, 0.01 * fallen);
    }
}

/// A lid presses a ball, goes up and comes back: what was open loads as for the first time, the floor by the dent that it has.
#[test]
fn what_opens_forgets_its_load() {
    let law = format!("{LINEAR}\nplastic = {{ unloading_stiffness = 4e4 }}");
    let motion = "motion = { table = [[1.0, 0, 0, 0.0], [2.0, 0, 0, -0.0002], [3.0, 0, 0, 0.0002], [4.0, 0, 0, -0.00012], [5.0, 0, 0, -0.00012]] }";
    let walls = plane("floor", 0.0, 1.0, "") + &plane("lid", 0.02, -1.0, motion);
    let text = scene(
        &law,
        &before(4.5, DOWN, ""),
        &walls,
        &[([0.0, 0.0, RADIUS], RADIUS)],
    );
    let (sink, _) = run(&text);
    let (loading, unloading, w) = (1e4, 4e4, weight(RADIUS));
    // Both were loaded for the first time: their overlaps are 0.2 mm in all.
    let pressed = 0.5 * (2e-4 - w / loading);
    let lid = |time: f64| row(&sink, time).walls[1][2];
    close(
        "first",
        lid(2.0),
        loading * pressed,
        0.05 * loading * pressed,
    );
    assert!(lid(3.0).abs() < 1e-9);
    let dent = (pressed + w / loading) * (1.0 - loading / unloading);
    let again = (1.2e-4 - dent - w / unloading) / (1.0 / loading + 1.0 / unloading);
    close("again", lid(4.4), again, 0.05 * again);
}

/// Gravity swings through zero between floor and lid: neither ever pulls, and both bear the load together.
#[test]
fn no_wall_pulls_where_loads_turn_over() {
    let walls = plane("floor", 0.0, 1.0, "") + &plane("lid", 0.02, -1.0, "");
    let field = "gravity = [0.0, 0.0, -2.0]\nalternating = { amplitude = [0.0, 0.0, -9.81], frequency = 0.1, phase = 1.5707963267948966 }";
    let mass = weight(RADIUS) / GRAVITY;
    for law in [YIELDING, HERTZ, LINEAR] {
        let text = scene(
            law,
            &before(7.0, field, ""),
            &walls,
            &[([0.0, 0.0, RADIUS], RADIUS)],
        );
        let (sink, _) = run(&text);
        let mut turned = false;
        for row in sink.series.iter().filter(|row| row.time > 1.05) {
            let [floor, lid] = [-row.walls[0][2], row.walls[1][2]];
            let tiny = 1e-6 * weight(RADIUS);
            assert!(
                floor > -tiny && lid > -tiny,
                "{law} {} {floor} {lid}",
                row.time
            );
            turned |= lid > 0.5 * weight(RADIUS);
        }
        assert!(turned, "{law}");
        let last = sink.series.last().unwrap();
        let load = mass * (2.0 + GRAVITY * (TAU * 0.1 * 7.0 + 0.5 * PI).sin());
        let borne = -last.walls[0][2] - last.walls[1][2];
        // Loads that change are taken anew now and then.
        close("load", borne, load, 0.05 * weight(RADIUS));
    }
}

/// Nothing loads two balls that stick: they lie as deep as their law has it without a force, and the book is closed.
#[test]
fn nothing_may_load_those_that_stick() {
    for pull in ["jkr = 0.05", "dmt = 0.05", "area = 1e5"] {
        let law = format!("{HERTZ}\ncohesion = {{ {pull} }}");
        let floor = plane("floor", 0.0, 1.0, "");
        let balls = [
            ([0.0, 0.0, RADIUS], RADIUS),
            ([0.0, 0.0, 3.0 * RADIUS], RADIUS),
        ];
        let head = before(2.5, "gravity = [0.0, 0.0, 0.0]", "");
        let (sink, summary) = run(&scene(&law, &head, &floor, &balls));
        for link in &sink.snapshots.last().unwrap().1 {
            assert!(
                link.overlap > 0.0 && link.normal_force.abs() < 1e-9,
                "{pull} {link:?}"
            );
        }
        assert!(
            summary.energy.balance_error < 1e-6,
            "{pull} {:?}",
            summary.energy
        );
        assert!(
            !summary
                .warnings
                .iter()
                .any(|text| text.contains("only nearly")),
            "{pull}"
        );
    }
}

/// Loads that are none at first, and none again as a grain comes: the column bears them when they are there.
#[test]
fn loads_may_begin_with_nothing() {
    let walls = plane("floor", 0.0, 1.0, "") + &plane("lid", 0.04, -1.0, "");
    let field = "gravity = [0.0, 0.0, 0.0]\nalternating = { amplitude = [0.0, 0.0, -9.81], frequency = 0.25, phase = 0.0 }";
    let balls = [
        ([0.0, 0.0, RADIUS], RADIUS),
        ([0.0, 0.0, 3.0 * RADIUS], RADIUS),
    ];
    let (sink, _) = run(&scene(HERTZ, &before(3.5, field, ""), &walls, &balls));
    let [floor, lid] = [0, 1].map(|wall| row(&sink, 3.0).walls[wall][2].abs());
    let size = floor.max(lid);
    close(
        "one bears both",
        size,
        2.0 * weight(RADIUS),
        0.02 * weight(RADIUS),
    );
    close(
        "the other nothing",
        floor.min(lid),
        0.0,
        0.02 * weight(RADIUS),
    );
}

/// A ball hangs from a ceiling by a pull over a gap (JKR), in equilibrium and in the motion after.
#[test]
fn a_pull_over_a_gap_lasts_in_motion() {
    for share in [0.5, 0.9, 0.95, 0.99] {
        let work = weight(RADIUS) / (share * 1.5 * PI * RADIUS);
        let law = format!("{HERTZ}\ncohesion = {{ jkr = {work:?} }}");
        let ceiling = plane("ceiling", 0.0, -1.0, "");
        let head = before(2.5, DOWN, "then = \"motion\"");
        let (sink, summary) = run(&scene(
            &law,
            &head,
            &ceiling,
            &[([0.0, 0.0, -RADIUS], RADIUS)],
        ));
        let w = weight(RADIUS);
        close("hangs", forces(&sink)[0], -w, 1e-6 * w);
        let grain = &sink.snapshots.last().unwrap().0[0];
        let speed = grain.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!(speed < 1e-6, "{share} {speed}");
        assert!(
            !summary.warnings.iter().any(|text| text.contains("lacked")),
            "{share}"
        );
    }
}

/// A ball that hangs from a ceiling stays there, whatever floor is near below.
#[test]
fn who_hangs_is_not_lowered() {
    let w = weight(RADIUS);
    let law = format!("{LINEAR}\ncohesion = {{ force = {:?} }}", 3.0 * w);
    for gap in [5e-4, 1.5e-3] {
        let walls = plane("ceiling", 0.0, -1.0, "") + &plane("floor", -2.0 * RADIUS - gap, 1.0, "");
        let (sink, _) = run(&scene(
            &law,
            &before(1.5, DOWN, ""),
            &walls,
            &[([0.0, 0.0, -RADIUS], RADIUS)],
        ));
        let forces = forces(&sink);
        assert_eq!(forces.len(), 1, "{gap}");
        close("hangs", forces[0], -w, 1e-9 * w);
    }
}

/// A small ball shares its weight among three sides by their law, also where a large one lies far from it.
#[test]
fn small_grains_follow_their_law_beside_large_ones() {
    let radius = 1e-3;
    let sides: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [0.8, 0.0, 0.6], [-0.6, 0.0, 0.8]];
    let mut walls = String::new();
    for (k, n) in sides.iter().enumerate() {
        let point = n.map(|x| -radius * x);
        walls += &format!(
            "[[boundary]]\nname = \"side-{k}\"\nmaterial = \"a\"\nplane = {{ point = {point:?}, normal = {n:?} }}\n"
        );
    }
    walls += "[[boundary]]\nname = \"cup\"\nmaterial = \"a\"\nbox = { min = [-1.0, -1.0, 9.0], max = [1.0, 1.0, 10.0], grains = \"outside\" }\n";
    let law = "hertz = { restitution = 0.5, friction = 0.0 }";
    let small = ([0.0; 3], radius);
    let of = |balls: &[([f64; 3], f64)]| {
        let (sink, _) = run(&scene(law, &before(2.5, DOWN, ""), &walls, balls));
        forces(&sink)[..3].to_vec()
    };
    let alone = of(&[small]);
    for large in [0.03, 0.1] {
        let beside = of(&[small, ([0.0, 0.0, 10.0 + large], large)]);
        for (got, want) in beside.iter().zip(&alone) {
            close("force", *got, *want, 1e-4 * weight(radius));
        }
    }
}

/// A pull in proportion to the area of contact beside Hertz's force, which falls before it rises: forces stay those of weights, and energies those of the fall.
#[test]
fn an_area_that_pulls_keeps_to_weights() {
    let law = format!("{HERTZ}\ncohesion = {{ area = 1e5 }}");
    let sides = [[1.0, 0.0, 1.0], [-0.5, 0.866, 1.0], [-0.5, -0.866, 1.0]];
    let walls: String = (0..3)
        .map(|k| {
            format!(
                "[[boundary]]\nname = \"side-{k}\"\nmaterial = \"a\"\nplane = {{ point = [0.0, 0.0, 0.0], normal = {:?} }}\n",
                sides[k]
            )
        })
        .collect();
    for seed in 29..35 {
        for solver in ["factor", "rima", "cg"] {
            let head = format!(
                "seed = {seed}\n{}",
                before(8.5, DOWN, &format!("solver = \"{solver}\""))
            );
            let text = scene(&law, &head, &walls, &[]).replace(
                "[[fill]]\nmaterial = \"a\"\n",
                "[[fill]]\nmaterial = \"a\"\nroll_down = { count = 8, radius = { mean = 0.01, spread = 0.2 }, min = [-0.1, -0.1, 0.0], max = [0.1, 0.1, 0.5] }\n",
            );
            let (sink, summary) = run(&text);
            let most = forces(&sink)
                .iter()
                .fold(0.0, |most, f| f64::max(most, f.abs()));
            assert!(most < 40.0 * weight(RADIUS), "{seed} {solver} {most}");
            let lost = summary.energy.dissipated;
            // Where the law falls a chord stands for it: a few per cent of what the grains came with may be told wrongly.
            let all = lost.morph + lost.slip;
            assert!(lost.slip >= 0.0, "{seed} {solver} {lost:?}");
            assert!(
                all.abs() < 0.05 * summary.energy.injected,
                "{seed} {solver} {lost:?}"
            );
        }
    }
}

/// Micrometre grains as stiff as glass: nothing steps in a filling, so that no step is too short for it.
#[test]
fn a_filling_takes_no_steps() {
    let radius = 1e-6;
    let balls = [1.0, 3.0, 5.0].map(|k| ([0.0, 0.0, k * radius], radius));
    let text = scene(
        HERTZ,
        &before(600.5, DOWN, ""),
        &plane("floor", 0.0, 1.0, ""),
        &balls,
    )
    .replace("young = 1e7", "young = 7e10")
    .replace(
        "series = 0.1\nsnapshots = 0.1",
        "series = 100.0\nsnapshots = 100.0",
    );
    let (sink, _) = run(&text);
    let w = weight(radius);
    for (force, over) in forces(&sink).iter().zip([3.0, 2.0, 1.0]) {
        close("force", *force, over * w, 1e-6 * w);
    }
}

/// Glue is springs alone, and says so.
#[test]
fn glue_is_straight() {
    let floor = plane("floor", 0.0, 1.0, "");
    let balls = [([0.0, 0.0, RADIUS], RADIUS)];
    for (law, is_taken) in [(LINEAR, true), (HERTZ, false), (YIELDING, false)] {
        let got = driven(&scene(
            law,
            &before(1.5, DOWN, "tension = \"keep\""),
            &floor,
            &balls,
        ));
        match got {
            Ok(_) => assert!(is_taken, "{law}"),
            Err(error) => assert!(!is_taken && error.contains("glued"), "{law} {error}"),
        }
    }
}
