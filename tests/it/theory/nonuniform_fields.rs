//! Fluids that flow, frames that turn, centres that attract, accelerations from tables. References: linear
//! equations in closed form, the same motion told in a frame at rest, Kepler's laws, conservation.

use arenite::cluster::integrate::Integrate;
use arenite::field::{
    CentralField, DragLaw, FieldPoint, FieldSet, Flow, Fluid, Grid, NonUniformFields, Outside,
    Pipe, Source, TabulatedField, TurningFrame,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::geometry::{cross, three};
use arenite::scenario::Scenario;
use arenite::system::{IntegratorName, Setup, System};
use arenite::walls::shapes;

use crate::support::{
    Checkpoints, Dice, add, close, empty, end, finish, linear, momenta, place, run, wall,
};

const LEAPFROGS: [IntegratorName; 2] = [IntegratorName::Verlet, IntegratorName::Midpoint];

/// Without contacts.
fn free<D: Dimension>(step: f64, finish: f64, fields: NonUniformFields<D>) -> Setup<D> {
    let mut setup = empty::<D>(linear(1e-6, 0.0, 0.0, 0.0, 0.0), step, finish);
    // The integrators are what is looked at here.
    setup.motion.flight = false;
    setup.fields.place = fields;
    setup
}

fn fluid<D: Dimension>(flow: Flow<D>, drag: DragLaw) -> NonUniformFields<D> {
    NonUniformFields {
        fluid: Some(Fluid {
            flow,
            drag,
            density: 0.0,
            buoyancy: false,
        }),
        ..NonUniformFields::default()
    }
}

fn lag(time: f64) -> DragLaw {
    DragLaw {
        relaxation_time: Some(time),
        ..DragLaw::default()
    }
}

fn along<D: Dimension>(x: f64) -> D::Vector {
    D::Vector::from_fn(|k| if k == 0 { x } else { 0.0 })
}

/// The second order: halving the step quarters the error.
#[track_caller]
fn second_order(what: &str, error: impl Fn(f64) -> f64, step: f64) -> f64 {
    let (coarse, fine) = (error(step), error(0.5 * step));
    println!("{what}: {coarse:e} {fine:e}");
    close(what, (coarse / fine).log2(), 2.0, 0.1);
    fine
}

/// A ball sinks in a viscous fluid that bears part of its weight: v = v_t (1 - exp(-t / T)), T = m / (6 pi eta r),
/// v_t = (m - rho V) g T / m (Stokes 1851), and its place is the integral.
#[test]
fn a_ball_sinks_as_stokes_says() {
    let (r, m, eta, density, g) = (0.004, 6e-4, 0.8, 950.0, 9.81);
    let volume = Spatial::ball_measure(r);
    let time = m / (6.0 * std::f64::consts::PI * eta * r);
    let terminal = (m - density * volume) * g / m * time;
    let finish = 2.0 * time;
    for integrator in LEAPFROGS {
        let off = |step: f64| {
            let fields = NonUniformFields {
                fluid: Some(Fluid {
                    flow: Flow::Rest,
                    drag: DragLaw {
                        viscosity: eta,
                        ..DragLaw::default()
                    },
                    density,
                    buoyancy: true,
                }),
                ..NonUniformFields::default()
            };
            let mut setup = free::<Spatial>(step, finish, fields);
            setup.motion.integrator = integrator;
            setup.fields.gravity = place::<Spatial>(0.0, -g);
            add(
                &mut setup,
                r,
                m,
                Vector::from_fn(|_| 0.0),
                Vector::from_fn(|_| 0.0),
            );
            let (system, _) = run(&setup);
            let balance = system.summary().energy.balance_error;
            assert!(balance < 0.2 * (step / time).powi(2), "{balance:e}");
            let last = system.grains_at(finish)[0];
            let gone = libm::exp(-finish / time);
            let way = terminal * (finish - time * (1.0 - gone));
            let speed = (-last.velocity.z - terminal * (1.0 - gone)).abs();
            speed.max((-last.position.z - way).abs() / finish) / terminal
        };
        let fine = second_order("order", off, time / 20.0);
        assert!(fine < 1e-4, "{fine:e}");
    }
}

/// A drag that a step does not resolve: velocities come to the fluid's, by (1 - z) / (1 + z) a step for z = h / 2 T, never away
/// from it; work and loss are booked to rounding.
fn stiff<D: Integrate>(integrator: IntegratorName) {
    let (step, time, speed, steps) = (1e-3, 5e-5, 0.3, 300.0);
    let mut setup = free::<D>(
        step,
        steps * step,
        fluid::<D>(Flow::Uniform(along::<D>(speed)), lag(time)),
    );
    setup.motion.integrator = integrator;
    add(
        &mut setup,
        0.01,
        0.2,
        D::Vector::default(),
        D::Vector::default(),
    );
    let (system, _) = run(&setup);
    let last = system.grains_at(setup.run.end_time)[0];
    close("speed", last.velocity[0], speed, 1e-12);
    if integrator != IntegratorName::Verlet {
        // Others open the book half a step on, or to the first order.
        return;
    }
    let summary = system.summary();
    assert!(summary.energy.balance_error < 1e-12, "{:?}", summary.energy);
    let fields = summary.fields.unwrap();
    close("momentum", fields.momentum[0], 0.2 * speed, 1e-13);
    close("work", fields.work, 0.2 * speed * speed, 1e-13);
    close("lost", fields.drag, 0.1 * speed * speed, 1e-13);
}

#[test]
fn drag_is_stable_in_any_step() {
    for integrator in [LEAPFROGS[0], LEAPFROGS[1], IntegratorName::Euler] {
        stiff::<Planar>(integrator);
        stiff::<Spatial>(integrator);
    }
}

/// A grain in Poiseuille's flow keeps its distance from the axis, and its velocity comes to the profile's there
/// exponentially; outside the fluid rests.
fn pipe<D: Integrate>() {
    let (radius, mean, time, arm) = (0.1, 0.3, 0.02, 0.06);
    let pipe = Pipe::<D> {
        point: D::Vector::default(),
        axis: along::<D>(1.0),
        radii: vec![[0.0, radius]],
        mean,
    };
    let peak = if D::N == 2 { 1.5 } else { 2.0 } * mean;
    let profile = peak * (1.0 - (arm / radius) * (arm / radius));
    // At three times it the error of the second order happens to vanish.
    let finish = 1.5 * time;
    let off = |step: f64| {
        let mut setup = free::<D>(
            step,
            finish,
            fluid::<D>(Flow::Pipe(pipe.clone()), lag(time)),
        );
        add(
            &mut setup,
            0.005,
            0.01,
            place::<D>(0.0, arm),
            D::Vector::default(),
        );
        let last = end(&setup)[0];
        assert_eq!(last.position[D::N - 1], arm);
        assert_eq!(last.velocity[D::N - 1], 0.0);
        let exact = profile * (1.0 - libm::exp(-finish / time));
        (last.velocity[0] - exact).abs()
    };
    second_order("order", off, time / 10.0);
    // What flows through a cross-section is the mean velocity times it: rings of the middle rule.
    let flow = Flow::Pipe(pipe);
    let (mut sum, mut area, rings) = (0.0, 0.0, 1000);
    for k in 0..rings {
        let r = radius * (f64::from(k) + 0.5) / f64::from(rings);
        let weight = if D::N == 2 { 1.0 } else { r };
        sum += weight * flow.velocity(place::<D>(0.7, r))[0];
        area += weight;
    }
    close("mean", sum / area, mean, 1e-6);
    assert_eq!(flow.velocity(place::<D>(0.0, radius)), D::Vector::default());
}

#[test]
fn a_grain_in_a_pipe_comes_to_the_profile() {
    pipe::<Planar>();
    pipe::<Spatial>();
}

/// A pipe that narrows: no fluid comes or goes, and at the wall it flows along the wall. The divergence is taken by differences:
/// 1e-6 of what its parts are.
fn narrowing<D: Dimension>() {
    let flow = Flow::Pipe(Pipe::<D> {
        point: place::<D>(0.1, 0.2),
        axis: along::<D>(1.0),
        radii: vec![[0.0, 0.1], [0.3, 0.06], [0.4, 0.06], [0.6, 0.09]],
        mean: 0.3,
    });
    let mut dice = Dice(5);
    for _ in 0..200 {
        let x = dice.between(-0.1, 0.9);
        let mut at = place::<D>(x, 0.2 + dice.between(-0.03, 0.03));
        if D::N == 3 {
            at[1] = dice.between(-0.03, 0.03);
        }
        let step = 1e-5;
        let divergence: f64 = (0..D::N)
            .map(|k| {
                let away = D::Vector::from_fn(|j| if j == k { step } else { 0.0 });
                (flow.velocity(at + away)[k] - flow.velocity(at - away)[k]) / (2.0 * step)
            })
            .sum();
        close("divergence", divergence, 0.0, 1e-5);
    }
    // A third of the way in: the radius is 0.1 - 0.04 (3 t^2 - 2 t^3), its slope -0.04 6 t (1 - t) / 0.3.
    let t: f64 = 1.0 / 3.0;
    let radius = 0.1 - 0.04 * t * t * (3.0 - 2.0 * t);
    let slope = -0.04 * 6.0 * t * (1.0 - t) / 0.3;
    let v = flow.velocity(place::<D>(0.2, 0.2 + radius * (1.0 - 1e-9)));
    close("slope", v[D::N - 1] / v[0], slope, 1e-6);
    let bound = flow.fastest(|_| 0.0);
    let narrow = flow.velocity(place::<D>(0.45, 0.2)).norm();
    let ratio: f64 = if D::N == 2 {
        1.5 * 10.0 / 6.0
    } else {
        2.0 * 100.0 / 36.0
    };
    close("narrowest", narrow, 0.3 * ratio, 1e-12);
    assert!(bound >= narrow && bound < 1.1 * narrow);
}

#[test]
fn a_narrowing_pipe_loses_nothing() {
    narrowing::<Planar>();
    narrowing::<Spatial>();
}

fn table<D: Dimension>(
    count: usize,
    of: impl Fn(D::Vector) -> D::Vector,
    outside: Outside,
) -> Grid<D> {
    let spacing = 1.0 / (count - 1) as f64;
    let total: usize = (0..D::N).map(|_| count).product();
    let values = (0..total).map(|index| {
        let mut rest = index;
        let at = D::Vector::from_fn(|_| {
            let place = (rest % count) as f64 * spacing;
            rest /= count;
            place
        });
        of(at)
    });
    let spacing = D::Vector::from_fn(|_| spacing);
    Grid::new(
        D::Vector::default(),
        spacing,
        &vec![count; D::N],
        values.collect(),
        outside,
    )
    .unwrap()
}

/// A table gives back a flow that is linear, and a parabola within h^2 / 8 of its second derivative, which it attains in the
/// middle between nodes.
fn interpolation<D: Dimension>() {
    let linear = |x: D::Vector| {
        D::Vector::from_fn(|k| 0.3 - 1.7 * x[k] + 0.9 * x[(k + 1) % D::N] + k as f64)
    };
    let grid = table::<D>(7, linear, Outside::Nearest);
    let mut dice = Dice(9);
    for _ in 0..300 {
        let at = dice.vector::<D>(0.0, 1.0);
        assert!((grid.at(at) - linear(at)).norm() < 1e-14 * 10.0);
    }
    let parabola = |x: D::Vector| along::<D>(4.0 * x[D::N - 1] * (1.0 - x[D::N - 1]));
    let count = 9;
    let grid = table::<D>(count, parabola, Outside::Zero);
    // The second derivative is 8.
    let bound = 1.0 / ((count - 1) * (count - 1)) as f64;
    for _ in 0..300 {
        let at = dice.vector::<D>(0.0, 1.0);
        assert!((grid.at(at) - parabola(at)).norm() <= bound * (1.0 + 1e-12));
    }
    let middle = D::Vector::from_fn(|_| 0.5 / (count - 1) as f64);
    close(
        "bound",
        (parabola(middle) - grid.at(middle)).norm(),
        bound,
        1e-15,
    );
    // Outside.
    let out = D::Vector::from_fn(|k| if k == 0 { 1.5 } else { 0.4 });
    assert_eq!(grid.at(out), D::Vector::default());
    let rim = D::Vector::from_fn(|k| if k == 0 { 1.0 } else { 0.4 });
    let nearest = table::<D>(7, linear, Outside::Nearest);
    assert_eq!(nearest.at(out), nearest.at(rim));
    assert_eq!(
        nearest.greatest(),
        nearest.greatest().max(nearest.at(rim).norm())
    );
    // Another number of values than of nodes.
    let short = Grid::<D>::new(
        middle,
        middle,
        &vec![2; D::N],
        vec![middle; 3],
        Outside::Zero,
    );
    assert!(short.is_none());
}

#[test]
fn a_table_is_right_where_it_can_be() {
    interpolation::<Planar>();
    interpolation::<Spatial>();
}

/// Complex numbers, as far as needed.
fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}
fn exponential(a: [f64; 2]) -> [f64; 2] {
    let size = libm::exp(a[0]);
    [size * libm::cos(a[1]), size * libm::sin(a[1])]
}

