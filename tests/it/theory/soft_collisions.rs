//! Soft collisions from tables, their events and both exceptions.

use arenite::collide::resolved::{self, Frictionless};
use arenite::collide::soft::{Begin, Counters, MappingTable, Population, SoftLaw, Touch, begin};
use arenite::contact::{ContactLaw, Linear, Viscoelastic};
use arenite::geometry::path::{Path, spheres};
use arenite::geometry::{Spatial, Vector};
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::theory::times_of_contact::{data, number, numbers};

fn vector(values: &serde_json::Value) -> Vector3<f64> {
    Vector3::from_row_slice(&numbers(values))
}

/// The force kn x + cn x'.
pub fn linear(kn: f64, cn: f64) -> Frictionless {
    let law = ContactLaw::Linear(Linear {
        normal_stiffness: kn,
        tangential_stiffness: 0.0,
        normal_damping: cn,
        tangential_damping: 0.0,
        friction: 0.0,
    });
    Frictionless::of(&law, 1.0).unwrap()
}

/// The force kh (x^1.5 + 1.5 a sqrt(x) x').
pub fn viscoelastic(kh: f64, a: f64) -> Frictionless {
    let law = ContactLaw::Viscoelastic(Viscoelastic {
        young: 0.75 * kh,
        shear: 0.0,
        dissipation: a,
        friction: 0.0,
    });
    Frictionless::of(&law, 1.0).unwrap()
}

/// Laws with the least and greatest effective mass of their pairs.
fn laws() -> [(Frictionless, [f64; 2]); 5] {
    [
        (linear(2e5, 0.0), [1e-3, 8e-3]),
        (linear(2e5, 3.0), [2e-3; 2]),
        (linear(2e5, 10.0), [1e-3, 8e-3]),
        (viscoelastic(1e7, 0.0), [1e-3, 8e-3]),
        (viscoelastic(1e7, 1e-5), [2e-3; 2]),
    ]
}

/// What the table says of its own error holds at points that were not used to measure it, drawn as
/// collisions are: speeds and angles of pairs in a gas.
#[test]
fn tables_keep_their_error() {
    for (law, effective_mass) in laws() {
        for tolerance in [1e-6, 1e-8] {
            // Three dimensions take their time.
            if tolerance < 1e-6 && law == linear(2e5, 10.0) {
                continue;
            }
            let reach = if effective_mass[0] == effective_mass[1] {
                [0.015; 2]
            } else {
                [0.01, 0.02]
            };
            let population = Population {
                effective_mass,
                reach,
                approach: 20.0,
            };
            let soft = SoftLaw::build(law, &population, tolerance).unwrap();
            assert!(soft.table().error() <= tolerance);
            let mut random = ChaCha8Rng::seed_from_u64(5);
            let mut draw = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
            let mut counters = Counters::default();
            let mut worst: f64 = 0.0;
            for _ in 0..2000 {
                let mass = draw(effective_mass[0], effective_mass[1]);
                let reach = draw(reach[0], reach[1]);
                let speed = draw(0.01, 20.0);
                // Impact parameters of a gas: their square is even.
                let sine = draw(0.0, 1.0).sqrt();
                let (vn, vt) = (speed * (1.0 - sine * sine).sqrt(), speed * sine);
                let (got, duration) = soft.mapping(mass, reach, vn, vt, &mut counters).unwrap();
                let want = resolved::collide(&law, mass, reach, vn, vt).unwrap();
                let scale = law.time_scale(mass, vn);
                assert!((duration - got.tau * scale).abs() <= 1e-15 * duration);
                for (got, want) in [
                    (got.eps_r, want.eps_r),
                    (got.eps_phi, want.eps_phi),
                    (got.eps_rdot, want.eps_rdot),
                    (got.tau, want.tau),
                ] {
                    worst = worst.max((got - want).abs());
                }
            }
            println!(
                "{law:?} {tolerance:e}: {} nodes, own error {:.1e}, error {worst:.1e}, {} solved",
                soft.table().nodes(),
                soft.table().error(),
                counters.solved
            );
            // Own points and these are drawn differently, so the worst may differ; twice is room.
            assert!(worst <= 2.0 * tolerance, "{law:?} {tolerance:e}: {worst:e}");
            // The tables are there to be used: grazing impacts alone are solved.
            assert!(counters.solved < 100, "{law:?}: {}", counters.solved);
        }
    }
}

/// The central end of the tables is the closed form (collision.rs checks that against 25 digits).
#[test]
fn numerical_and_closed_central_contacts_agree() {
    for damping in [0.0, 0.3, 1.0, 1.99, 2.0, 2.01, 3.0] {
        let closed = resolved::scaled_linear(20.0, 0.0, damping).unwrap();
        // A turn so slow that its centrifugal force, 1e-20, is below rounding: solved by steps.
        let stepped = resolved::scaled_linear(20.0, 1e-8, damping).unwrap();
        assert!((closed.eps_r - stepped.eps_r).abs() < 1e-12);
        assert!(
            (closed.eps_rdot - stepped.eps_rdot).abs() < 1e-10,
            "{damping}"
        );
        assert!((closed.tau - stepped.tau).abs() < 1e-10, "{damping}");
    }
    // An undamped central contact compresses by 1 in scaled units.
    assert!(resolved::scaled_linear(1.0, 0.0, 0.0).is_err());
    assert!(resolved::scaled_linear(1.001, 0.0, 0.0).is_ok());
}

