//! Fillings in equilibrium under fields, a gravity that turns, walls that move slowly and walls that go.

use arenite::record::{MemorySink, Summary};

use crate::support::driven;

fn run(text: &str) -> (MemorySink, Summary) {
    let found = driven(text);
    found.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Numbers as a vector of the dimension.
fn vector(dimension: usize, x: f64, y: f64, z: f64) -> String {
    match dimension {
        2 => format!("[{x:?}, {z:?}]"),
        _ => format!("[{x:?}, {y:?}, {z:?}]"),
    }
}

/// A bed that has rolled down into a box.
fn bed(dimension: usize, count: usize, more: &str) -> String {
    let v = |x, y, z| vector(dimension, x, y, z);
    let [normal, tangential] = if dimension == 2 {
        [1e7, 5e6]
    } else {
        [1e5, 5e4]
    };
    let wide = if dimension == 2 { 0.1 } else { 0.05 };
    let mut walls = String::new();
    let mut plane = |name: &str, point: String, normal: String| {
        walls += &format!(
            "[[boundary]]\nname = \"{name}\"\nmaterial = \"a\"\nplane = {{ point = {point}, normal = {normal} }}\n"
        );
    };
    plane("floor", v(0.0, 0.0, 0.0), v(0.0, 0.0, 1.0));
    plane("left", v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0));
    plane("right", v(wide, 0.0, 0.0), v(-1.0, 0.0, 0.0));
    if dimension == 3 {
        plane("front", v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0));
        plane("back", v(0.0, wide, 0.0), v(0.0, -1.0, 0.0));
    }
    format!(
        r#"
name = "bed"
dimension = {dimension}
seed = 3
[run]
end_time = {:?}
[quasi_static]
[log]
series = 1.0
snapshots = 1.0
[material.a]
density = 2500.0
[[law]]
between = ["a", "a"]
linear = {{ normal_stiffness = {normal:?}, tangential_stiffness = {tangential:?}, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.5 }}
{walls}
[[fill]]
material = "a"
roll_down = {{ count = {count}, radius = {{ mean = 0.006, spread = 0.1 }}, min = {}, max = {} }}
{more}
"#,
        count as f64 + 20.0,
        v(0.01, 0.01, 0.0),
        v(wide - 0.01, wide - 0.01, 0.3),
    )
}

/// The sum of what all walls bear in a row.
fn borne(sink: &MemorySink, row: usize) -> [f64; 3] {
    let walls = &sink.series[row].walls;
    std::array::from_fn(|k| walls.iter().map(|wall| wall[k]).sum())
}

/// Each row of the series against what loads all grains then, by a law of their masses and places.
/// `lag`: by how much of a weight what acts may change from one update to the next.
fn balances(text: &str, lag: f64, load: impl Fn(f64, f64, [f64; 3]) -> [f64; 3]) -> Summary {
    let (sink, summary) = run(text);
    assert_eq!(sink.series.len(), sink.snapshots.len() + 1);
    for (row, (grains, _)) in sink.snapshots.iter().enumerate() {
        let series = row + 1;
        assert_eq!(sink.series[series].time, grains[0].time);
        let mut sum = [0.0; 3];
        let (mut size, mut lags) = (0.0, 0.0);
        for grain in grains {
            let one = load(grain.time, grain.mass, grain.position);
            lags += lag * 9.81 * grain.mass;
            size += one.iter().map(|f| f * f).sum::<f64>().sqrt();
            (0..3).for_each(|k| sum[k] += one[k]);
        }
        let borne = borne(&sink, series);
        for k in 0..3 {
            // Loads are those of the places of the fill, and those of rows of displaced ones.
            assert!(
                (borne[k] - sum[k]).abs() < 1e-4 * size + lags,
                "{series}: {borne:?} {sum:?}"
            );
        }
    }
    assert!(
        summary.energy.balance_error_max < 1e-9,
        "{:?}",
        summary.energy
    );
    summary
}

/// Walls bear all that fields do to the grains: in a frame that turns, towards a centre, in one that is shaken slowly, in a wind.
#[test]
fn walls_bear_what_fields_do() {
    for (dimension, count) in [(2, 40), (3, 30)] {
        let v = |x, y, z| vector(dimension, x, y, z);
        let gravity = format!("[field]\ngravity = {}\n", v(0.0, 0.0, -9.81));
        let rate = if dimension == 2 {
            "4.0"
        } else {
            "[0.0, 4.0, 0.0]"
        };
        let text = bed(
            dimension,
            count,
            &format!(
                "{gravity}rotation = {{ rate = {rate}, centre = {} }}\n",
                v(0.05, 0.0, 0.0)
            ),
        );
        balances(&text, 0.0, |_, mass, x| {
            let up = if dimension == 2 { 1 } else { 2 };
            let mut force = [0.0; 3];
            force[0] = mass * 16.0 * (x[0] - 0.05);
            force[up] = mass * (16.0 * x[up] - 9.81);
            force
        });
        let text = bed(
            dimension,
            count,
            &format!(
                "{gravity}alternating = {{ amplitude = {}, frequency = 0.05 }}\n",
                v(1.0, 0.0, 0.5)
            ),
        );
        let summary = balances(&text, 0.006, |time, mass, _| {
            let up = if dimension == 2 { 1 } else { 2 };
            let swing = (std::f64::consts::TAU * 0.05 * time).sin();
            let mut force = [0.0; 3];
            force[0] = mass * swing;
            force[up] = mass * (0.5 * swing - 9.81);
            force
        });
        assert!(
            summary.events.by_kind["field-update"] > 60,
            "{:?}",
            summary.events
        );
    }
}

