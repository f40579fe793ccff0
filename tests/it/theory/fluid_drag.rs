//! A body of fluid that grains slow down or carry along: two bodies with drag between them, in closed form, and momentum.

use arenite::cluster::integrate::Integrate;
use arenite::field::{DragLaw, Flow, Fluid, NonUniformFields, Stream, StreamState};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::record::MemorySink;
use arenite::system::{IntegratorName, Setup, System};

use crate::support::*;

const DRAG: f64 = 0.4;
const FLUID: f64 = 0.3;
const MASS: f64 = 0.1;

fn flowing<D: Integrate>(stream: Stream<D>, step: f64, finish: f64) -> Setup<D> {
    let mut setup = empty::<D>(linear(1e4, 5e3, 1.0, 0.5, 0.3), step, finish);
    setup.fields.place = NonUniformFields {
        fluid: Some(Fluid {
            flow: Flow::Stream(stream),
            drag: DragLaw {
                linear: DRAG,
                ..DragLaw::default()
            },
            density: 0.0,
            buoyancy: false,
        }),
        ..NonUniformFields::default()
    };
    setup
}

fn stream<D: Integrate>(velocity: D::Vector) -> Stream<D> {
    Stream {
        mass: FLUID,
        push: D::Vector::default(),
        pushed: [0.0, f64::INFINITY],
        resistance: 0.0,
        now: StreamState {
            velocity,
            ..StreamState::default()
        },
    }
}

fn at_end<D: Integrate>(system: &System<D>) -> D::Vector {
    let flows = system.summary().fields.unwrap().stream.unwrap();
    Vector::from_fn(|k| flows[k])
}

/// One grain: the velocity of the one against the other falls as exp(-t g (1/m + 1/M)), to the square of the step; what is
/// lost is its kinetic energy; the momentum of both is kept to rounding.
#[test]
fn grain_and_stream_come_to_one_velocity() {
    fn errors<D: Integrate>(integrator: IntegratorName, step: f64) -> [f64; 2] {
        let (v, u) = (place::<D>(1.0, 0.4), place::<D>(-0.5, 0.2));
        let mut setup = flowing(stream::<D>(u), step, 0.3);
        setup.motion.integrator = integrator;
        add(&mut setup, 0.01, MASS, D::Vector::default(), v);
        let (system, _) = run(&setup);
        let grain = system.grains_at(0.3)[0];
        let (left, reduced) = (
            (-DRAG * 0.3 * (1.0 / MASS + 1.0 / FLUID)).exp(),
            MASS * FLUID / (MASS + FLUID),
        );
        let flow = at_end(&system);
        let momentum = grain.velocity * MASS + flow * FLUID - v * MASS - u * FLUID;
        assert!(momentum.norm() < 1e-14, "{momentum:?}");
        let off = (grain.velocity - flow - (v - u) * left).norm();
        let lost = 0.5 * reduced * (v - u).norm_squared() * (1.0 - left * left);
        let energy = system.summary().fields.unwrap().drag - lost;
        [off, energy.abs()]
    }
    for integrator in [IntegratorName::Verlet, IntegratorName::Midpoint] {
        let [coarse, fine] = [1e-3, 5e-4].map(|step| errors::<Planar>(integrator, step));
        // The book of `midpoint` begins and ends half a step on.
        let booked = if integrator == IntegratorName::Verlet {
            2
        } else {
            1
        };
        for k in 0..booked {
            let order = (coarse[k] / fine[k]).log2();
            assert!(
                (order - 2.0).abs() < 0.15,
                "{integrator:?} {k}: {coarse:?} {fine:?}"
            );
        }
        assert!(fine[0] < 1e-5);
        assert!(errors::<Spatial>(integrator, 5e-4)[0] < 1e-5);
    }
}

