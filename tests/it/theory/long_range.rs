//! Forces between the centres of grains and homogeneous fields. References: gradients of the energy,
//! laws of conservation, and motions that are known in closed form (Kepler, gyration, drift, pendulum).

use arenite::body::{Ball, Clump, Formed, Grain, ShapeTemplate};
use arenite::cluster::integrate::Integrate;
use arenite::field::{
    Action, BetweenGrains, COULOMB, Electric, Electrostatics, Gravitation, LongRangeSetup,
    Magnetic, Magnetostatics, Member, NonUniformFields, ParticleColumns, Source, SourceDensity,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::geometry::{cross, dot};
use arenite::scenario::Scenario;
use arenite::system::{
    FeedSetup, FeedTiming, IntegratorName, Mixture, OutletSetup, RadiusLaw, Setup, System,
};
use arenite::walls::shapes;
use nalgebra::{Vector2, Vector3};

use crate::support::{
    Checkpoints, Dice, add, close, empty, end, finish, floor, linear, momenta, place, run, wall,
};

type Forces = [(Box<dyn BetweenGrains>, bool); 5];

/// Each force, and whether it knows moments.
fn forces() -> Forces {
    let electric = |charges, dipoles| Electrostatics { charges, dipoles };
    [
        (Box::new(Gravitation { constant: 0.7 }), false),
        (Box::new(electric(true, false)), false),
        (Box::new(electric(false, true)), true),
        (Box::new(electric(true, true)), true),
        (Box::new(Magnetostatics), true),
    ]
}

/// Eleven grains that carry everything: more than eight, and not a multiple of it.
fn members() -> Vec<Member> {
    let mut dice = Dice(3);
    let three = |dice: &mut Dice| std::array::from_fn(|_| dice.between(-1.0, 1.0));
    (0..11)
        .map(|k| {
            let shift = [f64::from(k % 3), f64::from(k / 3), 0.0];
            let place: [f64; 3] = three(&mut dice);
            Member {
                position: std::array::from_fn(|k| 3.0 * shift[k] + place[k]),
                mass: dice.between(0.5, 2.0),
                source: Source {
                    charge: dice.between(-1.0, 1.0),
                    electric: three(&mut dice),
                    magnetic: three(&mut dice),
                },
            }
        })
        .collect()
}

fn crowd(members: &[Member]) -> ParticleColumns {
    let mut crowd = ParticleColumns::new();
    members.iter().for_each(|member| crowd.push(member));
    crowd
}

fn actions(force: &dyn BetweenGrains, members: &[Member]) -> Vec<Action> {
    let mut actions = vec![Action::default(); members.len()];
    force.act(&crowd(members), &mut actions);
    actions
}

/// Forces and moments are the gradient of the energy, by central differences: of second order in 1e-4 of
/// distances, and with rounding of 1e-12 of the energy, so that 1e-6 must hold.
#[test]
fn forces_and_moments_are_the_gradient_of_the_energy() {
    let members = members();
    for (force, moments) in forces() {
        let found = actions(&*force, &members);
        let size = found.iter().flat_map(|a| a.force).map(f64::abs);
        let size = size.fold(0.0, f64::max);
        let energy = |change: &dyn Fn(&mut Member, f64), index: usize| {
            let at = |step: f64| {
                let mut moved = members.clone();
                change(&mut moved[index], step);
                force.energy(&crowd(&moved))
            };
            (at(-1e-4) - at(1e-4)) / 2e-4
        };
        for (index, action) in found.iter().enumerate() {
            for k in 0..3 {
                let pushed = energy(&|member, step| member.position[k] += step, index);
                close(force.name(), action.force[k], pushed, 1e-6 * size);
                let turn = |member: &mut Member, step: f64| {
                    let axis = std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
                    let (sine, cosine) = step.sin_cos();
                    for moment in [&mut member.source.electric, &mut member.source.magnetic] {
                        let (along, across) = (dot(axis, *moment), cross(axis, *moment));
                        *moment = std::array::from_fn(|i| {
                            cosine * moment[i] + sine * across[i] + (1.0 - cosine) * along * axis[i]
                        });
                    }
                };
                let turned = energy(&turn, index);
                close(force.name(), action.moment[k], turned, 1e-6 * size);
                assert_eq!(action.moment[k] != 0.0, moments, "{}", force.name());
            }
        }
    }
}

/// Forces between grains give neither momentum nor angular momentum, to rounding; and the energy of all is
/// that of all but one and of that one with the others.
#[test]
fn pairs_give_neither_momentum_nor_angular_momentum() {
    let members = members();
    for (force, _) in forces() {
        let found = actions(&*force, &members);
        let (mut linear, mut angular, mut size) = ([0.0; 3], [0.0; 3], 0.0f64);
        for (member, action) in members.iter().zip(&found) {
            let orbital = cross(member.position, action.force);
            for k in 0..3 {
                linear[k] += action.force[k];
                angular[k] += orbital[k] + action.moment[k];
                size = size.max(action.force[k].abs());
            }
        }
        for k in 0..3 {
            close(force.name(), linear[k], 0.0, 1e-13 * size);
            close(force.name(), angular[k], 0.0, 1e-12 * size);
        }
        let all = force.energy(&crowd(&members));
        for index in 0..members.len() {
            let mut others = members.clone();
            let one = others.remove(index);
            let others = crowd(&others);
            let sum = force.energy(&others) + force.energy_with(&others, &one);
            close(force.name(), sum, all, 1e-12 * size);
        }
    }
}

fn free<D: Dimension>(step: f64, finish: f64, long_range: LongRangeSetup) -> Setup<D> {
    // So soft that steps need not mind it: nothing touches unless a test says so.
    let mut setup = empty::<D>(linear(1e-6, 0.0, 0.0, 0.0, 0.0), step, finish);
    setup.fields.long_range = long_range;
    setup
}

/// Two masses on a circle about each other are back after a turn: w^2 = G (m + M) / a^3. The error of
/// the place goes as the square of the step, so that a half of the step takes three quarters off it.
fn orbit<D: Integrate>() {
    let (constant, masses, apart): (f64, [f64; 2], f64) = (1e-3, [3.0, 1.0], 1.0);
    let sum = masses[0] + masses[1];
    let rate = (constant * sum / (apart * apart * apart)).sqrt();
    let turn = std::f64::consts::TAU / rate;
    let off = |steps: f64| {
        let long_range = LongRangeSetup {
            gravitation: constant,
            ..Default::default()
        };
        let mut setup = free::<D>(turn / steps, turn, long_range);
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let arm = sign * apart * masses[1 - k] / sum;
            let (at, speed) = (place::<D>(arm, 0.0), place::<D>(0.0, rate * arm));
            add(&mut setup, 0.1, masses[k], at, speed);
        }
        let start = setup.grains[1].position;
        let (system, _) = run(&setup);
        let balance = system.summary().energy.balance_error;
        assert!(balance < 1e-5, "{balance:e}");
        (system.grains_at(turn)[1].position - start).norm()
    };
    let (coarse, fine) = (off(300.0), off(600.0));
    assert!(fine < 1e-3 && coarse > 1e-4, "{coarse} {fine}");
    close("order", (coarse / fine).log2(), 2.0, 0.05);
}

