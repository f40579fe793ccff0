//! Laws, gravity, and directions in which space repeats itself.

use crate::cluster::dem::KnownLaws;
use crate::cluster::dem::law_of;
use crate::cluster::integrate::Integrate;
use crate::cluster::state::DemOptions;
use crate::contact::LawTable;
use crate::contact::LinkLaw;
use crate::geometry::Dimension;
use crate::neighbor::PeriodicAxis;
use crate::vector::Level;

/// Laws, and what holds everywhere.
pub struct Physics<D: Dimension> {
    /// Parameters of lists and links.
    pub options: DemOptions,
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Laws of pairs of materials.
    pub(in crate::cluster) laws: LawTable,
    /// The same as kernels want them.
    pub(in crate::cluster) known_laws: KnownLaws,
    /// Class of pairs of two materials.
    pub(in crate::cluster) class_of: Vec<u16>,
    /// Directions in which space repeats itself.
    pub(in crate::cluster) periodic: Vec<Option<PeriodicAxis>>,
    /// Level of vector units; results do not depend on it.
    pub(in crate::cluster) level: Level,
}

impl<D: Integrate> Physics<D> {
    /// Chooses the level of vector units; results do not depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Law of a pair of materials; set-up has made sure that it is there.
    pub fn law(&self, a: u16, b: u16) -> &LinkLaw {
        law_of(&self.known_laws, a, b)
    }

    /// Whether a law has slots.
    pub fn has_slots(&self) -> bool {
        self.laws.composed()
    }

    /// Periodic directions.
    pub fn periodic(&self) -> &[Option<PeriodicAxis>] {
        &self.periodic
    }
}
