//! Clumps: grains made of disks or spheres in fixed relative positions.

use super::region::{Region, join};
use crate::geometry::{Dimension, Vector};

/// Relative difference, over the radius, below which two components count as equal.
const SAME: f64 = 1e-9;

/// A component of a clump: a disk or a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<D: Dimension> {
    /// Centre, m.
    pub centre: D::Vector,
    /// Radius, m.
    pub radius: f64,
}

/// Reasons why components do not form a clump.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ClumpError {
    /// There are no components.
    #[error("there is no component; at least one is needed")]
    Empty,
    /// A radius is not positive, or a number is not finite.
    #[error("component {0} needs finite numbers and a radius greater than 0")]
    Numbers(usize),
    /// Two components coincide.
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
    /// Returns a clump of components.
    ///
    /// # Errors
    /// When there are none, one has no positive size, or two coincide.
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
    /// Returns the components, in the given order.
    pub fn balls(&self) -> &[Ball<D>] {
        &self.balls
    }
    /// Returns the components that lie wholly inside another one: they add nothing to the shape and never touch.
    pub fn buried(&self) -> &[usize] {
        &self.buried
    }
    /// Returns the components that are not buried, with their indices.
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
