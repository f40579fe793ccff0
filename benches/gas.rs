//! Collisions of elastic spheres in a periodic box for each second of processor time, and bytes a sphere.
//!
//! `cargo bench --bench gas -- 22 0.3`: 22^3 spheres, 0.3 of the box filled; without numbers all of
//! 10,648, 97,336 and 1,000,000 spheres at 0.1, 0.3 and 0.5. The best of twelve parts of a run in
//! a steady state is told beside the mean: on a busy machine the best says more.
//!
//! `cargo bench --bench gas -- kinds 22 0.3`: what a collision costs by what decides it, over that of hard
//! elastic spheres, in parts taken in turn.

use arenite::collide::engine::{Body, ByLaw, Engine, Laws, Limits, Rule, Setup};
use arenite::contact::{ContactLaw, ContactTerms, Linear, LinearPerMass, Viscoelastic};
use arenite::geometry::{Dimension, Spatial, Vector};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Shape};
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Processor time of this thread, s: the user's part from the kernel's book.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after.split(' ').nth(11).and_then(|t| t.parse::<f64>().ok());
    ticks.unwrap_or(0.0) / 100.0
}

/// n^3 spheres on a lattice, which melts at once at these densities.
fn lattice(n: usize, filled: f64) -> Setup<Spatial> {
    let spacing = libm::cbrt(std::f64::consts::PI / 6.0 / filled);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut draw = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let bodies = (0..n * n * n)
        .map(|index| {
            let step = |k: u32| ((index / n.pow(k) % n) as f64 + 0.5) * spacing;
            Body {
                position: Vector3::new(step(0), step(1), step(2)),
                velocity: Vector3::new(draw(), draw(), draw()),
                spin: Vector3::zeros(),
                rotation: Spatial::identity(),
                radius: 0.5,
                mass: 1.0,
                species: 0,
            }
        })
        .collect();
    Setup {
        bodies,
        coming: Vec::new(),
        min: Vector3::zeros(),
        max: Vector3::repeat(spacing * n as f64),
        periodic: [true; 3],
        gravity: Vector3::zeros(),
        fields: None,
        walls: Vec::new(),
        species: 1,
        rules: vec![Rule::smooth(1.0)],
        laws: Laws::default(),
        limits: Limits::default(),
        shear: None,
        time: 0.0,
    }
}

fn main() {
    let numbers: Vec<f64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let (sizes, densities) = match numbers[..] {
        [n, filled, ..] => (vec![n as usize], vec![filled]),
        _ => (vec![22, 46, 100], vec![0.1, 0.3, 0.5]),
    };
    if std::env::args().any(|a| a == "kinds") {
        let all = [(22, 0.05), (22, 0.1), (22, 0.3), (22, 0.5)];
        let some = [(sizes[0], densities[0])];
        let asked = if numbers.len() < 2 { &all[..] } else { &some };
        for &(n, filled) in asked {
            kinds(n, filled);
        }
        return;
    }
    println!(
        "spheres  filled  best k/s  mean k/s  bytes  a collision: foreseen, tested, crossings, stale"
    );
    for &n in &sizes {
        for &filled in &densities {
            measure(n, filled);
        }
    }
}

fn measure(n: usize, filled: f64) {
    const PARTS: u64 = 12;
    let count = (n * n * n) as u64;
    let Ok(mut engine) = Engine::new(lattice(n, filled)) else {
        println!("{count} spheres at {filled} do not fit");
        return;
    };
    let warm = count * if count > 50_000 { 10 } else { 60 };
    let part = 400_000;
    engine.run(f64::INFINITY, warm);
    let before = *engine.tally();
    let (mut best, begin) = (0.0f64, processor_time());
    for k in 1..=PARTS {
        let (from, done) = (processor_time(), engine.tally().collisions);
        engine.run(f64::INFINITY, warm + k * part);
        let done = (engine.tally().collisions - done) as f64;
        best = best.max(done / (processor_time() - from));
    }
    let all = (PARTS * part) as f64;
    let mean = all / (processor_time() - begin);
    let now = engine.tally();
    let each = |a: u64, b: u64| (a - b) as f64 / all;
    println!(
        "{count:7}  {filled:6}  {:8.0}  {:8.0}  {:5.0}  {:.2}, {:.1}, {:.2}, {:.2}",
        best / 1e3,
        mean / 1e3,
        engine.bytes() as f64 / count as f64,
        each(now.work.predictions, before.work.predictions),
        each(now.work.tests, before.work.tests),
        each(now.work.crossings, before.work.crossings),
        each(now.work.stale, before.work.stale),
    );
    // What is measured must be right: energy is kept.
    let energy: f64 = (0..engine.len())
        .map(|i| Vector::norm_squared(&engine.moment(i).velocity))
        .sum();
    assert!(energy.is_finite());
}

