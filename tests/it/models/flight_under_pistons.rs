//! Grains that fly between walls that forces move: these are met step by step, where they are by then.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial};
use arenite::record::{MemorySink, Summary};
use arenite::scenario::AnySetup;
use arenite::study::ensemble::equivalent;
use arenite::system::Setup;
use rayon::prelude::*;

use crate::support::{self, written};

/// What came of a scenario.
fn outcome(text: &str) -> (MemorySink, Summary) {
    fn run<D: Integrate>(setup: &Setup<D>) -> (MemorySink, Summary) {
        let (system, sink) = support::run(setup);
        (sink, system.summary())
    }
    match written(text) {
        AnySetup::Planar(setup) => run(&setup),
        AnySetup::Spatial(setup) => run(&setup),
    }
}

const STIFF: &str = "linear = { normal_stiffness = 2e7, tangential_stiffness = 0.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }";

/// A lid of 2 kg that 4 N push across a ball at rest, 5 cm on: it strikes with the speed of even acceleration, and a collision without loss gives the
/// ball 2 M / (M + m) of that.
fn struck<D: Integrate>() {
    let up = D::N - 1;
    let along = |length: f64| {
        let mut x = vec![0.0; D::N];
        x[up] = length;
        format!("{x:?}")
    };
    for how in ["collisions = true", "flight = true"] {
        let text = format!(
            "name = \"struck\"\ndimension = {}\n[run]\nend_time = 0.3\n{how}\n[log]\nseries = 0.01\nsnapshots = 0.1\n[material.m]\n\
             density = 1000.0\n[[law]]\nbetween = [\"m\", \"m\"]\n{STIFF}\n[[boundary]]\nname = \"lid\"\nmaterial = \"m\"\n\
             plane = {{ point = {}, normal = {} }}\nmotion = {{ guided = {{ along = {}, mass = 2.0, force = 4.0 }} }}\n[[fill]]\n\
             material = \"m\"\ngrains = [{{ position = {}, radius = 0.01 }}]\n",
            D::N,
            along(0.0),
            along(1.0),
            along(1.0),
            along(0.06)
        );
        let (sink, summary) = outcome(&text);
        assert!(summary.regimes.flight > 0.9, "{:?}", summary.regimes);
        assert!(summary.energy.balance_error < 1e-5, "{:?}", summary.energy);
        // The lid is there after sqrt(2 s M / F).
        let there = (2.0f64 * 0.05 * 2.0 / 4.0).sqrt();
        let speed = 2.0 * there;
        let grains = &sink.snapshots.last().unwrap().0;
        let (x, v) = (grains[0].position[up], grains[0].velocity[up]);
        let wanted = 2.0 * 2.0 / (2.0 + grains[0].mass) * speed;
        assert!((v / wanted - 1.0).abs() < 2e-3, "{v} {wanted}");
        // A contact takes 0.4 ms.
        let place = 0.06 + wanted * (0.3 - there);
        assert!((x - place).abs() < 2e-3 * wanted, "{x} {place}");
    }
}

#[test]
fn a_lid_strikes_a_ball_where_it_is() {
    struck::<Planar>();
    struck::<Spatial>();
}

/// A gas of disks under a piston with the weight of its pressure: mean way of the piston and kinetic energy as when all are stepped.
#[test]
fn a_gas_bears_a_piston_as_when_stepped() {
    let of = |seed: u64, how: &str| -> ([f64; 2], Summary) {
        let text = format!(
            "name = \"piston\"\ndimension = 2\nseed = {seed}\n[run]\nend_time = 1.5\n{how}\n[log]\nseries = 0.01\nsnapshots = \"never\"\n\
             [material.m]\ndensity = 1000.0\n[[law]]\nbetween = [\"m\", \"m\"]\n{STIFF}\n[[boundary]]\nname = \"cup\"\nmaterial = \"m\"\n\
             polyline = {{ points = [[0.0, 2.0], [0.0, 0.0], [0.5, 0.0], [0.5, 2.0]] }}\n[[boundary]]\nname = \"lid\"\nmaterial = \"m\"\n\
             plane = {{ point = [0.0, 0.5], normal = [0.0, -1.0] }}\n\
             motion = {{ guided = {{ along = [0.0, 1.0], mass = 3.0, force = -10.0 }} }}\n[[fill]]\nmaterial = \"m\"\n[fill.lattice]\n\
             count = 60\nradius = 0.005\nmin = [0.0, 0.0]\nmax = [0.5, 0.49]\njitter = 0.9\nspeed = 2.0\n"
        );
        let (sink, summary) = outcome(&text);
        let late: Vec<_> = sink.series.iter().filter(|row| row.time > 0.3).collect();
        let mean = |of: &dyn Fn(&arenite::record::SeriesRow) -> f64| {
            late.iter().map(|row| of(row)).sum::<f64>() / late.len() as f64
        };
        let means = [mean(&|row| row.shifts[1][1]), mean(&|row| row.kinetic)];
        (means, summary)
    };
    let all = |how: &str| -> Vec<([f64; 2], Summary)> {
        let seeds: Vec<u64> = (1..=24).collect();
        seeds.par_iter().map(|&seed| of(seed, how)).collect()
    };
    let (stepped, flown) = (all("flight = false"), all("collisions = true"));
    for (_, summary) in &flown {
        assert!(summary.energy.balance_error < 1e-4, "{:?}", summary.energy);
        assert!(summary.work.collisions > 100);
        let share = summary.work.stepped_share().expect("steps");
        assert!(share < 0.3, "{share}");
    }
    // The piston's height itself is 0.5 m and more.
    for (k, (what, margin)) in [("way of the piston", 0.03), ("kinetic energy", 0.25)]
        .into_iter()
        .enumerate()
    {
        let of = |runs: &[([f64; 2], Summary)]| -> Vec<f64> {
            runs.iter().map(|(means, _)| means[k]).collect()
        };
        let test = equivalent(&of(&stepped), &of(&flown), margin, 0.05).expect("runs enough");
        println!("{what}: {test:?}");
        assert!(test.equivalent, "{what}: {test:?}");
    }
}
