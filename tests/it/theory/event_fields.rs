//! From event to event in fields other than gravity: paths against a Runge-Kutta integration by small steps, collisions against what must be kept.

use arenite::collide::engine::{Body, Engine, Fields, Rough, Rule, Setup, Stopped};
use arenite::field::{
    Alternating, CentralField, DragLaw, FieldPoint, FieldSet, Flow, Fluid, GravityCourse, Grid,
    NonUniformFields, Oscillation, Outside, Source, TabulatedField, TurningFrame,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::geometry::{cross, three};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Shape};
use nalgebra::{Vector2, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::theory::gas;

const RADIUS: f64 = 0.01;
const MASS: f64 = 0.003;

fn body<D: Dimension>(position: D::Vector, velocity: D::Vector) -> Body<D> {
    Body {
        mass: MASS,
        ..gas::body::<D>(position, velocity, RADIUS)
    }
}

fn setup<D: Dimension>(gravity: D::Vector, fields: &Fields<D>, bodies: Vec<Body<D>>) -> Setup<D> {
    let far = D::Vector::from_fn(|_| 1.0);
    Setup {
        bodies,
        gravity,
        fields: Some(fields.clone()),
        ..gas::empty(-far, far, false)
    }
}

/// Fields by name, in a gravity.
fn fields<D: Dimension>() -> Vec<(&'static str, D::Vector, Fields<D>)> {
    let down = D::Vector::from_fn(|k| if k == 1 { -2.0 } else { 0.0 });
    let none = D::Vector::default();
    let plain = |place: NonUniformFields<D>| Fields {
        drag: 0.0,
        course: GravityCourse::default(),
        place,
    };
    let rate = if D::N == 2 {
        [0.0, 0.0, 1.3]
    } else {
        [0.4, -0.3, 1.1]
    };
    let fluid = |flow: Flow<D>| Fluid {
        flow,
        drag: DragLaw {
            linear: 0.004,
            coefficient: 0.4,
            ..DragLaw::default()
        },
        density: 30.0,
        buoyancy: true,
    };
    let with_fluid = |flow| NonUniformFields {
        fluid: Some(fluid(flow)),
        densities: vec![900.0],
        ..NonUniformFields::default()
    };
    let middle = D::Vector::from_fn(|k| 0.1 - 0.05 * k as f64);
    let along = D::Vector::from_fn(|k| [0.3, 0.5, -0.2][k]);
    vec![
        (
            "drag",
            down,
            Fields {
                drag: 0.002,
                course: GravityCourse::default(),
                place: NonUniformFields::default(),
            },
        ),
        ("fluid", down, plain(with_fluid(Flow::Rest))),
        ("even flow", down, plain(with_fluid(Flow::Uniform(along)))),
        (
            "turning flow",
            none,
            plain(with_fluid(Flow::Rotation {
                centre: middle,
                rate,
            })),
        ),
        (
            "turning frame",
            down,
            plain(NonUniformFields {
                rotation: Some(TurningFrame {
                    centre: middle,
                    rate,
                    waits: false,
                }),
                ..NonUniformFields::default()
            }),
        ),
        (
            "centre",
            none,
            plain(NonUniformFields {
                central: Some(CentralField {
                    centre: middle,
                    strength: 0.4,
                    radius: 0.1,
                }),
                ..NonUniformFields::default()
            }),
        ),
        (
            "alternating",
            down,
            plain(NonUniformFields {
                alternating: Some(Alternating {
                    acceleration: Oscillation {
                        amplitude: [3.0, 1.0, if D::N == 3 { -2.0 } else { 0.0 }],
                        frequency: 4.0,
                        phase: [0.2, 0.4, 0.0],
                    },
                }),
                ..NonUniformFields::default()
            }),
        ),
    ]
}

/// The acceleration of a grain.
fn acceleration<D: Dimension>(
    set: &FieldSet<D>,
    x: D::Vector,
    v: D::Vector,
    time: f64,
) -> D::Vector {
    let at = FieldPoint {
        mass: MASS,
        radius: RADIUS,
        volume: set.volume(0, MASS, RADIUS),
        position: x,
        velocity: v,
        time,
        source: Source::default(),
    };
    let drag = set.drag(&at);
    let force = set.force(&at) + (drag.velocity - v) * drag.coefficient;
    let turned = cross(three(v), set.gyration(&at));
    force * (1.0 / MASS) + D::Vector::from_fn(|k| turned[k])
}

fn integrated<D: Dimension>(
    set: &FieldSet<D>,
    (mut x, mut v): (D::Vector, D::Vector),
    until: f64,
) -> (D::Vector, D::Vector) {
    let steps = 20_000;
    let h = until / f64::from(steps);
    for n in 0..steps {
        let t = h * f64::from(n);
        let a = |dx: D::Vector, dv: D::Vector, dt: f64| acceleration(set, x + dx, v + dv, t + dt);
        let (k1, l1) = (v, a(D::Vector::default(), D::Vector::default(), 0.0));
        let (k2, l2) = (
            v + l1 * (0.5 * h),
            a(k1 * (0.5 * h), l1 * (0.5 * h), 0.5 * h),
        );
        let (k3, l3) = (
            v + l2 * (0.5 * h),
            a(k2 * (0.5 * h), l2 * (0.5 * h), 0.5 * h),
        );
        let (k4, l4) = (v + l3 * h, a(k3 * h, l3 * h, h));
        x += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        v += (l1 + (l2 + l3) * 2.0 + l4) * (h / 6.0);
    }
    (x, v)
}

fn paths<D: Dimension>() {
    for (name, gravity, fields) in fields::<D>() {
        let start = (
            D::Vector::from_fn(|k| [0.4, 0.2, -0.1][k]),
            D::Vector::from_fn(|k| [-0.3, 0.9, 0.4][k]),
        );
        let mut engine =
            Engine::new(setup(gravity, &fields, vec![body(start.0, start.1)])).unwrap();
        let begin = engine.kinetic().0 + engine.potential();
        assert_eq!(engine.run(1.5, u64::MAX), Stopped::Until);
        let set = FieldSet::with_gravity_and_drag(gravity, fields.drag)
            .with_place(&fields.place, gravity);
        let (x, v) = integrated(&set, start, 1.5);
        let now = engine.moment(0);
        assert_eq!(now.collisions, 0);
        let off = (now.position - x).norm() / RADIUS;
        assert!(off < 1e-2, "{name}: {off} radii off");
        assert!(
            (now.velocity - v).norm() < 1e-4,
            "{name}: {:?}, {v:?}",
            now.velocity
        );
        let tally = engine.field_tally();
        assert!(tally.pieces > 20, "{name}: {} pieces", tally.pieces);
        let book = engine.kinetic().0 + engine.potential() + tally.drag - tally.work - begin;
        let worked = engine.kinetic().0 + tally.drag.abs() + tally.work.abs();
        assert!(book.abs() < 2e-5 * worked, "{name}: {book} J of {worked}");
    }
}

/// Paths are those of an integration by small steps, and the book of energy closes.
#[test]
fn paths_are_those_of_small_steps() {
    paths::<Planar>();
    paths::<Spatial>();
}

/// Grains that collide with each other and with a box in all of these fields: none is ever in another or in a wall, and the book closes.
fn collisions<D: Dimension>() {
    for (name, gravity, fields) in fields::<D>() {
        let count = if D::N == 2 { 6u32 } else { 4 };
        let mut bodies = Vec::new();
        for index in 0..count.pow(D::N as u32) {
            let step = |k: usize| f64::from(index / count.pow(k as u32) % count);
            let wave = |k: usize| libm::sin(f64::from(index) * [1.7, 2.9, 0.8][k]);
            let x = D::Vector::from_fn(|k| -0.17 + 0.06 * step(k));
            bodies.push(body::<D>(x, D::Vector::from_fn(|k| 0.8 * wave(k))));
        }
        let mut start = setup(gravity, &fields, bodies);
        let corner = D::Vector::from_fn(|_| 0.2);
        (start.min, start.max) = (-corner, corner);
        let walls = Shape::Box(shapes::Cuboid {
            min: -corner,
            max: corner,
            inside: true,
        });
        start.walls = vec![Boundary::standing(walls, 0)];
        start.rules = vec![Rule {
            restitution: 0.95,
            rough: Some(Rough {
                restitution: 0.3,
                friction: 0.2,
            }),
        }];
        let mut engine = Engine::new(start).unwrap();
        let energy = |engine: &Engine<D>| {
            let (motion, spin) = engine.kinetic();
            motion + spin + engine.potential()
        };
        let begin = energy(&engine);
        for step in 1..=60 {
            assert_eq!(
                engine.run(0.01 * f64::from(step), u64::MAX),
                Stopped::Until,
                "{name}"
            );
            let all: Vec<_> = (0..engine.len())
                .map(|i| engine.moment(i).position)
                .collect();
            for (i, x) in all.iter().enumerate() {
                let out = (0..D::N).map(|k| x[k].abs()).fold(0.0, f64::max);
                assert!(out < 0.2 - RADIUS * (1.0 - 1e-6), "{name}: {x:?}");
                for y in &all[..i] {
                    let gap = (*x - *y).norm() / (2.0 * RADIUS) - 1.0;
                    assert!(gap > -1e-6, "{name}: {gap}");
                }
            }
        }
        let (tally, given) = (*engine.tally(), engine.field_tally());
        assert!(
            tally.collisions > 20 && tally.wall_hits > 15,
            "{name}: {tally:?}"
        );
        let book = energy(&engine) + tally.lost + given.drag - given.work - begin;
        let worked = begin.abs() + tally.lost + given.drag.abs() + given.work.abs();
        assert!(book.abs() < 1e-4 * worked, "{name}: {book} J of {worked}");
    }
}

#[test]
fn nothing_is_passed_in_fields() {
    collisions::<Planar>();
    collisions::<Spatial>();
}

/// An acceleration that is the same everywhere is gravity: the same collisions, whether paths are bent piece by piece or not. Pieces are long there, so
/// that grains go from cell to cell on them.
fn even_as_gravity<D: Dimension>() {
    let pull = D::Vector::from_fn(|k| [0.1, -0.4, 0.2][k]);
    let nodes = D::Vector::from_fn(|_| 1.0);
    let given = Grid::new(
        -nodes,
        nodes * 2.0,
        &[2; 3][..D::N],
        vec![pull; 1 << D::N],
        Outside::Nearest,
    );
    let place = NonUniformFields {
        table: given.map(|acceleration| TabulatedField { acceleration }),
        ..NonUniformFields::default()
    };
    assert!(place.table.is_some());
    let corner = D::Vector::from_fn(|_| 0.3);
    let count = if D::N == 2 { 9u32 } else { 6 };
    let mut random = ChaCha8Rng::seed_from_u64(39);
    let bodies: Vec<Body<D>> = (0..count.pow(D::N as u32))
        .map(|index| {
            let step = |k: usize| f64::from(index / count.pow(k as u32) % count);
            let x = D::Vector::from_fn(|k| (step(k) + 0.5) * 0.5 / f64::from(count) - 0.25);
            body(x, D::Vector::from_fn(|_| random.random::<f64>() - 0.5))
        })
        .collect();
    let made = |gravity: D::Vector, fields: Option<Fields<D>>| {
        let walls = Shape::Box(shapes::Cuboid {
            min: -corner,
            max: corner,
            inside: true,
        });
        let (min, max) = (-corner, corner);
        let mut engine = Engine::new(Setup {
            bodies: bodies.clone(),
            gravity,
            fields,
            walls: vec![Boundary::standing(walls, 0)],
            ..gas::empty(min, max, false)
        })
        .unwrap();
        let until = if D::N == 2 { 0.4 } else { 0.8 };
        assert_eq!(engine.run(until, u64::MAX), Stopped::Until);
        engine
    };
    let plain = made(pull, None);
    let bent = made(
        D::Vector::default(),
        Some(Fields {
            drag: 0.0,
            course: GravityCourse::default(),
            place,
        }),
    );
    let (one, other) = (plain.tally(), bent.tally());
    assert!(one.collisions > 50, "{one:?}");
    assert_eq!(
        (one.collisions, one.wall_hits),
        (other.collisions, other.wall_hits)
    );
    for i in 0..plain.len() {
        let off = plain.moment(i).position - bent.moment(i).position;
        assert!(off.norm() < 1e-6 * RADIUS, "{i}: {off:?}");
    }
}

#[test]
fn an_even_field_is_gravity() {
    even_as_gravity::<Planar>();
    even_as_gravity::<Spatial>();
}

/// A saved engine goes on with the same bits.
#[test]
fn a_saved_engine_in_fields_goes_on_the_same() {
    for (name, gravity, fields) in fields::<Planar>() {
        let bodies = (0..12).map(|k| {
            let k = f64::from(k);
            body(
                Vector2::new(0.03 * k - 0.18, 0.02 * (k % 3.0)),
                Vector2::new(0.3 - 0.1 * k, 0.2),
            )
        });
        let mut engine = Engine::new(setup(gravity, &fields, bodies.collect())).unwrap();
        engine.run(0.2, u64::MAX);
        let bytes = postcard::to_stdvec(&engine).unwrap();
        let mut other: Engine<Planar> = postcard::from_bytes(&bytes).unwrap();
        for e in [&mut engine, &mut other] {
            e.run(0.7, u64::MAX);
        }
        for i in 0..12 {
            assert_eq!(engine.moment(i), other.moment(i), "{name}");
        }
    }
}

/// In a frame that turns two rough spheres keep their angular momentum, as seen from outside, and what they have of energy there.
#[test]
fn spins_turn_in_a_frame_that_turns() {
    let rate = Vector3::new(0.4, -0.3, 1.1);
    let frame = TurningFrame {
        centre: Vector3::zeros(),
        rate: [rate.x, rate.y, rate.z],
        waits: false,
    };
    let fields = Fields {
        drag: 0.0,
        course: GravityCourse::default(),
        place: NonUniformFields {
            rotation: Some(frame),
            ..NonUniformFields::default()
        },
    };
    // As seen from outside they meet near the middle.
    let (x, y) = (
        Vector3::new(0.3, 0.004, 0.0),
        Vector3::new(-0.3, -0.004, 0.003),
    );
    let seen = |x: Vector3<f64>, v: Vector3<f64>| v - rate.cross(&x);
    let mut one = body::<Spatial>(x, seen(x, Vector3::new(-1.0, 0.0, 0.0)));
    one.spin = Vector3::new(3.0, 20.0, -5.0) - rate;
    let other = body::<Spatial>(y, seen(y, Vector3::new(1.0, 0.01, 0.0)));
    let mut start = setup(Vector3::zeros(), &fields, vec![one, other]);
    start.bodies[1].spin -= rate;
    start.rules = vec![Rule {
        restitution: 1.0,
        rough: Some(Rough {
            restitution: 1.0,
            friction: f64::INFINITY,
        }),
    }];
    let mut engine = Engine::new(start).unwrap();
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let book = |engine: &Engine<Spatial>| {
        let (mut momentum, mut energy) = (Vector3::zeros(), 0.0);
        for i in 0..2 {
            let now = engine.moment(i);
            let v = now.velocity + rate.cross(&now.position);
            let spin = now.spin + rate;
            momentum += now.position.cross(&v) * MASS + spin * inertia;
            energy +=
                0.5 * MASS * Vector::norm_squared(&v) + 0.5 * inertia * Vector::norm_squared(&spin);
        }
        (momentum, energy)
    };
    let (begin, energy) = book(&engine);
    assert_eq!(engine.run(0.6, u64::MAX), Stopped::Until);
    assert_eq!(engine.tally().collisions, 1);
    let (end, later) = book(&engine);
    // The frame has turned meanwhile.
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(-rate * 0.6);
    assert!(
        Vector::norm(&(end - turn * begin)) < 5e-4 * Vector::norm(&begin),
        "{begin}, {end}"
    );
    assert!((later / energy - 1.0).abs() < 1e-4, "{energy}, {later}");
}
