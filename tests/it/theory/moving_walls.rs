//! Walls that move and gates that open: what they give is booked.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial};
use arenite::record::MemorySink;
use arenite::system::{IntegratorName, Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Motion, MotionPiece, Shape};
use nalgebra::Vector2;

use crate::support::*;

const RADIUS: f64 = 0.01;

/// The greatest error of the balance over the series, which must have a row or two.
fn worst_balance(sink: &MemorySink) -> f64 {
    assert!(sink.series.len() > 5);
    sink.series
        .iter()
        .skip(1)
        .map(|r| r.balance_error)
        .fold(0.0, f64::max)
}

/// A row of grains between a wall and a piston that comes nearer, then stands.
fn piston<D: Integrate>(integrator: IntegratorName, friction: f64) -> (System<D>, MemorySink) {
    let k = 1e5;
    let mut setup: Setup<D> = empty(linear(k, 0.5 * k, 60.0, 30.0, friction), 1e-5, 0.3);
    setup.motion.integrator = integrator;
    setup.fields.gravity = place::<D>(0.0, -9.81);
    setup.log.series = Some(0.01);
    floor(&mut setup);
    let plane = |at: f64, to: f64| {
        Shape::Plane(shapes::Plane {
            point: place::<D>(at, 0.0),
            normal: place::<D>(to, 0.0),
        })
    };
    wall(&mut setup, "stop", plane(0.0, 1.0));
    let length = 0.0605;
    let motion = Motion::Pieces(vec![
        MotionPiece {
            from: 0.02,
            velocity: place::<D>(-0.01, 0.0),
            acceleration: D::Vector::default(),
        },
        MotionPiece {
            from: 0.1,
            velocity: D::Vector::default(),
            acceleration: D::Vector::default(),
        },
    ]);
    wall(&mut setup, "piston", plane(length, -1.0)).motion = motion;
    for i in 0..3 {
        let x = place::<D>(RADIUS * (2.0 * f64::from(i) + 1.01), RADIUS);
        add(&mut setup, RADIUS, 0.1, x, D::Vector::default());
    }
    run(&setup)
}

/// The piston goes 0.8 mm, of which 0.5 mm is gap: the rest compresses four springs in series.
fn piston_work<D: Integrate>() {
    use IntegratorName::{Heun, Midpoint, Verlet};
    for integrator in [Verlet, Midpoint, Heun] {
        for friction in [0.0, 0.4] {
            let (system, sink) = piston::<D>(integrator, friction);
            let last = &sink.series[sink.series.len() - 1];
            let (squeeze, k) = (3e-4, 1e5 / 4.0);
            let force = k * squeeze;
            if friction == 0.0 {
                close("load of the piston", last.walls[2][0] / force, 1.0, 1e-6);
                close("load of the stop", last.walls[1][0] / -force, 1.0, 1e-6);
            }
            let given = last.walls[2][6];
            assert_eq!(last.walls[0][6] + last.walls[1][6], 0.0);
            // The last step's work is half done.
            close("injected", last.injected / given, 1.0, 1e-6);
            // All of it is in springs or was lost: more than the springs hold, less than twice.
            let held = 0.5 * force * squeeze;
            assert!(given > held && given < 2.0 * held, "{given:e} {held:e}");
            let balance = worst_balance(&sink);
            // The piston stops at once: its power at the last step before lies half beyond, which
            // is force times way of half a step over the work, 3e-4.
            assert!(balance < 2e-3, "{balance:e}");
            drop(system);
        }
    }
}

#[test]
fn what_a_piston_gives_is_booked() {
    piston_work::<Planar>();
    piston_work::<Spatial>();
}

/// Grains that dance on a floor that shakes.
fn shaken<D: Integrate>() {
    let mut errors = Vec::new();
    for step in [2e-5, 5e-6] {
        let mut setup: Setup<D> = empty(linear(1e5, 0.5e5, 60.0, 30.0, 0.4), step, 0.5);
        setup.fields.gravity = place::<D>(0.0, -9.81);
        setup.log.series = Some(0.01);
        floor(&mut setup).motion = Motion::Harmonic {
            amplitude: place::<D>(1e-3, 2e-3),
            frequency: 30.0,
            phase: 0.4,
        };
        for i in 0..3 {
            let x = place::<D>(0.004 * f64::from(i), RADIUS * (2.5 * f64::from(i) + 1.3));
            add(&mut setup, RADIUS, 0.1, x, D::Vector::default());
        }
        let (system, sink) = run(&setup);
        let last = &sink.series[sink.series.len() - 1];
        assert!(last.injected > 0.05, "{}", last.injected);
        close(
            "work of the floor",
            last.walls[0][6] / last.injected,
            1.0,
            1e-3,
        );
        assert!(system.summary().regimes.flight > 0.01);
        errors.push(worst_balance(&sink));
    }
    // Second order in the step: measured 1.5e-4 at 110 steps a contact, a sixteenth at 440.
    assert!(
        errors[0] < 1e-3 && errors[1] < errors[0] / 8.0,
        "{errors:?}"
    );
}

#[test]
fn what_a_shaken_floor_gives_is_booked() {
    shaken::<Planar>();
    shaken::<Spatial>();
}

