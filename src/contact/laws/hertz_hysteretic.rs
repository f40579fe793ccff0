//! Polyspherical grains (Mutze 2006, eqs. 53 to 57).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ContactLaw;
use super::keys::{Bound, Keys, Moduli};
use crate::contact::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::Lanes;

/// Hertz's force, times `unloading` while the two separate, and friction mu F_n w / (nu + w) at a sliding speed w
/// (Mutze 2006, eqs. 53, 56; its eq. 57 is Hertz's force with the prefactor sqrt(2)/3 of harmonic means, which is 4/3
/// of the effective modulus and radius used here). No tangential spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HertzHysteretic {
    /// Effective Young's modulus E*, Pa.
    pub young: f64,
    /// The factor on the force while the two separate: the square of the restitution coefficient.
    pub unloading: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Sliding speed at which friction has half its limit, m/s.
    pub smoothing: f64,
}

/// Hertz's normal force, and that times `squared_restitution` while the two part; friction without a
/// spring, mu F w / (nu + w) at a sliding speed w (Mutze 2006). The moduli come from the two materials.
/// What is at rest on a slope creeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) x^1.5, e^2 times that while parting; Ft = -mu Fn w / (nu + |w|)", "x-unit" = "N", "x-source" = "Mutze 2006, eqs. 53, 56, 57"))]
pub struct HertzHystereticKeys {
    /// Square of the restitution coefficient, over 0 and up to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub squared_restitution: f64,
    /// Friction coefficient mu.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Sliding speed nu at which friction has half its size, m/s, over 0. The smaller, the shorter is the step.
    #[schemars(range(min = 0.0))]
    pub smoothing_speed: f64,
}

impl Keys for HertzHystereticKeys {
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)> {
        vec![
            (
                "squared_restitution",
                self.squared_restitution,
                Bound::Share,
            ),
            ("friction", self.friction, Bound::NonNegative),
            ("smoothing_speed", self.smoothing_speed, Bound::Positive),
        ]
    }
    fn law(&self, Moduli { young, .. }: Moduli) -> ContactLaw {
        ContactLaw::from(HertzHysteretic {
            young,
            unloading: self.squared_restitution,
            friction: self.friction,
            smoothing: self.smoothing_speed,
        })
    }
}

impl Law for HertzHysteretic {
    const NEEDS_RADIUS: bool = true;
    const NEEDS_SLIDING: bool = true;
    const BEGINS_SMOOTHLY: bool = true;
    const TAKES_TERMS: bool = false;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        /// Keeps quotients finite; far below any real speed, m/s.
        const FLOOR: f64 = 1e-100;
        let zero = L::splat(0.0);
        let a = contact.overlap.max(zero).mul(contact.radius).sqrt();
        let elastic = L::splat(4.0 / 3.0 * self.young).mul(a).mul(contact.overlap);
        // The reduction of the force on separation is written as a damper, so that its work is booked as damping.
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
    #[inline(always)]
    fn elastic(&self) -> Elastic {
        Elastic::Hertz(self.young)
    }
    fn loss(&self) -> Loss {
        Loss::Unloading(self.unloading)
    }
    fn tangential_stiffness(&self, _overlap: f64, _radius: f64) -> f64 {
        0.0
    }
    fn tangential_ratio(&self) -> f64 {
        0.0
    }
    fn smoothing_speed(&self) -> Option<f64> {
        Some(self.smoothing)
    }
}
