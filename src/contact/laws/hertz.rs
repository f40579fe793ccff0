//! Hertz's normal force with Mindlin's tangential stiffness and damping by restitution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ContactLaw;
use super::keys::{Bound, Keys, Moduli};
use crate::contact::damping_ratio;
use crate::contact::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::Lanes;

/// Hertz's normal force 4/3 E* sqrt(R*) overlap^1.5, Mindlin's tangential stiffness
/// 8 G* sqrt(R* overlap), damping 2 sqrt(5/6) beta sqrt(S m*) with S = 2 E* sqrt(R* overlap) in
/// the normal and S = 8 G* sqrt(R* overlap) in the tangential direction
/// (Tsuji et al. 1992; Antypov and Elliott 2011).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hertz {
    /// Effective Young's modulus E*, Pa.
    pub young: f64,
    /// Effective shear modulus G*, Pa.
    pub shear: f64,
    /// Damping ratio beta >= 0: [`damping_ratio()`](crate::contact::damping_ratio()) of the restitution coefficient.
    pub damping_ratio: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// Hertz's normal force, Mindlin's tangential stiffness, damping by restitution, Coulomb
/// friction. The moduli come from the two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) x^1.5 - 2 sqrt(5/6) beta sqrt(Sn m) v; kt = 8 G sqrt(R x)", "x-unit" = "N", "x-source" = "Hertz 1882; Mindlin 1949; Tsuji, Tanaka and Ishida 1992; Antypov and Elliott 2011"))]
pub struct HertzKeys {
    /// Restitution coefficient, over 0 and up to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

impl Keys for HertzKeys {
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)> {
        vec![
            ("restitution", self.restitution, Bound::Share),
            ("friction", self.friction, Bound::NonNegative),
        ]
    }
    fn law(&self, Moduli { young, shear }: Moduli) -> ContactLaw {
        ContactLaw::from(Hertz {
            young,
            shear,
            damping_ratio: damping_ratio(self.restitution),
            friction: self.friction,
        })
    }
}

/// Returns Mindlin's tangential stiffness 8 G* sqrt(R* overlap), N/m.
pub(super) fn mindlin(shear: f64, overlap: f64, radius: f64) -> f64 {
    8.0 * shear * (radius * overlap.max(0.0)).sqrt()
}

/// Returns the coefficients of contacts of radii `a` (m) with an elastic force: Mindlin's tangential stiffness and
/// Tsuji's dampers, from the effective moduli (Pa) and the damping ratio.
#[inline(always)]
pub(super) fn coefficients<L: Lanes>(
    inverse_mass: L,
    [young, shear, damping_ratio]: [f64; 3],
    elastic: L,
    a: L,
) -> Response<L> {
    let normal = L::splat(2.0 * young).mul(a);
    let tangential = L::splat(8.0 * shear).mul(a);
    let factor = L::splat(2.0 * (5.0f64 / 6.0).sqrt() * damping_ratio);
    let mass = L::splat(1.0).div(inverse_mass);
    Response {
        elastic,
        normal_damping: factor.mul(normal.mul(mass).sqrt()),
        tangential_stiffness: tangential,
        tangential_compliance: L::splat(1.0).div(tangential.max(L::splat(f64::MIN_POSITIVE))),
        tangential_damping: factor.mul(tangential.mul(mass).sqrt()),
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
        // Contact radius; the caller masks overlaps of pairs that do not touch.
        let zero = L::splat(0.0);
        let a = contact.overlap.max(zero).mul(contact.radius).sqrt();
        let elastic = L::splat(4.0 / 3.0 * self.young).mul(a).mul(contact.overlap);
        coefficients(
            contact.inverse_mass,
            [self.young, self.shear, self.damping_ratio],
            elastic,
            a,
        )
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.damping_ratio == 0.0
    }
    #[inline(always)]
    fn elastic(&self) -> Elastic {
        Elastic::Hertz(self.young)
    }
    fn loss(&self) -> Loss {
        Loss::Ratio(self.damping_ratio)
    }
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
        mindlin(self.shear, overlap, radius)
    }
    fn tangential_ratio(&self) -> f64 {
        6.0 * self.shear / self.young
    }
}
