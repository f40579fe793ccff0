//! Collisions of elastic spheres in a periodic box for each second of processor time, and bytes a sphere.
//!
//! `cargo bench --bench gas -- 22 0.3`: 22^3 spheres, 0.3 of the box filled; without numbers all of
//! 10,648, 97,336 and 1,000,000 spheres at 0.1, 0.3 and 0.5. The best of twelve parts of a run in
//! a steady state is told beside the mean: on a busy machine the best says more.

use arenite::collide::engine::{Body, Engine, Laws, Limits, Rule, Setup};
use arenite::geometry::{Dimension, Spatial, Vector};
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
        min: Vector3::zeros(),
        max: Vector3::repeat(spacing * n as f64),
        periodic: [true; 3],
        gravity: Vector3::zeros(),
        walls: Vec::new(),
        species: 1,
        rules: vec![Rule::smooth(1.0)],
        laws: Laws::default(),
        limits: Limits::default(),
        time: 0.0,
    }
}

fn main() {
    let numbers: Vec<f64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let (sizes, densities) = match numbers[..] {
        [n, filled, ..] => (vec![n as usize], vec![filled]),
        _ => (vec![22, 46, 100], vec![0.1, 0.3, 0.5]),
    };
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
        each(now.predictions, before.predictions),
        each(now.tests, before.tests),
        each(now.crossings, before.crossings),
        each(now.stale, before.stale),
    );
    // What is measured must be right: energy is kept.
    let energy: f64 = (0..engine.len())
        .map(|i| Vector::norm_squared(&engine.moment(i).velocity))
        .sum();
    assert!(energy.is_finite());
}
