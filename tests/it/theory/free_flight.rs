//! Grains in flight: paths, who is met and when, and nobody passes through anything.

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::system::{EventLog, IntegratorName, Setup};
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};
use nalgebra::{Vector2, Vector3};

use crate::support::*;

/// Throws are parabolas, and turn as they fly.
fn thrown<D: Integrate>() {
    use IntegratorName::{Euler, Heun, Midpoint, Verlet};
    for integrator in [Verlet, Midpoint, Heun, Euler] {
        for flight in [true, false] {
            let mut setup: Setup<D> = empty(linear(1e5, 1e5, 0.0, 0.0, 0.5), 1e-5, 0.7003);
            setup.motion.integrator = integrator;
            setup.motion.flight = flight;
            let g = place::<D>(0.5, -9.81);
            setup.fields.gravity = g;
            let (x, v) = (place::<D>(1.0, 2.0), place::<D>(3.0, 4.0));
            add(&mut setup, 0.01, 0.1, x, v).spin = rolling::<D>(2.0);
            let (system, _) = run(&setup);
            let grain = system.grains_at(setup.run.end_time)[0];
            let t = setup.run.end_time;
            // Flight is exact to rounding; so are the schemes of second order under a force that
            // does not change. Euler moves with the old velocity: g h t / 2 is missing.
            let tolerance = match (flight, integrator) {
                (true, _) => 5e-13,
                (false, Euler) => 0.51 * 9.9 * 1e-5 * t,
                _ => 1e-10,
            };
            let apart = (grain.position - (x + v * t + g * (0.5 * t * t))).norm();
            assert!(apart < tolerance, "{integrator:?} {flight}: {apart:e}");
            let apart = (grain.velocity - (v + g * t)).norm();
            // Fifty thousand additions, each rounded by up to half a unit in the last place of 8.
            assert!(apart < 5e4 * 8.9e-16, "{integrator:?} {flight}: {apart:e}");
            close("spin", rolling_rate::<D>(grain.spin), 2.0, 1e-15);
            let (turn, n) = D::rotation_components(grain.rotation);
            let angle = if n == 1 {
                -turn[0]
            } else {
                2.0 * turn[1].atan2(turn[3])
            };
            close("turn", angle, 2.0 * t, 1e-11);
            let steps = system.summary().work.grain_steps;
            assert_eq!(steps > 0, !flight, "{steps} steps");
        }
    }
}

#[test]
fn a_throw_is_a_parabola() {
    thrown::<Planar>();
    thrown::<Spatial>();
}

/// A bouncing grain: heights and times of the bounces by restitution, from where it hits.
fn bouncing<D: Integrate>() {
    let (k, mass, radius, g, height) = (1e7, 0.1f64, 0.01, 9.81, 0.5f64);
    let share: f64 = 0.1;
    let c = 2.0 * share * (k * mass).sqrt();
    let w = (1.0f64 - share * share).sqrt();
    let duration = (std::f64::consts::PI - (2.0 * share * w).atan2(w * w - share * share)) / w;
    let e = (-share * duration).exp();
    let mut setup: Setup<D> = empty(linear(k, 0.0, c, 0.0, 0.0), 2e-6, 1.8);
    setup.fields.gravity = place::<D>(0.0, -g);
    setup.log.events = EventLog::Links;
    floor(&mut setup);
    let x = place::<D>(0.0, radius + height);
    add(&mut setup, radius, mass, x, place::<D>(0.7, 0.0));
    let (system, sink) = run(&setup);
    let hits: Vec<f64> = sink
        .events
        .iter()
        .filter(|row| row.kind == EventKind::InsertLink)
        .map(|row| row.time)
        .collect();
    let mut speed = (2.0 * g * height).sqrt();
    let mut time = speed / g;
    assert!(hits.len() > 3, "{hits:?}");
    for (i, &hit) in hits.iter().take(4).enumerate() {
        // Each contact lasts 3e-4 s, of which the free path knows nothing; in it gravity takes
        // g times that from the speed, once more. The first hit has no contact before it.
        let contact = std::f64::consts::PI * (mass / k).sqrt();
        close(
            "hit",
            hit,
            time,
            if i == 0 {
                1e-9
            } else {
                3.0 * contact * i as f64
            },
        );
        speed *= e;
        time += 2.0 * speed / g;
    }
    let grain = system.grains_at(1.8)[0];
    close("along", grain.position[0], 0.7 * 1.8, 1e-12);
    assert!(system.summary().regimes.flight > 0.9);
}

