//! Primitive surfaces: the parts of a boundary, in its own frame.
//!
//! A [wall's shape](crate::walls::Shape) is cut into primitives such that any grain outside the
//! wall touches a corner, an edge or a face *once*: each primitive owns a zone of space, and the
//! zones of one shape overlap only where a grain truly has two contacts (a concave corner).
//!
//! Half-spaces, balls and boxes are solid: behind their surface the distance is negative and the normal still points
//! out. Chains of segments, and the surfaces that they sweep about an axis, are thin and are touched from both sides.

use super::path::Path;
use super::{Dimension, Vector};

mod bow;
mod chain;
pub mod mesh;
mod open;
mod pieces;
mod planar;
mod simple;
mod solid;
mod spatial;
mod tree;
mod vessel;

pub use bow::{Bow, BowEnd};
pub use chain::{Corner, Piece};
pub use open::{Open, Primitive};
pub use pieces::Pieces;
pub use planar::PlanarSurface;
pub use simple::{Coming, Simple};
pub use solid::{Ball, Block, HalfSpace};
pub use spatial::{Axis, SpatialSurface};
pub use tree::BoxTree;
pub use vessel::{Dome, Tube};

/// The nearest point of a surface, as seen from a grain's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe<D: Dimension> {
    /// Distance of the centre from the surface, m; negative behind a one-sided surface.
    pub distance: f64,
    /// Unit normal, from the surface to the centre.
    pub normal: D::Vector,
}

/// A flat piece, for which the contact is linear: distance = normal . x - offset.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub struct Flat<D: Dimension> {
    /// Unit normal, from the surface to the side where `x` lies.
    pub normal: D::Vector,
    /// Offset, m.
    pub offset: f64,
    /// Extents along a direction: the piece is valid where `lo <= along . x < hi`; none if it is infinite.
    pub extent: Option<(D::Vector, f64, f64)>,
}

/// Reasons why a shape cannot be a wall.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A coordinate is not a number, or infinite.
    #[error("{0} must be finite numbers")]
    NotFinite(&'static str),
    /// A direction without length.
    #[error("{0} must have a length greater than 0")]
    ZeroDirection(&'static str),
    /// A radius that is not positive.
    #[error("the radius must be greater than 0 m, not {0}")]
    Radius(f64),
    /// A tube at least as wide as the ring that it follows.
    #[error("the tube's radius of {0} m must be less than that of the ring, {1} m")]
    Tube(f64, f64),
    /// A lid that cannot reach the rim.
    #[error("the lids' radius of {0} m must be at least that of the vessel, {1} m")]
    Lid(f64, f64),
    /// A box without extent.
    #[error(
        "the box's min must lie below its max in every coordinate; coordinate {axis} has min {min} and max {max}"
    )]
    EmptyBox {
        /// Coordinate, from 1.
        axis: usize,
        /// Least value of the coordinate, m.
        min: f64,
        /// Greatest value of the coordinate, m.
        max: f64,
    },
    /// A chain with too few corners.
    #[error(
        "a chain of segments needs at least {need} corners, a closed one 3; this one has {got}"
    )]
    TooFewCorners {
        /// Number needed.
        need: usize,
        /// Number given.
        got: usize,
    },
    /// A segment without length.
    #[error("corners {0} and {1} of the chain are the same point; each segment needs a length")]
    RepeatedCorner(usize, usize),
    /// A segment that returns over the previous one.
    #[error("the chain doubles back on itself at corner {0}")]
    DoublesBack(usize),
    /// A profile with a negative distance from the axis.
    #[error(
        "corner {corner} of the profile has the distance {distance} m from the axis; it must be 0 or more"
    )]
    BeyondAxis {
        /// Corner, from 1.
        corner: usize,
        /// Distance of the corner from the axis, m.
        distance: f64,
    },
    /// A segment of a profile that sweeps no surface.
    #[error("the profile runs along the axis from corner {0}; such a segment sweeps no surface")]
    AlongAxis(usize),
    /// An arc with an invalid range of angles, or a whole circle.
    #[error(
        "an arc goes counter-clockwise from an angle to a greater one, by less than a turn; this one from {0} to {1}"
    )]
    Angles(f64, f64),
    /// A rough wall without grains.
    #[error("a rough wall needs at least one grain")]
    NoGrains,
    /// A mesh without triangles.
    #[error("the mesh has no triangle that is more than a line")]
    NoTriangles,
    /// A mesh of too many triangles.
    #[error("the mesh has {0} triangles; a wall may have {1} at most")]
    TooManyTriangles(usize, usize),
    /// A triangle that is a line.
    #[error("triangle {0} of the mesh has no area: its corners lie on one line")]
    NoArea(usize),
    /// A triangle names a corner that does not exist.
    #[error("triangle {0} of the mesh names corner {1}, which there is not (the first is 0)")]
    NoCorner(usize, u32),
    /// A shape that does not exist in the dimension.
    #[error("a {shape} exists only in {space}; use {instead}")]
    WrongDimension {
        /// Name of the shape.
        shape: &'static str,
        /// Dimension in which it exists.
        space: &'static str,
        /// Alternative in this dimension.
        instead: &'static str,
    },
}

