//! Setup of the motion: integration of grains, and the search for neighbours.

use serde::{Deserialize, Serialize};

use super::IntegratorName;

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
    /// Step, s; `None`: chosen from stiffness, damping and accuracy.
    pub step: Option<f64>,
    /// Fraction of the limits that a chosen step keeps to.
    pub safety: f64,
    /// Neighbour search.
    pub neighbor: NeighborName,
    /// Whether grains without contact fly free (false: always stepped).
    pub flight: bool,
    /// Whether flyers collide at once where they can: the greatest displacement of a pair during its contact,
    /// over the sum of its radii, for which they do; `None`: each contact is stepped.
    pub collisions: Option<f64>,
    /// A link is stable below this relative speed, m/s,
    pub stable_speed: f64,
    /// for this time, s.
    pub stable_dwell: f64,
    /// Relative tolerance of slip and grip against the Coulomb limit.
    pub slip_tolerance: f64,
}
