//! Optional terms of a law beyond spring, dashpot and friction, one file each: cohesion, plastic loading, resistance
//! to rolling and twisting.

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

/// Terms of the law of a pair beyond spring, dashpot and friction.
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
    /// Whether Coulomb's limit applies to the tangential spring alone, with the damper acting only while the link
    /// sticks, as in some other programs; otherwise the limit applies to the sum.
    pub spring_limited: bool,
}

impl ContactTerms {
    /// Whether there are no terms.
    pub fn are_empty(&self) -> bool {
        *self == ContactTerms::default()
    }

    /// Whether links can pull.
    pub fn attract(&self) -> bool {
        self.cohesion.is_some() || self.plastic.is_some_and(|plastic| plastic.cohesion > 0.0)
    }

    /// Returns the greatest attraction of a link of effective radius `radius` (m) at an overlap (m), N.
    fn pull(&self, radius: f64, overlap: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.pull(radius, overlap))
    }

    /// Returns the overlap into which cohesion alone draws a link of effective radius `radius` (m), m; infinite if
    /// the law never balances it.
    pub fn overlap(&self, law: &ContactLaw, radius: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.overlap(law.elastic(), radius))
    }

    /// Returns the fastest rates that the terms add to those of the law; arguments as there, and the impact speed,
    /// m/s.
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
        // The effective radius is smaller than that of either body.
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

    /// Returns the gap up to which a link of effective radius `radius` (m) may last, m.
    pub fn reach(&self, law: &ContactLaw, radius: f64) -> f64 {
        self.cohesion
            .map_or(0.0, |cohesion| cohesion.reach(law.elastic(), radius))
    }
}
