//! Soft collisions: contacts of finite duration as instantaneous events (Poeschel and Mueller 2013).
//!
//! [`SoftLaw`] gives the mapping of a contact from a [`MappingTable`]; [`Collision`] its effect on
//! two grains; [`begin`] and [`Pending`] are the events, with both exceptions.

mod collision;
mod events;
mod grid;
mod table;

pub use collision::{Collision, Touch};
pub use events::{Begin, Counters, Pending, begin};
pub(super) use grid::Axis;
pub(super) use table::Ranges;
pub use table::{MappingTable, Population, TableError};

use serde::{Deserialize, Serialize};

use super::resolved::{self, Frictionless, Mapping, ResolvedError};
use crate::geometry::Dimension;

/// A contact law with its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftLaw {
    law: Frictionless,
    table: MappingTable,
}

impl SoftLaw {
    /// Builds the table of a law, see [`MappingTable::build`].
    pub fn build(
        law: Frictionless,
        population: &Population,
        tolerance: f64,
    ) -> Result<Self, TableError> {
        let table = MappingTable::build(&law, population, tolerance)?;
        Ok(SoftLaw { law, table })
    }
    /// The law.
    pub fn law(&self) -> &Frictionless {
        &self.law
    }
    /// The mapping table of the law.
    pub fn table(&self) -> &MappingTable {
        &self.table
    }

    /// The mapping of a contact and its duration (s), from the table, or solved if it is outside
    /// the table; `effective_mass` in kg, distance of the centres `reach` in m, speeds in m/s.
    #[inline]
    pub fn mapping(
        &self,
        effective_mass: f64,
        reach: f64,
        approach: f64,
        tangential: f64,
        counters: &mut Counters,
    ) -> Result<(Mapping, f64), ResolvedError> {
        let law = &self.law;
        let time = law.time_scale(effective_mass, approach);
        let read = self
            .table
            .mapping(law, effective_mass, time, reach, approach, tangential);
        let mapping = match read {
            Some(mapping) => mapping,
            None => {
                counters.solved += 1;
                resolved::collide(law, effective_mass, reach, approach, tangential)?
            }
        };
        Ok((mapping, mapping.tau * time))
    }

    /// The collision of two grains that touch and approach each other.
    #[inline]
    pub fn collide<D: Dimension>(
        &self,
        touch: &Touch<D>,
        counters: &mut Counters,
    ) -> Result<Collision<D>, ResolvedError> {
        let (mapping, duration) = self.mapping(
            touch.effective_mass,
            touch.reach,
            touch.approach,
            touch.tangential,
            counters,
        )?;
        Ok(touch.collision(mapping, duration))
    }
}
