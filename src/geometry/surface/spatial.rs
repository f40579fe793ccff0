//! Primitive surfaces of space.
//!
//! A surface of revolution is a chain in the half-plane of (distance from the axis, height): the nearest point of the
//! whole surface lies in the half-plane through the grain's centre, so its bands and rims are the chain's pieces and
//! corners there. A grain that rests on a ring all around (a sphere larger than a round hole) is supported at the
//! nearest point of that ring only.

use std::sync::Arc;

use nalgebra::{Vector2, Vector3};

use super::mesh::{self, Exactness, Facet, Ridge, Tip};
use super::solid::unit;
use super::vessel::{Dome, Tube, vessel};
use super::{
    Ball, Block, Coming, Corner, Flat, HalfSpace, Open, Piece, Probe, ShapeError, Simple, Surface,
    ball_around, chain,
};
use crate::geometry::path::Path;
use crate::geometry::{Spatial, Vector};

/// An axis of revolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    origin: Vector3<f64>,
    /// Unit vector along the axis.
    along: Vector3<f64>,
    /// Unit vector across the axis, used as the radial direction of points on the axis itself.
    side: Vector3<f64>,
}

impl Axis {
    /// Returns the axis through a point; the direction need not be of unit length.
    pub fn new(origin: Vector3<f64>, direction: Vector3<f64>) -> Result<Self, ShapeError> {
        if !Vector::is_finite(&origin) {
            return Err(ShapeError::NotFinite("the origin's coordinates"));
        }
        let along = unit::<Spatial>(direction, "the axis")?;
        // The coordinate axis that is most nearly perpendicular: x for a vertical axis.
        let mut across = 0;
        for k in 1..3 {
            if along[k].abs() < along[across].abs() {
                across = k;
            }
        }
        let mut side = along * -along[across];
        side[across] += 1.0;
        let side = unit::<Spatial>(side, "the axis")?;
        Ok(Axis {
            origin,
            along,
            side,
        })
    }
    /// Returns its unit vector.
    pub fn along(&self) -> Vector3<f64> {
        self.along
    }
    /// Returns distance from the axis and height along it, and the unit vector from the axis to `x`.
    #[inline]
    pub fn meridian(&self, x: Vector3<f64>) -> (Vector2<f64>, Vector3<f64>) {
        let arm = x - self.origin;
        let height = Vector::dot(&arm, &self.along);
        let across = arm - self.along * height;
        let distance = Vector::norm(&across);
        let out = if distance > 0.0 {
            Vector3::new(
                across.x / distance,
                across.y / distance,
                across.z / distance,
            )
        } else {
            self.side
        };
        (Vector2::new(distance, height), out)
    }
    /// Returns the point at a distance from the axis (on its `side`; opposite if negative) and a height.
    pub fn point(&self, distance: f64, height: f64) -> Vector3<f64> {
        self.origin + self.side * distance + self.along * height
    }
    /// Returns a ball around the surface that a line segment between two points, given by distance and height, sweeps
    /// about the axis.
    fn around(&self, [from, to]: [Vector2<f64>; 2]) -> (Vector3<f64>, f64) {
        let (middle, half) = (0.5 * (from.y + to.y), 0.5 * (from.y - to.y));
        (self.point(0.0, middle), half.hypot(from.x.max(to.x)))
    }
    /// Returns the curvature around the axis of the swept surface, where a grain at `x` touches it, 1/m (Meusnier
    /// 1785).
    fn curvature(&self, x: Vector3<f64>, met: &Probe<Spatial>) -> f64 {
        /// Radial part of a normal that counts as rounding: for a disk or a ring perpendicular to the axis.
        const FLAT: f64 = 1e-12;
        let (place, out) = self.meridian(x);
        let away = Vector::dot(&met.normal, &out);
        let distance = place.x - away * met.distance;
        if away.abs() <= FLAT {
            0.0
        } else if distance > 0.0 {
            away / distance
        } else {
            // At the tip of a cone it is infinite.
            away.signum() * f64::INFINITY
        }
    }
    /// Returns the concavity of the swept surface around the axis, as seen from `x`, 1/m: the part of the normal
    /// towards the axis, over the distance from it (the second derivative of a distance that depends only on the
    /// position in the meridian).
    pub(super) fn hollow(&self, x: Vector3<f64>, met: &Probe<Spatial>) -> f64 {
        let (place, out) = self.meridian(x);
        let inwards = -Vector::dot(&met.normal, &out);
        if inwards > 0.0 {
            inwards / place.x
        } else {
            0.0
        }
    }
    /// Returns the distance from the axis, m.
    #[inline]
    fn distance(&self, x: Vector3<f64>) -> f64 {
        let arm = x - self.origin;
        Vector::norm(&(arm - self.along * Vector::dot(&arm, &self.along)))
    }
    /// Returns the cylinder with a radius about it, as seen from `x`.
    #[inline(always)]
    fn cylinder(&self, radius: f64, x: Vector3<f64>) -> Simple<Spatial> {
        Simple::Cylinder {
            origin: self.origin,
            axis: self.along,
            radius,
            inside: self.distance(x) < radius,
        }
    }
    /// Returns the plane perpendicular to it at a height, as seen from `x`.
    #[inline(always)]
    fn plane(&self, height: f64, x: Vector3<f64>) -> Simple<Spatial> {
        let height = Vector::dot(&self.along, &self.origin) + height;
        let above = Vector::dot(&self.along, &x) >= height;
        let side = if above { 1.0 } else { -1.0 };
        Simple::Plane {
            normal: self.along * side,
            offset: height * side,
        }
    }
    fn probe(
        &self,
        x: Vector3<f64>,
        nearest: impl Fn(Vector2<f64>) -> Option<(f64, Vector2<f64>)>,
    ) -> Option<Probe<Spatial>> {
        let (place, out) = self.meridian(x);
        nearest(place).map(|(distance, normal)| Probe {
            distance,
            normal: out * normal.x + self.along * normal.y,
        })
    }
}

