//! Integrates one frictionless contact of two spheres from touch to separation.
//!
//! The relative motion is planar: overlap, rotation of the line of centres, conserved angular
//! momentum (Poeschel and Mueller 2013, eq. 4). It is solved in scaled units, in which every law
//! has stiffness 1 and approach speed 1 (eqs. 18, 19), by the Dormand-Prince method of fifth order
//! with error control (Dormand and Prince 1980). The contact ends when the force vanishes while the
//! spheres separate (eq. 7; Schwager and Poeschel 2007): before the overlap vanishes, if damping
//! would cause attraction.

use serde::{Deserialize, Serialize};

use super::scaled::{self, End, ScaledLaw};
use crate::contact::{ContactLaw, Elastic, Loss};

/// A frictionless contact law with a linear or Hertzian spring and the corresponding loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frictionless {
    law: ContactLaw,
    /// Effective radius, m.
    radius: f64,
}

impl Frictionless {
    /// Contacts of an effective radius (m, required by Hertz's force) by a law without its friction; none if
    /// the force cannot be scaled so that its stiffness is 1 and one number determines the damping.
    pub fn of(law: &ContactLaw, radius: f64) -> Option<Self> {
        let known = match (law.elastic(), law.loss()) {
            (Elastic::Linear(_), Loss::Dashpot { .. })
            | (Elastic::Hertz(_), Loss::Dissipation(_)) => true,
            (Elastic::Hertz(_), loss) => loss.is_none(),
            _ => false,
        };
        known.then_some(Frictionless { law: *law, radius })
    }
    /// The law.
    pub fn law(&self) -> &ContactLaw {
        &self.law
    }
    /// The effective radius, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }
    /// Time scale of contacts, s, for an effective mass (kg) and a normal approach speed (m/s).
    pub fn time_scale(&self, effective_mass: f64, approach: f64) -> f64 {
        let elastic = self.law.elastic();
        elastic.time_scale(effective_mass, self.radius, approach)
    }
    /// Whether the force is proportional to the overlap to the power 1.5.
    pub(super) fn is_hertz(&self) -> bool {
        matches!(self.law.elastic(), Elastic::Hertz(_))
    }
    /// The law in scaled units: its damping, and whether the force is proportional to the overlap to the power 1.5.
    pub(super) fn scaled(&self, effective_mass: f64, time: f64) -> ScaledLaw {
        let damping = match self.law.loss() {
            Loss::Dashpot {
                normal,
                per_mass: true,
                ..
            } => normal * time,
            Loss::Dashpot { normal, .. } => normal * time / effective_mass,
            Loss::Dissipation(a) => 1.5 * a / time,
            Loss::Ratio(_) | Loss::Unloading(_) => 0.0,
        };
        ScaledLaw {
            damping,
            hertz: self.is_hertz(),
        }
    }
}

/// Effect of a contact on the relative motion (Poeschel and Mueller 2013, eq. 10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Distance of the centres at the end over that at the start.
    pub eps_r: f64,
    /// Angle by which the line of centres turns, rad, in the sense of the orbital motion.
    pub eps_phi: f64,
    /// Ratio of the rates of the distance at the end and at the start; negative.
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

/// Reason why a contact has no end state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolvedError {
    /// The centres meet.
    #[error("the law is too soft for this approach: the grains would pass through each other")]
    PassThrough,
    /// The contact requires an unreasonable number of steps.
    #[error(
        "the contact did not end within a million steps; its damping or its speed is beyond reason"
    )]
    NoEnd,
}

/// The mapping of a contact of two spheres that just touch: distance of the centres `reach` (m),
/// normal approach speed and tangential relative speed (m/s).
pub fn collide(
    law: &Frictionless,
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

/// The mapping of a scaled problem; `turning` is the angle that the line of centres would turn per
/// unit of time at constant length.
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
