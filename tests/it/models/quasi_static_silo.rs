//! The quasi-static silo: equilibrium, friction, weight and energy after each grain; all solvers.

use std::sync::atomic::AtomicBool;

use arenite::body::Formed;
use arenite::geometry::Vector;
use arenite::record::{BodyRef, MemorySink, Sink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Driver, Outcome, QuasiStatic, Setup};

fn setup(name: &str, overrides: &[&str]) -> AnySetup {
    let overrides: Vec<Override> = overrides
        .iter()
        .map(|text| Override::set(text).expect("an override"))
        .collect();
    let scenario = Scenario::load(name, &overrides).expect("the scenario is sound");
    scenario.resolve().expect("it resolves").setup
}

fn fill<D: Formed>(setup: Setup<D>, sink: &mut dyn Sink) -> QuasiStatic<'static, D> {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    let mut run = QuasiStatic::new(setup, None).expect("a quasi-static setup");
    let outcome = run.run(sink, &mut control).expect("the run goes through");
    assert_eq!(outcome, Outcome::Finished);
    run
}

pub fn planar(
    name: &str,
    overrides: &[&str],
) -> (QuasiStatic<'static, arenite::geometry::Planar>, MemorySink) {
    let AnySetup::Planar(setup) = setup(name, overrides) else {
        panic!("{name} is planar");
    };
    let mut sink = MemorySink::default();
    (fill(setup, &mut sink), sink)
}

/// Greatest part of a grain's weight that its links leave unbalanced, and of the whole weight that
/// the walls leave unheld; both are rounding when displacements are right.
fn imbalance<D: Formed>(run: &QuasiStatic<D>) -> (f64, f64) {
    let packing = run.packing();
    let m = packing.network().per_node();
    let residual = packing.residual();
    let g = run.setup().fields.gravity.norm();
    let mut worst: f64 = 0.0;
    let mut whole = D::Vector::default();
    let mut grains = run.setup().grains.iter();
    for (node, body) in run.bodies().iter().enumerate() {
        match body {
            BodyRef::Grain(_) => {
                let weight = grains.next().expect("a grain for each node").mass * g;
                let row = packing.network().row(node).expect("a grain is free");
                for k in 0..D::N {
                    worst = worst.max(residual[row * m + k].abs() / weight);
                }
                whole += run.setup().fields.gravity * (weight / g);
            }
            _ => {
                let reaction = packing.reaction(node);
                whole += D::Vector::from_fn(|k| reaction[k]);
            }
        }
    }
    let all: f64 = run.setup().grains.iter().map(|grain| grain.mass * g).sum();
    (worst, whole.norm() / all)
}

#[test]
fn every_grain_is_in_equilibrium_after_each_step() {
    let AnySetup::Planar(full) = setup("silo", &["seed=3"]) else {
        panic!("the silo is planar");
    };
    // The state after grain n is that of a filling that ends there.
    for grains in [1usize, 7, 40, 120] {
        let mut part = full.clone();
        part.grains.truncate(grains);
        part.run.end_time = grains as f64;
        let run = fill(part, &mut MemorySink::default());
        let (worst, whole) = imbalance(&run);
        // The bound; displacements of 1e-6 m against places of 1 m lose six digits at
        // worst, which leaves 1e-10.
        assert!(
            worst < 1e-9,
            "{grains} grains: {worst:e} of a weight unbalanced"
        );
        assert!(
            whole < 1e-12 * grains as f64 + 1e-11,
            "{grains} grains: {whole:e}"
        );
    }
}

