//! Walls, as used by every model: their surfaces, contacts with balls, and times of contact.

mod boundary;
mod guided;
pub mod images;
mod meeting;
mod motion;
mod pose;
pub mod shapes;
mod slide;
mod touch;
mod wall;

pub use boundary::{Boundary, shifts};
pub use guided::{Drive, Guided, GuidedState, LoadedArea, Placed, placed};
pub use images::{Images, ImagesError};
pub use meeting::{Meeting, Seen, Way, speed_bound};
pub use motion::{Motion, MotionPiece};
pub use pose::Pose;
pub use shapes::{MeshShape, Shape, Vessel};
pub use slide::Slide;
pub use touch::Touch;
pub use wall::{Wall, WallError};
