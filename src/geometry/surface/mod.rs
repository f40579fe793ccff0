//! Primitive surfaces: what a boundary is made of, in its own frame.
//!
//! A [wall's shape](crate::walls::Shape) is cut into primitives such that any grain outside the
//! wall touches a corner, an edge or a face *once*: each primitive owns a zone of space, and the
//! zones of one shape overlap only where a grain truly has two contacts (a concave corner).
//!
//! Half-spaces, balls and boxes are solid: behind their surface the distance is negative and the
//! normal still leads out. Chains of segments, and what they sweep when they turn about an axis,
//! are thin and are felt from both sides.

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
    /// Extents along a direction: the piece holds where `lo <= along . x < hi`; none when infinite.
    pub extent: Option<(D::Vector, f64, f64)>,
}

/// Why a shape cannot be a wall.
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
    /// A tube that is as wide as the ring it goes round, or wider.
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
        /// Its least value, m.
        min: f64,
        /// Its greatest value, m.
        max: f64,
    },
    /// A chain with too few corners.
    #[error(
        "a chain of segments needs at least {need} corners, a closed one 3; this one has {got}"
    )]
    TooFewCorners {
        /// How many are needed.
        need: usize,
        /// How many there are.
        got: usize,
    },
    /// A segment without length.
    #[error("corners {0} and {1} of the chain are the same point; each segment needs a length")]
    RepeatedCorner(usize, usize),
    /// A segment that returns over the one before it.
    #[error("the chain doubles back on itself at corner {0}")]
    DoublesBack(usize),
    /// A profile with a negative distance from the axis.
    #[error(
        "corner {corner} of the profile has the distance {distance} m from the axis; it must be 0 or more"
    )]
    BeyondAxis {
        /// Corner, from 1.
        corner: usize,
        /// Its distance from the axis, m.
        distance: f64,
    },
    /// A segment of a profile that sweeps no surface.
    #[error("the profile runs along the axis from corner {0}; such a segment sweeps no surface")]
    AlongAxis(usize),
    /// An arc that is none, or a whole circle.
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
    /// A triangle names a corner that there is not.
    #[error("triangle {0} of the mesh names corner {1}, which there is not (the first is 0)")]
    NoCorner(usize, u32),
    /// A shape that the dimension does not have.
    #[error("a {shape} exists only in {space}; use {instead}")]
    WrongDimension {
        /// What was asked for.
        shape: &'static str,
        /// Where it exists.
        space: &'static str,
        /// What to use here.
        instead: &'static str,
    },
}

/// The ball around a box.
fn ball_around<V: Vector>([min, max]: [V; 2]) -> (V, f64) {
    ((min + max) * 0.5, 0.5 * (max - min).norm())
}

/// A primitive surface.
pub trait Surface<D: Dimension>: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// The contact with a grain whose centre is at `x`; none when `x` lies outside of this
    /// primitive's zone.
    fn probe(&self, x: D::Vector) -> Option<Probe<D>>;
    /// A lower bound of the distance of `x` from the surface whatever the zone, m: used to find
    /// grains that could touch soon. Negative behind a one-sided surface. The primitives here
    /// return the distance itself, so that it never changes faster than `x` moves.
    fn distance_bound(&self, x: D::Vector) -> f64;
    /// The flat form as seen from `x`, when the primitive is flat and its zone is bounded along
    /// one direction at most. Where it is given, [`Surface::probe`] has the same bits:
    /// `normal . x - offset` inside the extent, none outside.
    fn flat(&self, x: D::Vector) -> Option<Flat<D>>;
    /// Some point of the surface, or the centre or axis of a round one.
    fn reference_point(&self) -> D::Vector;
    /// Principal curvatures where a grain at `x` meets it, 1/m: over 0 where it bulges towards the grain, under 0 in a
    /// hollow. 0 of flat pieces, and of edges and corners, which contact laws see as flat. The plane has one: twice.
    fn curvatures(&self, _x: D::Vector, _met: &Probe<D>) -> [f64; 2] {
        [0.0; 2]
    }
    /// A bound, 1/m, of how fast the distance bends down along straight lines through `x`, over the square of the speed: in a hollow one over the
    /// distance from its centre or axis; 0 where it is flat or bulges.
    fn hollow(&self, _x: D::Vector, _met: &Probe<D>) -> f64 {
        0.0
    }
    /// When a ball of radius `r` (m) on a path comes to the endless surface of which this is a part, before a time `until`, s. Of edges that have no
    /// closed form: whether it cannot come near for what lies before them.
    fn coming(&self, _path: &Path<D>, _r: f64, _until: f64) -> Coming {
        Coming::Unknown
    }
    /// The box around a piece of a mesh or of a rough wall, of which there may be very many; none for all others.
    fn bounds(&self) -> Option<[D::Vector; 2]> {
        None
    }
    /// A ball around all of it, by its centre and its radius, m; none where it goes on without end, or bounds what is solid without end.
    fn around(&self) -> Option<(D::Vector, f64)> {
        self.bounds().map(ball_around)
    }
    /// A lower bound of how far `x` is from where this surface is met, m, its distance being known: for pieces of a
    /// mesh, of which a grain has many near that it cannot touch. 0 for all others.
    fn way_to_zone(&self, _x: D::Vector, _distance: f64) -> f64 {
        0.0
    }
    /// Surfaces of the same boundary that go on from this one nearly straight: of those that face a point only the
    /// nearest is met there.
    fn beside(&self) -> &[u32] {
        &[]
    }
    /// The ends of a straight ridge of a mesh, for drawings; none for all others.
    fn ridge(&self) -> Option<[D::Vector; 2]> {
        None
    }

    /// A surface of another kind.
    fn open(primitive: Open<D>) -> Self;
    /// The half-space bounded by a plane; grains live where the normal points to.
    fn half_space(point: D::Vector, normal: D::Vector) -> Result<Vec<Self>, ShapeError>;
    /// A box: solid from outside, or its planes from inside.
    fn block(min: D::Vector, max: D::Vector, inside: bool) -> Result<Vec<Self>, ShapeError>;
    /// A circle or sphere from outside or inside.
    fn ball(centre: D::Vector, radius: f64, inside: bool) -> Result<Vec<Self>, ShapeError>;
    /// A thin piece of a circle between two angles, rad; in the plane only.
    fn arc(centre: D::Vector, radius: f64, angles: [f64; 2]) -> Result<Vec<Self>, ShapeError>;
    /// Grains that do not move against each other: centre, radius (m).
    fn grains(list: &[(D::Vector, f64)]) -> Result<Vec<Self>, ShapeError>;
    /// A chain of segments; in the plane only.
    fn polyline(points: &[D::Vector], closed: bool) -> Result<Vec<Self>, ShapeError>;
    /// The surface swept by a profile of (distance from the axis, height); in space only.
    fn revolved(
        origin: D::Vector,
        axis: D::Vector,
        profile: &[[f64; 2]],
    ) -> Result<Vec<Self>, ShapeError>;
    /// A cylinder with spherical lids from inside, from the centre of one rim to that of the other; in
    /// space only.
    fn vessel(
        from: D::Vector,
        to: D::Vector,
        radius: f64,
        lid_radius: f64,
    ) -> Result<Vec<Self>, ShapeError>;
    /// Triangles by the numbers of their corners, thin and two-sided; in space only.
    fn mesh(
        corners: &[D::Vector],
        triangles: &[[u32; 3]],
        exactness: mesh::Exactness,
    ) -> Result<Vec<Self>, ShapeError>;
}
