//! Periodic directions.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::PeriodicAxis;
use arenite::system::Setup;

use crate::support::*;

const LENGTH: f64 = 0.1;

fn torus<D: Integrate>(origin: f64, finish: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(linear(1e5, 0.5e5, 20.0, 10.0, 0.4), 1e-5, finish);
    setup.space.periodic = (0..D::N)
        .map(|_| {
            Some(PeriodicAxis {
                origin,
                length: LENGTH,
            })
        })
        .collect();
    setup
}

/// The shortest image of a difference.
fn shortest<D: Dimension>(d: D::Vector) -> D::Vector {
    D::Vector::from_fn(|k| d[k] - LENGTH * (d[k] / LENGTH).round())
}

/// A lone grain goes round and round, flying or stepped.
fn round<D: Integrate>() {
    for flight in [true, false] {
        let mut setup = torus::<D>(-0.03, 1.0);
        setup.motion.flight = flight;
        let (x, v) = (place::<D>(0.01, 0.02), place::<D>(0.73, -0.41));
        add(&mut setup, 0.01, 0.1, x, v).spin = rolling::<D>(3.0);
        let grain = end(&setup)[0];
        let apart = shortest::<D>(grain.position - x - v).norm();
        // 1e5 additions of 1e-5 round by 1e-17 each.
        assert!(apart < 1e-12, "{flight}: {apart:e}");
        close("spin", rolling_rate::<D>(grain.spin), 3.0, 0.0);
    }
}

#[test]
fn a_grain_goes_round() {
    round::<Planar>();
    round::<Spatial>();
}

/// Grains that collide across the seam do what they do in the middle of the box.
fn seam<D: Integrate>() {
    for flight in [true, false] {
        let scene = |shift: f64| {
            let mut setup = torus::<D>(0.0, 0.08);
            setup.motion.flight = flight;
            let at = |along: f64, up: f64| {
                let x = place::<D>(along, up) + D::Vector::from_fn(|_| shift);
                D::Vector::from_fn(|k| x[k].rem_euclid(LENGTH))
            };
            add(&mut setup, 0.01, 0.1, at(-0.02, 0.0), place::<D>(0.9, 0.1)).spin =
                rolling::<D>(30.0);
            add(
                &mut setup,
                0.008,
                0.06,
                at(0.02, 0.006),
                place::<D>(-0.7, 0.0),
            );
            add(
                &mut setup,
                0.009,
                0.07,
                at(0.0, -0.03),
                place::<D>(0.0, 0.4),
            );
            setup
        };
        let (middle, _) = run(&scene(0.05));
        assert!(middle.summary().events.by_kind["insert-link"] >= 2);
        let want = middle.grains_at(0.08);
        for shift in [0.0, 0.1, 0.03, 0.0999] {
            let (system, _) = run(&scene(shift));
            assert_eq!(
                system.summary().events.by_kind["insert-link"],
                middle.summary().events.by_kind["insert-link"]
            );
            for (got, want) in system.grains_at(0.08).iter().zip(&want) {
                let moved = D::Vector::from_fn(|_| shift - 0.05);
                let apart = shortest::<D>(got.position - want.position - moved).norm();
                // Rounding of coordinates, grown by some collisions.
                assert!(apart < 1e-12, "shift {shift}, flight {flight}: {apart:e}");
                assert!((got.velocity - want.velocity).norm() < 1e-9);
            }
        }
    }
}

#[test]
fn a_collision_across_the_seam_is_as_in_the_middle() {
    seam::<Planar>();
    seam::<Spatial>();
}

/// In a box of a few diameters a flyer must also be met that comes round the other side.
fn narrow<D: Integrate>() {
    for flight in [true, false] {
        let mut setup = torus::<D>(0.0, 0.3);
        setup
            .matter
            .laws
            .set(0, 0, linear(1e5, 0.5e5, 0.5, 0.5, 0.4));
        setup.motion.flight = flight;
        let mut dice = Dice(5);
        for i in 0..4 {
            let along = 0.025 * f64::from(i) + 0.01;
            let v = dice.vector::<D>(-8.0, 8.0);
            let x = place::<D>(along, 0.02 + 0.01 * f64::from(i % 2));
            add(&mut setup, 0.01, 0.1, x, v);
        }
        setup.motion.step = Some(5e-6);
        setup.log.snapshots = Some(2e-4);
        let (system, sink) = run(&setup);
        assert!(
            system.summary().events.by_kind["insert-link"] > 10,
            "{:?}",
            system.summary().events.by_kind
        );
        let overlaps = sink.snapshots.iter().map(|(grains, _)| {
            let mut deepest = 0.0f64;
            for (i, a) in grains.iter().enumerate() {
                for b in &grains[..i] {
                    let d = D::Vector::from_fn(|k| a.position[k] - b.position[k]);
                    let distance = shortest::<D>(d).norm();
                    deepest = deepest.max(a.radius + b.radius - distance);
                }
            }
            deepest
        });
        // At the fastest approach, 8 m/s times 2 sqrt(D), the spring gives v sqrt(m / k).
        let limit = 16.0 * (D::N as f64).sqrt() * (0.05f64 / 1e5).sqrt();
        let deepest = overlaps.fold(0.0, f64::max);
        assert!(deepest < limit, "flight {flight}: {deepest} over {limit}");
    }
}

#[test]
fn fast_flyers_in_a_narrow_box_meet_every_image() {
    narrow::<Planar>();
    narrow::<Spatial>();
}

/// Grains slide down an endless slope: gravity has a part along the periodic direction, and each
/// way through the seam lifts a grain by the length of the box.
fn slope<D: Integrate>() {
    for flight in [true, false] {
        let mut setup: Setup<D> = empty(linear(1e5, 0.5e5, 20.0, 10.0, 0.1), 1e-5, 0.6);
        setup.motion.flight = flight;
        setup.fields.gravity = place::<D>(4.9, -8.5);
        setup.space.periodic[0] = Some(PeriodicAxis {
            origin: 0.0,
            length: LENGTH,
        });
        floor(&mut setup);
        add(
            &mut setup,
            0.01,
            0.1,
            place::<D>(0.02, 0.012),
            place::<D>(1.0, 0.0),
        );
        add(
            &mut setup,
            0.01,
            0.1,
            place::<D>(0.06, 0.04),
            place::<D>(0.5, 0.0),
        );
        let (system, _) = run(&setup);
        let energy = system.summary().energy;
        // Over 1 m at 4.9 m/s^2 each; without the lift the balance misses by more than it holds.
        assert!(energy.injected > 0.5, "{flight}: {energy:?}");
        // As for the bounces of other tests at this step, 1/70 of a contact.
        assert!(energy.balance_error < 1e-3, "{flight}: {energy:?}");
    }
}

#[test]
fn the_balance_closes_on_an_endless_slope() {
    slope::<Planar>();
    slope::<Spatial>();
}
