//! Clusters: connected groups of grains moved by their differential equations.

pub mod arrays;
mod engine;
mod heun;
pub mod integrate;
pub mod kernel;
mod lists;
mod observe;

pub use engine::{Counts, Engine, EngineOptions, EngineState, Flows, LinkEvent, Other, Wall};
pub use observe::{Kinematics, LinkView};
