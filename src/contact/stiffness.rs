//! Properties of a law at a contact outside the kernels: stiffness, rates, duration and damping ratio. The choice of
//! steps, waves and solves use them. All follow from the law's declarations.

use super::law::{Elastic, Loss};
use super::{ContactLaw, damping_ratio};

/// Rates that limit the step of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Angular frequency of the stiffest mode, 1/s.
    pub frequency: f64,
    /// Rate of the fastest damping, 1/s.
    pub damping: f64,
}

/// Stiffness of a link, and its friction limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Normal, N/m: the tangent at the overlap.
    pub normal: f64,
    /// Tangential, N/m.
    pub tangential: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// Returns the remaining fraction of the extension of a tangential spring when its stiffness (N/m) changes: a spring
/// that grows stiffer keeps its force (Thornton and Randall 1988), as in the kernels.
pub(crate) fn lasting(before: f64, now: f64) -> f64 {
    if before > 0.0 && before < now {
        before / now
    } else {
        1.0
    }
}

impl Elastic {
    /// Returns the tangent stiffness at an overlap (m) and an effective radius (m), N/m.
    #[must_use]
    pub fn stiffness(self, overlap: f64, radius: f64) -> f64 {
        match self {
            Elastic::Linear(stiffness) => stiffness,
            Elastic::Hertz(young) => 2.0 * young * (radius * overlap.max(0.0)).sqrt(),
            Elastic::Power {
                coefficient,
                exponent,
            } => coefficient * exponent * libm::pow(overlap.max(0.0), exponent - 1.0),
        }
    }

    /// Returns the energy at an overlap (m) and an effective radius (m), J.
    #[must_use]
    pub fn energy(self, overlap: f64, radius: f64) -> f64 {
        let overlap = overlap.max(0.0);
        match self {
            Elastic::Linear(stiffness) => 0.5 * stiffness * overlap * overlap,
            Elastic::Hertz(young) => {
                8.0 / 15.0 * young * (radius * overlap).sqrt() * overlap * overlap
            }
            Elastic::Power {
                coefficient,
                exponent,
            } => coefficient / (exponent + 1.0) * libm::pow(overlap, exponent + 1.0),
        }
    }

    /// Returns the time scale of contacts, s: sqrt(m / k), or (m / kh)^0.4 v^-0.2 with kh = 4/3 E* sqrt(R*), or (m /
    /// c)^(1 / (p + 1)) v^((1 - p) / (1 + p)); effective mass m (kg), effective radius R* (m), approach speed v
    /// (m/s).
    #[must_use]
    pub fn time_scale(self, mass: f64, radius: f64, speed: f64) -> f64 {
        match self {
            Elastic::Linear(stiffness) => (mass / stiffness).sqrt(),
            Elastic::Hertz(young) => {
                let kh = 4.0 / 3.0 * young * radius.sqrt();
                libm::pow(mass / kh, 0.4) * libm::pow(speed, -0.2)
            }
            Elastic::Power {
                coefficient,
                exponent,
            } => {
                let root = 1.0 / (exponent + 1.0);
                libm::pow(mass / coefficient, root) * libm::pow(speed, (1.0 - exponent) * root)
            }
        }
    }

    /// Returns the duration of an undamped contact of a mass (kg) at an approach speed (m/s), s: half a period of a
    /// linear spring; for Hertz 2.94 (15 m / (16 E sqrt(R)))^0.4 v^-0.2 (Johnson 1985, eq. 11.24).
    #[must_use]
    pub fn contact_time(self, mass: f64, radius: f64, speed: f64) -> f64 {
        match self {
            Elastic::Linear(stiffness) => std::f64::consts::PI * (mass / stiffness).sqrt(),
            Elastic::Hertz(young) => {
                let ratio = 15.0 * mass / (16.0 * young * radius.sqrt());
                2.943_275_2 * libm::pow(ratio, 0.4) * libm::pow(speed, -0.2)
            }
            Elastic::Power { exponent, .. } => {
                // Twice the overlap over the speed, times the integral of 1 / sqrt(1 - s^(p + 1)) from 0 to 1.
                let root = 1.0 / (exponent + 1.0);
                let integral = std::f64::consts::PI.sqrt() * libm::tgamma(1.0 + root)
                    / libm::tgamma(0.5 + root);
                2.0 * self.overlap_at(mass, radius, speed) / speed * integral
            }
        }
    }

