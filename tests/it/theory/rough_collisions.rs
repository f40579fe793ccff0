//! Collisions with friction: the resolved contact, its table, and restitution by contact law.

use arenite::collide::restitution::{Restitution, viscoelastic};
use arenite::collide::rough;
use arenite::collide::table::{Bodies, RoughError, RoughTable};
use arenite::contact::{ContactLaw, Hertz, Linear, LinearPerMass, Viscoelastic, restitution};
use arenite::geometry::{Dimension, Planar, Spatial};
use nalgebra::{Vector2, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::theory::soft_collisions::{linear as dashpot, viscoelastic as frictionless};
use crate::theory::times_of_contact::{data, number};

const SPHERE: f64 = 2.0 / 5.0;

fn linear(kt: f64, cn: f64, ct: f64, friction: f64) -> ContactLaw {
    ContactLaw::Linear(Linear {
        normal_stiffness: 1e6,
        tangential_stiffness: kt * 1e6,
        normal_damping: cn,
        tangential_damping: ct,
        friction,
    })
}

fn laws() -> [ContactLaw; 6] {
    let hertz = |damping_ratio: f64, friction: f64| {
        ContactLaw::Hertz(Hertz {
            young: 3e10,
            shear: 1e10,
            damping_ratio,
            friction,
        })
    };
    [
        linear(2.0 / 7.0, 0.0, 0.0, 0.1),
        linear(0.8, 100.0, 40.0, 0.5),
        linear(1.0, 600.0, 0.0, 0.3),
        linear(0.0, 30.0, 50.0, 0.4),
        hertz(0.0, 0.2),
        hertz(0.2, 0.6),
    ]
}

/// All 24 rows of the piecewise exact solution of an undamped spring with friction.
///
/// The tangential force is taken at the middle of 4000 steps a contact: second order, so some
/// (pi / 4000)^2 = 6e-7 of forces of 1; measured 1.5e-7.
#[test]
fn resolved_contacts_are_the_exact_ones() {
    let data = data(include_str!("../../data/impacts.json"));
    let rows = data["oblique_linear_spring"]["values"].as_array().unwrap();
    assert_eq!(rows.len(), 24);
    let mut worst: f64 = 0.0;
    for row in rows {
        let at = |key: &str| number(&row[key]);
        let law = linear(at("kt_over_kn"), 0.0, 0.0, at("mu"));
        let got = rough::collide(&law, 0.1, SPHERE, at("vt_before_over_vn"));
        assert!((got.restitution - 1.0).abs() < 1e-9);
        assert!((got.duration - std::f64::consts::PI).abs() < 1e-9);
        let along = at("vt_before_over_vn") - got.impulse;
        let spin = got.impulse / SPHERE;
        worst = worst
            .max((along - at("vt_after_over_vn")).abs())
            .max((spin - at("omega_R_after_over_vn")).abs());
    }
    println!("worst {worst:e}");
    assert!(worst < 6e-7, "{worst:e}");
}

/// Restitution is that of the closed form for both laws, with and without sliding.
#[test]
fn resolved_restitution() {
    for (law, ratio) in [
        (
            linear(0.5, 200.0, 30.0, 0.3),
            200.0 / (2.0 * (1e6f64 * 0.1).sqrt()),
        ),
        (
            linear(0.5, 1000.0, 30.0, 0.3),
            1000.0 / (2.0 * (1e6f64 * 0.1).sqrt()),
        ),
        (laws()[5], 0.2),
    ] {
        for sliding in [0.0, 0.4, 5.0] {
            let got = rough::collide(&law, 0.1, SPHERE, sliding);
            // Hertz's damper starts as the fourth root of the time, which costs digits.
            let error = got.restitution - restitution(ratio);
            assert!(error.abs() < 1e-6, "{law:?}: {error:e}");
        }
    }
}

/// Tables against contacts resolved at points of their own: ratios of a gas's impacts. Coarse ones are made from contacts in fewer steps.
#[test]
fn tables_keep_their_error() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for (tolerance, of_steps) in [(1e-3, 2e-8), (1e-4, 2e-9), (1e-5, 1e-12)] {
        for law in laws() {
            let table = RoughTable::build(&law, 0.1, SPHERE, tolerance).unwrap();
            let friction = law.friction();
            let (mut worst, mut normal) = (0.0_f64, 0.0_f64);
            for _ in 0..1000 {
                let sine = random.random::<f64>().sqrt();
                let ratio = sine / (1.0 - sine * sine).sqrt();
                let got = table.outcome(ratio);
                let want = rough::collide(&law, 0.1, SPHERE, ratio);
                normal = normal
                    .max((got.restitution - want.restitution).abs())
                    .max((got.duration - want.duration).abs());
                worst = worst.max((got.impulse - want.impulse).abs() / friction);
            }
            let pieces = table.pieces();
            println!("{tolerance:.0e}, {law:?}: {pieces} pieces, worst {worst:.1e}, {normal:.1e}");
            // The pieces are checked at five points each, so that twice the tolerance is room for what
            // lies between.
            assert!(worst <= 2.0 * tolerance, "{tolerance}, {law:?}: {worst:e}");
            assert!(normal <= of_steps, "{tolerance}, {law:?}: {normal:e}");
        }
    }
}

