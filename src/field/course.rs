//! Gravity that changes: in an oscillating vessel, or with a rotating direction.

use serde::{Deserialize, Serialize};

use super::{FieldPoint, ForceField};
use crate::geometry::Dimension;

/// A temporary or permanent change of gravity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum GravityChange<D: Dimension> {
    /// The vessel oscillates: it is displaced by amplitude (1 - cos(2 pi frequency t)), from rest to rest, and all
    /// output is in its frame.
    Swing {
        /// Amplitude, m.
        amplitude: D::Vector,
        /// Frequency, Hz.
        frequency: f64,
        /// Number of whole oscillations.
        cycles: u64,
    },
    /// The direction turns evenly and stays turned.
    Tilt {
        /// Rotation vector, rad.
        turn: D::Spin,
        /// Duration, s.
        duration: f64,
    },
    /// The direction turns steadily, without end.
    Turn {
        /// Angular velocity, rad/s.
        spin: D::Spin,
    },
}

impl<D: Dimension> GravityChange<D> {
    /// Returns the duration, s.
    pub fn length(&self) -> f64 {
        match *self {
            GravityChange::Swing {
                frequency, cycles, ..
            } => cycles as f64 / frequency,
            GravityChange::Tilt { duration, .. } => duration,
            GravityChange::Turn { .. } => f64::INFINITY,
        }
    }

    /// Returns the changed gravity at a time after the start, s, and whether the change is over.
    pub fn changed(&self, gravity: D::Vector, lasted: f64) -> (D::Vector, bool) {
        let over = lasted >= self.length();
        let gravity = match *self {
            GravityChange::Swing { .. } if over => gravity,
            GravityChange::Swing {
                amplitude,
                frequency,
                ..
            } => {
                let rate = std::f64::consts::TAU * frequency;
                gravity - amplitude * (rate * rate * libm::cos(rate * lasted))
            }
            GravityChange::Tilt { turn, duration } => {
                let turned = D::turned(D::identity(), turn * (lasted / duration).min(1.0));
                D::rotate(turned, gravity)
            }
            GravityChange::Turn { spin } => {
                D::rotate(D::turned(D::identity(), spin * lasted), gravity)
            }
        };
        (gravity, over)
    }

    /// Returns the rate of change, rad/s.
    pub fn rate(&self) -> f64 {
        match *self {
            GravityChange::Swing { frequency, .. } => std::f64::consts::TAU * frequency,
            GravityChange::Tilt { turn, duration } => D::spin_dot(turn, turn).sqrt() / duration,
            GravityChange::Turn { spin } => D::spin_dot(spin, spin).sqrt(),
        }
    }
}

/// All changes of gravity, in order of their start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GravityCourse<D: Dimension> {
    /// Gravity before the first change, m/s^2.
    gravity: D::Vector,
    /// Start, s, and kind of each change; in order.
    changes: Vec<(f64, GravityChange<D>)>,
}

impl<D: Dimension> GravityCourse<D> {
    /// Returns the course of a gravity, m/s^2, with changes that start at given times, s.
    pub fn new(gravity: D::Vector, mut changes: Vec<(f64, GravityChange<D>)>) -> Self {
        changes.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { gravity, changes }
    }

    /// Whether gravity never changes.
    pub fn is_steady(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the gravity at a time, m/s^2; at a jump the value after it.
    pub fn at(&self, time: f64) -> D::Vector {
        let begun = self.changes.iter().take_while(|(since, _)| *since <= time);
        begun.fold(self.gravity, |gravity, (since, change)| {
            change.changed(gravity, time - since).0
        })
    }

    /// Returns the next time after `time` at which gravity jumps, or starts or stops turning, s.
    pub fn next_edge(&self, time: f64) -> f64 {
        let edges = self.changes.iter();
        let edges = edges.flat_map(|(since, change)| [*since, since + change.length()]);
        edges
            .filter(|edge| *edge > time)
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns the rate of change at a time, rad/s.
    pub fn rate(&self, time: f64) -> f64 {
        let lasts = |(since, change): &&(f64, GravityChange<D>)| {
            *since <= time && time < since + change.length()
        };
        let now = self.changes.iter().filter(lasts);
        now.map(|(_, change)| change.rate()).sum()
    }
}

/// The force in excess of the initial gravity. Potential energy refers to the initial gravity; the work of the excess
/// is booked as injected from outside.
impl<D: Dimension> ForceField<D> for GravityCourse<D> {
    fn name(&self) -> &str {
        "gravity that changes"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        (self.at(at.time) - self.gravity) * at.mass
    }
    fn gives_work(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2 as V;

    #[test]
    fn a_tilt_goes_on_from_another_and_a_swing_ends_where_it_began() {
        let tilt = |turn: f64| GravityChange::<Planar>::Tilt {
            turn,
            duration: 1.0,
        };
        let swing = GravityChange::Swing {
            amplitude: V::new(0.1, 0.0),
            frequency: 2.0,
            cycles: 3,
        };
        let down = V::new(0.0, -9.81);
        let course = GravityCourse::new(
            down,
            vec![(2.0, tilt(0.3)), (1.0, tilt(-0.1)), (5.0, swing)],
        );
        assert_eq!(course.at(0.5), down);
        let turned = |angle: f64| V::new(9.81 * angle.sin(), -9.81 * angle.cos());
        assert!((course.at(1.5) - turned(-0.05)).norm() < 1e-12);
        assert!((course.at(2.5) - turned(0.05)).norm() < 1e-12);
        assert!((course.at(4.0) - turned(0.2)).norm() < 1e-12);
        assert_eq!(course.at(6.5), course.at(4.0));
        assert!(
            (course.at(5.25).x - course.at(4.0).x - 0.1 * (4.0 * std::f64::consts::PI).powi(2))
                .abs()
                < 1e-9
        );
        let edges = [0.0, 1.0, 2.0, 3.0, 5.0, 6.5].map(|time| course.next_edge(time));
        assert_eq!(edges, [1.0, 2.0, 3.0, 5.0, 6.5, f64::INFINITY]);
        assert_eq!(course.rate(4.0), 0.0);
    }
}
