//! Contact laws: the force of a link from overlap, velocity and history.

pub mod calibrate;
mod composed;
pub mod curved;
mod law;
pub mod laws;
mod own;
mod restitution;
pub mod slow;
mod stiffness;
pub mod terms;

pub use composed::{Composed, Composite};
pub use law::{Contact, Elastic, Law, LinkLaw, Loss, Response};
pub(crate) use law::{with_law, with_plain_law};
pub use laws::{
    ContactLaw, Hertz, HertzHysteretic, Linear, LinearPerMass, ThorntonNing, Viscoelastic,
};
pub(crate) use laws::{with_compiled_law, with_contact_law};
pub use own::{Eight, OwnLaw, OwnLawHandle};
pub use restitution::{damping_ratio, restitution};
pub(crate) use stiffness::lasting;
pub use stiffness::{Rates, Stiffness};
pub use terms::{Cohesion, ContactTerms, Plastic, Resistance, ResistanceKind};

use serde::{Deserialize, Serialize};

/// The laws of all pairs of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawTable {
    /// Number of materials.
    pub materials: usize,
    /// Row-major, symmetric; none for pairs that do not need a law.
    pub laws: Vec<Option<ContactLaw>>,
    /// Terms of the laws, in the same order.
    pub terms: Vec<ContactTerms>,
}

impl LawTable {
    /// Returns a table without laws.
    pub fn new(materials: usize) -> Self {
        LawTable {
            materials,
            laws: vec![None; materials * materials],
            terms: vec![ContactTerms::default(); materials * materials],
        }
    }
    /// Sets the law of a pair, in both orders.
    pub fn set(&mut self, a: u16, b: u16, law: ContactLaw) {
        let n = self.materials;
        self.laws[usize::from(a) * n + usize::from(b)] = Some(law);
        self.laws[usize::from(b) * n + usize::from(a)] = Some(law);
    }
    /// Sets the terms of the law of a pair, in both orders.
    pub fn set_terms(&mut self, a: u16, b: u16, terms: ContactTerms) {
        let n = self.materials;
        self.terms[usize::from(a) * n + usize::from(b)] = terms;
        self.terms[usize::from(b) * n + usize::from(a)] = terms;
    }
    /// Returns the terms of the law of a pair beyond spring, dashpot and friction.
    pub fn terms(&self, a: u16, b: u16) -> ContactTerms {
        self.terms[usize::from(a) * self.materials + usize::from(b)]
    }
    /// Whether any law has terms or a loading history.
    pub fn composed(&self) -> bool {
        let remembers = |law: &ContactLaw| law.remembers();
        self.terms.iter().any(|terms| !terms.are_empty())
            || self.laws.iter().flatten().any(remembers)
    }
    /// Whether the normal force of every law is linear in the overlap, without attraction.
    pub fn are_straight(&self) -> bool {
        let straight =
            |law: &ContactLaw| matches!(law.elastic(), Elastic::Linear(_)) && !law.remembers();
        let plain = |terms: &ContactTerms| terms.cohesion.is_none() && terms.plastic.is_none();
        self.laws.iter().flatten().all(straight) && self.terms.iter().all(plain)
    }
    /// Returns the law of a pair.
    pub fn get(&self, a: u16, b: u16) -> Option<&ContactLaw> {
        self.laws[usize::from(a) * self.materials + usize::from(b)].as_ref()
    }
}
