//! From event to event at walls of every shape and motion: each hit is where a walk by small steps and a bisection finds it, which knows no more
//! of a wall than how far away it is.

use arenite::collide::engine::{Collision, Engine, Other, Setup, Stopped};
use arenite::geometry::surface::mesh::Exactness;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::walls::Wall;
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, MotionPiece, Pose, Shape};
use nalgebra::{Vector2, Vector3};

use crate::theory::gas;

const RADIUS: f64 = 0.05;
/// Hits that are compared: beyond these roundings have grown.
const HITS: usize = 9;

fn setup<D: Dimension>(
    wall: &Boundary<D>,
    gravity: D::Vector,
    (position, velocity): (D::Vector, D::Vector),
) -> Setup<D> {
    let far = D::Vector::from_fn(|_| 1.0);
    Setup {
        bodies: vec![gas::body::<D>(position, velocity, RADIUS)],
        gravity,
        walls: vec![wall.clone()],
        ..gas::empty(-far, far, false)
    }
}

/// Times of hits by small steps; the normal by differences of distances.
fn walked<D: Dimension>(
    wall: &Wall<D>,
    gravity: D::Vector,
    (mut x, mut v): (D::Vector, D::Vector),
    until: f64,
) -> Vec<f64> {
    let pose = |t: f64| -> Pose<D> { wall.boundary.motion.pose(t) };
    let gap = |x: D::Vector, t: f64| wall.distance(&pose(t), x) - RADIUS;
    let normal = |x: D::Vector, t: f64| {
        let h = 1e-6;
        let along = |k: usize| D::Vector::from_fn(|j| if j == k { h } else { 0.0 });
        let slope = D::Vector::from_fn(|k| gap(x + along(k), t) - gap(x - along(k), t));
        slope * (1.0 / slope.norm())
    };
    let step = 2e-5;
    let (mut t, mut hits) = (0.0, Vec::new());
    while t < until && hits.len() < HITS {
        let at = |s: f64| x + (v + gravity * (0.5 * s)) * s;
        if gap(at(step), t + step) >= 0.0 {
            (x, v, t) = (at(step), v + gravity * step, t + step);
            continue;
        }
        let (mut low, mut high) = (0.0, step);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if gap(at(middle), t + middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        (x, v, t) = (at(low), v + gravity * low, t + low);
        let n = normal(x, t);
        let point = x - n * RADIUS;
        let rate = n.dot(&(v - pose(t).point_velocity(point)));
        if rate < 0.0 {
            hits.push(t);
            v -= n * (2.0 * rate);
        }
        // On a step, not to find the same hit again.
        let s = 1e-9;
        (x, v, t) = (x + v * s, v + gravity * s, t + s);
    }
    hits
}

fn compare<D: Dimension>(
    name: &str,
    wall: Boundary<D>,
    start: (D::Vector, D::Vector),
    least: usize,
) {
    let pull = D::Vector::from_fn(|k| if k == D::N - 1 { -9.81 } else { 0.0 });
    for gravity in [pull, D::Vector::default()] {
        let cut = Wall::new(&wall, &[]).unwrap();
        let until = 2.0;
        let mut engine = Engine::new(setup(&wall, gravity, start)).unwrap();
        let begin = engine.kinetic().0 + engine.potential();
        let mut hits = Vec::new();
        let mut look = |c: &Collision<D>| {
            assert_eq!(c.b, Other::Wall(0));
            let gap = cut.distance(&wall.motion.pose(c.time), c.position) - RADIUS;
            assert!(gap.abs() < 1e-12, "{name}: hit {} m away", gap);
            hits.push(c.time);
        };
        assert_eq!(
            engine.run_with(until, u64::MAX, &mut look),
            Stopped::Until,
            "{name}"
        );
        let (tally, book) = (engine.tally(), engine.kinetic().0 + engine.potential());
        let off = book - tally.fed - begin;
        assert!(
            off.abs() < 1e-10 * (1.0 + tally.fed.abs()),
            "{name}: {off} J"
        );
        // A hit at the very end may be found or not.
        let expected = walked(&cut, gravity, start, until - 1e-3);
        assert!(expected.len() >= least, "{name}: {expected:?}");
        // Errors of normals by differences grow from hit to hit where walls bulge.
        for (k, (a, b)) in hits.iter().zip(&expected).enumerate() {
            let allowed = 1e-8 * 8f64.powi(k as i32);
            assert!(
                (a - b).abs() < allowed,
                "{name}, {gravity:?}: {hits:?}, walked {expected:?}"
            );
        }
        assert!(
            hits.len() >= expected.len(),
            "{name}: {hits:?}, walked {expected:?}"
        );
    }
}

fn motions<D: Dimension>(along: D::Vector, spin: D::Spin, centre: D::Vector) -> Vec<Motion<D>> {
    vec![
        Motion::Fixed,
        Motion::Rotation { centre, spin },
        Motion::Harmonic {
            amplitude: along * 0.02,
            frequency: 3.0,
            phase: 0.4,
        },
        Motion::Velocity(along * 0.05),
        Motion::Parabolic {
            amplitude: along * 0.02,
            frequency: 2.0,
        },
        Motion::Pieces(vec![
            MotionPiece {
                from: 0.1,
                velocity: along * 0.1,
                acceleration: along * -0.4,
            },
            MotionPiece {
                from: 0.6,
                velocity: along * -0.1,
                acceleration: along * 0.3,
            },
        ]),
    ]
}

#[test]
fn walls_of_the_plane_are_met_where_they_are() {
    let polygon: Vec<_> = (0..7)
        .map(|k| {
            let (sine, cosine) = libm::sincos(0.3 + std::f64::consts::TAU * f64::from(k) / 7.0);
            Vector2::new(0.6 * cosine, 0.6 * sine)
        })
        .collect();
    let shapes = [
        (
            "segment",
            Shape::Polyline(shapes::Polyline {
                points: vec![Vector2::new(-0.9, -0.5), Vector2::new(0.9, -0.35)],
                closed: false,
            }),
            1,
        ),
        (
            "polygon",
            Shape::Polyline(shapes::Polyline {
                points: polygon,
                closed: true,
            }),
            2,
        ),
        (
            "arc",
            Shape::Arc(shapes::Arc {
                centre: Vector2::zeros(),
                radius: 0.6,
                angles: [-3.3, 0.2],
            }),
            1,
        ),
        (
            "circle",
            Shape::Ball(shapes::Ball {
                centre: Vector2::zeros(),
                radius: 0.6,
                inside: true,
            }),
            2,
        ),
        (
            "block",
            Shape::Box(shapes::Cuboid {
                min: Vector2::new(-0.3, -0.7),
                max: Vector2::new(0.35, -0.4),
                inside: false,
            }),
            1,
        ),
        (
            "box",
            Shape::Box(shapes::Cuboid {
                min: Vector2::new(-0.6, -0.5),
                max: Vector2::new(0.6, 0.7),
                inside: true,
            }),
            2,
        ),
        (
            "rough",
            Shape::Grains(shapes::Grains(
                (0..9)
                    .map(|k| (Vector2::new(0.12 * f64::from(k) - 0.48, -0.5), 0.08))
                    .collect(),
            )),
            1,
        ),
    ];
    for (name, shape, least) in shapes {
        for motion in motions::<Planar>(Vector2::new(0.3, 0.8), 0.7, Vector2::new(0.05, -0.1)) {
            let still = motion.is_fixed();
            if matches!(
                (&shape, &motion),
                (
                    Shape::Box(shapes::Cuboid { inside: true, .. }),
                    Motion::Rotation { .. }
                )
            ) {
                continue;
            }
            let wall = Boundary {
                motion,
                ..Boundary::standing(shape.clone(), 0)
            };
            let start = (Vector2::new(0.03, 0.1), Vector2::new(0.4, -0.9));
            compare(
                &format!("{name}, {:?}", wall.motion),
                wall,
                start,
                if still { least } else { 1 },
            );
        }
    }
}

#[test]
fn walls_of_space_are_met_where_they_are() {
    let (o, z) = (Vector3::zeros(), Vector3::z());
    let corners: Vec<_> = (0..8u32)
        .map(|k| Vector3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.6 } else { -0.6 }))
        .collect();
    let faces = [
        [0, 1, 3, 2],
        [4, 6, 7, 5],
        [0, 4, 5, 1],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 5, 7, 3],
    ];
    let triangles = faces
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    let exactness = Exactness::of(&corners);
    let mesh = arenite::walls::MeshShape {
        corners,
        triangles,
        exactness,
    };
    let turned = |profile: Vec<[f64; 2]>| {
        Shape::Revolved(shapes::Revolved {
            origin: o,
            axis: Vector3::new(0.1, -0.2, 1.0),
            profile,
        })
    };
    // Along the pull: cylinders that are met in closed form under gravity too.
    let upright = |profile: Vec<[f64; 2]>| {
        Shape::Revolved(shapes::Revolved {
            origin: o,
            axis: z,
            profile,
        })
    };
    let shapes = [
        (
            "upright can",
            upright(vec![[0.0, -0.5], [0.6, -0.5], [0.6, 0.6], [0.0, 0.6]]),
            2,
        ),
        // Its rims are met from above, from inside and from outside.
        (
            "rings",
            upright(vec![
                [0.0, -0.6],
                [0.08, -0.4],
                [0.12, -0.4],
                [0.25, -0.6],
                [0.4, -0.45],
                [0.4, -0.3],
            ]),
            1,
        ),
        (
            "upright vessel",
            Shape::Vessel(shapes::Vessel {
                from: z * -0.4,
                to: z * 0.4,
                radius: 0.5,
                lid_radius: 0.8,
            }),
            2,
        ),
        ("cylinder", turned(vec![[0.6, -3.0], [0.6, 3.0]]), 1),
        ("cone", turned(vec![[0.2, -0.6], [0.9, 1.2]]), 1),
        (
            "hourglass",
            turned(vec![[0.7, -0.9], [0.1, -0.3], [0.7, 0.9]]),
            1,
        ),
        (
            "can",
            turned(vec![[0.0, -0.5], [0.6, -0.5], [0.6, 0.6], [0.0, 0.6]]),
            2,
        ),
        ("mesh", Shape::Mesh(mesh), 2),
        (
            "block",
            Shape::Box(shapes::Cuboid {
                min: Vector3::new(-0.4, -0.4, -0.7),
                max: Vector3::new(0.45, 0.5, -0.4),
                inside: false,
            }),
            1,
        ),
        (
            "sphere",
            Shape::Ball(shapes::Ball {
                centre: o,
                radius: 0.6,
                inside: true,
            }),
            2,
        ),
        (
            "tube",
            Shape::Torus(shapes::Torus {
                centre: Vector3::new(0.7, 0.0, 0.0),
                axis: Vector3::new(0.1, 1.0, -0.2),
                radius: 0.7,
                tube: 0.45,
                inside: true,
            }),
            2,
        ),
        (
            "doughnut",
            Shape::Torus(shapes::Torus {
                centre: Vector3::new(0.3, 0.0, -0.5),
                axis: Vector3::new(0.1, -0.2, 1.0),
                radius: 0.4,
                tube: 0.2,
                inside: false,
            }),
            2,
        ),
        (
            "rough",
            Shape::Grains(shapes::Grains(
                (0..25)
                    .map(|k| {
                        (
                            Vector3::new(
                                0.2 * f64::from(k % 5) - 0.4,
                                0.2 * f64::from(k / 5) - 0.4,
                                -0.5,
                            ),
                            0.13,
                        )
                    })
                    .collect(),
            )),
            1,
        ),
    ];
    for (name, shape, least) in shapes {
        let spin = Vector3::new(0.5, 0.2, 0.6);
        for motion in motions::<Spatial>(
            z * 0.8 + Vector3::x() * 0.3,
            spin,
            Vector3::new(0.05, -0.1, 0.02),
        ) {
            let still = motion.is_fixed();
            let wall = Boundary {
                motion,
                ..Boundary::standing(shape.clone(), 0)
            };
            let start = (Vector3::new(0.03, 0.05, 0.1), Vector3::new(0.4, 0.25, -0.9));
            // Where the hole of the doughnut comes to be no ball need meet it.
            let least = match (still, name) {
                (true, _) => least,
                (false, "doughnut") => 0,
                (false, _) => 1,
            };
            compare(&format!("{name}, {:?}", wall.motion), wall, start, least);
        }
    }
}

