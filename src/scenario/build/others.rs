//! What else a scenario may ask for than contacts followed step by step: models and settings that do not know all
//! that acts, and refuse it.

use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::spec::Spec;
use crate::system::{IntegratorName, Setup};

/// A model or setting that a scenario asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// `[events]`.
    Events,
    /// `[quasi_static]`.
    QuasiStatic,
    /// Grains that stand still, under `[morph]`.
    Rigid,
    /// `run.collisions`.
    Collisions,
    /// The integrator `heun`.
    Heun,
}

/// The first of those that are asked for, with the key that does.
pub(super) fn asked<D: Dimension>(spec: &Spec, setup: &Setup<D>) -> Option<(Other, Place)> {
    let run = Place::of("run");
    let heun = setup.motion.integrator == IntegratorName::Heun;
    let rigid = spec.morph.as_ref().is_some_and(|morph| morph.rigid);
    let all = [
        (Other::Events, spec.events.is_some(), Place::of("events")),
        (
            Other::QuasiStatic,
            spec.quasi_static.is_some(),
            Place::of("quasi_static"),
        ),
        (Other::Rigid, rigid, Place::of("morph").key("rigid")),
        (
            Other::Collisions,
            spec.run.collisions,
            run.key("collisions"),
        ),
        (Other::Heun, heun, run.key("integrator")),
    ];
    let first = all.into_iter().find(|(_, asked, _)| *asked);
    first.map(|(other, _, place)| (other, place))
}
