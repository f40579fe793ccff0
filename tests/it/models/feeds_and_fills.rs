//! Feeds: what they were asked for and gave, and what they cost. Fills: inside of vessels, and around images across a border. In the plane
//! and in space.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::record::{MemorySink, NullSink, Summary};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, Setup, System};
use serde_json::Value;

use crate::cli_tools::{arenite, said, summary};

/// What scenarios of this file begin with.
fn head(dimension: usize, gravity: f64, finish: f64) -> String {
    let up = if dimension == 2 { "0.0" } else { "0.0, 0.0" };
    let [kn, kt, cn, ct] = match dimension {
        2 => ["2e6", "1e6", "100.0", "50.0"],
        _ => ["5e3", "2e3", "0.4", "0.2"],
    };
    format!(
        "name = \"small\"\ndimension = {dimension}\nseed = 4\n[field]\ngravity = [{up}, {gravity:?}]\n\
         [run]\nend_time = {finish:?}\n[log]\nseries = {:?}\nsnapshots = \"never\"\n[material.a]\ndensity = 2000.0\n\
         [[law]]\nbetween = [\"a\", \"a\"]\nlinear = {{ normal_stiffness = {kn}, tangential_stiffness = {kt}, \
         normal_damping = {cn}, tangential_damping = {ct}, friction = 0.4 }}\n",
        finish / 5.0
    )
}

fn vector(dimension: usize, x: f64, up: f64) -> String {
    match dimension {
        2 => format!("[{x:?}, {up:?}]"),
        _ => format!("[{x:?}, {x:?}, {up:?}]"),
    }
}

