//! Bodies: grains and boundaries, with their mass properties.

mod boundary;
mod grain;
mod motion;
mod outline;
mod vessel;

pub use boundary::{Boundary, Shape};
pub use grain::{Grain, GrainId};
pub use motion::{Motion, MotionPiece, Pose};
pub use outline::OutlineLine;
pub use vessel::Vessel;
