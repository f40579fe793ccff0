//! Contact laws: the force of a link from overlap, velocity and history.
//!
//! A program brings a law of its own as an [`OwnLaw`], which [`Builder::law`](crate::simulation::Builder::law) puts
//! between two materials; docs/extending.md has an example.

#[doc(hidden)]
pub mod bond;
#[doc(hidden)]
pub mod calibrate;
mod composed;
#[doc(hidden)]
pub mod curved;
mod law;
#[doc(hidden)]
pub mod laws;
mod own;
mod restitution;
#[doc(hidden)]
pub mod slow;
mod stiffness;
#[doc(hidden)]
pub mod terms;

#[doc(hidden)]
pub use composed::{Composed, Composite};
pub use law::{Contact, Elastic, Loss, Response};
#[doc(hidden)]
pub use law::{Law, LinkLaw};
pub(crate) use law::{with_law, with_plain_law};
#[doc(hidden)]
pub use laws::{
    ContactLaw, Hertz, HertzHysteretic, Linear, LinearPerMass, ThorntonNing, Viscoelastic,
};
pub(crate) use laws::{with_compiled_law, with_contact_law};
#[doc(hidden)]
pub use own::OwnLawHandle;
pub use own::{Eight, OwnLaw};
#[doc(hidden)]
pub use restitution::{damping_ratio, restitution};
pub(crate) use stiffness::lasting;
#[doc(hidden)]
pub use stiffness::{Rates, Stiffness};
#[doc(hidden)]
pub use terms::{Cohesion, ContactTerms, Plastic, Resistance, ResistanceKind};

use serde::{Deserialize, Serialize};

use bond::{BondLaw, Rigid};

/// The laws of all pairs of materials.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawTable {
    /// Number of materials.
    pub materials: usize,
    /// Row-major, symmetric; none for pairs that do not need a law.
    pub laws: Vec<Option<ContactLaw>>,
    /// Terms of the laws, in the same order.
    pub terms: Vec<ContactTerms>,
    /// Bonds, in the same order.
    pub bonds: Vec<Option<BondLaw>>,
}

impl LawTable {
    /// Returns a table without laws.
    pub fn new(materials: usize) -> Self {
        LawTable {
            materials,
            laws: vec![None; materials * materials],
            terms: vec![ContactTerms::default(); materials * materials],
            bonds: vec![None; materials * materials],
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
    /// Sets the bonds of a pair, in both orders.
    pub fn set_bond(&mut self, a: u16, b: u16, bond: BondLaw) {
        let n = self.materials;
        self.bonds[usize::from(a) * n + usize::from(b)] = Some(bond);
        self.bonds[usize::from(b) * n + usize::from(a)] = Some(bond);
    }
    /// Returns the bonds of a pair.
    pub fn bond(&self, a: u16, b: u16) -> Option<&BondLaw> {
        self.bonds[usize::from(a) * self.materials + usize::from(b)].as_ref()
    }
    /// Whether grains of any pair of materials are bonded.
    pub fn have_bonds(&self) -> bool {
        self.bonds.iter().any(Option::is_some)
    }
    /// Whether a law bonds grains to rigid bodies.
    pub fn have_rigid_bonds(&self) -> bool {
        let mut laws = self.bonds.iter().flatten();
        laws.any(|law| law.rigid == Rigid::Always)
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