/// A collision from the table conserves momentum and angular momentum, never gains energy, and is that
/// of a rigid sphere where it slides throughout (Chung and Ooi 2011, test 4).
#[test]
fn collisions_from_a_table() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let table = RoughTable::build(&laws()[1], 0.1, SPHERE, 1e-5).unwrap();
    for _ in 0..200 {
        let mut draw = || Vector3::from_fn(|_, _| random.random::<f64>() - 0.5);
        let normal = draw().normalize();
        let bodies = Bodies::<Spatial> {
            masses: [0.1, 0.3],
            radii: [0.01, 0.02],
            velocities: [draw() + normal, draw() - normal],
            spins: [draw() * 50.0, draw() * 50.0],
            normal,
        };
        let Some(after) = table.collide(&bodies) else {
            continue;
        };
        let x = [normal * -0.01, normal * 0.02];
        let totals = |v: [Vector3<f64>; 2], w: [Vector3<f64>; 2]| {
            let mut sums = (Vector3::zeros(), Vector3::zeros(), 0.0);
            for i in 0..2 {
                let (m, r) = (bodies.masses[i], bodies.radii[i]);
                let inertia = SPHERE * m * r * r;
                sums.0 += v[i] * m;
                sums.1 += x[i].cross(&v[i]) * m + w[i] * inertia;
                sums.2 += 0.5 * (m * v[i].norm_squared() + inertia * w[i].norm_squared());
            }
            sums
        };
        let before = totals(bodies.velocities, bodies.spins);
        let then = totals(after.velocities, after.spins);
        assert!((before.0 - then.0).norm() < 1e-15);
        assert!((before.1 - then.1).norm() < 1e-17);
        assert!(then.2 < before.2);
    }
    // A sphere that grazes a plane: the friction is all it can be.
    let law = linear(2.0 / 7.0, 0.0, 0.0, 0.1);
    let table = RoughTable::build(&law, 0.1, SPHERE, 1e-6).unwrap();
    let bodies = Bodies::<Spatial> {
        masses: [f64::INFINITY, 0.1],
        radii: [0.0, 0.01],
        velocities: [Vector3::zeros(), Vector3::new(5.0, 0.0, -1.0)],
        spins: [Vector3::zeros(); 2],
        normal: Vector3::z(),
    };
    let after = table.collide(&bodies).unwrap();
    assert_eq!(after.velocities[0], Vector3::zeros());
    assert!((after.velocities[1] - Vector3::new(5.0 - 0.2, 0.0, 1.0)).norm() < 1e-6);
    assert!((after.spins[1] - Vector3::y() * (0.2 / SPHERE / 0.01)).norm() < 1e-6 / SPHERE / 0.01);
    // Backwards they separate.
    let apart = Bodies {
        velocities: bodies.velocities.map(|v| -v),
        ..bodies
    };
    assert!(table.collide(&apart).is_none());
    // Disks: the same numbers in the plane.
    let table = RoughTable::build(&law, 0.1, Planar::BALL_INERTIA, 1e-6).unwrap();
    let disks = Bodies::<Planar> {
        masses: [0.1; 2],
        radii: [0.01; 2],
        velocities: [Vector2::new(0.5, 2.0), Vector2::new(-0.5, -2.0)],
        spins: [0.0; 2],
        normal: Vector2::x(),
    };
    let after = table.collide(&disks).unwrap();
    assert!((after.velocities[0] - Vector2::new(-0.5, 2.0 - 0.1)).norm() < 1e-6);
    assert_eq!(after.spins[0], after.spins[1]);
    let error = RoughTable::build(&law, 0.1, SPHERE, 1e-9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tolerance must be 1e-6 or more, not 1e-9"
    );
}

/// Head-on contacts of a linear spring and damper, under- and overdamped, against the exact solution
/// x'' + c x' + x = 0 with x(0) = 0, x'(0) = 1 until x'' = 0: up to the strongest damper that tables take.
///
/// The duration is off by 7e-8 with the strongest damper, whose contact is over after 134 of the 4000 steps, and by
/// less than 3e-9 with the others; the restitution by 1e-15.
#[test]
fn strong_dampers_are_followed_to_the_exact_end() {
    for damping in [0.1f64, 1.0, 1.9, 2.1, 10.0, 100.0, 1e3, rough::STRONGEST] {
        let law = linear(0.0, damping, 0.0, 0.3);
        let got = rough::collide_at(&law, 1.0, SPHERE, 0.0);
        let z = 0.5 * damping;
        let (duration, restitution) = if z < 1.0 {
            let w = (1.0 - z * z).sqrt();
            let t = (2.0 * z * w).atan2(2.0 * z * z - 1.0) / w;
            (t, (-z * t).exp())
        } else {
            let w = (z * z - 1.0).sqrt();
            let t = 2.0 * z.acosh() / w;
            let (slow, fast) = (1.0 / (z + w), z + w);
            let end = slow * (-slow * t).exp() - fast * (-fast * t).exp();
            (t, end / (2.0 * w))
        };
        assert!((got.duration - duration).abs() < 1e-6, "{damping}: {got:?}");
        let error = got.restitution - restitution;
        assert!(error.abs() < 1e-12, "{damping}: {error:e}");
        assert!(RoughTable::build_at(&law, 1.0, SPHERE, 1e-3).is_ok());
    }
}