/// A primitive surface of space.
#[derive(Clone, Debug, PartialEq)]
pub enum SpatialSurface {
    /// The plane that bounds a half-space.
    Plane(HalfSpace<Spatial>),
    /// A sphere touched from outside or inside.
    Sphere(Ball<Spatial>),
    /// A box touched from outside.
    Block(Block<Spatial>),
    /// The surface that a segment sweeps about an axis: cylinder, cone, disk or ring, touched from both sides.
    Band(Axis, Piece),
    /// A circle where bands meet or end.
    Rim(Axis, Corner),
    /// A cylinder touched from inside.
    Tube(Tube),
    /// A spherical lid touched from inside.
    Dome(Dome),
    /// A plane part of a mesh, touched from both sides.
    Facet(Arc<Facet>),
    /// A straight line where parts of a mesh meet or end.
    Ridge(Arc<Ridge>),
    /// A point where such lines meet or end.
    Tip(Arc<Tip>),
    /// A grain of a rough wall.
    Grain(Ball<Spatial>),
    /// A surface of another kind.
    Other(Open<Spatial>),
}

impl Surface<Spatial> for SpatialSurface {
    #[inline]
    fn probe(&self, x: Vector3<f64>) -> Option<Probe<Spatial>> {
        match self {
            SpatialSurface::Plane(half) => Some(half.probe(x)),
            SpatialSurface::Sphere(ball) | SpatialSurface::Grain(ball) => Some(ball.probe(x)),
            SpatialSurface::Block(block) => Some(block.probe(x)),
            SpatialSurface::Band(axis, piece) => axis.probe(x, |p| piece.probe(p)),
            SpatialSurface::Rim(axis, corner) => axis.probe(x, |p| corner.probe(p)),
            SpatialSurface::Tube(tube) => tube.probe(x),
            SpatialSurface::Dome(dome) => dome.probe(x),
            SpatialSurface::Facet(facet) => facet.probe(x),
            SpatialSurface::Ridge(ridge) => ridge.probe(x),
            SpatialSurface::Tip(tip) => tip.probe(x),
            SpatialSurface::Other(other) => other.probe(x),
        }
    }
    #[inline]
    fn distance_bound(&self, x: Vector3<f64>) -> f64 {
        match self {
            SpatialSurface::Plane(half) => half.probe(x).distance,
            SpatialSurface::Sphere(ball) | SpatialSurface::Grain(ball) => ball.probe(x).distance,
            SpatialSurface::Block(block) => block.probe(x).distance,
            SpatialSurface::Band(axis, piece) => piece.distance(axis.meridian(x).0),
            SpatialSurface::Rim(axis, corner) => corner.distance(axis.meridian(x).0),
            SpatialSurface::Tube(tube) => tube.distance(x),
            SpatialSurface::Dome(dome) => dome.distance(x),
            SpatialSurface::Facet(facet) => facet.distance(x),
            SpatialSurface::Ridge(ridge) => ridge.distance(x),
            SpatialSurface::Tip(tip) => tip.distance(x),
            SpatialSurface::Other(other) => other.distance_bound(x),
        }
    }
    fn flat(&self, _x: Vector3<f64>) -> Option<Flat<Spatial>> {
        match self {
            SpatialSurface::Plane(half) => Some(half.flat()),
            _ => None,
        }
    }
    fn reference_point(&self) -> Vector3<f64> {
        match self {
            SpatialSurface::Plane(half) => half.point(),
            SpatialSurface::Sphere(ball) | SpatialSurface::Grain(ball) => ball.centre(),
            SpatialSurface::Block(block) => block.centre(),
            SpatialSurface::Band(axis, _) | SpatialSurface::Rim(axis, _) => axis.origin,
            SpatialSurface::Tube(tube) => tube.origin(),
            SpatialSurface::Dome(dome) => dome.middle(),
            SpatialSurface::Facet(facet) => facet.point(),
            SpatialSurface::Ridge(ridge) => ridge.ends()[0],
            SpatialSurface::Tip(tip) => tip.point(),
            SpatialSurface::Other(other) => other.reference_point(),
        }
    }
    fn curvatures(&self, x: Vector3<f64>, met: &Probe<Spatial>) -> [f64; 2] {
        match self {
            SpatialSurface::Sphere(ball) | SpatialSurface::Grain(ball) => [ball.curvature(); 2],
            // Along the generator a band is straight.
            SpatialSurface::Band(axis, _) => [axis.curvature(x, met), 0.0],
            SpatialSurface::Tube(tube) => [tube.curvature(), 0.0],
            SpatialSurface::Dome(dome) => [dome.curvature(); 2],
            SpatialSurface::Other(other) => other.curvatures(x, met),
            _ => [0.0; 2],
        }
    }
    fn hollow(&self, x: Vector3<f64>, met: &Probe<Spatial>) -> f64 {
        match self {
            SpatialSurface::Sphere(ball) => ball.hollow(x),
            SpatialSurface::Band(axis, _) | SpatialSurface::Rim(axis, _) => axis.hollow(x, met),
            SpatialSurface::Tube(tube) => tube.hollow(x, met),
            SpatialSurface::Dome(dome) => dome.hollow(x),
            SpatialSurface::Other(other) => other.hollow(x, met),
            _ => 0.0,
        }
    }
    #[inline]
    fn coming(&self, path: &Path<Spatial>, r: f64, until: f64) -> Coming {
        let x = path.position;
        match self {
            SpatialSurface::Plane(half) => half.simple().coming(path, r, until),
            SpatialSurface::Sphere(ball) | SpatialSurface::Grain(ball) => {
                ball.simple().coming(path, r, until)
            }
            SpatialSurface::Band(axis, piece) => {
                let (start, end) = (piece.start(), piece.end());
                if start.x == end.x {
                    axis.cylinder(start.x, x).coming(path, r, until)
                } else if start.y == end.y {
                    axis.plane(start.y, x).coming(path, r, until)
                } else {
                    Coming::Unknown
                }
            }
            SpatialSurface::Rim(axis, corner) => {
                let place = corner.point();
                let far = axis.cylinder(place.x, x).keeps_off(path, r, until)
                    || axis.plane(place.y, x).keeps_off(path, r, until);
                if far { Coming::Not } else { Coming::Unknown }
            }
            SpatialSurface::Tube(tube) => tube.simple().coming(path, r, until),
            SpatialSurface::Dome(dome) => dome.simple().coming(path, r, until),
            SpatialSurface::Facet(facet) => facet.simple(x).coming(path, r, until),
            SpatialSurface::Ridge(ridge) => Simple::line(ridge.ends()).coming(path, r, until),
            SpatialSurface::Tip(tip) => Simple::point(tip.point()).coming(path, r, until),
            SpatialSurface::Block(_) | SpatialSurface::Other(_) => Coming::Unknown,
        }
    }
    fn bounds(&self) -> Option<[Vector3<f64>; 2]> {
        match self {
            SpatialSurface::Grain(ball) => Some(ball.bounds()),
            SpatialSurface::Facet(facet) => Some(facet.bounds()),
            SpatialSurface::Ridge(ridge) => Some(ridge.bounds()),
            SpatialSurface::Tip(tip) => Some([tip.point(); 2]),
            SpatialSurface::Other(other) => other.bounds(),
            _ => None,
        }
    }
    fn around(&self) -> Option<(Vector3<f64>, f64)> {
        match self {
            SpatialSurface::Sphere(ball) => ball.around(),
            SpatialSurface::Block(block) => Some(ball_around(block.corners())),
            SpatialSurface::Band(axis, piece) => Some(axis.around([piece.start(), piece.end()])),
            SpatialSurface::Rim(axis, corner) => Some(axis.around([corner.point(); 2])),
            // The solid beyond these is infinite.
            SpatialSurface::Plane(_) | SpatialSurface::Tube(_) | SpatialSurface::Dome(_) => None,
            SpatialSurface::Facet(_)
            | SpatialSurface::Ridge(_)
            | SpatialSurface::Tip(_)
            | SpatialSurface::Grain(_)
            | SpatialSurface::Other(_) => self.bounds().map(ball_around),
        }
    }
    fn way_to_zone(&self, x: Vector3<f64>, distance: f64) -> f64 {
        match self {
            SpatialSurface::Facet(facet) => facet.way_to_zone(x, distance),
            SpatialSurface::Ridge(ridge) => ridge.way_to_zone(x),
            SpatialSurface::Tip(tip) => tip.way_to_zone(x),
            SpatialSurface::Other(other) => other.way_to_zone(x, distance),
            _ => 0.0,
        }
    }
    fn beside(&self) -> &[u32] {
        match self {
            SpatialSurface::Facet(facet) => facet.beside(),
            _ => &[],
        }
    }
    fn ridge(&self) -> Option<[Vector3<f64>; 2]> {
        match self {
            SpatialSurface::Ridge(ridge) => Some(ridge.ends()),
            _ => None,
        }
    }