#[test]
fn two_masses_go_round_each_other() {
    orbit::<Planar>();
    orbit::<Spatial>();
}

/// Constant fields, V/m and T.
fn homogeneous<D: Dimension>(electric: [f64; 3], magnetic: [f64; 3]) -> NonUniformFields<D> {
    let has = |field: [f64; 3]| (field != [0.0; 3]).then_some(field);
    NonUniformFields {
        electric: has(electric).map(|steady| Electric {
            steady,
            alternating: None,
        }),
        magnetic: has(magnetic).map(|steady| Magnetic {
            steady,
            alternating: None,
        }),
        ..NonUniformFields::default()
    }
}

fn charged(charge: f64) -> LongRangeSetup {
    LongRangeSetup {
        gravitation: 0.0,
        sources: vec![SourceDensity {
            charge,
            ..SourceDensity::default()
        }],
    }
}

/// A charge in a magnetic field goes round with q B / m and keeps its energy to rounding over fifty turns: the force does no work. Of the angle the error is (w h)^2 / 12 (Boris 1970).
fn gyration<D: Integrate>(integrator: IntegratorName) {
    let (specific, density, speed) = (2.0, 0.5, 3.0);
    let rate = specific * density;
    let turn = std::f64::consts::TAU / rate;
    let steps = 100.0;
    let finish = 50.0 * turn;
    let mut setup = free::<D>(turn / steps, finish, charged(specific));
    setup.fields.place = homogeneous([0.0; 3], [0.0, 0.0, density]);
    setup.motion.integrator = integrator;
    let velocity = D::Vector::from_fn(|k| if k == 0 { speed } else { 0.0 });
    // So large that it does not go farther than its radius in a step, which is refused.
    add(&mut setup, 0.3, 0.3, D::Vector::default(), velocity);
    let (system, _) = run(&setup);
    let summary = system.summary();
    // The midpoint rule tells the velocity of the middle of a step: the chord, not the arc.
    let chord = match integrator {
        IntegratorName::Midpoint => 1.0 + (std::f64::consts::PI / steps).powi(2),
        _ => 1.0,
    };
    let energy = 0.5 * 0.3 * speed * speed / chord;
    close("energy", summary.energy.kinetic, energy, 1e-11 * energy);
    let last = system.grains_at(finish)[0];
    // Positive charges turn clockwise about the field.
    let angle = -last.velocity[1].atan2(last.velocity[0]);
    let slow = (std::f64::consts::TAU / steps).powi(2) / 12.0;
    let expected = -slow * finish * rate;
    close("angle", angle, expected, 0.02 * expected.abs());
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-12, "{balance:e}");
}

