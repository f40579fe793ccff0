//! A thin circular arc in the plane, and its ends, each with its zone: within the sector of the arc the circle is
//! nearest, beyond it the nearer end.

use nalgebra::Vector2;

use super::{ShapeError, Simple};
use crate::geometry::{Planar, Vector};

/// A circular arc, touched from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bow {
    centre: Vector2<f64>,
    radius: f64,
    /// Unit direction of its middle, and the cosine of half its angle.
    middle: Vector2<f64>,
    half: f64,
    ends: [Vector2<f64>; 2],
}

/// An end of such an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BowEnd {
    bow: Bow,
    /// Index of the end.
    which: usize,
}

impl Bow {
    /// Returns an arc about a centre, counter-clockwise from one angle to another, rad.
    pub fn new(centre: Vector2<f64>, radius: f64, angles: [f64; 2]) -> Result<Self, ShapeError> {
        if !(Vector::is_finite(&centre) && angles.iter().all(|angle| angle.is_finite())) {
            return Err(ShapeError::NotFinite("an arc's centre and angles"));
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(ShapeError::Radius(radius));
        }
        let [from, to] = angles;
        if !(to > from && to - from < std::f64::consts::TAU) {
            return Err(ShapeError::Angles(from, to));
        }
        let towards = |angle: f64| {
            let (sine, cosine) = libm::sincos(angle);
            Vector2::new(cosine, sine)
        };
        Ok(Bow {
            centre,
            radius,
            middle: towards(0.5 * (from + to)),
            half: libm::cos(0.5 * (to - from)),
            ends: angles.map(|angle| centre + towards(angle) * radius),
        })
    }
    /// Returns a ball around it.
    pub fn around(&self) -> (Vector2<f64>, f64) {
        (self.centre, self.radius)
    }
    /// Whether a point lies in its sector.
    fn holds(&self, arm: Vector2<f64>, length: f64) -> bool {
        Vector::dot(&arm, &self.middle) >= self.half * length
    }
    /// Returns distance and normal at a point; none beyond its ends.
    #[inline]
    pub fn probe(&self, x: Vector2<f64>) -> Option<(f64, Vector2<f64>)> {
        let arm = x - self.centre;
        let length = Vector::norm(&arm);
        if !self.holds(arm, length) {
            return None;
        }
        // At the centre all points of the arc are equally near.
        let out = if length > 0.0 {
            arm * (1.0 / length)
        } else {
            self.middle
        };
        let beyond = length - self.radius;
        Some(if beyond >= 0.0 {
            (beyond, out)
        } else {
            (-beyond, -out)
        })
    }
    /// Returns the inverse radius, 1/m; negative as seen from inside.
    pub fn curvature(&self, x: Vector2<f64>) -> f64 {
        if Vector::norm(&(x - self.centre)) >= self.radius {
            1.0 / self.radius
        } else {
            -1.0 / self.radius
        }
    }
    /// Returns the inverse distance from its centre, 1/m, from inside; else 0 (see
    /// [`Surface::hollow`](super::Surface::hollow)).
    pub fn hollow(&self, x: Vector2<f64>) -> f64 {
        let length = Vector::norm(&(x - self.centre));
        if length >= self.radius {
            0.0
        } else {
            1.0 / length
        }
    }
    /// Returns its circle as seen from a point.
    #[inline]
    pub fn simple(&self, x: Vector2<f64>) -> Simple<Planar> {
        Simple::Ball {
            centre: self.centre,
            radius: self.radius,
            inside: Vector::norm(&(x - self.centre)) < self.radius,
        }
    }
    /// Returns the distance of a point from it, m.
    pub fn distance(&self, x: Vector2<f64>) -> f64 {
        let to_end = |end: &Vector2<f64>| Vector::norm(&(x - end));
        match self.probe(x) {
            Some((distance, _)) => distance,
            None => self.ends.iter().map(to_end).fold(f64::INFINITY, f64::min),
        }
    }
    /// Returns its middle.
    pub fn point(&self) -> Vector2<f64> {
        self.centre + self.middle * self.radius
    }
    /// Returns both ends.
    pub fn tips(self) -> [BowEnd; 2] {
        [0, 1].map(|which| BowEnd { bow: self, which })
    }
}

impl BowEnd {
    /// Returns the position of the end.
    pub fn point(&self) -> Vector2<f64> {
        self.bow.ends[self.which]
    }
    /// Returns the distance of a point from it, m.
    pub fn distance(&self, x: Vector2<f64>) -> f64 {
        Vector::norm(&(x - self.point()))
    }
    /// Returns distance and normal at a point beyond the sector and nearer to this end than to the other.
    #[inline]
    pub fn probe(&self, x: Vector2<f64>) -> Option<(f64, Vector2<f64>)> {
        let arm = x - self.bow.centre;
        if self.bow.holds(arm, Vector::norm(&arm)) {
            return None;
        }
        let [own, other] = [self.which, 1 - self.which].map(|k| x - self.bow.ends[k]);
        let (near, far) = (Vector::norm_squared(&own), Vector::norm_squared(&other));
        // At equal distances the first end counts.
        if near > far || near == far && self.which == 1 {
            return None;
        }
        let distance = near.sqrt();
        let normal = if distance > 0.0 {
            own * (1.0 / distance)
        } else {
            self.bow.middle
        };
        Some((distance, normal))
    }
}
