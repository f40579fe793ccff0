//! Setup of a run: a resolved scenario, in SI units, free of the file format.

mod log;
mod models;
mod motion;
mod sources;

use serde::{Deserialize, Serialize};

use crate::body::{Agglomerates, Grain, ShapeTemplate};
use crate::contact::LawTable;
use crate::field::{LongRangeSetup, NonUniformFields};
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
    /// Sources that act from outside.
    pub sources: SourceSetup<D>,
    /// Start and end.
    pub run: RunSetup,
    /// Logs.
    pub log: LogSetup,
    /// Notes on how all this came about.
    pub notes: Notes,
}

/// Materials and forms of grains and walls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Matter<D: Dimension> {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Laws of the pairs.
    pub laws: LawTable,
    /// Forms of grains that are neither disks nor spheres.
    pub forms: Vec<ShapeTemplate<D>>,
    /// Agglomerates that are there from the start.
    pub agglomerates: Agglomerates,
}

/// The periodic cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceSetup {
    /// Periodic directions, each with the length of the box, m; coordinates run from `origin`.
    pub periodic: Vec<Option<PeriodicAxis>>,
    /// Drive of the edges of the periodic cell; `None` where these stay.
    pub cell: Option<CellSetup>,
}

/// Fields that accelerate grains beside contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FieldSetup<D: Dimension> {
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Viscous drag: force = -coefficient velocity, N s/m; 0 for none.
    pub drag: f64,
    /// Charges and dipoles of grains, and long-range forces between them.
    pub long_range: LongRangeSetup,
    /// Other fields.
    pub place: NonUniformFields<D>,
}

/// Start and end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSetup {
    /// Time at which motion begins, s: 0, except after a filling in equilibrium.
    pub begin: f64,
    /// Settling before time 0; `None` to start at once.
    pub settle: Option<SettleSetup>,
    /// Time at which the run ends, s.
    pub end_time: f64,
    /// Whether the run ends once no grain is left (after the feeds are done).
    pub stop_when_empty: bool,
}

/// Settling before the run starts: gates closed, outlets shut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettleSetup {
    /// Greatest duration, s.
    pub at_most: f64,
    /// Fraction of m g d: settling ends early when the kinetic energy per grain is below it.
    pub kinetic_fraction: f64,
}

/// Notes for the person who asked for the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// Figures of the fills from which the grains come.
    pub fills: Vec<FillFigures>,
    /// Warnings, which the plan and the figures of the run report.
    pub warnings: Vec<String>,
}
