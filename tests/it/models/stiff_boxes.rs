//! Boxes of stiff glass spheres in which grains fly, collide at once, and are stepped where several meet: nearly all must fly, and what comes out
//! must be what comes out step by step.
//!
//! ```text
//! cargo test --release --test it stiff_boxes -- --include-ignored --nocapture
//! ```

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::Spatial;
use arenite::record::GrainRow;
use arenite::study::ensemble::equivalent;
use arenite::system::{EventLog, PeriodicAxis, Setup, System};
use arenite::walls::Motion;
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::support::{momenta, run, same_bits, written_spatial};

/// Radius of the spheres, m.
const RADIUS: f64 = 5e-4;

/// Edge of a cube, m, that so many spheres fill to a share.
fn edge(count: usize, filled: f64) -> f64 {
    let sphere = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    (count as f64 * sphere / filled).cbrt()
}

/// The six walls of a cube; the third is its floor.
fn planes(material: &str, length: f64) -> String {
    let sides = [
        (0, true),
        (1, true),
        (2, true),
        (0, false),
        (1, false),
        (2, false),
    ];
    let plane = |(axis, low): (usize, bool)| {
        let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
        point[axis] = if low { 0.0 } else { length };
        normal[axis] = if low { 1.0 } else { -1.0 };
        format!(
            "[[boundary]]\nname = \"w{axis}{low}\"\nmaterial = \"{material}\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\n"
        )
    };
    sides.map(plane).concat()
}

/// A weightless cube of spheres, each with a random velocity of up to 1 m/s along each axis; restitution 0.9, friction 0.3.
fn cube(count: usize, filled: f64, end: f64, seed: u64, walls: bool) -> Setup<Spatial> {
    let length = edge(count, filled);
    let mut text = format!(
        "name = \"cube\"\ndimension = 3\nseed = {seed}\n[run]\nend_time = {end}\ncollisions = true\n[log]\nseries = {}\nsnapshots = \"never\"\n\
         [material.glass]\ndensity = 2500.0\nyoung = 7e10\npoisson = 0.22\n[[law]]\nbetween = [\"glass\", \"glass\"]\n[law.hertz]\n\
         restitution = 0.9\nfriction = 0.3\n[[fill]]\nmaterial = \"glass\"\n[fill.lattice]\ncount = {count}\nradius = {RADIUS}\n\
         min = [0.0, 0.0, 0.0]\nmax = [{length}, {length}, {length}]\njitter = 0.9\nspeed = 1.0\n",
        end / 10.0
    );
    if walls {
        text += &planes("glass", length);
    }
    let mut setup = written_spatial(&text);
    if !walls {
        let axis = PeriodicAxis {
            origin: 0.0,
            length,
        };
        setup.space.periodic = vec![Some(axis); 3];
    }
    setup
}

/// Share of the grain-steps that were made.
fn share<D: Integrate>(system: &System<D>) -> f64 {
    system.summary().work.stepped_share().expect("steps")
}

#[test]
fn nearly_all_fly() {
    // Share of the volume that is filled, and the greatest share of the grain-steps that may be made.
    for (filled, most) in [(0.05, 2e-3), (0.2, 2e-3), (0.4, 0.05)] {
        let (system, _) = run(&cube(500, filled, 4e-3, 1, true));
        let summary = system.summary();
        println!("{filled}: {:.1e} of the grain-steps", share(&system));
        assert!(share(&system) < most, "{filled}: {}", share(&system));
        assert!(summary.work.collisions > 500, "{:?}", summary.work);
        assert!(summary.energy.balance_error < 1e-5, "{:?}", summary.energy);
    }
}

#[test]
fn momentum_is_kept_where_many_come_back() {
    let mut setup = cube(300, 0.4, 1e-3, 3, false);
    let before = momenta(&setup.grains).0;
    setup.log.series = None;
    let (system, _) = run(&setup);
    let grains = system.grains_at(setup.run.end_time);
    let after = momenta(&grains).0;
    let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
    assert!(share(&system) > 1e-4, "some are stepped");
    assert!(
        (after - before).norm() < 1e-9 * mass,
        "{after:?} {before:?}"
    );
}

/// So many spheres that lists are cut into bands, while some leave them and come back; the first look asks one in 32.
#[test]
fn grains_come_back_into_bands() {
    let mut setup = cube(17_000, 0.4, 6e-5, 5, true);
    setup.log.series = None;
    let (system, _) = run(&setup);
    let summary = system.summary();
    let morphs = summary.events.by_kind["morph"];
    println!("{morphs} morphs, {:.2} of the grain-steps", share(&system));
    assert!(morphs > 3_000, "{morphs}");
    // Each return cuts the lists further: when that has cost enough all pairs are arranged anew.
    let classes = system.dem().world.contacts.pairs.iter();
    let blocks: usize = classes.map(|class| class.blocks.len()).sum();
    let renewals = system.dem().book.counts.renewals;
    println!("{blocks} blocks, {renewals} renewals");
    assert!(blocks < 1_000, "{blocks}");
    assert!(summary.energy.balance_error < 3e-5, "{:?}", summary.energy);
}

