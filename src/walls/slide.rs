//! A wall that slides from one position to another on request.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// A single displacement at constant velocity, from a time that the run determines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Slide<D: Dimension> {
    /// Total displacement, m.
    pub way: D::Vector,
    /// Duration, s.
    pub lasts: f64,
    /// Start, s; none until it is ordered.
    pub from: Option<f64>,
}

impl<D: Dimension> Slide<D> {
    /// Returns the velocity during the displacement, m/s.
    pub fn velocity(&self) -> D::Vector {
        self.way * (1.0 / self.lasts)
    }

    /// Returns the end time, s.
    pub fn end(&self) -> Option<f64> {
        Some(self.from? + self.lasts)
    }

    /// Returns displacement (m) and velocity (m/s) at a time, s.
    pub fn at(&self, time: f64) -> (D::Vector, D::Vector) {
        let rest = D::Vector::default();
        match (self.from, self.end()) {
            (Some(from), Some(end)) if time < end => {
                if time < from {
                    return (rest, rest);
                }
                let share = (time - from) / self.lasts;
                (self.way * share, self.velocity())
            }
            (Some(_), _) => (self.way, rest),
            (None, _) => (rest, rest),
        }
    }

    /// Returns the next time after `after` at which its velocity jumps, s.
    pub fn next_change(&self, after: f64) -> Option<f64> {
        let both = [self.from, self.end()];
        both.into_iter().flatten().find(|&time| time > after)
    }

    /// Whether its settings are valid.
    pub fn is_sound(&self) -> bool {
        let from = self.from.is_none_or(f64::is_finite);
        self.way.is_finite() && self.lasts.is_finite() && self.lasts > 0.0 && from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2;

    #[test]
    fn it_goes_once_and_stays() {
        let mut slide = Slide::<Planar> {
            way: Vector2::new(0.2, 0.0),
            lasts: 0.5,
            from: None,
        };
        let still = (Vector2::zeros(), Vector2::zeros());
        assert_eq!(slide.at(1e9), still);
        assert_eq!(slide.next_change(0.0), None);
        slide.from = Some(2.0);
        assert_eq!(slide.at(1.9), still);
        assert_eq!(slide.at(2.0), (Vector2::zeros(), Vector2::new(0.4, 0.0)));
        assert_eq!(slide.at(2.25).0, Vector2::new(0.1, 0.0));
        assert_eq!(slide.at(2.5), (Vector2::new(0.2, 0.0), Vector2::zeros()));
        assert_eq!(slide.next_change(0.0), Some(2.0));
        assert_eq!(slide.next_change(2.0), Some(2.5));
        assert_eq!(slide.next_change(2.5), None);
        assert!(slide.is_sound());
        slide.lasts = 0.0;
        assert!(!slide.is_sound());
    }
}