/// As gravity turns the walls bear the same weight in another direction; a bed with friction that is tilted by little has links that slide, and
/// comes to rest after each step.
#[test]
fn a_bed_is_tilted_in_equilibrium() {
    for (dimension, count) in [(2, 40), (3, 30)] {
        let end = count as f64 + 2.0;
        let angle = if dimension == 2 {
            "0.2"
        } else {
            "[0.0, -0.2, 0.0]"
        };
        let v = |x, y, z| vector(dimension, x, y, z);
        let text = bed(
            dimension,
            count,
            &format!(
                "[field]\ngravity = {}\n[[perturb]]\ntime = {end:?}\ntilt = {{ angle = {angle}, duration = 8.0 }}\n",
                v(0.0, 0.0, -9.81)
            ),
        );
        let summary = balances(&text, 0.006, |time, mass, _| {
            let turned = 0.2 * ((time - end) / 8.0).clamp(0.0, 1.0);
            let up = if dimension == 2 { 1 } else { 2 };
            let mut force = [0.0; 3];
            // Loads differ from one to the next by 0.005 rad.
            force[0] = mass * 9.81 * turned.sin();
            force[up] = -mass * 9.81 * turned.cos();
            force
        });
        assert_eq!(summary.events.by_kind["perturb"], 1);
    }
}

/// A disk between two walls of which one comes nearer, slowly: two springs in a row, and their energy.
#[test]
fn a_wall_that_comes_nearer_presses() {
    let way = 2e-5;
    let text = |motion: &str| {
        format!(
            r#"
name = "pressed"
dimension = 2
[run]
end_time = 12.0
[field]
gravity = [0.0, -9.81]
[quasi_static]
[log]
series = 1.0
[material.a]
density = 1000.0
[[law]]
between = ["a", "a"]
linear = {{ normal_stiffness = 1e6, tangential_stiffness = 5e5, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.0 }}
[[boundary]]
name = "floor"
material = "a"
plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}
[[boundary]]
name = "left"
material = "a"
plane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}
[[boundary]]
name = "right"
material = "a"
plane = {{ point = [0.02, 0.0], normal = [-1.0, 0.0] }}
motion = {{ {motion} }}
[[fill]]
material = "a"
grains = [{{ position = [0.01, 0.01], radius = 0.01 }}]
"#
        )
    };
    let (sink, summary) = run(&text(&format!(
        "pieces = [{{ from = 2.0, velocity = [{:?}, 0.0] }}, {{ from = 10.0 }}]",
        -way / 8.0
    )));
    let force = 0.5 * 1e6 * way;
    let last = sink.series.last().unwrap();
    assert!(
        (last.walls[1][0] + force).abs() < 1e-6 * force,
        "{:?}",
        last.walls
    );
    assert!(
        (last.walls[2][0] - force).abs() < 1e-6 * force,
        "{:?}",
        last.walls
    );
    let middle = sink.series.iter().find(|row| row.time == 6.0).unwrap();
    // Within a step of the wall, a tenth of the overlap under the weight.
    assert!(
        (middle.walls[2][0] - 0.5 * force).abs() < 0.51 * 0.1 * 3.09,
        "{:?}",
        middle.walls
    );
    let weight = 1000.0 * std::f64::consts::PI * 1e-4 * 9.81;
    let elastic = force * force / 1e6 + 0.5 * weight * weight / 1e6;
    assert!(
        (last.elastic / elastic - 1.0).abs() < 1e-6,
        "{} {elastic}",
        last.elastic
    );
    assert!(
        summary.energy.balance_error_max < 1e-9,
        "{:?}",
        summary.energy
    );
    // Off again, and nothing presses but the weight.
    let (sink, _) = run(&text(&format!(
        "pieces = [{{ from = 2.0, velocity = [{:?}, 0.0] }}, {{ from = 4.0, velocity = [{:?}, 0.0] }}, {{ from = 8.0 }}]",
        -way / 8.0,
        way / 8.0
    )));
    let last = sink.series.last().unwrap();
    assert_eq!(last.walls[2][0], 0.0, "{:?}", last.walls);
}

