//! Contact laws as the kernels evaluate them: eight contacts at a time.

use super::ContactLaw;
use super::composed::{Composed, Composite};
use super::terms::ContactTerms;
use crate::vector::Lanes;

/// Eight contacts, as a law sees them.
#[derive(Clone, Copy)]
pub struct Contact<L> {
    /// Overlap, m.
    pub overlap: L,
    /// Sum of the inverse masses of the two bodies, 1/kg (a wall adds none).
    pub inverse_mass: L,
    /// Effective radius r_a r_b / (r_a + r_b), m; only if the law asks for it.
    pub radius: L,
    /// Normal speed, m/s, over 0 while the two part.
    pub speed: L,
    /// Size of the tangential speed, m/s; only if the law asks for it.
    pub sliding: L,
}

/// Coefficients of eight links at their present overlap.
#[derive(Clone, Copy)]
pub struct Response<L> {
    /// Elastic normal force, N.
    pub elastic: L,
    /// Normal damping, N s/m.
    pub normal_damping: L,
    /// Tangential stiffness, N/m.
    pub tangential_stiffness: L,
    /// Its inverse, m/N; 0 without a tangential spring.
    pub tangential_compliance: L,
    /// Tangential damping, N s/m.
    pub tangential_damping: L,
}

/// A contact law: see [`laws`](super::laws) for where one is added.
pub trait Law: Copy + Send + Sync {
    /// Whether the law needs the radii of the bodies.
    const NEEDS_RADIUS: bool;
    /// Whether the law needs the tangential speed.
    const NEEDS_SLIDING: bool = false;
    /// Whether all forces begin smoothly, so that the first partial step of a link needs no rule of its own:
    /// then contacts without loss keep a neighbouring energy, as the leapfrogs do of smooth potentials.
    const BEGINS_SMOOTHLY: bool = false;
    /// Whether the stiffness of springs across may depend on the overlap: then links remember it, since a spring that
    /// is loaded while it grows stiffer keeps its force (Thornton and Randall 1988).
    const STIFFENS: bool = false;
    /// Whether cohesion, plastic loading, resistances and a limit on the spring alone may be added to it.
    const TAKES_TERMS: bool = true;
    /// Coulomb's coefficient.
    fn friction(&self) -> f64;
    /// The coefficients of eight links.
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L>;
    /// Whether the normal force is that of a spring alone.
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        false
    }
    /// How the elastic normal force goes with the overlap: steps, durations, solves and tables of collisions go by it.
    fn elastic(&self) -> Elastic;
    /// How energy is lost along the normal.
    fn loss(&self) -> Loss;
    /// Tangential stiffness at an overlap (m) and an effective radius (m), N/m.
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64;
    /// The factor on the overlap's own function by which the tangential stiffness goes, where the normal force has the factor 1: kt / kn of linear
    /// springs, 6 G* / E* by Mindlin.
    fn tangential_ratio(&self) -> f64;
    /// The sliding speed at which friction has half its size, where it goes through zero with the speed, m/s.
    fn smoothing_speed(&self) -> Option<f64> {
        None
    }
    /// The overlap by which the stiffness for a step is taken, m, of a mass (kg) that comes at a speed (m/s).
    fn overlap_at(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        self.elastic().overlap_at(mass, radius, speed)
    }
    /// Elastic energy of the normal spring, J.
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        self.elastic().energy(overlap, radius)
    }
    /// Normal stiffness of eight links, N/m.
    #[inline(always)]
    fn normal_stiffness<L: Lanes>(&self, overlap: L, radius: L) -> L {
        match self.elastic() {
            Elastic::Linear(stiffness) => L::splat(stiffness),
            Elastic::Hertz(young) => {
                let a = overlap.max(L::splat(0.0)).mul(radius).sqrt();
                L::splat(2.0 * young).mul(a)
            }
            // No lane of it is worth a vector unit.
            power @ Elastic::Power { .. } => {
                let lanes = overlap.to_array();
                L::from_array(lanes.map(|overlap| power.stiffness(overlap, 0.0)))
            }
        }
    }

    /// Whether there are terms beside spring, dashpot and friction, or a memory of the loading.
    const COMPOSED: bool = false;
    /// What the terms hold.
    #[inline(always)]
    fn terms(&self) -> ContactTerms {
        ContactTerms::default()
    }
    /// Gap up to which links last, m, by their effective radii.
    #[inline(always)]
    fn reach<L: Lanes>(&self, _radius: L) -> L {
        L::splat(0.0)
    }
    /// The normal part with what the terms do to it; `deepest` is the overlap to which plastic links were loaded.
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
    /// Energy held along the normal with what the terms do to it, J.
    fn stored(&self, overlap: f64, radius: f64, _deepest: f64) -> f64 {
        self.normal_energy(overlap, radius)
    }
}

/// How an elastic normal force goes with the overlap x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elastic {
    /// k x, with k in N/m.
    Linear(f64),
    /// 4/3 E* sqrt(R*) x^1.5, with the effective modulus E* in Pa.
    Hertz(f64),
    /// c x^p, with c in N/m^p and p of 1 or more.
    Power {
        /// c.
        coefficient: f64,
        /// p.
        exponent: f64,
    },
}

/// How energy is lost along the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Dashpots along and across, N s/m; times the effective mass when `per_mass`, then 1/s.
    Dashpot {
        /// Along the normal.
        normal: f64,
        /// Across it.
        tangential: f64,
        /// Whether they are multiplied by the effective mass.
        per_mass: bool,
    },
    /// Damping 2 sqrt(5/6) beta sqrt(S m*) at a stiffness S, with this damping ratio beta, along and across.
    Ratio(f64),
    /// Damping of this time (s) times the stiffness, along and across.
    Dissipation(f64),
    /// The force times this share while the two part.
    Unloading(f64),
}

impl Loss {
    /// Whether nothing is lost.
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

/// The law of a link as kernels are compiled for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkLaw {
    /// A law by itself.
    Plain(ContactLaw),
    /// With terms.
    Composed(Composed),
}

impl LinkLaw {
    /// A law with what it has beside.
    #[must_use]
    pub fn new(law: ContactLaw, terms: ContactTerms) -> Self {
        if terms.are_empty() && !matches!(law, ContactLaw::Own(_)) {
            LinkLaw::Plain(law)
        } else {
            Composed::new(law, terms).map_or(LinkLaw::Plain(law), LinkLaw::Composed)
        }
    }

    /// Whether it goes by the radii of what touches.
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

    /// Whether the stiffness of the law by itself goes with the overlap.
    pub(crate) fn stiffens(&self) -> bool {
        self.plain().stiffens()
    }

    /// Gap up to which a link of an effective radius (m) may last, m.
    pub(crate) fn gap(&self, radius: f64) -> f64 {
        with_law!(self, law => law.reach(crate::vector::Plain::splat(radius)).to_array()[0])
    }

    /// The law without its terms.
    #[must_use]
    pub fn plain(&self) -> ContactLaw {
        match self {
            LinkLaw::Plain(law) => *law,
            LinkLaw::Composed(law) => law.plain(),
        }
    }
}

/// Runs an expression with the law in scope as what it is.
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

/// The same for what knows no terms, and is not compiled for laws that have some: of these the law beneath.
macro_rules! with_plain_law {
    ($any:expr, $law:ident => $body:expr) => {
        $crate::contact::with_compiled_law!($any.plain(), $law => $body)
    };
}
pub(crate) use with_plain_law;
