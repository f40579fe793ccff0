//! Contact laws in the form that the kernels evaluate: eight contacts at a time.

use super::ContactLaw;
use super::composed::{Composed, Composite};
use super::terms::ContactTerms;
use crate::vector::Lanes;

/// Input of a law for eight contacts.
#[derive(Clone, Copy)]
pub struct Contact<L> {
    /// Overlap, m.
    pub overlap: L,
    /// Sum of the inverse masses of the two bodies, 1/kg (a wall adds none).
    pub inverse_mass: L,
    /// Effective radius r_a r_b / (r_a + r_b), m; only if the law needs it.
    pub radius: L,
    /// Normal speed, m/s, positive while the two separate.
    pub speed: L,
    /// Magnitude of the tangential speed, m/s; only if the law needs it.
    pub sliding: L,
}

/// Coefficients of eight links at their current overlap.
#[derive(Clone, Copy)]
pub struct Response<L> {
    /// Elastic normal force, N.
    pub elastic: L,
    /// Normal damping, N s/m.
    pub normal_damping: L,
    /// Tangential stiffness, N/m.
    pub tangential_stiffness: L,
    /// Tangential compliance, the inverse of the stiffness, m/N; 0 without a tangential spring.
    pub tangential_compliance: L,
    /// Tangential damping, N s/m.
    pub tangential_damping: L,
}

/// A contact law: see [`laws`](super::laws) for how to add one.
pub trait Law: Copy + Send + Sync {
    /// Whether the law needs the radii of the bodies.
    const NEEDS_RADIUS: bool;
    /// Whether the law needs the tangential speed.
    const NEEDS_SLIDING: bool = false;
    /// Whether all forces begin smoothly, so that the first partial step of a link needs no special rule: contacts
    /// without loss then conserve a neighbouring energy, as leapfrog integrators do for smooth potentials.
    const BEGINS_SMOOTHLY: bool = false;
    /// Whether the stiffness of tangential springs may depend on the overlap: then links store it, since a spring
    /// that is loaded while it grows stiffer keeps its force (Thornton and Randall 1988).
    const STIFFENS: bool = false;
    /// Whether the law supports cohesion, plastic loading, resistances and a limit on the spring alone.
    const TAKES_TERMS: bool = true;
    /// Returns Coulomb's friction coefficient.
    fn friction(&self) -> f64;
    /// Returns the coefficients of eight links.
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L>;
    /// Whether the normal force is that of a spring alone.
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        false
    }
    /// Returns the elastic normal force as a function of the overlap: steps, durations, solves and tables of
    /// collisions use it.
    fn elastic(&self) -> Elastic;
    /// Returns the kind of energy loss along the normal.
    fn loss(&self) -> Loss;
    /// Returns the tangential stiffness at an overlap (m) and an effective radius (m), N/m.
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64;
    /// Returns the ratio of the prefactor of the tangential stiffness to that of the normal force: kt / kn of linear
    /// springs, 6 G* / E* by Mindlin.
    fn tangential_ratio(&self) -> f64;
    /// Returns the sliding speed at which friction has half its limit, if it passes smoothly through zero with the
    /// speed, m/s.
    fn smoothing_speed(&self) -> Option<f64> {
        None
    }
    /// Returns the overlap at which the stiffness for a step is taken, m, for a mass (kg) with an impact speed (m/s).
    fn overlap_at(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        self.elastic().overlap_at(mass, radius, speed)
    }
    /// Returns the elastic energy of the normal spring, J.
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        self.elastic().energy(overlap, radius)
    }
    /// Returns the normal stiffness of eight links, N/m.
    #[inline(always)]
    fn normal_stiffness<L: Lanes>(&self, overlap: L, radius: L) -> L {
        match self.elastic() {
            Elastic::Linear(stiffness) => L::splat(stiffness),
            Elastic::Hertz(young) => {
                let a = overlap.max(L::splat(0.0)).mul(radius).sqrt();
                L::splat(2.0 * young).mul(a)
            }
            // Not worth vector instructions.
            power @ Elastic::Power { .. } => {
                let lanes = overlap.to_array();
                L::from_array(lanes.map(|overlap| power.stiffness(overlap, 0.0)))
            }
        }
    }

    /// Whether there are terms beyond spring, dashpot and friction, or a loading history.
    const COMPOSED: bool = false;
    /// Returns the terms.
    #[inline(always)]
    fn terms(&self) -> ContactTerms {
        ContactTerms::default()
    }
    /// Returns the gap up to which links last, m, by their effective radii.
    #[inline(always)]
    fn reach<L: Lanes>(&self, _radius: L) -> L {
        L::splat(0.0)
    }
    /// Returns the normal part including the terms; `deepest` is the overlap to which plastic links were loaded.
    #[inline(always)]
    fn compose<L: Lanes>(&self, contact: Contact<L>, _deepest: &mut L) -> Composite<L> {
        let zero = L::splat(0.0);
        Composite {
            response: self.respond(contact),
            pull: zero,
            lost: zero,
            grip: zero,
            stiffness: zero,
        }
    }
    /// Returns the energy stored along the normal including the terms, J.
    fn stored(&self, overlap: f64, radius: f64, _deepest: f64) -> f64 {
        self.normal_energy(overlap, radius)
    }
}