#[test]
fn a_bouncing_grain() {
    bouncing::<Planar>();
    bouncing::<Spatial>();
}

/// Rain on a bed: with flight or stepped all the time, the same collisions.
fn rain<D: Integrate>() {
    let scene = |flight: bool, step: f64| {
        let mut setup: Setup<D> = empty(linear(1e5, 0.5e5, 100.0, 50.0, 0.4), step, 0.25);
        setup.motion.flight = flight;
        setup.fields.gravity = place::<D>(0.0, -9.81);
        setup.log.events = EventLog::Links;
        floor(&mut setup);
        for i in 0..5 {
            let x = place::<D>(0.0201 * f64::from(i), 0.01 - 1e-5);
            add(&mut setup, 0.01, 0.1, x, D::Vector::default());
        }
        for i in 0..4 {
            let x = place::<D>(0.02 * f64::from(i) + 0.007, 0.06 + 0.04 * f64::from(i));
            add(&mut setup, 0.008, 0.06, x, place::<D>(0.05, -0.5)).spin = rolling::<D>(5.0);
        }
        setup
    };
    let hits = |flight: bool, step: f64| {
        let (system, sink) = run(&scene(flight, step));
        let share = system.summary().regimes.flight;
        assert_eq!(share > 0.05, flight, "{share}");
        let rows: Vec<_> = sink
            .events
            .iter()
            .filter(|row| row.kind == EventKind::InsertLink)
            .map(|row| (row.body_a, row.body_b, row.time, row.energy))
            .collect();
        rows
    };
    let (with, without) = (hits(true, 1e-5), hits(false, 1e-5));
    // The first dozen: later ones are chaotic, and rounding decides.
    assert!(with.len() > 12);
    let mut compared = 0;
    for (a, b) in with.iter().zip(&without).take(12) {
        assert_eq!((a.0, a.1), (b.0, b.1));
        // Flight is exact where steps are of second order: some 1e-9 s here.
        close("time of contact", a.2, b.2, 1e-7);
        if a.3 > 1e-6 {
            close("energy of approach", a.3 / b.3, 1.0, 1e-4);
        }
        compared += 1;
    }
    assert_eq!(compared, 12);
}

#[test]
fn rain_falls_the_same_with_and_without_flight() {
    rain::<Planar>();
    rain::<Spatial>();
}

