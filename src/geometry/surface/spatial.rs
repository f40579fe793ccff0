//! Spatial primitives.
use super::{Flat, Probe, Surface};
use crate::geometry::Spatial;
use nalgebra::Vector3;

/// A primitive surface of the space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpatialSurface {
    /// placeholder
    Point(Vector3<f64>),
}
impl Surface<Spatial> for SpatialSurface {
    fn probe(&self, _x: Vector3<f64>) -> Option<Probe<Spatial>> {
        None
    }
    fn distance_bound(&self, _x: Vector3<f64>) -> f64 {
        0.0
    }
    fn flat(&self, _x: Vector3<f64>) -> Option<Flat<Spatial>> {
        None
    }
    fn reference_point(&self) -> Vector3<f64> {
        Vector3::zeros()
    }
}
