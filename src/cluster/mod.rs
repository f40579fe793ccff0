//! Clusters: connected groups of grains moved by their differential equations.

pub mod arrays;
mod bodies;
mod change;
mod changes;
mod course;
mod crossing;
mod crush;
mod engine;
mod facing;
mod far;
mod heun;
pub mod integrate;
pub mod kernel;
mod lists;
mod loads;
mod observe;
mod part;
mod parts;
mod renew;
mod resting;
mod shift;
mod state;
mod still;

pub use bodies::{Bodies, Body};
pub use change::{Adjacency, FieldForce};
pub use changes::LinkChange;
pub use course::{Course, Gap};
pub use crush::Deepest;
pub use engine::Engine;
pub use far::{Limits, Touching};
pub use observe::{Elastic, Kinematics, LinkView};
pub use part::{Part, Shift};
pub use parts::Parts;
pub use shift::Strained;
pub use state::{Counts, EngineOptions, EngineState, Flows, LinkEvent, Other, Wall};
pub use still::{Push, Still};
