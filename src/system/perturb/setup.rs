//! What disturbs a system from outside, and when.

use serde::{Deserialize, Serialize};

use crate::field::GravityChange;
use crate::geometry::Dimension;

/// A perturbation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PerturbSetup<D: Dimension> {
    /// When it comes.
    pub when: PerturbWhen,
    /// What it does.
    pub kind: PerturbKind<D>,
}

/// When a perturbation comes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PerturbWhen {
    /// Once, at a time, s.
    At(f64),
    /// So long after each jam was found, if it still lasts.
    OnJam {
        /// How long, s.
        delay: f64,
        /// How often at most; none: at each jam.
        at_most: Option<u64>,
    },
}

/// What a perturbation does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum PerturbKind<D: Dimension> {
    /// Grains are given a velocity on top of their own, all at once.
    Tap {
        /// It, m/s.
        velocity: D::Vector,
        /// Least and greatest corner of the box in which their centres lie, m; none: all.
        region: Option<(D::Vector, D::Vector)>,
    },
    /// The vessel swings: it is displaced by amplitude (1 - cos(2 pi frequency t)), from rest to rest,
    /// and all is told in its frame.
    Shake {
        /// Amplitude, m.
        amplitude: D::Vector,
        /// Hz.
        frequency: f64,
        /// How many whole swings.
        cycles: u64,
    },
    /// The direction of gravity turns, evenly, and stays.
    Tilt {
        /// By how much and about which axis, rad.
        turn: D::Spin,
        /// In what time, s.
        duration: f64,
    },
    /// The direction of gravity turns steadily, without end.
    Turn {
        /// How fast and about which axis, rad/s.
        spin: D::Spin,
    },
    /// A grain is taken away.
    Remove(Victim<D>),
}

impl<D: Dimension> PerturbKind<D> {
    /// What it does to gravity, if that is what it does.
    pub fn change(&self) -> Option<GravityChange<D>> {
        match *self {
            PerturbKind::Shake {
                amplitude,
                frequency,
                cycles,
            } => Some(GravityChange::Swing {
                amplitude,
                frequency,
                cycles,
            }),
            PerturbKind::Tilt { turn, duration } => Some(GravityChange::Tilt { turn, duration }),
            PerturbKind::Turn { spin } => Some(GravityChange::Turn { spin }),
            PerturbKind::Tap { .. } | PerturbKind::Remove(_) => None,
        }
    }
}

/// Which grain is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Victim<D: Dimension> {
    /// That whose centre is nearest to a point, m.
    Near(D::Vector),
    /// One of the arch of the jam.
    OfArch(ArchGrain),
}

/// A grain of an arch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArchGrain {
    /// The first grain of the link that is nearest to sliding.
    Weakest,
    /// The one in the middle of the chain.
    Middle,
}
