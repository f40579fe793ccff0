//! What a law may have beside spring, dashpot and friction, a file each: cohesion, plastic loading, resistance to rolling and
//! twisting. Any may be empty.

mod cohesion;
mod jkr;
mod plastic;
mod resistance;

use serde::{Deserialize, Serialize};

pub use cohesion::{Cohesion, CohesionKeys, FadingKeys};
pub(super) use jkr::Jkr;
pub use plastic::{Plastic, PlasticKeys};
pub use resistance::{Resistance, ResistanceKeys, ResistanceKind};

use super::{ContactLaw, Rates};

/// What the law of a pair has beside spring, dashpot and friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactTerms {
    /// Attraction.
    pub cohesion: Option<Cohesion>,
    /// A normal spring that is stiffer when unloaded (linear laws only).
    pub plastic: Option<Plastic>,
    /// Resistance to rolling.
    pub rolling: Option<Resistance>,
    /// Resistance to twisting about the normal (space only).
    pub twisting: Option<Resistance>,
    /// Coulomb's limit is on the tangential spring alone, and the damper acts only while the link sticks, as in some
    /// other programs; otherwise the limit is on the sum.
    pub spring_limited: bool,
}

impl ContactTerms {
    /// Whether there are none.
    pub fn are_empty(&self) -> bool {
        *self == ContactTerms::default()
    }

    /// Greatest pull of a link of effective radius `radius` (m) at an overlap (m), N.
    fn pull(&self, radius: f64, overlap: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.pull(radius, overlap))
    }

    /// Overlap into which cohesion alone draws a link of effective radius `radius` (m), m; infinite where the law
    /// never holds against it.
    pub fn overlap(&self, law: &ContactLaw, radius: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.overlap(law.elastic(), radius))
    }

    /// The fastest rates that terms add to those of the law; arguments as there, and the speed of an impact, m/s.
    pub fn rates(
        &self,
        law: &ContactLaw,
        inverse_mass: f64,
        radius: f64,
        overlap: f64,
        inertia: f64,
        speed: f64,
    ) -> Rates {
        let normal = law.stiffness(overlap, radius).normal;
        let mut stiffest = self.plastic.map_or(0.0, |p| p.unloading.max(p.cohesion));
        if let Some(cohesion) = self.cohesion {
            stiffest = stiffest.max(cohesion.gap_stiffness());
        }
        let mut rates = Rates {
            frequency: (stiffest * inverse_mass).sqrt(),
            damping: 0.0,
        };
        // The effective radius is less than that of either body.
        let turning = inverse_mass / inertia;
        for resistance in [self.rolling, self.twisting].into_iter().flatten() {
            let Resistance { friction, kind } = resistance;
            let (stiffness, damping) = match kind {
                ResistanceKind::Spring { stiffness, damping } => {
                    let usual = resistance.usual_share() * normal;
                    (stiffness.unwrap_or(usual), damping)
                }
                ResistanceKind::Constant(smoothing) => {
                    let impact = (normal / inverse_mass).sqrt() * speed;
                    let pressing = impact + self.pull(radius, overlap);
                    (0.0, friction * pressing / smoothing)
                }
            };
            rates.frequency = rates.frequency.max((stiffness * turning).sqrt());
            rates.damping = rates.damping.max(damping * turning);
        }
        rates
    }

    /// Gap up to which a link of effective radius `radius` (m) may last, m.
    pub fn reach(&self, law: &ContactLaw, radius: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.reach(law.elastic(), radius))
    }
}
