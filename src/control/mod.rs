//! Changes to a run: commands from the calling program, and controls of a scenario.
//!
//! A [`Command`] is given between two times:
//!
//! ```
//! use arenite::prelude::*;
//!
//! fn main() -> Result<(), SimulationError> {
//!     let mut simulation = Simulation::builder()
//!         .scenario("funnel")
//!         .set("run.end_time=0.05")
//!         .build()?;
//!     simulation.run_until(0.02)?;
//!     simulation.command(&Command::Tap { velocity: [0.0, 0.5, 0.0], region: None })?;
//!     simulation.run()?;
//!     assert_eq!(simulation.summary().commands[0].time, 0.02);
//!     Ok(())
//! }
//! ```
//!
//! Controls act on walls and feeds by quantities that they read from a run: a valve, for example, closes when a meter
//! has counted enough. They are sections of scenarios.

// A control is a file here, with its keys, and an entry in `registry`: scenarios, the loop, checkpoints and
// capabilities use what it declares. A control reads and returns orders, and changes nothing itself, so that it does
// not depend on any model.

mod command;
mod registry;
mod valve;

use std::fmt::Debug;

pub use command::{ArchGrain, Command, GivenCommand};
pub(crate) use registry::with_all_control_features;
#[doc(hidden)]
pub use registry::{Control, ControlFeature, ControlSection};
#[doc(hidden)]
pub use valve::{Closes, Valve, ValveKeys};

use crate::geometry::Dimension;
use crate::keys::View;
use crate::walls::Boundary;

/// Quantities of a run that a control can read.
#[doc(hidden)]
pub trait Readings {
    /// Returns how many grains have passed a meter, forward less back.
    fn passed(&self, meter: usize) -> i64;
}

/// An action that a control requests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Starts a sliding wall.
    Slide(usize),
    /// Stops a feed.
    Shut(usize),
}

/// A feature of a control, as lists and messages show it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlRow {
    /// Name in lists.
    pub name: &'static str,
    /// Key that selects it.
    pub key: &'static str,
    /// Name in messages.
    pub noun: &'static str,
}

/// Parts of a scenario that controls may name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Known<'a, D: Dimension> {
    /// Names of meters, and the time between their counts, s.
    pub meters: Vec<(&'a str, f64)>,
    /// Walls; a control marks the one that it slides.
    pub walls: &'a mut [Boundary<D>],
    /// Number of feeds.
    pub feeds: usize,
}

/// A control: its configuration and its state.
#[doc(hidden)]
pub trait Kind<D: Dimension>: Debug + Sized {
    /// The control's keys in a scenario.
    type Keys;

    /// Reads the control from its keys, at the start of a run.
    ///
    /// # Errors
    /// The first invalid key.
    fn read<V: View>(
        keys: &Self::Keys,
        view: &V,
        known: &mut Known<'_, D>,
    ) -> Result<Self, V::Fault>;
}

/// Behaviour of a control in a run.
#[doc(hidden)]
pub trait Acts: Debug {
    /// Returns the time of its next check, s; none once it has nothing left to do.
    fn next(&self) -> Option<f64>;

    /// Checks the readings at a time, s, and returns orders.
    fn act(&mut self, time: f64, readings: &dyn Readings) -> Vec<Order>;

    /// Whether it moves a wall.
    fn slides(&self) -> bool;

    /// Returns its last order with a lasting effect, and the time of that order, s: a resumed run restores walls from
    /// it.
    fn standing(&self) -> Option<(Order, f64)>;
}