    fn open(primitive: Open<Spatial>) -> Self {
        SpatialSurface::Other(primitive)
    }
    fn half_space(point: Vector3<f64>, normal: Vector3<f64>) -> Result<Vec<Self>, ShapeError> {
        Ok(vec![SpatialSurface::Plane(HalfSpace::new(point, normal)?)])
    }
    fn block(min: Vector3<f64>, max: Vector3<f64>, inside: bool) -> Result<Vec<Self>, ShapeError> {
        let block = Block::new(min, max)?;
        Ok(if inside {
            let faces = block.faces().into_iter();
            faces.map(SpatialSurface::Plane).collect()
        } else {
            vec![SpatialSurface::Block(block)]
        })
    }
    fn ball(centre: Vector3<f64>, radius: f64, inside: bool) -> Result<Vec<Self>, ShapeError> {
        let ball = Ball::new(centre, radius, inside)?;
        Ok(vec![SpatialSurface::Sphere(ball)])
    }
    fn arc(_: Vector3<f64>, _: f64, _: [f64; 2]) -> Result<Vec<Self>, ShapeError> {
        Err(ShapeError::WrongDimension {
            shape: "arc",
            space: "two dimensions",
            instead: "a revolved surface",
        })
    }
    fn grains(list: &[(Vector3<f64>, f64)]) -> Result<Vec<Self>, ShapeError> {
        let balls = Ball::all(list)?;
        Ok(balls.into_iter().map(SpatialSurface::Grain).collect())
    }
    fn polyline(_: &[Vector3<f64>], _: bool) -> Result<Vec<Self>, ShapeError> {
        Err(ShapeError::WrongDimension {
            shape: "polyline",
            space: "two dimensions",
            instead: "a revolved surface, planes or a box",
        })
    }
    fn revolved(
        origin: Vector3<f64>,
        axis: Vector3<f64>,
        profile: &[[f64; 2]],
    ) -> Result<Vec<Self>, ShapeError> {
        let axis = Axis::new(origin, axis)?;
        for (i, corner) in profile.iter().enumerate() {
            if corner[0] < 0.0 {
                return Err(ShapeError::BeyondAxis {
                    corner: i + 1,
                    distance: corner[0],
                });
            }
            if corner[0] == 0.0 && profile.get(i + 1).is_some_and(|next| next[0] == 0.0) {
                return Err(ShapeError::AlongAxis(i + 1));
            }
        }
        let points: Vec<_> = profile.iter().map(|&[r, z]| Vector2::new(r, z)).collect();
        let (pieces, corners) = chain::cut(&points, false)?;
        let bands = pieces.into_iter().map(|p| SpatialSurface::Band(axis, p));
        let rims = corners
            .into_iter()
            .filter(|c| !c.is_beyond_axis())
            .map(|c| SpatialSurface::Rim(axis, c));
        Ok(bands.chain(rims).collect())
    }
    fn vessel(
        from: Vector3<f64>,
        to: Vector3<f64>,
        radius: f64,
        lid_radius: f64,
    ) -> Result<Vec<Self>, ShapeError> {
        let (tube, domes) = vessel(from, to, radius, lid_radius)?;
        let domes = domes.into_iter().map(SpatialSurface::Dome);
        Ok(std::iter::once(SpatialSurface::Tube(tube))
            .chain(domes)
            .collect())
    }
    fn mesh(
        corners: &[Vector3<f64>],
        triangles: &[[u32; 3]],
        exactness: Exactness,
    ) -> Result<Vec<Self>, ShapeError> {
        mesh::pieces(corners, triangles, exactness)
    }
}
