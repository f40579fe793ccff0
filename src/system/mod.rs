//! The driver: event loop, routing, morph policy, feed and removal.

mod driver;
pub mod filling;
mod setup;

pub use driver::{Control, Outcome, Plan, Progress, System, SystemError};
pub use setup::*;