/// 200 fast flyers in a closed vessel: how deep any of them was in the wall, and how far outside.
fn locked_in<D: Integrate>(
    name: &str,
    walls: Vec<Shape<D>>,
    motion: Motion<D>,
    gravity: D::Vector,
    inside: impl Fn(D::Vector) -> f64,
    box_size: D::Vector,
) {
    let (k, mass, radius, speed) = (1e5, 0.002, 0.004, 12.0);
    let mut setup: Setup<D> = empty(linear(k, 0.5 * k, 0.3, 0.1, 0.3), 4e-6, 0.04);
    setup.fields.gravity = gravity;
    setup.log.snapshots = Some(1e-3);
    for shape in walls {
        wall(&mut setup, name, shape).motion = motion.clone();
    }
    let mut dice = Dice(17);
    let mut tries = 0;
    while setup.grains.len() < 200 {
        tries += 1;
        assert!(tries < 1_000_000, "{name}: no room for 200 flyers");
        let x = D::Vector::from_fn(|k| dice.between(-1.0, 1.0) * box_size[k]);
        let free = setup
            .grains
            .iter()
            .all(|g| (g.position - x).norm() > 2.05 * radius);
        if inside(x) > 1.05 * radius && free {
            let v = dice.vector::<D>(-speed, speed);
            add(&mut setup, radius, mass, x, v).spin = dice.spin::<D>(-100.0, 100.0);
        }
    }
    let (system, sink) = run(&setup);
    assert!(
        system.summary().regimes.flight > 0.02,
        "{:?}",
        system.summary().regimes
    );
    assert!(system.summary().events.by_kind["insert-link"] > 300);
    // The fastest that a flyer can be at a wall, with what chance collisions add; and the overlap
    // at which a spring alone stops it.
    let fastest = 3.0 * speed * (D::N as f64).sqrt();
    let limit = fastest * (mass / k).sqrt();
    for (grains, _) in &sink.snapshots {
        for (i, g) in grains.iter().enumerate() {
            let x = D::Vector::from_fn(|k| g.position[k]);
            let depth = radius - inside(x);
            assert!(
                depth < limit,
                "{name}: grain {} at {x:?} is {depth} m in the wall at {} s, not {limit} at most",
                g.grain,
                g.time
            );
            for other in &grains[..i] {
                let y = D::Vector::from_fn(|k| other.position[k]);
                let depth = 2.0 * radius - (x - y).norm();
                assert!(depth < limit, "{name}: {} and {}", g.grain, other.grain);
            }
        }
    }
    assert_eq!(system.grain_count(), 200);
}

/// Distance from the nearest of the lines through two corners each, of a convex polygon that goes
/// round against the clock; negative outside.
fn in_polygon(corners: &[Vector2<f64>], x: Vector2<f64>) -> f64 {
    let n = corners.len();
    (0..n)
        .map(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % n]);
            let along = (b - a) / Vector::norm(&(b - a));
            let arm = x - a;
            along.x * arm.y - along.y * arm.x
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn planar_flyers_stay_in_their_vessel() {
    let none = Vector2::zeros();
    let down = Vector2::new(0.0, -9.81);
    let size = Vector2::new(0.15, 0.15);
    let block = Shape::Box(shapes::Cuboid {
        min: -size,
        max: size,
        inside: true,
    });
    let in_box = |x: Vector2<f64>| 0.15 - x.x.abs().max(x.y.abs());
    locked_in::<Planar>(
        "box",
        vec![block.clone()],
        Motion::Fixed,
        none,
        in_box,
        size,
    );
    let circle = Shape::Ball(shapes::Ball {
        centre: none,
        radius: 0.15,
        inside: true,
    });
    let in_circle = |x: Vector2<f64>| 0.15 - Vector::norm(&x);
    locked_in::<Planar>(
        "circle",
        vec![circle.clone()],
        Motion::Fixed,
        down,
        in_circle,
        size,
    );
    let turning = Motion::Rotation {
        centre: none,
        spin: 20.0,
    };
    locked_in::<Planar>("drum", vec![circle], turning.clone(), down, in_circle, size);
    let corners = vec![
        Vector2::new(-0.15, -0.15),
        Vector2::new(0.15, -0.12),
        Vector2::new(0.12, 0.1),
        Vector2::new(0.0, 0.15),
        Vector2::new(-0.15, 0.12),
    ];
    let chain = Shape::Polyline(shapes::Polyline {
        points: corners.clone(),
        closed: true,
    });
    let in_chain = |x: Vector2<f64>| in_polygon(&corners, x);
    locked_in::<Planar>("polyline", vec![chain], Motion::Fixed, down, in_chain, size);
    // A box with a disk and a block in it, seen from outside.
    let obstacle = Shape::Ball(shapes::Ball {
        centre: Vector2::new(0.06, 0.05),
        radius: 0.03,
        inside: false,
    });
    let brick = Shape::Box(shapes::Cuboid {
        min: Vector2::new(-0.09, -0.07),
        max: Vector2::new(-0.03, -0.02),
        inside: false,
    });
    let in_yard = |x: Vector2<f64>| {
        let to_ball = Vector::norm(&(x - Vector2::new(0.06, 0.05))) - 0.03;
        let out = Vector2::new(
            ((x.x + 0.06).abs() - 0.03).max(0.0),
            ((x.y + 0.045).abs() - 0.025).max(0.0),
        );
        let inner = ((x.x + 0.06).abs() - 0.03).max((x.y + 0.045).abs() - 0.025);
        let to_brick = if inner > 0.0 {
            Vector::norm(&out)
        } else {
            inner
        };
        in_box(x).min(to_ball).min(to_brick)
    };
    let walls = vec![block, obstacle, brick];
    locked_in::<Planar>("yard", walls, Motion::Fixed, none, in_yard, size);
}