#[test]
fn a_magnetic_field_turns_paths_and_does_no_work() {
    for integrator in [IntegratorName::Verlet, IntegratorName::Midpoint] {
        gyration::<Planar>(integrator);
        gyration::<Spatial>(integrator);
    }
}

/// In crossed fields a charge drifts with E x B / B^2, whatever its charge: after whole turns it is where the
/// drift has brought it.
#[test]
fn a_charge_drifts_in_crossed_fields() {
    for specific in [2.0, -2.0] {
        let (strength, density) = (0.3, 0.5);
        let turn = std::f64::consts::TAU / (2.0 * density);
        let mut setup = free::<Spatial>(turn / 1000.0, 5.0 * turn, charged(specific));
        setup.fields.place = homogeneous([0.0, strength, 0.0], [0.0, 0.0, density]);
        add(
            &mut setup,
            0.01,
            0.3,
            Vector3::zeros(),
            Vector3::new(1.0, 0.0, 0.0),
        );
        let last = end(&setup)[0];
        let way = strength / density * 5.0 * turn;
        // The phase is off by (w h)^2 / 12 of five turns, 1e-4.
        close("along", last.position.x, way, 2e-4);
        close("across", last.position.y, 0.0, 2e-4);
        assert_eq!(last.position.z, 0.0);
    }
}

pub(super) fn dumbbell<D: Formed>() -> ShapeTemplate<D> {
    let ball = |along: f64| Ball {
        centre: place::<D>(along, 0.0),
        radius: 0.5,
    };
    D::clump(
        "dumbbell",
        &Clump::new(vec![ball(-1.0), ball(1.0)]).unwrap(),
    )
    .unwrap()
}

/// Gives a grain a form.
pub(super) fn shaped<D: Dimension>(setup: &mut Setup<D>, form: ShapeTemplate<D>) {
    let index = setup.matter.forms.len() as u16;
    let grain = setup.grains.last_mut().unwrap();
    (grain.form, grain.inertia, grain.rotation) = (Some(index), form.inertia, form.axes);
    setup.matter.forms.push(form);
}