#[test]
fn no_link_pulls_and_none_passes_coulombs_bound() {
    let (run, _) = planar("silo", &["seed=2", "run.end_time=200"]);
    let packing = run.packing();
    let rounding = 1e-9 * 0.01;
    let mut at_bound = 0;
    for (key, link) in packing.network().links().iter().enumerate() {
        let stress = packing.stress(key);
        if !stress.on || stress.held {
            continue;
        }
        let bound = link.friction * stress.normal;
        assert!(
            stress.normal > -rounding,
            "link {key} pulls: {}",
            stress.normal
        );
        let shear = stress.tangential.norm();
        assert!(shear < bound + rounding, "link {key}: {shear} over {bound}");
        at_bound += u32::from(shear > bound - rounding);
    }
    // The test would say nothing if friction were never fully used.
    assert!(at_bound > 10, "only {at_bound} links at the bound");
    // What could not come to rest is told, and is a rare exception.
    let held = packing.network().links().len();
    let held = (0..held).filter(|&key| packing.stress(key).held).count();
    assert!(held <= 2, "{held} links are held");
}

#[test]
fn the_energy_book_closes() {
    let (run, sink) = planar("silo", &["seed=1", "run.end_time=150"]);
    let energy = run.summary().energy;
    // Potential energy released goes into springs, slides and what sudden loads leave over, each
    // summed by itself; what is missing is rounding of potentials of metres against micrometres.
    assert!(energy.balance_error < 1e-6, "{:e}", energy.balance_error);
    assert!(energy.dissipated.slip > 0.0 && energy.dissipated.morph > 0.0);
    let summed: f64 = sink.avalanches.iter().map(|row| row.energy).sum();
    let close = (summed - energy.dissipated.slip).abs() <= 1e-9 * summed;
    assert!(
        close,
        "avalanches {summed:e}, slip {:e}",
        energy.dissipated.slip
    );
}

#[test]
fn all_solvers_give_the_same_forces() {
    let forces = |solver: &str| {
        let set = format!("quasi_static.solver={solver:?}");
        let (run, _) = planar("silo", &["seed=4", "run.end_time=80", &set]);
        let packing = run.packing();
        let links = packing.network().links().len();
        (0..links)
            .map(|key| packing.stress(key))
            .map(|s| (s.on, s.normal, s.tangential))
            .collect::<Vec<_>>()
    };
    let reference = forces("rima");
    let greatest = reference.iter().map(|s| s.1).fold(0.0, f64::max);
    for solver in ["factor", "cg", "auto"] {
        for (key, (a, b)) in reference.iter().zip(forces(solver)).enumerate() {
            assert_eq!(a.0, b.0, "{solver}: link {key}");
            // Slides converge to 1e-10 of a weight; their order amplifies that (the reference
            // case of thirty grains says 1e-8 of the greatest).
            let off = (a.1 - b.1).abs().max((a.2 - b.2).norm());
            assert!(
                off < 1e-7 * greatest,
                "{solver}: link {key} is off by {off:e}"
            );
        }
    }
}

#[test]
fn a_bridge_shares_its_load_when_it_closes() {
    let (run, sink) = planar("bridge", &[]);
    let weight: f64 = run.setup().grains.iter().map(|g| g.mass * 9.8).sum();
    let held = |row: usize| {
        let walls = &sink.series[row].walls;
        (-walls[0][1], -walls[1][1])
    };
    // Nine disks hang on the left wall alone; with the tenth the row is its own mirror image, and
    // each wall holds half.
    let (left, right) = held(9);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * weight, "{a} is not {b}");
    close(left, 0.9 * weight);
    close(right, 0.0);
    let (left, right) = held(10);
    close(left, 0.5 * weight);
    close(right, 0.5 * weight);
}

#[test]
fn spheres_rest_in_a_cylinder() {
    let AnySetup::Spatial(setup) = setup("silo-3d", &["run.end_time=60"]) else {
        panic!("silo-3d is spatial");
    };
    let mut part = setup;
    part.grains.truncate(60);
    let run = fill(part, &mut MemorySink::default());
    let (worst, whole) = imbalance(&run);
    assert!(worst < 1e-9 && whole < 1e-9, "{worst:e} {whole:e}");
    for (key, link) in run.packing().network().links().iter().enumerate() {
        let stress = run.packing().stress(key);
        if stress.on && !stress.held {
            let over = stress.tangential.norm() - link.friction * stress.normal;
            assert!(over < 1e-9, "link {key}: {over:e}");
        }
    }
}
