//! What is where, and what it is: grains, walls, links with what they remember, the periodic cell, the clock, and the
//! laws that hold between them. All that models and logs ask for is read from here; each owner changes what is its own.

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
pub use state_at::GrainState;
pub use walls::Walls;

use super::integrate::Integrate;

/// All owners.
pub struct World<D: Integrate> {
    /// Steps and their times.
    pub clock: Clock,
    /// Laws, and what holds everywhere.
    pub physics: Physics<D>,
    /// Forms of grains.
    pub shapes: Shapes<D>,
    /// Walls.
    pub walls: Walls<D>,
    /// Grains.
    pub grains: Grains<D>,
    /// Links, and what may become one.
    pub contacts: Contacts<D>,
    /// Grains that stand still.
    pub sleeping: Sleeping,
    /// The periodic cell.
    pub cell: Cell,
}
