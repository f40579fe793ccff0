//! Rotation of rigid bodies: each integrator against exact solutions, for order and conservation.

use arenite::body::rotation::{
    FreeTop, Jacobi, MomentsError, PrincipalMoments, Rotation, RotationMethod, complete_integral,
    free_turn, incomplete_integral,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

type Space = Vector3<f64>;

const REFERENCE: &str = include_str!("../../data/rigid_body.json");

const ALL: [RotationMethod; 5] = [
    RotationMethod::MoserVeselov,
    RotationMethod::MidpointMomentum,
    RotationMethod::MidpointRepaired,
    RotationMethod::MidpointPrinted,
    RotationMethod::Iterated { rounds: 3 },
];

fn body(moments: [f64; 3]) -> PrincipalMoments {
    PrincipalMoments::new(moments).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> Space {
    Space::from_row_slice(&numbers(value))
}

fn tops() -> Vec<Value> {
    let all: Value = serde_json::from_str(REFERENCE).unwrap();
    all["torque_free_tops"].as_array().unwrap().clone()
}

fn top(label: &str) -> (PrincipalMoments, Space, Value) {
    let all = tops();
    let top = all.iter().find(|t| t["label"] == label).unwrap();
    let moments = numbers(&top["I"]).try_into().unwrap();
    (
        body(moments),
        vector(&top["omega0_body"]),
        top["expected"].clone(),
    )
}

/// The motion by classical Runge-Kutta in orientation and momentum, the torque (laboratory frame) a
/// function of the orientation: another way to the same equations.
fn runge_kutta(
    body: &PrincipalMoments,
    orientation: UnitQuaternion<f64>,
    spin: Space,
    torque: &dyn Fn(&UnitQuaternion<f64>) -> Space,
    time: f64,
    steps: u32,
) -> (UnitQuaternion<f64>, Space) {
    let h = time / f64::from(steps);
    let mut q = orientation.into_inner();
    let mut momentum = orientation * body.momentum(orientation.inverse() * spin);
    let rate = |q: Quaternion<f64>, momentum: Space| {
        let turn = UnitQuaternion::new_normalize(q);
        let spin = turn * body.spin(turn.inverse() * momentum);
        (Quaternion::from_imag(spin) * q * 0.5, torque(&turn))
    };
    for _ in 0..steps {
        let a = rate(q, momentum);
        let b = rate(q + a.0 * (0.5 * h), momentum + a.1 * (0.5 * h));
        let c = rate(q + b.0 * (0.5 * h), momentum + b.1 * (0.5 * h));
        let d = rate(q + c.0 * h, momentum + c.1 * h);
        q += (a.0 + (b.0 + c.0) * 2.0 + d.0) * (h / 6.0);
        momentum += (a.1 + (b.1 + c.1) * 2.0 + d.1) * (h / 6.0);
    }
    let turn = UnitQuaternion::new_normalize(q);
    (turn, turn * body.spin(turn.inverse() * momentum))
}

/// The motion by an integrator: orientation and spin at the end.
fn integrated(
    method: RotationMethod,
    body: &PrincipalMoments,
    orientation: UnitQuaternion<f64>,
    spin: Space,
    torque: &dyn Fn(&UnitQuaternion<f64>) -> Space,
    time: f64,
    steps: u32,
) -> (UnitQuaternion<f64>, Space) {
    let h = time / f64::from(steps);
    let now = torque(&orientation);
    let mut state = Rotation::begin(method, body, orientation, spin, now, h);
    for _ in 0..steps {
        state.kick_drift(method, body, torque(&state.turn()), h);
    }
    let spin = state.spin(method, body, torque(&state.turn()), h);
    (state.turn(), spin)
}

/// Angle between orientations, from the small vector part: an arc cosine would lose half the digits.
fn apart(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    let between = (a.inverse() * b).into_inner();
    2.0 * between.imag().norm().atan2(between.w.abs())
}

/// Errors of orientation and spin at so many steps and at twice as many give both orders.
fn orders(
    method: RotationMethod,
    body: &PrincipalMoments,
    start: (UnitQuaternion<f64>, Space),
    torque: &dyn Fn(&UnitQuaternion<f64>) -> Space,
    want: (UnitQuaternion<f64>, Space),
    time: f64,
    steps: u32,
) -> [f64; 2] {
    let [coarse, fine] = [steps, 2 * steps].map(|n| {
        let (turn, spin) = integrated(method, body, start.0, start.1, torque, time, n);
        [apart(&turn, &want.0), (spin - want.1).norm()]
    });
    [0, 1].map(|k| (coarse[k] / fine[k]).log2())
}

fn tilted() -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(0.4, -0.9, 2.1)
}

fn no_torque(_: &UnitQuaternion<f64>) -> Space {
    Space::zeros()
}

#[test]
fn elliptic_functions_at_known_places() {
    // Abramowitz and Stegun 1964, tables 17.1, 17.5 and section 16.3; K(1/2) = gamma(1/4)^2 / (4 sqrt pi).
    assert!((complete_integral(0.5) - 1.854_074_677_301_371_9).abs() < 1e-15);
    assert!((complete_integral(1.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    assert_eq!(complete_integral(0.0), f64::INFINITY);
    // At K: sn = 1, cn = 0, dn = sqrt(1 - m); at K / 2: sn = 1 / sqrt(1 + sqrt(1 - m)).
    for rest in [1.0, 0.7, 0.02, 1.5e-4, 1e-12] {
        let quarter = complete_integral(rest);
        let at = Jacobi::new(quarter, rest);
        assert!((at.sn - 1.0).abs() < 1e-14 && at.cn.abs() < 1e-12, "{at:?}");
        assert!((at.dn / rest.sqrt() - 1.0).abs() < 1e-9, "{rest}: {at:?}");
        let half = Jacobi::new(0.5 * quarter, rest);
        let want = 1.0 / (1.0 + rest.sqrt()).sqrt();
        assert!((half.sn - want).abs() < 1e-14, "{rest}: {half:?}");
        // F undoes the amplitude, beyond half a turn too.
        for amplitude in [-7.0, -1.4, -0.3, 0.0, 1e-5, 0.8, 1.5, 2.0, 4.7, 9.0] {
            let u = incomplete_integral(amplitude, rest);
            let back = Jacobi::new(u, rest);
            // Near the separatrix amplitudes at the ends of a half turn hang on u exponentially.
            let close = 1e-14 + 4e-16 * u.abs() / rest.sqrt().max(1e-3);
            assert!(
                (back.sn - amplitude.sin()).abs() < close,
                "{rest} {amplitude}: {back:?}"
            );
            assert!(
                (back.cn - amplitude.cos()).abs() < close,
                "{rest} {amplitude}: {back:?}"
            );
        }
    }
    let flat = Jacobi::new(0.7, 0.0);
    assert!((flat.sn - 0.7_f64.tanh()).abs() < 1e-15 && flat.cn == flat.dn);
}

#[test]
fn exact_tops_are_those_of_the_references() {
    for case in tops() {
        let label = case["label"].as_str().unwrap();
        let (body, spin, expected) = top(label);
        let exact = FreeTop::new(&body, spin);
        let close = |got: f64, key: &str| {
            let want = expected[key].as_f64().unwrap();
            assert!(
                (got / want - 1.0).abs() < 1e-11,
                "{label} {key}: {got}, want {want}"
            );
        };
        close(exact.period().unwrap(), "period_omega");
        close(exact.flip_interval().unwrap(), "flip_interval");
        for sample in expected["omega_samples"].as_array().unwrap() {
            let time = sample["t"].as_f64().unwrap();
            let want = vector(&sample["omega_body"]);
            let miss = (exact.spin(time) - want).norm() / want.norm();
            // The references' own error is up to 2.6e-12.
            assert!(miss < 1e-11, "{label} at {time}: {miss}");
        }
    }
}

#[test]
fn exact_tops_whatever_the_order_of_axes_and_signs() {
    // Runge-Kutta with 2000 steps of 2 ms leaves about 1e-12 here.
    for moments in [
        [1.0, 2.0, 2.8],
        [1.0, 2.8, 2.0],
        [2.0, 1.0, 2.8],
        [2.0, 2.8, 1.0],
        [2.8, 1.0, 2.0],
        [2.8, 2.0, 1.0],
        [2.0, 2.0, 1.0],
        [1.0, 2.0, 1.0],
        [1.5, 1.5, 1.5],
    ] {
        let body = body(moments);
        for signs in 0..8 {
            let sign = |k: u32| if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
            for sizes in [
                [0.9, 0.3, 0.4],
                [0.3, 0.9, 0.1],
                [0.2, 0.5, 0.9],
                [0.0, 0.7, 0.0],
            ] {
                let spin = Space::new(sizes[0] * sign(0), sizes[1] * sign(1), sizes[2] * sign(2));
                let start = UnitQuaternion::identity();
                let (turn, want) = runge_kutta(&body, start, spin, &no_torque, 4.0, 2000);
                let exact = FreeTop::new(&body, spin);
                assert!((exact.spin(0.0) - spin).norm() < 1e-14);
                let miss = (exact.spin(4.0) - turn.inverse() * want).norm();
                assert!(miss < 1e-11, "{moments:?} {spin:?}: {miss}");
            }
        }
    }
    let steady = FreeTop::new(&body([1.0, 2.0, 2.5]), Space::new(0.0, 0.0, 3.0));
    assert_eq!(steady.period(), None);
    // On the separatrix of (1, 2, 3): I1 (I2 - I1) w1^2 = I3 (I3 - I2) w3^2.
    let edge = FreeTop::new(&body([1.0, 2.0, 3.0]), Space::new(3.0, 0.0, 3.0_f64.sqrt()));
    assert!(edge.period().unwrap() > 10.0);
    assert!(edge.spin(2.0).iter().all(|w| w.is_finite()));
}

#[test]
fn order_of_the_free_top() {
    let (body, spin, expected) = top("generic_top");
    let time = 8.0;
    let start = (tilted(), tilted() * spin);
    // Runge-Kutta at 0.4 ms leaves about 1e-14 and rounding; the smallest error measured is 1e-8.
    let want = runge_kutta(&body, start.0, start.1, &no_torque, time, 20_000);
    let exact = FreeTop::new(&body, spin).spin(time);
    assert!((want.0.inverse() * want.1 - exact).norm() < 1e-12);
    assert!(expected["kinetic_energy"].as_f64().unwrap() > 0.0);
    for (method, order) in [
        (RotationMethod::MoserVeselov, 4.0),
        (RotationMethod::MidpointMomentum, 2.0),
        (RotationMethod::MidpointRepaired, 2.0),
        (RotationMethod::MidpointPrinted, 1.0),
        (RotationMethod::Iterated { rounds: 2 }, 2.0),
        (RotationMethod::Iterated { rounds: 5 }, 2.0),
        (RotationMethod::Iterated { rounds: 1 }, 1.0),
    ] {
        let found = orders(method, &body, start, &no_torque, want, time, 400);
        for (what, got) in ["orientation", "spin"].into_iter().zip(found) {
            // The next term of the error changes the ratio by about the angle of a step, 0.01.
            assert!(
                (got - order).abs() < 0.12,
                "{method:?}, {what}: order {got}, not {order}"
            );
        }
    }
}

/// Greatest relative errors of energy and momentum within so many steps of the free top.
fn drift(
    method: RotationMethod,
    body: &PrincipalMoments,
    spin: Space,
    step: f64,
    steps: u32,
) -> [f64; 2] {
    let none = Space::zeros();
    let mut state = Rotation::begin(method, body, tilted(), tilted() * spin, none, step);
    // Not the state's own values at the start: an iterated method has another notion of them.
    let energy = 0.5 * spin.dot(&body.momentum(spin));
    let momentum = tilted() * body.momentum(spin);
    let mut worst = [0.0_f64; 2];
    for _ in 0..steps {
        state.kick_drift(method, body, none, step);
        let energy_now = state.energy(method, body, none, step);
        let momentum_now = state.momentum(method, body, none, step);
        worst[0] = worst[0].max((energy_now / energy - 1.0).abs());
        worst[1] = worst[1].max((momentum_now - momentum).norm() / momentum.norm());
    }
    worst
}

#[test]
fn the_default_keeps_energy_and_momentum_to_rounding() {
    for moments in [
        [1.0, 2.0, 2.8],
        [5.393, 5.655, 10.629],
        [1.0, 60.0, 60.5],
        [3.0, 1.0, 2.0],
    ] {
        let body = body(moments);
        for spin in [Space::new(0.7, 0.4, -0.3), Space::new(1e-3, 1.0, 2e-3)] {
            // From far below a radian a step to several, which are divided.
            for step in [1e-4, 0.01, 0.3, 2.0, 11.0] {
                let [energy, momentum] =
                    drift(RotationMethod::default(), &body, spin, step, 50_000);
                // Rounding turns a body by about 3e-16 a part of a step, which changes its energy by the
                // ratio of the moments times that. The sum is a walk; where a motion repeats itself its
                // rounding does too, hence the second term.
                let sizes = body.moments();
                let largest = sizes.iter().fold(0.0_f64, |a, b| a.max(*b));
                let smallest = sizes.iter().fold(largest, |a, b| a.min(*b));
                let parts = 50_000.0 * (step * spin.norm() / 0.5).max(1.0);
                let walk = largest / smallest * (1e-15 * parts.sqrt() + 5e-18 * parts);
                assert!(
                    energy < walk,
                    "{moments:?} {spin:?} {step}: {energy}, {walk}"
                );
                assert!(momentum < 1e-14, "{moments:?} {spin:?} {step}: {momentum}");
            }
        }
    }
}

#[test]
fn what_the_others_keep() {
    let body = body([1.0, 2.0, 2.8]);
    let spin = Space::new(0.7, 0.4, -0.3);
    let time = 100.0;
    let worst = |method, step: f64| drift(method, &body, spin, step, (time / step) as u32);
    for (method, momentum) in [
        (RotationMethod::MidpointMomentum, None),
        (RotationMethod::MidpointRepaired, Some(2.0)),
        (RotationMethod::MidpointPrinted, Some(1.0)),
        (RotationMethod::Iterated { rounds: 3 }, Some(2.0)),
    ] {
        // At these steps the next order is below a tenth of the error.
        let [coarse, fine] = [0.004, 0.002].map(|step| worst(method, step));
        let order = (coarse[0] / fine[0]).log2();
        assert!((order - 2.0).abs() < 0.15, "{method:?} energy: {order}");
        match momentum {
            None => assert!(coarse[1] < 1e-14, "{method:?} momentum: {coarse:?}"),
            Some(want) => {
                let order = (coarse[1] / fine[1]).log2();
                assert!((order - want).abs() < 0.2, "{method:?} momentum: {order}");
            }
        }
    }
}

/// Times at which the spin about the middle axis changes sign, and the greatest relative error of the
/// energy.
fn flips(method: RotationMethod, step: f64, count: usize) -> (Vec<f64>, f64) {
    let (body, spin, expected) = top("Tbar_dzhanibekov");
    let energy = expected["kinetic_energy"].as_f64().unwrap();
    let none = Space::zeros();
    let mut state = Rotation::begin(method, &body, tilted(), tilted() * spin, none, step);
    let middle = |state: &Rotation| state.inward(state.spin(method, &body, none, step)).y;
    let (mut times, mut worst) = (Vec::new(), 0.0_f64);
    let mut before = middle(&state);
    let mut n = 0_u32;
    while times.len() < count {
        state.kick_drift(method, &body, none, step);
        n += 1;
        let now = middle(&state);
        if before * now < 0.0 {
            times.push(step * (f64::from(n) - now / (now - before)));
        }
        before = now;
        worst = worst.max((state.energy(method, &body, none, step) / energy - 1.0).abs());
    }
    (times, worst)
}

/// The step of the paper's program for the T-bar: a fiftieth of the collision time, at 2 rad/s a turn
/// of 1.8e-4 rad; our reference turns with 1 rad/s.
const PAPER_STEP: f64 = 1.8e-4;

#[test]
fn t_bar_flips_in_time() {
    let (body, spin, _) = top("Tbar_dzhanibekov");
    let exact = FreeTop::new(&body, spin);
    let interval = exact.flip_interval().unwrap();
    for (method, step, drift, lag) in [
        // Energy to rounding, flips to the interpolation's error (the sign changes within 1 s, so
        // about (step / 8)^2) and what rounding grows to on the unstable axis.
        (RotationMethod::MoserVeselov, PAPER_STEP, 1e-12, 1e-8),
        (RotationMethod::MoserVeselov, 0.02, 1e-12, 1e-7),
        // The paper: under 1e-3 over 8 flips.
        (
            RotationMethod::Iterated { rounds: 3 },
            PAPER_STEP,
            1e-3,
            1e-4,
        ),
    ] {
        let (times, worst) = flips(method, step, 9);
        assert!(worst < drift, "{method:?} {step}: energy {worst}");
        let mean = (times[8] - times[0]) / 8.0;
        assert!(
            (mean / interval - 1.0).abs() < lag,
            "{method:?} {step}: {mean}, exact {interval}"
        );
    }
}

#[test]
fn constant_torque() {
    let body = body([1.0, 2.0, 2.8]);
    let pull = Space::new(0.3, -0.2, 0.25);
    let torque = |_: &UnitQuaternion<f64>| pull;
    let start = (tilted(), tilted() * Space::new(0.7, 0.4, -0.3));
    let want = runge_kutta(&body, start.0, start.1, &torque, 3.0, 20_000);
    for method in ALL {
        let order = match method {
            RotationMethod::MidpointPrinted => 1.0,
            _ => 2.0,
        };
        let found = orders(method, &body, start, &torque, want, 3.0, 400);
        assert!(
            found.iter().all(|o| (o - order).abs() < 0.12),
            "{method:?}: {found:?}"
        );
    }
    // The momentum grows by torque times time, to the rounding of a sum of 1000 terms.
    let method = RotationMethod::default();
    let mut state = Rotation::begin(method, &body, start.0, start.1, pull, 3e-3);
    let first = state.momentum(method, &body, pull, 3e-3);
    for _ in 0..1000 {
        state.kick_drift(method, &body, pull, 3e-3);
    }
    let grown = state.momentum(method, &body, pull, 3e-3) - first;
    assert!((grown - pull * 3.0).norm() < 1e-13, "{grown:?}");
}

/// A heavy symmetric top on its tip in steady precession: moments, weight times arm (N m), the start,
/// and the rate of precession, from I1 cos(tilt) W^2 - I3 w3 W + weight arm = 0.
struct Precession {
    body: PrincipalMoments,
    weight: f64,
    start: (UnitQuaternion<f64>, Space),
    rate: f64,
}

impl Precession {
    fn new() -> Self {
        let (equal, own, weight, tilt) = (0.8, 0.5, 1.1, 0.7_f64);
        let turning = 6.0;
        // The slow root, without cancellation.
        let root = (own * own * turning * turning - 4.0 * equal * weight * tilt.cos()).sqrt();
        let rate = 2.0 * weight / (own * turning + root);
        let turn = UnitQuaternion::from_euler_angles(0.0, tilt, 0.0);
        let along = turn * Space::z();
        let level = Space::z() - along * tilt.cos();
        Self {
            body: body([equal, equal, own]),
            weight,
            start: (turn, along * turning + level * rate),
            rate,
        }
    }

    /// Torque of the weight.
    fn torque(&self, turn: &UnitQuaternion<f64>) -> Space {
        (turn * Space::z()).cross(&(-Space::z() * self.weight))
    }

    /// Orientation and spin after a time: precession about the vertical, and a turn about its own axis.
    fn after(&self, time: f64) -> (UnitQuaternion<f64>, Space) {
        let about = UnitQuaternion::from_axis_angle(&Space::z_axis(), self.rate * time);
        let inside = self.start.0.inverse() * self.start.1;
        let own = inside.z - self.rate * (self.start.0.inverse() * Space::z()).z;
        let spun = UnitQuaternion::from_axis_angle(&Space::z_axis(), own * time);
        (about * self.start.0 * spun, about * self.start.1)
    }
}

#[test]
fn heavy_top_in_steady_precession() {
    let top = Precession::new();
    let torque = |turn: &UnitQuaternion<f64>| top.torque(turn);
    let want = top.after(3.0);
    let check = runge_kutta(&top.body, top.start.0, top.start.1, &torque, 3.0, 20_000);
    assert!(apart(&want.0, &check.0) < 1e-10 && (want.1 - check.1).norm() < 1e-10);
    for method in ALL {
        let order = match method {
            RotationMethod::MidpointPrinted => 1.0,
            _ => 2.0,
        };
        let found = orders(method, &top.body, top.start, &torque, want, 3.0, 1600);
        assert!(
            found.iter().all(|o| (o - order).abs() < 0.12),
            "{method:?}: {found:?}"
        );
    }
}

#[test]
fn heavy_asymmetric_top_neither_gains_nor_loses() {
    let body = body([0.8, 0.6, 0.5]);
    let arm = Space::new(0.1, 0.2, 1.0);
    let torque = |turn: &UnitQuaternion<f64>| (turn * arm).cross(&(-Space::z() * 1.1));
    let (method, spin) = (RotationMethod::default(), Space::new(0.5, 0.2, 4.0));
    let worst = |step: f64, from: u32, to: u32| {
        let now = torque(&tilted());
        let mut state = Rotation::begin(method, &body, tilted(), spin, now, step);
        let energy = |state: &Rotation| {
            let turn = state.turn();
            state.energy(method, &body, torque(&turn), step) + 1.1 * (turn * arm).z
        };
        let first = energy(&state);
        let mut worst = 0.0_f64;
        for n in 0..to {
            state.kick_drift(method, &body, torque(&state.turn()), step);
            if n >= from {
                worst = worst.max((energy(&state) - first).abs());
            }
        }
        worst
    };
    // Some 4000 turns: the last tenth is no worse than the first; the error is of second order.
    let (early, late) = (worst(0.02, 0, 30_000), worst(0.02, 270_000, 300_000));
    assert!(late < 1.2 * early, "{early} {late}");
    let order = (early / worst(0.01, 0, 60_000)).log2();
    assert!((order - 2.0).abs() < 0.2, "{order}");
}

#[test]
fn foreseen_spin_is_of_second_order() {
    let body = body([0.8, 0.6, 0.5]);
    let torque = |turn: &UnitQuaternion<f64>| (turn * Space::z()).cross(&(-Space::z() * 1.1));
    let spin = Space::new(0.5, 0.2, 4.0);
    for method in ALL {
        let miss = |step: f64| {
            let mut last = torque(&tilted());
            let mut state = Rotation::begin(method, &body, tilted(), spin, last, step);
            let mut worst = 0.0_f64;
            for n in 0..(1.0 / step) as u32 {
                let now = torque(&state.turn());
                let mean = 0.5 * (now + last);
                state.kick_drift(method, &body, now, step);
                last = now;
                if n > 0 {
                    let foreseen = state.spin(method, &body, mean, step);
                    let known = state.spin(method, &body, torque(&state.turn()), step);
                    worst = worst.max((foreseen - known).norm());
                }
            }
            worst
        };
        let order = (miss(0.004) / miss(0.002)).log2();
        assert!((order - 2.0).abs() < 0.1, "{method:?}: {order}");
    }
}

#[test]
fn work_of_the_torque_is_the_energy_gained() {
    // The default drifts freely without a change of energy, so each step's work is its gain.
    let body = body([1.0, 2.0, 2.8]);
    let (method, step) = (RotationMethod::default(), 0.01);
    let torque =
        |turn: &UnitQuaternion<f64>| (turn * Space::x()).cross(&Space::new(0.3, 2.0, -1.0));
    let mut state = Rotation::begin(
        method,
        &body,
        tilted(),
        Space::new(1.0, 2.0, 0.5),
        torque(&tilted()),
        step,
    );
    let none = Space::zeros();
    let before = state.energy(method, &body, none, step);
    let mut work = 0.0;
    for _ in 0..1000 {
        let pull = torque(&state.turn());
        work += step * pull.dot(&state.spin(method, &body, pull, step));
        state.kick_drift(method, &body, pull, step);
    }
    let gain = state.energy(method, &body, none, step) - before;
    assert!(
        work.abs() > 0.1 && (gain - work).abs() < 1e-12,
        "{gain} {work}"
    );
}

#[test]
fn round_bodies_turn_exactly() {
    let body = body([0.4, 0.4, 0.4]);
    let spin = Space::new(3.0, -40.0, 11.0);
    let state = integrated(
        RotationMethod::default(),
        &body,
        tilted(),
        spin,
        &no_torque,
        5.0,
        50,
    );
    let want = UnitQuaternion::from_scaled_axis(spin * 5.0) * tilted();
    // 208 rad: the angle itself is known to 3e-14.
    assert!(apart(&state.0, &want) < 2e-13, "{}", apart(&state.0, &want));
    assert!((state.1 - spin).norm() < 1e-13);
}

#[test]
fn a_free_turn_is_the_default_s_drift_and_scales() {
    let plain = body([1.0, 2.0, 2.8]);
    let momentum = Space::new(0.7, -0.4, 1.3);
    let mut state = Rotation::still(tilted());
    state.carried = momentum.into();
    state.kick_drift(RotationMethod::default(), &plain, Space::zeros(), 0.2);
    let turned = free_turn(&plain, tilted(), momentum, 0.2);
    // In parts of a tenth of a radian.
    assert!(apart(&turned, &state.turn()) < 1e-6);
    // A body three times as heavy with three times the momentum turns alike, to rounding.
    let heavy = free_turn(&plain.scaled(3.0), tilted(), momentum * 3.0, 0.2);
    assert!(apart(&turned, &heavy) < 1e-15);
    // Far beyond a step's greatest angle it is divided.
    let far = free_turn(&plain, tilted(), momentum, 40.0);
    let mut by_parts = tilted();
    for _ in 0..2000 {
        by_parts = free_turn(&plain, by_parts, momentum, 0.02);
    }
    // Parts of a tenth of a radian, of fourth order: half a radian, where the error was up to 0.06, over 5^4.
    assert!(apart(&far, &by_parts) < 1e-4, "{}", apart(&far, &by_parts));
}

#[test]
fn orientation_in_the_laboratory_does_not_matter() {
    let body = body([1.0, 2.0, 2.8]);
    let spin = Space::new(0.7, 0.4, -0.3);
    let pull = Space::new(0.3, -0.2, 0.25);
    let turn = UnitQuaternion::from_euler_angles(1.0, 2.0, 3.0);
    for method in ALL {
        let run = |by: UnitQuaternion<f64>| {
            let torque = |_: &UnitQuaternion<f64>| by * pull;
            integrated(method, &body, by * tilted(), by * spin, &torque, 2.0, 100)
        };
        let (plain, turned) = (run(UnitQuaternion::identity()), run(turn));
        assert!(apart(&(turn * plain.0), &turned.0) < 1e-13, "{method:?}");
        assert!((turn * plain.1 - turned.1).norm() < 1e-13, "{method:?}");
    }
}

#[test]
fn impossible_moments_are_refused() {
    for bad in [
        [0.0, 1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, f64::NAN, 1.0],
        [f64::INFINITY; 3],
    ] {
        assert!(
            matches!(PrincipalMoments::new(bad), Err(MomentsError(_))),
            "{bad:?}"
        );
    }
    let error = PrincipalMoments::new([1.0, 0.0, 2.1]).unwrap_err();
    assert!(error.to_string().contains("is 0"), "{error}");
    assert!(serde_json::from_str::<PrincipalMoments>("[1.0, -1.0, 5.0]").is_err());
    let kept = serde_json::to_string(&body([1.0, 2.0, 2.5])).unwrap();
    assert_eq!(
        serde_json::from_str::<PrincipalMoments>(&kept).unwrap(),
        body([1.0, 2.0, 2.5])
    );
}
