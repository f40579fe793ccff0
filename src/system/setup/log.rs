//! Setup of the logs: contents and intervals.

use serde::{Deserialize, Serialize};

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

/// Intervals of the logs, s; `None` for never.
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
    /// Size of the cells of the field of stagnant zones, m; `None`: no field.
    pub stagnant: Option<f64>,
    /// Size of the cells of the maps of walls, m; `None`: no maps.
    pub wear: Option<f64>,
    /// Whether collisions are sorted by their energy.
    pub impacts: bool,
}
