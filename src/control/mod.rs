//! Controls: what acts on walls and feeds by what it reads of a run, as a valve does that closes when a meter has counted enough.
//!
//! A control is a file here, with its keys, and an entry in `registry`: scenarios, the loop, checkpoints and capabilities go by what it declares. It
//! reads and says what is to be done, and changes nothing itself, so that it knows nothing of models.

mod command;
mod registry;
mod valve;

use std::fmt::Debug;

pub use command::{ArchGrain, Command, Given};
pub(crate) use registry::with_all_control_features;
pub use registry::{Control, ControlFeature, ControlSection};
pub use valve::{Closes, Valve, ValveKeys};

use crate::geometry::Dimension;
use crate::keys::View;
use crate::walls::Boundary;

/// What a control reads of a run.
pub trait Readings {
    /// How many grains have passed a meter, forward less back.
    fn passed(&self, meter: usize) -> i64;
}

/// What a control wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A wall that slides begins to.
    Slide(usize),
    /// A feed gives no more.
    Shut(usize),
}

/// A feature of a control, as lists and messages tell it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlRow {
    /// Its name in lists.
    pub name: &'static str,
    /// The key that asks for it.
    pub key: &'static str,
    /// What messages call it.
    pub noun: &'static str,
}

/// What a scenario has that controls may name.
#[derive(Debug)]
pub struct Known<'a, D: Dimension> {
    /// Names of meters, and the time between their looks, s.
    pub meters: Vec<(&'a str, f64)>,
    /// Walls; one that slides is told so.
    pub walls: &'a mut [Boundary<D>],
    /// How many feeds there are.
    pub feeds: usize,
}

/// A control: what it was set up as, and what it keeps from look to look.
pub trait Kind<D: Dimension>: Debug + Sized {
    /// Its keys in a scenario.
    type Keys;

    /// From its keys, at the start of a run.
    ///
    /// # Errors
    /// What is wrong with them.
    fn read<V: View>(
        keys: &Self::Keys,
        view: &V,
        known: &mut Known<'_, D>,
    ) -> Result<Self, V::Fault>;
}

/// What a control does in a run.
pub trait Acts: Debug {
    /// When it looks next, s; none where it has done all that it does.
    fn next(&self) -> Option<f64>;

    /// It looks, at a time, s.
    fn act(&mut self, time: f64, readings: &dyn Readings) -> Vec<Order>;

    /// Whether it moves a wall.
    fn slides(&self) -> bool;

    /// What it has ordered so far that lasts, and when, s: a run that goes on finds walls as they were.
    fn standing(&self) -> Option<(Order, f64)>;
}
