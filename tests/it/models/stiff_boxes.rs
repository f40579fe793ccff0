//! Boxes of stiff glass spheres in which grains fly, collide at once, and are stepped where several meet: nearly all must fly, and what comes out
//! must be what comes out step by step.
//!
//! ```text
//! cargo test --release --test it stiff_boxes -- --include-ignored --nocapture
//! ```

use arenite::cluster::integrate::Integrate;
use arenite::geometry::Spatial;
use arenite::record::MemorySink;
use arenite::study::ensemble::equivalent;
use arenite::system::{EventLog, PeriodicAxis, Setup, System};

use crate::support::{Checkpoints, finish, momenta, run, written_spatial};

/// Radius of the spheres, m.
const RADIUS: f64 = 5e-4;

/// Edge of a cube, m, that so many spheres fill to a share.
fn edge(count: usize, filled: f64) -> f64 {
    let sphere = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    (count as f64 * sphere / filled).cbrt()
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
        for (axis, low) in [
            (0, true),
            (1, true),
            (2, true),
            (0, false),
            (1, false),
            (2, false),
        ] {
            let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
            point[axis] = if low { 0.0 } else { length };
            normal[axis] = if low { 1.0 } else { -1.0 };
            text += &format!(
                "[[boundary]]\nname = \"w{axis}{low}\"\nmaterial = \"glass\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\n"
            );
        }
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

#[test]
fn logs_and_saved_states_change_nothing() {
    let setup = cube(300, 0.4, 6e-4, 2, true);
    let end = setup.run.end_time;
    let mut kept = setup.clone();
    kept.log.checkpoint = Some(0.37 * end);
    let mut whole = System::new(kept.clone()).unwrap();
    let mut states = Checkpoints::default();
    finish(&mut whole, &mut states);
    let made = share(&whole);
    assert!(made > 1e-3 && made < 0.5, "{made}");
    assert!(states.states.len() > 1);
    for state in &states.states {
        let mut resumed = System::restore(kept.clone(), state).unwrap();
        finish(&mut resumed, &mut MemorySink::default());
        assert_eq!(resumed.state_hash(), whole.state_hash());
    }
    let mut logged = setup.clone();
    logged.log.series = Some(end / 77.0);
    logged.log.snapshots = Some(end / 13.0);
    logged.log.events = EventLog::Links;
    assert_eq!(run(&logged).0.state_hash(), whole.state_hash());
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
