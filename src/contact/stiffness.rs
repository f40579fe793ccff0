//! What a law comes to at a contact before any kernel runs: stiffness, rates, duration and damping ratio. Steps are chosen by
//! them, and waves and solves go by them.

use super::PairLaw;

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

impl PairLaw {
    /// Stiffness of a link of effective radius `radius` (m) at an overlap (m); that of a linear
    /// law is the same at any.
    pub fn stiffness(&self, overlap: f64, radius: f64) -> Stiffness {
        match *self {
            PairLaw::Linear {
                normal_stiffness: normal,
                tangential_stiffness: tangential,
                friction,
                ..
            } => Stiffness {
                normal,
                tangential,
                friction,
            },
            PairLaw::Hertz {
                young,
                shear,
                friction,
                ..
            }
            | PairLaw::Viscoelastic {
                young,
                shear,
                friction,
                ..
            } => {
                let a = (radius * overlap.max(0.0)).sqrt();
                Stiffness {
                    normal: 2.0 * young * a,
                    tangential: 8.0 * shear * a,
                    friction,
                }
            }
            PairLaw::Mutze {
                young, friction, ..
            } => Stiffness {
                normal: 2.0 * young * (radius * overlap.max(0.0)).sqrt(),
                tangential: 0.0,
                friction,
            },
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
        let tangential = inverse_mass * (1.0 + 1.0 / inertia);
        let (kn, kt, cn, ct) = match *self {
            PairLaw::Linear {
                normal_stiffness: kn,
                tangential_stiffness: kt,
                normal_damping: cn,
                tangential_damping: ct,
                per_mass,
                ..
            } => {
                let m = if per_mass { 1.0 / inverse_mass } else { 1.0 };
                (kn, kt, cn * m, ct * m)
            }
            PairLaw::Hertz { damping_ratio, .. } => {
                let stiffness = self.stiffness(overlap, radius);
                let (kn, kt) = (stiffness.normal, stiffness.tangential);
                let c = 2.0 * (5.0f64 / 6.0).sqrt() * damping_ratio;
                (
                    kn,
                    kt,
                    c * (kn / inverse_mass).sqrt(),
                    c * (kt / inverse_mass).sqrt(),
                )
            }
            PairLaw::Viscoelastic { dissipation, .. } => {
                let stiffness = self.stiffness(overlap, radius);
                let (kn, kt) = (stiffness.normal, stiffness.tangential);
                (kn, kt, dissipation * kn, dissipation * kt)
            }
            PairLaw::Mutze {
                friction,
                smoothing,
                ..
            } => {
                let stiffness = self.stiffness(overlap, radius);
                // Friction is steepest where there is no sliding; F = 2/3 S x.
                let force = 2.0 / 3.0 * stiffness.normal * overlap;
                (stiffness.normal, 0.0, 0.0, friction * force / smoothing)
            }
        };
        Rates {
            frequency: (kn * inverse_mass).max(kt * tangential).sqrt(),
            damping: (cn * inverse_mass).max(ct * tangential),
        }
    }

    /// Duration of an undamped contact of a mass (kg) at an approach speed (m/s), s: half a period of a linear
    /// spring; for Hertz 2.94 (15 m / (16 E sqrt(R)))^0.4 v^-0.2 (Johnson 1985, eq. 11.24).
    pub fn contact_time(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        match *self {
            PairLaw::Linear {
                normal_stiffness, ..
            } => std::f64::consts::PI * (mass / normal_stiffness).sqrt(),
            PairLaw::Hertz { young, .. }
            | PairLaw::Viscoelastic { young, .. }
            | PairLaw::Mutze { young, .. } => {
                let ratio = 15.0 * mass / (16.0 * young * radius.sqrt());
                2.943_275_2 * libm::pow(ratio, 0.4) * libm::pow(speed, -0.2)
            }
        }
    }

    /// Damping of normal motion over the critical one (of the linear oscillator; for Hertz the
    /// ratio of Antypov and Elliott 2011, which gives the same restitution; for viscoelastic spheres that
    /// of the slowest impacts, which lose nothing).
    pub fn damping_ratio(&self, inverse_mass: f64) -> f64 {
        match *self {
            PairLaw::Linear {
                normal_stiffness: kn,
                normal_damping: cn,
                per_mass,
                ..
            } => {
                let c = if per_mass { cn } else { cn * inverse_mass };
                0.5 * c / (kn * inverse_mass).sqrt()
            }
            PairLaw::Hertz { damping_ratio, .. } => damping_ratio,
            PairLaw::Viscoelastic { .. } => 0.0,
            PairLaw::Mutze { unloading, .. } => super::damping_ratio(unloading.sqrt()),
        }
    }
}
