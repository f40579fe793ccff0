//! What disturbs a system from outside, and when.

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
    /// Gravity changes, for a time or for good: a shake, or a tilt.
    Gravity(GravityChange<D>),
    /// A grain is taken away.
    Remove(Victim<D>),
}

impl<D: Dimension> PerturbKind<D> {
    /// What it does to gravity, if that is what it does.
    pub fn change(&self) -> Option<GravityChange<D>> {
        match *self {
            PerturbKind::Gravity(change) => Some(change),
            PerturbKind::Tap { .. } | PerturbKind::Remove(_) => None,
        }
    }

    /// Which grains it touches of those that are there, each with its number and its place, m: one that is taken away is the nearest, by number where two
    /// are as near; of an arch nobody, which a jam tells.
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

/// How the gravity of a setup changes at times that are known beforehand.
pub(in crate::system) fn gravity_course<D: Dimension>(setup: &Setup<D>) -> GravityCourse<D> {
    let changes = setup.sources.perturbs.iter().filter_map(|perturb| {
        let PerturbWhen::At(time) = perturb.when else {
            return None;
        };
        Some((time, perturb.kind.change()?))
    });
    GravityCourse::new(setup.fields.gravity, changes.collect())
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
