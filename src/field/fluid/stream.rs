//! A body of fluid with one velocity, which what moves in it slows down or drags along.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// M du/dt = P - k u - (drag on all grains); P from one time to another, from time 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Stream<D: Dimension> {
    /// M, kg (in the plane per metre of depth).
    pub mass: f64,
    /// P, N: a gradient of pressure times the volume.
    pub push: D::Vector,
    /// From when to when it is pushed, s.
    pub pushed: [f64; 2],
    /// k, N s/m: of walls, of what lies under it.
    pub resistance: f64,
    /// What it is now.
    pub now: StreamState<D>,
}

/// How a stream moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct StreamState<D: Dimension> {
    /// Velocity, m/s: as drag left it, half a step before the evaluation.
    pub velocity: D::Vector,
    /// What drag changed it by at the last evaluation, m/s.
    pub kick: D::Vector,
    /// When that was, s.
    pub kicked: f64,
    /// Up to when all else is in it, s.
    pub time: f64,
}

impl<D: Dimension> Stream<D> {
    /// The velocity at the evaluation, m/s: half of the kick to come is as the last one was.
    pub fn velocity(&self) -> D::Vector {
        self.now.velocity + self.now.kick * 0.5
    }

    /// A bound of the speed that it comes to without grains, m/s.
    pub fn fastest(&self) -> f64 {
        let start = self.now.velocity.norm();
        let [from, to] = self.pushed;
        let push = self.push.norm();
        if push == 0.0 {
            return start;
        }
        let long = push * (to - from.max(0.0)).max(0.0) / self.mass;
        let steady = match self.resistance > 0.0 {
            true => push / self.resistance,
            false => f64::INFINITY,
        };
        start + long.min(steady)
    }

    /// When the push begins or ends next, s.
    pub fn next_event(&self, now: f64) -> Option<f64> {
        let later = |time: &f64| *time > now && time.is_finite();
        let any = self.push != D::Vector::default();
        self.pushed.into_iter().filter(|_| any).find(later)
    }

    /// Push and resistance up to a time, s: exact, since they change at events only.
    pub fn advance(&mut self, time: f64) {
        let from = self.now.time.max(0.0);
        let lasted = time - from;
        if lasted <= 0.0 {
            return;
        }
        self.now.time = time;
        let [begin, end] = self.pushed;
        let middle = from + 0.5 * lasted;
        let push = match middle > begin && middle < end {
            true => self.push,
            false => D::Vector::default(),
        };
        let rate = self.resistance / self.mass;
        // (1 - exp(-r t)) / r.
        let share = match rate > 0.0 {
            true => -libm::expm1(-rate * lasted) / rate,
            false => lasted,
        };
        let pull = push * (1.0 / self.mass) - self.now.velocity * rate;
        self.now.velocity += pull * share;
    }

    /// What grains took of its momentum at an evaluation, N s.
    pub fn give(&mut self, momentum: D::Vector, time: f64) {
        if time < 0.0 {
            return;
        }
        let kick = momentum * (-1.0 / self.mass);
        // Those that begin to step at this time come after the others.
        let before = match self.now.kicked == time {
            true => self.now.kick,
            false => D::Vector::default(),
        };
        self.now.velocity += kick;
        (self.now.kick, self.now.kicked) = (before + kick, time);
    }

    /// Its state as numbers.
    pub fn numbers(&self) -> Vec<f64> {
        let now = &self.now;
        let vectors = [now.velocity, now.kick];
        let mut list: Vec<f64> = vectors.iter().flat_map(Vector::components).collect();
        list.extend([now.kicked, now.time]);
        list
    }

    /// Takes its state back; false where the numbers are not as many.
    pub fn restore(&mut self, numbers: &[f64]) -> bool {
        if numbers.len() != 2 * D::N + 2 {
            return false;
        }
        let vector = |from: usize| D::Vector::from_fn(|k| numbers[from + k]);
        self.now = StreamState {
            velocity: vector(0),
            kick: vector(D::N),
            kicked: numbers[2 * D::N],
            time: numbers[2 * D::N + 1],
        };
        true
    }
}
