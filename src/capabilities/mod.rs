//! The table of models and the features that each supports. Refusals and their reasons, the documents, `arenite list
//! capabilities`, and the cells that the tests run all come from this table.
//!
//! A cell says yes; not yet, with what is missing; or no, with the physical fact that rules it out.

mod describe;
mod table;

use serde::Serialize;

pub use describe::describe;
pub use table::Feature;

/// A model of the motion of grains, or another way to run that supports some features and not others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// Contacts integrated step by step.
    Dem,
    /// As [`Model::Dem`], with collisions in flight (`run.collisions`).
    Flight,
    /// Event-driven: all grains fly and collide (`[events]`).
    Collisions,
    /// Grains in equilibrium are at rest (`[morph]`).
    Rest,
    /// Equilibria under the full load (`[quasi_static]`).
    QuasiStatic,
    /// Bonded grains that move as one rigid body (`rigid` in `[law.bond]`).
    Rigid,
    /// One run distributed over several ranks.
    Ranks,
    /// Contacts integrated with `heun`, which supports less than the other integrators; not a column of the lists.
    Heun,
}

impl Model {
    /// The models that are listed.
    pub const LISTED: [Model; 7] = [
        Model::Dem,
        Model::Flight,
        Model::Collisions,
        Model::Rest,
        Model::QuasiStatic,
        Model::Rigid,
        Model::Ranks,
    ];

    /// Returns the model's name in lists.
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

    /// Returns the scenario key or section that selects the model, as messages show it.
    pub fn asked_by(self) -> &'static str {
        match self {
            Model::Dem => "stepping",
            Model::Flight => "`run.collisions`",
            Model::Collisions => "[events]",
            Model::Rest => "[morph]",
            Model::QuasiStatic => "[quasi_static]",
            Model::Rigid => "`bond.rigid`",
            Model::Ranks => "a run over several ranks",
            Model::Heun => "`heun`",
        }
    }
}

/// Whether a model supports a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Supported.
    Yes,
    /// Not supported; the text says what is missing.
    NotYet(&'static str),
    /// Not supported, but the run continues without it, with a warning; the text says what is missing.
    Without(&'static str),
    /// Never supported, because of a physical fact.
    No(&'static str),
}

impl Support {
    /// Returns the name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Support::Yes => "yes",
            Support::NotYet(_) | Support::Without(_) => "not-yet",
            Support::No(_) => "no",
        }
    }

    /// Returns why the feature is not supported; none if it is.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Support::Yes => None,
            Support::NotYet(reason) | Support::Without(reason) | Support::No(reason) => {
                Some(reason)
            }
        }
    }
}

/// Dimensions of space in which a feature exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spaces {
    Both,
    /// The plane only; the text says why.
    Plane(&'static str),
    /// Space only; the text says why.
    Space(&'static str),
}

impl Feature {
    /// Returns whether a model supports the feature in this number of dimensions (2 or 3).
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
            Model::Rigid => self.of_bodies(dem),
            Model::Ranks => ranks,
            Model::Heun => heun,
        }
    }

    /// Returns whether rigid bodies, which are stepped, support a feature that stepping supports as it does.
    fn of_bodies(self, dem: Support) -> Support {
        match self {
            Feature::DrivenBox | Feature::ShearedBox => {
                Support::NotYet("rigid bodies do not follow a box that moves")
            }
            Feature::Clumps | Feature::Arcs => Support::NotYet("bonds join disks and spheres"),
            Feature::Euler | Feature::HeunRule => {
                Support::NotYet("rigid bodies are stepped by the leapfrogs `verlet` and `midpoint`")
            }
            _ => dem,
        }
    }

    /// Returns why the feature does not exist in this number of dimensions; none if it does.
    fn elsewhere(self, dimensions: usize) -> Option<&'static str> {
        match (self.row().spaces, dimensions) {
            (Spaces::Plane(why), 3) | (Spaces::Space(why), 2) => Some(why),
            _ => None,
        }
    }

    /// Returns why a model does not support the feature, as a sentence; none if it does.
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

/// A cell of the table, as it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Name of the feature.
    pub feature: &'static str,
    /// Number of dimensions, 2 or 3.
    pub dimension: usize,
    /// Name of the model.
    pub model: &'static str,
    /// `yes`, `not-yet` or `no`.
    pub status: &'static str,
    /// Why the feature is not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Returns all cells.
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
