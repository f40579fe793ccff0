//! Links and candidates for links.

use serde::{Deserialize, Serialize};

use crate::cluster::bands::Bands;
use crate::cluster::bonds::Bonds;
use crate::cluster::integrate::Integrate;
use crate::cluster::state::{PairClass, WallClass};

/// Links and candidates for links. The batches of the kernels store the links with their contact history.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Contacts<D: Integrate> {
    /// Pairs.
    pub pairs: Vec<PairClass<D>>,
    /// Walls.
    pub walls: Vec<WallClass<D>>,
    /// Bonds.
    pub bonds: Bonds<D>,
    /// Division of slots into bands at the last renewal.
    pub bands: Bands,
    /// Slots that walls may push, ascending; empty without bands.
    #[serde(skip)]
    pub(in crate::cluster) wall_slots: Vec<u32>,
}

impl<D: Integrate> Contacts<D> {
    /// Finds the slots that walls may push.
    pub(crate) fn find_wall_slots(&mut self) {
        self.wall_slots.clear();
        if self.bands.count() > 1 {
            let slots = self.walls.iter().flat_map(|class| &class.outer);
            self.wall_slots.extend(slots.map(|[slot, _]| *slot));
            self.wall_slots.sort_unstable();
            self.wall_slots.dedup();
        }
    }

    /// Whether all slots that walls may push are known.
    pub(in crate::cluster) fn knows_wall_slots(&self) -> bool {
        let mut slots = self.walls.iter().flat_map(|class| &class.outer);
        slots.all(|[slot, _]| self.wall_slots.binary_search(slot).is_ok())
    }
}