#[test]
fn spatial_flyers_stay_in_their_vessel() {
    let none = Vector3::zeros();
    let down = Vector3::new(0.0, 0.0, -9.81);
    let size = Vector3::new(0.1, 0.1, 0.1);
    let block = Shape::Box(shapes::Cuboid {
        min: -size,
        max: size,
        inside: true,
    });
    let in_box = |x: Vector3<f64>| 0.1 - x.amax();
    locked_in::<Spatial>(
        "box",
        vec![block.clone()],
        Motion::Fixed,
        none,
        in_box,
        size,
    );
    let ball = Shape::Ball(shapes::Ball {
        centre: none,
        radius: 0.1,
        inside: true,
    });
    let in_ball = |x: Vector3<f64>| 0.1 - Vector::norm(&x);
    locked_in::<Spatial>("ball", vec![ball], Motion::Fixed, down, in_ball, size);
    // A closed cone: tip at the bottom, lid at the top.
    let cone = Shape::Revolved(shapes::Revolved {
        origin: none,
        axis: Vector3::z(),
        profile: vec![[0.0, -0.1], [0.1, 0.1], [0.0, 0.1]],
    });
    let in_cone = |x: Vector3<f64>| {
        let distance = (x.x * x.x + x.y * x.y).sqrt();
        let slant = 5.0f64.sqrt();
        (((x.z + 0.1) - 2.0 * distance) / slant).min(0.1 - x.z)
    };
    locked_in::<Spatial>(
        "cone",
        vec![cone.clone()],
        Motion::Fixed,
        none,
        in_cone,
        size,
    );
    let turning = Motion::Rotation {
        centre: none,
        spin: Vector3::new(0.0, 0.0, 20.0),
    };
    locked_in::<Spatial>("turning cone", vec![cone], turning, down, in_cone, size);
    let obstacle = Shape::Ball(shapes::Ball {
        centre: Vector3::new(0.02, 0.0, 0.03),
        radius: 0.04,
        inside: false,
    });
    let in_yard =
        |x: Vector3<f64>| in_box(x).min(Vector::norm(&(x - Vector3::new(0.02, 0.0, 0.03))) - 0.04);
    locked_in::<Spatial>(
        "yard",
        vec![block, obstacle],
        Motion::Fixed,
        none,
        in_yard,
        size,
    );
}

