//! What a shape of walls tells of itself.

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
    /// What it is for the table of capabilities.
    fn feature(&self) -> WallFeature;

    /// The primitive surfaces that it is made of.
    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError>;

    /// Brings it elsewhere.
    fn shift(&mut self, by: D::Vector);

    /// The point about which moments on the whole wall are taken, m.
    fn reference_point(&self) -> D::Vector;

    /// The least and greatest corner of what it spans, m; none for an unbounded one.
    fn extent(&self) -> Option<Corners<D>>;

    /// Lines that show it; what has no end is drawn across a box.
    fn lines(&self, view: Corners<D>) -> Vec<Line>;

    /// What a straight line meets; lines will be level, across `up`, if that is given.
    fn barrier(&self, up: Option<D::Vector>) -> Barrier<D>;

    /// Distance of a point from it, m; negative on the wrong side of what is felt from one side. None: its surfaces tell.
    fn clearance(&self, x: D::Vector) -> Option<f64>;

    /// On its wrong side, in words.
    fn beyond(&self) -> &'static str {
        "behind the wall"
    }

    /// Whether a grain may be at a place: where it is met from inside alone, none outside.
    fn may_hold(&self, _x: D::Vector) -> bool {
        true
    }

    /// Whether it is thin and may hold grains on either side.
    fn is_thin(&self) -> bool {
        false
    }

    /// Whether it is one surface around all grains.
    fn encloses(&self) -> bool {
        false
    }

    /// From where to where it is the same along a direction; none where it is not.
    fn stretch(&self, _axis: usize) -> Option<[f64; 2]> {
        None
    }

    /// Whether it has no end and is neither along a direction nor across it.
    fn is_slanted(&self, _axis: usize) -> bool {
        false
    }

    /// Those of its parts that are where they are kept, of a shape of many that stand for themselves; none for all others.
    fn kept(&self, _keep: &dyn Fn(D::Vector) -> bool) -> Option<Shape<D>> {
        None
    }

    /// The box of the room that it leaves to grains, m, infinite where it has no side; none where it has no sides across the
    /// coordinates.
    fn room(&self) -> Option<Corners<D>> {
        None
    }

    /// Principal curvatures with which a ball of a radius may meet it, 1/m, of each part those that make it stiffest.
    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        vec![[0.0; 2]]
    }

    /// Whether there is a hollow that is as narrow all along as a ball of a radius, or nearly: there the theory of
    /// round contacts ends.
    fn is_narrow(&self, _radius: f64) -> bool {
        false
    }

    /// A point and the normal of it, if it is a plane.
    fn plane(&self) -> Option<[D::Vector; 2]> {
        None
    }

    /// The straight pieces that it consists of, in the plane.
    fn pieces(&self) -> Vec<[D::Vector; 2]> {
        Vec::new()
    }

    /// The mesh that it is.
    fn mesh(&self) -> Option<&MeshShape<D>> {
        None
    }

    /// Whether another stands in the same place.
    fn is_same(&self, other: &Self) -> bool
    where
        Self: Sized + PartialEq,
    {
        self == other
    }
}

/// How a shape is read from its table in `[[boundary]]`.
pub trait ShapeKeys<D: Dimension> {
    /// The shape; what comes from files is taken into the keys.
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault>;

    /// What to use instead where it is a shape of other dimensions; none: any that there are.
    fn instead() -> Option<&'static str> {
        None
    }
}

/// A kind of wall, as lists and messages tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallRow {
    /// Its name in lists.
    pub name: &'static str,
    /// What messages call it.
    pub noun: &'static str,
    /// The dimensions of space in which there is such a thing; none: in both.
    pub dimensions: Option<usize>,
}

/// A wall of both dimensions.
pub(super) const fn row(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: None,
    }
}

/// A wall of the plane.
pub(super) const fn planar(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: Some(2),
    }
}

/// A wall of space.
pub(super) const fn spatial(name: &'static str, noun: &'static str) -> WallRow {
    WallRow {
        name,
        noun,
        dimensions: Some(3),
    }
}

/// The least and greatest corner of points, m.
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

/// That two points in a row are not the same, with the place of the second.
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

/// From one point, and how far to another one, of keys `from` and `to`.
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
