//! Sliding, rolling and spinning on a plane.

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial};
use arenite::system::{EventLog, Setup, System};
use arenite::walls::{Motion, MotionPiece};
use nalgebra::Vector3;

use crate::support::*;

const G: f64 = 9.81;
const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;
const MU: f64 = 0.3;
const KN: f64 = 1e5;
const STEP: f64 = 1e-5;

/// A grain that lies in balance on a floor tilted by `slope`, and slides and spins.
fn on_floor<D: Integrate>(slope: f64, speed: f64, rate: f64, finish: f64) -> Setup<D> {
    // Damped beyond the critical in the tangential direction, so that what swings when sliding
    // ends is over at once.
    let mut setup: Setup<D> = empty(linear(KN, KN, 100.0, 100.0, MU), STEP, finish);
    setup.fields.gravity = place::<D>(G * slope.sin(), -G * slope.cos());
    floor(&mut setup);
    let height = RADIUS - MASS * G * slope.cos() / KN;
    let (x, v) = (place::<D>(0.0, height), place::<D>(speed, 0.0));
    add(&mut setup, RADIUS, MASS, x, v).spin = rolling::<D>(rate);
    setup
}

/// A grain shoved along slides until it rolls (any textbook of mechanics): with I = q m r^2 it
/// ends at v0 / (1 + q), after t = v0 q / ((1 + q) mu g).
fn slides_then_rolls<D: Integrate>() {
    let q = D::BALL_INERTIA;
    let speed = 0.5;
    let slide = speed * q / ((1.0 + q) * MU * G);
    let finish = 2.0 * slide;
    let mut setup = on_floor::<D>(0.0, speed, 0.0, finish);
    setup.log.events = EventLog::Links;
    setup.log.snapshots = Some(slide / 2.0);
    let (system, sink) = run(&setup);
    let grain = system.grains_at(finish)[0];
    let rolls = speed / (1.0 + q);
    // Momentum about the line of contact is kept to rounding, and nothing swings any more.
    close("speed", grain.velocity[0], rolls, 1e-9);
    close("spin", RADIUS * rolling_rate::<D>(grain.spin), rolls, 1e-9);
    // Half-way the speed has fallen by mu g t; at the start friction grew for the time in which
    // the spring is stretched to its limit, mu m g / kt = 3e-6 m or 6e-6 s.
    let half = &sink.snapshots[1].0[0];
    let want = speed - MU * G * slide / 2.0;
    close("speed half-way", half.velocity[0], want, MU * G * 6e-6);
    // The same 3e-6 m, and as much when the spring relaxes.
    let way = speed * slide - 0.5 * MU * G * slide * slide + rolls * (finish - slide);
    close("way", grain.position[0], way, 6e-6);
    let mut grips = sink.events.iter().filter(|e| e.kind == EventKind::GripLink);
    let grip = grips.next().unwrap();
    assert!(grips.next().is_none());
    // Spring and damper share the limit while sliding. As the sliding slows down the damper hands
    // its share over to the spring, and they fall below the limit ct / kt before the surfaces rest.
    close("grip", grip.time, slide - 100.0 / KN, 5e-5);
}

#[test]
fn a_shoved_grain_slides_until_it_rolls() {
    slides_then_rolls::<Planar>();
    slides_then_rolls::<Spatial>();
}

/// A spinning grain put down gathers speed: v = r w0 q / (1 + q), 2/7 for a sphere, 1/3 for a disk.
fn spin_up<D: Integrate>() {
    let q = D::BALL_INERTIA;
    let rate = 60.0;
    let end = end(&on_floor::<D>(0.0, 0.0, rate, 0.3))[0];
    let want = RADIUS * rate * q / (1.0 + q);
    close("speed", end.velocity[0], want, 1e-9);
    close("spin", rolling_rate::<D>(end.spin) * RADIUS, want, 1e-9);
}

#[test]
fn a_spinning_grain_gathers_speed() {
    spin_up::<Planar>();
    spin_up::<Spatial>();
}

/// Enough backspin makes a grain come back. Momentum about the line of contact decides:
/// v = (v0 + q r w0) / (1 + q).
#[test]
fn backspin_brings_a_grain_back() {
    let rate = -4.0 * 0.3 / RADIUS;
    let planar = end(&on_floor::<Planar>(0.0, 0.3, rate, 0.6))[0];
    close("disk", planar.velocity[0], (0.3 - 0.5 * 1.2) / 1.5, 1e-9);
    let spatial = end(&on_floor::<Spatial>(0.0, 0.3, rate, 0.6))[0];
    close("sphere", spatial.velocity[0], (0.3 - 0.4 * 1.2) / 1.4, 1e-9);
}

