//! Boundaries: walls that grains touch and do not move.

use serde::{Deserialize, Serialize};

use super::Motion;
use crate::geometry::Dimension;

/// The shape of a wall, as a person writes it; cut into primitive surfaces by
/// [`Shape::surfaces`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Shape<D: Dimension> {
    /// A half-space: grains live on the side to which the normal points.
    Plane {
        /// A point of the plane.
        point: D::Vector,
        /// The normal; need not be of unit length.
        normal: D::Vector,
    },
    /// Planar: a chain of thin two-sided segments; consecutive collinear ones are merged.
    Polyline {
        /// The corners.
        points: Vec<D::Vector>,
        /// Whether the last corner is joined to the first.
        closed: bool,
    },
    /// A box, seen from inside or from outside.
    Box {
        /// Least corner.
        min: D::Vector,
        /// Greatest corner.
        max: D::Vector,
        /// Whether grains live inside.
        inside: bool,
    },
    /// A circle or a sphere, seen from inside or from outside.
    Ball {
        /// Centre.
        centre: D::Vector,
        /// Radius, m.
        radius: f64,
        /// Whether grains live inside.
        inside: bool,
    },
    /// Spatial: the surface swept by a chain of segments that turns about an axis (cylinders,
    /// cones, rings, disks and whole conical hoppers); thin and two-sided.
    Revolved {
        /// A point of the axis, from which heights are measured.
        origin: D::Vector,
        /// Direction of the axis; need not be of unit length.
        axis: D::Vector,
        /// Corners of the profile: distance from the axis and height along it, m.
        profile: Vec<[f64; 2]>,
    },
}

/// A wall: a shape of a material, which stands still or moves on a prescribed path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Boundary<D: Dimension> {
    /// Its name in files and messages.
    pub name: String,
    /// Index of its material.
    pub material: u16,
    /// Its shape in its own frame.
    pub shape: Shape<D>,
    /// How it moves.
    pub motion: Motion<D>,
    /// A gate: the time at which it is taken away, s.
    pub opens_at: Option<f64>,
}