/// A paddle that turns fast must not pass through a grain that floats near its centre.
#[test]
fn a_fast_paddle_hits_what_floats() {
    for spin in [40.0, 200.0] {
        let mut setup: Setup<Planar> = empty(linear(1e6, 0.0, 10.0, 0.0, 0.0), 2e-6, 0.05);
        let shape = Shape::Polyline(shapes::Polyline {
            points: vec![Vector2::new(0.0, 0.0), Vector2::new(0.2, 0.0)],
            closed: false,
        });
        wall(&mut setup, "paddle", shape).motion = Motion::Rotation {
            centre: Vector2::zeros(),
            spin,
        };
        let x = Vector2::new(-0.05, 0.0);
        add(&mut setup, 0.01, 0.05, x, Vector2::zeros());
        let (system, _) = run(&setup);
        let hits = system.summary().events.by_kind.get("insert-link").copied();
        // It comes round after pi / spin = 0.08 s or 0.016 s.
        assert_eq!(hits.is_some(), spin > 100.0);
        let grain = system.grains_at(0.05)[0];
        if spin > 100.0 {
            // A smooth elastic blow gives nearly twice the paddle's speed there.
            assert!(Vector::norm(&grain.velocity) > 5.0, "{grain:?}");
        } else {
            assert_eq!(grain.position, x);
        }
    }
}

/// A floor that shakes is met whatever its period: here the eighths of the second up to which a
/// resting flyer is foreseen all fall on moments at which the floor rests.
#[test]
fn a_shaking_floor_is_met_whatever_its_period() {
    for frequency in [1.7, 8.0, 40.0] {
        let mut setup: Setup<Planar> = empty(linear(1e6, 0.0, 10.0, 0.0, 0.0), 2e-6, 0.5);
        floor(&mut setup).motion = Motion::Harmonic {
            amplitude: Vector2::new(0.0, 0.02),
            frequency,
            phase: -std::f64::consts::FRAC_PI_2,
        };
        // Beyond the margin of the lists, at the middle of the 0.04 m that the floor rises.
        let x = Vector2::new(0.0, 0.03);
        add(&mut setup, 0.01, 0.05, x, Vector2::zeros());
        let grain = end(&setup)[0];
        let speed = std::f64::consts::TAU * frequency * 0.02;
        // It is met at the floor's full speed; a blow of restitution 0.93 throws it off.
        close("speed", grain.velocity.y / (1.93 * speed), 1.0, 0.02);
    }
}

/// Small grains among large ones pass the end of a thin wall from one side to the other and feel
/// nothing that is not there.
#[test]
fn small_grains_round_the_end_of_a_wall() {
    let mut dice = Dice(23);
    let (mut near, mut hits) = (0, 0);
    for _ in 0..400 {
        let radius = 1e-3;
        let mut setup: Setup<Planar> = empty(linear(1e4, 0.0, 0.0, 0.0, 0.0), 2e-6, 0.02);
        let shape = Shape::Polyline(shapes::Polyline {
            points: vec![Vector2::new(-0.1, 0.0), Vector2::new(0.0, 0.0)],
            closed: false,
        });
        wall(&mut setup, "wall", shape);
        // Large grains far away, so that the mean radius is large.
        for i in 0..4 {
            let x = Vector2::new(1.0 + 0.1 * f64::from(i), 0.0);
            add(&mut setup, 0.02, 1.0, x, Vector2::zeros());
        }
        let angle = dice.between(0.3, 1.3);
        let towards = Vector2::new(-angle.cos(), -angle.sin());
        // The line passes the end at this distance, beyond it.
        let distance = radius * dice.between(0.9, 2.0);
        let aside = Vector2::new(angle.sin(), -angle.cos());
        let start = aside * distance - towards * dice.between(0.004, 0.012);
        let index = setup.grains.len();
        add(&mut setup, radius, 1e-5, start, towards * 1.0);
        let (system, _) = run(&setup);
        let by_kind = system.summary().events.by_kind;
        let hit = by_kind.contains_key("insert-link");
        assert_eq!(hit, distance < radius, "{distance} {angle}");
        let grain = system.grains_at(0.02)[index];
        // Undamped; 50 steps a contact leave some 1e-5, more where it is grazed.
        close("speed", Vector::norm(&grain.velocity), 1.0, 1e-3);
        near += usize::from(!hit);
        hits += usize::from(hit);
    }
    assert!(near > 100 && hits > 10);
}
