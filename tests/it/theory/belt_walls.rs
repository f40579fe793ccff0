//! Walls whose surface moves while they stay.

use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz};
use arenite::geometry::{Planar, Spatial};
use arenite::system::{Setup, System};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

const G: f64 = 9.81;
const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;
const KN: f64 = 1e5;

fn on_belt<D: Integrate>(speed: f64, finish: f64) -> Setup<D> {
    let mut setup: Setup<D> = empty(linear(KN, KN, 100.0, 100.0, 0.3), 1e-5, finish);
    setup.fields.gravity = place::<D>(0.0, -G);
    floor(&mut setup).belt = place::<D>(speed, 0.0);
    let x = place::<D>(0.0, RADIUS - MASS * G / KN);
    add(&mut setup, RADIUS, MASS, x, D::Vector::default());
    setup
}

/// A grain put down on a belt slides until its surface keeps up: friction gives momentum and spin, so that it moves at
/// q / (1 + q) of the belt's speed and turns backwards for the rest, with I = q m r^2. The belt's work is the way that
/// its surface goes under friction, mu m g V t with t the time of sliding, V q / ((1 + q) mu g).
fn keeps_up<D: Integrate>() {
    let (q, speed) = (D::BALL_INERTIA, 0.4);
    let slides = speed * q / ((1.0 + q) * 0.3 * G);
    let setup = on_belt::<D>(speed, 2.0 * slides);
    let (system, _) = run(&setup);
    let grain = system.grains_at(setup.run.end_time)[0];
    let want = speed * q / (1.0 + q);
    close("speed", grain.velocity[0], want, 1e-9);
    close(
        "surface",
        grain.velocity[0] - RADIUS * rolling_rate::<D>(grain.spin),
        speed,
        1e-9,
    );
    let energy = system.summary().energy;
    let work = MASS * speed * speed * q / (1.0 + q);
    // The spring between them is stretched and relaxed at mu m g / kt = 3e-6 m.
    close("work", energy.injected, work, 0.3 * MASS * G * 1e-5);
    assert!(energy.balance_error < 1e-6, "{energy:?}");
}

#[test]
fn a_belt_takes_grains_along() {
    keeps_up::<Planar>();
    keeps_up::<Spatial>();
}

/// A plane whose surface moves and one that moves along itself are the same.
#[test]
fn a_belt_is_a_plane_that_moves_along_itself() {
    fn same<D: Integrate>() {
        let belt = on_belt::<D>(0.4, 0.05);
        let mut moving = on_belt::<D>(0.0, 0.05);
        moving.boundaries[0].motion = Motion::Velocity(place::<D>(0.4, 0.0));
        let (a, b) = (end(&belt)[0], end(&moving)[0]);
        close("way", a.position[0], b.position[0], 1e-15);
        close("speed", a.velocity[0], b.velocity[0], 1e-14);
        close("height", up::<D>(a.position), up::<D>(b.position), 1e-15);
    }
    same::<Planar>();
    same::<Spatial>();
}

/// On a round wall the belt's part along the surface counts: at the top of a circle all of it, at its side none.
#[test]
fn a_belt_runs_along_its_surface() {
    let mut setup: Setup<Planar> = empty(linear(KN, KN, 100.0, 100.0, 0.3), 1e-5, 0.05);
    let shape = Shape::Ball(shapes::Ball {
        centre: place::<Planar>(0.0, 0.0),
        radius: 0.1,
        inside: false,
    });
    wall(&mut setup, "roller", shape).belt = place::<Planar>(0.4, 0.0);
    // Held to the side by a field of force: gravity along -x.
    setup.fields.gravity = place::<Planar>(-G, 0.0);
    let x = place::<Planar>(0.1 + RADIUS - MASS * G / KN, 0.0);
    add(&mut setup, RADIUS, MASS, x, place::<Planar>(0.0, 0.0));
    let grain = end(&setup)[0];
    close("speed", grain.velocity.norm(), 0.0, 1e-12);
    close("spin", grain.spin, 0.0, 1e-12);
}

/// Grains come to the speed of a belt, and meet a wall with it: the step knows.
#[test]
fn the_step_counts_on_the_speed_of_belts() {
    let step = |belt: f64| {
        let law = ContactLaw::Hertz(Hertz {
            young: 1e7,
            shear: 1e7,
            damping_ratio: 0.3,
            friction: 0.5,
        });
        let mut setup: Setup<Planar> = empty(law, 1e-5, 1.0);
        setup.motion.step = None;
        floor(&mut setup).belt = place::<Planar>(belt, 0.0);
        add(
            &mut setup,
            RADIUS,
            MASS,
            place::<Planar>(0.0, RADIUS),
            place::<Planar>(0.1, 0.0),
        );
        System::plan(&setup).unwrap().step
    };
    // Hertz's step goes as the speed to the power -1/5; chosen steps are rounded down to two digits.
    let want = (0.1f64 / 20.1).powf(0.2);
    close("step", step(20.0) / step(0.0), want, 0.1 * want);
}