/// A disk in a drum that turns lies at the bottom and spins until its surface moves with the
/// drum's: half of the work is lost in sliding, half is energy of spin (for a surface at constant
/// speed, whatever the friction).
#[test]
fn a_drum_spins_up_a_disk() {
    let (drum, spin, mass) = (0.1, 5.0, 0.1);
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 100.0, 30.0, 0.2), 1e-5, 1.0);
    setup.fields.gravity = Vector2::new(0.0, -9.81);
    setup.log.series = Some(0.02);
    let shape = Shape::Ball(shapes::Ball {
        centre: Vector2::zeros(),
        radius: drum,
        inside: true,
    });
    wall(&mut setup, "drum", shape).motion = Motion::Rotation {
        centre: Vector2::zeros(),
        spin,
    };
    // Held in place by a smooth cage, so that it does nothing but spin.
    setup.matter.materials.push("smooth".into());
    let mut laws = arenite::contact::LawTable::new(2);
    laws.set(0, 0, linear(1e5, 1e5, 100.0, 30.0, 0.2));
    laws.set(0, 1, linear(1e5, 0.0, 100.0, 0.0, 0.0));
    setup.matter.laws = laws;
    for side in [-1.0, 1.0] {
        let shape = Shape::Plane(shapes::Plane {
            point: Vector2::new(side * RADIUS, 0.0),
            normal: Vector2::new(-side, 0.0),
        });
        wall(&mut setup, "cage", shape).material = 1;
    }
    let x = Vector2::new(0.0, -(drum - RADIUS) - mass * 9.81 / 1e5);
    add(&mut setup, RADIUS, mass, x, Vector2::zeros());
    let (system, sink) = run(&setup);
    let grain = system.grains_at(1.0)[0];
    // The drum's surface moves with 5 x 0.1 m/s to the right at the bottom; so does the disk's.
    close("surface", grain.spin * RADIUS, spin * drum, 1e-6);
    let last = &sink.series[sink.series.len() - 1];
    let energy = 0.5 * grain.moment_of_inertia() * grain.spin * grain.spin;
    // What is missing are springs that stretch at the start and the cage's: some 1e-3 of it.
    close("work", last.injected / (2.0 * energy), 1.0, 5e-3);
    // Sliding at 0.5 m/s from the start, the damper alone would push with 15 N, far over the limit:
    // the spring is stretched against it, and what it held at first is lost as well.
    let held = sink.series[0].elastic;
    close("lost", last.dissipated[1] / (energy + held), 1.0, 1e-3);
    let balance = worst_balance(&sink);
    assert!(balance < 1e-5, "{balance:e}");
}

/// A grain that rests on a gate falls when it opens.
fn gate<D: Integrate>(others: usize) {
    for integrator in [
        IntegratorName::Verlet,
        IntegratorName::Midpoint,
        IntegratorName::Heun,
    ] {
        let mut setup: Setup<D> = empty(linear(1e5, 1e5, 100.0, 100.0, 0.5), 1e-5, 0.35);
        setup.motion.integrator = integrator;
        setup.fields.gravity = place::<D>(0.0, -9.81);
        setup.log.series = Some(0.05);
        floor(&mut setup).opens_at = Some(0.2);
        let sink_in = 0.1 * 9.81 / 1e5;
        for i in 0..=others {
            let x = place::<D>(0.2 * i as f64, RADIUS - sink_in);
            add(&mut setup, RADIUS, 0.1, x, D::Vector::default());
        }
        let (system, sink) = run(&setup);
        for grain in system.grains_at(0.35) {
            let t = 0.15;
            // Before it is at rest to rounding; the gate's push is gone within a step.
            let fallen = RADIUS - sink_in - up::<D>(grain.position);
            close("fallen", fallen, 0.5 * 9.81 * t * t, 9.81 * 1e-5 * t * 1.1);
            close(
                "speed",
                up::<D>(grain.velocity),
                -9.81 * t,
                9.81 * 1e-5 * 1.1,
            );
            assert!(grain.position[0] == 0.2 * f64::from(grain.id));
        }
        let last = &sink.series[sink.series.len() - 1];
        let held = 0.5 * 0.1 * 9.81 * sink_in * (others + 1) as f64;
        close("taken away with the gate", last.removed / held, 1.0, 1e-6);
        // Before the gate opens nothing flows that an error could be compared with.
        assert!(
            last.balance_error < 1e-6,
            "{integrator:?} {:e}",
            last.balance_error
        );
    }
}

#[test]
fn a_gate_that_opens_lets_go() {
    gate::<Planar>(0);
    gate::<Spatial>(0);
    gate::<Planar>(2);
}

/// A wall that moves away at once when it opens must not be felt by a grain that comes later.
#[test]
fn an_open_gate_is_gone() {
    let mut setup: Setup<Planar> = empty(linear(1e5, 1e5, 100.0, 100.0, 0.5), 1e-5, 0.3);
    setup.fields.gravity = Vector2::new(0.0, -9.81);
    floor(&mut setup).opens_at = Some(0.1);
    let x = Vector2::new(0.0, 0.2);
    add(&mut setup, RADIUS, 0.1, x, Vector2::zeros());
    let grain = end(&setup)[0];
    close("fallen", 0.2 - grain.position.y, 0.5 * 9.81 * 0.09, 1e-12);
    assert!(grain.velocity.norm() > 2.9);
}
