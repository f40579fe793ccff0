//! Walls.

use crate::cluster::guided::GuidedWall;
use crate::geometry::Dimension;
use crate::walls::Wall;

/// Walls.
pub struct Walls<D: Dimension> {
    /// The walls as set up, with their surfaces.
    pub boundaries: Vec<Wall<D>>,
    /// Whether each wall was removed.
    pub gone: Vec<bool>,
    /// Walls moved by forces.
    pub guided: Vec<GuidedWall>,
}
