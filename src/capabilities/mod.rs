//! What each model takes: one table of models and features. What is refused, and why, what the documents and
//! `arenite list capabilities` tell, and the cells that tests run all come from it.
//!
//! A cell says yes; not yet, with what is missing; or no, with the fact of physics that forbids it.

mod describe;
mod table;

use serde::Serialize;

pub use describe::describe;
pub use table::Feature;

/// A model of how grains move, or another way to run that takes some features and not others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// Contacts followed step by step.
    Dem,
    /// The same, with collisions in flight (`run.collisions`).
    Flight,
    /// From event to event: all fly and collide (`[events]`).
    Collisions,
    /// Grains in equilibrium stand still (`[morph]`).
    Rest,
    /// Equilibria under the whole load (`[quasi_static]`).
    QuasiStatic,
    /// Free groups that move as one body.
    Rigid,
    /// One run shared by several ranks.
    Ranks,
    /// Contacts followed by the integrator `heun`, which takes less than the others do; no column of the lists.
    Heun,
}

impl Model {
    /// All that are told of.
    pub const LISTED: [Model; 7] = [
        Model::Dem,
        Model::Flight,
        Model::Collisions,
        Model::Rest,
        Model::QuasiStatic,
        Model::Rigid,
        Model::Ranks,
    ];

    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Model::Dem => "dem",
            Model::Flight => "flight",
            Model::Collisions => "collisions",
            Model::Rest => "rest",
            Model::QuasiStatic => "quasi_static",
            Model::Rigid => "rigid",
            Model::Ranks => "ranks",
            Model::Heun => "heun",
        }
    }

    /// What a scenario asks for it by, as messages tell it.
    pub fn asked_by(self) -> &'static str {
        match self {
            Model::Dem => "stepping",
            Model::Flight => "`run.collisions`",
            Model::Collisions => "[events]",
            Model::Rest => "[morph]",
            Model::QuasiStatic => "[quasi_static]",
            Model::Rigid => "a free rigid body",
            Model::Ranks => "a run over several ranks",
            Model::Heun => "`heun`",
        }
    }
}

/// Whether a model takes a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does.
    Yes,
    /// It does not; this is missing.
    NotYet(&'static str),
    /// It does not, and goes without it, with a warning; this is missing.
    Without(&'static str),
    /// It never will: a fact of physics.
    No(&'static str),
}

impl Support {
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Support::Yes => "yes",
            Support::NotYet(_) | Support::Without(_) => "not-yet",
            Support::No(_) => "no",
        }
    }

    /// Why not; none where it is yes.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Support::Yes => None,
            Support::NotYet(reason) | Support::Without(reason) | Support::No(reason) => {
                Some(reason)
            }
        }
    }
}

/// Dimensions of space in which there is a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spaces {
    Both,
    /// Of the plane alone; why.
    Plane(&'static str),
    /// Of space alone; why.
    Space(&'static str),
}

impl Feature {
    /// Whether a model takes it in so many dimensions (2 or 3).
    pub fn support(self, model: Model, dimensions: usize) -> Support {
        if let Some(why) = self.elsewhere(dimensions) {
            return Support::No(why);
        }
        let [dem, flight, collisions, rest, quasi_static, ranks, heun] = self.row().cells;
        match model {
            Model::Dem => dem,
            Model::Flight => flight,
            Model::Collisions => collisions,
            Model::Rest => rest,
            Model::QuasiStatic => quasi_static,
            Model::Rigid => RIGID,
            Model::Ranks => ranks,
            Model::Heun => heun,
        }
    }

    /// Why it is not in so many dimensions; none where it is.
    fn elsewhere(self, dimensions: usize) -> Option<&'static str> {
        match (self.row().spaces, dimensions) {
            (Spaces::Plane(why), 3) | (Spaces::Space(why), 2) => Some(why),
            _ => None,
        }
    }

    /// Why a model does not take it, as a sentence; none where it does.
    pub fn refusal(self, model: Model, dimensions: usize) -> Option<String> {
        if let Some(why) = self.elsewhere(dimensions) {
            return Some(why.into());
        }
        let (asked_by, noun) = (model.asked_by(), self.noun());
        match self.support(model, dimensions) {
            Support::Yes => None,
            Support::NotYet(why) | Support::Without(why) => {
                Some(format!("{asked_by} takes no {noun} yet: {why}"))
            }
            Support::No(why) => Some(format!("{asked_by} takes no {noun}: {why}")),
        }
    }
}

const RIGID: Support =
    Support::NotYet("no run moves free rigid bodies; the library has their equations");

/// A cell of the table, as lists tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Name of the feature.
    pub feature: &'static str,
    /// 2 or 3.
    pub dimension: usize,
    /// Name of the model.
    pub model: &'static str,
    /// `yes`, `not-yet` or `no`.
    pub status: &'static str,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// All cells.
pub fn entries() -> impl Iterator<Item = Entry> {
    let cell = |feature: Feature, dimension: usize, model: Model| {
        let support = feature.support(model, dimension);
        Entry {
            feature: feature.name(),
            dimension,
            model: model.name(),
            status: support.name(),
            reason: support.reason(),
        }
    };
    Feature::ALL.iter().flat_map(move |feature| {
        let dimensions = [2, 3].into_iter();
        dimensions.flat_map(move |dimension| {
            let models = Model::LISTED.into_iter();
            models.map(move |model| cell(*feature, dimension, model))
        })
    })
}
