//! Grains at rest, and their links.

use crate::cluster::lists::ContactHistory;
use crate::cluster::shift::Pending;
use crate::cluster::standing_cells::StandingCells;
use crate::cluster::still::{Still, WallName};

/// Grains at rest, and their links.
pub struct Sleeping {
    /// Links, forces, and the grains near stepped ones.
    pub still: Still,
    /// Slots at rest, by position.
    pub(crate) cells: StandingCells,
    /// Links of woken grains, until the lists are renewed: by class of pairs.
    pub(in crate::cluster) waking: Vec<Vec<ContactHistory>>,
    /// The same with walls.
    pub(in crate::cluster) waking_walls: Vec<(WallName, ContactHistory)>,
    /// Bodies that were woken since the lists were renewed, and what was at rest beside them.
    pub(in crate::cluster) woken: Woken,
    /// Effects of the last displacement of grains at rest on their links.
    pub(in crate::cluster) pending: Pending,
}

/// Bodies that were woken since the lists were renewed.
#[derive(Debug, Default)]
pub(in crate::cluster) struct Woken {
    /// Slots that touch others: of grains, or of their parts.
    pub slots: Vec<u32>,
    /// Pairs of these with slots at rest, or with each other, within the margin of the outer lists; the lesser slot first.
    pub pairs: Vec<(u32, u32)>,
}

impl Woken {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.pairs.clear();
    }
}

impl Sleeping {
    /// Begins a new period of checks: means of forces restart.
    pub fn begin_look(&mut self) {
        let still = &mut self.still;
        for &slot in &still.rim {
            still.pushed[slot as usize] = [0.0; 6];
        }
        self.still.evaluations = 0;
    }
}