/// A grain in a fluid that turns as a solid body spirals out: with z = x + i y, T z'' = i w z - z', of which the solutions are
/// exp(l t), l = (-1 +- sqrt(1 + 4 i w T)) / 2 T. It starts with the fluid.
fn vortex<D: Integrate>() {
    let (w, time, arm) = (3.0, 0.1, 0.2);
    let (size, angle) = (
        (1.0f64 + 16.0 * w * w * time * time).powf(0.25),
        0.5 * (4.0 * w * time).atan(),
    );
    let root = [size * libm::cos(angle), size * libm::sin(angle)];
    let l = [1.0, -1.0].map(|sign| root.map(|part| 0.5 * sign * part / time));
    let l = l.map(|[re, im]| [re - 0.5 / time, im]);
    // a + b = arm, l0 a + l1 b = i w arm.
    let over = {
        let d = [l[0][0] - l[1][0], l[0][1] - l[1][1]];
        let norm = d[0] * d[0] + d[1] * d[1];
        [d[0] / norm, -d[1] / norm]
    };
    let a = times([-l[1][0] * arm, w * arm - l[1][1] * arm], over);
    let b = [arm - a[0], -a[1]];
    let finish = 2.0;
    let [p, q] = l.map(|l| exponential(l.map(|part| part * finish)));
    let (p, q) = (times(a, p), times(b, q));
    let exact = [p[0] + q[0], p[1] + q[1]];
    assert!(exact[0].hypot(exact[1]) > 1.5 * arm);
    let off = |step: f64| {
        let flow = Flow::Rotation {
            centre: D::Vector::from_fn(|k| [0.1, -0.3, 0.0][k]),
            rate: [0.0, 0.0, w],
        };
        let mut setup = free::<D>(step, finish, fluid::<D>(flow, lag(time)));
        let at = D::Vector::from_fn(|k| [0.1 + arm, -0.3, 0.0][k]);
        let v = D::Vector::from_fn(|k| [0.0, w * arm, 0.0][k]);
        add(&mut setup, 0.01, 0.01, at, v);
        let (system, _) = run(&setup);
        let balance = system.summary().energy.balance_error;
        assert!(balance < 2.0 * step * step * w * w, "{balance:e}");
        let last = system.grains_at(finish)[0].position;
        (last[0] - 0.1 - exact[0]).hypot(last[1] + 0.3 - exact[1])
    };
    let fine = second_order("order", off, 0.004);
    assert!(fine < 1e-4, "{fine:e}");
}