/// A magnetic moment swings in a field as a pendulum: for a small amplitude a with the period
/// 2 pi sqrt(I / (m B)) (1 + a^2 / 16). After one period it is back, to the second order of the step.
fn swing<D: Formed + Integrate>(long: bool) {
    let (specific, density, amplitude) = (0.4, 0.05, 0.05);
    let off = |steps: f64| {
        let long_range = LongRangeSetup {
            sources: vec![SourceDensity {
                magnetic: [specific, 0.0, 0.0],
                ..SourceDensity::default()
            }],
            ..Default::default()
        };
        let mut setup = free::<D>(1e-3, 1.0, long_range);
        setup.fields.place = homogeneous([0.0; 3], [density, 0.0, 0.0]);
        let zero = D::Vector::default();
        add(&mut setup, 0.03, 0.2, zero, zero);
        if long {
            shaped(&mut setup, dumbbell::<D>());
        }
        // About the last axis, which is none of symmetry.
        let turn = D::spin_from_fn(|k| if k + 1 == D::SPINS { amplitude } else { 0.0 });
        let grain: &mut Grain<D> = &mut setup.grains[0];
        grain.rotation = D::turned(grain.rotation, turn);
        let start = grain.rotation;
        let moments = grain.moments();
        let inertia = if D::N == 2 {
            moments[2]
        } else {
            moments[0].max(moments[2])
        };
        let rate = (specific * grain.mass * density / inertia).sqrt();
        let period = std::f64::consts::TAU / rate * (1.0 + amplitude * amplitude / 16.0);
        setup.run.end_time = period;
        setup.motion.step = Some(period / steps);
        let (system, _) = run(&setup);
        let balance = system.summary().energy.balance_error;
        assert!(balance < 1e-2, "{balance:e}");
        let last = system.grains_at(period)[0];
        let arm = D::Vector::from_fn(|k| if k == 0 { 1.0 } else { 0.0 });
        let own = D::unrotate(start, arm);
        // Half an hour of angle is all that 2 theta dt gives at the turning point: speeds tell more.
        let speed = D::spin_dot(last.spin, last.spin).sqrt() / (rate * amplitude);
        ((D::rotate(last.rotation, own) - arm).norm() / amplitude).max(speed)
    };
    let (coarse, fine) = (off(50.0), off(100.0));
    assert!(fine < 3e-3, "{coarse} {fine}");
    close("order", (coarse / fine).log2(), 2.0, 0.1);
}

#[test]
fn a_moment_swings_in_a_field() {
    for long in [false, true] {
        swing::<Planar>(long);
        swing::<Spatial>(long);
    }
}

/// Three grains with charges and moments of both kinds, one of them long, and spinning.
fn trio<D: Formed + Integrate>(step: f64, finish: f64) -> Setup<D> {
    let carries = |charge: f64, electric: [f64; 3], magnetic: [f64; 3]| SourceDensity {
        charge,
        electric,
        magnetic,
    };
    let mut setup = empty::<D>(linear(1e4, 0.0, 0.0, 0.0, 0.0), step, finish);
    setup.matter.laws = arenite::contact::LawTable::new(3);
    for a in 0..3 {
        for b in a..3 {
            setup.matter.laws.set(a, b, linear(1e4, 0.0, 0.0, 0.0, 0.0));
        }
    }
    setup.matter.materials = vec!["a".into(), "b".into(), "c".into()];
    setup.fields.long_range = LongRangeSetup {
        sources: vec![
            carries(2e-6, [1e-8, 3e-8, 0.0], [8.0, 3.0, 0.0]),
            carries(-1e-6, [0.0, 2e-8, 1e-8], [0.0, -9.0, 2.0]),
            carries(-1e-6, [2e-8, 0.0, 0.0], [5.0, 5.0, 0.0]),
        ],
        gravitation: 1e-4,
    };
    let places = [[0.0, 0.0], [0.11, 0.02], [-0.03, 0.12]];
    for (k, [x, y]) in places.into_iter().enumerate() {
        let at = D::Vector::from_fn(|i| [x, y, 0.02][i]);
        let velocity = D::Vector::from_fn(|i| [0.01, -0.02, 0.01][i] * (k as f64 - 1.0));
        let grain = add(&mut setup, 0.03, 0.2 + 0.1 * k as f64, at, velocity);
        grain.material = k as u16;
        grain.spin = D::spin_from_fn(|i| [2.0, -1.0, 1.5][i]);
        if k == 1 {
            shaped(&mut setup, dumbbell::<D>());
        }
    }
    setup
}

/// Grains that attract, repel and turn each other keep momentum and angular momentum to rounding, and
/// their energy to the second order of the step.
fn keeps<D: Formed + Integrate>() {
    let error = |step: f64| {
        let setup = trio::<D>(step, 0.05);
        let (before, about) = momenta(&setup.grains);
        let (system, _) = run(&setup);
        let (after, around) = momenta(&system.grains_at(setup.run.end_time));
        let turned = around - about;
        close("momentum", (after - before).norm(), 0.0, 1e-13);
        close("angular", D::spin_dot(turned, turned).sqrt(), 0.0, 1e-14);
        let moved = system.grains_at(setup.run.end_time)[0].velocity - setup.grains[0].velocity;
        assert!(moved.norm() > 0.02, "{}", moved.norm());
        system.summary().energy.balance_error
    };
    let (coarse, fine) = (error(2e-4), error(1e-4));
    assert!(fine < 1e-5, "{coarse:e} {fine:e}");
    close("order", (coarse / fine).log2(), 2.0, 0.3);
}

