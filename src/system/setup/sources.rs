//! Setup of the sources that act on a run from outside: feeds, outlets, meters, controls, perturbations.

use serde::{Deserialize, Serialize};

use crate::geometry::Dimension;
use crate::system::{MeterSetup, Mixture, PerturbSetup};

/// Sources that add, remove, count, steer and disturb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SourceSetup<D: Dimension> {
    /// Feeds.
    pub feeds: Vec<FeedSetup<D>>,
    /// Outlets, which remove grains that have left.
    pub outlets: Vec<OutletSetup<D>>,
    /// Time between two checks for clusters that have left, s.
    pub outlet_interval: f64,
    /// Meters, which count grains that pass.
    pub meters: Vec<MeterSetup<D>>,
    /// Controls, which act on what they read.
    pub controls: Vec<crate::control::Control>,
    /// Perturbations of the whole from outside.
    pub perturbs: Vec<PerturbSetup<D>>,
}

/// Times at which a feed makes grains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FeedTiming {
    /// At a fixed interval, s.
    Interval(f64),
    /// As a Poisson stream, mean rate 1/s (thesis eq. 5.26).
    Poisson(f64),
    /// As much mass as a rate, kg/s, requires: each grain comes once the mass before it has taken its time.
    MassRate(f64),
}

/// A feed: puts grains at random places in a region (thesis 5.8.2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FeedSetup<D: Dimension> {
    /// Least corner of the region of centres, m.
    pub min: D::Vector,
    /// Greatest corner, m.
    pub max: D::Vector,
    /// Velocity of the region from the first grain on, m/s.
    pub rise: D::Vector,
    /// Time of the first grain, s.
    pub start: f64,
    /// Times of the grains.
    pub timing: FeedTiming,
    /// Greatest number of grains; `u64::MAX` where only time and mass limit it.
    pub count: u64,
    /// Greatest mass of all grains, kg.
    pub mass: Option<f64>,
    /// Sorts of grains.
    pub what: Mixture,
    /// Initial velocity, m/s.
    pub velocity: D::Vector,
    /// Number of random places tried at one go before the grain is postponed.
    pub attempts: u32,
    /// Time by which it is postponed, s.
    pub retry_interval: f64,
    /// Number of postponements in a row after which the feed stops: a jam.
    pub max_retries: u32,
}

/// A half-space or a box that decides which grains have left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum OutletSetup<D: Dimension> {
    /// Grains wholly beyond a plane (on the side opposite to the normal) have left through the outlet.
    Plane {
        /// A point of the plane, m.
        point: D::Vector,
        /// Normal towards the side of the grains.
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
