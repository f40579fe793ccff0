//! Tori as walls: distances, normals and curvatures against brute force and differences; a ball that rolls along the outer equator; the same collisions
//! by every model; images; what is refused.

use std::f64::consts::{PI, TAU};

use arenite::event::EventKind;
use arenite::geometry::surface::{Pieces, Surface};
use arenite::geometry::{Dimension, Planar, Spatial};
use arenite::neighbor::PeriodicAxis;
use arenite::record::MemorySink;
use arenite::scenario::Scenario;
use arenite::walls::Wall;
use arenite::walls::shapes;
use arenite::walls::{Boundary, Images, Pose, Shape};
use nalgebra::Vector3;
use proptest::prelude::*;

use crate::support::*;

type V3 = Vector3<f64>;

const RING: f64 = 0.5;
const TUBE: f64 = 0.2;

fn torus(inside: bool) -> shapes::Torus<Spatial> {
    shapes::Torus {
        centre: V3::new(0.1, -0.2, 0.3),
        axis: V3::new(0.4, -0.7, 2.0),
        radius: RING,
        tube: TUBE,
        inside,
    }
}

fn pieces(inside: bool) -> Pieces<Spatial> {
    Shape::Torus(torus(inside)).surfaces().unwrap()
}

/// Two unit vectors across the axis, and the axis.
fn frame() -> [V3; 3] {
    let axis = torus(true).axis.normalize();
    let u = axis.cross(&V3::x()).normalize();
    [u, axis.cross(&u), axis]
}

/// The point of the surface at an angle around the axis and one around the tube, and the normal out of the tube there.
fn on_surface(around: f64, along: f64) -> (V3, V3) {
    let [u, v, axis] = frame();
    let out = u * around.cos() + v * around.sin();
    let normal = out * along.cos() + axis * along.sin();
    (torus(true).centre + out * RING + normal * TUBE, normal)
}