#[test]
fn three_that_act_from_afar_keep_what_is_to_keep() {
    keeps::<Planar>();
    keeps::<Spatial>();
}

/// A plasma of hard grains in a box, in all fields at once: charges of both signs with magnetic moments.
///
/// No field turns paths as much as it turns strong magnets: either are weak.
pub(super) fn plasma<D: Formed + Integrate>(step: f64, weak: bool) -> Setup<D> {
    let mut setup = trio::<D>(step, 0.05);
    setup.grains.clear();
    setup.matter.forms.clear();
    let electric = [2e4, -1e4, 0.0];
    setup.fields.place = homogeneous(electric, [0.0, 0.01, 0.0]);
    if weak {
        setup.fields.place = homogeneous(electric, [0.0, 1e4, 1e5]);
        for source in &mut setup.fields.long_range.sources {
            source.magnetic = source.magnetic.map(|m| 1e-7 * m);
        }
    }
    setup.fields.gravity = place::<D>(0.0, -9.8);
    let mut dice = Dice(11);
    for k in 0..27 {
        let cell = [k % 3, k / 3 % 3, k / 9];
        // In the plane in rows of three, nine of them.
        let cell = if D::N == 2 { [k % 9, k / 9, 0] } else { cell };
        let at = D::Vector::from_fn(|i| 0.07 * f64::from(cell[i]) + dice.between(0.035, 0.037));
        let grain = add(&mut setup, 0.03, 0.1, at, dice.vector::<D>(-1.0, 1.0));
        grain.material = (k % 3) as u16;
        grain.spin = dice.spin::<D>(-5.0, 5.0);
        if k % 4 == 0 {
            shaped(&mut setup, dumbbell::<D>());
            let grain = setup.grains.last_mut().unwrap();
            grain.rotation = D::any_rotation([0.0; 3].map(|_| dice.roll()));
        }
    }
    let size = if D::N == 2 {
        [0.66, 0.24, 0.0]
    } else {
        [0.24; 3]
    };
    let shape = arenite::walls::Shape::Box(shapes::Cuboid {
        min: D::Vector::default(),
        max: D::Vector::from_fn(|k| size[k]),
        inside: true,
    });
    wall(&mut setup, "box", shape);
    setup
}

/// The ledger of it closes, the better the finer; and a saved state goes on to the same bits.
fn all_at_once<D: Formed + Integrate>() {
    let error = |step: f64| {
        let (system, _) = run(&plasma::<D>(step, false));
        assert!(system.dem().book.counts.opened > 20);
        system.summary().energy.balance_error
    };
    let (coarse, fine) = (error(1e-5), error(2.5e-6));
    println!("{coarse:e} {fine:e}");
    // Contacts that begin within a step make single figures uneven; four times the step is sixteen
    // times the error in the mean.
    assert!(fine < 1e-4 && fine < coarse / 3.0, "{coarse:e} {fine:e}");
    let mut setup = plasma::<D>(1e-5, true);
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
    assert_eq!(run(&plasma::<D>(1e-5, true)).0.state_hash(), end);
}

#[test]
fn a_plasma_of_grains_balances_and_resumes() {
    all_at_once::<Planar>();
    all_at_once::<Spatial>();
}

/// Two charges on a line, the one hung over the other on a floor by their repulsion: q Q k / r^2 = m g.
#[test]
fn a_charge_hovers_over_another() {
    let (mass, weight) = (1e-3, 9.8e-3);
    let specific = 1e-4;
    let charge: f64 = mass * specific;
    let height = (COULOMB * charge * charge / weight).sqrt();
    let mut setup = free::<Planar>(1e-5, 3.0, charged(specific));
    setup.matter.laws.set(0, 0, linear(1e4, 0.0, 1.0, 0.0, 0.0));
    setup.fields.gravity = Vector2::new(0.0, -9.8);
    setup.fields.drag = 5e-3;
    floor(&mut setup);
    let zero = Vector2::zeros();
    add(&mut setup, 0.005, mass, Vector2::new(0.0, 0.005), zero);
    add(&mut setup, 0.005, mass, Vector2::new(0.0, 0.06), zero);
    let last = end(&setup);
    // Drag takes exp(-5 t / 2) off the swing by the end; the floor gives way by 2e-6 m.
    close(
        "height",
        last[1].position.y - last[0].position.y,
        height,
        1e-3 * height,
    );
    let balance = run(&setup).0.summary().energy.balance_error;
    assert!(balance < 1e-4, "{balance:e}");
}

