//! Primitive surfaces: what a boundary is made of, in its own frame.
//!
//! A [`Wall shape`](crate::body::Shape) is cut into primitives such that any grain outside the
//! wall touches a corner, an edge or a face *once*: each primitive owns a zone of space, and the
//! zones of one shape overlap only where a grain truly has two contacts (a concave corner).

use super::Dimension;

mod planar;
mod spatial;

pub use planar::PlanarSurface;
pub use spatial::SpatialSurface;

/// The nearest point of a surface, as seen from a grain's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe<D: Dimension> {
    /// Distance of the centre from the surface, m; negative behind a one-sided surface.
    pub distance: f64,
    /// Unit normal, from the surface to the centre.
    pub normal: D::Vector,
}

/// A flat piece, for which the contact is linear: distance = normal . x - offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat<D: Dimension> {
    /// Unit normal, from the surface to the side where `x` lies.
    pub normal: D::Vector,
    /// Offset, m.
    pub offset: f64,
    /// Extents along a direction: the piece holds where `lo <= along . x < hi`; none when infinite.
    pub extent: Option<(D::Vector, f64, f64)>,
}

/// A primitive surface.
pub trait Surface<D: Dimension>: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// The contact with a grain whose centre is at `x`; none when `x` lies outside of this
    /// primitive's zone.
    fn probe(&self, x: D::Vector) -> Option<Probe<D>>;
    /// A lower bound of the distance of `x` from the surface whatever the zone, m: used to find
    /// grains that could touch soon. Negative behind a one-sided surface.
    fn distance_bound(&self, x: D::Vector) -> f64;
    /// The flat form as seen from `x`, when the primitive is flat.
    fn flat(&self, x: D::Vector) -> Option<Flat<D>>;
    /// Some point of the surface, about which its moments are taken.
    fn reference_point(&self) -> D::Vector;
}
