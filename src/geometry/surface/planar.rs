//! Primitive surfaces of the plane.

use nalgebra::Vector2;

use super::mesh::Exactness;
use super::{
    Ball, Block, Bow, BowEnd, Coming, Corner, Flat, HalfSpace, Open, Piece, Probe, ShapeError,
    Simple, Surface, ball_around, chain,
};
use crate::geometry::Planar;
use crate::geometry::path::Path;

/// A primitive surface of the plane.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanarSurface {
    /// The line that bounds a half-plane.
    HalfPlane(HalfSpace<Planar>),
    /// The interior of a segment, touched from both sides.
    Segment(Piece),
    /// A corner or an end of a chain.
    Vertex(Corner),
    /// A circle touched from outside or inside.
    Circle(Ball<Planar>),
    /// A box touched from outside.
    Block(Block<Planar>),
    /// A circular arc, touched from both sides.
    Bow(Bow),
    /// An end of a circular arc.
    BowEnd(BowEnd),
    /// A grain of a rough wall.
    Grain(Ball<Planar>),
    /// A surface of another kind.
    Other(Open<Planar>),
}

fn probe((distance, normal): (f64, Vector2<f64>)) -> Probe<Planar> {
    Probe { distance, normal }
}

impl Surface<Planar> for PlanarSurface {
    #[inline]
    fn probe(&self, x: Vector2<f64>) -> Option<Probe<Planar>> {
        match self {
            PlanarSurface::HalfPlane(half) => Some(half.probe(x)),
            PlanarSurface::Segment(piece) => piece.probe(x).map(probe),
            PlanarSurface::Vertex(corner) => corner.probe(x).map(probe),
            PlanarSurface::Circle(ball) | PlanarSurface::Grain(ball) => Some(ball.probe(x)),
            PlanarSurface::Block(block) => Some(block.probe(x)),
            PlanarSurface::Bow(bow) => bow.probe(x).map(probe),
            PlanarSurface::BowEnd(end) => end.probe(x).map(probe),
            PlanarSurface::Other(other) => other.probe(x),
        }
    }
    #[inline]
    fn distance_bound(&self, x: Vector2<f64>) -> f64 {
        match self {
            PlanarSurface::HalfPlane(half) => half.probe(x).distance,
            PlanarSurface::Segment(piece) => piece.distance(x),
            PlanarSurface::Vertex(corner) => corner.distance(x),
            PlanarSurface::Circle(ball) | PlanarSurface::Grain(ball) => ball.probe(x).distance,
            PlanarSurface::Block(block) => block.probe(x).distance,
            PlanarSurface::Bow(bow) => bow.distance(x),
            PlanarSurface::BowEnd(end) => end.distance(x),
            PlanarSurface::Other(other) => other.distance_bound(x),
        }
    }
    fn flat(&self, x: Vector2<f64>) -> Option<Flat<Planar>> {
        match self {
            PlanarSurface::HalfPlane(half) => Some(half.flat()),
            PlanarSurface::Segment(piece) => piece.strip().map(|strip| {
                let (normal, offset) = piece.side(x);
                Flat {
                    normal,
                    offset,
                    extent: Some(strip),
                }
            }),
            _ => None,
        }
    }
    fn reference_point(&self) -> Vector2<f64> {
        match self {
            PlanarSurface::HalfPlane(half) => half.point(),
            PlanarSurface::Segment(piece) => (piece.start() + piece.end()) * 0.5,
            PlanarSurface::Vertex(corner) => corner.point(),
            PlanarSurface::Circle(ball) | PlanarSurface::Grain(ball) => ball.centre(),
            PlanarSurface::Block(block) => block.centre(),
            PlanarSurface::Bow(bow) => bow.point(),
            PlanarSurface::BowEnd(end) => end.point(),
            PlanarSurface::Other(other) => other.reference_point(),
        }
    }

