//! Planes: half-spaces that contain the grains.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{self, Line};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, row};
use super::{STRAIGHT, Shape, WallFeature};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const PLANE: WallRow = row("wall.plane", "planes");

/// Planes whose normals and positions (relative to their size) differ only by this rounding count as equal.
const ROUNDING: f64 = 1e-12;

/// A half-space: grains are on the side of the normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Plane<D: Dimension> {
    /// A point of the plane.
    pub point: D::Vector,
    /// The normal; need not be of unit length.
    pub normal: D::Vector,
}

/// A half-space: grains live on the side to which the normal points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneKeys {
    /// A point of the plane, m.
    pub point: Vec<f64>,
    /// The normal, of any length.
    pub normal: Vec<f64>,
}

impl<D: Dimension> ShapeKeys<D> for PlaneKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        Ok(Shape::Plane(Plane {
            point: here.key("point").vector::<D>(&self.point)?,
            normal: here.key("normal").direction::<D>(&self.normal)?,
        }))
    }
}

impl<D: Dimension> Kind<D> for Plane<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::PlaneWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::half_space(self.point, self.normal)
    }

    fn shift(&mut self, by: D::Vector) {
        self.point += by;
    }

    /// Returns its point.
    fn reference_point(&self) -> D::Vector {
        self.point
    }

    fn extent(&self) -> Option<Corners<D>> {
        None
    }

    fn lines(&self, (min, max): Corners<D>) -> Vec<Line> {
        drawing::plane(
            three(self.point),
            three(self.normal),
            three((min + max) * 0.5),
            (max - min).norm(),
            D::N,
        )
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        Barrier::Plane(self.normal)
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        Some((x - self.point).dot(&self.normal) / self.normal.norm())
    }

    fn beyond(&self) -> &'static str {
        "behind the plane"
    }

    fn stretch(&self, axis: usize) -> Option<[f64; 2]> {
        let endless = [f64::NEG_INFINITY, f64::INFINITY];
        let is_along = self.normal[axis].abs() <= STRAIGHT * self.normal.norm();
        is_along.then_some(endless)
    }

    fn is_slanted(&self, axis: usize) -> bool {
        let normal = self.normal;
        let hair = STRAIGHT * normal.norm();
        normal[axis].abs() > hair && (0..D::N).any(|j| j != axis && normal[j].abs() > hair)
    }

    fn room(&self) -> Option<Corners<D>> {
        let (point, normal) = (self.point, self.normal);
        let mut across = (0..D::N).filter(|&k| normal[k] != 0.0);
        let (axis, None) = (across.next()?, across.next()) else {
            return None;
        };
        let side = |up: bool, open: f64| {
            let ends = |k: usize| k == axis && (normal[k] > 0.0) == up;
            D::Vector::from_fn(|k| if ends(k) { point[k] } else { open })
        };
        Some((side(true, f64::NEG_INFINITY), side(false, f64::INFINITY)))
    }

    fn plane(&self) -> Option<[D::Vector; 2]> {
        Some([self.point, self.normal])
    }

    fn is_same(&self, other: &Self) -> bool {
        let unit = |plane: &Self| plane.normal * (1.0 / plane.normal.norm());
        let (normal, across) = (unit(self), unit(other));
        let apart = (other.point - self.point).dot(&normal).abs();
        let size = self.point.norm().max(other.point.norm());
        (normal - across).norm() <= ROUNDING && apart <= ROUNDING * size
    }
}
