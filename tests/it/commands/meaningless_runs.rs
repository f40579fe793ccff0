//! Runs that no longer mean anything say so, and rounding alone is no error.

use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial};
use arenite::record::MemorySink;
use arenite::system::{Control, Setup, System, SystemError};

use crate::support::*;

const RADIUS: f64 = 0.01;

/// A grain on a floor so soft that at rest it overlaps by that many radii. Critical damping, so that
/// it comes to it without going beyond.
fn pressed<D: Integrate>(share: f64) -> Setup<D> {
    let (mass, g) = (0.05, 10.0);
    let k = mass * g / (share * RADIUS);
    let damping = 2.0 * (k * mass).sqrt();
    let mut setup: Setup<D> = empty(linear(k, 0.0, damping, 0.0, 0.0), 1e-5, 0.5);
    setup.motion.stable_dwell = 1e-3;
    setup.fields.gravity = place::<D>(0.0, -g);
    floor(&mut setup);
    let still = D::Vector::default;
    add(&mut setup, RADIUS, mass, place::<D>(0.0, RADIUS), still());
    setup
}

fn run_on<D: Integrate>(setup: Setup<D>) -> (Result<(), SystemError>, System<D>, MemorySink) {
    let mut system = System::new(setup).unwrap();
    let mut sink = MemorySink::default();
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    let outcome = system.run(&mut sink, &mut control).map(|_| ());
    (outcome, system, sink)
}

/// Overlaps of 0.4, 0.7 and 1.2 radii under a weight: silent, a warning, an error.
fn crushed_by_weight<D: Integrate>() {
    let (outcome, system, _) = run_on::<D>(pressed(0.4));
    outcome.unwrap();
    assert_eq!(system.summary().warnings, [""; 0]);

    let (outcome, system, _) = run_on::<D>(pressed(0.7));
    outcome.unwrap();
    let warnings = system.summary().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let text = &warnings[0];
    assert!(
        text.starts_with("grains are crushed: grain 0 and the wall `floor` overlap by 0.5"),
        "{text}"
    );
    assert!(text.contains("the law of `stuff` and `stuff`"), "{text}");

    let mut setup = pressed::<D>(1.2);
    setup.log.series = Some(0.002);
    let (outcome, system, sink) = run_on(setup);
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.starts_with("grain 0 and the wall `floor` overlap by 1.0"),
        "{text}"
    );
    // What was seen until then is recorded, and the warning came before the error.
    assert!(sink.series.len() > 2);
    assert!(system.summary().warnings[0].starts_with("grains are crushed"));
}

#[test]
fn crushed_grains_are_told() {
    crushed_by_weight::<Planar>();
    crushed_by_weight::<Spatial>();
}

/// Two grains that meet head-on at v press each other in by v sqrt(m_eff / k), here 0.8 radii; the
/// names are those of the grains, also across the seam of periodic space.
#[test]
fn grains_that_crush_each_other_are_named() {
    let (k, mass) = (1e3, 0.1f64);
    let v = 0.8 * RADIUS / (0.5 * mass / k).sqrt();
    let mut setup: Setup<Planar> = empty(linear(k, 0.0, 0.0, 0.0, 0.0), 1e-5, 0.1);
    setup.motion.stable_dwell = 1e-3;
    setup.space.periodic[0] = Some(arenite::system::PeriodicAxis {
        origin: 0.0,
        length: 0.2,
    });
    let mut put = |along: f64, speed: f64| {
        let x = place::<Planar>(along, 0.0);
        add(&mut setup, RADIUS, mass, x, place::<Planar>(speed, 0.0));
    };
    put(0.1, 0.0);
    put(0.199, 0.5 * v);
    put(0.022, -0.5 * v);
    let (outcome, system, _) = run_on(setup);
    outcome.unwrap();
    let warnings = system.summary().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("grains 1 and 2 overlap by "),
        "{warnings:?}"
    );
}

/// A step with which an elastic bounce is resolved by eight steps leaves an error that is told.
#[test]
fn a_bad_balance_is_a_warning() {
    let scene = |step: f64| {
        let mut setup: Setup<Planar> = empty(linear(1e5, 0.0, 0.0, 0.0, 0.0), step, 1.0);
        setup.fields.gravity = place::<Planar>(0.0, -10.0);
        floor(&mut setup);
        let at = place::<Planar>(0.0, 0.05);
        add(&mut setup, RADIUS, 0.1, at, place::<Planar>(0.0, 0.0));
        run(&setup).0.summary()
    };
    // A contact lasts pi (0.1 / 1e5)^(1/2) = 3.1e-3 s.
    let (fine, coarse) = (scene(1e-5), scene(4e-4));
    assert!(fine.energy.balance_error < 1e-3);
    assert_eq!(fine.warnings, [""; 0]);
    assert!(coarse.energy.balance_error > 1e-2, "{:?}", coarse.energy);
    let told = coarse
        .warnings
        .iter()
        .any(|w| w.starts_with("the energy balance is off by "));
    assert!(told, "{:?}", coarse.warnings);
}

/// Two grains touch and rest: overlap and spring are rounding, and so is what the balance is off
/// by, with nothing that flowed to tell it over. Where something flows it is told as before.
fn rounding_is_no_error<D: Integrate>() {
    for at in [0.1, 0.3, 0.7, 1.1, 2.3] {
        let mut setup: Setup<D> = empty(linear(1e5, 5e4, 60.0, 30.0, 0.4), 1e-5, 0.01);
        let still = D::Vector::default;
        add(&mut setup, RADIUS, 0.1, place::<D>(at, 0.0), still());
        let next = place::<D>(at + 2.0 * RADIUS, 0.0);
        add(&mut setup, RADIUS, 0.1, next, still());
        let energy = run(&setup).0.summary().energy;
        assert_eq!(energy.balance_error, 0.0, "{at}: {energy:?}");
    }
    // What motion leaves is told, however slow: by a linear law the error of a bounce in eight
    // steps is the same share at any speed. Rounding is 1e-7 of a way of a nanometre.
    let bounce = |speed: f64| {
        let mut setup: Setup<D> = empty(linear(1e5, 0.0, 0.0, 0.0, 0.0), 3e-4, 0.01);
        add(
            &mut setup,
            RADIUS,
            0.1,
            place::<D>(0.1, 0.0),
            place::<D>(speed, 0.0),
        );
        let next = place::<D>(0.1 + 2.0 * RADIUS, 0.0);
        add(&mut setup, RADIUS, 0.1, next, D::Vector::default());
        run(&setup).0.summary().energy.balance_error
    };
    let fast = bounce(1.0);
    assert!(fast > 1e-4, "{fast:e}");
    close("slow over fast", bounce(1e-6) / fast, 1.0, 1e-3);
}

#[test]
fn rounding_alone_is_no_error() {
    rounding_is_no_error::<Planar>();
    rounding_is_no_error::<Spatial>();
}