/// The least distance from points of the surface, by a grid that is made finer around the best three times over.
fn nearest(x: V3) -> f64 {
    let (mut middle, mut width, mut least) = ([PI, PI], TAU, f64::INFINITY);
    for _ in 0..6 {
        let (side, before) = (60, middle);
        for i in 0..=side {
            for j in 0..=side {
                let at = |k: usize, n: usize| before[k] + width * (n as f64 / side as f64 - 0.5);
                let distance = (on_surface(at(0, i), at(1, j)).0 - x).norm();
                if distance < least {
                    (least, middle) = (distance, [at(0, i), at(1, j)]);
                }
            }
        }
        width *= 0.1;
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_distance_is_that_of_the_nearest_point(x in -0.9..0.9_f64, y in -0.9..0.9_f64, z in -0.6..0.6_f64) {
        let x = torus(true).centre + V3::new(x, y, z);
        let least = nearest(x);
        for inside in [true, false] {
            let surface = pieces(inside);
            let met = surface[0].probe(x).unwrap();
            prop_assert!((met.distance.abs() - least).abs() < 1e-8, "{} {least}", met.distance);
            prop_assert_eq!(met.distance, surface[0].distance_bound(x));
            // The normal leads from the nearest point to the place, and is where the distance grows.
            let foot = x - met.normal * met.distance;
            prop_assert!(surface[0].probe(foot).unwrap().distance.abs() < 1e-12);
            prop_assert!((met.normal.norm() - 1.0).abs() < 1e-12);
            let h = 1e-6;
            for k in 0..3 {
                let by = V3::from_fn(|j, _| if j == k { h } else { 0.0 });
                let d = |x: V3| surface[0].probe(x).unwrap().distance;
                let slope = (d(x + by) - d(x - by)) / (2.0 * h);
                prop_assert!((slope - met.normal[k]).abs() < 1e-5, "{slope} {}", met.normal[k]);
            }
        }
    }

    /// The normal turns along the surface by its curvatures, over 0 where that bulges towards the grain.
    #[test]
    fn curvatures_are_those_of_the_normal(around in 0.0..TAU, along in 0.0..TAU) {
        let (point, normal) = on_surface(around, along);
        let [u, v, _] = frame();
        let across = v * around.cos() - u * around.sin();
        let tangents = [normal.cross(&across), across];
        for inside in [true, false] {
            let surface = pieces(inside);
            let met = surface[0].probe(point).unwrap();
            let found = surface[0].curvatures(point, &met);
            for (tangent, curvature) in tangents.iter().zip(found) {
                let h = 1e-5;
                let n = |x: V3| surface[0].probe(x).unwrap().normal;
                let turn = (n(point + tangent * h) - n(point - tangent * h)).dot(tangent) / (2.0 * h);
                prop_assert!((turn - curvature).abs() < 1e-6, "{turn} {curvature}");
            }
        }
    }

    /// Along straight lines the distance bends down no faster than `hollow` says, by half as much again within a quarter of the hollow's radius.
    #[test]
    fn the_distance_bends_by_no_more_than_the_hollow(
        x in -0.9..0.9_f64, y in -0.9..0.9_f64, z in -0.6..0.6_f64, theta in 0.0..PI, phi in 0.0..TAU,
    ) {
        let x = torus(true).centre + V3::new(x, y, z);
        let way = V3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
        for inside in [true, false] {
            let surface = pieces(inside);
            let d = |s: f64| surface[0].probe(x + way * s).unwrap().distance;
            let met = surface[0].probe(x).unwrap();
            let hollow = surface[0].hollow(x, &met);
            let slope = met.normal.dot(&way);
            let reach = if hollow > 0.0 { 0.25 / hollow } else { 1.0 };
            for k in 1..=20 {
                let s = reach * f64::from(k) / 20.0;
                let least = met.distance + slope * s - 0.75 * hollow * s * s;
                prop_assert!(d(s) >= least - 1e-9, "{} {least} after {s} m", d(s));
            }
        }
    }
}

#[test]
fn a_ball_rolls_along_the_outer_equator_without_loss() {
    let (radius, mass, speed, stiffness) = (0.05, 0.3, 1.5, 1e6);
    let shape = torus(true);
    // Pressed in until the spring keeps it on its circle.
    let mut way = RING + TUBE - radius;
    for _ in 0..50 {
        way = RING + TUBE - radius + mass * speed * speed / way / stiffness;
    }
    let [u, v, axis] = frame();
    let turns = 3.0;
    let finish = turns * TAU * way / speed;
    let mut setup = empty::<Spatial>(
        linear(stiffness, 0.5 * stiffness, 0.0, 0.0, 0.5),
        2e-5,
        finish,
    );
    setup.motion.flight = false;
    wall(&mut setup, "ring", Shape::Torus(shape.clone()));
    let grain = add(&mut setup, radius, mass, shape.centre + u * way, v * speed);
    // Where it touches, pressed in a little, it does not slide.
    grain.spin = axis * (-speed / (RING + TUBE - way));
    let energy = |system: &arenite::system::System<Spatial>| kinetic(&system.grains_at(finish));
    let (system, _) = run(&setup);
    let grain = &system.grains_at(finish)[0];
    let arm = grain.position - shape.centre;
    close("radius", (arm - axis * arm.dot(&axis)).norm(), way, 1e-6);
    close("height", arm.dot(&axis), 0.0, 1e-9);
    close("speed", grain.velocity.norm(), speed, 1e-4 * speed);
    close("angle", (arm.dot(&v)).atan2(arm.dot(&u)), 0.0, 2e-3);
    let before = kinetic(&setup.grains);
    close("energy", energy(&system) / before, 1.0, 1e-4);
    let summary = system.summary();
    assert!(
        summary.energy.balance_error_max < 1e-5,
        "{:?}",
        summary.energy
    );
}

/// A ball thrown into the tube, or at a doughnut, hits at the same times and places by collisions from event to event, by collisions in flight and by steps.
#[test]
fn all_models_collide_at_the_same_times() {
    for (grains, start, velocity) in [
        ("inside", [0.45, 0.02, 0.03], [0.9, 0.3, 1.0]),
        ("outside", [0.3, 0.05, 0.5], [-0.1, 0.3, -1.9]),
    ] {
        let driven = |run: &str, log: &str, section: &str| {
            let text = format!(
                "name = 'ring'\ndimension = 3\n[run]\nend_time = 0.55\n{run}\n[log]\nsnapshots = 'never'\ncheckpoint = 'never'\n\
                 {log}\n{section}\n[material.a]\ndensity = 1000.0\n[[law]]\nbetween = ['a', 'a']\n[law.linear]\n\
                 normal_stiffness = 1e8\ntangential_stiffness = 0.0\nnormal_damping = 0.0\ntangential_damping = 0.0\nfriction = 0.0\n\
                 [[boundary]]\nname = 'ring'\nmaterial = 'a'\ntorus = {{ centre = [0.0, 0.0, 0.0], axis = [0.1, 0.0, 1.0], radius = 0.5, \
                 tube = 0.2, grains = '{grains}' }}\n[[fill]]\nmaterial = 'a'\ngrains = [{{ position = {start:?}, radius = 0.05, \
                 velocity = {velocity:?} }}]\n"
            );
            let (sink, summary) = driven(&text).unwrap();
            let off = summary.energy.balance_error_max;
            assert!(off < 1e-4, "{:?}", summary.energy);
            sink
        };
        let links = "events = 'links'";
        let times = |sink: &MemorySink, kind: EventKind| {
            let found = sink.events.iter().filter(|row| row.kind == kind);
            found.map(|row| row.time).collect::<Vec<f64>>()
        };
        let stepped = times(&driven("step = 1e-6", links, ""), EventKind::InsertLink);
        let flown = driven("step = 1e-6\ncollisions = true", links, "");
        let flown = times(&flown, EventKind::Collision);
        let events = driven("", links, "[events]\ncollapse = 'elastic'");
        let events = times(&events, EventKind::Collision);
        assert!(
            stepped.len() >= if grains == "inside" { 3 } else { 2 },
            "{stepped:?}"
        );
        for others in [&flown, &events] {
            assert_eq!(stepped.len(), others.len(), "{stepped:?} {others:?}");
            for (k, (a, b)) in stepped.iter().zip(others).enumerate() {
                // Each contact lasts pi sqrt(m / k), 0.23 ms.
                assert!(
                    (a - b).abs() < 4e-4 * (k + 1) as f64,
                    "{grains}: {stepped:?} {others:?}"
                );
            }
        }
        // Both do the same to roundings.
        for (a, b) in flown.iter().zip(&events) {
            assert!((a - b).abs() < 1e-9, "{grains}: {flown:?} {events:?}");
        }
    }
}

/// Across a periodic border a doughnut is met as if it stood there too.
#[test]
fn a_torus_has_images() {
    let shape = torus(false);
    let wall = Boundary::standing(Shape::Torus(shape.clone()), 0);
    let axis = PeriodicAxis {
        origin: -0.2,
        length: 2.0,
    };
    let cut = Wall::new(&wall, &[Some(axis), None, None]).unwrap();
    let images = Images::of(&wall, 1, &[Some(axis), None, None]).unwrap();
    assert!(images.are_others());
    let pose = Pose::rest();
    let surface = pieces(false);
    for (x, y) in [(1.7, 0.1), (1.2, -0.4), (-0.15, 0.2)] {
        let place = V3::new(x, y, 0.4);
        let own = [-2.0, 0.0, 2.0].map(|by| surface.distance(place + V3::x() * by));
        let least = own.into_iter().fold(f64::INFINITY, f64::min);
        assert!((cut.distance(&pose, place) - least).abs() < 1e-12);
    }
    // What it spans is what its points span.
    let (low, high) = wall.shape.extent().unwrap();
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for i in 0..400 {
        for j in 0..400 {
            let angle = |n: i32| TAU * f64::from(n) / 400.0;
            let (point, _) = on_surface(angle(i), angle(j));
            for k in 0..3 {
                least[k] = least[k].min(point[k]);
                most[k] = most[k].max(point[k]);
            }
        }
    }
    for k in 0..3 {
        close("low", low[k], least[k], 1e-4);
        close("high", high[k], most[k], 1e-4);
    }
}

#[test]
fn what_is_no_torus_is_refused() {
    let told = |dimension: usize, torus: &str| {
        let place = &[0.5, 0.0, 0.0][..dimension];
        let text = format!(
            "name = 'ring'\ndimension = {dimension}\n[run]\nend_time = 1.0\n[material.a]\ndensity = 1.0\n[[boundary]]\nmaterial = 'a'\ntorus = {torus}\n[[fill]]\nmaterial = 'a'\n\
             grains = [{{ position = {place:?}, radius = 0.01 }}]\n"
        );
        let problem = Scenario::parse("written", &text, None, &[]).and_then(|one| one.resolve());
        problem.map(|_| ()).unwrap_err().render(false)
    };
    let ring = |radius: f64, tube: f64, axis: f64| {
        format!(
            "{{ centre = [0.0, 0.0, 0.0], axis = [0.0, 0.0, {axis:?}], radius = {radius:?}, tube = {tube:?}, grains = 'inside' }}"
        )
    };
    let wide = told(3, &ring(0.5, 0.5, 1.0));
    assert!(
        wide.contains(
            "`boundary[0].torus.tube` is 0.5, but must be less than the radius of the ring, 0.5"
        ),
        "{wide}"
    );
    assert!(told(3, &ring(0.5, -0.1, 1.0)).contains("boundary[0].torus.tube"));
    assert!(told(3, &ring(0.0, 0.1, 1.0)).contains("boundary[0].torus.radius"));
    assert!(told(3, &ring(0.5, 0.1, 0.0)).contains("boundary[0].torus.axis"));
    let flat = told(2, &ring(0.5, 0.1, 1.0));
    assert!(
        flat.contains("is a shape of 3 dimensions, but this scenario has 2"),
        "{flat}"
    );
    assert!(
        flat.contains("`circle`") && !flat.contains("`sphere`"),
        "{flat}"
    );
    let planar = shapes::Torus::<Planar> {
        centre: Default::default(),
        axis: <Planar as Dimension>::Vector::new(0.0, 1.0),
        radius: 1.0,
        tube: 0.1,
        inside: true,
    };
    assert!(Shape::Torus(planar).surfaces().is_err());
}
