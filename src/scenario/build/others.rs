//! What else a scenario may ask for than contacts followed step by step: models and settings that do not know all
//! that acts, and refuse it.

use crate::scenario::path::Place;
use crate::scenario::spec::Spec;
use crate::system::IntegratorName;

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

impl Other {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Other::Events => "[events]",
            Other::QuasiStatic => "[quasi_static]",
            Other::Rigid => "[morph]",
            Other::Collisions => "`run.collisions`",
            Other::Heun => "`heun`",
        }
    }

    /// The key that asks for it.
    pub(super) fn place(self) -> Place {
        match self {
            Other::Events => Place::of("events"),
            Other::QuasiStatic => Place::of("quasi_static"),
            Other::Rigid => Place::of("morph").key("rigid"),
            Other::Collisions => Place::of("run").key("collisions"),
            Other::Heun => Place::of("run").key("integrator"),
        }
    }
}

/// Those that are asked for.
pub(super) fn asked(spec: &Spec) -> impl Iterator<Item = Other> {
    let rigid = spec.morph.as_ref().is_some_and(|morph| morph.rigid);
    let all = [
        (Other::Events, spec.events.is_some()),
        (Other::QuasiStatic, spec.quasi_static.is_some()),
        (Other::Rigid, rigid),
        (Other::Collisions, spec.run.collisions),
        (Other::Heun, spec.run.integrator == IntegratorName::Heun),
    ];
    all.into_iter()
        .filter(|(_, asked)| *asked)
        .map(|(other, _)| other)
}
