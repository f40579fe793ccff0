//! How far a point is from a wall at rest, for the check of what is there at the start.

use crate::body::Shape;
use crate::geometry::surface::Pieces;
use crate::geometry::{Dimension, Vector};

/// What clearances from a wall are measured by.
pub(super) enum Measured<'a, D: Dimension> {
    Shape(&'a Shape<D>),
    /// Of a mesh or of many grains its surfaces, made once.
    Pieces(Pieces<D>),
}

impl<'a, D: Dimension> Measured<'a, D> {
    pub fn of(shape: &'a Shape<D>) -> Self {
        match shape {
            Shape::Mesh(_) | Shape::Grains(_) | Shape::Arc { .. } => shape
                .surfaces()
                .map_or(Measured::Shape(shape), Measured::Pieces),
            _ => Measured::Shape(shape),
        }
    }
    /// Distance of a point from the wall, m; negative on the wrong side of a one-sided wall.
    pub fn clearance(&self, x: D::Vector) -> f64 {
        match self {
            Measured::Shape(shape) => clearance(shape, x),
            Measured::Pieces(pieces) => pieces.distance(x),
        }
    }
}

fn clearance<D: Dimension>(shape: &Shape<D>, x: D::Vector) -> f64 {
    match shape {
        Shape::Mesh(_) | Shape::Grains(_) | Shape::Arc { .. } => Measured::of(shape).clearance(x),
        Shape::Plane { point, normal } => (x - *point).dot(normal) / normal.norm(),
        Shape::Polyline { points, closed } => {
            let last = if *closed {
                to_segment::<D>(points[points.len() - 1], points[0], x)
            } else {
                f64::INFINITY
            };
            points
                .windows(2)
                .map(|pair| to_segment::<D>(pair[0], pair[1], x))
                .fold(last, f64::min)
        }
        Shape::Box { min, max, inside } => {
            let within = (0..D::N)
                .map(|k| (x[k] - min[k]).min(max[k] - x[k]))
                .fold(f64::INFINITY, f64::min);
            if *inside {
                return within;
            }
            if within > 0.0 {
                return -within;
            }
            D::Vector::from_fn(|k| (min[k] - x[k]).max(x[k] - max[k]).max(0.0)).norm()
        }
        Shape::Ball {
            centre,
            radius,
            inside,
        } => {
            let beyond = (x - *centre).norm() - radius;
            if *inside { -beyond } else { beyond }
        }
        Shape::Vessel(vessel) => vessel.clearance(x),
        Shape::Revolved {
            origin,
            axis,
            profile,
        } => {
            let arm = x - *origin;
            let height = arm.dot(axis) / axis.norm();
            let distance = (arm - *axis * (height / axis.norm())).norm();
            profile
                .windows(2)
                .map(|pair| in_profile(pair[0], pair[1], [distance, height]))
                .fold(f64::INFINITY, f64::min)
        }
    }
}

fn to_segment<D: Dimension>(a: D::Vector, b: D::Vector, x: D::Vector) -> f64 {
    let along = b - a;
    let share = ((x - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (x - a - along * share).norm()
}

fn in_profile(a: [f64; 2], b: [f64; 2], x: [f64; 2]) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    let arm = [x[0] - a[0], x[1] - a[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = ((arm[0] * along[0] + arm[1] * along[1]) / square).clamp(0.0, 1.0);
    libm::hypot(arm[0] - along[0] * share, arm[1] - along[1] * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use nalgebra::{Vector2, Vector3};

    /// Distances worked out by hand, exact to rounding.
    #[test]
    fn distances() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let plane = Shape::<Planar>::Plane {
            point: Vector2::new(0.0, 1.0),
            normal: Vector2::new(0.0, 2.0),
        };
        close(clearance(&plane, Vector2::new(5.0, 3.0)), 2.0);
        close(clearance(&plane, Vector2::new(5.0, 0.0)), -1.0);
        let square = |inside| Shape::<Planar>::Box {
            min: Vector2::new(0.0, 0.0),
            max: Vector2::new(2.0, 2.0),
            inside,
        };
        close(clearance(&square(true), Vector2::new(0.5, 1.0)), 0.5);
        close(clearance(&square(true), Vector2::new(-0.5, 1.0)), -0.5);
        close(clearance(&square(false), Vector2::new(5.0, 6.0)), 5.0);
        close(clearance(&square(false), Vector2::new(0.5, 1.0)), -0.5);
        let line = Shape::<Planar>::Polyline {
            points: vec![Vector2::new(0.0, 0.0), Vector2::new(1.0, 0.0)],
            closed: false,
        };
        close(clearance(&line, Vector2::new(4.0, 4.0)), 5.0);
        close(clearance(&line, Vector2::new(0.5, -2.0)), 2.0);
        let tube = Shape::<Spatial>::Revolved {
            origin: Vector3::new(0.0, 0.0, 1.0),
            axis: Vector3::new(0.0, 0.0, 3.0),
            profile: vec![[1.0, 0.0], [1.0, 2.0]],
        };
        close(clearance(&tube, Vector3::new(0.25, 0.0, 2.0)), 0.75);
        close(clearance(&tube, Vector3::new(4.0, 0.0, 7.0)), 5.0);
    }
}
