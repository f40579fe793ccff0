//! summary.json: the figures of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::energy::{EnergyFigures, FieldFigures};
use super::nodes::{ForceError, ModelFigures, NodeFigures};
use crate::control::GivenCommand;
use crate::event::EventKind;

/// Status of a run at its end.
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
    /// Status at the end.
    pub status: Status,
    /// Times.
    pub time: Times,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// Events.
    pub events: EventFigures,
    /// Grains.
    pub grains: GrainFigures,
    /// Time-averaged fraction of grains by regime.
    pub regimes: RegimeShares,
    /// Time averages of the numbers of nodes; none where they are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeFigures>,
    /// Estimated error of the forces of grains at rest, averaged over time; none where none rested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_error: Option<ForceError>,
    /// Share of each model in the run, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelFigures>,
    /// Work.
    pub work: WorkFigures,
    /// Energy, J.
    pub energy: EnergyFigures,
    /// Effect of fields that depend on position: a fluid, a rotating frame, an attracting centre, a table; none
    /// without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldFigures>,
    /// Lasting contacts of the event-driven model; none where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<SoftFigures>,
    /// A periodic cell whose edges move; none where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<CellFigures>,
    /// Bonds; none where grains are not bonded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonds: Option<super::BondFigures>,
    /// Discharge; none without an outlet.
    pub discharge: Option<Discharge>,
    /// Initial state of each fill; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<FillFigures>,
    /// Requested and delivered amounts of each feed; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedFigures>,
    /// Counts of the meters; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meters: Vec<MeterFigures>,
    /// The jam in which the run ended; none if it did not end in one.
    pub jam: Option<Jam>,
    /// All jams in order: those that a perturbation broke, and the last.
    #[serde(default)]
    pub jams: Vec<Jam>,
    /// Micro-avalanches; none unless they are detected.
    pub avalanches: Option<Avalanches>,
    /// Collisions of event-driven runs; none where no collision is instantaneous.
    #[serde(default)]
    pub impacts: Option<ImpactFigures>,
    /// Commands given by the calling program; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<GivenCommand>,
    /// Number of corrections and fallbacks by name, those that occurred.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub corrections: BTreeMap<String, u64>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// CRC-32 of the tables and of `scenario.toml`, hexadecimal, by name of the file: written with a run's folder and
    /// checked on reading.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checksums: BTreeMap<String, String>,
}

/// Returns the counts of corrections that occurred.
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
    /// Simulated time, s.
    #[serde(rename = "virtual")]
    pub simulated: f64,
    /// Elapsed time, s.
    pub wall: f64,
}

/// Events of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventFigures {
    /// All events.
    pub total: u64,
    /// Events from the queue.
    #[serde(default)]
    pub queue: u64,
    /// Link events, detected by the steps in which they occur.
    #[serde(default)]
    pub links: u64,
    /// Steps of the stepped grains.
    #[serde(default)]
    pub steps: u64,
    /// Counts by kind.
    pub by_kind: BTreeMap<String, u64>,
    /// Per simulated second.
    pub per_virtual_second: f64,
    /// Per elapsed second.
    pub per_wall_second: f64,
}

impl EventFigures {
    /// Builds the figures from counts in the order of [`EventKind::ALL`], with the numbers of events from the queue
    /// and of steps.
    #[must_use]
    pub(crate) fn of(counts: &[u64], queue: u64, steps: u64, time: Times) -> Self {
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

/// Fractions of grains by regime, averaged over time.
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
    /// Number of times that a grain was put to rest.
    #[serde(default)]
    pub stops: u64,
    /// Number of these after which it was woken within a dwell; `thrash` is the old name.
    #[serde(default, alias = "thrash")]
    pub sleep_wake_cycles: u64,
    /// The quasi-static solver that was used last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Grains times steps if each grain had been stepped all the time.
    pub grain_steps_if_all_stepped: u64,
    /// Cost of links between grains that form and break.
    #[serde(default)]
    pub grains_per_link_event: GrainsPerLinkEvent,
}

impl WorkFigures {
    /// Returns the grain-steps over those if all grains had been stepped; none where there would have been none.
    pub fn stepped_share(&self) -> Option<f64> {
        let all = self.grain_steps_if_all_stepped;
        (all > 0).then(|| self.grain_steps as f64 / all as f64)
    }
}

/// Number of grains that the index of clusters visited for each link between grains that formed or broke: merges, and
/// searches for splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrainsPerLinkEvent {
    /// Number of such events.
    pub events: u64,
    /// Median.
    pub median: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Maximum.
    pub largest: u64,
}

/// Final state of a periodic cell whose edges move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellFigures {
    /// Lengths along the axes, m.
    pub lengths: Vec<f64>,
    /// Displacement of the image above along x, m; at most half a length.
    pub offset: f64,
    /// Shear over the whole run.
    pub sheared: f64,
    /// Solid fraction.
    pub fraction: f64,
    /// Mean number of links per grain; a link counts for both of its grains.
    pub coordination: f64,
    /// Pressure, Pa, in the plane N/m: force along the second axis on a plane across the first, positive in
    /// compression.
    pub pressure: Vec<Vec<f64>>,
    /// Mean pressure over the second half of the run.
    pub mean_pressure: Vec<Vec<f64>>,
    /// For a sheared cell, over that half: shear stress over pressure on planes across y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

