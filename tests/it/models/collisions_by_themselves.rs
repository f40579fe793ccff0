//! Contacts whose law no table holds, followed by themselves: the outcome is that of the same contact step by step.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{
    Cohesion, ContactLaw, ContactTerms, Hertz, HertzHysteretic, Plastic, Resistance,
    ResistanceKind, ThorntonNing,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::Setup;

use crate::support::{add, empty, end, floor, linear, momenta, place, run};

const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;
/// Contacts of some 2e-5 s.
const STIFFNESS: f64 = 1e9;

/// Two grains that meet head on, spinning, so that the normal hardly turns while they touch; or one and a floor, aslant.
fn meeting<D: Integrate>(law: ContactLaw, terms: ContactTerms, wall: bool) -> Setup<D> {
    let mut setup: Setup<D> = empty(law, 1e-8, 2e-3);
    setup.matter.laws.set_terms(0, 0, terms);
    setup.motion.collisions = Some(0.05);
    setup.motion.stable_dwell = 1e-4;
    let spins = [30.0, -20.0, 40.0];
    let spin = |sign: f64| D::spin_from_fn(|k| sign * spins[k]);
    if wall {
        floor(&mut setup);
        let v = D::Vector::from_fn(|k| if k == D::N - 1 { -1.0 } else { 0.3 });
        add(&mut setup, RADIUS, MASS, place::<D>(0.0, 0.0105), v).spin = spin(1.0);
    } else {
        let at = place::<D>(-0.0105, 0.0);
        add(&mut setup, RADIUS, MASS, at, place::<D>(1.0, 0.0)).spin = spin(1.0);
        let at = place::<D>(0.01, 0.0);
        add(&mut setup, RADIUS, MASS, at, place::<D>(-0.5, 0.0)).spin = spin(-0.5);
    }
    setup
}

/// Every term that changes an impact of these grains by some per cent or more.
fn laws<D: Dimension>() -> Vec<(&'static str, ContactLaw, ContactTerms)> {
    let damped = linear(STIFFNESS, 0.8 * STIFFNESS, 2e3, 1e3, 0.3);
    let elastic = linear(STIFFNESS, 0.8 * STIFFNESS, 0.0, 0.0, 0.3);
    let dragged = linear(STIFFNESS, 0.8 * STIFFNESS, 2e3, 4e4, 0.3);
    let hertz = ContactLaw::from(Hertz {
        young: 4e12,
        shear: 3e12,
        damping_ratio: 0.1,
        friction: 0.3,
    });
    let hertz_hysteretic = ContactLaw::from(HertzHysteretic {
        young: 4e12,
        unloading: 0.5,
        friction: 0.3,
        smoothing: 0.1,
    });
    let yielding = ContactLaw::from(ThorntonNing {
        young: 4e12,
        shear: 3e12,
        yield_pressure: 5e10,
        damping_ratio: 0.1,
        friction: 0.3,
    });
    let none = ContactTerms::default();
    let cohesion = |cohesion| ContactTerms {
        cohesion: Some(cohesion),
        ..none
    };
    let spring = ResistanceKind::Spring {
        stiffness: None,
        damping: 100.0,
    };
    let smooth = ResistanceKind::Constant(0.05);
    let resistance = |kind| {
        Some(Resistance {
            friction: 0.2,
            kind,
        })
    };
    let mut all = vec![
        (
            "a constant pull",
            damped,
            cohesion(Cohesion::Constant(800.0)),
        ),
        ("a pull by radius", damped, cohesion(Cohesion::Dmt(2.5e4))),
        ("a pull by area", damped, cohesion(Cohesion::Area(3.5e9))),
        (
            "a fading pull",
            damped,
            cohesion(Cohesion::Fading {
                pull: 800.0,
                stiffness: 1e8,
            }),
        ),
        ("adhesion", hertz, cohesion(Cohesion::Jkr(2e4))),
        (
            "plastic",
            elastic,
            ContactTerms {
                plastic: Some(Plastic {
                    unloading: 1.7e9,
                    cohesion: 2e8,
                }),
                ..none
            },
        ),
        (
            "rolling",
            damped,
            ContactTerms {
                rolling: resistance(spring),
                ..none
            },
        ),
        (
            "smooth rolling",
            damped,
            ContactTerms {
                rolling: resistance(smooth),
                ..none
            },
        ),
        (
            "a limit on the spring alone",
            dragged,
            ContactTerms {
                spring_limited: true,
                ..none
            },
        ),
        ("smooth friction", hertz_hysteretic, none),
        ("plastic spheres", yielding, none),
    ];
    if D::N == 3 {
        all.push((
            "twisting",
            damped,
            ContactTerms {
                twisting: resistance(spring),
                ..none
            },
        ));
        all.push((
            "all",
            elastic,
            ContactTerms {
                cohesion: Some(Cohesion::Constant(500.0)),
                plastic: Some(Plastic {
                    unloading: 1.3e9,
                    cohesion: 1e8,
                }),
                rolling: resistance(spring),
                twisting: resistance(smooth),
                ..none
            },
        ));
    }
    all
}

fn apart<D: Dimension>(one: &[Grain<D>], other: &[Grain<D>]) -> f64 {
    let each = one.iter().zip(other).map(|(a, b)| {
        let turn = a.spin - b.spin;
        let surface = D::spin_dot(turn, turn).sqrt() * a.radius;
        (a.velocity - b.velocity).norm().max(surface)
    });
    each.fold(0.0, f64::max)
}

