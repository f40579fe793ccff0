//! The energy ledger in the summary of a run.

use serde::{Deserialize, Deserializer, Serialize};

/// Reads a number; JSON has neither infinity nor NaN: a run that failed because of one has null there.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// The energy ledger, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyFigures {
    /// Kinetic energy.
    #[serde(deserialize_with = "number")]
    pub kinetic: f64,
    /// Potential energy, relative to the origin.
    #[serde(deserialize_with = "number")]
    pub potential: f64,
    /// Elastic energy.
    #[serde(deserialize_with = "number")]
    pub elastic: f64,
    /// Share of the elastic energy that bonds store.
    #[serde(default, deserialize_with = "number", skip_serializing_if = "is_zero")]
    pub elastic_bonds: f64,
    /// Dissipated energy.
    pub dissipated: Dissipated,
    /// Energy injected by feeds and moving walls.
    #[serde(deserialize_with = "number")]
    pub injected: f64,
    /// Energy removed with grains.
    #[serde(deserialize_with = "number")]
    pub removed: f64,
    /// Relative error of the balance.
    #[serde(deserialize_with = "number")]
    pub balance_error: f64,
    /// The largest error over the rows of the run, each relative to the work of contacts, walls and drag so far plus
    /// the weight of all grains times their diameter; without gravity the initial kinetic energy replaces the latter.
    #[serde(default, deserialize_with = "number")]
    pub balance_error_max: f64,
}

/// Effect on the grains of fields that depend on position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldFigures {
    /// Work of the fluid's motion and of an acceleration from a table, J; included in `injected`.
    #[serde(deserialize_with = "number")]
    pub work: f64,
    /// Energy lost in the fluid's drag, J; included in `dissipated.damping`.
    #[serde(deserialize_with = "number")]
    pub drag: f64,
    /// Momentum, including that of gravity, N s.
    pub momentum: [f64; 3],
    /// Final velocity of a fluid on which the grains act, m/s; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<[f64; 3]>,
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
    /// Released by bonds that broke.
    #[serde(default, deserialize_with = "number", skip_serializing_if = "is_zero")]
    pub breakage: f64,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl Dissipated {
    /// Returns the sum, J.
    pub fn total(&self) -> f64 {
        self.damping + self.slip + self.collision + self.morph + self.breakage
    }
}