#[test]
fn a_grain_spirals_out_of_a_vortex() {
    vortex::<Planar>();
    vortex::<Spatial>();
}

/// Two coefficients of drag against their tables: Schiller and Naumann's formula at Re = 100 is 24 / 100 (1 + 0.15 100^0.687) =
/// 1.09173; far above it stays 0.44. And a falling ball with a constant coefficient: v = v_t tanh(g t / v_t).
#[test]
fn faster_grains_are_dragged_more() {
    let (r, eta, density) = (0.002, 1e-3, 1000.0);
    let law = DragLaw {
        viscosity: eta,
        schiller_naumann: true,
        ..DragLaw::default()
    };
    let section = std::f64::consts::PI * r * r;
    let coefficient = |reynolds: f64| {
        let speed = reynolds * eta / (2.0 * r * density);
        let (force, growth) = law.of::<Spatial>(1.0, Spatial::ball_measure(r), speed, density);
        // The growth is the derivative of the force.
        let more = law.of::<Spatial>(1.0, Spatial::ball_measure(r), speed * 1.0001, density);
        let slope = (more.0 * 1.0001 - force) / 1e-4;
        close("growth", growth, slope, 1e-3 * slope);
        force * speed / (0.5 * density * section * speed * speed)
    };
    close("Re = 100", coefficient(100.0), 1.091_73, 2e-5);
    close("Re = 1e-4", coefficient(1e-4) * 1e-4, 24.0, 0.01);
    close("Re = 1e4", coefficient(1e4), 0.44, 1e-12);
    let (m, g) = (1e-4, 9.81);
    let fields = NonUniformFields {
        fluid: Some(Fluid {
            flow: Flow::Rest,
            drag: DragLaw {
                coefficient: 0.5,
                ..DragLaw::default()
            },
            density,
            buoyancy: false,
        }),
        ..NonUniformFields::default()
    };
    let terminal = (2.0 * m * g / (0.5 * density * section)).sqrt();
    let finish = 1.5 * terminal / g;
    let off = |step: f64| {
        let mut setup = free::<Spatial>(step, finish, fields.clone());
        setup.fields.gravity = place::<Spatial>(0.0, -g);
        add(
            &mut setup,
            r,
            m,
            Vector::from_fn(|_| 0.0),
            Vector::from_fn(|_| 0.0),
        );
        let exact = terminal * libm::tanh(g * finish / terminal);
        (-end(&setup)[0].velocity.z - exact).abs()
    };
    second_order("order", off, finish / 40.0);
}