/// Elastic normal force as a function of the overlap x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elastic {
    /// k x, with k in N/m.
    Linear(f64),
    /// 4/3 E* sqrt(R*) x^1.5, with the effective modulus E* in Pa.
    Hertz(f64),
    /// c x^p, with c in N/m^p and p of at least 1.
    Power {
        /// c.
        coefficient: f64,
        /// p.
        exponent: f64,
    },
}

/// Kind of energy loss along the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Dashpots in normal and tangential direction, N s/m; with `per_mass` in 1/s, times the effective mass.
    Dashpot {
        /// Normal coefficient.
        normal: f64,
        /// Tangential coefficient.
        tangential: f64,
        /// Whether they are multiplied by the effective mass.
        per_mass: bool,
    },
    /// Damping 2 sqrt(5/6) beta sqrt(S m*) at a stiffness S, with this damping ratio beta, in both directions.
    Ratio(f64),
    /// Damping of this time (s) times the stiffness, in both directions.
    Dissipation(f64),
    /// Factor on the force while the two separate.
    Unloading(f64),
}

impl Loss {
    /// Whether no energy is lost.
    #[must_use]
    pub fn is_none(self) -> bool {
        match self {
            Loss::Dashpot { normal: loss, .. } | Loss::Ratio(loss) | Loss::Dissipation(loss) => {
                loss == 0.0
            }
            Loss::Unloading(share) => share == 1.0,
        }
    }
}

/// The law of a link, for which kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkLaw {
    /// A law without terms.
    Plain(ContactLaw),
    /// A law with terms.
    Composed(Composed),
}

impl LinkLaw {
    /// Combines a law with its terms.
    #[must_use]
    pub fn new(law: ContactLaw, terms: ContactTerms) -> Self {
        if terms.are_empty() && !matches!(law, ContactLaw::Own(_)) {
            LinkLaw::Plain(law)
        } else {
            Composed::new(law, terms).map_or(LinkLaw::Plain(law), LinkLaw::Composed)
        }
    }

    /// Whether it depends on the radii of the bodies.
    pub(crate) fn needs_radius(&self) -> bool {
        match self {
            LinkLaw::Plain(law) => law.needs_radius(),
            LinkLaw::Composed(_) => true,
        }
    }

    /// Whether its links have more than spring, dashpot and friction.
    pub(crate) fn is_composed(&self) -> bool {
        match self {
            LinkLaw::Plain(law) => law.remembers(),
            LinkLaw::Composed(_) => true,
        }
    }

    /// Whether the stiffness of the law without terms depends on the overlap.
    pub(crate) fn stiffens(&self) -> bool {
        self.plain().stiffens()
    }

    /// Returns the gap up to which a link of an effective radius (m) may last, m.
    pub(crate) fn gap(&self, radius: f64) -> f64 {
        with_law!(self, law => law.reach(crate::vector::Plain::splat(radius)).to_array()[0])
    }

    /// Returns the law without its terms.
    #[must_use]
    pub fn plain(&self) -> ContactLaw {
        match self {
            LinkLaw::Plain(law) => *law,
            LinkLaw::Composed(law) => law.plain(),
        }
    }
}

/// Evaluates an expression with the law in scope as its concrete type.
macro_rules! with_law {
    ($any:expr, $law:ident => $body:expr) => {
        match $any {
            $crate::contact::LinkLaw::Plain(plain) => {
                $crate::contact::with_compiled_law!(plain, $law => $body)
            }
            $crate::contact::LinkLaw::Composed($law) => $body,
        }
    };
}
pub(crate) use with_law;

/// Like `with_law`, for code that ignores terms and is not compiled for laws with terms: uses the law without them.
macro_rules! with_plain_law {
    ($any:expr, $law:ident => $body:expr) => {
        $crate::contact::with_compiled_law!($any.plain(), $law => $body)
    };
}
pub(crate) use with_plain_law;