/// In a box that repeats itself grains inside of a ball meet the image that they are in, wherever the border lies.
fn inside_of_images<D: Dimension>() {
    const LENGTH: f64 = 0.1;
    let swing = Motion::Parabolic {
        amplitude: D::Vector::from_fn(|k| [0.0, 0.002, 0.001][k]),
        frequency: 3.0,
    };
    for motion in [Motion::Fixed, swing] {
        let run = |shift: D::Vector| {
            let ball = shapes::Ball {
                centre: D::Vector::from_fn(|_| 0.5 * LENGTH) + shift,
                radius: 0.045,
                inside: true,
            };
            let x = D::Vector::from_fn(|k| [0.06, 0.04, 0.055][k]) + shift;
            let x = D::Vector::from_fn(|k| x[k].rem_euclid(LENGTH));
            let v = D::Vector::from_fn(|k| [0.5, 0.3, -0.2][k]);
            let wall = Boundary {
                motion: motion.clone(),
                ..Boundary::standing(Shape::Ball(ball), 0)
            };
            let box_end = D::Vector::from_fn(|_| LENGTH);
            let mut engine = Engine::new(Setup {
                bodies: vec![gas::body::<D>(x, v, 0.01)],
                walls: vec![wall],
                ..gas::empty(D::Vector::default(), box_end, true)
            })
            .unwrap();
            assert_eq!(engine.run(0.5, u64::MAX), Stopped::Until);
            (engine.tally().wall_hits, engine.moment(0).position - shift)
        };
        let (hits, place) = run(D::Vector::default());
        assert!(hits > 3, "{hits}");
        for k in 0..D::N {
            let (other, moved) = run(D::Vector::from_fn(
                |i| if i == k { -0.47 } else { 0.3 } * LENGTH,
            ));
            assert_eq!(other, hits, "{motion:?}, {k}");
            let off = D::Vector::from_fn(|i| {
                let off = moved[i] - place[i];
                off - LENGTH * (off / LENGTH).round()
            });
            assert!(off.norm() < 1e-9, "{motion:?}, {k}: {off:?}");
        }
    }
}

#[test]
fn grains_inside_meet_the_image_that_they_are_in() {
    inside_of_images::<Planar>();
    inside_of_images::<Spatial>();
}
