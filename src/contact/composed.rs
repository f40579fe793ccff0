//! Laws with terms, in the form that the kernels evaluate.
//!
//! One type represents any of them: law and terms are the same for all contacts of a pass, so that testing for them
//! costs a branch that is always predicted. Laws without terms do not use this type.

use super::law::{Contact, Elastic, Law, Loss, Response};
use super::terms::{Cohesion, ContactTerms, Jkr};
use super::{ContactLaw, with_contact_law};
use crate::vector::{LANES, Lanes};

/// A law with terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composed {
    base: ContactLaw,
    terms: ContactTerms,
    jkr: Option<Jkr>,
}

/// Normal part of a law with terms.
#[derive(Clone, Copy)]
pub struct Composite<L> {
    /// Coefficients; the elastic force excludes the attraction.
    pub response: Response<L>,
    /// Attraction, N.
    pub pull: L,
    /// Part of elastic force less attraction that does not derive from stored energy, N.
    pub lost: L,
    /// Compressive force in addition to the normal force without its attraction, N: friction is limited by their sum.
    pub grip: L,
    /// Normal stiffness, N/m.
    pub stiffness: L,
}

impl Composed {
    /// Returns a law with terms; none if the law does not support them.
    pub fn new(base: ContactLaw, terms: ContactTerms) -> Option<Self> {
        if !base.takes_terms() {
            return None;
        }
        let jkr = match (terms.cohesion, base.elastic()) {
            (Some(Cohesion::Jkr(work)), Elastic::Hertz(young)) => Some(Jkr::new(work, young)),
            _ => None,
        };
        Some(Composed { base, terms, jkr })
    }

    /// Returns the law without its terms.
    pub(super) fn plain(&self) -> ContactLaw {
        self.base
    }

    /// Returns the normal stiffness of the law without terms, at an overlap of Hertz's contact.
    #[inline(always)]
    fn stiffness<L: Lanes>(&self, overlap: L, radius: L) -> L {
        with_contact_law!(self.base, law => law.normal_stiffness(overlap, radius))
    }
}

/// Returns the contact radii of eight links with adhesion. Not inlined into each kernel, and the same scalar code in
/// all.
#[inline(never)]
fn contact_radii(jkr: &Jkr, overlaps: [f64; LANES], radii: [f64; LANES]) -> [f64; LANES] {
    std::array::from_fn(|lane| jkr.contact_radius(overlaps[lane], radii[lane]))
}

/// Returns the gaps at which eight links break.
#[inline(never)]
fn gaps(jkr: &Jkr, radii: [f64; LANES]) -> [f64; LANES] {
    radii.map(|radius| jkr.gap(radius))
}

impl Law for Composed {
    const NEEDS_RADIUS: bool = true;
    const COMPOSED: bool = true;
    const STIFFENS: bool = true;

    #[inline(always)]
    fn friction(&self) -> f64 {
        self.base.friction()
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        with_contact_law!(self.base, law => law.respond(contact))
    }
    fn elastic(&self) -> Elastic {
        self.base.elastic()
    }
    fn loss(&self) -> Loss {
        self.base.loss()
    }
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
        self.base.tangential_stiffness(overlap, radius)
    }
    fn tangential_ratio(&self) -> f64 {
        self.base.tangential_ratio()
    }

    #[inline(always)]
    fn terms(&self) -> ContactTerms {
        self.terms
    }

    #[inline(always)]
    fn reach<L: Lanes>(&self, radius: L) -> L {
        match (self.terms.cohesion, &self.jkr) {
            (Some(Cohesion::Fading { pull, stiffness }), _) => L::splat(pull / stiffness),
            (_, Some(jkr)) => L::from_array(gaps(jkr, radius.to_array())),
            _ => L::splat(0.0),
        }
    }

    #[inline(always)]
    fn compose<L: Lanes>(&self, contact: Contact<L>, deepest: &mut L) -> Composite<L> {
        let zero = L::splat(0.0);
        let (overlap, radius) = (contact.overlap, contact.radius.max(L::splat(1e-300)));
        let inside = overlap.max(zero);
        let mut hertz = contact;
        hertz.overlap = inside;
        let mut adhesive = zero;
        if let Some(jkr) = &self.jkr {
            let a = L::from_array(contact_radii(jkr, overlap.to_array(), radius.to_array()));
            hertz.overlap = a.mul(a).div(radius);
            adhesive = L::splat(2.0 * jkr.young * jkr.k).mul(a).mul(a.sqrt());
        }
        let mut response = self.respond(hertz);
        let stiffness = self.stiffness(hertz.overlap, radius);
        let mut lost = zero;
        if let Some(plastic) = self.terms.plastic {
            [response.elastic, lost] = plastic.load(stiffness, inside, deepest);
        }
        let (mut pull, mut grip) = (zero, zero);
        if let Some(cohesion) = self.terms.cohesion {
            let at = Contact { radius, ..contact };
            let forces = [response.elastic, lost];
            let out = cohesion.attract(self.jkr.as_ref(), at, inside, adhesive, forces);
            (response.elastic, pull, grip, lost) = (out.elastic, out.pull, out.grip, out.lost);
        }
        Composite {
            response,
            pull,
            lost,
            grip,
            stiffness,
        }
    }

    fn stored(&self, overlap: f64, radius: f64, deepest: f64) -> f64 {
        let inside = overlap.max(0.0);
        let mut energy = self.normal_energy(inside, radius);
        if let Some(plastic) = self.terms.plastic {
            let k1 = match self.elastic() {
                Elastic::Linear(stiffness) => stiffness,
                // Only linear laws have plastic loading.
                Elastic::Hertz(_) | Elastic::Power { .. } => 0.0,
            };
            energy = plastic.stored(k1, inside, deepest);
        }
        self.terms.cohesion.map_or(energy, |cohesion| {
            cohesion.stored(self.jkr.as_ref(), overlap, radius, energy)
        })
    }
}
