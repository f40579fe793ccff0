//! Primitive surfaces of other kinds than those in this module.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::Probe;
use crate::geometry::Dimension;

/// A curved primitive surface of another kind; its methods correspond to those of [`Surface`](super::Surface).
pub trait Primitive<D: Dimension>: Debug + Send + Sync {
    /// Returns the contact with a grain whose centre is at `x`; none outside of its zone.
    fn probe(&self, x: D::Vector) -> Option<Probe<D>>;
    /// Returns a lower bound of the distance of `x` in any zone, m.
    fn distance_bound(&self, x: D::Vector) -> f64;
    /// Returns a point of the surface, or the centre of a round one.
    fn reference_point(&self) -> D::Vector;
    /// Returns the principal curvatures where a grain at `x` touches it, 1/m, positive where it bulges towards the
    /// grain.
    fn curvatures(&self, x: D::Vector, met: &Probe<D>) -> [f64; 2];
    /// Returns a bound, 1/m, of the negative second derivative of the distance along straight lines through `x`, over
    /// the square of the speed.
    fn hollow(&self, x: D::Vector, met: &Probe<D>) -> f64;
    /// Returns its bounding box, if a wall has very many of these.
    fn bounds(&self) -> Option<[D::Vector; 2]> {
        None
    }
    /// Returns a lower bound of the displacement from `x` to its zone, m, given its distance.
    fn way_to_zone(&self, _x: D::Vector, _distance: f64) -> f64 {
        0.0
    }
}

/// A shared primitive. It equals only its own copies.
#[derive(Clone, Debug)]
pub struct Open<D: Dimension>(Arc<dyn Primitive<D>>);

impl<D: Dimension> Open<D> {
    /// Wraps a surface.
    pub fn new(primitive: impl Primitive<D> + 'static) -> Self {
        Open(Arc::new(primitive))
    }
}

impl<D: Dimension> PartialEq for Open<D> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<D: Dimension> Deref for Open<D> {
    type Target = dyn Primitive<D>;
    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}
