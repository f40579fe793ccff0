//! Fields that alternate. References: linear equations in closed form, and the ledger, whose error falls with the square of the
//! step.

use std::f64::consts::TAU;

use arenite::body::Formed;
use arenite::cluster::integrate::Integrate;
use arenite::field::{
    Alternating, Electric, LongRangeSetup, Magnetic, NonUniformFields, Oscillation, SourceDensity,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{IntegratorName, Setup, System};

use crate::support::{Checkpoints, add, close, empty, finish, linear, run};
use crate::theory::long_range::{dumbbell, plasma, shaped};

const LEAPFROGS: [IntegratorName; 2] = [IntegratorName::Verlet, IntegratorName::Midpoint];

/// Without contacts.
fn free<D: Dimension>(step: f64, finish: f64, carries: SourceDensity) -> Setup<D> {
    let mut setup = empty::<D>(linear(1e-6, 0.0, 0.0, 0.0, 0.0), step, finish);
    setup.fields.long_range = LongRangeSetup {
        gravitation: 0.0,
        sources: vec![carries],
    };
    setup
}

/// Halving the step quarters the error.
#[track_caller]
fn second_order(what: &str, error: impl Fn(f64) -> f64, step: f64) -> f64 {
    let (coarse, fine) = (error(step), error(0.5 * step));
    println!("{what}: {coarse:e} {fine:e}");
    close(what, (coarse / fine).log2(), 2.0, 0.12);
    fine
}

fn swing(amplitude: [f64; 3], frequency: f64, phase: [f64; 3]) -> Oscillation {
    Oscillation {
        amplitude,
        frequency,
        phase,
    }
}

const PHASE: [f64; 3] = [0.4, 1.9, -0.7];

/// What accelerates as a field of an amplitude over 1 m/s^2.
#[derive(Clone, Copy, Debug)]
enum By {
    Charge,
    Acceleration,
}

/// A grain under a (mean + A sin(w t + p)): x = v t + a t^2 / 2 + A / w (cos p t - (sin(w t + p) - sin p) / w). Its work is what the
/// kinetic energy grows by less what the mean gives, which has a potential.
fn driven<D: Integrate>(by: By, integrator: IntegratorName) {
    let (frequency, amplitude, mean) = (3.0, [5.0, -3.0, 2.0], [0.3, 0.2, -0.1]);
    let (specific, mass, lasts) = (0.02, 0.4, 1.23);
    let setup = |step: f64| {
        let carries = SourceDensity {
            charge: specific,
            ..SourceDensity::default()
        };
        let mut setup = free::<D>(step, lasts, carries);
        setup.motion.integrator = integrator;
        match by {
            By::Charge => {
                setup.fields.place.electric = Some(Electric {
                    steady: mean.map(|x| x / specific),
                    alternating: Some(swing(amplitude.map(|x| x / specific), frequency, PHASE)),
                });
            }
            By::Acceleration => {
                setup.fields.gravity = D::Vector::from_fn(|k| mean[k]);
                setup.fields.place.alternating = Some(Alternating {
                    acceleration: swing(amplitude, frequency, PHASE),
                });
            }
        }
        let velocity = D::Vector::from_fn(|k| [0.5, 0.1, -0.2][k]);
        add(&mut setup, 0.1, mass, D::Vector::default(), velocity);
        setup
    };
    let w = TAU * frequency;
    let exact = |k: usize| {
        let (v, p, a) = ([0.5, 0.1, -0.2][k], PHASE[k], amplitude[k]);
        let swung = p.cos() * lasts - ((w * lasts + p).sin() - p.sin()) / w;
        v * lasts + 0.5 * mean[k] * lasts * lasts + a / w * swung
    };
    let off = |step: f64| {
        let last = run(&setup(step)).0.grains_at(lasts)[0];
        (last.position - D::Vector::from_fn(exact)).norm()
    };
    let fine = second_order("place", off, 1.0 / (60.0 * frequency));
    assert!(fine < 2e-3, "{fine:e}");
    if integrator == IntegratorName::Midpoint {
        return;
    }
    let step = 1.0 / (200.0 * frequency);
    let error = |step: f64| {
        // At a multiple of no step, so that the book is read within one.
        let (system, _) = run(&setup(step));
        let summary = system.summary();
        let given = summary.fields.unwrap().work;
        let last = system.grains_at(lasts)[0];
        let kinetic = |v: f64| 0.5 * mass * v;
        let gained = kinetic(last.velocity.norm_squared())
            - kinetic(
                (0..D::N)
                    .map(|k| [0.5, 0.1, -0.2][k] * [0.5, 0.1, -0.2][k])
                    .sum(),
            );
        let fell: f64 = (0..D::N).map(|k| mass * mean[k] * last.position[k]).sum();
        close("work", given, gained - fell, 1e-3 * gained.abs());
        summary.energy.balance_error
    };
    let fine = second_order("balance", error, step);
    assert!(fine < 1e-3, "{fine:e}");
}

#[test]
fn a_grain_is_carried_along_and_back() {
    for integrator in LEAPFROGS {
        for by in [By::Charge, By::Acceleration] {
            driven::<Planar>(by, integrator);
            driven::<Spatial>(by, integrator);
        }
    }
}

/// A charge in B sin(w t + p) turns by q B / (m w) (cos(w t + p) - cos p), clockwise about the field, and keeps its speed but
/// for the square of the step.
fn turned<D: Integrate>() {
    let (specific, density, frequency, lasts) = (2.0, 4.0, 1.5, 0.9);
    let w = TAU * frequency;
    let exact = specific * density / w * ((w * lasts + 0.3).cos() - 0.3f64.cos());
    let off = |step: f64| {
        let carries = SourceDensity {
            charge: specific,
            ..SourceDensity::default()
        };
        let mut setup = free::<D>(step, lasts, carries);
        setup.fields.place.magnetic = Some(Magnetic {
            steady: [0.0; 3],
            alternating: Some(swing([0.0, 0.0, density], frequency, [0.3; 3])),
        });
        let velocity = D::Vector::from_fn(|k| if k == 0 { 0.7 } else { 0.0 });
        add(&mut setup, 0.3, 0.3, D::Vector::default(), velocity);
        let (system, _) = run(&setup);
        let summary = system.summary();
        // At an evaluation the speed is that of the chord, shorter by 1 + u^2, u at most:
        let u = 0.5 * step * specific * density;
        let energy = 0.5 * 0.3 * 0.49;
        close("energy", summary.energy.kinetic, energy, u * u * energy);
        assert!(summary.energy.balance_error <= u * u);
        let last = system.grains_at(lasts)[0];
        (last.velocity[1].atan2(last.velocity[0]) - exact).abs()
    };
    let fine = second_order("angle", off, 0.01);
    assert!(fine < 1e-3, "{fine:e}");
}

#[test]
fn an_alternating_magnetic_field_turns_to_and_fro() {
    turned::<Planar>();
    turned::<Spatial>();
}

/// Angle of a moment that was along x, in the plane x y.
fn angle<D: Dimension>(rotation: D::Rotation) -> f64 {
    let x = D::rotate(
        rotation,
        D::Vector::from_fn(|k| if k == 0 { 1.0 } else { 0.0 }),
    );
    x[1].atan2(x[0])
}

/// A ball whose moment begins at a small angle `first` to a constant field along x, under one across that alternates:
/// theta'' = -w0^2 theta + F sin(w t), w0^2 = p E / I, F = p A / I, so that
/// theta = first cos(w0 t) + F / (w0^2 - w^2) (sin(w t) - w / w0 sin(w0 t)).
fn pendulum<D: Integrate>(electric: bool, share: f64) {
    let (moment, strength, mass, radius) = (0.3, 2.0, 0.2, 0.1);
    let inertia = D::BALL_INERTIA * mass * radius * radius;
    let rate = (moment * mass * strength / inertia).sqrt();
    let (frequency, first): (f64, f64) = (0.6 * rate / TAU, 3e-4);
    let w = TAU * frequency;
    // Two periods by itself.
    let lasts = 1.9 * TAU / rate;
    let force = share * 1e-3 * rate * rate;
    let exact = first * (rate * lasts).cos()
        + force / (rate * rate - w * w) * ((w * lasts).sin() - w / rate * (rate * lasts).sin());
    let off = |step: f64| {
        let mut carries = SourceDensity::default();
        let along = if electric {
            &mut carries.electric
        } else {
            &mut carries.magnetic
        };
        *along = [moment, 0.0, 0.0];
        let mut setup = free::<D>(step, lasts, carries);
        let steady = [strength, 0.0, 0.0];
        let across = swing([0.0, share * 1e-3 * strength, 0.0], frequency, [0.0; 3]);
        let alternating = (share > 0.0).then_some(across);
        if electric {
            setup.fields.place.electric = Some(Electric {
                steady,
                alternating,
            });
        } else {
            setup.fields.place.magnetic = Some(Magnetic {
                steady,
                alternating,
            });
        }
        let zero = D::Vector::default();
        let grain = add(&mut setup, radius, mass, zero, zero);
        let turn = D::spin_from_fn(|k| if k + 1 == D::SPINS { first } else { 0.0 });
        grain.rotation = D::turned(grain.rotation, turn);
        let last = run(&setup).0.grains_at(lasts)[0];
        (angle::<D>(last.rotation) - exact).abs() / first
    };
    let fine = second_order("angle", off, lasts / 150.0);
    assert!(fine < 5e-3, "{fine:e}");
}

#[test]
fn a_dipole_swings_as_a_pendulum_that_is_driven() {
    for electric in [true, false] {
        for share in [0.0, 0.4] {
            pendulum::<Planar>(electric, share);
            pendulum::<Spatial>(electric, share);
        }
    }
}

/// A dipole, of a ball or of two, that turns far in a field that turns: what its moments work is in the ledger.
fn turns_with_it<D: Formed + Integrate>(long: bool) {
    let error = |step: f64| {
        let carries = SourceDensity {
            electric: [0.2, 0.1, 0.15],
            ..SourceDensity::default()
        };
        let mut setup = free::<D>(step, 1.37, carries);
        setup.fields.place.electric = Some(Electric {
            steady: [0.1, 0.0, 0.05],
            alternating: Some(swing([1.0, 1.0, 0.3], 1.1, [0.0, 0.25 * TAU, 0.9])),
        });
        let zero = D::Vector::default();
        add(&mut setup, 0.1, 0.2, zero, zero).spin = D::spin_from_fn(|k| [2.0, -1.0, 1.5][k]);
        if long {
            shaped(&mut setup, dumbbell::<D>());
        }
        let (system, _) = run(&setup);
        let summary = system.summary();
        let (given, energy) = (summary.fields.unwrap().work, summary.energy);
        assert!(given.abs() > 0.1 * energy.kinetic, "{given} {energy:?}");
        energy.balance_error
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    println!("{long}: {coarse:e} {fine:e}");
    assert!(fine < 1e-3, "{fine:e}");
    close("order", (coarse / fine).log2(), 2.0, 0.2);
}

#[test]
fn the_work_of_moments_is_in_the_ledger() {
    for long in [false, true] {
        turns_with_it::<Planar>(long);
        turns_with_it::<Spatial>(long);
    }
}

/// Colliding grains with charges and moments in all that alternates.
fn all<D: Formed + Integrate>(step: f64) -> Setup<D> {
    let mut setup = plasma::<D>(step, false);
    setup.fields.place = NonUniformFields {
        electric: Some(Electric {
            steady: [1e4, 0.0, 0.0],
            alternating: Some(swing([2e4, -1e4, 3e4], 150.0, [0.0, 1.0, 2.0])),
        }),
        magnetic: Some(Magnetic {
            steady: [0.0, 0.002, 0.0],
            alternating: Some(swing([0.01, 0.0, 0.01], 90.0, [0.5; 3])),
        }),
        alternating: Some(Alternating {
            acceleration: swing([20.0, 40.0, -30.0], 70.0, [0.2; 3]),
        }),
        ..NonUniformFields::default()
    };
    setup
}

/// The ledger of it closes, the better the finer; a saved state goes on to the same bits.
fn together<D: Formed + Integrate>() {
    let error = |step: f64| {
        let (system, _) = run(&all::<D>(step));
        assert!(system.dem().book.counts.opened > 20);
        system.summary().energy.balance_error
    };
    let (coarse, fine) = (error(1e-5), error(2.5e-6));
    println!("{coarse:e} {fine:e}");
    assert!(fine < 1e-4 && fine < coarse / 3.0, "{coarse:e} {fine:e}");
    let mut setup = all::<D>(1e-5);
    setup.log.checkpoint = Some(0.011);
    let mut system = System::new(setup.clone()).unwrap();
    let mut sink = Checkpoints::default();
    finish(&mut system, &mut sink);
    let end = system.state_hash();
    assert!(sink.states.len() >= 4, "{}", sink.states.len());
    for state in &sink.states {
        let mut again = System::restore(setup.clone(), state).unwrap();
        finish(&mut again, &mut arenite::record::NullSink);
        assert_eq!(again.state_hash(), end);
    }
}

#[test]
fn grains_in_fields_that_alternate_balance_and_resume() {
    together::<Planar>();
    together::<Spatial>();
}

/// A step that is chosen has at least twelve or so in a radian of what alternates, and a coarse one is warned of.
#[test]
fn the_step_resolves_what_alternates() {
    let mut setup = free::<Planar>(1.0, 1.0, SourceDensity::default());
    setup.motion.step = None;
    add(
        &mut setup,
        1.0,
        1.0,
        Vector::from_fn(|_| 0.0),
        Vector::from_fn(|_| 0.0),
    );
    let frequency = 40.0;
    setup.fields.place.alternating = Some(Alternating {
        acceleration: swing([0.0, 1e-3, 0.0], frequency, [0.0; 3]),
    });
    let plan = System::plan(&setup).unwrap();
    assert!(plan.step * TAU * frequency < 0.1, "{}", plan.step);
    let told = |list: &[String]| {
        list.iter()
            .any(|text| text.contains("alternation of the acceleration"))
    };
    assert!(told(&plan.reasons), "{:?}", plan.reasons);
    setup.motion.step = Some(0.02);
    let plan = System::plan(&setup).unwrap();
    assert!(told(&plan.warnings), "{:?}", plan.warnings);
}

fn read(
    dimension: usize,
    field: &str,
    carries: &str,
) -> Result<(NonUniformFields<Planar>, Vec<String>), String> {
    let at = if dimension == 2 {
        "0.5, 0.5"
    } else {
        "0.5, 0.5, 0.5"
    };
    let text = format!(
        "name = 'small'\ndimension = {dimension}\n[field]\n{field}\n[run]\nend_time = 1.0\n[material.ball]\ndensity = 1000.0\n{carries}\n\
         [[law]]\nbetween = ['ball', 'ball']\n[law.linear]\nnormal_stiffness = 1e4\ntangential_stiffness = 0.0\n\
         normal_damping = 0.0\ntangential_damping = 0.0\nfriction = 0.0\n[[fill]]\nmaterial = 'ball'\n\
         grains = [{{ position = [{at}], radius = 0.01 }}]\n"
    );
    let resolved = Scenario::parse("small.toml", &text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => Ok((setup.fields.place, setup.notes.warnings)),
        AnySetup::Spatial(setup) => Ok((NonUniformFields::default(), setup.notes.warnings)),
    }
}

/// Vectors stay as they were written; tables have amplitude, frequency, phase and a mean. What is wrong is refused with its key.
#[test]
fn fields_are_read_in_both_ways() {
    let charge = "charge_per_mass = 1e-6";
    let (place, warnings) = read(2, "electric = [1.0, 2.0]", charge).unwrap();
    let steady = Electric {
        steady: [1.0, 2.0, 0.0],
        alternating: None,
    };
    assert_eq!(place.electric, Some(steady));
    assert!(warnings.is_empty(), "{warnings:?}");
    let table = "electric = { amplitude = [1.0, 2.0], frequency = 50.0, phase = [0.0, 1.5], mean = [0.0, 3.0] }";
    let found = read(2, table, charge).unwrap().0.electric.unwrap();
    assert_eq!(found.steady, [0.0, 3.0, 0.0]);
    assert_eq!(
        found.alternating,
        Some(swing([1.0, 2.0, 0.0], 50.0, [0.0, 1.5, 0.0]))
    );
    for (field, named) in [
        (
            "electric = { amplitude = [1.0], frequency = 5.0 }",
            "`field.electric.amplitude`",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequency = 0.0 }",
            "`field.electric.frequency`",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequency = 5.0, phase = [0.0, 0.0, 0.0] }",
            "a number, or a list of 2",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequency = 5.0, phase = inf }",
            "`field.electric.phase`",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequncy = 5.0 }",
            "frequncy",
        ),
        ("electric = { amplitude = [1.0, 0.0] }", "frequency"),
        ("electric = 3.0", "a list of numbers, or a table"),
        (
            "magnetic = { amplitude = [1.0, 0.0], frequency = 5.0 }",
            "three numbers",
        ),
        (
            "alternating = { amplitude = [1.0, 0.0], frequency = 5.0, mean = [0.0, 1.0] }",
            "mean",
        ),
        (
            "alternating = { amplitude = [1.0, 0.0], frequency = 5.0 }\nfluid = { density = 1.0, relaxation_time = 1.0 }",
            "buoyancy",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequency = 5.0 }\n[events]\nrestitution = 1.0",
            "no alternating electric field",
        ),
    ] {
        let said = read(2, field, charge).err().unwrap_or_default();
        assert!(said.contains(named), "{field}: {said}");
    }
}

