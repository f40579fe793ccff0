//! Effect of a mapping on two grains (Poeschel and Mueller 2013, eqs. 11 to 17).

use crate::collide::hard;
use crate::collide::resolved::Mapping;
use crate::geometry::{Dimension, Vector};

/// Two grains that touch and approach each other: their relative motion in the plane of the contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<D: Dimension> {
    /// Masses, kg.
    pub masses: [f64; 2],
    /// Velocities, m/s.
    pub velocities: [D::Vector; 2],
    /// Effective mass, m1 m2 / (m1 + m2), kg.
    pub effective_mass: f64,
    /// Distance of the centres, m.
    pub reach: f64,
    /// Unit vector from the first to the second grain.
    pub normal: D::Vector,
    /// Unit vector of the tangential relative motion; 0 if there is none.
    pub sideways: D::Vector,
    /// Normal approach speed, m/s; above 0.
    pub approach: f64,
    /// Tangential relative speed, m/s.
    pub tangential: f64,
    /// Centre of mass, m.
    pub centre: D::Vector,
    /// Velocity of the centre of mass, m/s.
    pub centre_velocity: D::Vector,
}

impl<D: Dimension> Touch<D> {
    /// The contact of two grains by masses, positions and velocities; none unless they approach.
    #[inline]
    pub fn new(
        masses: [f64; 2],
        positions: [D::Vector; 2],
        velocities: [D::Vector; 2],
    ) -> Option<Self> {
        let [m1, m2] = masses;
        let (arm, speed) = (positions[1] - positions[0], velocities[1] - velocities[0]);
        let reach = arm.norm();
        let normal = D::Vector::from_fn(|k| arm[k] / reach);
        let approach = -normal.dot(&speed);
        if approach <= 0.0 || approach.is_nan() {
            return None;
        }
        let across = speed + normal * approach;
        let tangential = across.norm();
        let sideways = if tangential > 0.0 {
            D::Vector::from_fn(|k| across[k] / tangential)
        } else {
            D::Vector::default()
        };
        let second = m2 / (m1 + m2);
        Some(Touch {
            masses,
            velocities,
            effective_mass: m1 * second,
            reach,
            normal,
            sideways,
            approach,
            tangential,
            centre: positions[0] + arm * second,
            centre_velocity: velocities[0] + speed * second,
        })
    }

    /// The velocities after the hard collision with a restitution coefficient, m/s.
    pub fn hard(&self, restitution: f64) -> [D::Vector; 2] {
        hard::spheres::<D>(self.masses, self.velocities, self.normal, restitution)
    }

    /// The collision with a mapping and a duration (s).
    #[inline]
    pub fn collision(&self, mapping: Mapping, duration: f64) -> Collision<D> {
        let [m1, m2] = self.masses;
        let shares = [-m2 / (m1 + m2), m1 / (m1 + m2)];
        let (sine, cosine) = libm::sincos(mapping.eps_phi);
        let along = self.normal * cosine + self.sideways * sine;
        let across = self.sideways * cosine - self.normal * sine;
        let distance = self.reach * mapping.eps_r;
        // Angular momentum is conserved: distance times tangential speed is constant.
        let tangential = self.tangential / mapping.eps_r;
        let velocity = along * (-self.approach * mapping.eps_rdot) + across * tangential;
        let square = |a: f64, b: f64| a * a + b * b;
        let before = square(self.approach, self.tangential);
        let after = square(self.approach * mapping.eps_rdot, tangential);
        Collision {
            touch: *self,
            mapping,
            duration,
            placed: shares.map(|share| self.centre + along * (distance * share)),
            relative: shares.map(|share| velocity * share),
            stored: 0.5 * self.effective_mass * after,
            dissipated: 0.5 * self.effective_mass * (before - after),
        }
    }
}

/// A soft collision of two grains. A common acceleration of both does not change it: add its effect
/// on the centre of mass during the contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision<D: Dimension> {
    /// The contact at its beginning.
    pub touch: Touch<D>,
    /// Mapping of the contact.
    pub mapping: Mapping,
    /// Duration, s.
    pub duration: f64,
    /// Positions to which the grains are displaced at once: relative to the centre of mass at the beginning, m.
    pub placed: [D::Vector; 2],
    /// Velocities at the end relative to that of the centre of mass, m/s.
    pub relative: [D::Vector; 2],
    /// Kinetic energy of the relative motion at the end, J: stored while the grains move with the
    /// centre of mass.
    pub stored: f64,
    /// Energy lost, J.
    pub dissipated: f64,
}

impl<D: Dimension> Collision<D> {
    /// Positions at the end of contact if the grains are not accelerated, m.
    pub fn positions(&self) -> [D::Vector; 2] {
        let moved = self.touch.centre_velocity * self.duration;
        self.placed.map(|position| position + moved)
    }
    /// Velocities at the end of contact if the grains are not accelerated, m/s.
    pub fn velocities(&self) -> [D::Vector; 2] {
        self.relative
            .map(|velocity| self.touch.centre_velocity + velocity)
    }
    /// Velocities if the collision is replaced by a hard one, m/s (the first exception).
    pub fn hard(&self) -> [D::Vector; 2] {
        self.touch.hard(-self.mapping.eps_rdot)
    }
    /// Energy lost if the collision is replaced by a hard one, J.
    pub fn dissipated_hard(&self) -> f64 {
        let (e, v) = (self.mapping.eps_rdot, self.touch.approach);
        0.5 * self.touch.effective_mass * v * v * (1.0 - e * e)
    }
}
