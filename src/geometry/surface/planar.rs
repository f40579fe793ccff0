//! Planar primitives.
use super::{Flat, Probe, Surface};
use crate::geometry::Planar;
use nalgebra::Vector2;

/// A primitive surface of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanarSurface {
    /// placeholder
    Point(Vector2<f64>),
}
impl Surface<Planar> for PlanarSurface {
    fn probe(&self, _x: Vector2<f64>) -> Option<Probe<Planar>> {
        None
    }
    fn distance_bound(&self, _x: Vector2<f64>) -> f64 {
        0.0
    }
    fn flat(&self, _x: Vector2<f64>) -> Option<Flat<Planar>> {
        None
    }
    fn reference_point(&self) -> Vector2<f64> {
        Vector2::zeros()
    }
}