/// Reference states through a table.
#[test]
fn reference_states_through_a_table() {
    const TOLERANCE: f64 = 1e-7;
    let reference = data(include_str!("../../data/softsphere_states.json"));
    let mut solved = 0;
    for case in reference["cases"].as_array().unwrap() {
        let law = if case["law"] == "linear" {
            linear(number(&case["k"]), number(&case["gamma"]))
        } else {
            viscoelastic(number(&case["kH"]), number(&case["A"]))
        };
        let masses = [number(&case["m1"]), number(&case["m2"])];
        let positions = [vector(&case["p1"]), vector(&case["p2"])];
        let velocities = [vector(&case["v1"]), vector(&case["v2"])];
        let touch = Touch::<Spatial>::new(masses, positions, velocities).unwrap();
        let population = Population {
            effective_mass: [touch.effective_mass; 2],
            reach: [touch.reach; 2],
            approach: 1.5 * touch.approach,
        };
        let soft = SoftLaw::build(law, &population, TOLERANCE).unwrap();
        let mut counters = Counters::default();
        let collision = soft.collide(&touch, &mut counters).unwrap();
        solved += counters.solved;
        let want = &case["expected"];
        let speed = touch.approach.hypot(touch.tangential);
        for i in 0..2 {
            let x = collision.positions()[i] - vector(&want[format!("p{}", i + 1)]);
            let v = collision.velocities()[i] - vector(&want[format!("v{}", i + 1)]);
            // The distance errs by the table's error in each of eps_r and eps_phi, the path by that
            // in tau: at most twice the tolerance in units of reach and of speed times T.
            let path = speed * law.time_scale(touch.effective_mass, touch.approach);
            assert!(
                x.norm() < 2.0 * TOLERANCE * (touch.reach + path),
                "{}",
                case["label"]
            );
            assert!(v.norm() < 3.0 * TOLERANCE * speed, "{}", case["label"]);
        }
    }
    // The softest cases go beyond any table (Fig. 1: overlaps of four fifths of the distance).
    assert!(solved <= 5, "{solved}");
}

/// A pair with given masses: touching along x, at an angle.
fn pair(masses: [f64; 2]) -> Touch<Spatial> {
    let positions = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(1.01, 2.0, 3.0)];
    let velocities = [Vector3::new(0.4, 0.1, -0.3), Vector3::new(-0.8, 0.5, 0.6)];
    Touch::new(masses, positions, velocities).unwrap()
}

fn soft(cn: f64) -> SoftLaw {
    let population = Population {
        effective_mass: [1e-4, 1e-2],
        reach: [0.01, 0.02],
        approach: 3.0,
    };
    SoftLaw::build(linear(4e3, cn), &population, 1e-8).unwrap()
}

/// Momentum, angular momentum and energy of a soft collision: the first two to rounding whatever the
/// table says, and the energy closes with what is dissipated.
#[test]
fn soft_collisions_conserve() {
    let (touch, mut counters) = (pair([1e-3, 3e-3]), Counters::default());
    for cn in [0.0, 0.7] {
        let collision = soft(cn).collide(&touch, &mut counters).unwrap();
        let [m1, m2] = touch.masses;
        let momentum = |v: [Vector3<f64>; 2]| v[0] * m1 + v[1] * m2;
        let spin = |x: [Vector3<f64>; 2], v: [Vector3<f64>; 2]| {
            x[0].cross(&v[0]) * m1 + x[1].cross(&v[1]) * m2
        };
        let energy =
            |v: [Vector3<f64>; 2]| 0.5 * (m1 * v[0].norm_squared() + m2 * v[1].norm_squared());
        let (x, v) = (collision.positions(), collision.velocities());
        let at_first = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(1.01, 2.0, 3.0)];
        let error = momentum(v) - momentum(touch.velocities);
        assert!(error.norm() < 1e-17);
        // Products of positions of 3 m and momenta of 1e-3 kg m/s.
        assert!((spin(x, v) - spin(at_first, touch.velocities)).norm() < 1e-17 * 10.0);
        let lost = energy(touch.velocities) - energy(v);
        // Differences of energies of some 1e-3 J.
        assert!((lost - collision.dissipated).abs() < 1e-14 * energy(v));
        // Undamped, what is lost is the table's error alone.
        assert_eq!(lost.abs() < 1e-7 * energy(v), cn == 0.0);
        let hard = energy(touch.velocities) - energy(collision.hard());
        assert!((hard - collision.dissipated_hard()).abs() < 1e-12 * energy(v));
    }
}

