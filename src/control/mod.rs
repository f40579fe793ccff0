//! Controls, which act on walls and feeds by quantities that they read from a run: a valve, for example, closes when
//! a meter has counted enough.
//!
//! A control is a file here, with its keys, and an entry in `registry`: scenarios, the loop, checkpoints and
//! capabilities use what it declares. A control reads and returns orders, and changes nothing itself, so that it does
//! not depend on any model.

mod command;
mod registry;
mod valve;

use std::fmt::Debug;

pub use command::{ArchGrain, Command, GivenCommand};
pub(crate) use registry::with_all_control_features;
pub use registry::{Control, ControlFeature, ControlSection};
pub use valve::{Closes, Valve, ValveKeys};

use crate::geometry::Dimension;
use crate::keys::View;
use crate::walls::Boundary;

/// Quantities of a run that a control can read.
pub trait Readings {
    /// Returns how many grains have passed a meter, forward less back.
    fn passed(&self, meter: usize) -> i64;
}

/// An action that a control requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Starts a sliding wall.
    Slide(usize),
    /// Stops a feed.
    Shut(usize),
}

/// A feature of a control, as lists and messages show it.
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
