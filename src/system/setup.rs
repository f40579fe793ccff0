//! All that a run starts from: a resolved scenario, in SI units, free of the file format.

use serde::{Deserialize, Serialize};

use super::Mixture;
use crate::body::{Form, Grain};
use crate::collide::engine::{Laws, Rule};
use crate::contact::LawTable;
use crate::field::{LongRangeSetup, PlaceFields};
use crate::geometry::Dimension;
use crate::walls::Boundary;

pub use crate::cluster::integrate::IntegratorName;
pub use crate::cluster::{CellControl, CellDrive, CellSetup, CellShear, Span};
pub use crate::neighbor::PeriodicAxis;

/// A resolved scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Setup<D: Dimension> {
    /// Seed of all random streams.
    pub seed: u64,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Laws of the pairs.
    pub laws: LawTable,
    /// Walls.
    pub boundaries: Vec<Boundary<D>>,
    /// Forms of grains that are no disks or spheres.
    pub forms: Vec<Form<D>>,
    /// Grains at the start, in order of number.
    pub grains: Vec<Grain<D>>,
    /// What is told of the fills that they come from.
    pub fills: Vec<crate::record::FillFigures>,
    /// Gravity, m/s^2.
    pub gravity: D::Vector,
    /// Viscous drag: force = -coefficient velocity, N s/m; 0 for none.
    pub drag: f64,
    /// What grains carry, and forces between them.
    pub long_range: LongRangeSetup,
    /// Other fields.
    pub place: PlaceFields<D>,
    /// Periodic directions: the length of the box there, m; coordinates run from `origin`.
    pub periodic: Vec<Option<PeriodicAxis>>,
    /// What drives the edges of the periodic cell; none where these stay.
    pub cell: Option<CellSetup>,
    /// Integration.
    pub motion: MotionSetup,
    /// Settling before time 0: none to start at once.
    pub settle: Option<SettleSetup>,
    /// Feeds.
    pub feeds: Vec<FeedSetup<D>>,
    /// Removal of what has left.
    pub outlets: Vec<OutletSetup<D>>,
    /// What counts who passes.
    pub meters: Vec<super::MeterSetup<D>>,
    /// What acts by what it reads.
    pub controls: Vec<crate::control::Control>,
    /// How often clusters that have left are looked for, s.
    pub outlet_interval: f64,
    /// When the run ends, s.
    pub finish: f64,
    /// Whether the run ends once no grain is left (after the feeds are done).
    pub stop_when_empty: bool,
    /// Logs.
    pub log: LogSetup,
    /// The one dimensionless tolerance.
    pub tolerance: f64,
    /// The quasi-static model instead of motion.
    pub quasi_static: Option<QuasiStaticSetup>,
    /// Hard collisions from event to event instead of contacts that last.
    pub events: Option<EventsSetup>,
    /// Grains in equilibrium stand still: none when each is always stepped.
    pub morph: Option<MorphSetup>,
    /// What disturbs the whole from outside.
    pub perturbs: Vec<super::PerturbSetup<D>>,
    /// What a person should mind who asked for this: the plan and the figures of the run tell it.
    pub warnings: Vec<String>,
}

/// The event-driven model: what becomes of collisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventsSetup {
    /// Rule of each pair of materials, at [first * materials + second].
    pub rules: Vec<Rule>,
    /// Pairs whose contact law decides instead.
    pub laws: Laws,
    /// A pair that collides again within this time, s, stays in touch; 0: no such limit.
    pub contact_time: f64,
    /// What then.
    pub collapse: CollapseName,
}

/// How collisions by contact law go.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CollisionsName {
    /// Instantaneous, with the law's restitution at the pair's mass and approach speed, and with the
    /// tangential impulse of its friction.
    #[default]
    Hard,
    /// As long as the contact lasts, and with what it displaces (Poeschel and Mueller 2013); without
    /// friction.
    Soft,
}

/// What becomes of a pair that collides again within its contact time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CollapseName {
    /// The run stops and names the pair: a model of lasting contacts must take it.
    #[default]
    Stop,
    /// It collides without loss (the TC model of Luding and McNamara 1998).
    Elastic,
}

/// When grains come to stand still and when they are woken (docs/morphing.md).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MorphSetup {
    /// Kinetic energy under which a grain is calm, over m g d.
    pub kinetic: f64,
    /// How long it must be calm, s.
    pub dwell: f64,
    /// Force that it may lack to equilibrium when it is stopped, in weights.
    pub residual: f64,
    /// Force out of balance at which it is woken, in weights.
    pub wake: f64,
    /// Height that what strikes it must be able to rise to with its speed for it to be woken at once, with all that a wave reaches
    /// meanwhile, over the diameter of the smaller grain.
    pub strike: f64,
    /// Force out of balance at which it is woken too, over the sum of the normal forces of its links with
    /// other grains at rest.
    pub wake_share: f64,
    /// Time between two solves that carry loads down, s.
    pub carry_every: f64,
    /// Time that grains have in such a solve to move against their inertia, s.
    pub pace: f64,
    /// Force out of balance at which it is woken after a solve, in weights.
    pub left: f64,
}

/// Quasi-static filling: the grains come one by one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuasiStaticSetup {
    /// Time from one grain to the next, s.
    pub interval: f64,
    /// Solver.
    pub solver: SolverName,
    /// Displacements of a grain.
    pub freedom: FreedomName,
    /// Whether links slide.
    pub slides: bool,
    /// What becomes of links in tension.
    pub tension: TensionName,
    /// Order of connections, breaks and slides.
    pub order: OrderName,
    /// What a new grain finds.
    pub placed: PlacedName,
    /// Force that counts as none, N.
    pub tolerance: f64,
    /// Gap under which bodies are watched, m.
    pub reach: f64,
}

