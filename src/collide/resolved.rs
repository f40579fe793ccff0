//! One frictionless contact of two spheres, followed from touch to separation.
//!
//! The relative motion is a planar one: overlap, rotation of the line of centres, conserved angular
//! momentum (Poeschel and Mueller 2013, eq. 4). It is solved in scaled units, in which every law
//! has stiffness 1 and approach speed 1 (eqs. 18, 19), by the Dormand-Prince method of fifth order
//! with error control (Dormand and Prince 1980). The contact ends where the force vanishes while
//! the spheres separate (eq. 7; Schwager and Poeschel 2007): before the overlap does when damping
//! would pull.

use serde::{Deserialize, Serialize};

use super::scaled::{self, End, ScaledLaw};

/// The force of a frictionless contact, as a function of the overlap x and its rate x'.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ForceLaw {
    /// kn x + cn x'.
    Linear {
        /// Stiffness, N/m.
        kn: f64,
        /// Damping, N s/m.
        cn: f64,
    },
    /// kh x^1.5 (Hertz 1882).
    Hertz {
        /// Stiffness, N/m^1.5.
        kh: f64,
    },
    /// kh (x^1.5 + 1.5 a sqrt(x) x') (Brilliantov, Spahn, Hertzsch and Poeschel 1996).
    Viscoelastic {
        /// Stiffness, N/m^1.5.
        kh: f64,
        /// Dissipation constant, s.
        a: f64,
    },
}

impl ForceLaw {
    /// The time by which contacts of this law scale, s: sqrt(m / kn), or (m / kh)^0.4 v^-0.2 for
    /// the effective mass m and the normal approach speed v.
    pub fn time_scale(&self, effective_mass: f64, approach: f64) -> f64 {
        match *self {
            ForceLaw::Linear { kn, .. } => (effective_mass / kn).sqrt(),
            ForceLaw::Hertz { kh } | ForceLaw::Viscoelastic { kh, .. } => {
                let ratio = effective_mass / kh;
                libm::pow(ratio * ratio / approach, 0.2)
            }
        }
    }
    /// Its damping in scaled units, and whether the force goes as the overlap to 1.5.
    pub(super) fn scaled(&self, effective_mass: f64, time: f64) -> ScaledLaw {
        match *self {
            ForceLaw::Linear { cn, .. } => ScaledLaw {
                damping: cn * time / effective_mass,
                hertz: false,
            },
            ForceLaw::Hertz { .. } => ScaledLaw {
                damping: 0.0,
                hertz: true,
            },
            ForceLaw::Viscoelastic { a, .. } => ScaledLaw {
                damping: 1.5 * a / time,
                hertz: true,
            },
        }
    }
}

/// What a contact does to the relative motion (Poeschel and Mueller 2013, eq. 10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Distance of the centres at the end over that at the start.
    pub eps_r: f64,
    /// Angle by which the line of centres turned, rad, in the sense of the orbital motion.
    pub eps_phi: f64,
    /// Rate of the distance at the end over that at the start; negative.
    pub eps_rdot: f64,
    /// Duration in units of the law's time scale.
    pub tau: f64,
}

impl Mapping {
    pub(super) fn of(end: &End, compression: f64, turning: f64) -> Self {
        Mapping {
            eps_r: 1.0 - compression * end.overlap,
            eps_phi: if turning == 0.0 {
                0.0
            } else {
                turning * end.turn
            },
            eps_rdot: end.rate,
            tau: end.time,
        }
    }
}

/// Why a contact has no end state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolvedError {
    /// The centres meet.
    #[error("the law is too soft for this approach: the grains would pass through each other")]
    PassThrough,
    /// More steps than could make sense.
    #[error(
        "the contact did not end within a million steps; its damping or its speed is beyond reason"
    )]
    NoEnd,
}

/// The mapping of a contact of two spheres that just touch: distance of the centres `reach` (m),
/// normal approach speed and tangential relative speed (m/s).
pub fn collide(
    law: &ForceLaw,
    effective_mass: f64,
    reach: f64,
    approach: f64,
    tangential: f64,
) -> Result<Mapping, ResolvedError> {
    let time = law.time_scale(effective_mass, approach);
    let compression = approach * time / reach;
    let turning = tangential * time / reach;
    mapping(law.scaled(effective_mass, time), compression, turning)
}

/// The mapping of the scaled linear-dashpot problem (Poeschel and Mueller 2013, eqs. 19, 20).
pub fn scaled_linear(reach: f64, c_phi: f64, c_dis: f64) -> Result<Mapping, ResolvedError> {
    let law = ScaledLaw {
        damping: c_dis,
        hertz: false,
    };
    mapping(law, 1.0 / reach, c_phi / reach / reach)
}

/// The mapping of a scaled problem; `turning` is the angle that the line of centres would turn in
/// one unit of time if its length stayed.
fn mapping(law: ScaledLaw, compression: f64, turning: f64) -> Result<Mapping, ResolvedError> {
    let end = if turning == 0.0 && !law.hertz {
        scaled::central_linear(law.damping, compression)?
    } else {
        scaled::solve(
            law,
            compression,
            turning / compression * turning,
            scaled::FINE,
        )?
    };
    Ok(Mapping::of(&end, compression, turning))
}
