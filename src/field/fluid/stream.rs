//! A body of fluid with a single velocity, which the grains in it slow down or carry along.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// M du/dt = P - k u - (drag on all grains); P acts between two times, from time 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Stream<D: Dimension> {
    /// M, kg (in the plane per metre of depth).
    pub mass: f64,
    /// P, N: a pressure gradient times the volume.
    pub push: D::Vector,
    /// Start and end of the push, s.
    pub pushed: [f64; 2],
    /// k, N s/m: resistance of walls and of the bed below.
    pub resistance: f64,
    /// Current state.
    pub now: StreamState<D>,
}

/// State of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct StreamState<D: Dimension> {
    /// Velocity, m/s, as the last drag left it: half a step before the evaluation.
    pub velocity: D::Vector,
    /// Change of velocity by drag at the last evaluation, m/s.
    pub kick: D::Vector,
    /// Time of that evaluation, s.
    pub kicked: f64,
    /// Time up to which push and resistance are included, s.
    pub time: f64,
}

impl<D: Dimension> Stream<D> {
    /// Returns the velocity at the evaluation, m/s: half of the next kick is estimated by the last one.
    pub fn velocity(&self) -> D::Vector {
        self.now.velocity + self.now.kick * 0.5
    }

    /// Returns a bound of the speed that it reaches without grains, m/s.
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

    /// Returns when the push begins or ends next, s.
    pub fn next_event(&self, now: f64) -> Option<f64> {
        let later = |time: &f64| *time > now && time.is_finite();
        let any = self.push != D::Vector::default();
        self.pushed.into_iter().filter(|_| any).find(later)
    }

    /// Applies push and resistance up to a time, s: exact, since they change only at events.
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

    /// Applies the momentum that grains took at an evaluation, N s.
    pub fn give(&mut self, momentum: D::Vector, time: f64) {
        if time < 0.0 {
            return;
        }
        let kick = momentum * (-1.0 / self.mass);
        // Grains that begin to step at this time come after the others.
        let before = match self.now.kicked == time {
            true => self.now.kick,
            false => D::Vector::default(),
        };
        self.now.velocity += kick;
        (self.now.kick, self.now.kicked) = (before + kick, time);
    }

    /// Returns the state as numbers.
    pub fn numbers(&self) -> Vec<f64> {
        let now = &self.now;
        let vectors = [now.velocity, now.kick];
        let mut list: Vec<f64> = vectors.iter().flat_map(Vector::components).collect();
        list.extend([now.kicked, now.time]);
        list
    }

    /// Restores the state; false if the count of numbers is wrong.
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
