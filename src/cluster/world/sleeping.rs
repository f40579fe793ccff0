//! Grains that stand still, and their links.

use crate::cluster::lists::Kept;
use crate::cluster::shift::Pending;
use crate::cluster::standing_cells::StandingCells;
use crate::cluster::still::{Still, WallName};

/// Grains that stand still, and their links.
pub struct Sleeping {
    /// Links, forces, and who is near to a stepped grain.
    pub still: Still,
    /// Who stands, by place.
    pub(crate) cells: StandingCells,
    /// Links of grains that were woken, until the lists are renewed: by class of pairs.
    pub(in crate::cluster) waking: Vec<Vec<Kept>>,
    /// The same with walls.
    pub(in crate::cluster) waking_walls: Vec<(WallName, Kept)>,
    /// What the last displacement of grains that stand still does to their links.
    pub(in crate::cluster) pending: Pending,
}

impl Sleeping {
    /// Begins a new look: means of forces are taken from now on.
    pub fn begin_look(&mut self) {
        let still = &mut self.still;
        for &slot in &still.rim {
            still.pushed[slot as usize] = [0.0; 6];
        }
        self.still.evaluations = 0;
    }
}
