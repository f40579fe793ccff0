//! summary.json: the figures of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::nodes::{ModelFigures, NodeFigures};
use crate::control::Given;
use crate::event::EventKind;

/// JSON has no infinite numbers and no others that are none: a run that failed by one has null there.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The finish time was reached.
    #[default]
    Finished,
    /// Nothing could move or leave any more.
    Jammed,
    /// No grain was left.
    Empty,
    /// Stopped from outside.
    Interrupted,
    /// Stopped by an error.
    Failed,
}

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the program.
    pub arenite: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Seed.
    pub seed: u64,
    /// How it ended.
    pub status: Status,
    /// Times.
    pub time: Times,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// Events.
    pub events: EventFigures,
    /// Grains.
    pub grains: GrainFigures,
    /// Time-averaged share of grains by regime.
    pub regimes: RegimeShares,
    /// Time means of the numbers of nodes; none where they are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeFigures>,
    /// What each model had of the run, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelFigures>,
    /// Work.
    pub work: WorkFigures,
    /// Energy, J.
    pub energy: EnergyFigures,
    /// What fields of a place gave: a fluid, a frame that turns, a centre that attracts, a table; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldFigures>,
    /// Contacts that last in the event-driven model; none where none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<SoftFigures>,
    /// A periodic cell whose edges move; none where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<CellFigures>,
    /// Discharge; none without an outlet.
    pub discharge: Option<Discharge>,
    /// What each fill began with; none without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<FillFigures>,
    /// What each feed was asked for and what it gave; none without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedFigures>,
    /// What passed the meters; none without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meters: Vec<MeterFigures>,
    /// The jam in which the run ended; none if it did not end in one.
    pub jam: Option<Jam>,
    /// All jams in order: those that a perturbation broke, and the last.
    #[serde(default)]
    pub jams: Vec<Jam>,
    /// Micro-avalanches; none where none are looked for.
    pub avalanches: Option<Avalanches>,
    /// Collisions of event-driven runs; none where no collision is instantaneous.
    #[serde(default)]
    pub impacts: Option<ImpactFigures>,
    /// What a program did to the run on its way; none where nothing was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Given>,
    /// How often the program put something right, or fell back on another way: by name, those that happened.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub corrections: BTreeMap<String, u64>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// CRC-32 of the tables and of `scenario.toml`, hexadecimal, by name of the file: written with a run's folder, and seen to
    /// hold by whoever reads them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checksums: BTreeMap<String, String>,
}

/// Counts of corrections, those that happened.
pub(crate) fn corrected<'a>(
    all: impl IntoIterator<Item = (&'a str, u64)>,
) -> BTreeMap<String, u64> {
    all.into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name.to_string(), count))
        .collect()
}

/// Times of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Simulated, s.
    #[serde(rename = "virtual")]
    pub simulated: f64,
    /// Elapsed, s.
    pub wall: f64,
}

/// Events of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventFigures {
    /// All.
    pub total: u64,
    /// Handled from the queue.
    #[serde(default)]
    pub queue: u64,
    /// Of links, found by the steps in which they come about.
    #[serde(default)]
    pub links: u64,
    /// Steps of all that is stepped.
    #[serde(default)]
    pub steps: u64,
    /// By kind.
    pub by_kind: BTreeMap<String, u64>,
    /// Per simulated second.
    pub per_virtual_second: f64,
    /// Per elapsed second.
    pub per_wall_second: f64,
}

impl EventFigures {
    /// From counts in the order of [`EventKind::ALL`], of which so many were handled from the queue and so many are steps.
    #[must_use]
    pub fn of(counts: &[u64], queue: u64, steps: u64, time: Times) -> Self {
        let total: u64 = counts.iter().sum();
        let per = |seconds: f64| {
            if seconds > 0.0 {
                total as f64 / seconds
            } else {
                0.0
            }
        };
        let kinds = || EventKind::ALL.into_iter().zip(counts.iter().copied());
        EventFigures {
            total,
            queue,
            links: kinds()
                .filter(|(kind, _)| kind.is_of_link())
                .map(|(_, n)| n)
                .sum(),
            steps,
            by_kind: kinds()
                .filter(|(_, n)| *n > 0)
                .map(|(kind, n)| (kind.name().to_string(), n))
                .collect(),
            per_virtual_second: per(time.simulated),
            per_wall_second: per(time.wall),
        }
    }
}

/// Grains of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrainFigures {
    /// At the start.
    pub initial: u64,
    /// Made by feeds.
    pub created: u64,
    /// Removed.
    pub removed: u64,
    /// At the end.
    #[serde(rename = "final")]
    pub last: u64,
}

/// Share of grains by regime, averaged over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegimeShares {
    /// In flight.
    pub flight: f64,
    /// In clusters.
    pub cluster: f64,
    /// At rest.
    pub rest: f64,
    /// In quasi-rigid bodies.
    pub rigid: f64,
}

