//! Grains: disks and spheres.

use serde::{Deserialize, Serialize};

use crate::geometry::Dimension;

/// The number of a grain: given once, in order of creation, from 0; never used again.
pub type GrainId = u32;

/// A disk or a sphere, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grain<D: Dimension> {
    /// Its number.
    pub id: GrainId,
    /// Index of its material.
    pub material: u16,
    /// Radius, m.
    pub radius: f64,
    /// Mass, kg (in the plane: kg per metre of depth).
    pub mass: f64,
    /// Centre, m.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Orientation.
    pub rotation: D::Rotation,
    /// Angular velocity, rad/s.
    pub spin: D::Spin,
}

impl<D: Dimension> Grain<D> {
    /// A grain at rest.
    pub fn new(id: GrainId, material: u16, radius: f64, density: f64, position: D::Vector) -> Self {
        Grain {
            id,
            material,
            radius,
            mass: density * D::ball_measure(radius),
            position,
            velocity: D::Vector::default(),
            rotation: D::identity(),
            spin: D::Spin::default(),
        }
    }

    /// Moment of inertia about the centre, kg m^2.
    pub fn moment_of_inertia(&self) -> f64 {
        D::BALL_INERTIA * self.mass * self.radius * self.radius
    }

    /// Kinetic energy of motion and spin, J.
    pub fn kinetic_energy(&self) -> f64 {
        use crate::geometry::Vector;
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.moment_of_inertia() * D::spin_dot(self.spin, self.spin)
    }
}
