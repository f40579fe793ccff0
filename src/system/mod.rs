//! The driver: event loop, routing, morph policy, feed and removal.

mod arch;
mod avalanche;
mod build;
mod carry;
mod driver;
mod expansion;
mod feed;
pub mod filling;
mod flight;
mod handle;
mod handover;
mod ledger;
mod logging;
mod outlet;
mod perturb;
pub mod quasi_static;
mod reason;
mod regimes;
mod rest;
mod rigid;
mod saved;
mod setup;
mod simulation;
mod step;
mod stillness;
mod thrash;
mod zones;

pub use driver::{Control, Outcome, Plan, Progress, System, SystemError};
pub use expansion::expanded;
pub use handover::Handover;
pub use ledger::Held;
pub use perturb::{ArchGrain, PerturbKind, PerturbSetup, PerturbWhen, Victim};
pub use quasi_static::QuasiStatic;
pub use setup::*;
pub use simulation::{Simulation, simulation};
pub use step::StepChoice;