    fn curvatures(&self, x: Vector2<f64>, met: &Probe<Planar>) -> [f64; 2] {
        let curvature = match self {
            PlanarSurface::Circle(ball) | PlanarSurface::Grain(ball) => ball.curvature(),
            PlanarSurface::Bow(bow) => bow.curvature(x),
            PlanarSurface::Other(other) => return other.curvatures(x, met),
            _ => 0.0,
        };
        [curvature; 2]
    }
    fn hollow(&self, x: Vector2<f64>, met: &Probe<Planar>) -> f64 {
        match self {
            PlanarSurface::Circle(ball) => ball.hollow(x),
            PlanarSurface::Bow(bow) => bow.hollow(x),
            PlanarSurface::Other(other) => other.hollow(x, met),
            _ => 0.0,
        }
    }
    #[inline]
    fn coming(&self, path: &Path<Planar>, r: f64, until: f64) -> Coming {
        let x = path.position;
        match self {
            PlanarSurface::HalfPlane(half) => half.simple().coming(path, r, until),
            PlanarSurface::Segment(piece) => {
                let (normal, offset) = piece.side(x);
                Simple::Plane { normal, offset }.coming(path, r, until)
            }
            PlanarSurface::Circle(ball) | PlanarSurface::Grain(ball) => {
                ball.simple().coming(path, r, until)
            }
            PlanarSurface::Bow(bow) => bow.simple(x).coming(path, r, until),
            PlanarSurface::Vertex(corner) => Simple::point(corner.point()).coming(path, r, until),
            PlanarSurface::BowEnd(end) => Simple::point(end.point()).coming(path, r, until),
            PlanarSurface::Block(_) | PlanarSurface::Other(_) => Coming::Unknown,
        }
    }
    fn bounds(&self) -> Option<[Vector2<f64>; 2]> {
        match self {
            PlanarSurface::Grain(ball) => Some(ball.bounds()),
            PlanarSurface::Other(other) => other.bounds(),
            _ => None,
        }
    }
    fn around(&self) -> Option<(Vector2<f64>, f64)> {
        match self {
            PlanarSurface::Segment(piece) => Some(ball_around([piece.start(), piece.end()])),
            PlanarSurface::Vertex(corner) => Some((corner.point(), 0.0)),
            PlanarSurface::Circle(ball) => ball.around(),
            PlanarSurface::Block(block) => Some(ball_around(block.corners())),
            PlanarSurface::Bow(bow) => Some(bow.around()),
            PlanarSurface::BowEnd(end) => Some((end.point(), 0.0)),
            PlanarSurface::HalfPlane(_) => None,
            PlanarSurface::Grain(_) | PlanarSurface::Other(_) => self.bounds().map(ball_around),
        }
    }
    fn way_to_zone(&self, x: Vector2<f64>, distance: f64) -> f64 {
        match self {
            PlanarSurface::Other(other) => other.way_to_zone(x, distance),
            _ => 0.0,
        }
    }

    fn open(primitive: Open<Planar>) -> Self {
        PlanarSurface::Other(primitive)
    }
    fn half_space(point: Vector2<f64>, normal: Vector2<f64>) -> Result<Vec<Self>, ShapeError> {
        Ok(vec![PlanarSurface::HalfPlane(HalfSpace::new(
            point, normal,
        )?)])
    }
    fn block(min: Vector2<f64>, max: Vector2<f64>, inside: bool) -> Result<Vec<Self>, ShapeError> {
        let block = Block::new(min, max)?;
        Ok(if inside {
            let faces = block.faces().into_iter();
            faces.map(PlanarSurface::HalfPlane).collect()
        } else {
            vec![PlanarSurface::Block(block)]
        })
    }
    fn ball(centre: Vector2<f64>, radius: f64, inside: bool) -> Result<Vec<Self>, ShapeError> {
        let ball = Ball::new(centre, radius, inside)?;
        Ok(vec![PlanarSurface::Circle(ball)])
    }
    fn arc(centre: Vector2<f64>, radius: f64, angles: [f64; 2]) -> Result<Vec<Self>, ShapeError> {
        let bow = Bow::new(centre, radius, angles)?;
        let ends = bow.tips().map(PlanarSurface::BowEnd);
        Ok([PlanarSurface::Bow(bow)].into_iter().chain(ends).collect())
    }
    fn grains(list: &[(Vector2<f64>, f64)]) -> Result<Vec<Self>, ShapeError> {
        let balls = Ball::all(list)?;
        Ok(balls.into_iter().map(PlanarSurface::Grain).collect())
    }
    fn polyline(points: &[Vector2<f64>], closed: bool) -> Result<Vec<Self>, ShapeError> {
        let (pieces, corners) = chain::cut(points, closed)?;
        let pieces = pieces.into_iter().map(PlanarSurface::Segment);
        let corners = corners.into_iter().map(PlanarSurface::Vertex);
        Ok(pieces.chain(corners).collect())
    }
    fn revolved(_: Vector2<f64>, _: Vector2<f64>, _: &[[f64; 2]]) -> Result<Vec<Self>, ShapeError> {
        Err(ShapeError::WrongDimension {
            shape: "revolved surface",
            space: "three dimensions",
            instead: "a polyline",
        })
    }
    fn vessel(_: Vector2<f64>, _: Vector2<f64>, _: f64, _: f64) -> Result<Vec<Self>, ShapeError> {
        Err(ShapeError::WrongDimension {
            shape: "vessel",
            space: "three dimensions",
            instead: "a box or a circle",
        })
    }
    fn mesh(_: &[Vector2<f64>], _: &[[u32; 3]], _: Exactness) -> Result<Vec<Self>, ShapeError> {
        Err(ShapeError::WrongDimension {
            shape: "mesh",
            space: "three dimensions",
            instead: "a polyline",
        })
    }
}
