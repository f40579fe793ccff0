//! Chains of thin straight walls in the plane.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::Line;
use super::kind::{Corners, Kind, ShapeKeys, WallRow, around, distinct, planar};
use super::{STRAIGHT, Shape, WallFeature};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const SEGMENT: WallRow = planar("wall.segment", "segments");
pub(super) const POLYLINE: WallRow = planar("wall.polyline", "polylines");

/// Planar: a chain of thin two-sided segments; consecutive collinear ones are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Polyline<D: Dimension> {
    /// Corners.
    pub points: Vec<D::Vector>,
    /// Whether the last corner is joined to the first.
    pub closed: bool,
}

/// A straight thin wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SegmentKeys {
    /// One end, m.
    pub from: Vec<f64>,
    /// The other end, m.
    pub to: Vec<f64>,
}

/// A chain of thin straight walls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolylineKeys {
    /// The corners in order, m.
    pub points: Vec<Vec<f64>>,
    /// Whether the last corner is joined to the first.
    #[serde(default)]
    pub closed: bool,
}

impl<D: Dimension> ShapeKeys<D> for SegmentKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let from = here.key("from").vector::<D>(&self.from)?;
        let to = here.key("to").vector::<D>(&self.to)?;
        distinct::<D, V>(&here.key("to"), from, to)?;
        Ok(Shape::Polyline(Polyline {
            points: vec![from, to],
            closed: false,
        }))
    }
}

impl<D: Dimension> ShapeKeys<D> for PolylineKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let list = here.key("points");
        let least = if self.closed { 3 } else { 2 };
        if self.points.len() < least {
            let count = self.points.len();
            return Err(list.wrong(
                &format!("a list of {count}"),
                &format!("a list of at least {least} corners"),
            ));
        }
        let mut points: Vec<D::Vector> = Vec::new();
        for (k, point) in self.points.iter().enumerate() {
            let here = list.index(k);
            let point = here.vector::<D>(point)?;
            if let Some(before) = points.last() {
                distinct::<D, V>(&here, *before, point)?;
            }
            points.push(point);
        }
        let last = points.len() - 1;
        if self.closed {
            distinct::<D, V>(&list.index(last), points[last], points[0])?;
        }
        Ok(Shape::Polyline(Polyline {
            points,
            closed: self.closed,
        }))
    }
}

impl<D: Dimension> Kind<D> for Polyline<D> {
    fn feature(&self) -> WallFeature {
        match self.points.len() {
            2 => WallFeature::SegmentWall,
            _ => WallFeature::PolylineWall,
        }
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::polyline(&self.points, self.closed)
    }

    fn shift(&mut self, by: D::Vector) {
        self.points.iter_mut().for_each(|p| *p += by);
    }

    /// Returns the first corner.
    fn reference_point(&self) -> D::Vector {
        self.points.first().copied().unwrap_or_default()
    }

    fn extent(&self) -> Option<Corners<D>> {
        around::<D>(&self.points)
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        let points = self.points.iter().map(|&p| three(p));
        vec![(points.collect(), self.closed)]
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        Barrier::Segments(self.pieces())
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        let points = &self.points;
        let last = match self.closed {
            true => to_segment::<D>(points[points.len() - 1], points[0], x),
            false => f64::INFINITY,
        };
        let pieces = points.windows(2);
        let ways = pieces.map(|pair| to_segment::<D>(pair[0], pair[1], x));
        Some(ways.fold(last, f64::min))
    }

    fn is_thin(&self) -> bool {
        true
    }

    fn stretch(&self, axis: usize) -> Option<[f64; 2]> {
        let first = *self.points.first().filter(|_| !self.closed)?;
        let ends = self.points.iter().map(|p| p[axis]);
        let (low, high) = (
            ends.clone().fold(f64::INFINITY, f64::min),
            ends.fold(f64::NEG_INFINITY, f64::max),
        );
        let straight = |p: &D::Vector| {
            (0..D::N).all(|j| j == axis || (p[j] - first[j]).abs() <= STRAIGHT * (high - low))
        };
        self.points.iter().all(straight).then_some([low, high])
    }

    fn pieces(&self) -> Vec<[D::Vector; 2]> {
        let ends = self.points.first().zip(self.points.last());
        let last = ends.filter(|_| self.closed);
        let last = last.map(|(first, last)| [*last, *first]);
        let pieces = self.points.windows(2).map(|pair| [pair[0], pair[1]]);
        pieces.chain(last).collect()
    }

    fn is_same(&self, other: &Self) -> bool {
        let back = || self.points.iter().eq(other.points.iter().rev());
        self.closed == other.closed && (self.points == other.points || back())
    }
}

fn to_segment<D: Dimension>(a: D::Vector, b: D::Vector, x: D::Vector) -> f64 {
    let along = b - a;
    let share = ((x - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (x - a - along * share).norm()
}
