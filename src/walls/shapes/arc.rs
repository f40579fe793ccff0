//! Thin circular arcs in the plane.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{CORNERS, Line, add};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, planar};
use super::{Shape, WallFeature, narrow};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const ARC: WallRow = planar("wall.arc", "arcs as walls");

/// Number of chords that represent an arc for straight lines.
const CHORDS: usize = 64;

/// Planar: a thin circular arc, touched from both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Arc<D: Dimension> {
    /// Centre.
    pub centre: D::Vector,
    /// Radius, m.
    pub radius: f64,
    /// Start and end angle, counter-clockwise, rad.
    pub angles: [f64; 2],
}

/// A thin piece of a circle, from one angle on counter-clockwise to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArcKeys {
    /// Centre of the circle, m.
    pub centre: Vec<f64>,
    /// Its radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Angle of the first end, rad, from x towards y.
    pub from: f64,
    /// Angle of the other, greater by less than a turn.
    pub to: f64,
}

impl<D: Dimension> ShapeKeys<D> for ArcKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let from = here.key("from").finite(self.from)?;
        let to = here.key("to").finite(self.to)?;
        if !(to > from && to - from < std::f64::consts::TAU) {
            let must = format!("over `from`, {from}, by less than a turn");
            return Err(here.key("to").wrong(&to.to_string(), &must));
        }
        Ok(Shape::Arc(Arc {
            centre: here.key("centre").vector::<D>(&self.centre)?,
            radius: here.key("radius").positive(self.radius)?,
            angles: [from, to],
        }))
    }
}

impl<D: Dimension> Kind<D> for Arc<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::ArcWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::arc(self.centre, self.radius, self.angles)
    }

    fn shift(&mut self, by: D::Vector) {
        self.centre += by;
    }

    /// Returns the centre of the circle.
    fn reference_point(&self) -> D::Vector {
        self.centre
    }

    fn extent(&self) -> Option<Corners<D>> {
        let reach = D::Vector::from_fn(|_| self.radius);
        Some((self.centre - reach, self.centre + reach))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        let [from, to] = self.angles;
        let corner = |k: usize| {
            let angle = from + (to - from) * k as f64 / CORNERS as f64;
            let (sine, cosine) = libm::sincos(angle);
            add(three(self.centre), [cosine, sine, 0.0], self.radius)
        };
        vec![((0..=CORNERS).map(corner).collect(), false)]
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        let [from, to] = self.angles;
        let at = |k: usize| {
            let angle = from + (to - from) * k as f64 / CHORDS as f64;
            let (sine, cosine) = libm::sincos(angle);
            let around = [cosine, sine, 0.0];
            self.centre + D::Vector::from_fn(|k| self.radius * around[k])
        };
        Barrier::Segments((0..CHORDS).map(|k| [at(k), at(k + 1)]).collect())
    }

    fn clearance(&self, _x: D::Vector) -> Option<f64> {
        None
    }

    fn is_thin(&self) -> bool {
        true
    }

    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        vec![[0.0; 2], [-1.0 / self.radius; 2]]
    }

    fn is_narrow(&self, radius: f64) -> bool {
        narrow(radius, self.radius, true)
    }
}