/// Work done by the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFigures {
    /// Grains times steps.
    pub grain_steps: u64,
    /// Collisions in flight.
    pub collisions: u64,
    /// Quasi-static solves.
    pub stress_solves: u64,
    /// Times that a grain was stopped to stand still.
    #[serde(default)]
    pub stops: u64,
    /// Of these, times that it was woken within a dwell.
    #[serde(default)]
    pub thrash: u64,
    /// What solved last, of the quasi-static solvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Grains times steps if each grain had been stepped all the time.
    pub grain_steps_if_all_stepped: u64,
    /// What links between grains cost when they come and go.
    #[serde(default)]
    pub grains_per_link_event: GrainsPerLinkEvent,
}

/// Grains that the index of clusters looked at for each link between grains that formed or was lost:
/// merges, and searches for splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrainsPerLinkEvent {
    /// Such events.
    pub events: u64,
    /// Half of them looked at no more.
    pub median: u64,
    /// 99 of a hundred looked at no more.
    pub p99: u64,
    /// The most.
    pub largest: u64,
}

/// The energy ledger, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyFigures {
    /// Kinetic.
    #[serde(deserialize_with = "number")]
    pub kinetic: f64,
    /// Potential, from the origin.
    #[serde(deserialize_with = "number")]
    pub potential: f64,
    /// Elastic.
    #[serde(deserialize_with = "number")]
    pub elastic: f64,
    /// Dissipated.
    pub dissipated: Dissipated,
    /// Injected by feeds and moving walls.
    #[serde(deserialize_with = "number")]
    pub injected: f64,
    /// Removed with grains.
    #[serde(deserialize_with = "number")]
    pub removed: f64,
    /// Relative error of the balance.
    #[serde(deserialize_with = "number")]
    pub balance_error: f64,
    /// The largest error over the rows of the run, each over the work of contacts, walls and drag until then and the weight
    /// of all grains times their diameter; without gravity the first kinetic energy instead of that.
    #[serde(default, deserialize_with = "number")]
    pub balance_error_max: f64,
}

/// What fields of a place gave to the grains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldFigures {
    /// Work of the fluid's motion and of an acceleration from a table, J; in `injected`.
    #[serde(deserialize_with = "number")]
    pub work: f64,
    /// Lost in the fluid's drag, J; in `dissipated.damping`.
    #[serde(deserialize_with = "number")]
    pub drag: f64,
    /// Momentum, N s, with that of gravity.
    pub momentum: [f64; 3],
    /// Velocity at the end of a fluid on which the grains act, m/s; none without such a one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<[f64; 3]>,
}

/// A periodic cell whose edges move, at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellFigures {
    /// Along the axes, m.
    pub lengths: Vec<f64>,
    /// Of the image above, along x, m; up to half a length.
    pub offset: f64,
    /// Shear, over the whole run.
    pub sheared: f64,
    /// Share of the cell that grains fill.
    pub fraction: f64,
    /// Links a grain, each counted for both.
    pub coordination: f64,
    /// Pressure, Pa, in the plane N/m: force along the second axis on a plane across the first, positive in
    /// compression.
    pub pressure: Vec<Vec<f64>>,
    /// Its mean over the second half of the run.
    pub mean_pressure: Vec<Vec<f64>>,
    /// Of a cell that is sheared, over that half: shear stress over pressure on planes across y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

/// Dissipated energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dissipated {
    /// In normal dampers and drag.
    #[serde(deserialize_with = "number")]
    pub damping: f64,
    /// To tangential forces: sliding and tangential dampers.
    #[serde(deserialize_with = "number")]
    pub slip: f64,
    /// In collisions in flight.
    #[serde(deserialize_with = "number")]
    pub collision: f64,
    /// At morphs; signed.
    #[serde(deserialize_with = "number")]
    pub morph: f64,
}

/// Soft collisions (Poeschel and Mueller 2013).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoftFigures {
    /// Contacts of two grains.
    pub collisions: u64,
    /// Of these, instantaneous ones because another body was where a grain was to be put (first
    /// exception).
    pub blocked: u64,
    /// Grains met by a third body during contact (second exception).
    pub interrupted: u64,
    /// Exceptions over contacts.
    pub exceptional_share: f64,
    /// Contacts that the tables do not hold, solved one by one.
    pub solved: u64,
    /// Greatest error of the tables that was met when they were checked.
    pub table_error: f64,
    /// Distance by which a grain was put elsewhere, mean, m.
    pub displaced: f64,
    /// The greatest of them, m.
    pub displaced_most: f64,
}

/// Discharge through outlets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Discharge {
    /// Grains.
    pub count: u64,
    /// (count - 1) / (last - first), 1/s; 0 below two.
    pub mean_rate: f64,
    /// Time of the first, s.
    pub first: f64,
    /// Time of the last, s.
    pub last: f64,
}

/// A fill at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FillFigures {
    /// Its place in the scenario.
    pub name: String,
    /// Grains outside of the vessel that holds the others.
    pub outside: u64,
    /// Its sizes.
    pub sizes: FillSizes,
}

/// Sizes of grains by mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FillSizes {
    /// Diameter than which 10 % of the mass is finer, m.
    pub d10: f64,
    /// The same for 50 %, m.
    pub d50: f64,
    /// The same for 90 %, m.
    pub d90: f64,
}