/// On a belt under a grain that a wall holds back friction comes to its bound, and stays there.
#[test]
fn a_belt_drags_up_to_coulombs_bound() {
    let text = r#"
name = "belt"
dimension = 2
[run]
end_time = 12.0
[field]
gravity = [0.0, -9.81]
[quasi_static]
[log]
series = 1.0
[material.a]
density = 1000.0
[material.smooth]
[[law]]
between = ["a", "a"]
linear = { normal_stiffness = 1e6, tangential_stiffness = 5e5, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.3 }
[[law]]
between = ["a", "smooth"]
linear = { normal_stiffness = 1e6, tangential_stiffness = 0.0, normal_damping = 1.0, tangential_damping = 0.0, friction = 0.0 }
[[boundary]]
name = "belt"
material = "a"
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
belt = [1e-4, 0.0]
[[boundary]]
name = "stop"
material = "smooth"
plane = { point = [0.02, 0.0], normal = [-1.0, 0.0] }
[[fill]]
material = "a"
grains = [{ position = [0.01, 0.01], radius = 0.01 }]
"#;
    let (sink, summary) = run(text);
    let weight = 1000.0 * std::f64::consts::PI * 1e-4 * 9.81;
    for row in sink.series.iter().filter(|row| row.time > 3.0) {
        assert!(
            (row.walls[1][0] - 0.3 * weight).abs() < 1e-3 * weight,
            "{:?}",
            row.walls
        );
    }
    // Friction takes what the belt brings.
    let energy = &summary.energy;
    // From when the grain comes, less the way on which the spring is strained.
    let slid = 0.3 * weight * 1e-4 * (11.0 - 0.02);
    assert!(
        (1.0..1.1).contains(&(energy.dissipated.slip / slid)),
        "{energy:?} {slid}"
    );
    // What is left over is what the weight leaves, and a little at each step.
    assert!(energy.dissipated.morph < 0.1 * slid, "{energy:?}");
    assert!(energy.balance_error_max < 1e-9, "{energy:?}");
}

/// A side wall goes: a bed of few layers with friction stands, and its other walls bear the weight alone.
#[test]
fn a_wall_goes_and_the_rest_bears() {
    let text = r#"
name = "open"
dimension = 2
[run]
end_time = 12.0
[field]
gravity = [0.0, -9.81]
[quasi_static]
[log]
series = 1.0
events = "links"
[material.a]
density = 1000.0
[[law]]
between = ["a", "a"]
linear = { normal_stiffness = 1e6, tangential_stiffness = 5e5, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.5 }
[[boundary]]
name = "floor"
material = "a"
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
[[boundary]]
name = "prop"
material = "a"
plane = { point = [0.0, 0.0], normal = [1.0, 0.0] }
opens_at = 6.5
[[fill]]
material = "a"
grains = [{ position = [0.01, 0.01], radius = 0.01 }, { position = [0.0302, 0.01], radius = 0.01 }]
"#;
    let (sink, summary) = run(text);
    let weight = 2.0 * 1000.0 * std::f64::consts::PI * 1e-4 * 9.81;
    let last = sink.series.last().unwrap();
    assert_eq!(last.walls[1], [0.0; 7]);
    assert!(
        (last.walls[0][1] + weight).abs() < 1e-9 * weight,
        "{:?}",
        last.walls
    );
    assert_eq!(summary.events.by_kind["boundary-update"], 1);
    assert!(
        summary.energy.balance_error_max < 1e-9,
        "{:?}",
        summary.energy
    );
    // A grain of an arch is none where no jam stands: that is told.
    let arch = text.replace(
        "[[fill]]",
        "[[perturb]]\ntime = 5.0\nremove = { arch = \"weakest\" }\n[[fill]]",
    );
    let (_, summary) = run(&arch);
    assert!(summary.warnings.concat().contains("found no grain"));
    assert!(!summary.events.by_kind.contains_key("perturb"));
    // Where nothing else would hold them, it is said which grains hang.
    let held = text.replace(
        "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }",
        "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }\nopens_at = 7.5",
    );
    let error = driven(&held).unwrap_err();
    assert!(error.contains("hang on nothing"), "{error}");
}

/// A grain that is taken away takes its weight with it, and its potential energy; those on it come to rest on others, or are said to hang.
#[test]
fn a_grain_goes_and_the_rest_bears() {
    for (dimension, count) in [(2, 40), (3, 30)] {
        let v = |x, y, z| vector(dimension, x, y, z);
        let end = count as f64 + 5.5;
        // The last one that came lies on top.
        let more = format!(
            "[field]\ngravity = {}\n[[perturb]]\ntime = {end:?}\nremove = {{ near = {} }}\n",
            v(0.0, 0.0, -9.81),
            v(0.02, 0.02, 1.0)
        );
        let summary = balances(&bed(dimension, count, &more), 0.0, |_, mass, _| {
            let mut force = [0.0; 3];
            force[dimension - 1] = -mass * 9.81;
            force
        });
        assert_eq!(
            (summary.grains.removed, summary.grains.last),
            (1, count as u64 - 1)
        );
        assert!(summary.energy.removed > 0.0, "{:?}", summary.energy);
    }
}
