//! Clusters: connected groups of grains moved by their differential equations.

pub mod arrays;
mod change;
mod changes;
mod crossing;
mod crush;
mod engine;
mod heun;
pub mod integrate;
pub mod kernel;
mod lists;
mod observe;
mod renew;
mod resting;
mod shift;
mod state;
mod still;

pub use change::{Adjacency, FieldForce};
pub use changes::LinkChange;
pub use crush::Deepest;
pub use engine::Engine;
pub use observe::{Elastic, Kinematics, LinkView};
pub use shift::{Limits, Part, Shift, Strained};
pub use state::{Counts, EngineOptions, EngineState, Flows, LinkEvent, Other, Wall};
pub use still::{Push, Still};
