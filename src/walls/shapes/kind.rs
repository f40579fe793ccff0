//! The interface of a shape of walls.

use std::fmt::Debug;

use super::barrier::Barrier;
use super::drawing::Line;
use super::{MeshShape, Shape, WallFeature};
use crate::geometry::Dimension;
use crate::geometry::surface::ShapeError;
use crate::keys::View;

/// A box by its least and greatest corner, m.
pub type Corners<D> = (<D as Dimension>::Vector, <D as Dimension>::Vector);

/// The shape of a wall in its own frame.
pub trait Kind<D: Dimension>: Debug {
    /// Returns its entry in the capability table.
    fn feature(&self) -> WallFeature;

    /// Returns its primitive surfaces.
    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError>;

    /// Translates it.
    fn shift(&mut self, by: D::Vector);

    /// Returns the reference point of moments on the whole wall, m.
    fn reference_point(&self) -> D::Vector;

    /// Returns the least and greatest corner of its bounding box, m; none for an unbounded shape.
    fn extent(&self) -> Option<Corners<D>>;

    /// Returns lines to draw it; infinite shapes are drawn across the box `view`.
    fn lines(&self, view: Corners<D>) -> Vec<Line>;

    /// Returns it as an obstacle for straight lines; these will be horizontal, perpendicular to `up`, if that is
    /// given.
    fn barrier(&self, up: Option<D::Vector>) -> Barrier<D>;

    /// Returns the distance of a point from it, m; negative on the wrong side of a one-sided shape. None: to be
    /// computed from its surfaces.
    fn clearance(&self, x: D::Vector) -> Option<f64>;

    /// Describes its wrong side in words.
    fn beyond(&self) -> &'static str {
        "behind the wall"
    }

    /// Whether a grain may be at a position: for a shape touched from inside only, none outside.
    fn may_hold(&self, _x: D::Vector) -> bool {
        true
    }

    /// Whether it is thin and may have grains on either side.
    fn is_thin(&self) -> bool {
        false
    }

    /// Whether it is one surface around all grains.
    fn encloses(&self) -> bool {
        false
    }

    /// Returns the interval along a direction in which it is uniform; none if it is not.
    fn stretch(&self, _axis: usize) -> Option<[f64; 2]> {
        None
    }

    /// Whether it is infinite and neither parallel nor perpendicular to a direction.
    fn is_slanted(&self, _axis: usize) -> bool {
        false
    }

    /// Returns the shape reduced to the parts whose positions `keep` accepts, if it consists of independent parts;
    /// none for all others.
    fn kept(&self, _keep: &dyn Fn(D::Vector) -> bool) -> Option<Shape<D>> {
        None
    }

    /// Returns the box of the space that it leaves to grains, m, infinite where it has no side; none if it has no
    /// sides perpendicular to the coordinate axes.
    fn room(&self) -> Option<Corners<D>> {
        None
    }

    /// Returns the principal curvatures with which a ball of a radius may touch it, 1/m: for each part those of
    /// greatest stiffness.
    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        vec![[0.0; 2]]
    }

    /// Whether it has a hollow about as narrow all along as a ball of a radius: there the theory of round contacts
    /// does not apply.
    fn is_narrow(&self, _radius: f64) -> bool {
        false
    }

    /// Returns a point and the normal of it, if it is a plane.
    fn plane(&self) -> Option<[D::Vector; 2]> {
        None
    }

    /// Returns its straight pieces, in the plane.
    fn pieces(&self) -> Vec<[D::Vector; 2]> {
        Vec::new()
    }

    /// Returns it as a mesh, if it is one.
    fn mesh(&self) -> Option<&MeshShape<D>> {
        None
    }

    /// Whether another shape coincides with it.
    fn is_same(&self, other: &Self) -> bool
    where
        Self: Sized + PartialEq,
    {
        self == other
    }
}

/// Reads a shape from its table in `[[boundary]]`.
pub trait ShapeKeys<D: Dimension> {
    /// Returns the shape; contents of files are written into the keys.
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault>;

    /// Returns the names of alternatives if the shape belongs to other dimensions; none: any existing shape.
    fn instead() -> Option<&'static str> {
        None
    }
}

/// A kind of wall, as lists and messages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallRow {
    /// Name in lists.
    pub name: &'static str,
    /// Name in messages.
    pub noun: &'static str,
    /// Number of dimensions in which it exists; none: in both.
    pub dimensions: Option<usize>,
}

/// Returns the entry of a wall of both dimensions.
pub(super) const fn row(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: None,
    }
}

/// Returns the entry of a wall of the plane.
pub(super) const fn planar(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: Some(2),
    }
}

/// Returns the entry of a wall of space.
pub(super) const fn spatial(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: Some(3),
    }
}

/// Returns the least and greatest corner of the bounding box of points, m.
pub(super) fn around<D: Dimension>(points: &[D::Vector]) -> Option<Corners<D>> {
    use crate::geometry::Vector;
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(min, max), p| {
        (
            D::Vector::from_fn(|k| min[k].min(p[k])),
            D::Vector::from_fn(|k| max[k].max(p[k])),
        )
    }))
}

/// Checks that two successive points differ, with the place of the second.
pub(super) fn distinct<D: Dimension, V: View>(
    place: &V,
    a: D::Vector,
    b: D::Vector,
) -> Result<(), V::Fault> {
    if a == b {
        let path = place.path();
        return Err(place.fault(format!("`{path}` is the same point as the one before it")));
    }
    Ok(())
}

/// Returns one point, and the displacement to another one, from the keys `from` and `to`.
pub(super) fn between<D: Dimension, V: View>(
    here: &V,
    from: &[f64],
    to: &[f64],
) -> Result<[D::Vector; 2], V::Fault> {
    let from = here.key("from").vector::<D>(from)?;
    let to = here.key("to").vector::<D>(to)?;
    distinct::<D, V>(&here.key("to"), from, to)?;
    Ok([from, to - from])
}