/// Down a slope: a grain rolls at g sin / (1 + q) while tan < mu (1 + q) / q, and slides at
/// g (sin - mu cos) above.
fn down_a_slope<D: Integrate>() {
    let q = D::BALL_INERTIA;
    let limit = (MU * (1.0 + q) / q).atan();
    for share in [0.3, 0.9, 1.1, 1.4] {
        let slope = limit * share;
        let finish = 0.5;
        let grain = end(&on_floor::<D>(slope, 0.0, 0.0, finish))[0];
        let rate = RADIUS * rolling_rate::<D>(grain.spin);
        let (want, want_rate) = if share < 1.0 {
            let a = G * slope.sin() / (1.0 + q);
            (a, a)
        } else {
            let grip = MU * G * slope.cos();
            (G * slope.sin() - grip, grip / q)
        };
        // Friction grows to its full size within some ct / kt = 1e-3 s, a tenth of whose impulse,
        // mu g cos times that, is missing at most.
        close("speed", grain.velocity[0], want * finish, 1e-3);
        close("rate", rate, want_rate * finish, 1e-3 / q);
        if share < 1.0 {
            let invariant = grain.velocity[0] + q * rate;
            close("momentum", invariant, G * slope.sin() * finish, 1e-11);
        }
    }
}

#[test]
fn grains_roll_or_slide_down_a_slope() {
    down_a_slope::<Planar>();
    down_a_slope::<Spatial>();
}

/// A ball that spins about the normal touches in one point and has no reason to stop or to leave;
/// a tilted spin keeps its part along the normal while the rest is turned into rolling.
#[test]
fn a_ball_spins_on_about_the_normal() {
    let mut setup = on_floor::<Spatial>(0.0, 0.0, 0.0, 0.3);
    setup.grains[0].spin = Vector3::new(0.0, 0.0, 40.0);
    let grain = end(&setup)[0];
    assert_eq!(grain.spin, Vector3::new(0.0, 0.0, 40.0));
    assert_eq!((grain.velocity.x, grain.velocity.y), (0.0, 0.0));
    // It has turned by 12 rad about z: quaternion (0, 0, sin 6, cos 6) up to sign.
    let q = grain.rotation;
    close(
        "rotation",
        (q.k * 6.0f64.cos() - q.w * 6.0f64.sin()).abs(),
        0.0,
        1e-9,
    );

    setup.grains[0].spin = Vector3::new(30.0, 0.0, 40.0);
    let grain = end(&setup)[0];
    close("along the normal", grain.spin.z, 40.0, 1e-12);
    close("across", grain.velocity.y, -RADIUS * 30.0 * 2.0 / 7.0, 1e-9);
    close("rolling", grain.spin.x, 30.0 * 2.0 / 7.0, 1e-7);
}

/// The moment of slipping: a floor that is pulled away with a constant acceleration stretches the
/// spring of a ball at rest, u = a / w^2 (1 - cos w t) with w^2 = K / m (1 + 1 / inertia), up to
/// K u = (1 + tolerance) mu m g.
fn slips_at<D: Integrate>(inertia: f64) {
    let acceleration = 100.0;
    let square = KN / MASS * (1.0 + 1.0 / inertia);
    let share = square * 1.001 * MU * MASS * G / (KN * acceleration);
    let wanted = (1.0 - share).acos() / square.sqrt();
    for steps in [8.1, 8.3, 8.5, 8.7, 8.9, 20.2, 20.6] {
        let step = wanted / steps;
        let mut setup = on_floor::<D>(0.0, 0.0, 0.0, 2.0 * wanted);
        setup.matter.laws.set(0, 0, linear(KN, KN, 0.0, 0.0, MU));
        setup.motion.step = Some(step);
        setup.motion.slip_tolerance = 1e-3;
        setup.log.events = EventLog::Links;
        setup.boundaries[0].motion = Motion::Pieces(vec![MotionPiece {
            from: 0.0,
            velocity: place::<D>(0.0, 0.0),
            acceleration: place::<D>(acceleration, 0.0),
        }]);
        let events = run(&setup).1.events;
        let slips = events.iter().filter(|e| e.kind == EventKind::SlipLink);
        let times: Vec<f64> = slips.map(|e| e.time).collect();
        assert_eq!(times.len(), 1, "{times:?}");
        // Off the straight line by at most u'' h^2 / (8 u'), a share 1 / (8 * 8) of a step, and
        // the path by (w h)^2 / 24 of the time; the middle of the step would be off by up to a half.
        close("slip, steps", (times[0] - wanted) / step, 0.0, 0.03);
    }
}

#[test]
fn slip_is_timed_within_its_step() {
    slips_at::<Planar>(0.5);
    slips_at::<Spatial>(0.4);
}

/// What lies in touch and slides at time 0 has an unstressed tangential spring there, not one that is
/// half a step ahead, which would be K h v / 2 = 5 mN here.
fn starts_unstressed<D: Integrate>() {
    let mut setup = on_floor::<D>(0.0, 0.01, 0.0, 1e-3);
    setup.matter.laws.set(0, 0, linear(KN, KN, 100.0, 0.0, MU));
    // A neighbour that is pressed on a little and spins against it.
    let x = place::<D>(2.0 * RADIUS - 1e-6, RADIUS - MASS * G / KN);
    add(&mut setup, RADIUS, MASS, x, place::<D>(0.01, 0.0)).spin = rolling::<D>(1.0);
    let system = System::new(setup).unwrap();
    let links = system.link_rows(0.0);
    assert_eq!(links.len(), 3);
    for link in links {
        assert!(link.normal_force > 0.0);
        let force = link.tangential_force.map(f64::abs);
        // Rounding of the spring there and back.
        assert!(force.iter().all(|&f| f < 1e-15), "{link:?}");
    }
}

#[test]
fn sliding_starts_with_unstressed_springs() {
    starts_unstressed::<Planar>();
    starts_unstressed::<Spatial>();
}
