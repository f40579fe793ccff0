//! Walls.

use crate::cluster::guided::GuidedWall;
use crate::geometry::Dimension;
use crate::walls::Wall;

/// Walls.
pub struct Walls<D: Dimension> {
    /// As they were set up, with their surfaces.
    pub boundaries: Vec<Wall<D>>,
    /// Which were taken away.
    pub gone: Vec<bool>,
    /// Those that forces move.
    pub guided: Vec<GuidedWall>,
}