#[test]
fn logs_and_saved_states_change_nothing() {
    let whole = same_bits(&cube(300, 0.4, 6e-4, 2, true), "stiff");
    let made = share(&whole);
    assert!(made > 1e-3 && made < 0.5, "{made}");
}

/// Energy that is left in 24 boxes each way.
#[test]
#[ignore = "minutes"]
fn boxes_cool_alike() {
    for filled in [0.05, 0.2, 0.4] {
        let all = |collide: bool| -> Vec<[f64; 2]> {
            let of = |seed: u64| {
                let mut setup = cube(200, filled, 3e-3, seed, true);
                if !collide {
                    setup.motion.collisions = None;
                }
                let (system, _) = run(&setup);
                let energy = system.summary().energy;
                let moving: f64 = setup
                    .grains
                    .iter()
                    .map(|grain| grain.kinetic_energy())
                    .sum();
                [energy.kinetic / moving, share(&system)]
            };
            (1..=24).map(of).collect()
        };
        let (flown, stepped) = (all(true), all(false));
        let of =
            |runs: &[[f64; 2]], k: usize| -> Vec<f64> { runs.iter().map(|run| run[k]).collect() };
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let (x, y) = (of(&stepped, 0), of(&flown, 0));
        let test = equivalent(&x, &y, 0.05 * mean(&x), 0.05).expect("runs enough");
        println!(
            "{filled}: {:.4} of the energy left, stepped {:.4}; {:.1e} of the grain-steps; {test:?}",
            mean(&y),
            mean(&x),
            mean(&of(&flown, 1))
        );
        assert!(test.equivalent, "{filled}: {test:?}");
    }
}

/// Laws and terms, with the keys of each; the spheres' contacts last some 1e-5 s.
const LAWS: [(&str, &str); 15] = [
    ("linear", ""),
    ("hertz", "hertz = { restitution = 0.8, friction = 0.3 }"),
    (
        "viscoelastic",
        "viscoelastic = { dissipation = 5e-7, friction = 0.3 }",
    ),
    (
        "hertz_hysteretic",
        "hertz_hysteretic = { squared_restitution = 0.64, friction = 0.3, smoothing_speed = 0.05 }",
    ),
    (
        "thornton_ning",
        "thornton_ning = { yield_pressure = 2e7, restitution = 0.9, friction = 0.3 }",
    ),
    ("a constant pull", "cohesion = { force = 0.02 }"),
    ("a pull by radius", "cohesion = { dmt = 5.0 }"),
    ("a pull by area", "cohesion = { area = 5e6 }"),
    (
        "a fading pull",
        "cohesion = { fading = { force = 0.02, stiffness = 1e4 } }",
    ),
    (
        "adhesion",
        "hertz = { restitution = 0.8, friction = 0.3 }\ncohesion = { jkr = 10.0 }",
    ),
    (
        "plastic",
        "plastic = { unloading_stiffness = 1.5e5, cohesion_stiffness = 0.0 }",
    ),
    ("rolling", "rolling = { friction = 0.1 }"),
    (
        "smooth rolling",
        "rolling = { friction = 0.1, smoothing_speed = 0.05 }",
    ),
    ("twisting", "twisting = { friction = 0.1 }"),
    ("the spring limited", "coulomb_limit = \"spring\""),
];

/// A cube of 60 spheres of a law, 20 % filled.
fn cube_of(law: &str, seed: u64, run: &str) -> Setup<Spatial> {
    let linear = "linear = { normal_stiffness = 1e5, tangential_stiffness = 8e4, normal_damping = 0.036, tangential_damping = 0.02, friction = 0.3 }";
    let own = ["linear", "hertz", "viscoelastic", "thornton"].map(|name| law.starts_with(name));
    let law = match own.contains(&true) {
        true => law.into(),
        false => format!("{linear}\n{law}"),
    };
    let (length, end) = (edge(60, 0.2), 3e-3);
    written_spatial(&format!(
        "name = \"cube\"\ndimension = 3\nseed = {seed}\n[run]\nend_time = {end}\n{run}\n[log]\nseries = {end}\nsnapshots = \"never\"\n\
         events = \"links\"\n[material.m]\ndensity = 2500.0\nyoung = 1e9\npoisson = 0.3\n[[law]]\nbetween = [\"m\", \"m\"]\n{law}\n[[fill]]\n\
         material = \"m\"\n[fill.lattice]\ncount = 60\nradius = {RADIUS}\nmin = [0.0, 0.0, 0.0]\nmax = [{length}, {length}, {length}]\n\
         jitter = 0.9\nspeed = 1.0\n{}",
        planes("m", length)
    ))
}

