//! Boxes with sides along the axes, touched from inside or from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{self, Line};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, row};
use super::{Shape, Side, WallFeature};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const INSIDE: WallRow = row("wall.box", "boxes from inside");
pub(super) const OUTSIDE: WallRow = row("wall.box.outside", "boxes from outside");

/// A box, touched from inside or from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Cuboid<D: Dimension> {
    /// Least corner.
    pub min: D::Vector,
    /// Greatest corner.
    pub max: D::Vector,
    /// Whether grains are inside.
    pub inside: bool,
}

/// A box with sides along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxKeys {
    /// Least corner, m.
    pub min: Vec<f64>,
    /// Greatest corner, m.
    pub max: Vec<f64>,
    /// Where the grains are.
    pub grains: Side,
}

impl<D: Dimension> ShapeKeys<D> for BoxKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let (min, max) = here.corners::<D>(&self.min, &self.max)?;
        Ok(Shape::Box(Cuboid {
            min,
            max,
            inside: self.grains == Side::Inside,
        }))
    }
}

impl<D: Dimension> Kind<D> for Cuboid<D> {
    fn feature(&self) -> WallFeature {
        match self.inside {
            true => WallFeature::BoxWall,
            false => WallFeature::BlockWall,
        }
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::block(self.min, self.max, self.inside)
    }

    fn shift(&mut self, by: D::Vector) {
        self.min += by;
        self.max += by;
    }

    /// Returns the centre.
    fn reference_point(&self) -> D::Vector {
        (self.min + self.max) * 0.5
    }

    fn extent(&self) -> Option<Corners<D>> {
        Some((self.min, self.max))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        drawing::edges(three(self.min), three(self.max), D::N)
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        match self.inside {
            true => Barrier::Around,
            false => Barrier::Block(self.min, self.max),
        }
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        let (min, max) = (self.min, self.max);
        let within = (0..D::N)
            .map(|k| (x[k] - min[k]).min(max[k] - x[k]))
            .fold(f64::INFINITY, f64::min);
        Some(match (self.inside, within > 0.0) {
            (true, _) => within,
            (false, true) => -within,
            (false, false) => {
                D::Vector::from_fn(|k| (min[k] - x[k]).max(x[k] - max[k]).max(0.0)).norm()
            }
        })
    }

    fn beyond(&self) -> &'static str {
        match self.inside {
            true => "outside of the box",
            false => "inside of the box",
        }
    }

    fn stretch(&self, axis: usize) -> Option<[f64; 2]> {
        Some(match self.inside {
            // The box consists of infinite planes.
            true => [f64::NEG_INFINITY, f64::INFINITY],
            false => [self.min[axis], self.max[axis]],
        })
    }

    fn room(&self) -> Option<Corners<D>> {
        self.extent().filter(|_| self.inside)
    }
}