/// Returns the ball around a box.
fn ball_around<V: Vector>([min, max]: [V; 2]) -> (V, f64) {
    ((min + max) * 0.5, 0.5 * (max - min).norm())
}

/// A primitive surface.
pub trait Surface<D: Dimension>: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// Returns the contact with a grain whose centre is at `x`; none if `x` lies outside of this primitive's zone.
    fn probe(&self, x: D::Vector) -> Option<Probe<D>>;
    /// Returns a lower bound of the distance of `x` from the surface in any zone, m: used to find grains that could
    /// touch soon. Negative behind a one-sided surface. The primitives here return the distance itself, so that it
    /// never changes faster than `x` moves.
    fn distance_bound(&self, x: D::Vector) -> f64;
    /// Returns the flat form as seen from `x`, if the primitive is flat and its zone is bounded along at most one
    /// direction. If there is one, [`Surface::probe`] has the same bits: `normal . x - offset` inside the extent,
    /// none outside.
    fn flat(&self, x: D::Vector) -> Option<Flat<D>>;
    /// Returns a point of the surface, or the centre or axis of a round one.
    fn reference_point(&self) -> D::Vector;
    /// Returns the principal curvatures where a grain at `x` touches it, 1/m: positive where it bulges towards the
    /// grain, negative in a hollow. 0 for flat pieces, and for edges and corners, which contact laws treat as flat.
    /// In the plane the one curvature occurs twice.
    fn curvatures(&self, _x: D::Vector, _met: &Probe<D>) -> [f64; 2] {
        [0.0; 2]
    }
    /// Returns a bound, 1/m, of the negative second derivative of the distance along straight lines through `x`, over
    /// the square of the speed: in a hollow the inverse distance from its centre or axis; 0 where it is flat or
    /// bulges.
    fn hollow(&self, _x: D::Vector, _met: &Probe<D>) -> f64 {
        0.0
    }
    /// Returns when a ball of radius `r` (m) on a path reaches the infinite surface of which this is a part, before a
    /// time `until`, s. For edges without a closed form: whether the surfaces before them prevent it from coming
    /// near.
    fn coming(&self, _path: &Path<D>, _r: f64, _until: f64) -> Coming {
        Coming::Unknown
    }
    /// Returns the bounding box of a piece of a mesh or of a rough wall, of which there may be very many; none for
    /// all others.
    fn bounds(&self) -> Option<[D::Vector; 2]> {
        None
    }
    /// Returns a ball around the whole surface, by centre and radius, m; none if the surface, or the solid that it
    /// bounds, is infinite.
    fn around(&self) -> Option<(D::Vector, f64)> {
        self.bounds().map(ball_around)
    }
    /// Returns a lower bound of the displacement from `x` to the zone of this surface, m, given its distance: for
    /// pieces of a mesh, of which many that a grain cannot touch may be near it. 0 for all others.
    fn way_to_zone(&self, _x: D::Vector, _distance: f64) -> f64 {
        0.0
    }
    /// Returns the surfaces of the same boundary that continue this one nearly straight: of those that face a point
    /// only the nearest is touched there.
    fn beside(&self) -> &[u32] {
        &[]
    }
    /// Returns the ends of a straight ridge of a mesh, for drawings; none for all others.
    fn ridge(&self) -> Option<[D::Vector; 2]> {
        None
    }

    /// Wraps a surface of another kind.
    fn open(primitive: Open<D>) -> Self;
    /// Returns the half-space bounded by a plane; grains are on the side of the normal.
    fn half_space(point: D::Vector, normal: D::Vector) -> Result<Vec<Self>, ShapeError>;
    /// Returns a box: solid from outside, or its planes from inside.
    fn block(min: D::Vector, max: D::Vector, inside: bool) -> Result<Vec<Self>, ShapeError>;
    /// Returns a circle or sphere touched from outside or inside.
    fn ball(centre: D::Vector, radius: f64, inside: bool) -> Result<Vec<Self>, ShapeError>;
    /// Returns a thin circular arc between two angles, rad; in the plane only.
    fn arc(centre: D::Vector, radius: f64, angles: [f64; 2]) -> Result<Vec<Self>, ShapeError>;
    /// Returns grains fixed relative to each other: centre, radius (m).
    fn grains(list: &[(D::Vector, f64)]) -> Result<Vec<Self>, ShapeError>;
    /// Returns a chain of segments; in the plane only.
    fn polyline(points: &[D::Vector], closed: bool) -> Result<Vec<Self>, ShapeError>;
    /// Returns the surface swept by a profile of (distance from the axis, height); in space only.
    fn revolved(
        origin: D::Vector,
        axis: D::Vector,
        profile: &[[f64; 2]],
    ) -> Result<Vec<Self>, ShapeError>;
    /// Returns a cylinder with spherical lids touched from inside, from the centre of one rim to that of the other;
    /// in space only.
    fn vessel(
        from: D::Vector,
        to: D::Vector,
        radius: f64,
        lid_radius: f64,
    ) -> Result<Vec<Self>, ShapeError>;
    /// Returns triangles given by the numbers of their corners, thin and two-sided; in space only.
    fn mesh(
        corners: &[D::Vector],
        triangles: &[[u32; 3]],
        exactness: mesh::Exactness,
    ) -> Result<Vec<Self>, ShapeError>;
}
