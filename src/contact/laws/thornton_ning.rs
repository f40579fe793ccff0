//! Elastic and perfectly plastic spheres (Thornton and Ning 1998, without adhesion; Thornton 1997).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ContactLaw;
use super::hertz::{coefficients, mindlin};
use super::keys::{Bound, Keys, Moduli};
use crate::contact::composed::Composite;
use crate::contact::damping_ratio;
use crate::contact::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::Lanes;

/// Spheres that yield where the pressure in the middle of the contact reaches `yield_pressure`, and unload elastically from the contact that they are
/// left with, flatter than before. The moduli come from the two materials. A contact that opens is forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) x^1.5 to the yield, Fy + pi py R (x - xy) beyond; unloading 4/3 E sqrt(Rp) (x - xp)^1.5; kt = 8 G a", "x-unit" = "N", "x-source" = "Thornton and Ning 1998; Thornton 1997"))]
pub struct ThorntonNingKeys {
    /// Contact pressure at which it yields, Pa: 1.6 times the yield stress of the softer body without hardening.
    #[schemars(range(min = 0.0))]
    pub yield_pressure: f64,
    /// Restitution coefficient of impacts too slow to yield, over 0 and up to 1, by the damping of `hertz`.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

fn one() -> f64 {
    1.0
}

impl Keys for ThorntonNingKeys {
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)> {
        vec![
            ("yield_pressure", self.yield_pressure, Bound::Positive),
            ("restitution", self.restitution, Bound::Share),
            ("friction", self.friction, Bound::NonNegative),
        ]
    }
    fn law(&self, Moduli { young, shear }: Moduli) -> ContactLaw {
        ContactLaw::from(ThorntonNing {
            young,
            shear,
            yield_pressure: self.yield_pressure,
            damping_ratio: damping_ratio(self.restitution),
            friction: self.friction,
        })
    }
}

/// Hertz's force up to the overlap x_y = R (pi p_y / (2 E))^2; beyond it F_y + pi p_y R (x - x_y); from a force F_m on
/// unloading 4/3 E sqrt(R_p) (x - x_p)^1.5, with the radius a of the contact given by a^2 = (2 F_m + F_y) / (2 pi p_y),
/// x_m - x_p = 3 F_m / (4 E a) and R_p = a^2 / (x_m - x_p). Tangential stiffness and dampers are those of [`Hertz`](super::Hertz) with that contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThorntonNing {
    /// Effective Young's modulus E*, Pa.
    pub young: f64,
    /// Effective shear modulus G*, Pa.
    pub shear: f64,
    /// Contact pressure p_y at yield, Pa.
    pub yield_pressure: f64,
    /// Damping ratio >= 0 in addition to the plastic loss.
    pub damping_ratio: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// State of a contact that was loaded beyond yield.
struct Loaded<L> {
    /// Greatest force, N, and contact radius at that force, m.
    force: L,
    radius: L,
    /// Elastic part of the greatest overlap, m.
    elastic: L,
}

impl ThorntonNing {
    /// Returns the slope of the plastic force per effective radius, N/m^2.
    fn slope(&self) -> f64 {
        std::f64::consts::PI * self.yield_pressure
    }

    /// Returns the contact radius at yield over the effective radius.
    fn yield_share(&self) -> f64 {
        0.5 * self.slope() / self.young
    }

    #[inline(always)]
    fn loaded<L: Lanes>(&self, deepest: L, radius: L) -> Loaded<L> {
        let (slope, share) = (self.slope(), self.yield_share());
        let begins = radius.mul(L::splat(share * share));
        let at_yield = radius.mul(L::splat(share));
        let yields = L::splat(2.0 / 3.0 * slope).mul(at_yield).mul(at_yield);
        let force = yields.add(L::splat(slope).mul(radius).mul(deepest.sub(begins)));
        let square = L::splat(2.0)
            .mul(force)
            .add(yields)
            .mul(L::splat(0.5 / slope));
        let contact = square.sqrt();
        let elastic = L::splat(0.75 / self.young).mul(force).div(contact);
        Loaded {
            force,
            radius: contact,
            elastic,
        }
    }
}

impl Law for ThorntonNing {
    const NEEDS_RADIUS: bool = true;
    const STIFFENS: bool = true;
    const COMPOSED: bool = true;
    const TAKES_TERMS: bool = false;
    #[inline(always)]
    fn friction(&self) -> f64 {
        self.friction
    }
    #[inline(always)]
    fn respond<L: Lanes>(&self, contact: Contact<L>) -> Response<L> {
        self.compose(contact, &mut L::splat(0.0)).response
    }
    #[inline(always)]
    fn compose<L: Lanes>(&self, contact: Contact<L>, deepest: &mut L) -> Composite<L> {
        let zero = L::splat(0.0);
        let radius = contact.radius.max(L::splat(1e-300));
        let inside = contact.overlap.max(zero);
        let before = *deepest;
        let deep = before.max(inside);
        *deepest = deep;
        let share = self.yield_share();
        let yielded = radius.mul(L::splat(share * share)).less(deep);
        // Hertz.
        let a = inside.mul(radius).sqrt();
        let virgin = L::splat(4.0 / 3.0 * self.young).mul(a).mul(inside);
        // Beyond yield.
        let most = self.loaded(deep, radius);
        let left = inside.sub(deep.sub(most.elastic)).max(zero);
        let part = left.div(most.elastic.max(L::splat(1e-300)));
        let root = part.sqrt();
        let unloading = most.force.mul(part).mul(root);
        let elastic = unloading.select(virgin, yielded);
        let a = most.radius.mul(root).select(a, yielded);
        // On plastic loading the stored energy 2/5 F x_e grows by less than the work.
        let gives = L::splat(2.0).sub(
            most.force
                .mul(L::splat(0.5 / self.slope()))
                .div(most.radius.mul(most.radius)),
        );
        let stored = L::splat(0.3 / self.young * self.slope())
            .mul(radius)
            .mul(most.force)
            .div(most.radius)
            .mul(gives);
        let loading = before.less(inside);
        let lost = elastic.sub(stored).only(loading);
        let constants = [self.young, self.shear, self.damping_ratio];
        let response = coefficients(contact.inverse_mass, constants, elastic, a);
        Composite {
            response,
            pull: zero,
            lost: lost.select(zero, yielded),
            grip: zero,
            stiffness: L::splat(2.0 * self.young).mul(a),
        }
    }
    fn stored(&self, overlap: f64, radius: f64, deepest: f64) -> f64 {
        let inside = overlap.max(0.0);
        let deep = deepest.max(inside);
        if deep <= radius * self.yield_share().powi(2) {
            return self.elastic().energy(inside, radius);
        }
        let one = |value: f64| crate::vector::Plain::splat(value);
        let most = self.loaded(one(deep), one(radius));
        let [force, elastic] = [most.force, most.elastic].map(|lanes| lanes.to_array()[0]);
        let left = (inside - (deep - elastic)).max(0.0);
        0.4 * force * (left / elastic).powi(2) * (left / elastic).sqrt() * elastic
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
    fn overlap_at(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        let plastic = speed * (mass / (self.slope() * radius)).sqrt();
        self.elastic()
            .overlap_at(mass, radius, speed)
            .max(plastic)
    }
}
