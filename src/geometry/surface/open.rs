//! Primitive surfaces of other kinds than those that are known here.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::Probe;
use crate::geometry::Dimension;

/// A curved primitive surface of any other kind; see [`Surface`](super::Surface) for what it tells.
pub trait Primitive<D: Dimension>: Debug + Send + Sync {
    /// The contact with a grain whose centre is at `x`; none where that is out of its zone.
    fn probe(&self, x: D::Vector) -> Option<Probe<D>>;
    /// A lower bound of the distance of `x` whatever the zone, m.
    fn distance_bound(&self, x: D::Vector) -> f64;
    /// Some point of the surface, or the centre of a round one.
    fn reference_point(&self) -> D::Vector;
    /// Principal curvatures where a grain at `x` meets it, 1/m, over 0 where it bulges towards the grain.
    fn curvatures(&self, x: D::Vector, met: &Probe<D>) -> [f64; 2];
    /// A bound, 1/m, of how fast the distance bends down along straight lines through `x`, over the square of the speed.
    fn hollow(&self, x: D::Vector, met: &Probe<D>) -> f64;
    /// The box around it, where a wall has very many of such.
    fn bounds(&self) -> Option<[D::Vector; 2]> {
        None
    }
    /// A lower bound of how far `x` is from where it is met, m, its distance being known.
    fn way_to_zone(&self, _x: D::Vector, _distance: f64) -> f64 {
        0.0
    }
}

/// One of them. It is equal to its copies alone.
#[derive(Clone, Debug)]
pub struct Open<D: Dimension>(Arc<dyn Primitive<D>>);

impl<D: Dimension> Open<D> {
    /// Of a surface.
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
