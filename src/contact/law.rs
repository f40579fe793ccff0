//! Contact laws as the kernels evaluate them: eight contacts at a time.

use super::PairLaw;
use super::composed::{Composed, Composite};
use super::slots::Slots;
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

/// A contact law. Add one here, give it a variant of [`PairLaw`], and name it in `with_law!`.
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
    /// Coulomb's coefficient.
    fn friction(&self) -> f64;
    /// The coefficients of eight links.
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L>;
    /// Whether the normal force is that of a spring alone.
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        false
    }
    /// Elastic energy of the normal spring, J.
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64;

    /// Whether there are slots beside spring, dashpot and friction.
    const COMPOSED: bool = false;
    /// What the slots hold.
    #[inline(always)]
    fn slots(&self) -> Slots {
        Slots::default()
    }
    /// Gap up to which links last, m, by their effective radii.
    #[inline(always)]
    fn reach<L: Lanes>(&self, _radius: L) -> L {
        L::splat(0.0)
    }
    /// The normal part with what the slots do to it; `deepest` is the overlap to which plastic links were loaded.
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
    /// Energy held along the normal with what the slots do to it, J.
    fn stored(&self, overlap: f64, radius: f64, _deepest: f64) -> f64 {
        self.normal_energy(overlap, radius)
    }
}

/// Linear spring and dashpot (thesis 5.5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    kn: f64,
    kt: f64,
    compliance: f64,
    cn: f64,
    ct: f64,
    friction: f64,
}

impl Linear {
    pub(super) fn stiffness(&self) -> f64 {
        self.kn
    }
}

impl Law for Linear {
    const NEEDS_RADIUS: bool = false;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        Response {
            elastic: L::splat(self.kn).mul(contact.overlap),
            normal_damping: L::splat(self.cn),
            tangential_stiffness: L::splat(self.kt),
            tangential_compliance: L::splat(self.compliance),
            tangential_damping: L::splat(self.ct),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.cn == 0.0
    }
    fn normal_energy(&self, overlap: f64, _radius: f64) -> f64 {
        let overlap = overlap.max(0.0);
        0.5 * self.kn * overlap * overlap
    }
}

/// Linear spring, dashpot in proportion to the effective mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearPerMass(Linear);

impl LinearPerMass {
    pub(super) fn stiffness(&self) -> f64 {
        self.0.kn
    }
}

impl Law for LinearPerMass {
    const NEEDS_RADIUS: bool = false;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.0.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        let mass = L::splat(1.0).div(contact.inverse_mass);
        Response {
            elastic: L::splat(self.0.kn).mul(contact.overlap),
            normal_damping: L::splat(self.0.cn).mul(mass),
            tangential_stiffness: L::splat(self.0.kt),
            tangential_compliance: L::splat(self.0.compliance),
            tangential_damping: L::splat(self.0.ct).mul(mass),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.0.cn == 0.0
    }
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        self.0.normal_energy(overlap, radius)
    }
}

/// Hertz's normal force 4/3 E* sqrt(R*) overlap^1.5, Mindlin's tangential stiffness
/// 8 G* sqrt(R* overlap), damping 2 sqrt(5/6) beta sqrt(S m*) with S = 2 E* sqrt(R* overlap) in
/// the normal and S = 8 G* sqrt(R* overlap) in the tangential direction
/// (Tsuji et al. 1992; Antypov and Elliott 2011).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hertz {
    young: f64,
    shear: f64,
    damping: f64,
    friction: f64,
}

impl Hertz {
    pub(super) fn young(&self) -> f64 {
        self.young
    }
}

