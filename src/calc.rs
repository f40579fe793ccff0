//! Single models by themselves, as `arenite calc` evaluates them: cases and results are JSON.
//!
//! A case is a JSON object with the keys of its model; an array of cases gives an array of results. The keys are in
//! docs/collisions.md (`flight`, `collision`, `mapping`), docs/stress.md, docs/mill.md (`grinding`) and docs/grains.md
//! (`grain`, `contact`).
//!
//! ```
//! use arenite::calc::{CalcKind, evaluate};
//! use serde_json::json;
//!
//! let case = json!({ "density": 2500.0, "spheres": [{ "centre": [0.0, 0.0, 0.0], "radius": 1e-3 }] });
//! let found = evaluate(CalcKind::Grain, case, "".as_ref()).unwrap();
//! let mass = found["mass"].as_f64().unwrap();
//! assert!((mass - 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-9).abs() < 1e-12 * mass);
//! // Errors name the key.
//! let fault = evaluate(CalcKind::Mapping, json!({ "l": -1.0, "c_phi": 0.0, "c_dis": 0.0 }), "".as_ref());
//! assert!(fault.unwrap_err().to_string().starts_with("l: "));
//! ```

use std::path::Path;

use clap::ValueEnum;
use serde_json::Value;

pub use crate::cases::CalcError;
use crate::collide::calc as collisions;
pub use crate::stress::{Bar, StressMatrices, stress_matrices};

/// A model that can be used by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CalcKind {
    /// Time of first contact of two bodies on parabolic paths
    Flight,
    /// Outcome of a collision
    Collision,
    /// What a scaled linear contact does to the relative motion of two spheres
    Mapping,
    /// Displacements and link stresses of a network in equilibrium
    Stress,
    /// Rigid groups of a planar network by counting
    Rigidity,
    /// Masses by particle size in a ball mill over time
    Grinding,
    /// Mass properties of a grain: disks, spheres, arcs, or the inside of an STL surface
    Grain,
    /// Where two grains of disks, spheres or arcs touch, and how deep they overlap
    Contact,
}

/// Returns the results of a case, or of each case of an array in order. Files that a case names are relative to
/// `folder`.
///
/// # Errors
/// The first case with a key that is missing, unknown or has a value that is not allowed, or that has no solution.
pub fn evaluate(kind: CalcKind, case: Value, folder: &Path) -> Result<Value, CalcError> {
    match kind {
        CalcKind::Flight => collisions::flight(case),
        CalcKind::Collision => collisions::collision(case),
        CalcKind::Mapping => collisions::mapping(case),
        CalcKind::Grinding => crate::study::grinding::calc(case),
        CalcKind::Stress => crate::stress::calc(case),
        CalcKind::Rigidity => crate::rigidity::calc(case),
        CalcKind::Grain => crate::body::calc::grain(case, folder),
        CalcKind::Contact => crate::body::calc::contact(case, folder),
    }
}