/// Soft collisions (Poeschel and Mueller 2013).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoftFigures {
    /// Contacts of two grains.
    pub collisions: u64,
    /// Number of these that were instantaneous because another body was where a grain was to be put (first
    /// exception).
    pub blocked: u64,
    /// Grains met by a third body during contact (second exception).
    pub interrupted: u64,
    /// Exceptions over contacts.
    pub exceptional_share: f64,
    /// Contacts outside the tables, solved one by one.
    pub solved: u64,
    /// Greatest error found when the tables were checked.
    pub table_error: f64,
    /// Mean distance by which a grain was displaced, m.
    pub displaced: f64,
    /// Greatest such distance, m.
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
    /// Path of the fill in the scenario.
    pub name: String,
    /// Grains outside the vessel that holds the others.
    pub outside: u64,
    /// Grain sizes.
    pub sizes: FillSizes,
}

/// Percentiles of grain size by mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FillSizes {
    /// Diameter below which 10 % of the mass lies, m.
    pub d10: f64,
    /// Diameter below which 50 % of the mass lies, m.
    pub d50: f64,
    /// Diameter below which 90 % of the mass lies, m.
    pub d90: f64,
}

/// Requested and delivered amount of a feed at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedFigures {
    /// Path of the feed in the scenario.
    pub name: String,
    /// Amount due by the end.
    pub asked: FeedAmount,
    /// Amount delivered.
    pub given: FeedAmount,
    /// Number of times that a grain found no room and had to wait.
    pub postponed: u64,
}

/// Amount of grains of a feed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedAmount {
    /// Number of grains.
    pub count: u64,
    /// Mass of these, kg (in the plane per metre of depth).
    pub mass: f64,
}

/// Grains that passed a meter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeterFigures {
    /// Name of the meter.
    pub name: String,
    /// Number of grains that passed forward.
    pub forward: u64,
    /// Number of grains that passed back.
    pub back: u64,
    /// Forward less back.
    pub count: i64,
    /// Mass, forward less back, kg (in the plane per metre of depth).
    pub mass: f64,
    /// Diameter below which 10 % of that mass lies, m; none if nothing passed.
    pub d10: Option<f64>,
    /// Diameter below which 50 % of that mass lies, m.
    pub d50: Option<f64>,
    /// Diameter below which 90 % of that mass lies, m.
    pub d90: Option<f64>,
    /// Shares by name of the material.
    pub materials: BTreeMap<String, MeterShare>,
    /// Counts by size.
    pub sizes: Vec<SizeClass>,
}

/// Share of a material in the passed grains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeterShare {
    /// Grains forward less back.
    pub count: i64,
    /// Mass of these, kg.
    pub mass: f64,
}

/// Grains of similar size that passed in the direction of the net flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Least diameter, m.
    pub from: f64,
    /// Upper end of the class, m.
    pub to: f64,
    /// Number of grains.
    pub count: u64,
    /// Mass of these, kg.
    pub mass: f64,
}

/// A jam.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jam {
    /// Start of the silence of the outlets, s: the time at which the last grain left, or the last disturbance from
    /// outside.
    pub time: f64,
    /// Time at which the last grain left, s; none if none did.
    #[serde(default)]
    pub flow_stopped: Option<f64>,
    /// Time at which it was established that only rattlers can move, s.
    #[serde(default)]
    pub verdict_time: f64,
    /// Grains of the arch, from one wall to the other.
    pub arch: Vec<u32>,
    /// Distance between the centres of the first and the last grain of the arch, m.
    pub span: f64,
    /// Normal forces of the arch's links, including those with the two walls.
    #[serde(default)]
    pub force: ArchForce,
    /// The link of the arch nearest to sliding.
    #[serde(default)]
    pub weakest: Option<WeakestLink>,
}

/// Normal forces along an arch, N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArchForce {
    /// Mean over the links.
    pub mean: f64,
    /// Least force of a link.
    pub least: f64,
}

/// The link of an arch with the least margin to Coulomb's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeakestLink {
    /// First body, a grain.
    pub a: i64,
    /// Second body: a grain, or boundary i of the scenario as -1 - i.
    pub b: i64,
    /// Normal force, N.
    pub normal: f64,
    /// Magnitude of the tangential force, N.
    pub tangential: f64,
    /// 1 - tangential / (friction x normal): at 0 the link slides, at 1 there is no tangential force; 0 without
    /// friction.
    pub margin: f64,
}

/// Micro-avalanches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Avalanches {
    /// Number of avalanches.
    pub count: u64,
    /// Greatest size.
    pub largest: u64,
    /// Total energy, J.
    pub energy: f64,
}

/// Collisions of an event-driven run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactFigures {
    /// Collisions of two grains.
    pub grain: Impacts,
    /// Collisions of grains with walls.
    pub wall: Impacts,
    /// Collisions with each wall.
    pub walls: Vec<WallImpacts>,
}

/// Statistics of one kind of collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impacts {
    /// Number of collisions.
    pub count: u64,
    /// Number of these that are part of a lasting contact and lose nothing.
    pub lasting: u64,
    /// Collisions per simulated second, including lasting ones, 1/s.
    pub rate: f64,
    /// Energy lost, J.
    pub lost: f64,
    /// Energy lost per simulated second, W.
    pub power: f64,
}

/// Collisions with a wall, and their effects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallImpacts {
    /// Name of the wall.
    pub name: String,
    /// Number of collisions.
    pub count: u64,
    /// Energy lost in them, J.
    pub lost: f64,
    /// Work done by the wall on grains, J.
    pub fed: f64,
    /// Momentum transferred to the wall, N s.
    pub impulse: [f64; 3],
    /// Sum of the magnitudes of its normal components, N s.
    pub normal_impulse: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The summary of a run that failed because of a NaN can be read.
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