impl Law for Hertz {
    const NEEDS_RADIUS: bool = true;
    const STIFFENS: bool = true;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        // Contact radius; overlaps of pairs out of contact are masked by the caller.
        let zero = L::splat(0.0);
        let a = contact.overlap.max(zero).mul(contact.radius).sqrt();
        let normal = L::splat(2.0 * self.young).mul(a);
        let tangential = L::splat(8.0 * self.shear).mul(a);
        let factor = L::splat(self.damping);
        let mass = L::splat(1.0).div(contact.inverse_mass);
        Response {
            elastic: L::splat(4.0 / 3.0 * self.young).mul(a).mul(contact.overlap),
            normal_damping: factor.mul(normal.mul(mass).sqrt()),
            tangential_stiffness: tangential,
            tangential_compliance: L::splat(1.0).div(tangential.max(L::splat(f64::MIN_POSITIVE))),
            tangential_damping: factor.mul(tangential.mul(mass).sqrt()),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.damping == 0.0
    }
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        let overlap = overlap.max(0.0);
        8.0 / 15.0 * self.young * (radius * overlap).sqrt() * overlap * overlap
    }
}

/// Viscoelastic spheres (Brilliantov, Spahn, Hertzsch and Poeschel 1996): forces of [`Hertz`], each
/// with a damper of `dissipation` times its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscoelastic {
    young: f64,
    shear: f64,
    dissipation: f64,
    friction: f64,
}

impl Viscoelastic {
    pub(super) fn young(&self) -> f64 {
        self.young
    }
}

impl Law for Viscoelastic {
    const NEEDS_RADIUS: bool = true;
    const STIFFENS: bool = true;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        let zero = L::splat(0.0);
        let a = contact.overlap.max(zero).mul(contact.radius).sqrt();
        let tangential = L::splat(8.0 * self.shear).mul(a);
        let time = L::splat(self.dissipation);
        Response {
            elastic: L::splat(4.0 / 3.0 * self.young).mul(a).mul(contact.overlap),
            normal_damping: L::splat(2.0 * self.young).mul(a).mul(time),
            tangential_stiffness: tangential,
            tangential_compliance: L::splat(1.0).div(tangential.max(L::splat(f64::MIN_POSITIVE))),
            tangential_damping: tangential.mul(time),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.dissipation == 0.0
    }
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        let overlap = overlap.max(0.0);
        8.0 / 15.0 * self.young * (radius * overlap).sqrt() * overlap * overlap
    }
}

/// Hertz's force, times `unloading` while the two part, and friction mu F_n w / (nu + w) at a sliding
/// speed w (Mutze 2006, eqs. 53, 56; its eq. 57 is Hertz's force with the prefactor sqrt(2)/3 of
/// harmonic means, which is 4/3 of the effective modulus and radius used here).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mutze {
    young: f64,
    unloading: f64,
    friction: f64,
    smoothing: f64,
}

impl Law for Mutze {
    const NEEDS_RADIUS: bool = true;
    const NEEDS_SLIDING: bool = true;
    const BEGINS_SMOOTHLY: bool = true;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        /// Keeps quotients finite; far below any speed, m/s.
        const FLOOR: f64 = 1e-100;
        let zero = L::splat(0.0);
        let a = contact.overlap.max(zero).mul(contact.radius).sqrt();
        let elastic = L::splat(4.0 / 3.0 * self.young).mul(a).mul(contact.overlap);
        // What parting takes off the force is written as a damper, so that it is booked as its work.
        let parting = zero.less(contact.speed);
        let taken = L::splat(1.0 - self.unloading).mul(elastic).only(parting);
        let normal = elastic.sub(taken).max(zero);
        let smoothed = contact.sliding.add(L::splat(self.smoothing));
        Response {
            elastic,
            normal_damping: taken.div(contact.speed.max(L::splat(FLOOR))),
            tangential_stiffness: zero,
            tangential_compliance: zero,
            tangential_damping: L::splat(self.friction).mul(normal).div(smoothed),
        }
    }
    fn normal_energy(&self, overlap: f64, radius: f64) -> f64 {
        let overlap = overlap.max(0.0);
        8.0 / 15.0 * self.young * (radius * overlap).sqrt() * overlap * overlap
    }
}

