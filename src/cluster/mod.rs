//! Clusters: connected groups of grains moved by their differential equations.

mod afar;
mod arcs;
pub mod arrays;
mod bodies;
mod cell;
mod change;
mod changes;
mod coefficients;
mod course;
mod crossing;
mod crush;
pub mod dimension;
mod driven;
mod engine;
mod facing;
mod facing_walls;
mod far;
mod guided;
mod heun;
pub mod integrate;
pub mod kernel;
mod lists;
mod loads;
mod observe;
mod part;
mod parts;
mod passing;
mod renew;
mod resting;
mod rim;
mod shift;
mod state;
mod still;
mod tumble;
mod wear;

pub use afar::FieldForce;
pub use bodies::{Bodies, Body};
pub use cell::{
    CellControl, CellDrive, CellSetup, CellShear, CellState, CellSums, Edges, Flow, Span, Tensor,
};
pub use change::Adjacency;
pub use changes::LinkChange;
pub use course::{Course, Gap};
pub use crush::Deepest;
pub use driven::{Driven, FieldFlows};
pub use engine::Engine;
pub use far::{Levers, Limits, Touching};
pub use guided::GuidedWall;
pub use observe::{Elastic, Kinematics, LinkView};
pub use part::{Part, Shift};
pub use parts::Parts;
pub use shift::Strained;
pub use state::{Counts, EngineOptions, EngineState, Flows, LinkEvent, Other, Wall};
pub use still::{Push, Still};
pub use tumble::{TopTable, Tumble, TumbleSums};
pub use wear::{WearMap, WearSums, middle};