/// The three events of an undisturbed collision lead to the resolved end state.
#[test]
fn events_end_where_the_contact_does() {
    let (touch, mut counters) = (pair([1e-3, 3e-3]), Counters::default());
    let collision = soft(0.7).collide(&touch, &mut counters).unwrap();
    let Begin::Soft {
        positions,
        velocity,
        mut pending,
    } = begin(&collision, 5.0, |_| false, &mut counters)
    else {
        panic!("nothing is in the way");
    };
    assert_eq!(pending.end, 5.0 + collision.duration);
    assert!((pending.stored() - collision.stored).abs() <= 1e-15 * collision.stored);
    let end = positions.map(|x| x + velocity * collision.duration);
    let changes = pending.finish().map(Option::unwrap);
    for i in 0..2 {
        assert!((end[i] - collision.positions()[i]).norm() < 1e-15 * 10.0);
        assert!((velocity + changes[i] - collision.velocities()[i]).norm() < 1e-15);
    }
    assert!(pending.is_over());
    assert_eq!(pending.stored(), 0.0);
    // What is left of the pair overlaps and separates, and is left alone by the search for contacts.
    let paths = [0, 1].map(|i| Path::<Spatial> {
        position: collision.positions()[i],
        velocity: collision.velocities()[i],
        acceleration: Vector3::default(),
    });
    assert!((paths[1].position - paths[0].position).norm() < touch.reach);
    assert_eq!(spheres(&paths[0], &paths[1], touch.reach), None);
    assert_eq!(
        (counters.collisions, counters.exceptional_share()),
        (1, 0.0)
    );
}

/// First exception: no place for the turned pair, so the grains stay and rebound hard.
#[test]
fn a_blocked_pair_collides_hard() {
    let (touch, mut counters) = (pair([1e-3, 3e-3]), Counters::default());
    let collision = soft(0.7).collide(&touch, &mut counters).unwrap();
    let mut asked = None;
    let look = |positions: &[Vector3<f64>; 2]| {
        asked = Some(*positions);
        true
    };
    let Begin::Hard(velocities) = begin(&collision, 0.0, look, &mut counters) else {
        panic!("the place is taken");
    };
    assert_eq!(asked, Some(collision.placed));
    let rate = touch.normal.dot(&(velocities[1] - velocities[0]));
    let wanted = -collision.mapping.eps_rdot * touch.approach;
    assert!((rate - wanted).abs() < 1e-14);
    let across = |v: [Vector3<f64>; 2]| Vector::dot(&touch.sideways, &(v[1] - v[0]));
    assert!((across(velocities) - across(touch.velocities)).abs() < 1e-14);
    assert_eq!((counters.collisions, counters.blocked), (1, 1));
}

/// Second exception: a third grain meets one of the two; that one goes on with its velocity, the other
/// waits for the end; momentum and energy are all there afterwards.
#[test]
fn an_interrupted_grain_goes_on_by_itself() {
    let (touch, mut counters) = (pair([1e-3, 3e-3]), Counters::default());
    let collision = soft(0.7).collide(&touch, &mut counters).unwrap();
    let Begin::Soft {
        velocity,
        mut pending,
        ..
    } = begin(&collision, 0.0, |_| false, &mut counters)
    else {
        panic!("nothing is in the way");
    };
    let first = velocity + pending.interrupt(0, &mut counters).unwrap();
    assert!((first - collision.velocities()[0]).norm() < 1e-15);
    let relative = collision.relative[1].norm_squared();
    assert!((pending.stored() - 0.5 * 3e-3 * relative).abs() < 1e-15 * collision.stored);
    // A second grain in its way changes nothing more.
    assert_eq!(pending.interrupt(0, &mut counters), None);
    assert!(!pending.is_over());
    let [none, some] = pending.finish();
    assert_eq!(none, None);
    assert!((velocity + some.unwrap() - collision.velocities()[1]).norm() < 1e-15);
    assert_eq!(counters.interrupted, 1);
    assert_eq!(counters.exceptional_share(), 1.0);
}

/// A table written and read again gives the same bits; what cannot be built says why.
#[test]
fn tables_are_data_and_errors_speak() {
    let soft = soft(0.7);
    let bytes = postcard::to_stdvec(&soft).unwrap();
    assert_eq!(postcard::from_bytes::<SoftLaw>(&bytes).unwrap(), soft);
    let law = viscoelastic(1e7, 0.0);
    let build = |reach: f64, tolerance: f64| {
        let population = Population {
            effective_mass: [1e-3; 2],
            reach: [reach; 2],
            approach: 1.0,
        };
        MappingTable::build(&law, &population, tolerance).map_err(|error| error.to_string())
    };
    assert_eq!(
        build(0.0, 1e-8).unwrap_err(),
        "the reach must be greater than 0 and finite, not 0"
    );
    let message = build(0.01, 1e-18).unwrap_err();
    assert!(
        message.starts_with("the tolerance 0.000000000000000001 is not reached"),
        "{message}"
    );
}
