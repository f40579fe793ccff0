//! Event sources, which act at times of their own and are no models: a source reads the world and gives orders. It changes nothing itself,
//! so that it does not depend on how the models store what they move; the loop executes its orders and logs them.

mod control;
mod end;
mod feed;
mod fields;
mod gate;
mod list;
mod look;
mod perturbation;
mod ticker;

use std::fmt::Debug;

use super::Setup;
use crate::body::{Grain, GrainId};
use crate::control::Readings;
use crate::event::EventKind;
use crate::geometry::Dimension;

pub(super) use feed::{Feed, FeedState};
pub(super) use list::Sources;
pub(super) use ticker::Ticker;

/// An event of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Time, s.
    pub time: f64,
    /// Kind of the entry in the queue.
    pub kind: EventKind,
}

/// Read-only view of the simulation that an event source is given.
pub(super) trait Sight<D: Dimension>: Readings {
    /// Returns the setup.
    fn setup(&self) -> &Setup<D>;

    /// Returns whether grains are still settling, before time 0.
    fn is_settling(&self) -> bool;

    /// Returns whether a jam is established.
    fn is_jammed(&self) -> bool;

    /// Returns the number of the next grain; `None` where all numbers are used.
    fn next_grain(&self) -> Option<GrainId>;

    /// Returns a place wrapped into the box where space is periodic.
    fn wrapped(&self, place: D::Vector) -> D::Vector;

    /// Returns whether a ball of a radius (m) at a place touches neither a grain nor a wall at a time, s.
    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool;
}

/// An order of a source.
#[derive(Debug)]
pub(super) enum Order<D: Dimension> {
    /// Adds a grain, with the next number.
    Add(Box<Grain<D>>),
    /// Opens a wall, which takes its links and the energy that they hold with it.
    Open(usize),
    /// Starts the motion of a sliding wall.
    Slide(usize),
    /// Shuts a feed.
    Shut(usize),
    /// Writes a row of the series.
    Row,
    /// Takes a snapshot.
    Snapshot,
    /// Saves the state.
    Save,
    /// Removes clusters that have left through outlets.
    RemoveLeft,
    /// Checks whether settling grains are at rest.
    LookForRest,
    /// Checks whether there is a jam.
    LookForJam,
    /// Begins the run although grains have not come to rest.
    GiveUpSettling,
    /// Ends the run.
    Finish,
    /// Updates fields with an inner state.
    UpdateFields,
    /// Applies a perturbation.
    Perturb(usize),
    /// Counts an event that changes nothing.
    Count(EventKind),
    /// Counts and logs an event that changes nothing, with a warning for the summary.
    Warn(EventKind, String),
}

/// Result of an event of a source.
#[derive(Debug)]
pub(super) struct Answer<D: Dimension> {
    /// Orders, to be executed in this order.
    pub orders: Vec<Order<D>>,
    /// Next event of the source, if it has one.
    pub next: Option<Turn>,
}

/// A source that acts at times of its own. Its configuration is in the setup; it holds its state only.
pub(super) trait EventSource<D: Dimension>: Debug + Send + Sync {
    /// Returns the source's first event from time 0 on.
    fn first(&self, setup: &Setup<D>) -> Option<Turn>;

    /// Handles the source's event at this time, s.
    fn act(&mut self, time: f64, sight: &mut dyn Sight<D>) -> Answer<D>;
}
