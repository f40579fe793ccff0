//! State of the simulated world: grains, walls, links with their contact history, the periodic cell, the
//! clock, and the laws. Models and logs read everything from here; each component changes only its own data.

mod cell;
mod clock;
mod contacts;
mod grains;
mod physics;
mod shapes;
mod sleeping;
mod state_at;
mod walls;

pub use cell::Cell;
pub use clock::Clock;
pub use contacts::Contacts;
pub use grains::Grains;
pub use physics::Physics;
pub use shapes::Shapes;
pub use sleeping::Sleeping;
pub(in crate::cluster) use sleeping::Woken;
pub use state_at::GrainState;
pub use walls::Walls;

use super::integrate::Integrate;

/// All components of the world.
pub struct World<D: Integrate> {
    /// Steps and their times.
    pub clock: Clock,
    /// Laws and global parameters.
    pub physics: Physics<D>,
    /// Forms of grains.
    pub shapes: Shapes<D>,
    /// Walls.
    pub walls: Walls<D>,
    /// Grains.
    pub grains: Grains<D>,
    /// Links and candidates for links.
    pub contacts: Contacts<D>,
    /// Grains at rest.
    pub sleeping: Sleeping,
    /// The periodic cell.
    pub cell: Cell,
}

impl<D: Integrate> World<D> {
    /// Returns the slots of grains at rest whose surface may be within `reach` of a place, m; ascending. The cells hold the parts of grains.
    pub fn grains_at_rest_near(&self, place: D::Vector, reach: f64) -> Vec<u32> {
        let mut near = Vec::new();
        let cells = &self.sleeping.cells;
        cells.near(place, reach, |slot| near.push(self.grains.owner(slot)));
        near.sort_unstable();
        near.dedup();
        near
    }
}
