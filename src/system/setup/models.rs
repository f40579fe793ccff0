//! Models that a setup asks for beside stepped motion, and their settings.

use serde::{Deserialize, Serialize};

use crate::collide::engine::{Laws, Rule};

/// Models of a run beside stepped motion; without any each grain is always stepped or flies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSetup {
    /// The quasi-static model instead of motion.
    pub quasi_static: Option<QuasiStaticSetup>,
    /// Hard collisions from event to event instead of contacts that last.
    pub events: Option<EventsSetup>,
    /// Rest of grains in equilibrium; `None` when each grain is always stepped.
    pub morph: Option<MorphSetup>,
}

impl ModelSetup {
    /// Whether the scenario itself asks for rest, so that what does not support it must say so.
    pub fn asks_for_rest(&self) -> bool {
        self.morph.is_some_and(|morph| !morph.by_default)
    }
}

/// Event-driven model: treatment of collisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventsSetup {
    /// Rule of each pair of materials, at [first * materials + second].
    pub rules: Vec<Rule>,
    /// Pairs whose contact law decides instead of a rule.
    pub laws: Laws,
    /// A pair that collides again within this time, s, stays in touch; 0: no such limit.
    pub contact_time: f64,
    /// Treatment of such a pair.
    pub collapse: CollapseName,
}

/// How collisions by contact law go.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CollisionsName {
    /// Instantaneous, with the law's restitution at the pair's mass and approach speed, and with the
    /// tangential impulse of its friction.
    #[default]
    Hard,
    /// As long as the contact lasts, and with what it displaces (Poeschel and Mueller 2013); without
    /// friction.
    Soft,
}

/// What becomes of a pair that collides again within its contact time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CollapseName {
    /// The run stops and names the pair: a model of lasting contacts must take it.
    #[default]
    Stop,
    /// It collides without loss (the TC model of Luding and McNamara 1998).
    Elastic,
}

/// Conditions under which grains come to rest and are woken (docs/morphing.md).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MorphSetup {
    /// Whether the scenario does not ask for it: what does not support it then steps all grains, without a word.
    pub by_default: bool,
    /// Whether a vessel that turns as a whole is computed in its own frame.
    pub own_frame: bool,
    /// Kinetic energy below which a grain is calm, over m g d.
    pub kinetic: f64,
    /// The same for its mean velocity over `dwell`, below which it does not creep; from `kinetic` on nothing is asked.
    pub creep: f64,
    /// Time for which it must be calm, s.
    pub dwell: f64,
    /// Residual that it may have when it is stopped, in weights.
    pub residual: f64,
    /// Residual that it may have too, over the sum of the normal forces of its links.
    pub residual_share: f64,
    /// Residual at which it is woken, in weights.
    pub wake: f64,
    /// Height, over the diameter of the smaller grain, to which a striker must be able to rise with its speed, so that the struck grain is
    /// woken at once, with all that a wave reaches meanwhile.
    pub strike: f64,
    /// Residual at which it is woken too, over the sum of the normal forces of its links with
    /// other grains at rest.
    pub wake_share: f64,
    /// Time between two equilibrium solves, s.
    pub carry_every: f64,
    /// Pending load of the grains of a solve, over their weight, that its usual passes may leave.
    pub pending: f64,
    /// Time that grains have in such a solve to move against their inertia, s.
    pub solve_time: f64,
    /// Residual at which it is woken after a solve, in weights.
    pub residual_after_solve: f64,
}

impl MorphSetup {
    /// Whether a grain that is calm may still creep: who is calm at each check moves no faster on average.
    pub fn bounds_creep(&self) -> bool {
        self.creep < self.kinetic
    }
}

/// Quasi-static filling: the grains come one by one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuasiStaticSetup {
    /// Time from one grain to the next, s.
    pub interval: f64,
    /// Solver.
    pub solver: SolverName,
    /// Degrees of freedom of a grain.
    pub freedom: FreedomName,
    /// Whether links may slide.
    pub slides: bool,
    /// Treatment of links in tension.
    pub tension: TensionName,
    /// Order of connections, breaks and slides.
    pub order: OrderName,
    /// State of the bed that a new grain meets.
    pub placed: PlacedName,
    /// Force that counts as zero, N.
    pub tolerance: f64,
    /// Gap below which bodies are watched, m.
    pub reach: f64,
    /// Continuation after the last grain.
    pub then: ThenName,
}

/// What a quasi-static filling goes on as.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ThenName {
    /// It stays in equilibrium.
    #[default]
    Nothing,
    /// Motion, from the forces of the filling on: an interval after the last grain has come.
    Motion,
}

/// Names of the quasi-static solvers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Chosen by size and by how often contacts and loads change.
    #[default]
    Auto,
    /// The inverse of the stiffness, kept up to date (thesis 4.2).
    Rima,
    /// Conjugate gradient (thesis 5.7.7.2).
    Cg,
    /// Sparse Cholesky factor.
    Factor,
}

/// Names of the displacements that a grain has in the quasi-static model.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FreedomName {
    /// Of the centre only (thesis 4.3); moments are not balanced.
    #[default]
    Translational,
    /// Of the centre, and rotations.
    Full,
}

/// What becomes of links in tension.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TensionName {
    /// They break.
    #[default]
    Break,
    /// They hold, as glued.
    Keep,
}

/// What a grain that comes finds below it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PlacedName {
    /// The bed as if nothing had been displaced: uneven settling strains new links, the more the
    /// higher the bed.
    Reference,
    /// The bed as it has settled: new links are without stress.
    #[default]
    Settled,
}

/// In which order links connect, break and slide.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OrderName {
    /// The most stressed connection; else the most stretched link breaks; else all slides at once
    /// (thesis 4.5.3).
    #[default]
    Thesis,
    /// As the thesis, but slides one at a time, the greatest excess first.
    OneSlide,
    /// As the thesis, but all stretched links break at once.
    AllBreaks,
}
