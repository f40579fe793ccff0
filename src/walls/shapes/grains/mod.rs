//! Rough walls: grains fixed relative to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{CORNERS, Line, ring_of};
use super::kind::{Corners, Kind, WallRow, around, row};
use super::{Shape, WallFeature};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};

mod read;

pub(super) const ROUGH: WallRow = row("wall.rough", "rough walls");

/// Approximate limit on the corners of all circles of a rough wall.
const MOST_CORNERS: usize = 12_000;

/// A rough wall: grains fixed relative to each other, touched from outside; centre, radius (m).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grains<D: Dimension>(pub Vec<(D::Vector, f64)>);

/// The grains of a rough wall: exactly one of `file`, `grains` and `lattice`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoughKeys {
    /// From a table in a CSV file, its path relative to the scenario's folder; columns x, y, r and in space z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// One by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Vec<WallGrainKeys>>,
    /// Rows of equal grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<WallLatticeKeys>,
}

/// A grain of a rough wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallGrainKeys {
    /// Centre, m.
    pub position: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

/// Equal grains in a row, or in rows of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallLatticeKeys {
    /// Centre of the first, m.
    pub first: Vec<f64>,
    /// From one to the next: a vector for a row, m; a second one from row to row.
    pub steps: Vec<Vec<f64>>,
    /// How many along each of these.
    pub counts: Vec<u64>,
    /// Their radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

impl<D: Dimension> Kind<D> for Grains<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::RoughWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::grains(&self.0)
    }

    fn shift(&mut self, by: D::Vector) {
        self.0.iter_mut().for_each(|grain| grain.0 += by);
    }

    /// Returns the first grain's centre.
    fn reference_point(&self) -> D::Vector {
        self.0.first().map(|grain| grain.0).unwrap_or_default()
    }

    fn extent(&self) -> Option<Corners<D>> {
        let reach = |r: f64| D::Vector::from_fn(|_| r);
        let ends = |&(x, r): &(D::Vector, f64)| [x - reach(r), x + reach(r)];
        around::<D>(&self.0.iter().flat_map(ends).collect::<Vec<_>>())
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        // A sphere is drawn as the circle seen from the side; of very many only every nth is drawn.
        let up = D::N - 1;
        let corners = (MOST_CORNERS / self.0.len().max(1)).clamp(12, CORNERS);
        let circle = |&(centre, radius): &(D::Vector, f64)| {
            let axis = |k: usize| std::array::from_fn(|i| if i == k { radius } else { 0.0 });
            (ring_of(corners, three(centre), axis(0), axis(up)), true)
        };
        let every = self.0.len().div_ceil(MOST_CORNERS / 12);
        self.0.iter().step_by(every).map(circle).collect()
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        Barrier::None
    }

    fn clearance(&self, _x: D::Vector) -> Option<f64> {
        None
    }

    fn beyond(&self) -> &'static str {
        "inside of a grain of the wall"
    }

    fn kept(&self, keep: &dyn Fn(D::Vector) -> bool) -> Option<Shape<D>> {
        let kept = self.0.iter().copied().filter(|(x, _)| keep(*x));
        Some(Shape::Grains(Grains(kept.collect())))
    }

    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        let largest = self.0.iter().map(|grain| grain.1).fold(0.0, f64::max);
        vec![[1.0 / largest; 2]]
    }
}
