//! What a hard collision does: restitution along the normal, and for rough bodies across it.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// Rules of a pair of species, or of a species and a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Ratio of the normal relative speeds after and before; 0 to 1.
    pub restitution: f64,
    /// Rough surfaces exchange tangential momentum and spin too; none: smooth.
    pub rough: Option<Rough>,
}

impl Rule {
    /// Smooth bodies.
    pub fn smooth(restitution: f64) -> Self {
        Rule { restitution, rough: None }
    }
}

/// Tangential restitution with Coulomb's limit (Walton 1993; Foerster, Louge, Chang and Allia 1994).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rough {
    /// Minus the ratio of the tangential relative speeds of the surfaces after and before, when
    /// they do not slide: -1 (smooth) to 1 (perfectly rough); 0: they stick.
    pub restitution: f64,
    /// Coulomb's coefficient: the tangential impulse is at most this times the normal one.
    pub friction: f64,
}

/// The state of the bodies that a law needs: of the second as seen by the first.
#[derive(Clone, Copy, Debug)]
pub struct Encounter<D: Dimension> {
    /// Unit vector from the first to the second body.
    pub normal: D::Vector,
    /// Velocity of the second body relative to the first, m/s; its centre's.
    pub velocity: D::Vector,
    /// 1/m1 + 1/m2, 1/kg.
    pub inverse_mass: f64,
    /// r1^2/I1 + r2^2/I2, 1/kg; 0 for a wall's share.
    pub inverse_inertia: f64,
    /// r1 w1 + r2 w2, m/s.
    pub surface: D::Spin,
}

/// What a collision exchanges.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<D: Dimension> {
    /// Momentum that the second body receives, kg m/s; the first receives its opposite.
    pub impulse: D::Vector,
    /// Size of its normal part, kg m/s.
    pub normal_impulse: f64,
    /// Its tangential part; 0 for smooth bodies.
    pub tangential: D::Vector,
    /// Energy lost to heat, J.
    pub lost: f64,
}

impl Rule {
    /// What two bodies exchange that approach at `approach` > 0 m/s.
    #[inline(always)]
    pub fn exchange<D: Dimension>(&self, met: &Encounter<D>, approach: f64) -> Exchange<D> {
        let e = self.restitution;
        let normal_impulse = (1.0 + e) * approach / met.inverse_mass;
        let mut out = Exchange {
            impulse: met.normal * normal_impulse,
            normal_impulse,
            tangential: D::Vector::default(),
            lost: 0.5 * (1.0 - e * e) * approach * approach / met.inverse_mass,
        };
        if let Some(rough) = &self.rough {
            rough.add(met, &mut out);
        }
        out
    }
}

impl Rough {
    #[inline(never)]
    fn add<D: Dimension>(&self, met: &Encounter<D>, out: &mut Exchange<D>) {
        // The surface of the first moves with r1 w1 x n, that of the second with -r2 w2 x n.
        let slip = met.velocity
            - met.normal * met.normal.dot(&met.velocity)
            - D::cross_spin(met.surface, met.normal);
        let speed = slip.norm();
        if speed <= 0.0 {
            return;
        }
        let inverse = met.inverse_mass + met.inverse_inertia;
        let grip = (1.0 + self.restitution) * speed / inverse;
        let size = grip.min(self.friction * out.normal_impulse);
        out.tangential = slip * (-size / speed);
        out.impulse += out.tangential;
        out.lost += size * speed - 0.5 * size * size * inverse;
    }
}