fn setup(text: &str) -> AnySetup {
    Scenario::parse("small.toml", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
}

fn fault(text: &str) -> String {
    Scenario::parse("small.toml", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .err()
        .map_or_else(String::new, |problem| problem.render(false))
}

fn figures<D: arenite::cluster::integrate::Integrate>(setup: Setup<D>) -> Summary {
    let mut system = System::new(setup).unwrap();
    let never = AtomicBool::new(false);
    system
        .run(&mut NullSink, &mut Control::new(&never))
        .unwrap();
    system.summary()
}

fn run(text: &str) -> Summary {
    match setup(text) {
        AnySetup::Planar(setup) => figures(setup),
        AnySetup::Spatial(setup) => figures(setup),
    }
}

/// A feed of a rate, in the midst of nothing.
fn feed(dimension: usize, timing: &str, width: f64) -> String {
    let velocity = vector(dimension, 0.0, -0.8);
    let (min, max) = (vector(dimension, 0.0, 0.0), vector(dimension, width, width));
    format!(
        "[[feed]]\nmaterial = \"a\"\nradius = 0.004\nmin = {min}\nmax = {max}\nvelocity = {velocity}\n{timing}\n"
    )
}

fn mean_mass(dimension: usize) -> f64 {
    let r: f64 = 0.004;
    let ball = if dimension == 2 {
        std::f64::consts::PI * r * r
    } else {
        4.0 / 3.0 * std::f64::consts::PI * r * r * r
    };
    2000.0 * ball
}

fn numbers_of(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

#[test]
fn a_feed_that_falls_short_says_by_how_much() {
    for dimension in [2, 3] {
        let rate = if dimension == 2 { 500.0 } else { 8.0 };
        let timing = format!("mass_rate = {rate:?}");
        let text = head(dimension, -9.81, 0.6) + &feed(dimension, &timing, 0.05);
        let told = run(&text);
        let [feed] = &told.feeds[..] else {
            panic!("{:?}", told.feeds)
        };
        assert!(
            (feed.asked.mass - 0.6 * rate).abs() < 1e-9 * rate,
            "{feed:?}"
        );
        assert_eq!(feed.given.count, told.grains.created);
        let given = feed.given.count as f64 * mean_mass(dimension);
        assert!((feed.given.mass - given).abs() < 1e-9 * given);
        assert!(
            feed.given.mass < 0.8 * feed.asked.mass && feed.postponed > 0,
            "{feed:?}"
        );
        let said: Vec<&String> = told
            .warnings
            .iter()
            .filter(|w| w.contains("fell short"))
            .collect();
        let found = numbers_of(said[0]);
        for mass in [feed.asked.mass, feed.given.mass] {
            assert!(
                found.iter().any(|x| (x - mass).abs() < 1e-3 * mass),
                "{said:?}"
            );
        }
        // Before the run: by what fits and how long it stays.
        assert!(
            told.warnings.iter().any(|w| w.contains("cannot give")),
            "{:?}",
            told.warnings
        );
    }
}

#[test]
fn a_feed_that_keeps_its_rate_says_nothing() {
    for dimension in [2, 3] {
        let m = mean_mass(dimension);
        for (timing, count) in [
            (format!("mass_rate = {:?}", 100.0 * m), 51),
            (
                format!("mass = {:?}\nmass_rate = {:?}", 20.2 * m, 100.0 * m),
                20,
            ),
            (format!("mass = {:?}\nevery = 0.01", 7.6 * m), 8),
            ("count = 1000000\nevery = 0.01".into(), 51),
            ("count = 30\nevery = 0.01".into(), 30),
            ("count = 1000000000\npoisson = 50.0".into(), 0),
        ] {
            let told = run(&(head(dimension, -9.81, 0.5) + &feed(dimension, &timing, 0.4)));
            assert_eq!(told.warnings, Vec::<String>::new(), "{timing}");
            // By mass it goes by what each grain weighs, which is drawn.
            let most = u64::from(timing.contains("mass"));
            if count > 0 {
                assert!(told.grains.created.abs_diff(count) <= most, "{timing}");
                assert!(
                    told.feeds[0].asked.count.abs_diff(count) <= most,
                    "{timing}"
                );
            }
        }
    }
    let endless = head(2, -9.81, 0.5) + &feed(2, "every = 0.01", 0.4);
    assert!(
        fault(&endless).contains("needs `count` or `mass`"),
        "{}",
        fault(&endless)
    );
}

/// What `count` allows beyond what comes changes nothing of a run, nor of what is kept of it.
#[test]
fn a_generous_count_changes_nothing() {
    for dimension in [2, 3] {
        let of = |count: u64| {
            let timing = format!("every = 0.002\ncount = {count}");
            let text = head(dimension, -9.81, 0.3) + &feed(dimension, &timing, 0.2);
            let checkpoint = match setup(&text) {
                AnySetup::Planar(setup) => setup.log.checkpoint,
                AnySetup::Spatial(setup) => setup.log.checkpoint,
            };
            (checkpoint, run(&text).state_hash)
        };
        assert_eq!(of(160), of(4_000_000_000));
    }
}

/// Renewals of the lists of a run in which grains come one by one into a gas, stepped, flying or colliding.
fn renewals(dimension: usize, count: usize, how: &str) -> (u64, Summary) {
    let velocity = vector(dimension, 0.3, 0.1);
    let side = 0.3;
    let text = head(dimension, 0.0, 0.1).replace("end_time", &format!("{how}\nend_time"))
        + &format!(
            "[[feed]]\nmaterial = \"a\"\nradius = 0.002\nmin = {}\nmax = {}\nvelocity = {velocity}\ncount = {count}\nevery = {:?}\n",
            vector(dimension, 0.0, 0.0),
            vector(dimension, side, side),
            0.1 / count as f64
        );
    fn go<D: arenite::cluster::integrate::Integrate>(setup: Setup<D>) -> (u64, Summary) {
        let mut system = System::new(setup).unwrap();
        let never = AtomicBool::new(false);
        system
            .run(&mut NullSink, &mut Control::new(&never))
            .unwrap();
        (system.dem().book.counts.renewals, system.summary())
    }
    match setup(&text) {
        AnySetup::Planar(setup) => go(setup),
        AnySetup::Spatial(setup) => go(setup),
    }
}

/// Lists are renewed as grains move, not as they come: all go at one speed, whatever their number.
#[test]
fn a_fed_grain_does_not_renew_all_lists() {
    for dimension in [2, 3] {
        for how in ["", "flight = false", "collisions = true"] {
            let (few, told) = renewals(dimension, 100, how);
            assert_eq!(told.grains.last, 100, "{how}");
            let (many, told) = renewals(dimension, 800, how);
            assert_eq!(told.grains.last, 800, "{how}");
            assert!(
                many < few + 80,
                "{how}, {dimension}: {few} renewals, with 700 more grains {many}"
            );
        }
    }
}

/// A bed made by a feed in free fall rests, whichever way grains enter the lists, and its books close.
#[test]
fn what_comes_among_others_meets_them() {
    for dimension in [2, 3] {
        for how in ["", "flight = false", "collisions = true"] {
            let floor = vector(dimension, 0.0, 0.0);
            let text = head(dimension, -9.81, 0.8).replace("end_time", &format!("{how}\nend_time"))
                + &feed(dimension, "every = 0.002\ncount = 150", 0.06)
                    .replace("min = [0.0", "min = [0.005")
                + &format!(
                    "[[boundary]]\nname = \"box\"\nmaterial = \"a\"\nbox = {{ min = {floor}, max = {}, grains = \"inside\" }}\n",
                    vector(dimension, 0.08, 1.0)
                );
            let text = text
                .replace("min = [0.005, 0.0]", "min = [0.01, 0.3]")
                .replace("max = [0.06, 0.06]", "max = [0.07, 0.36]")
                .replace("min = [0.005, 0.0, 0.0]", "min = [0.01, 0.01, 0.3]")
                .replace("max = [0.06, 0.06, 0.06]", "max = [0.07, 0.07, 0.36]");
            let told = run(&text);
            assert_eq!(told.grains.last, 150, "{how}");
            assert!(told.energy.balance_error < 2e-3, "{how}: {:?}", told.energy);
            assert_eq!(told.warnings, Vec::<String>::new());
        }
    }
}

/// Of all grains at the start: distance from the axis, and height.
fn start(text: &str) -> (Vec<(f64, f64)>, Vec<String>) {
    fn of<D: Dimension>(setup: Setup<D>) -> (Vec<(f64, f64)>, Vec<String>) {
        let grains = setup.grains.iter().map(|grain| {
            let across = (0..D::N - 1).map(|k| grain.position[k] * grain.position[k]);
            (across.sum::<f64>().sqrt(), grain.position[D::N - 1])
        });
        (grains.collect(), setup.notes.warnings.clone())
    }
    match setup(text) {
        AnySetup::Planar(setup) => of(setup),
        AnySetup::Spatial(setup) => of(setup),
    }
}

#[test]
fn a_box_fills_a_vessel_inside() {
    let floor = "[[boundary]]\nname = \"floor\"\nmaterial = \"a\"\nplane = { point = [0, 0, 0], normal = [0, 0, 1] }\n";
    let tube = "[[boundary]]\nname = \"tube\"\nmaterial = \"a\"\ncylinder = { from = [0.0, 0.0, 0.0], to = [0.0, 0.0, 0.3], radius = 0.06 }\n";
    let fill = |how: &str, top: f64| {
        format!(
            "[[fill]]\nmaterial = \"a\"\n{how} = {{ count = 260, radius = {{ min = 0.003, max = 0.005 }}, min = [-0.06, -0.06, 0.0], max = [0.06, 0.06, {top:?}] }}\n"
        )
    };
    for how in ["random", "lattice"] {
        let text = head(3, -9.81, 0.01) + floor + tube + &fill(how, 0.3);
        let (grains, warnings) = start(&text);
        assert_eq!(grains.len(), 260);
        let outside = grains.iter().filter(|(r, _)| *r > 0.06).count();
        assert_eq!((outside, warnings), (0, vec![]), "{how}");
        // Where there is no room inside, the number is told.
        let low = fault(&(head(3, -9.81, 0.01) + floor + tube + &fill(how, 0.03)));
        assert!(
            low.is_empty()
                || low.contains("outside of the vessel `tube`")
                || low.contains("found room"),
            "{low}"
        );
    }
    // Rows of a lattice begin at the bottom, where most of them would be beside the cone.
    let cone = "[[boundary]]\nname = \"hopper\"\nmaterial = \"a\"\nrevolved = { origin = [0, 0, 0], axis = [0, 0, 1], profile = [[0.015, 0.0], [0.07, 0.1], [0.07, 0.2]] }\n";
    let text = head(3, -9.81, 0.01)
        + cone
        + "[[fill]]\nmaterial = \"a\"\nlattice = { count = 150, radius = 0.004, min = [-0.07, -0.07, 0.0], max = [0.07, 0.07, 0.2] }\n";
    for (r, z) in start(&text).0 {
        assert!(r < (0.015 + 0.55 * z).min(0.07), "{r} {z}");
    }
    // In the plane two slanted walls with nothing between the corners and the box.
    let walls = "[[boundary]]\nname = \"v\"\nmaterial = \"a\"\npolyline = { points = [[-0.1, 0.2], [-0.02, 0.0], [0.02, 0.0], [0.1, 0.2]] }\n";
    let text = head(2, -9.81, 0.01)
        + walls
        + "[[fill]]\nmaterial = \"a\"\nrandom = { count = 60, radius = 0.004, min = [-0.1, 0.0], max = [0.1, 0.2] }\n";
    let (grains, warnings) = start(&text);
    assert_eq!((grains.len(), warnings), (60, vec![]));
    for (x, y) in grains {
        assert!(x < 0.02 + 0.4 * y, "{x} {y}");
    }
}

#[test]
fn who_is_listed_outside_is_told_and_who_falls_in_is_not() {
    let cup = "[[boundary]]\nname = \"cup\"\nmaterial = \"a\"\ncylinder = { from = [0.0, 0.0, 0.0], to = [0.0, 0.0, 0.05], radius = 0.03 }\n";
    let at = |x: f64, z: f64| format!("{{ position = [{x:?}, 0.0, {z:?}], radius = 0.004 }}");
    let list = |places: &[String]| {
        format!(
            "[[fill]]\nmaterial = \"a\"\ngrains = [{}]\n",
            places.join(", ")
        )
    };
    // Within, above within, and far above.
    let within = [
        at(0.0, 0.01),
        at(0.02, 0.03),
        at(0.01, 0.07),
        at(-0.02, 0.5),
    ];
    let text = head(3, -9.81, 0.01) + cup;
    assert_eq!(
        start(&(text.clone() + &list(&within))).1,
        Vec::<String>::new()
    );
    let beside = [&within[..], &[at(0.05, 0.02), at(0.05, 0.2)]].concat();
    let (_, warnings) = start(&(text.clone() + &list(&beside)));
    assert!(
        warnings.len() == 1 && warnings[0].contains("2 of 6"),
        "{warnings:?}"
    );
    // Also where as many are outside as inside; and who is in another vessel is not outside.
    let half = [at(0.0, 0.01), at(0.05, 0.02)];
    let (_, warnings) = start(&(text.clone() + &list(&half)));
    assert!(
        warnings.len() == 1 && warnings[0].contains("1 of 2"),
        "{warnings:?}"
    );
    let other = "[[boundary]]\nname = \"other\"\nmaterial = \"a\"\ncylinder = { from = [0.07, 0.0, 0.0], to = [0.07, 0.0, 0.05], radius = 0.03 }\n";
    let both = [at(0.0, 0.01), at(0.07, 0.02)];
    assert_eq!(
        start(&(text.clone() + other + &list(&both))).1,
        Vec::<String>::new()
    );
    // A ramp below a fill is no vessel.
    let ramp = "[[boundary]]\nname = \"ramp\"\nmaterial = \"a\"\npolyline = { points = [[-0.1, 0.0], [0.1, 0.1]] }\n[[fill]]\nmaterial = \"a\"\nlattice = { count = 30, radius = 0.004, min = [-0.1, 0.0], max = [0.1, 0.2] }\n";
    assert_eq!(start(&(head(2, -9.81, 0.01) + ramp)).0.len(), 30);
    // A post in the midst of a bed is no vessel.
    let around: Vec<String> = (1..7)
        .map(|k| at(0.03 + 0.02 * f64::from(k), 0.02))
        .collect();
    let bed = [&around[..], &[at(0.0, 0.02)]].concat();
    assert_eq!(start(&(text + &list(&bed))).1, Vec::<String>::new());
}

/// A region across a box that is closed on all sides: who is in and who is not is the user's to say.
#[test]
fn a_fill_on_both_sides_of_a_closed_box_is_told() {
    let box_of = |dimension: usize| match dimension {
        2 => "polyline = { points = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1], [0.0, 0.0]] }"
            .to_string(),
        _ => {
            let at = |n: u8| {
                let x = [0, 1, 2].map(|k| if n >> k & 1 == 0 { 0.0 } else { 0.1 });
                format!("{x:?}")
            };
            let corners: Vec<String> = (0..8).map(at).collect();
            format!(
                "mesh = {{ corners = [{}], triangles = [[0,1,3],[0,3,2],[0,4,5],[0,5,1],[0,2,6],[0,6,4],[1,5,7],[1,7,3],[2,3,7],[2,7,6],[4,6,7],[4,7,5]] }}",
                corners.join(", ")
            )
        }
    };
    for (dimension, low, told) in [
        (2, -0.06, true),
        (3, -0.06, true),
        (2, 0.0, false),
        (3, 0.0, false),
    ] {
        let (from, to) = (vec![low; dimension], vec![0.1; dimension]);
        let text = head(dimension, -9.81, 0.01).replace("-9.81", "0.0")
            + &format!(
                "[[boundary]]\nname = \"safe\"\nmaterial = \"a\"\n{}\n[[fill]]\nmaterial = \"a\"\nrandom = {{ count = 80, radius = 0.003, min = {from:?}, max = {to:?} }}\n",
                box_of(dimension)
            );
        let (grains, warnings) = start(&text);
        assert_eq!(grains.len(), 80);
        let says = warnings
            .iter()
            .any(|w| w.contains("outside of the vessel `safe`"));
        assert_eq!(says, told, "{dimension} {low} {warnings:?}");
    }
}

#[test]
fn fills_mind_images_across_borders() {
    for dimension in [2, 3] {
        let size = 0.2;
        let axes = ["x", "y", "z"][..dimension]
            .iter()
            .map(|k| format!("{k} = [-0.1, 0.1]\n"));
        let first = vector(dimension, 0.095, -0.09);
        for how in ["random", "lattice"] {
            let text = head(dimension, 0.0, 0.001)
                + "[periodic]\n"
                + &axes.clone().collect::<String>()
                + &format!(
                    "[[fill]]\nmaterial = \"a\"\ngrains = [{{ position = {first}, radius = 0.03 }}]\n\
                     [[fill]]\nmaterial = \"a\"\n{how} = {{ count = 90, radius = 0.006, min = {}, max = {} }}\n",
                    vector(dimension, -0.1, -0.1),
                    vector(dimension, 0.1, 0.1)
                );
            fn places<D: Dimension>(setup: Setup<D>) -> Vec<(D::Vector, f64)> {
                setup
                    .grains
                    .iter()
                    .map(|g| (g.position, g.radius))
                    .collect()
            }
            fn apart<V: Vector>(grains: &[(V, f64)], size: f64) {
                for (k, (x, r)) in grains.iter().enumerate() {
                    for (y, s) in &grains[..k] {
                        let d = *x - *y;
                        let d = V::from_fn(|i| d[i] - size * (d[i] / size).round());
                        assert!(d.norm() >= (r + s) * (1.0 - 1e-9));
                    }
                }
                assert_eq!(grains.len(), 91);
            }
            match setup(&text) {
                AnySetup::Planar(setup) => apart(&places::<Planar>(setup), size),
                AnySetup::Spatial(setup) => apart(&places::<Spatial>(setup), size),
            }
        }
    }
}

/// Triangles of a box, corners in some unit.
fn boxed(side: f32) -> Vec<[[f32; 3]; 3]> {
    let at = |n: u8| [0, 1, 2].map(|k| if n >> k & 1 == 0 { 0.0 } else { side });
    let faces = [
        [0, 1, 3],
        [0, 3, 2],
        [0, 4, 5],
        [0, 5, 1],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
        [2, 3, 7],
        [2, 7, 6],
    ];
    faces.iter().map(|face| face.map(at)).collect()
}

fn with_mesh(folder: &Path, file: &str, bytes: &[u8], more: &str) -> std::process::Output {
    fs::write(folder.join(file), bytes).unwrap();
    let text = head(3, -9.81, 0.01)
        + &format!(
            "[[boundary]]\nname = \"vat\"\nmaterial = \"a\"\nmesh = {{ file = \"{file}\"{more} }}\n"
        )
        + "[[fill]]\nmaterial = \"a\"\ngrains = [{ position = [0.05, 0.05, 0.03], radius = 0.003 }]\n";
    fs::write(folder.join("vat.toml"), text).unwrap();
    arenite(folder, &["check", "vat.toml", "--json"])
}

#[test]
fn meshes_are_told_and_read_as_programs_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |side: f32| {
        let mut text = b"solid B\xe9ton\n".to_vec();
        for face in boxed(side) {
            text.extend(b"facet normal 0 0 0\nouter loop\n");
            for [x, y, z] in face {
                text.extend(format!("vertex {x} {y} {z}\n").bytes());
            }
            text.extend(b"endloop\nendfacet\n");
        }
        text.extend(b"endsolid B\xe9ton\n");
        text
    };
    let mut binary = vec![b' '; 80];
    binary.extend((boxed(0.1).len() as u32).to_le_bytes());
    for face in boxed(0.1) {
        binary.extend([0; 12]);
        for x in face.iter().flatten() {
            binary.extend(x.to_le_bytes());
        }
        binary.extend([0; 2]);
    }
    binary.extend(b"\r\n");
    let told = |output: std::process::Output| -> Value {
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    for (bytes, more) in [
        (text(0.1), ""),
        (text(100.0), ", scale = 0.001"),
        (binary, ""),
    ] {
        let json = told(with_mesh(here, "vat.stl", &bytes, more));
        let mesh = &json["meshes"][0];
        assert_eq!(
            (&mesh["triangles"], &mesh["open_edges"]),
            (&10.into(), &4.into())
        );
        assert!((mesh["diameters"].as_f64().unwrap() - 0.1 / 0.006).abs() < 1e-3);
        assert_eq!(json["warnings"], serde_json::json!([]));
    }
    let json = told(with_mesh(here, "vat.stl", &text(100.0), ""));
    assert!(json["warnings"].to_string().contains("scale"), "{json}");
    let json = told(with_mesh(here, "vat.stl", &text(3.94), ""));
    assert!(json["warnings"].to_string().contains("inches"), "{json}");
    for (bytes, name) in [
        (&b"# box\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"[..], "OBJ"),
        (b"ply\nformat ascii 1.0\n", "PLY"),
        (b"OFF\n3 1 0\n", "OFF"),
    ] {
        let output = with_mesh(here, "vat.mesh", bytes, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(name), "{}", said(&output));
    }
}

/// Numbers of a table are those of the grains, or it is told that they are not; who is named twice is refused.
#[test]
fn ids_of_a_table_order_the_grains() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = head(2, 0.0, 0.01).replace("\"never\"", "0.01")
        + "[[fill]]\nmaterial = \"a\"\nfile = \"grains.csv\"\n";
    fs::write(here.join("some.toml"), text).unwrap();
    fs::write(
        here.join("grains.csv"),
        "x,y,r,id\n0.3,0.0,0.003,2\n0.1,0.0,0.001,0\n0.2,0.0,0.002,1\n",
    )
    .unwrap();
    let output = arenite(here, &["run", "some.toml", "-q", "-o", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(summary(&here.join("run"))["fills"][0]["outside"], 0);
    let grains = arenite::record::read::grains(&here.join("run")).unwrap();
    let (numbers, radii) = (
        grains.integers("grain").unwrap(),
        grains.floats("radius").unwrap(),
    );
    for (number, radius) in numbers.iter().zip(radii) {
        let number = number.unwrap() as f64;
        assert!((radius - 0.001 * (number + 1.0)).abs() < 1e-12);
    }
    let told = |table: &str, before: &str| {
        fs::write(here.join("grains.csv"), table).unwrap();
        let text = fs::read_to_string(here.join("some.toml")).unwrap();
        let text = text.replacen("[[fill]]", &format!("{before}[[fill]]"), 1);
        fs::write(here.join("more.toml"), text).unwrap();
        let output = arenite(here, &["check", "more.toml", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        json["warnings"].to_string()
    };
    let numbered = "x,y,r,id\n0.3,0.0,0.003,2\n0.1,0.0,0.001,1\n";
    let one = "[[fill]]\nmaterial = \"a\"\ngrains = [{ position = [0.9, 0.0], radius = 0.001 }]\n";
    assert!(told(numbered, "").contains("0 is the one whose `id` is 1"));
    assert_eq!(told(numbered, one), "[]");
    fs::write(
        here.join("grains.csv"),
        "x,y,r,id\n0.3,0.0,0.003,2\n0.1,0.0,0.001,2\n",
    )
    .unwrap();
    let output = arenite(here, &["check", "some.toml"]);
    assert!(
        output.status.code() == Some(2) && said(&output).contains("line 2 already"),
        "{}",
        said(&output)
    );
}

#[test]
fn check_tells_a_step_that_the_run_would_warn_of_and_counts_parts() {
    let two = "[[fill]]\nmaterial = \"a\"\ngrains = [{ position = [0.0, 0.0], radius = 0.004 }, { position = [0.02, 0.0], radius = 0.004 }]\n";
    let text = head(2, -9.81, 0.01).replace("normal_damping = 100.0", "normal_damping = 1.0");
    let chosen = |text: &str| match setup(text) {
        AnySetup::Planar(setup) => System::plan(&setup).unwrap(),
        AnySetup::Spatial(_) => panic!("planar"),
    };
    let plain = chosen(&(text.clone() + two));
    assert_eq!(plain.warnings, Vec::<String>::new());
    let long = text.replace(
        "end_time",
        &format!("step = {:?}\nend_time", 15.0 * plain.step),
    );
    let warnings = chosen(&(long + two)).warnings;
    assert!(
        warnings.len() == 1 && warnings[0].contains("14.8 times"),
        "{warnings:?}"
    );
    let shape = "[shape.s]\ndisks = [{ centre = [-0.5, 0.0], radius = 0.5 }, { centre = [0.0, 0.0], radius = 0.5 }, { centre = [0.5, 0.0], radius = 0.5 }]\n";
    let clumps = chosen(&(text + shape + &two.replace("grains =", "shape = \"s\"\ngrains =")));
    let each = |plan: &arenite::system::Plan| plan.seconds / plan.grain_steps;
    assert!(each(&clumps) > 3.0 * each(&plain));
}

/// A run with a feed is the same in one go and resumed while grains come.
#[test]
fn a_feed_goes_on_as_it_would_have() {
    let text = head(2, -9.81, 0.4)
        + &feed(2, "every = 0.003\ncount = 100000", 0.1)
        + "[[boundary]]\nname = \"floor\"\nmaterial = \"a\"\nplane = { point = [0, -0.05], normal = [0, 1] }\n";
    let AnySetup::Planar(setup) = setup(&text) else {
        panic!("planar")
    };
    let whole = figures(setup.clone());
    let mut first = setup.clone();
    first.run.end_time = 0.2;
    let mut system = System::new(first).unwrap();
    let never = AtomicBool::new(false);
    system
        .run(&mut MemorySink::default(), &mut Control::new(&never))
        .unwrap();
    let state = system.save().unwrap();
    let mut again = System::restore(setup.clone(), &state).unwrap();
    again.extend(setup.run.end_time);
    again.run(&mut NullSink, &mut Control::new(&never)).unwrap();
    assert_eq!(again.summary().grains, whole.grains);
}
