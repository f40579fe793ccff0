//! Commands: what a program does to a run between two times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a program does to a run. In the plane vectors end in 0, and turns are about the third axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Grains are given a velocity on top of their own, all at once.
    Tap {
        /// It, m/s.
        velocity: [f64; 3],
        /// Least and greatest corner of the box in which their centres lie, m; none: all.
        region: Option<[[f64; 3]; 2]>,
    },
    /// The grain whose centre is nearest to a place, m, is taken away.
    Remove {
        /// The place.
        near: [f64; 3],
    },
    /// A grain of the arch of the jam that stands is taken away.
    RemoveOfArch(ArchGrain),
    /// The vessel is displaced by amplitude (1 - cos(2 pi frequency t)), from rest to rest, and all is told in its frame.
    Shake {
        /// Amplitude, m.
        amplitude: [f64; 3],
        /// Hz.
        frequency: f64,
        /// How many whole swings.
        cycles: u64,
    },
    /// The direction of gravity turns, evenly, and stays.
    Tilt {
        /// By how much and about which axis, rad.
        turn: [f64; 3],
        /// In what time, s.
        duration: f64,
    },
    /// A wall goes, as a gate does that opens.
    Open {
        /// Its name.
        boundary: String,
    },
    /// A feed gives no more.
    Shut {
        /// Which, from 0, in order of the scenario.
        feed: usize,
    },
}

/// A command that was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// When, s.
    pub time: f64,
    /// After how many events from the queue.
    pub after: u64,
    /// What.
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