fn frame<D: Dimension>() -> TurningFrame<D> {
    let rate = if D::N == 2 {
        [0.0, 0.0, 1.3]
    } else {
        [0.5, -0.4, 1.1]
    };
    TurningFrame {
        centre: D::Vector::from_fn(|k| [0.2, -0.1, 0.3][k]),
        rate,
        waits: false,
    }
}

fn turning<D: Dimension>() -> NonUniformFields<D> {
    NonUniformFields {
        rotation: Some(frame::<D>()),
        ..NonUniformFields::default()
    }
}

/// The frame's rate as a spin.
fn rate<D: Dimension>() -> D::Spin {
    let rate = frame::<D>().rate;
    D::spin_from_fn(|k| if D::N == 2 { rate[2] } else { rate[k] })
}

/// Velocity of the frame at a place.
fn carried<D: Dimension>(at: D::Vector) -> D::Vector {
    let v = cross(frame::<D>().rate, three(at - frame::<D>().centre));
    D::Vector::from_fn(|k| v[k])
}

/// A vector at rest as the frame sees it after a time.
fn seen<D: Dimension>(v: D::Vector, time: f64) -> D::Vector {
    let back = rate::<D>() * -time;
    D::rotate(D::turned(D::identity(), back), v)
}

/// A free ball with spin: on a straight line, told in the frame; its Jacobi integral is the ledger's energy.
fn free_in_frame<D: Integrate>(integrator: IntegratorName) {
    let (x, v) = (place::<D>(0.4, 0.1), place::<D>(-0.3, 0.5));
    let finish = 2.0;
    let spin = D::spin_from_fn(|k| [3.0, 1.0, -2.0][k]);
    let off = |step: f64| {
        let mut setup = free::<D>(step, finish, turning::<D>());
        setup.motion.integrator = integrator;
        add(&mut setup, 0.05, 0.2, x, v - carried::<D>(x)).spin = spin - rate::<D>();
        let (system, _) = run(&setup);
        let balance = system.summary().energy.balance_error;
        assert!(balance < 2.0 * step * step, "{balance:e}");
        let last = system.grains_at(finish)[0];
        let centre = frame::<D>().centre;
        let there = centre + seen::<D>(x + v * finish - centre, finish);
        let fast = seen::<D>(v, finish) - carried::<D>(there);
        if D::N == 3 {
            let own = D::Vector::from_fn(|k| D::spin_component(spin, k));
            let own = seen::<D>(own, finish);
            for k in 0..3 {
                let want = own[k] - frame::<D>().rate[k];
                close(
                    "spin",
                    D::spin_component(last.spin, k),
                    want,
                    4.0 * step * step,
                );
            }
        } else {
            let off = last.spin - (spin - rate::<D>());
            close("spin", D::spin_component(off, 0), 0.0, 1e-14);
        }
        (last.position - there).norm() + (last.velocity - fast).norm()
    };
    second_order("order", off, 0.02);
}

