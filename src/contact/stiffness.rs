//! What a law comes to at a contact before any kernel runs: stiffness, rates, duration and damping ratio. Steps are chosen by
//! them, and waves and solves go by them. All of it follows from what the law declares.

use super::law::{Elastic, Loss};
use super::{ContactLaw, damping_ratio};

/// What limits the step of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Angular frequency of the stiffest mode, 1/s.
    pub frequency: f64,
    /// Rate of the fastest damping, 1/s.
    pub damping: f64,
}

/// What a link resists with, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Normal, N/m: the tangent at the overlap.
    pub normal: f64,
    /// Tangential, N/m.
    pub tangential: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// What is left of the extension of a spring across when its stiffness (N/m) changes: one that grows stiffer keeps its force (Thornton and
/// Randall 1988), as the kernels have it.
pub(crate) fn lasting(before: f64, now: f64) -> f64 {
    if before > 0.0 && before < now {
        before / now
    } else {
        1.0
    }
}

impl Elastic {
    /// The tangent at an overlap (m) and an effective radius (m), N/m.
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

    /// Energy at an overlap (m) and an effective radius (m), J.
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

    /// The time by which contacts scale, s: sqrt(m / k), or (m / kh)^0.4 v^-0.2 with kh = 4/3 E* sqrt(R*), or
    /// (m / c)^(1 / (p + 1)) v^((1 - p) / (1 + p)); effective mass m (kg), effective radius R* (m), approach speed v (m/s).
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

    /// Duration of an undamped contact of a mass (kg) at an approach speed (m/s), s: half a period of a linear
    /// spring; for Hertz 2.94 (15 m / (16 E sqrt(R)))^0.4 v^-0.2 (Johnson 1985, eq. 11.24).
    #[must_use]
    pub fn contact_time(self, mass: f64, radius: f64, speed: f64) -> f64 {
        match self {
            Elastic::Linear(stiffness) => std::f64::consts::PI * (mass / stiffness).sqrt(),
            Elastic::Hertz(young) => {
                let ratio = 15.0 * mass / (16.0 * young * radius.sqrt());
                2.943_275_2 * libm::pow(ratio, 0.4) * libm::pow(speed, -0.2)
            }
            Elastic::Power { exponent, .. } => {
                // Twice the way over the speed, times the integral of 1 / sqrt(1 - s^(p + 1)) from 0 to 1.
                let root = 1.0 / (exponent + 1.0);
                let integral = std::f64::consts::PI.sqrt() * libm::tgamma(1.0 + root)
                    / libm::tgamma(0.5 + root);
                2.0 * self.overlap_at(mass, radius, speed) / speed * integral
            }
        }
    }

    /// The overlap by which stiffness is taken for a step, m: that of Hertz's contact at a speed (Chung and Ooi 2011), and at least a millionth of the
    /// radius; linear springs are as stiff at any.
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
    /// Stiffness of a link of effective radius `radius` (m) at an overlap (m); that of a linear
    /// law is the same at any.
    pub fn stiffness(&self, overlap: f64, radius: f64) -> Stiffness {
        Stiffness {
            normal: self.elastic().stiffness(overlap, radius),
            tangential: self.tangential_stiffness(overlap, radius),
            friction: self.friction(),
        }
    }

    /// Whether a spring holds a contact against sliding: not without friction, nor where the tangential stiffness is 0.
    pub fn grips(&self) -> bool {
        let stiffness = self.stiffness(1.0, 1.0);
        stiffness.friction > 0.0 && stiffness.tangential > 0.0
    }

    /// The fastest rates of a link between bodies of these masses (kg; infinite for a wall), of
    /// effective radius `radius` (m), when it is compressed to `overlap` (m), for bodies whose
    /// moment of inertia is `inertia` m r^2.
    ///
    /// Normal motion feels 1/m_a + 1/m_b; tangential motion besides the spins, 1/inertia of each.
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
        // Friction is steepest where there is no sliding; F = 2/3 S x of Hertz's.
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

    /// Duration of an undamped contact: see [`Elastic::contact_time`].
    pub fn contact_time(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        self.elastic().contact_time(mass, radius, speed)
    }

    /// Damping of normal motion over the critical one (of the linear oscillator; for Hertz the
    /// ratio of Antypov and Elliott 2011, which gives the same restitution; for viscoelastic spheres that
    /// of the slowest impacts, which lose nothing).
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
