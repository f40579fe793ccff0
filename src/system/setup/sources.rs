//! What acts on a run from outside: feeds, outlets, meters, controls, perturbations.

use serde::{Deserialize, Serialize};

use crate::geometry::Dimension;
use crate::system::{MeterSetup, Mixture, PerturbSetup};

/// All that adds, removes, counts, steers and disturbs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SourceSetup<D: Dimension> {
    /// Feeds.
    pub feeds: Vec<FeedSetup<D>>,
    /// Removal of what has left.
    pub outlets: Vec<OutletSetup<D>>,
    /// How often clusters that have left are looked for, s.
    pub outlet_interval: f64,
    /// What counts who passes.
    pub meters: Vec<MeterSetup<D>>,
    /// What acts by what it reads.
    pub controls: Vec<crate::control::Control>,
    /// What disturbs the whole from outside.
    pub perturbs: Vec<PerturbSetup<D>>,
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
