//! Laws, gravity, and periodic directions.

use crate::cluster::dem::KnownLaws;
use crate::cluster::dem::law_of;
use crate::cluster::integrate::Integrate;
use crate::cluster::state::DemOptions;
use crate::contact::LawTable;
use crate::contact::LinkLaw;
use crate::geometry::Dimension;
use crate::neighbor::PeriodicAxis;
use crate::vector::Level;

/// Laws and global parameters.
pub struct Physics<D: Dimension> {
    /// Parameters of lists and links.
    pub options: DemOptions,
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Rate at which the spins of balls turn by themselves in space, 1/s.
    pub spin_turning: [f64; 3],
    /// Laws of pairs of materials.
    pub(in crate::cluster) laws: LawTable,
    /// The same in the form that kernels use.
    pub(in crate::cluster) known_laws: KnownLaws,
    /// Class of pairs of two materials.
    pub(in crate::cluster) class_of: Vec<u16>,
    /// Periodic directions.
    pub(in crate::cluster) periodic: Vec<Option<PeriodicAxis>>,
    /// Level of vector units; results do not depend on it.
    pub(in crate::cluster) level: Level,
}

impl<D: Integrate> Physics<D> {
    /// Sets the level of vector units; results do not depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Law of a pair of materials; set-up guarantees that it exists.
    pub fn law(&self, a: u16, b: u16) -> &LinkLaw {
        law_of(&self.known_laws, a, b)
    }

    /// Whether a law has additional terms.
    pub fn has_slots(&self) -> bool {
        self.laws.composed()
    }

    /// Periodic directions.
    pub fn periodic(&self) -> &[Option<PeriodicAxis>] {
        &self.periodic
    }
}
