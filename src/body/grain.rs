//! Grains: disks, spheres, and grains with a form.

use serde::{Deserialize, Serialize};

use super::ShapeTemplate;
use crate::geometry::Dimension;

/// The number of a grain: assigned in order of creation, from 0; never reused.
pub type GrainId = u32;

/// A grain at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grain<D: Dimension> {
    /// Number.
    pub id: GrainId,
    /// Index of its material.
    pub material: u16,
    /// Index of its form; none: a disk or a sphere.
    pub form: Option<u16>,
    /// Radius, m; with a form that of the circumscribed circle or sphere.
    pub radius: f64,
    /// Mass, kg (in the plane: kg per metre of depth).
    pub mass: f64,
    /// Principal moments of inertia over mass and radius squared; the plane uses the last.
    pub inertia: [f64; 3],
    /// Centre of mass, m.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Orientation; in space that of the principal axes.
    pub rotation: D::Rotation,
    /// Angular velocity, rad/s.
    pub spin: D::Spin,
}

impl<D: Dimension> Grain<D> {
    /// Returns a disk or sphere at rest.
    pub fn new(id: GrainId, material: u16, radius: f64, density: f64, position: D::Vector) -> Self {
        Grain {
            id,
            material,
            form: None,
            radius,
            mass: density * D::ball_measure(radius),
            inertia: [D::BALL_INERTIA; 3],
            position,
            velocity: D::Vector::default(),
            rotation: D::identity(),
            spin: D::Spin::default(),
        }
    }

    /// Gives a grain the form with an index; its radius becomes that of the circumscribed circle or sphere.
    pub fn shape(&mut self, index: u16, form: &ShapeTemplate<D>, density: f64) {
        let size: f64 = (0..D::N).map(|_| self.radius).product();
        self.form = Some(index);
        self.mass = density * form.measure * size;
        self.inertia = form.inertia;
    }

    /// Returns the moment of inertia about the centre, kg m^2: that of the last principal axis, the only one in the
    /// plane and equal to all others for a sphere.
    pub fn moment_of_inertia(&self) -> f64 {
        self.inertia[2] * self.mass * self.radius * self.radius
    }

    /// Returns the principal moments of inertia, kg m^2.
    pub fn moments(&self) -> [f64; 3] {
        self.inertia
            .map(|share| share * self.mass * self.radius * self.radius)
    }

    /// Returns the kinetic energy of translation and rotation, J.
    pub fn kinetic_energy(&self) -> f64 {
        use crate::geometry::Vector;
        let turning = match self.form {
            None => 0.5 * self.moment_of_inertia() * D::spin_dot(self.spin, self.spin),
            Some(_) => D::turning_energy(self.rotation, self.spin, self.moments()),
        };
        0.5 * self.mass * self.velocity.norm_squared() + turning
    }
}