#[test]
fn a_frame_that_turns_sees_straight_lines() {
    for integrator in LEAPFROGS {
        free_in_frame::<Planar>(integrator);
        free_in_frame::<Spatial>(integrator);
    }
}

/// Two balls with friction meet off centre, at rest and in the frame. Contacts there see surfaces that are displaced by
/// the overlap, 4e-4 m, times the rate: of the velocities of 1 m/s that is 5e-4, over the time of the contact.
fn collision_in_frame<D: Integrate>() {
    let law = linear(2e5, 6e4, 15.0, 5.0, 0.4);
    let finish = 0.3;
    let setup = |fields: NonUniformFields<D>, turning: bool| {
        let mut setup = empty::<D>(law, 2e-6, finish);
        setup.fields.place = fields;
        for (at, v) in [((0.0, 0.0), (1.0, 0.0)), ((0.21, 0.06), (-0.4, -0.1))] {
            let (x, v) = (place::<D>(at.0, at.1), place::<D>(v.0, v.1));
            let spin = D::spin_from_fn(|k| [4.0, -3.0, 2.0][k]);
            let (v, spin) = if turning {
                (v - carried::<D>(x), spin - rate::<D>())
            } else {
                (v, spin)
            };
            add(&mut setup, 0.05, 0.1, x, v).spin = spin;
        }
        setup
    };
    let rest = end(&setup(NonUniformFields::default(), false));
    let (system, _) = run(&setup(turning::<D>(), true));
    assert_eq!(system.dem().book.counts.opened, 1);
    assert!(system.summary().energy.balance_error < 1e-4);
    let centre = frame::<D>().centre;
    for (rest, last) in rest.iter().zip(system.grains_at(finish)) {
        let there = centre + seen::<D>(rest.position - centre, finish);
        assert!(
            (last.position - there).norm() < 1e-4,
            "{:?}",
            last.position - there
        );
        let fast = seen::<D>(rest.velocity, finish) - carried::<D>(there);
        assert!(
            (last.velocity - fast).norm() < 5e-4,
            "{:?}",
            last.velocity - fast
        );
    }
}

#[test]
fn a_collision_is_the_same_in_a_frame_that_turns() {
    collision_in_frame::<Planar>();
    collision_in_frame::<Spatial>();
}

