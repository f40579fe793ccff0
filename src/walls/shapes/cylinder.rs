//! Thin tubes, open at both ends: surfaces of revolution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{ShapeKeys, WallRow, between, spatial};
use super::{Revolved, Shape};
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const CYLINDER: WallRow = spatial("wall.cylinder", "cylinders with open ends");

/// A thin tube, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderKeys {
    /// Centre of one end, m.
    pub from: Vec<f64>,
    /// Centre of the other end, m.
    pub to: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
}

impl<D: Dimension> ShapeKeys<D> for CylinderKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let radius = here.key("radius").positive(self.radius)?;
        let [origin, axis] = between::<D, V>(here, &self.from, &self.to)?;
        Ok(Shape::Revolved(Revolved {
            origin,
            axis,
            profile: vec![[radius, 0.0], [radius, axis.norm()]],
        }))
    }
}
