//! Attraction of two touching bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::jkr::Jkr;
use crate::contact::law::{Contact, Elastic};
use crate::vector::Lanes;

/// Attraction of two touching bodies. R is the effective radius, x the overlap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cohesion {
    /// Constant attraction at any overlap, N; friction depends on the pressing force, including the attraction.
    Constant(f64),
    /// Attraction 2 pi w R, w the work of adhesion, J/m^2 (Derjaguin, Muller and Toporov 1975).
    Dmt(f64),
    /// Attraction proportional to the area 2 pi R x of the contact circle of two spheres, with this energy density,
    /// J/m^3.
    Area(f64),
    /// Attraction that persists while the two separate, and fades to zero over a gap of attraction over stiffness.
    /// The link forms when they touch.
    Fading {
        /// Attraction, N.
        pull: f64,
        /// Stiffness, N/m.
        stiffness: f64,
    },
    /// Johnson, Kendall and Roberts 1971, with the work of adhesion, J/m^2; Hertzian laws only. The link forms when
    /// they touch and breaks at a gap; friction is limited by mu (F + 2 F_c) (Thornton 1991).
    Jkr(f64),
}

/// Attraction of two bodies in touch: exactly one of these. R is the effective radius, x the overlap. Links form when
/// two bodies touch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CohesionKeys {
    /// The same pull at any overlap, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-F in touch", "x-unit" = "N", "x-source" = "elementary"))]
    pub force: Option<f64>,
    /// A pull 2 pi w R with this work of adhesion w, J/m^2 (Derjaguin, Muller and Toporov 1975).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-2 pi w R in touch", "x-unit" = "N", "x-source" = "Derjaguin, Muller and Toporov 1975"))]
    pub dmt: Option<f64>,
    /// Adhesion of elastic spheres with this work of adhesion, J/m^2 (Johnson, Kendall and Roberts 1971); needs `hertz`
    /// or `viscoelastic`. Links break at a gap; the greatest pull is 1.5 pi w R.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "4 E a^3 / (3 R) - sqrt(8 pi w E) a^1.5, x = a^2 / R - sqrt(2 pi w a / E)", "x-unit" = "N", "x-source" = "Johnson, Kendall and Roberts 1971"))]
    pub jkr: Option<f64>,
    /// A pull in proportion to the area 2 pi R x of contact, with this energy density, J/m^3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    #[schemars(extend("x-formula" = "-k 2 pi R x", "x-unit" = "N", "x-source" = "energy density times the area in which two spheres meet"))]
    pub area: Option<f64>,
    /// A pull that fades over a gap as the two part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "-F in touch, -(F - c gap) while the two part", "x-unit" = "N", "x-source" = "elementary"))]
    pub fading: Option<FadingKeys>,
}

/// A pull that lasts while two bodies part, and falls to zero over a gap of force over stiffness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FadingKeys {
    /// Pull in touch, N.
    #[schemars(range(min = 0.0))]
    pub force: f64,
    /// By how much it falls for each metre of gap, N/m.
    #[schemars(range(min = 0.0))]
    pub stiffness: f64,
}

/// Effect of an attraction on eight links.
pub(in crate::contact) struct Attraction<L> {
    /// Elastic force including the effect of the attraction, N.
    pub elastic: L,
    /// Attraction, N.
    pub pull: L,
    /// Pressing force in addition to the normal force without its attraction, N.
    pub grip: L,
    /// Part of elastic force less attraction that does not derive from stored energy, N.
    pub lost: L,
}

impl Cohesion {
    /// Returns the greatest attraction of a link of effective radius `radius` (m) at an overlap (m), N; for `Jkr` the
    /// part that enters friction and resistance.
    pub(super) fn pull(self, radius: f64, overlap: f64) -> f64 {
        let tau = std::f64::consts::TAU;
        match self {
            Cohesion::Constant(pull) | Cohesion::Fading { pull, .. } => pull,
            Cohesion::Dmt(work) => tau * work * radius,
            Cohesion::Area(density) => tau * density * radius * overlap,
            // Twice the pull-off force.
            Cohesion::Jkr(work) => 1.5 * tau * work * radius,
        }
    }

