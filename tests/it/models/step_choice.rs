//! The choice of the step where the speed of an impact counts, and its bounds.

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::system::{Setup, System, SystemError};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

/// A setup that asks for no step of its own, with the usual safety.
fn automatic<D: Integrate>(law: ContactLaw, finish: f64) -> Setup<D> {
    let mut setup = empty(law, 1.0, finish);
    setup.motion.step = None;
    setup.motion.safety = 0.8;
    setup
}

fn chosen<D: Integrate>(setup: &Setup<D>) -> f64 {
    System::plan(setup).unwrap().step
}

/// A grain falls on a plane, which spans no height of its own: the fall down to it counts as that
/// on a block does. Hertz's links are stiffer the harder the impact.
fn a_plane_is_hit_as_a_block<D: Integrate>() {
    let law = ContactLaw::Hertz(Hertz {
        young: 5e6,
        shear: 1e6,
        damping_ratio: 0.0,
        friction: 0.0,
    });
    let scene = || {
        let mut setup: Setup<D> = automatic(law, 0.5);
        setup.fields.gravity = place::<D>(0.0, -10.0);
        add(
            &mut setup,
            0.01,
            0.3,
            place::<D>(0.0, 0.5),
            place::<D>(0.0, 0.0),
        );
        setup
    };
    let mut plane = scene();
    floor(&mut plane);
    let mut block = scene();
    let ends = (-0.1, 0.1);
    wall(
        &mut block,
        "block",
        Shape::Box(shapes::Cuboid {
            min: D::Vector::from_fn(|_| ends.0),
            max: D::Vector::from_fn(|k| if k == D::N - 1 { 0.0 } else { ends.1 }),
            inside: false,
        }),
    );
    // The block reaches 0.1 m further down; frequencies go with the 1/5th power of the speed.
    close("step", chosen(&plane) / chosen(&block), 1.0, 0.06);
    // 31 steps a contact (`system::step`): the balance of an elastic bounce then closes to under
    // 1 percent; with the step for a touch at no speed, it missed by half.
    let error = run(&plane).0.summary().energy.balance_error;
    assert!(error < 1e-2, "{error:e}");
}

#[test]
fn the_fall_onto_a_plane_counts() {
    a_plane_is_hit_as_a_block::<Planar>();
    a_plane_is_hit_as_a_block::<Spatial>();
}

/// No wall may cross a grain between two looks at it.
fn walls_do_not_outrun_the_step<D: Integrate>(motion: Motion<D>, speed: f64) {
    let mut setup: Setup<D> = automatic(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1e-3);
    add(
        &mut setup,
        0.01,
        0.3,
        place::<D>(0.0, 0.1),
        place::<D>(0.0, 0.0),
    );
    let still = chosen(&setup);
    wall(
        &mut setup,
        "ram",
        Shape::Box(shapes::Cuboid {
            min: place::<D>(-0.3, -0.4) - D::Vector::from_fn(|_| 1e-9),
            max: D::Vector::from_fn(|k| if k == 0 { 0.3 } else { 0.0 }),
            inside: false,
        }),
    )
    .motion = motion;
    let step = chosen(&setup);
    assert!(step < still, "{step:e} {still:e}");
    // A quarter of the radius at the most, and not needlessly less.
    let way = step * speed;
    assert!((0.15 * 0.01..=0.25 * 0.01).contains(&way), "{way:e}");
    setup.motion.step = Some(0.011 / speed);
    let error = System::plan(&setup).unwrap_err();
    assert!(
        matches!(&error, SystemError::Setup(text) if text.contains("walls pass through grains unseen")),
        "{error}"
    );
}

#[test]
fn fast_walls_shorten_the_step() {
    walls_do_not_outrun_the_step::<Planar>(Motion::Velocity(place::<Planar>(0.0, 1e4)), 1e4);
    walls_do_not_outrun_the_step::<Spatial>(Motion::Velocity(place::<Spatial>(0.0, 1e4)), 1e4);
    let turning = Motion::<Planar>::Rotation {
        centre: place::<Planar>(0.0, 0.0),
        spin: rolling::<Planar>(2e4),
    };
    // The farthest corner is at (0.3, 0.4).
    walls_do_not_outrun_the_step(turning, 1e4);
}