/// An ellipse of eccentricity 0.5 about a centre closes after 2 pi sqrt(a^3 / G M) (Kepler), and its energy is -G M m / 2 a.
fn kepler<D: Integrate>() {
    let (strength, a, e, mass) = (2.0f64, 1.0, 0.5, 0.3);
    let period = std::f64::consts::TAU * (a * a * a / strength).sqrt();
    let central = CentralField::<D> {
        centre: place::<D>(0.3, -0.2),
        strength,
        radius: 0.1,
    };
    let nearest = a * (1.0 - e);
    let speed = (strength * (2.0 / nearest - 1.0 / a)).sqrt();
    let off = |steps: f64| {
        let fields = NonUniformFields {
            central: Some(central),
            ..NonUniformFields::default()
        };
        let mut setup = free::<D>(period / steps, period, fields);
        let start = central.centre + place::<D>(nearest, 0.0);
        add(&mut setup, 0.1, mass, start, place::<D>(0.0, speed));
        let (system, _) = run(&setup);
        let energy = system.summary().energy;
        assert!(energy.balance_error < 1e-3, "{energy:?}");
        let whole = -0.5 * strength * mass / a;
        close("energy", energy.kinetic + energy.potential, whole, 1e-4);
        (system.grains_at(period)[0].position - start).norm()
    };
    let (coarse, fine) = (off(2000.0), off(4000.0));
    close("order", (coarse / fine).log2(), 2.0, 0.1);
    assert!(fine < 1e-3, "{fine:e}");
    // Within the ball that attracts all swing with sqrt(G M / R^3), and force is minus the gradient of the potential.
    let mut set = FieldSet::<D>::new();
    set.add(CentralField {
        radius: 0.5,
        ..central
    });
    for far in [0.2, 0.45, 0.8] {
        let at = |x: f64| FieldPoint::<D> {
            mass,
            radius: 0.01,
            volume: 1e-6,
            position: central.centre + place::<D>(x, 0.0),
            velocity: D::Vector::default(),
            time: 0.0,
            source: Source::default(),
        };
        let step = 1e-5;
        let slope = set.potential_energy(&at(far + step)) - set.potential_energy(&at(far - step));
        let force = set.force(&at(far))[0];
        close("gradient", force, -slope / (2.0 * step), 1e-7);
        let rate = if far < 0.5 {
            strength / 0.125 * far
        } else {
            strength / (far * far)
        };
        close("force", force, -mass * rate, 1e-12);
    }
}

#[test]
fn a_grain_goes_round_a_planet() {
    kepler::<Planar>();
    kepler::<Spatial>();
}

/// Everything at once: grains of two densities with friction in a fluid that turns, in a turning frame, about a centre, and in an acceleration
/// that has no potential.
fn all<D: Integrate>(step: f64, walls: bool) -> Setup<D> {
    let curl = |x: D::Vector| D::Vector::from_fn(|k| 8.0 * x[(k + 1) % D::N] - 3.0 * x[k]);
    let mut setup = empty::<D>(linear(1e4, 3e3, 1.0, 0.5, 0.4), step, 0.25);
    setup.fields.place = NonUniformFields {
        fluid: Some(Fluid {
            flow: Flow::Rotation {
                centre: D::Vector::from_fn(|_| 0.4),
                rate: [0.0, 0.0, -4.0],
            },
            drag: DragLaw {
                linear: 0.02,
                relaxation_time: Some(0.2),
                coefficient: 0.4,
                ..DragLaw::default()
            },
            density: 30.0,
            buoyancy: true,
        }),
        rotation: Some(frame::<D>()),
        central: Some(CentralField {
            centre: D::Vector::from_fn(|_| 0.5),
            strength: 0.5,
            radius: 0.2,
        }),
        table: Some(TabulatedField {
            acceleration: table::<D>(5, curl, Outside::Nearest),
        }),
        densities: vec![100.0],
        ..NonUniformFields::default()
    };
    setup.fields.gravity = place::<D>(0.0, -5.0);
    let mut dice = Dice(21);
    for k in 0..27 {
        let cell = if D::N == 2 {
            [k % 9, k / 9, 0]
        } else {
            [k % 3, k / 3 % 3, k / 9]
        };
        let at = D::Vector::from_fn(|i| 0.1 * f64::from(cell[i]) + dice.between(0.05, 0.06));
        let mass = dice.between(0.01, 0.02);
        add(&mut setup, 0.042, mass, at, dice.vector::<D>(-1.0, 1.0)).spin =
            dice.spin::<D>(-5.0, 5.0);
    }
    if walls {
        let shape = arenite::walls::Shape::Box(shapes::Cuboid {
            min: D::Vector::default(),
            max: D::Vector::from_fn(|_| 1.0),
            inside: true,
        });
        wall(&mut setup, "box", shape);
    }
    setup
}

