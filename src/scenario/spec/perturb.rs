//! What disturbs a system from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpinSpec;
use crate::system::ArchGrain;

/// Something that disturbs the whole from outside (docs/jams.md): exactly one of `tap`, `shake`, `tilt`
/// and `remove`, at a `time` or on each jam.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerturbSpec {
    /// When it comes, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Whether it comes after each jam; needs gravity and an outlet, without which no jam is looked
    /// for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_jam: bool,
    /// With `on_jam`: how long after the jam was found it comes, if the jam still lasts, s. 0 when
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// With `on_jam`: how often it comes at most; at each jam when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// Grains are given a velocity on top of their own, all at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tap: Option<TapSpec>,
    /// The vessel swings, from rest to rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shake: Option<ShakeSpec>,
    /// The vessel is tilted: gravity turns, and stays so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt: Option<TiltSpec>,
    /// A grain is taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<RemoveSpec>,
}

/// A tap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TapSpec {
    /// The velocity, m/s.
    pub velocity: Vec<f64>,
    /// Least corner of the box in which the centres of those tapped lie, m; all are when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Vec<f64>>,
    /// Greatest corner, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Vec<f64>>,
}

/// A shake: the vessel is displaced by amplitude (1 - cos(2 pi frequency t)), and positions are those in its
/// frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShakeSpec {
    /// Direction, of any length.
    pub direction: Vec<f64>,
    /// Amplitude, m: half of the whole way.
    pub amplitude: f64,
    /// Frequency, Hz.
    pub frequency: f64,
    /// Number of swings.
    pub cycles: u64,
}

/// A tilt: `angle` and `duration`, or a `rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TiltSpec {
    /// How far gravity turns: an angle in the plane, anticlockwise; three in space, those about the
    /// axes; rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<SpinSpec>,
    /// In what time, evenly, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// How fast gravity turns, without end, as seen from a drum that turns the other way, rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<SpinSpec>,
}

/// Which grain is taken away: one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RemoveSpec {
    /// That whose centre is nearest to a point, m.
    Near(Vec<f64>),
    /// One of the arch of the jam; nothing is done if there is none.
    Arch(ArchGrain),
}
