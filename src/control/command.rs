//! Commands that a program gives to a run between two times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command to a run. In the plane vectors end in 0, and rotations are about the third axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Adds a velocity to that of grains, all at once.
    Tap {
        /// Added velocity, m/s.
        velocity: [f64; 3],
        /// Least and greatest corner of the box that must contain a grain's centre, m; none: all grains.
        region: Option<[[f64; 3]; 2]>,
    },
    /// Removes the grain whose centre is nearest to a place, m.
    Remove {
        /// The place.
        near: [f64; 3],
    },
    /// Removes a grain of the arch of the present jam.
    RemoveOfArch(ArchGrain),
    /// Displaces the vessel by amplitude (1 - cos(2 pi frequency t)), from rest to rest; all output is in the
    /// vessel's frame.
    Shake {
        /// Amplitude, m.
        amplitude: [f64; 3],
        /// Frequency, Hz.
        frequency: f64,
        /// Number of whole oscillations.
        cycles: u64,
    },
    /// Turns the direction of gravity evenly; it stays turned.
    Tilt {
        /// Rotation vector, rad.
        turn: [f64; 3],
        /// Duration of the turn, s.
        duration: f64,
    },
    /// Removes a wall, as a gate that opens.
    Open {
        /// Name of the wall.
        boundary: String,
    },
    /// Stops a feed.
    Shut {
        /// Index of the feed, from 0, in the order of the scenario.
        feed: usize,
    },
}

/// A command that was given to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenCommand {
    /// Time of the command, s.
    pub time: f64,
    /// Number of events from the queue before it.
    pub after: u64,
    /// The command.
    pub command: Command,
}

/// A grain of an arch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArchGrain {
    /// The first grain of the link that is nearest to sliding.
    Weakest,
    /// The one in the middle of the chain.
    Middle,
}