/// Fields that act on nobody, or are nothing, are told of; no model is asked to take them.
#[test]
fn fields_that_do_nothing_are_told_of() {
    let collide = "\n[events]\nrestitution = 1.0";
    for (field, carries, told) in [
        (
            "electric = [1e5, 0.0]",
            "",
            "`field.electric` does nothing: no grain carries",
        ),
        (
            "electric = [1e5, 0.0]",
            "magnetic_moment_per_mass = [1.0, 0.0, 0.0]",
            "`field.electric` does nothing: no grain carries",
        ),
        (
            "magnetic = [1.0, 0.0, 0.0]",
            "",
            "`field.magnetic` does nothing: no grain carries",
        ),
        (
            "electric = { amplitude = [1.0, 0.0], frequency = 5.0 }",
            "",
            "`field.electric` does nothing",
        ),
        (
            "alternating = { amplitude = [0.0, 0.0], frequency = 5.0 }",
            "",
            "its amplitude is 0",
        ),
        ("central = { strength = 0.0 }", "", "its strength is 0"),
        ("rotation = { rate = 0.0 }", "", "its rate is 0"),
        ("fluid = {}", "", "it neither drags nor bears"),
        ("drag = 0.0", "", ""),
    ] {
        // Magnets are no matter of collisions.
        let more = if carries.is_empty() { collide } else { "" };
        let (place, warnings) = read(2, &format!("{field}{more}"), carries).unwrap();
        assert!(place.all().next().is_none(), "{field}");
        // [events] has no use for the law besides.
        let mut of_fields = warnings.iter().filter(|text| text.starts_with("`field."));
        let found = of_fields.next().map_or("", String::as_str);
        assert_eq!(found.is_empty(), told.is_empty(), "{warnings:?}");
        assert!(found.contains(told), "{field}: {warnings:?}");
        assert_eq!(of_fields.next(), None);
    }
    let (place, warnings) = read(2, "electric = [1e5, 0.0]", "charge_per_mass = 1e-6").unwrap();
    assert!(
        place.electric.is_some() && warnings.is_empty(),
        "{warnings:?}"
    );
}
