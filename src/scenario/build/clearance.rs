//! Distance of a point from a wall at rest, for the check of the grains at the start.

use crate::geometry::Dimension;
use crate::geometry::surface::Pieces;
use crate::walls::Shape;

/// The representation of a wall from which distances are computed.
pub(super) enum Measured<'a, D: Dimension> {
    Shape(&'a Shape<D>),
    /// Surfaces of a shape without a distance function, made once.
    Pieces(Pieces<D>),
}

impl<'a, D: Dimension> Measured<'a, D> {
    pub fn of(shape: &'a Shape<D>) -> Self {
        match shape.clearance(D::Vector::default()) {
            Some(_) => Measured::Shape(shape),
            None => shape
                .surfaces()
                .map_or(Measured::Shape(shape), Measured::Pieces),
        }
    }
    /// Distance of a point from the wall, m; negative on the wrong side of a one-sided wall.
    pub fn clearance(&self, x: D::Vector) -> f64 {
        match self {
            // A shape with neither a distance function nor surfaces was refused before.
            Measured::Shape(shape) => shape.clearance(x).unwrap_or(f64::INFINITY),
            Measured::Pieces(pieces) => pieces.distance(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};
    use crate::walls::shapes;
    use nalgebra::{Vector2, Vector3};

    /// Distances computed by hand, exact to rounding.
    #[test]
    fn distances() {
        fn of<D: Dimension>(shape: &Shape<D>, x: D::Vector) -> f64 {
            Measured::of(shape).clearance(x)
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let plane = Shape::<Planar>::Plane(shapes::Plane {
            point: Vector2::new(0.0, 1.0),
            normal: Vector2::new(0.0, 2.0),
        });
        close(of(&plane, Vector2::new(5.0, 3.0)), 2.0);
        close(of(&plane, Vector2::new(5.0, 0.0)), -1.0);
        let square = |inside| {
            Shape::<Planar>::Box(shapes::Cuboid {
                min: Vector2::new(0.0, 0.0),
                max: Vector2::new(2.0, 2.0),
                inside,
            })
        };
        close(of(&square(true), Vector2::new(0.5, 1.0)), 0.5);
        close(of(&square(true), Vector2::new(-0.5, 1.0)), -0.5);
        close(of(&square(false), Vector2::new(5.0, 6.0)), 5.0);
        close(of(&square(false), Vector2::new(0.5, 1.0)), -0.5);
        let line = Shape::<Planar>::Polyline(shapes::Polyline {
            points: vec![Vector2::new(0.0, 0.0), Vector2::new(1.0, 0.0)],
            closed: false,
        });
        close(of(&line, Vector2::new(4.0, 4.0)), 5.0);
        close(of(&line, Vector2::new(0.5, -2.0)), 2.0);
        let tube = Shape::<Spatial>::Revolved(shapes::Revolved {
            origin: Vector3::new(0.0, 0.0, 1.0),
            axis: Vector3::new(0.0, 0.0, 3.0),
            profile: vec![[1.0, 0.0], [1.0, 2.0]],
        });
        close(of(&tube, Vector3::new(0.25, 0.0, 2.0)), 0.75);
        close(of(&tube, Vector3::new(4.0, 0.0, 7.0)), 5.0);
    }
}