/// A law of [`PairLaw`] as a type that a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyLaw {
    /// See [`Linear`].
    Linear(Linear),
    /// See [`LinearPerMass`].
    LinearPerMass(LinearPerMass),
    /// See [`Hertz`].
    Hertz(Hertz),
    /// See [`Viscoelastic`].
    Viscoelastic(Viscoelastic),
    /// See [`Mutze`].
    Mutze(Mutze),
    /// See [`Composed`].
    Composed(Composed),
}

impl AnyLaw {
    /// Whether the stiffness of springs across depends on the overlap.
    pub(crate) fn stiffens(self) -> bool {
        fn of<W: Law>(_: W) -> bool {
            W::STIFFENS
        }
        with_plain_law!(self, law => of(law))
    }

    /// Whether it goes by the radii of what touches.
    pub(crate) fn needs_radius(&self) -> bool {
        fn needs<W: Law>(_: &W) -> bool {
            W::NEEDS_RADIUS || W::COMPOSED
        }
        with_law!(self, law => needs(law))
    }
    /// The law without its slots.
    pub(crate) fn plain(self) -> AnyLaw {
        match self {
            AnyLaw::Composed(law) => law.plain(),
            law => law,
        }
    }
}

impl From<&PairLaw> for AnyLaw {
    fn from(law: &PairLaw) -> Self {
        match *law {
            PairLaw::Linear {
                normal_stiffness,
                tangential_stiffness,
                normal_damping,
                tangential_damping,
                friction,
                per_mass,
            } => {
                let linear = Linear {
                    kn: normal_stiffness,
                    kt: tangential_stiffness,
                    compliance: if tangential_stiffness > 0.0 {
                        1.0 / tangential_stiffness
                    } else {
                        0.0
                    },
                    cn: normal_damping,
                    ct: tangential_damping,
                    friction,
                };
                if per_mass {
                    AnyLaw::LinearPerMass(LinearPerMass(linear))
                } else {
                    AnyLaw::Linear(linear)
                }
            }
            PairLaw::Hertz {
                young,
                shear,
                damping_ratio,
                friction,
            } => AnyLaw::Hertz(Hertz {
                young,
                shear,
                damping: 2.0 * (5.0f64 / 6.0).sqrt() * damping_ratio,
                friction,
            }),
            PairLaw::Viscoelastic {
                young,
                shear,
                dissipation,
                friction,
            } => AnyLaw::Viscoelastic(Viscoelastic {
                young,
                shear,
                dissipation,
                friction,
            }),
            PairLaw::Mutze {
                young,
                unloading,
                friction,
                smoothing,
            } => AnyLaw::Mutze(Mutze {
                young,
                unloading,
                friction,
                smoothing,
            }),
        }
    }
}

/// Runs an expression with the concrete law in scope.
macro_rules! with_law {
    ($any:expr, $law:ident => $body:expr) => {
        match $any {
            $crate::contact::AnyLaw::Linear($law) => $body,
            $crate::contact::AnyLaw::LinearPerMass($law) => $body,
            $crate::contact::AnyLaw::Hertz($law) => $body,
            $crate::contact::AnyLaw::Viscoelastic($law) => $body,
            $crate::contact::AnyLaw::Mutze($law) => $body,
            $crate::contact::AnyLaw::Composed($law) => $body,
        }
    };
}
pub(crate) use with_law;

/// The same for what knows no slots, and is not compiled for laws that have some: of these the law beneath.
macro_rules! with_plain_law {
    ($any:expr, $law:ident => $body:expr) => {
        match $any.plain() {
            $crate::contact::AnyLaw::Linear($law) => $body,
            $crate::contact::AnyLaw::LinearPerMass($law) => $body,
            $crate::contact::AnyLaw::Hertz($law) => $body,
            $crate::contact::AnyLaw::Viscoelastic($law) => $body,
            $crate::contact::AnyLaw::Mutze($law) => $body,
            $crate::contact::AnyLaw::Composed(_) => unreachable!("a plain law has no slots"),
        }
    };
}
pub(crate) use with_plain_law;