/// What the fields gave is all by which the momentum changed, and the ledger closes with the square of the step (contacts that begin
/// within a step make single figures uneven); a saved state goes on to the same bits.
fn books<D: Integrate>(integrator: IntegratorName) {
    let at = |step: f64, flight: bool| {
        let mut setup = all::<D>(step, false);
        setup.motion.integrator = integrator;
        setup.motion.flight = flight;
        let before = momenta(&setup.grains).0;
        let (system, _) = run(&setup);
        assert!(system.dem().book.counts.opened > 10);
        let summary = system.summary();
        let fields = summary.fields.unwrap();
        assert!(fields.work.abs() > 1e-3 && fields.drag > 1e-3, "{fields:?}");
        // The run ends at an evaluation of the Verlet rule; that of the midpoint rule is half a step off.
        if integrator == IntegratorName::Verlet {
            let after = momenta(&system.grains_at(system.time())).0;
            for k in 0..D::N {
                close("momentum", after[k] - before[k], fields.momentum[k], 1e-12);
            }
        }
        summary.energy.balance_error
    };
    let (coarse, fine) = (at(5e-5, false), at(1.25e-5, false));
    println!("{coarse:e} {fine:e}");
    assert!(fine < 1e-4 && fine < coarse / 3.0, "{coarse:e} {fine:e}");
    // Pieces of paths are as long as their error allows, whatever the step.
    let flown = at(1.25e-5, true);
    assert!(flown < 2e-4, "{flown:e}");
}

#[test]
fn the_books_of_all_fields_close() {
    for integrator in LEAPFROGS {
        books::<Planar>(integrator);
        books::<Spatial>(integrator);
    }
}

fn resumes<D: Integrate>() {
    let mut setup = all::<D>(5e-5, true);
    setup.log.checkpoint = Some(0.06);
    let mut system = System::new(setup.clone()).unwrap();
    let mut sink = Checkpoints::default();
    finish(&mut system, &mut sink);
    assert!(sink.states.len() >= 4);
    for state in &sink.states {
        let mut again = System::restore(setup.clone(), state).unwrap();
        finish(&mut again, &mut arenite::record::NullSink);
        assert_eq!(again.state_hash(), system.state_hash());
        let (a, b) = (again.summary().fields, system.summary().fields);
        assert_eq!(a, b);
    }
}

#[test]
fn a_run_in_all_fields_resumes() {
    resumes::<Planar>();
    resumes::<Spatial>();
}

/// What a scenario of two grains says to more of it; nothing if it is well.
fn said(dimension: usize, more: &str) -> String {
    let (a, b) = if dimension == 2 {
        ("[0.5, 0.5]", "[0.2, 0.2]")
    } else {
        ("[0.5, 0.5, 0.5]", "[0.2, 0.2, 0.2]")
    };
    let text = format!(
        "name = \"small\"\ndimension = {dimension}\n[material.ball]\ndensity = 1000.0\n[[law]]\nbetween = [\"ball\", \"ball\"]\n\
         linear = {{ normal_stiffness = 1e4, tangential_stiffness = 0.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }}\n\
         [[fill]]\nmaterial = \"ball\"\ngrains = [{{ position = {a}, radius = 0.01 }}, {{ position = {b}, radius = 0.01 }}]\n{more}"
    );
    match Scenario::parse("small.toml", &text, None, &[]).and_then(|s| s.resolve()) {
        Ok(_) => String::new(),
        Err(problem) => problem.render(false),
    }
}