/// Names of the quasi-static solvers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Chosen by size and by how often contacts and loads change.
    #[default]
    Auto,
    /// The inverse of the stiffness, kept up to date (thesis 4.2).
    Rima,
    /// Conjugate gradient (thesis 5.7.7.2).
    Cg,
    /// Sparse Cholesky factor.
    Factor,
}

/// Names of the displacements that a grain has in the quasi-static model.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FreedomName {
    /// Of the centre only (thesis 4.3); moments are not balanced.
    #[default]
    Translational,
    /// Of the centre, and rotations.
    Full,
}

/// What becomes of links in tension.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TensionName {
    /// They break.
    #[default]
    Break,
    /// They hold, as glued.
    Keep,
}

/// What a grain that comes finds below it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PlacedName {
    /// The bed as if nothing had been displaced: uneven settling strains new links, the more the
    /// higher the bed.
    Reference,
    /// The bed as it has settled: new links are without stress.
    #[default]
    Settled,
}

/// In which order links connect, break and slide.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OrderName {
    /// The most stressed connection; else the most stretched link breaks; else all slides at once
    /// (thesis 4.5.3).
    #[default]
    Thesis,
    /// As the thesis, but slides one at a time, the greatest excess first.
    OneSlide,
    /// As the thesis, but all stretched links break at once.
    AllBreaks,
}

/// Which neighbour search.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum NeighborName {
    /// All pairs; for tests.
    Brute,
    /// A grid of cells as wide as the largest grains.
    Cells,
    /// A grid of several levels, each for a part of the sizes.
    Hgrid,
    /// One grid, or several levels where sizes differ so much that these are faster.
    #[default]
    Auto,
}

/// Integration of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionSetup {
    /// Integrator.
    pub integrator: IntegratorName,
    /// Step, s; none: chosen from stiffness, damping and accuracy.
    pub step: Option<f64>,
    /// Fraction of the limits that a chosen step keeps to.
    pub safety: f64,
    /// Neighbour search.
    pub neighbor: NeighborName,
    /// Whether grains without contact fly free (false: always stepped).
    pub flight: bool,
    /// Whether flyers collide at once where they can: the greatest way of a pair during its contact,
    /// over the sum of its radii, for which they do; none: each contact is stepped.
    pub collisions: Option<f64>,
    /// A link is stable under this relative speed, m/s.
    pub stable_speed: f64,
    /// for this long, s.
    pub stable_dwell: f64,
    /// Relative tolerance of slip and grip against the Coulomb limit.
    pub slip_tolerance: f64,
}

/// Settling before the run starts: gates closed, outlets shut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettleSetup {
    /// At most this long, s.
    pub at_most: f64,
    /// Ends early when the kinetic energy per grain is under this fraction of m g d.
    pub kinetic_fraction: f64,
}

/// When a feed makes grains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FeedTiming {
    /// At a fixed interval, s.
    Interval(f64),
    /// As a Poisson stream, mean rate 1/s (thesis eq. 5.26).
    Poisson(f64),
    /// As much mass as a rate, kg/s, asks for: each comes when those before it have had their time.
    MassRate(f64),
}

/// A feed: shoots grains at random into a region (thesis 5.8.2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FeedSetup<D: Dimension> {
    /// Least corner of the region of centres, m.
    pub min: D::Vector,
    /// Greatest corner, m.
    pub max: D::Vector,
    /// Speed at which the region moves from the first grain on, m/s.
    pub rise: D::Vector,
    /// First grain, s.
    pub start: f64,
    /// When.
    pub timing: FeedTiming,
    /// Grains in all at most; `u64::MAX` where only time and mass end it.
    pub count: u64,
    /// Mass in all at most, kg.
    pub mass: Option<f64>,
    /// What they are.
    pub what: Mixture,
    /// Initial velocity, m/s.
    pub velocity: D::Vector,
    /// Random shots at one go before the grain is postponed.
    pub shots: u32,
    /// How long it is postponed, s.
    pub postpone: f64,
    /// After this many postponements in a row: a jam.
    pub tries: u32,
}

/// A half-space or a box outside of which grains have left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum OutletSetup<D: Dimension> {
    /// Grains wholly beyond a plane (on the side opposite to the normal) have left through the outlet.
    Plane {
        /// A point of it, m.
        point: D::Vector,
        /// Normal towards where grains live.
        normal: D::Vector,
    },
    /// Grains wholly within a box have left through the outlet.
    Inside {
        /// Least corner, m.
        min: D::Vector,
        /// Greatest corner, m.
        max: D::Vector,
    },
    /// Grains wholly outside of a box have left; counted as lost, not as discharged.
    Outside {
        /// Least corner, m.
        min: D::Vector,
        /// Greatest corner, m.
        max: D::Vector,
    },
}

/// Which events are logged one by one (all are counted).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventLog {
    /// None.
    None,
    /// Events of the whole: gates, feeds, removals, morphs, jams, finish.
    #[default]
    System,
    /// Also links that open, close, slip, grip and stabilise.
    Links,
}

/// Intervals of the logs, s; none for never.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSetup {
    /// Series.
    pub series: Option<f64>,
    /// Snapshots of grains and links.
    pub snapshots: Option<f64>,
    /// Checkpoints, in simulated time.
    pub checkpoint: Option<f64>,
    /// Events.
    pub events: EventLog,
    /// Size of the cells of the field of stagnant zones, m; none: no field.
    pub stagnant: Option<f64>,
    /// Size of the cells of the maps of walls, m; none: no maps.
    pub wear: Option<f64>,
    /// Whether collisions are sorted by their energy.
    pub impacts: bool,
}
