//! An acceleration field from a table.

use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::keys::View;
use super::kind::{Around, FieldKind, FieldRow, Kind, Reach, Read};
use super::source::Carried;
use super::{FieldFeature, FieldPoint, FieldSection, FieldSet, ForceField, LongRangeSetup};
use crate::geometry::Dimension;

pub(super) const TABLE: FieldRow = FieldRow {
    name: "field.table",
    key: "field.table",
    noun: "acceleration from a table",
    kind: FieldKind::Place,
};

/// A tabulated acceleration field on a regular grid, m/s^2. Whether it has a potential is unknown: its work is booked
/// as injected from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TabulatedField<D: Dimension> {
    /// The table.
    pub acceleration: Grid<D>,
}

impl<D: Dimension> ForceField<D> for TabulatedField<D> {
    fn name(&self) -> &str {
        "table"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        self.acceleration.at(at.position) * at.mass
    }
    fn gives_work(&self) -> bool {
        true
    }
}

impl<D: Dimension> Kind<D> for TabulatedField<D> {
    fn asks(&self) -> Vec<FieldFeature> {
        vec![FieldFeature::TableField]
    }
    fn idle(&self, _carried: Carried) -> Option<&'static str> {
        (self.acceleration.greatest() == 0.0).then_some("all its values are 0")
    }
    fn put_into(&self, set: &mut FieldSet<D>, _around: Around<'_, D>) {
        set.add(self.clone());
    }
    fn speed(&self, before: f64, reach: &Reach<'_, D>, _carried: &LongRangeSetup) -> f64 {
        let way = 2.0 * (reach.far)(D::Vector::default());
        before + (2.0 * self.acceleration.greatest() * way).sqrt()
    }
    fn varies_along(&self, axis: usize, _gravity: D::Vector) -> Option<&'static str> {
        self.acceleration.varies_along(axis).then_some("table")
    }
}

impl<D: Dimension> Read<D> for TabulatedField<D> {
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        let Some(keys) = &mut section.table else {
            return Ok(None);
        };
        let acceleration = keys.read(&view.key("table"), 'a')?;
        Ok(Some(TabulatedField { acceleration }))
    }
}
