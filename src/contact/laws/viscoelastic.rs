//! Viscoelastic spheres (Brilliantov, Spahn, Hertzsch and Poeschel 1996).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ContactLaw;
use super::hertz::mindlin;
use super::keys::{Bound, Keys, Moduli};
use crate::contact::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::Lanes;

/// Hertz's normal force and a dissipative force of `dissipation` times the rate of the elastic force, so that slow
/// impacts lose less. Tangential stiffness is Mindlin's, with a damper of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viscoelastic {
    /// Effective Young's modulus E*, Pa.
    pub young: f64,
    /// Effective shear modulus G*, Pa.
    pub shear: f64,
    /// Dissipation constant, s.
    pub dissipation: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// Viscoelastic spheres: Hertz's normal force with a damper that is `dissipation` times its stiffness
/// (slow impacts lose less), Mindlin's tangential stiffness with a damper of the same time, Coulomb
/// friction. The moduli come from the two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) (x^1.5 - 3/2 A sqrt(x) v); kt = 8 G sqrt(R x)", "x-unit" = "N", "x-source" = "Brilliantov, Spahn, Hertzsch and Poeschel 1996"))]
pub struct ViscoelasticKeys {
    /// Dissipation constant, s: the time by which the force of the rate runs ahead of the elastic one.
    #[schemars(range(min = 0.0))]
    pub dissipation: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

impl Keys for ViscoelasticKeys {
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)> {
        vec![
            ("dissipation", self.dissipation, Bound::NonNegative),
            ("friction", self.friction, Bound::NonNegative),
        ]
    }
    fn law(&self, Moduli { young, shear }: Moduli) -> ContactLaw {
        ContactLaw::from(Viscoelastic {
            young,
            shear,
            dissipation: self.dissipation,
            friction: self.friction,
        })
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
    #[inline(always)]
    fn elastic(&self) -> Elastic {
        Elastic::Hertz(self.young)
    }
    fn loss(&self) -> Loss {
        Loss::Dissipation(self.dissipation)
    }
    fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
        mindlin(self.shear, overlap, radius)
    }
    fn tangential_ratio(&self) -> f64 {
        6.0 * self.shear / self.young
    }
}