    /// Returns the overlap at which stiffness is taken for a step, m: that of Hertz's contact at a speed (Chung and
    /// Ooi 2011), and at least a millionth of the radius; the stiffness of linear springs does not depend on it.
    #[must_use]
    pub fn overlap_at(self, mass: f64, radius: f64, speed: f64) -> f64 {
        match self {
            Elastic::Linear(_) => 0.0,
            Elastic::Hertz(young) => libm::pow(
                15.0 / 16.0 * mass * speed * speed / (young * radius.sqrt()),
                0.4,
            )
            .max(1e-6 * radius),
            Elastic::Power {
                coefficient,
                exponent,
            } => {
                let energy = 0.5 * (exponent + 1.0) * mass * speed * speed;
                libm::pow(energy / coefficient, 1.0 / (exponent + 1.0))
            }
        }
    }
}

impl ContactLaw {
    /// Returns the stiffness of a link of effective radius `radius` (m) at an overlap (m); that of a linear law does
    /// not depend on the overlap.
    pub fn stiffness(&self, overlap: f64, radius: f64) -> Stiffness {
        Stiffness {
            normal: self.elastic().stiffness(overlap, radius),
            tangential: self.tangential_stiffness(overlap, radius),
            friction: self.friction(),
        }
    }

    /// Whether a spring resists sliding: not without friction, nor with a tangential stiffness of 0.
    pub fn grips(&self) -> bool {
        let stiffness = self.stiffness(1.0, 1.0);
        stiffness.friction > 0.0 && stiffness.tangential > 0.0
    }

    /// Returns the fastest rates of a link whose bodies have this sum of inverse masses (1/kg; a wall adds none), of
    /// effective radius `radius` (m), when it is compressed to `overlap` (m), for bodies whose moment of inertia is
    /// `inertia` m r^2.
    ///
    /// The inverse mass of normal motion is 1/m_a + 1/m_b; tangential motion also involves the spins, with 1/inertia
    /// of each.
    pub fn rates(&self, inverse_mass: f64, radius: f64, overlap: f64, inertia: f64) -> Rates {
        let across = inverse_mass * (1.0 + 1.0 / inertia);
        let Stiffness {
            normal: kn,
            tangential: kt,
            friction,
        } = self.stiffness(overlap, radius);
        let (cn, ct) = match self.loss() {
            Loss::Dashpot {
                normal,
                tangential,
                per_mass,
            } => {
                let m = if per_mass { 1.0 / inverse_mass } else { 1.0 };
                (normal * m, tangential * m)
            }
            Loss::Ratio(ratio) => {
                let c = 2.0 * (5.0f64 / 6.0).sqrt() * ratio;
                (
                    c * (kn / inverse_mass).sqrt(),
                    c * (kt / inverse_mass).sqrt(),
                )
            }
            Loss::Dissipation(time) => (time * kn, time * kt),
            Loss::Unloading(_) => (0.0, 0.0),
        };
        // Friction is steepest at zero sliding speed; for Hertz F = 2/3 S x.
        let smoothed = self.smoothing_speed().map_or(0.0, |speed| {
            let force = match self.elastic() {
                Elastic::Linear(_) => kn * overlap,
                Elastic::Hertz(_) => 2.0 / 3.0 * kn * overlap,
                Elastic::Power { exponent, .. } => kn * overlap / exponent,
            };
            friction * force / speed
        });
        Rates {
            frequency: (kn * inverse_mass).max(kt * across).sqrt(),
            damping: (cn * inverse_mass).max(ct.max(smoothed) * across),
        }
    }

    /// Returns the duration of an undamped contact: see [`Elastic::contact_time`].
    pub fn contact_time(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        self.elastic().contact_time(mass, radius, speed)
    }

    /// Returns the damping of normal motion over the critical one (of the linear oscillator; for Hertz the ratio of
    /// Antypov and Elliott 2011, which gives the same restitution; for viscoelastic spheres that of the slowest
    /// impacts, which lose nothing).
    pub fn damping_ratio(&self, inverse_mass: f64) -> f64 {
        match (self.elastic(), self.loss()) {
            (
                Elastic::Linear(kn),
                Loss::Dashpot {
                    normal: cn,
                    per_mass,
                    ..
                },
            ) => {
                let c = if per_mass { cn } else { cn * inverse_mass };
                0.5 * c / (kn * inverse_mass).sqrt()
            }
            (_, Loss::Ratio(ratio)) => ratio,
            (_, Loss::Unloading(share)) => damping_ratio(share.sqrt()),
            (_, Loss::Dashpot { .. } | Loss::Dissipation(_)) => 0.0,
        }
    }
}
