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
    /// Effects of the last displacement of grains at rest on their links.
    pub(in crate::cluster) pending: Pending,
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