/// What a feed was asked for by the end of a run, and what it gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedFigures {
    /// Its place in the scenario.
    pub name: String,
    /// What was due by the end.
    pub asked: FeedAmount,
    /// What came.
    pub given: FeedAmount,
    /// How often a grain found no room and had to wait.
    pub postponed: u64,
}

/// Grains of a feed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedAmount {
    /// Grains.
    pub count: u64,
    /// Their mass, kg (in the plane per metre of depth).
    pub mass: f64,
}

/// What passed a meter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeterFigures {
    /// Its name.
    pub name: String,
    /// Grains that were seen to pass forward.
    pub forward: u64,
    /// Grains that were seen to pass back.
    pub back: u64,
    /// Forward less back.
    pub count: i64,
    /// Mass of these, kg (in the plane per metre of depth).
    pub mass: f64,
    /// Diameter than which 10 % of that mass is finer, m; none where nothing passed.
    pub d10: Option<f64>,
    /// The same for 50 %, m.
    pub d50: Option<f64>,
    /// The same for 90 %, m.
    pub d90: Option<f64>,
    /// By name of the material.
    pub materials: BTreeMap<String, MeterShare>,
    /// By size.
    pub sizes: Vec<SizeClass>,
}

/// A part of what passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeterShare {
    /// Grains forward less back.
    pub count: i64,
    /// Their mass, kg.
    pub mass: f64,
}

/// Grains of like size that passed in the direction in which more did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Least diameter, m.
    pub from: f64,
    /// Where the class ends, m.
    pub to: f64,
    /// Grains.
    pub count: u64,
    /// Their mass, kg.
    pub mass: f64,
}

/// A jam.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jam {
    /// Start of the silence of the outlets: when the last grain left, or something last came from outside, s.
    pub time: f64,
    /// When the last grain left, s; none if none did.
    #[serde(default)]
    pub flow_stopped: Option<f64>,
    /// When it was established that nothing can move but rattlers, s.
    #[serde(default)]
    pub verdict_time: f64,
    /// Grains of the arch, from one wall to the other.
    pub arch: Vec<u32>,
    /// Distance of the centres of its first and its last grain, m.
    pub span: f64,
    /// Normal forces of its links, those with the two walls included.
    #[serde(default)]
    pub force: ArchForce,
    /// Its link that is nearest to sliding.
    #[serde(default)]
    pub weakest: Option<WeakestLink>,
}

/// Normal forces along an arch, N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArchForce {
    /// Mean over the links.
    pub mean: f64,
    /// Of the link that bears least.
    pub least: f64,
}

/// The link of an arch with the least margin to Coulomb's bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeakestLink {
    /// First body, a grain.
    pub a: i64,
    /// Second body: a grain, or boundary i of the scenario as -1 - i.
    pub b: i64,
    /// Normal force, N.
    pub normal: f64,
    /// Size of the tangential force, N.
    pub tangential: f64,
    /// 1 - tangential / (friction x normal): 0 slides, 1 bears no tangential force; 0 without
    /// friction.
    pub margin: f64,
}

/// Micro-avalanches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Avalanches {
    /// How many.
    pub count: u64,
    /// Size of the largest.
    pub largest: u64,
    /// Energy of all, J.
    pub energy: f64,
}

/// Collisions of an event-driven run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactFigures {
    /// Of two grains.
    pub grain: Impacts,
    /// Of grains with walls.
    pub wall: Impacts,
    /// Each wall.
    pub walls: Vec<WallImpacts>,
}

/// Collisions of one sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impacts {
    /// How many.
    pub count: u64,
    /// Of these, such as are part of a lasting contact and lose nothing.
    pub lasting: u64,
    /// Per simulated second, lasting ones too, 1/s.
    pub rate: f64,
    /// Energy lost, J.
    pub lost: f64,
    /// Energy lost per simulated second, W.
    pub power: f64,
}

/// What a wall received and did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallImpacts {
    /// Its name.
    pub name: String,
    /// Collisions with it.
    pub count: u64,
    /// Energy lost in them, J.
    pub lost: f64,
    /// Work that it did on grains, J.
    pub fed: f64,
    /// Momentum given to it, N s.
    pub impulse: [f64; 3],
    /// Sum of the sizes of its normal parts, N s.
    pub normal_impulse: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a run writes that failed by a number that is none can be read.
    #[test]
    fn numbers_that_are_none() {
        let mut summary = Summary::default();
        summary.energy.kinetic = f64::NAN;
        summary.energy.balance_error = f64::INFINITY;
        summary.energy.dissipated.slip = f64::NAN;
        summary.energy.elastic = 0.5;
        let text = serde_json::to_string(&summary).unwrap();
        let back: Summary = serde_json::from_str(&text).unwrap();
        assert!(back.energy.kinetic.is_nan() && back.energy.balance_error.is_nan());
        assert!(back.energy.dissipated.slip.is_nan());
        assert_eq!(back.energy.elastic, 0.5);
    }
}