/// Steps of a two-thousandth of the contact: with springs of rolling they are of first order in the step. What the term does is seen: without it velocities
/// are off by more than ten times as much.
fn outcomes<D: Integrate>() {
    for (name, law, terms) in laws::<D>() {
        for wall in [false, true] {
            let what = format!("{}-D, {name}, wall {wall}", D::N);
            let setup = meeting::<D>(law, terms, wall);
            let (system, _) = run(&setup);
            let summary = system.summary();
            assert_eq!(summary.work.collisions, 1, "{what}");
            assert_eq!(summary.work.grain_steps, 0, "{what}: nobody is stepped");
            assert!(summary.energy.balance_error < 1e-12, "{what}");
            let at_once = system.grains_at(setup.run.end_time);
            let mut stepped = setup.clone();
            stepped.motion.collisions = None;
            let followed = end(&stepped);
            let off = apart(&at_once, &followed);
            assert!(off < 1e-3, "{what}: off by {off:e} m/s");
            let mut without = stepped.clone();
            let plain = match law {
                ContactLaw::HertzHysteretic(law) => ContactLaw::from(HertzHysteretic {
                    friction: 0.0,
                    ..law
                }),
                ContactLaw::ThorntonNing(_) => ContactLaw::from(Hertz {
                    young: 4e12,
                    shear: 3e12,
                    damping_ratio: 0.1,
                    friction: 0.3,
                }),
                law => law,
            };
            without.matter.laws.set(0, 0, plain);
            without.matter.laws.set_terms(0, 0, ContactTerms::default());
            let seen = apart(&end(&without), &followed);
            assert!(seen > 0.01, "{what}: the term does {seen:e} m/s only");
            if !wall {
                let [before, after] = [&setup.grains, &at_once].map(|grains| momenta(grains));
                assert!((before.0 - after.0).norm() < 1e-15 * 10.0, "{what}");
            }
        }
    }
}

#[test]
fn contacts_followed_alone_have_the_outcome_of_steps() {
    outcomes::<Planar>();
    outcomes::<Spatial>();
}

/// From event to event as in flight: the same velocities and spins.
#[test]
fn contacts_from_event_to_event_are_followed_too() {
    fn same(n: usize) {
        let (gravity, velocity) = (vec![0.0; n], |v: f64| {
            let mut all = vec![0.0; n];
            (all[0], all[n - 1]) = (v, 0.1 * v);
            all
        });
        let at = |x: f64, y: f64| {
            let mut all = vec![0.0; n];
            (all[0], all[n - 1]) = (x, y);
            all
        };
        let text = |model: &str, run: &str| {
            format!(
                "name = \"pair\"\ndimension = {n}\n[run]\nend_time = 0.04\n{run}\n[field]\ngravity = {gravity:?}\n[log]\nseries = 0.01\n\
                 snapshots = \"never\"\n{model}\n[material.a]\ndensity = 2000.0\n[[law]]\nbetween = [\"a\", \"a\"]\nlinear = {{ \
                 normal_stiffness = 1e8, tangential_stiffness = 8e7, normal_damping = 100.0, tangential_damping = 50.0, friction = 0.3 }}\n\
                 cohesion = {{ force = 20.0 }}\nrolling = {{ friction = 0.2 }}\n[[fill]]\nmaterial = \"a\"\ngrains = [{{ position = {:?}, \
                 radius = 0.01, velocity = {:?} }}, {{ position = {:?}, radius = 0.012, velocity = {:?} }}]\n",
                at(-0.02, 0.006),
                velocity(1.0),
                at(0.02, 0.0),
                velocity(-0.5)
            )
        };
        let end = |text: &str| {
            let (sink, summary) = crate::support::driven(text).unwrap();
            assert_eq!(summary.work.collisions, 1, "{text}");
            assert!(summary.energy.balance_error < 1e-12);
            let row = sink.series.last().unwrap();
            [row.kinetic, row.dissipated.iter().sum::<f64>()]
        };
        let [events, flight] = [
            end(&text("[events]", "")),
            end(&text("", "collisions = true")),
        ];
        for (a, b) in events.iter().zip(&flight) {
            assert!((a - b).abs() < 1e-9 * b.abs(), "{n}: {a} {b}");
        }
    }
    same(2);
    same(3);
}

/// Who sticks together does not collide at once: it is stepped, and stays.
#[test]
fn what_sticks_is_stepped() {
    fn sticks<D: Integrate>() {
        let terms = ContactTerms {
            cohesion: Some(Cohesion::Fading {
                pull: 800.0,
                stiffness: 1e8,
            }),
            ..ContactTerms::default()
        };
        let law = linear(STIFFNESS, 0.8 * STIFFNESS, 4e3, 2e3, 0.3);
        let mut setup = meeting::<D>(law, terms, false);
        for grain in &mut setup.grains {
            grain.velocity = grain.velocity * 0.02;
            grain.spin = D::Spin::default();
        }
        setup.run.end_time = 0.1;
        setup.motion.step = Some(1e-7);
        let (system, _) = run(&setup);
        let summary = system.summary();
        assert_eq!(summary.work.collisions, 0);
        assert!(summary.work.grain_steps > 0);
        let grains = system.grains_at(setup.run.end_time);
        let gap = (grains[1].position - grains[0].position).norm() - 2.0 * RADIUS;
        assert!(gap < 8e-6, "they are {gap} m apart");
        let error = summary.energy.balance_error;
        assert!(error < 1e-3, "the balance is off by {error:e}");
    }
    sticks::<Planar>();
    sticks::<Spatial>();
}
