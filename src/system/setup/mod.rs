//! All that a run starts from: a resolved scenario, in SI units, free of the file format.

mod log;
mod models;
mod motion;
mod sources;

use serde::{Deserialize, Serialize};

use crate::body::{Form, Grain};
use crate::contact::LawTable;
use crate::field::{LongRangeSetup, PlaceFields};
use crate::geometry::Dimension;
use crate::record::FillFigures;
use crate::walls::Boundary;

pub use crate::cluster::integrate::IntegratorName;
pub use crate::cluster::{CellControl, CellDrive, CellSetup, CellShear, Span};
pub use crate::neighbor::PeriodicAxis;
pub use log::*;
pub use models::*;
pub use motion::*;
pub use sources::*;

/// A resolved scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Setup<D: Dimension> {
    /// Seed of all random streams.
    pub seed: u64,
    /// The one dimensionless tolerance.
    pub tolerance: f64,
    /// Materials, laws, forms.
    pub matter: Matter<D>,
    /// Walls.
    pub boundaries: Vec<Boundary<D>>,
    /// Grains at the start, in order of number.
    pub grains: Vec<Grain<D>>,
    /// The periodic cell.
    pub space: SpaceSetup,
    /// Gravity, drag, and all other fields.
    pub fields: FieldSetup<D>,
    /// Integration.
    pub motion: MotionSetup,
    /// Models beside stepped motion.
    pub models: ModelSetup,
    /// What acts from outside.
    pub sources: SourceSetup<D>,
    /// From when to when.
    pub run: RunSetup,
    /// Logs.
    pub log: LogSetup,
    /// What is told of how all this came about.
    pub notes: Notes,
}

/// What grains and walls are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Matter<D: Dimension> {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Laws of the pairs.
    pub laws: LawTable,
    /// Forms of grains that are no disks or spheres.
    pub forms: Vec<Form<D>>,
}

/// The periodic cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceSetup {
    /// Periodic directions: the length of the box there, m; coordinates run from `origin`.
    pub periodic: Vec<Option<PeriodicAxis>>,
    /// What drives the edges of the periodic cell; none where these stay.
    pub cell: Option<CellSetup>,
}

/// What accelerates grains beside contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FieldSetup<D: Dimension> {
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Viscous drag: force = -coefficient velocity, N s/m; 0 for none.
    pub drag: f64,
    /// What grains carry, and forces between them.
    pub long_range: LongRangeSetup,
    /// Other fields.
    pub place: PlaceFields<D>,
}

/// From when to when a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSetup {
    /// When motion begins, s: 0, but after a filling in equilibrium.
    pub begin: f64,
    /// Settling before time 0: none to start at once.
    pub settle: Option<SettleSetup>,
    /// When the run ends, s.
    pub finish: f64,
    /// Whether the run ends once no grain is left (after the feeds are done).
    pub stop_when_empty: bool,
}

/// Settling before the run starts: gates closed, outlets shut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettleSetup {
    /// At most this long, s.
    pub at_most: f64,
    /// Ends early when the kinetic energy per grain is under this fraction of m g d.
    pub kinetic_fraction: f64,
}

/// What a person who asked for this should know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// What is told of the fills that the grains come from.
    pub fills: Vec<FillFigures>,
    /// What to mind: the plan and the figures of the run tell it.
    pub warnings: Vec<String>,
}
