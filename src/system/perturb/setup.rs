//! Setup of perturbations from outside: their effect and their time.

use serde::{Deserialize, Serialize};

use crate::body::GrainId;
use crate::control::ArchGrain;
use crate::field::{GravityChange, GravityCourse};
use crate::geometry::{Dimension, Vector};
use crate::system::Setup;

/// A perturbation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PerturbSetup<D: Dimension> {
    /// Time at which it comes.
    pub when: PerturbWhen,
    /// Effect.
    pub kind: PerturbKind<D>,
}

/// Time at which a perturbation comes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PerturbWhen {
    /// Once, at a time, s.
    At(f64),
    /// With a delay after each jam was found, if the jam still lasts.
    OnJam {
        /// Delay, s.
        delay: f64,
        /// Greatest number of times; `None`: at each jam.
        at_most: Option<u64>,
    },
}

/// Effect of a perturbation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum PerturbKind<D: Dimension> {
    /// Adds a velocity to that of grains, all at once.
    Tap {
        /// Velocity, m/s.
        velocity: D::Vector,
        /// Least and greatest corner of the box in which their centres lie, m; `None`: all grains.
        region: Option<(D::Vector, D::Vector)>,
    },
    /// Gravity changes, for a time or for good: a shake, or a tilt.
    Gravity(GravityChange<D>),
    /// Removes a grain.
    Remove(Victim<D>),
}

impl<D: Dimension> PerturbKind<D> {
    /// Returns the change of gravity, if it is one.
    pub fn change(&self) -> Option<GravityChange<D>> {
        match *self {
            PerturbKind::Gravity(change) => Some(change),
            PerturbKind::Tap { .. } | PerturbKind::Remove(_) => None,
        }
    }

    /// Returns the keys of the grains that it touches, of those present, each with its number and its position, m. A removed grain is
    /// the nearest one, by number where two are as near; none for a grain of an arch, which the jam determines.
    pub fn touched<K>(&self, there: impl Iterator<Item = (K, GrainId, D::Vector)>) -> Vec<K> {
        match self {
            PerturbKind::Gravity(_) | PerturbKind::Tap { region: None, .. } => {
                there.map(|(key, ..)| key).collect()
            }
            PerturbKind::Tap {
                region: Some((min, max)),
                ..
            } => there
                .filter(|(_, _, x)| (0..D::N).all(|k| x[k] >= min[k] && x[k] <= max[k]))
                .map(|(key, ..)| key)
                .collect(),
            PerturbKind::Remove(Victim::Near(point)) => there
                .min_by(|(_, a, x), (_, b, y)| {
                    let far = |x: &D::Vector| (*x - *point).norm_squared();
                    far(x).total_cmp(&far(y)).then(a.cmp(b))
                })
                .map(|(key, ..)| key)
                .into_iter()
                .collect(),
            PerturbKind::Remove(Victim::OfArch(_)) => Vec::new(),
        }
    }
}

/// Returns the changes of a setup's gravity at times that are known beforehand.
pub(in crate::system) fn gravity_course<D: Dimension>(setup: &Setup<D>) -> GravityCourse<D> {
    let changes = setup.sources.perturbs.iter().filter_map(|perturb| {
        let PerturbWhen::At(time) = perturb.when else {
            return None;
        };
        Some((time, perturb.kind.change()?))
    });
    GravityCourse::new(setup.fields.gravity, changes.collect())
}

/// Grain to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Victim<D: Dimension> {
    /// The grain whose centre is nearest to a point, m.
    Near(D::Vector),
    /// A grain of the arch of the jam.
    OfArch(ArchGrain),
}
