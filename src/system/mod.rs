//! The driver: event loop, routing, morph policy, feed and removal.

mod arch;
mod driver;
mod feed;
pub mod filling;
mod flight;
mod ledger;
mod logging;
mod outlet;
mod reason;
mod regimes;
mod setup;
mod step;
mod stillness;

pub use driver::{Control, Outcome, Plan, Progress, System, SystemError};
pub use ledger::Held;
pub use setup::*;
pub use step::StepChoice;
