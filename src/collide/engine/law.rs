//! Rules of a hard collision: normal restitution, and tangential restitution for rough bodies.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// Collision rule of a pair of species, or of a species and a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Ratio of the normal relative speeds after and before; 0 to 1.
    pub restitution: f64,
    /// Rough surfaces also exchange tangential momentum and spin; none: smooth.
    pub rough: Option<Rough>,
}

impl Rule {
    /// A rule for smooth bodies.
    pub fn smooth(restitution: f64) -> Self {
        Rule {
            restitution,
            rough: None,
        }
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

/// The state of two bodies that a rule requires: the second relative to the first.
#[derive(Clone, Copy, Debug)]
pub struct Encounter<D: Dimension> {
    /// Unit vector from the first to the second body.
    pub normal: D::Vector,
    /// Velocity of the second centre relative to the first, m/s.
    pub velocity: D::Vector,
    /// Inverse effective mass, 1/m1 + 1/m2, 1/kg.
    pub inverse_mass: f64,
    /// r1^2/I1 + r2^2/I2, 1/kg; a wall contributes 0.
    pub inverse_inertia: f64,
    /// Sum of radius times spin, r1 w1 + r2 w2, m/s.
    pub surface: D::Spin,
}

/// Tangential exchange between rough surfaces.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<D: Dimension> {
    /// Tangential momentum that the second body receives, kg m/s; the first receives its opposite.
    pub impulse: D::Vector,
    /// Additional angular impulse on the first body, N m s; the second receives its opposite.
    pub couple: D::Spin,
    /// Energy dissipated by the exchange, J.
    pub lost: f64,
}

impl Rough {
    /// The tangential exchange for a normal impulse, kg m/s: the value that the slip of the
    /// surfaces requires, at most friction times the normal impulse.
    #[inline(never)]
    pub fn exchange<D: Dimension>(&self, met: &Encounter<D>, normal_impulse: f64) -> Exchange<D> {
        // The surface of the first body moves with r1 w1 x n, that of the second with -r2 w2 x n.
        let slip = met.velocity
            - met.normal * met.normal.dot(&met.velocity)
            - D::cross_spin(met.surface, met.normal);
        let speed = slip.norm();
        if speed <= 0.0 {
            return Exchange {
                impulse: D::Vector::default(),
                couple: D::Spin::default(),
                lost: 0.0,
            };
        }
        let inverse = met.inverse_mass + met.inverse_inertia;
        let grip = (1.0 + self.restitution) * speed / inverse;
        let size = grip.min(self.friction * normal_impulse);
        Exchange {
            impulse: slip * (-size / speed),
            couple: D::Spin::default(),
            lost: size * speed - 0.5 * size * size * inverse,
        }
    }
}