/// Fields and regimes that do not go together are refused with the key and its partner.
#[test]
fn what_does_not_know_fields_of_a_place_is_refused() {
    let run = "[run]\nend_time = 1.0\n";
    let field = "[field]\ngravity = [0.0, -9.8]\n";
    let kinds = [
        ("flow", "drag = 0.1\nflow = { uniform = [1.0, 0.0] }\n"),
        (
            "fluid",
            "fluid = { density = 1.0, relaxation_time = 0.1 }\n",
        ),
        ("rotation", "rotation = { rate = 2.0 }\n"),
        ("central", "central = { strength = 2.0 }\n"),
        (
            "table",
            "table = { origin = [0.0, 0.0], spacing = [1.0, 1.0], count = [1, 2], values = [[1.0, 0.0], [2.0, 0.0]] }\n",
        ),
    ];
    for (name, key) in kinds {
        assert_eq!(said(2, &format!("{field}{key}{run}")), "");
        let events = "[events]\nrestitution = 1.0\n";
        assert_eq!(said(2, &format!("{field}{key}{run}{events}")), "");
        assert_eq!(said(2, &format!("{field}{key}{run}[morph]\n")), "");
        let collide = "collisions = true\n";
        assert_eq!(said(2, &format!("{field}{key}{run}{collide}")), "");
        let text = said(2, &format!("{field}{key}{run}integrator = \"heun\"\n"));
        // With a drag of its own that is told first.
        let drag = name == "flow" && text.contains("`drag`");
        assert!(drag || text.contains(&format!("`field.{name}`")), "{text}");
    }
    // Space may repeat itself where nothing changes.
    for (key, axis, well) in [
        (kinds[0].1, "x", true),
        (kinds[1].1, "x", true),
        (kinds[1].1, "y", false),
        (kinds[2].1, "x", false),
        (kinds[3].1, "x", false),
        (kinds[4].1, "x", true),
        (kinds[4].1, "y", false),
        (
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.5], axis = [1.0, 0.0], radius = 0.5, mean = 1.0 } }\n",
            "x",
            true,
        ),
        (
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.5], axis = [1.0, 0.0], radius = 0.5, mean = 1.0 } }\n",
            "y",
            false,
        ),
    ] {
        let text = said(
            2,
            &format!("{field}{key}{run}[periodic]\n{axis} = [0.0, 1.0]\n"),
        );
        assert_eq!(text.is_empty(), well, "{key}{axis}: {text}");
        assert!(well || text.contains("leave one of the two out"), "{text}");
    }
    let turning = "[field]\nrotation = { rate = [0.0, 0.0, 2.0] }\n";
    assert_eq!(
        said(3, &format!("{turning}{run}[periodic]\nz = [0.0, 1.0]\n")),
        ""
    );
    let tilt = "[[perturb]]\ntime = 0.1\ntilt = { angle = 0.1, duration = 0.1 }\n";
    let text = said(2, &format!("{field}{}{run}{tilt}", kinds[1].1));
    assert!(text.contains("buoyancy"), "{text}");
    assert_eq!(said(2, &format!("{field}{}{run}{tilt}", kinds[2].1)), "");
}

/// Values that cannot be.
#[test]
fn wrong_fields_are_named() {
    let run = "[run]\nend_time = 1.0\n";
    for (dimension, field, words) in [
        (
            2,
            "flow = { uniform = [1.0, 0.0] }",
            "no grain feels the flow",
        ),
        (
            2,
            "drag = 1.0\nflow = { }",
            "does not say how the fluid flows",
        ),
        (
            2,
            "drag = 1.0\nflow = { uniform = [1.0, 0.0, 0.0] }",
            "2 dimensions",
        ),
        (2, "fluid = { viscosity = 1.0 }", "Stokes's paradox"),
        (
            3,
            "fluid = { viscosity = 1.0, law = \"schiller-naumann\" }",
            "density of the fluid",
        ),
        (
            3,
            "fluid = { density = 1.0, law = \"schiller-naumann\" }",
            "which is missing",
        ),
        (
            3,
            "fluid = { drag_coefficient = 1.0 }",
            "density of the fluid",
        ),
        (3, "fluid = { buoyancy = true }", "density of the fluid"),
        (3, "fluid = { viscosity = -1.0 }", "0 or more"),
        (3, "fluid = { relaxation_time = 0.0 }", "greater than 0"),
        (
            2,
            "rotation = { rate = [0.0, 0.0, 1.0] }",
            "one number, rad/s",
        ),
        (3, "rotation = { rate = 1.0 }", "a list of three numbers"),
        (
            2,
            "central = { acceleration = 1.0 }",
            "`radius`, which is missing",
        ),
        (2, "central = { }", "how strong it is"),
        (
            2,
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.0], axis = [0.0, 0.0], radius = 1.0, mean = 1.0 } }",
            "a direction",
        ),
        (
            2,
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.0], axis = [1.0, 0.0], mean = 1.0 } }",
            "how wide it is",
        ),
        (
            2,
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.0], axis = [1.0, 0.0], radius = 1.0 } }",
            "how fast the fluid flows",
        ),
        (
            2,
            "drag = 1.0\nflow = { pipe = { point = [0.0, 0.0], axis = [1.0, 0.0], radii = [[1.0, 1.0], [0.0, 1.0]], mean = 1.0 } }",
            "greater than the place before",
        ),
        (
            2,
            "table = { origin = [0.0, 0.0] }",
            "needs `origin`, `spacing`, `count` and `values`",
        ),
        (
            2,
            "table = { origin = [0.0, 0.0], spacing = [1.0, 1.0], count = [2, 2], values = [[1.0, 0.0]] }",
            "4 nodes",
        ),
        (
            2,
            "table = { origin = [0.0, 0.0], spacing = [0.0, 1.0], count = [2, 1], values = [[1.0, 0.0], [0.0, 0.0]] }",
            "greater than 0",
        ),
        (2, "table = { file = \"none.csv\" }", "cannot read none.csv"),
    ] {
        let text = said(dimension, &format!("[field]\n{field}\n{run}"));
        assert!(text.contains(words), "{field}: {text}");
    }
}