/// Energy left and that of spins, number of contacts, and the mean load of the six walls, each over what fits of the energy at the start, of 128 boxes
/// each way and each law.
#[test]
#[ignore = "minutes"]
fn every_law_agrees() {
    const NAMES: [&str; 4] = ["energy", "energy of spins", "contacts", "load of walls"];
    let of = |law: &str, seed: u64, how: &str| -> [f64; 5] {
        let (system, sink) = run(&cube_of(law, seed, how));
        let summary = system.summary();
        let formed = |row: &&arenite::record::EventRow| row.kind == EventKind::InsertLink;
        let links = sink.events.iter().filter(formed).count() as u64;
        let grains = system.grains_at(3e-3);
        let moving: f64 = grains
            .iter()
            .map(|grain| 0.5 * grain.mass * grain.velocity.norm_squared())
            .sum();
        let row = sink.series.last().expect("a row");
        let energy = summary.energy.kinetic;
        // Over what the run began with, which scatters by far more.
        let first = sink.series[0].kinetic;
        let load: f64 = row
            .walls
            .iter()
            .flat_map(|wall| &wall[..3])
            .map(|force| force.abs())
            .sum();
        [
            energy / first,
            (energy - moving) / first,
            (links + summary.work.collisions) as f64 / first.sqrt(),
            load / first,
            summary.work.stepped_share().expect("steps"),
        ]
    };
    let mut missed = Vec::new();
    for (name, law) in LAWS {
        let all = |how: &str| -> Vec<[f64; 5]> {
            let seeds: Vec<u64> = (1..=128).collect();
            seeds.par_iter().map(|&seed| of(law, seed, how)).collect()
        };
        let (stepped, flown) = (all("flight = false"), all("collisions = true"));
        let of =
            |runs: &[[f64; 5]], k: usize| -> Vec<f64> { runs.iter().map(|run| run[k]).collect() };
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        println!("{name}: {:.2} of the grain-steps", mean(&of(&flown, 4)));
        for (k, what) in NAMES.iter().enumerate() {
            let (x, y) = (of(&stepped, k), of(&flown, k));
            let test = equivalent(&x, &y, 0.05 * mean(&x), 0.05).expect("runs enough");
            println!(
                "  {what}: {:.4e}, stepped {:.4e}; {test:?}",
                mean(&y),
                mean(&x)
            );
            if !test.equivalent {
                missed.push(format!("{name}: {what}: {test:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Kinetic energy, but for the motion up and down of the middle, of spheres over a floor that swings: mean over time, 96 beds each way.
#[test]
#[ignore = "minutes"]
fn shaken_beds_have_one_temperature() {
    let of = |seed: u64, how: &str| -> f64 {
        let end = 0.06;
        let mut setup = cube_of("", seed, how);
        setup.run.end_time = end;
        setup.log.series = None;
        setup.log.snapshots = Some(1e-4);
        setup.log.events = EventLog::None;
        setup.fields.gravity.z = -9.81;
        let floor = &mut setup.boundaries[2];
        floor.motion = Motion::Harmonic {
            amplitude: Vector3::new(0.0, 0.0, 2e-4),
            frequency: 200.0,
            phase: 0.0,
        };
        let (_, sink) = run(&setup);
        let late = sink
            .snapshots
            .iter()
            .filter(|(grains, _)| grains[0].time > 0.02);
        let temperatures = late.map(|(grains, _)| {
            let count = grains.len() as f64;
            let middle = grains.iter().map(|grain| grain.velocity[2]).sum::<f64>() / count;
            let square = |grain: &GrainRow| {
                let [u, v, w] = grain.velocity;
                u * u + v * v + (w - middle).powi(2)
            };
            grains.iter().map(square).sum::<f64>() / (3.0 * count)
        });
        let all: Vec<f64> = temperatures.collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let all = |how: &str| -> Vec<f64> {
        let seeds: Vec<u64> = (1..=96).collect();
        seeds.par_iter().map(|&seed| of(seed, how)).collect()
    };
    let (stepped, flown) = (all("flight = false"), all("collisions = true"));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let test = equivalent(&stepped, &flown, 0.05 * mean(&stepped), 0.05).expect("runs enough");
    println!(
        "{:.4e}, stepped {:.4e} m^2/s^2; {test:?}",
        mean(&flown),
        mean(&stepped)
    );
    assert!(test.equivalent, "{test:?}");
}
