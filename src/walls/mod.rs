//! Walls, as every model asks them: what they are cut into, where a ball touches them, and when it will.

mod meeting;
pub mod shapes;
mod touch;
mod wall;

pub use meeting::{Meeting, Way, speed_bound};
pub use touch::Touch;
pub use wall::{Wall, WallError};