/// Many grains that collide: momentum of all and the fluid is kept to rounding, and a run that goes on from a saved state has
/// the same bits.
#[test]
fn a_cloud_of_grains_drags_it_along() {
    let mut setup = flowing(stream::<Planar>(place::<Planar>(0.0, 0.0)), 1e-4, 0.5);
    let mut dice = Dice(3);
    let mut before = place::<Planar>(0.0, 0.0);
    for k in 0..25 {
        let at = place::<Planar>(0.03 * f64::from(k % 5), 0.03 * f64::from(k / 5));
        let v = place::<Planar>(1.0, 0.0) + dice.vector::<Planar>(-0.8, 0.8);
        before += v * MASS;
        add(&mut setup, 0.01, MASS, at, v);
    }
    setup.log.checkpoint = Some(0.11);
    let mut sink = Checkpoints::default();
    let mut system = System::new(setup.clone()).unwrap();
    finish(&mut system, &mut sink);
    assert!(system.summary().energy.dissipated.slip > 0.0, "they meet");
    let grains = system.grains_at(0.5);
    let after = momenta(&grains).0 + at_end(&system) * FLUID;
    assert!(
        (after - before).norm() < 1e-12 * before.norm(),
        "{after} {before}"
    );
    assert!(at_end(&system)[0] > 0.5 * before[0] / (25.0 * MASS + FLUID));
    assert!(sink.states.len() > 2);
    for state in &sink.states {
        let mut again = System::restore(setup.clone(), state).unwrap();
        finish(&mut again, &mut MemorySink::default());
        assert_eq!(again.grains_at(0.5), grains);
        assert_eq!(again.summary().fields, system.summary().fields);
    }
}

/// Its own events: a push from one time to another, against a resistance, is u = P/k (1 - exp(-k t / M)), and decays after; to
/// rounding, for what is inert in it takes next to nothing.
#[test]
fn a_push_begins_and_ends() {
    for (finish, want) in [
        (0.15, 0.0),
        (0.5, -(-0.8f64 * 0.3 / FLUID).exp_m1() / 0.8),
        (
            0.9,
            -(-0.8f64 * 0.5 / FLUID).exp_m1() / 0.8 * (-0.8f64 * 0.2 / FLUID).exp(),
        ),
    ] {
        let mut pushed = stream::<Planar>(place::<Planar>(0.0, 0.0));
        (pushed.push, pushed.resistance) = (place::<Planar>(1.0, 0.0), 0.8);
        pushed.pushed = [0.2, 0.7];
        let mut setup = flowing(pushed, 1e-3, finish);
        let fluid = setup.fields.place.fluid.as_mut().unwrap();
        fluid.drag.linear = 1e-18;
        add(
            &mut setup,
            0.01,
            MASS,
            place::<Planar>(0.0, 0.0),
            place::<Planar>(0.0, 0.0),
        );
        let (system, _) = run(&setup);
        close("velocity", at_end(&system)[0], want, 1e-13);
    }
}

/// Found by a second reader: a light stream that is slowed by grains yet to be fed. The step minds these too, so that its
/// velocity goes to theirs.
#[test]
fn grains_that_are_fed_count_for_the_step() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"fed\"\ndimension = 2\n[field]\nfluid = { relaxation_time = 0.05 }\n\
        flow = { stream = { mass = 1e-3, velocity = [1.0, 0.0] } }\n[run]\nend_time = 0.1\n\
        [material.stone]\ndensity = 1500.0\n[[law]]\nbetween = [\"stone\", \"stone\"]\n\
        linear = { normal_stiffness = 1e4, tangential_stiffness = 5e3, normal_damping = 5.0, tangential_damping = 3.0, friction = 0.4 }\n\
        [[feed]]\nmaterial = \"stone\"\nradius = 0.005\ncount = 40\npoisson = 400.0\nmin = [0.0, 0.0]\nmax = [0.3, 0.3]\n";
    let path = folder.path().join("fed.toml");
    std::fs::write(&path, text).unwrap();
    let (system, _) = run(&planar(path.to_str().unwrap(), &[]));
    assert!(system.summary().grains.created > 20);
    assert!(at_end(&system).norm() < 0.1, "{}", at_end(&system));
}