/// Grains that come and go take their energy with all others along.
#[test]
fn what_comes_and_goes_is_in_the_ledger() {
    let mut setup = free::<Planar>(1e-5, 0.5, charged(1e-6));
    setup.fields.place = homogeneous([3e4, 0.0, 0.0], [0.0, 0.0, 1e3]);
    setup.matter.laws.set(0, 0, linear(1e5, 0.0, 0.0, 0.0, 0.0));
    setup.fields.gravity = Vector2::new(0.0, -9.8);
    setup.sources.feeds.push(FeedSetup {
        min: Vector2::new(-0.1, 0.0),
        max: Vector2::new(0.1, 0.05),
        rise: Vector2::zeros(),
        start: 0.0,
        timing: FeedTiming::Interval(0.01),
        count: 40,
        mass: None,
        what: Mixture::one(0, 2500.0, RadiusLaw::Equal(0.005)),
        velocity: Vector2::new(0.0, -1.0),
        attempts: 10,
        retry_interval: 0.01,
        max_retries: 10,
    });
    setup.sources.outlets.push(OutletSetup::Plane {
        point: Vector2::new(0.0, -0.3),
        normal: Vector2::new(0.0, 1.0),
    });
    let (system, _) = run(&setup);
    let summary = system.summary();
    assert!(summary.grains.removed > 10, "{}", summary.grains.removed);
    // Who comes is felt by the others from the next evaluation on: half a step of their forces.
    assert!(summary.energy.balance_error < 1e-4, "{:?}", summary.energy);
}

fn refusal(more: &str) -> String {
    let text = format!(
        "name = \"small\"\ndimension = 2\n[material.ball]\ndensity = 1000.0\n\
         [[law]]\nbetween = [\"ball\", \"ball\"]\n[law.linear]\nnormal_stiffness = 1e4\n\
         tangential_stiffness = 0.0\nnormal_damping = 0.0\ntangential_damping = 0.0\n\
         friction = 0.0\n[[fill]]\nmaterial = \"ball\"\ngrains = [{{ position = [0.5, 0.5], \
         radius = 0.01 }}, {{ position = [0.2, 0.2], radius = 0.01 }}]\n{more}"
    );
    match Scenario::parse("small.toml", &text, None, &[]).and_then(|s| s.resolve()) {
        Ok(_) => String::new(),
        Err(problem) => problem.render(false),
    }
}

/// What cannot be together is refused with its key and the one that it is against.
#[test]
fn what_does_not_know_forces_from_afar_is_refused() {
    let gravitation = "[field]\ngravity = [0.0, -9.8]\ngravitation = 1.0\n";
    let run = "[run]\nend_time = 1.0\n";
    assert_eq!(refusal(&format!("{gravitation}{run}")), "");
    for (more, named) in [
        ("[periodic]\nx = [0.0, 1.0]\n", "`field.gravitation`"),
        ("[events]\nrestitution = 1.0\n", "`field.gravitation`"),
    ] {
        let said = refusal(&format!("{gravitation}{run}{more}"));
        assert!(said.contains(named), "{more}{said}");
    }
    let said = refusal(&format!("{gravitation}{run}collisions = true\n"));
    assert!(said.contains("no grain a path of its own"), "{said}");
    let said = refusal(&format!("{gravitation}{run}integrator = \"heun\"\n"));
    assert!(said.contains("heun"), "{said}");
    let said = refusal(&format!(
        "[field]\ndrag = 0.1\n{run}integrator = \"heun\"\n"
    ));
    assert!(said.contains("`field.drag`"), "{said}");
    let said = refusal(&format!("[field]\nmagnetic = [0.0, 1.0]\n{run}"));
    assert!(said.contains("three numbers"), "{said}");
    let said = refusal(&format!("[field]\ngravitaton = 1.0\n{run}"));
    assert!(said.contains("did you mean `gravitation`?"), "{said}");
    let said = refusal(&format!("[field]\ngravitation = -1.0\n{run}"));
    assert!(said.contains("0 or more"), "{said}");
}
