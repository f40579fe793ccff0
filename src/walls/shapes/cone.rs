//! Thin cones and frusta, open at both ends: surfaces of revolution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{ShapeKeys, WallRow, between, spatial};
use super::{Revolved, Shape};
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const CONE: WallRow = spatial("wall.cone", "cones");

/// A thin cone or frustum, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeKeys {
    /// Centre of one end, m.
    pub from: Vec<f64>,
    /// Centre of the other end, m.
    pub to: Vec<f64>,
    /// Radius at `from`, m; 0 for a tip.
    #[schemars(range(min = 0.0))]
    pub from_radius: f64,
    /// Radius at `to`, m; 0 for a tip.
    #[schemars(range(min = 0.0))]
    pub to_radius: f64,
}

impl<D: Dimension> ShapeKeys<D> for ConeKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let from = here.key("from_radius").non_negative(self.from_radius)?;
        let to = here.key("to_radius").non_negative(self.to_radius)?;
        if from == 0.0 && to == 0.0 {
            let here = here.key("to_radius");
            return Err(here.wrong("0", "greater than 0 at one end"));
        }
        let [origin, axis] = between::<D, V>(here, &self.from, &self.to)?;
        Ok(Shape::Revolved(Revolved {
            origin,
            axis,
            profile: vec![[from, 0.0], [to, axis.norm()]],
        }))
    }
}