    /// Returns the overlap into which it draws a link of effective radius `radius` (m) by itself, m; infinite if the
    /// law never balances it.
    pub(super) fn overlap(self, elastic: Elastic, radius: f64) -> f64 {
        match elastic {
            Elastic::Hertz(young) => {
                // 4/3 E sqrt(R) x^1.5 = pull.
                let stiff = 4.0 / 3.0 * young * radius.sqrt();
                match self {
                    Cohesion::Jkr(work) => {
                        libm::cbrt(Jkr::new(work, young).k * radius).powi(4) / radius
                    }
                    Cohesion::Area(_) => (self.pull(radius, 1.0) / stiff).powi(2),
                    _ => libm::cbrt(self.pull(radius, 0.0) / stiff).powi(2),
                }
            }
            Elastic::Linear(normal_stiffness) => match self {
                Cohesion::Area(_) if self.pull(radius, 1.0) >= normal_stiffness => f64::INFINITY,
                Cohesion::Area(_) => 0.0,
                _ => self.pull(radius, 0.0) / normal_stiffness,
            },
            Elastic::Power {
                coefficient,
                exponent,
            } => match self {
                // c x^p = pull x.
                Cohesion::Area(_) if exponent > 1.0 => {
                    let ratio = self.pull(radius, 1.0) / coefficient;
                    libm::pow(ratio, 1.0 / (exponent - 1.0))
                }
                Cohesion::Area(_) if self.pull(radius, 1.0) >= coefficient => f64::INFINITY,
                Cohesion::Area(_) => 0.0,
                _ => libm::pow(self.pull(radius, 0.0) / coefficient, 1.0 / exponent),
            },
        }
    }

    /// Returns the stiffness of an attraction that fades over a gap, N/m.
    pub(super) fn gap_stiffness(self) -> f64 {
        match self {
            Cohesion::Fading { stiffness, .. } => stiffness,
            _ => 0.0,
        }
    }

    /// Returns the gap up to which a link of effective radius `radius` (m) may last, m.
    pub(super) fn reach(self, elastic: Elastic, radius: f64) -> f64 {
        match (self, elastic) {
            (Cohesion::Fading { pull, stiffness }, _) => pull / stiffness,
            (Cohesion::Jkr(work), Elastic::Hertz(young)) => Jkr::new(work, young).gap(radius),
            _ => 0.0,
        }
    }

    /// Applies it to links with a given elastic force and its lossy part; `inside` is the overlap limited to at least
    /// 0 and `adhesive` the reduction of Hertz's force by Johnson, Kendall and Roberts.
    #[inline(always)]
    pub(in crate::contact) fn attract<L: Lanes>(
        self,
        jkr: Option<&Jkr>,
        contact: Contact<L>,
        inside: L,
        adhesive: L,
        [elastic, lost]: [L; 2],
    ) -> Attraction<L> {
        let zero = L::splat(0.0);
        let tau = std::f64::consts::TAU;
        let (overlap, radius) = (contact.overlap, contact.radius);
        let mut out = Attraction {
            elastic,
            pull: zero,
            grip: zero,
            lost,
        };
        match self {
            Cohesion::Constant(force) => out.pull = L::splat(force),
            Cohesion::Dmt(work) => out.pull = L::splat(tau * work).mul(radius),
            Cohesion::Area(density) => {
                out.pull = L::splat(tau * density).mul(radius).mul(inside);
            }
            Cohesion::Fading {
                pull: most,
                stiffness,
            } => {
                let left = L::splat(most).add(L::splat(stiffness).mul(overlap.min(zero)));
                out.pull = left.max(zero);
                // Work done against the attraction in a gap is lost when the link breaks.
                out.lost = lost.sub(out.pull.only(overlap.less(zero)));
            }
            Cohesion::Jkr(_) => {
                if let Some(jkr) = jkr {
                    let most = L::splat(jkr.pull_off(1.0)).mul(radius);
                    // At first contact the attraction is 8/9 of its maximum.
                    out.pull = L::splat(8.0 / 9.0).mul(most);
                    out.grip = L::splat(10.0 / 9.0).mul(most);
                    out.elastic = elastic.sub(adhesive).add(out.pull);
                    out.lost = out.elastic.sub(out.pull).only(overlap.less(zero));
                }
            }
        }
        out
    }

    /// Returns the stored energy including it, J, if the law alone stores `energy`.
    pub(in crate::contact) fn stored(
        self,
        jkr: Option<&Jkr>,
        overlap: f64,
        radius: f64,
        energy: f64,
    ) -> f64 {
        let (inside, tau) = (overlap.max(0.0), std::f64::consts::TAU);
        match self {
            Cohesion::Constant(force) | Cohesion::Fading { pull: force, .. } => {
                energy - force * inside
            }
            Cohesion::Dmt(work) => energy - tau * work * radius * inside,
            Cohesion::Area(density) => energy - 0.5 * tau * density * radius * inside * inside,
            Cohesion::Jkr(_) => match jkr {
                Some(jkr) if overlap > 0.0 => {
                    jkr.stored(jkr.contact_radius(overlap, radius), radius)
                }
                _ => 0.0,
            },
        }
    }
}
