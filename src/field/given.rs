//! Any acceleration from a table.

use super::grid::Grid;
use super::{FieldPoint, ForceField};
use crate::geometry::Dimension;

/// An acceleration on a regular grid, m/s^2. Whether it has a potential nobody knows: its work is booked as given
/// from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenField<D: Dimension> {
    /// The table.
    pub acceleration: Grid<D>,
}

impl<D: Dimension> ForceField<D> for GivenField<D> {
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
