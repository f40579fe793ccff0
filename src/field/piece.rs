//! Paths in non-uniform fields, as pieces of constant acceleration.
//!
//! The acceleration of a piece is that predicted for its middle; those at its ends tell how much it changes. If the acceleration changes linearly in time at the rate a', the velocity
//! at the end of a piece of length h is exact and the position is off by a' h^3 / 12; the length of pieces limits this error to a small
//! fraction of the radius. The energy and momentum exchanged with fields are accounted at the middle of each piece as flown, so that the
//! balance shows the error.

use super::{FieldPoint, FieldSet};
use crate::geometry::{Dimension, Vector};
use crate::geometry::{cross, dot, three};

/// Position error after a piece, as a fraction of the radius.
const ERROR: f64 = 1e-6;
/// Greatest length of a piece in radii: fields may have edges.
const LONGEST: f64 = 4.0;
/// Greatest duration of a piece, as a fraction of the time in which drag damps the velocity or gyration turns it by a radian.
const SHARE: f64 = 0.5;
/// Greatest number of attempts to find the length of a piece.
const TRIES: usize = 8;
/// Safety factor for the length of the next piece, and its greatest growth.
const NEXT: [f64; 2] = [0.9, 2.0];

/// A piece of a path.
#[derive(Clone, Copy, Debug)]
pub struct Piece<D: Dimension> {
    /// Acceleration, m/s^2.
    pub acceleration: D::Vector,
    /// Length, s.
    pub length: f64,
    /// Length intended for the next piece, s.
    pub next: f64,
}

/// What else a piece depends on.
#[derive(Clone, Copy, Debug)]
pub struct Limits<D: Dimension> {
    /// Acceleration beside that of the fields, m/s^2.
    pub more: D::Vector,
    /// Length intended, s; may be infinite.
    pub wish: f64,
    /// Greatest rate at which gravity changes, 1/s.
    pub rate: f64,
    /// Time until fields change by themselves, or gravity jumps, s.
    pub until: f64,
    /// How long a grain at rest without forces waits, s.
    pub idle: f64,
}

/// What fields give to a grain on its path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// Work, except that of fields with a potential, J.
    pub work: f64,
    /// Energy lost by drag, J.
    pub drag: f64,
    /// Momentum, including that of gravity, N s.
    pub momentum: [f64; 3],
}

/// Returns the acceleration of a grain, m/s^2, and the rates at which drag damps its velocity and at which gyration turns it, 1/s.
fn felt<D: Dimension>(set: &FieldSet<D>, at: &FieldPoint<D>) -> (D::Vector, [f64; 2]) {
    let drag = set.drag(at);
    let gyration = set.gyration(at);
    let turned = cross(three(at.velocity), gyration);
    let force = set.force(at) + (drag.velocity - at.velocity) * drag.coefficient;
    let rates = [
        drag.coefficient / at.mass + set.damping_rate(at.mass, at.radius),
        dot(gyration, gyration).sqrt(),
    ];
    let acceleration = force * (1.0 / at.mass) + D::Vector::from_fn(|k| turned[k]);
    (acceleration, rates)
}

/// Returns the piece that begins with a state.
pub fn piece<D: Dimension>(
    set: &FieldSet<D>,
    start: &FieldPoint<D>,
    limits: &Limits<D>,
) -> Piece<D> {
    let (first, rates) = felt(set, start);
    let first = first + limits.more;
    let (x, v, radius) = (start.position, start.velocity, start.radius);
    let speed = v.norm() + (first.norm() * radius).sqrt();
    let fastest = rates[0].max(rates[1]).max(limits.rate);
    let most = (LONGEST * radius / speed).min(SHARE / fastest);
    let mut length = limits.wish.min(most);
    if !length.is_finite() {
        // At rest without forces, until one may act.
        length = limits.idle;
    }
    length = length.min(limits.until);
    let mut found = Piece {
        acceleration: first,
        length,
        next: length,
    };
    for _ in 0..TRIES {
        let half = 0.5 * length;
        let middle = FieldPoint {
            position: x + (v + first * (0.5 * half)) * half,
            velocity: v + first * half,
            time: start.time + half,
            ..*start
        };
        let acceleration = felt(set, &middle).0 + limits.more;
        let end = FieldPoint {
            position: x + (v + acceleration * half) * length,
            velocity: v + acceleration * length,
            time: start.time + length,
            ..*start
        };
        let last = felt(set, &end).0 + limits.more;
        // Fields may have an edge in either half.
        let change = (acceleration - first)
            .norm()
            .max((last - acceleration).norm());
        let error = change * length * length / 6.0;
        let allowed = ERROR * radius;
        let fits = if error > 0.0 {
            NEXT[0] * libm::cbrt(allowed / error)
        } else {
            NEXT[1]
        };
        found = Piece {
            acceleration,
            length,
            next: length * fits.clamp(0.1, NEXT[1]),
        };
        if error <= allowed {
            break;
        }
        length *= fits.clamp(0.1, NEXT[0]);
    }
    found
}

/// Returns the spin s, which changes at the rate s x rate, after a time (s), and the angle by which the grain turned meanwhile.
pub fn turned_spin<D: Dimension>(spin: D::Spin, rate: [f64; 3], lasted: f64) -> (D::Spin, D::Spin) {
    if D::N != 3 || rate == [0.0; 3] {
        return (spin, spin * lasted);
    }
    let after = |time: f64| {
        let turn = D::spin_from_fn(|k| -rate[k] * time);
        let vector = D::Vector::from_fn(|k| D::spin_component(spin, k));
        let turned = D::rotate(D::turned(D::identity(), turn), vector);
        D::spin_from_fn(|k| turned[k])
    };
    (after(lasted), after(0.5 * lasted) * lasted)
}

/// Returns what fields give to a grain that flies with an acceleration, m/s^2, for some time, s, given the middle of its path.
pub fn exchange<D: Dimension>(
    set: &FieldSet<D>,
    middle: &FieldPoint<D>,
    acceleration: D::Vector,
    lasted: f64,
) -> Exchange {
    let (mean, drag) = (middle.velocity, set.drag(middle));
    let pull = (drag.velocity - mean) * drag.coefficient;
    let mut given = Exchange {
        work: lasted * pull.dot(&drag.velocity),
        drag: lasted * pull.dot(&(drag.velocity - mean)),
        momentum: std::array::from_fn(|k| match k < D::N {
            true => lasted * middle.mass * acceleration[k],
            false => 0.0,
        }),
    };
    for field in set.iter() {
        let power = field.force(middle).dot(&mean);
        if field.gives_work() {
            given.work += lasted * power;
        } else if field.dissipated_power(middle) > 0.0 {
            given.drag -= lasted * power;
        }
    }
    given
}