/// Found by mutation: where the steps are unstable the state was not a number, and the contact never ended.
#[test]
fn laws_without_a_table_are_refused() {
    let hertz = |damping_ratio| {
        ContactLaw::Hertz(Hertz {
            young: 3e10,
            shear: 1e10,
            damping_ratio,
            friction: 0.3,
        })
    };
    let viscoelastic = |dissipation| {
        ContactLaw::Viscoelastic(Viscoelastic {
            young: 3e10,
            shear: 1e10,
            dissipation,
            friction: 0.3,
        })
    };
    for damping in [
        2e4,
        1e6,
        1e7,
        1e9,
        1e20,
        1e148,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ] {
        for law in [
            linear(0.5, damping, 0.0, 0.3),
            hertz(damping),
            viscoelastic(damping),
        ] {
            // It ends, with whatever.
            rough::collide_at(&law, 1.0, SPHERE, 0.5);
            let error = RoughTable::build_at(&law, 1.0, SPHERE, 1e-3).unwrap_err();
            assert!(matches!(error, RoughError::Damper(_)), "{law:?}: {error}");
        }
    }
    // Where the tangential spring swings faster than the steps, the impulse jumps with the ratio: by less than
    // a coarse table's error, so that one exists, but not by less than the finest one's.
    let stiff = linear(1e9, 0.0, 0.0, 0.3);
    assert!(RoughTable::build_at(&stiff, 1.0, SPHERE, 1e-3).is_ok());
    let error = RoughTable::build_at(&stiff, 1.0, SPHERE, 1e-6).unwrap_err();
    assert_eq!(error, RoughError::Tangential);
    for (kt, ct) in [(f64::INFINITY, 1.0), (f64::NAN, 1.0), (0.5, f64::INFINITY)] {
        let law = linear(kt, 1.0, ct, 0.3);
        let error = RoughTable::build_at(&law, 1.0, SPHERE, 1e-3).unwrap_err();
        assert_eq!(error, RoughError::Tangential, "{law:?}");
    }
}

/// Restitution of slow viscoelastic impacts against the series of Ramirez et al. (1999), which the
/// contact's end at zero force leaves as it is up to the second power of the damping (Schwager and
/// Poeschel 2008): 1 - C d + 3/5 C^2 d^2 with C = 1.15344.
#[test]
fn viscoelastic_restitution() {
    for damping in [1e-5f64, 1e-4, 1e-3] {
        let linear = 1.15344 * damping;
        let series = 1.0 - linear + 0.6 * linear * linear;
        // The next term goes as the damping to 2.5, with a coefficient below 1; C has six digits.
        let allowed = damping.powf(2.5) + 5e-6 * damping + 1e-9;
        let error = viscoelastic(damping) - series;
        assert!(error.abs() < allowed, "{damping}: {error:e}");
    }
    assert_eq!(viscoelastic(0.0), 1.0);
}

/// The function object gives what the resolved contact does.
#[test]
fn restitution_of_contact_laws() {
    for law in [
        dashpot(1e5, 2.0),
        frictionless(1e8, 0.0),
        frictionless(1e8, 1e-5),
    ] {
        let function = Restitution::of(law.law(), law.radius());
        for (mass, speed) in [(1e-3, 0.01), (1e-3, 3.0), (5e-2, 3.0)] {
            let want = arenite::collide::resolved::collide(&law, mass, 0.02, speed, 0.0).unwrap();
            let error = function.at(mass, speed) + want.eps_rdot;
            assert!(error.abs() < 1e-9, "{law:?} {mass} {speed}: {error:e}");
        }
    }
    let viscous = Restitution::Viscoelastic {
        young: 0.75e8,
        radius: 1.0,
        dissipation: 1e-5,
    };
    assert!(viscous.at(1e-3, 0.1) > viscous.at(1e-3, 1.0));
    for law in laws() {
        let want = rough::collide(&law, 0.1, SPHERE, 0.0).restitution;
        assert!((Restitution::of(&law, 0.01).at(0.1, 1.0) - want).abs() < 1e-6);
    }
    let per_mass = ContactLaw::LinearPerMass(LinearPerMass(Linear {
        normal_stiffness: 1e6,
        tangential_stiffness: 0.0,
        normal_damping: 500.0,
        tangential_damping: 0.0,
        friction: 0.0,
    }));
    let want = rough::collide(&per_mass, 0.1, SPHERE, 0.0).restitution;
    assert!((Restitution::of(&per_mass, 0.01).at(0.1, 1.0) - want).abs() < 1e-9);
}
