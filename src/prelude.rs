//! Common imports for programs that drive Arenite: `use arenite::prelude::*;`

pub use crate::contact::{Contact, Eight, Elastic, Loss, OwnLaw, Response};
pub use crate::control::{ArchGrain, Command};
pub use crate::field::{GrainPoint, OwnField};
pub use crate::record::{GrainRow, LinkRow, MemorySink, NullSink, SeriesRow, Sink, Summary};
pub use crate::scenario::{AnySetup, Override, Scenario};
pub use crate::simulation::{Moment, Outcome, Simulation, SimulationError, Stop};
