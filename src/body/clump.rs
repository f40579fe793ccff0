//! Clumps: grains made of disks or spheres that keep their places to each other.

use super::region::{Region, join};
use crate::geometry::{Dimension, Vector};

/// Shares of the radius by which two components must differ to count as two.
const SAME: f64 = 1e-9;

/// A component of a clump: a disk or a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<D: Dimension> {
    /// Centre, m.
    pub centre: D::Vector,
    /// Radius, m.
    pub radius: f64,
}

/// Why components make no clump.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ClumpError {
    /// There is none.
    #[error("there is no component; at least one is needed")]
    Empty,
    /// A radius is not a size, or a centre no place.
    #[error("component {0} needs finite numbers and a radius greater than 0")]
    Numbers(usize),
    /// Two components are one and the same.
    #[error("components {0} and {1} coincide; give one of them only")]
    Coincident(usize, usize),
}

/// A grain that is the union of disks or spheres.
#[derive(Clone, Debug, PartialEq)]
pub struct Clump<D: Dimension> {
    balls: Vec<Ball<D>>,
    buried: Vec<usize>,
}

impl<D: Dimension> Clump<D> {
    /// A clump of components.
    ///
    /// # Errors
    /// When there is none, when one has no size, or when two coincide.
    pub fn new(balls: Vec<Ball<D>>) -> Result<Self, ClumpError> {
        if balls.is_empty() {
            return Err(ClumpError::Empty);
        }
        let sound = |b: &Ball<D>| b.centre.is_finite() && b.radius.is_finite() && b.radius > 0.0;
        if let Some(i) = balls.iter().position(|ball| !sound(ball)) {
            return Err(ClumpError::Numbers(i));
        }
        let mut buried = Vec::new();
        for (i, a) in balls.iter().enumerate() {
            let mut inside = false;
            for (j, b) in balls.iter().enumerate().filter(|&(j, _)| j != i) {
                let distance = (a.centre - b.centre).norm();
                let near = SAME * a.radius.max(b.radius);
                if distance <= near && (a.radius - b.radius).abs() <= near {
                    return Err(ClumpError::Coincident(i.min(j), i.max(j)));
                }
                inside |= distance + a.radius <= b.radius;
            }
            if inside {
                buried.push(i);
            }
        }
        Ok(Clump { balls, buried })
    }
    /// Its components, in the order in which they were given.
    pub fn balls(&self) -> &[Ball<D>] {
        &self.balls
    }
    /// Components that lie wholly inside one other: they add nothing to the shape and never touch.
    pub fn buried(&self) -> &[usize] {
        &self.buried
    }
    /// The components that are not buried, with their indices.
    pub fn bare(&self) -> impl Iterator<Item = (usize, &Ball<D>)> {
        let shown = |i: &usize| !self.buried.contains(i);
        (0..self.balls.len())
            .filter(shown)
            .map(|i| (i, &self.balls[i]))
    }
}

impl<D: Dimension> Region<D> for Clump<D> {
    fn bounds(&self) -> (D::Vector, D::Vector) {
        let side = |sign: f64| {
            D::Vector::from_fn(|k| {
                let ends = self.balls.iter().map(|b| sign * b.centre[k] + b.radius);
                sign * ends.fold(f64::NEG_INFINITY, f64::max)
            })
        };
        (side(-1.0), side(1.0))
    }
    fn spans(&self, at: D::Vector, spans: &mut Vec<[f64; 2]>) {
        spans.clear();
        for ball in &self.balls {
            let mut arm = ball.centre - at;
            arm[D::N - 1] = 0.0;
            let square = ball.radius * ball.radius - arm.norm_squared();
            if square > 0.0 {
                let (middle, half) = (ball.centre[D::N - 1], square.sqrt());
                spans.push([middle - half, middle + half]);
            }
        }
        join(spans);
    }
    fn reach(&self, from: D::Vector) -> f64 {
        let far = |b: &Ball<D>| (b.centre - from).norm() + b.radius;
        self.balls.iter().map(far).fold(0.0, f64::max)
    }
}