/// Springs without loss whose contacts take a hundredth of the time between two collisions of a grain,
/// and viscoelastic spheres that hardly lose anything: a gas that does not cool.
fn laws(filled: f64) -> [(&'static str, Laws); 4] {
    // Time between collisions by Enskog at temperature 1.
    let g = (1.0 - 0.5 * filled) / (1.0 - filled).powi(3);
    let density = filled * 6.0 / std::f64::consts::PI;
    let free = 1.0 / (4.0 * density * g * std::f64::consts::PI.sqrt());
    let root = 0.01 * free / std::f64::consts::PI;
    let linear = |friction: f64| {
        ContactLaw::LinearPerMass(LinearPerMass(Linear {
            normal_stiffness: 0.5 / (root * root),
            tangential_stiffness: 0.28 / (root * root),
            normal_damping: 0.0,
            tangential_damping: 0.0,
            friction,
        }))
    };
    let viscoelastic = ContactLaw::Viscoelastic(Viscoelastic {
        young: 1e9,
        shear: 4e8,
        dissipation: 1e-10,
        friction: 0.0,
    });
    let by_law = |law: ContactLaw, soft: bool| Laws {
        pairs: vec![Some(ByLaw {
            law,
            terms: ContactTerms::default(),
            soft,
        })],
        ..Laws::default()
    };
    [
        ("restitution by speed", by_law(viscoelastic, false)),
        ("friction by table", by_law(linear(0.01), false)),
        ("soft, linear", by_law(linear(0.0), true)),
        ("soft, viscoelastic", by_law(viscoelastic, true)),
    ]
}

/// Collisions of several kinds in turn, over hard elastic ones.
fn kinds(n: usize, filled: f64) {
    let mut engines = Vec::new();
    let mut add = |name: &'static str, setup: Setup<Spatial>| match Engine::new(setup) {
        Ok(engine) => engines.push((name, engine, Vec::new())),
        Err(error) => println!("{name}: {error}"),
    };
    add("hard, elastic", lattice(n, filled));
    let mut lossy = lattice(n, filled);
    lossy.rules = vec![Rule::smooth(0.999_999)];
    add("hard, restitution", lossy);
    let mut boxed = lattice(n, filled);
    boxed.periodic[2] = false;
    for up in [1.0, -1.0] {
        let plane = Shape::Plane(shapes::Plane {
            point: if up > 0.0 { boxed.min } else { boxed.max },
            normal: Vector3::z() * up,
        });
        boxed.walls.push(Boundary::standing(plane, 0));
    }
    let mut heavy = boxed.clone();
    add("floor and ceiling", boxed);
    // The weight of a column is that of the temperature.
    heavy.gravity = Vector3::z() * (-1.0 / heavy.max.z);
    add("the same with gravity", heavy);
    for (name, laws) in laws(filled) {
        let mut setup = lattice(n, filled);
        setup.laws = laws;
        add(name, setup);
    }
    let warm = 20 * (n * n * n) as u64;
    let part = 400_000;
    for round in 0..9 {
        for (_, engine, costs) in &mut engines {
            let done = |e: &Engine<Spatial>| e.tally().collisions + e.tally().wall_hits;
            let until = done(engine) + if round == 0 { warm } else { part };
            let (from, collisions) = (processor_time(), engine.tally().collisions);
            engine.run(f64::INFINITY, until);
            let spent = processor_time() - from;
            if round > 0 {
                costs.push(spent / (engine.tally().collisions - collisions) as f64 * 1e9);
            }
        }
    }
    let least = |costs: &[f64]| costs.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = |costs: &[f64]| costs.iter().sum::<f64>() / costs.len() as f64;
    let unit = [least(&engines[0].2), mean(&engines[0].2)];
    println!("{} spheres, filled {filled}: a collision", n * n * n);
    for (name, engine, costs) in &engines {
        let soft = engine.tally().soft;
        let exceptions = (soft.blocked + soft.interrupted) as f64 / soft.begun.max(1) as f64;
        println!(
            "{name:24} {:6.0} ns best, {:6.0} mean; over hard elastic {:.2}, {:.2}; exceptions {exceptions:.4}, solved {}",
            least(costs),
            mean(costs),
            least(costs) / unit[0],
            mean(costs) / unit[1],
            soft.solved,
        );
    }
}
