//! What acts at times of its own and is no model: it looks at the world and says what is to be done. It changes nothing itself, so that it knows
//! nothing of how the models keep what they move; the loop carries its orders out and logs them.

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

/// A turn of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// When, s.
    pub time: f64,
    /// As what it is in the queue.
    pub kind: EventKind,
}

/// What a source sees of the world.
pub(super) trait Sight<D: Dimension>: Readings {
    /// What was set up.
    fn setup(&self) -> &Setup<D>;

    /// Whether grains settle still, before time 0.
    fn is_settling(&self) -> bool;

    /// Whether a jam stands.
    fn is_jammed(&self) -> bool;

    /// The number of the next grain that comes; none where all numbers are used.
    fn next_grain(&self) -> Option<GrainId>;

    /// A place where space repeats itself, within the box.
    fn wrapped(&self, place: D::Vector) -> D::Vector;

    /// Whether a ball of a radius (m) at a place touches neither a grain nor a wall at a time, s.
    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool;
}

/// What a source wants done.
#[derive(Debug)]
pub(super) enum Order<D: Dimension> {
    /// A grain comes, with the next number.
    Add(Box<Grain<D>>),
    /// A wall goes, with its links and the energy that they hold.
    Open(usize),
    /// A wall that slides begins to.
    Slide(usize),
    /// A feed gives no more.
    Shut(usize),
    /// A row of the series is written.
    Row,
    /// A snapshot is taken.
    Snapshot,
    /// The state is saved.
    Save,
    /// Clusters that have left through outlets are removed.
    RemoveLeft,
    /// It is looked whether grains that settle rest.
    LookForRest,
    /// It is looked whether a jam stands.
    LookForJam,
    /// Grains have not come to rest: the run begins all the same.
    GiveUpSettling,
    /// The run ends.
    Finish,
    /// Fields with an inner state do what is due.
    UpdateFields,
    /// A perturbation comes.
    Perturb(usize),
    /// An event is counted that changes nothing.
    Count(EventKind),
    /// An event is counted and logged that changes nothing, with words for whoever reads the summary.
    Warn(EventKind, String),
}

/// What a source does at its turn.
#[derive(Debug)]
pub(super) struct Answer<D: Dimension> {
    /// To be carried out in this order.
    pub orders: Vec<Order<D>>,
    /// Its next turn, if it has one.
    pub next: Option<Turn>,
}

/// What acts at times of its own. What it was set up as is in the setup; it holds its state only.
pub(super) trait EventSource<D: Dimension>: Debug + Send + Sync {
    /// Its first turn from time 0 on.
    fn first(&self, setup: &Setup<D>) -> Option<Turn>;

    /// Its turn has come, s.
    fn act(&mut self, time: f64, sight: &mut dyn Sight<D>) -> Answer<D>;
}