/// Links so stiff or so damped that the run would never end are refused, not begun.
#[test]
fn endless_runs_are_refused() {
    for law in [
        linear(1e300, 0.0, 0.0, 0.0, 0.0),
        linear(1e5, 0.0, 1e300, 0.0, 0.0),
    ] {
        let mut setup: Setup<Planar> = automatic(law, 1.0);
        add(
            &mut setup,
            0.01,
            0.3,
            place::<Planar>(0.0, 0.1),
            place::<Planar>(0.0, 0.0),
        );
        floor(&mut setup);
        let error = System::plan(&setup).unwrap_err().to_string();
        assert!(error.contains("more than 1e12 steps"), "{error}");
    }
    let mut setup: Setup<Planar> = automatic(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1e300);
    add(
        &mut setup,
        0.01,
        0.3,
        place::<Planar>(0.0, 0.1),
        place::<Planar>(0.0, 0.0),
    );
    floor(&mut setup);
    assert!(System::plan(&setup).is_err());
}

/// A drag that stops a grain within a step of its links sets the step.
fn strong_drag<D: Integrate>() {
    let mut setup: Setup<D> = automatic(linear(1e3, 0.0, 0.0, 0.0, 0.0), 2e-3);
    setup.fields.gravity = place::<D>(0.0, -10.0);
    setup.fields.drag = 3e3;
    add(
        &mut setup,
        0.01,
        0.3,
        place::<D>(0.0, 0.1),
        place::<D>(0.0, 0.0),
    );
    // The rate is 1e4 1/s; after 20 of its times the grain sinks at m g / c.
    let grain = end(&setup)[0];
    close("sinks", up::<D>(grain.velocity), -1e-3, 1e-8);
}

#[test]
fn drag_limits_the_step() {
    strong_drag::<Planar>();
    strong_drag::<Spatial>();
}

/// Grains in a box that lose little: the balance closes to under 1e-3 at the step that is chosen
/// (docs/scenarios.md). The steps were fitted to beds and billiards like these.
#[test]
fn weakly_damped_links_keep_the_balance() {
    for (damping, floor_moves) in [(0.0, false), (2.0, false), (2.0, true), (35.0, true)] {
        // Stiff enough for overlaps of a tenth of a radius at these speeds.
        let law = linear(1e6, 0.0, damping, 0.0, 0.0);
        let mut setup: Setup<Planar> = automatic(law, 1.0);
        if floor_moves {
            setup.fields.gravity = place::<Planar>(0.0, -9.81);
        }
        let ends = [0.0, 0.2];
        let shape = Shape::Box(shapes::Cuboid {
            min: Vector::from_fn(|_| ends[0]),
            max: Vector::from_fn(|_| ends[1]),
            inside: true,
        });
        let walls = wall(&mut setup, "box", shape);
        if floor_moves {
            walls.motion = Motion::Harmonic {
                amplitude: place::<Planar>(0.0, 0.003),
                frequency: 20.0,
                phase: 0.0,
            };
        }
        let mut dice = Dice(5);
        for i in 0..49u8 {
            let at = place::<Planar>(
                0.02 + 0.025 * f64::from(i % 7),
                0.02 + 0.025 * f64::from(i / 7),
            );
            let velocity = dice.vector::<Planar>(-1.0, 1.0);
            add(&mut setup, 0.005, 0.0785, at, velocity);
        }
        let error = run(&setup).0.summary().energy.balance_error;
        assert!(error < 1e-3, "damping {damping}, {floor_moves}: {error:e}");
    }
}

/// Strong dampers limit the step by themselves: the factor for elastic links is not for them.
#[test]
fn strongly_damped_links_keep_their_step() {
    let step = |damping: f64| {
        let mut setup: Setup<Planar> = automatic(linear(2e4, 0.0, damping, 0.0, 0.0), 1.0);
        add(
            &mut setup,
            0.01,
            0.3,
            place::<Planar>(0.0, 0.02),
            place::<Planar>(0.0, 0.0),
        );
        floor(&mut setup);
        chosen(&setup)
    };
    // Critical damping of two such grains is 2 (2e4 0.15)^(1/2) = 110 N s/m; the step of the
    // spring alone is 0.8 0.625 0.2 (0.15 / 2e4)^(1/2) = 2.7e-4 s.
    close("overdamped", step(120.0), 2.7e-4, 1e-9);
    close("elastic", step(0.0), 2.7e-4 / 8.0, 1e-6);
}
