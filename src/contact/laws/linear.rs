//! Linear springs and dashpots (thesis 5.5.2; Cundall and Strack 1979).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ContactLaw;
use super::keys::{Bound, Keys, Moduli};
use crate::contact::law::{Contact, Elastic, Law, Loss, Response};
use crate::vector::Lanes;

/// Linear spring and dashpot in normal and tangential direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// Normal stiffness kn, N/m.
    pub normal_stiffness: f64,
    /// Tangential stiffness kt, N/m.
    pub tangential_stiffness: f64,
    /// Normal damping cn, N s/m.
    pub normal_damping: f64,
    /// Tangential damping ct, N s/m.
    pub tangential_damping: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// As [`Linear`], with damping coefficients in 1/s, which are multiplied by the effective mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearPerMass(pub Linear);

/// Linear springs and dashpots with Coulomb friction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-formula" = "Fn = kn x - cn v, not under 0; Ft = -(kt s + ct w), at most mu Fn", "x-unit" = "N", "x-source" = "Cundall and Strack 1979"))]
pub struct LinearKeys {
    /// Normal stiffness kn, N/m.
    #[schemars(range(min = 0.0))]
    pub normal_stiffness: f64,
    /// Tangential stiffness kt, N/m.
    #[schemars(range(min = 0.0))]
    pub tangential_stiffness: f64,
    /// Normal damping cn, N s/m.
    #[schemars(range(min = 0.0))]
    pub normal_damping: f64,
    /// Tangential damping ct, N s/m.
    #[schemars(range(min = 0.0))]
    pub tangential_damping: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Whether the damping coefficients are in 1/s and multiplied by the effective mass of the
    /// pair, which gives all sizes the same restitution.
    #[serde(default)]
    pub per_mass: bool,
}

impl Keys for LinearKeys {
    const NEEDS_MODULI: bool = false;
    fn bounds(&self) -> Vec<(&'static str, f64, Bound)> {
        vec![
            ("normal_stiffness", self.normal_stiffness, Bound::Positive),
            (
                "tangential_stiffness",
                self.tangential_stiffness,
                Bound::NonNegative,
            ),
            ("normal_damping", self.normal_damping, Bound::NonNegative),
            (
                "tangential_damping",
                self.tangential_damping,
                Bound::NonNegative,
            ),
            ("friction", self.friction, Bound::NonNegative),
        ]
    }
    fn law(&self, _: Moduli) -> ContactLaw {
        let law = Linear {
            normal_stiffness: self.normal_stiffness,
            tangential_stiffness: self.tangential_stiffness,
            normal_damping: self.normal_damping,
            tangential_damping: self.tangential_damping,
            friction: self.friction,
        };
        if self.per_mass {
            LinearPerMass(law).into()
        } else {
            law.into()
        }
    }
}

impl Linear {
    fn compliance(&self) -> f64 {
        if self.tangential_stiffness > 0.0 {
            1.0 / self.tangential_stiffness
        } else {
            0.0
        }
    }

    fn dashpot(&self, per_mass: bool) -> Loss {
        Loss::Dashpot {
            normal: self.normal_damping,
            tangential: self.tangential_damping,
            per_mass,
        }
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
            elastic: L::splat(self.normal_stiffness).mul(contact.overlap),
            normal_damping: L::splat(self.normal_damping),
            tangential_stiffness: L::splat(self.tangential_stiffness),
            tangential_compliance: L::splat(self.compliance()),
            tangential_damping: L::splat(self.tangential_damping),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.normal_damping == 0.0
    }
    #[inline(always)]
    fn elastic(&self) -> Elastic {
        Elastic::Linear(self.normal_stiffness)
    }
    fn loss(&self) -> Loss {
        self.dashpot(false)
    }
    fn tangential_stiffness(&self, _overlap: f64, _radius: f64) -> f64 {
        self.tangential_stiffness
    }
    fn tangential_ratio(&self) -> f64 {
        self.tangential_stiffness / self.normal_stiffness
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
            elastic: L::splat(self.0.normal_stiffness).mul(contact.overlap),
            normal_damping: L::splat(self.0.normal_damping).mul(mass),
            tangential_stiffness: L::splat(self.0.tangential_stiffness),
            tangential_compliance: L::splat(self.0.compliance()),
            tangential_damping: L::splat(self.0.tangential_damping).mul(mass),
        }
    }
    #[inline(always)]
    fn is_elastic(&self) -> bool {
        self.0.normal_damping == 0.0
    }
    #[inline(always)]
    fn elastic(&self) -> Elastic {
        self.0.elastic()
    }
    fn loss(&self) -> Loss {
        self.0.dashpot(true)
    }
    fn tangential_stiffness(&self, _overlap: f64, _radius: f64) -> f64 {
        self.0.tangential_stiffness
    }
    fn tangential_ratio(&self) -> f64 {
        self.0.tangential_ratio()
    }
}
