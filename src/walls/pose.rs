//! Pose of a boundary's frame.

use crate::geometry::Dimension;

/// Pose of a boundary's frame: a point `x` of the frame is at `shift + rotation (x - centre) + centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<D: Dimension> {
    /// Displacement, m.
    pub shift: D::Vector,
    /// Rotation about `centre`.
    pub rotation: D::Rotation,
    /// Centre of rotation, m (in the frame).
    pub centre: D::Vector,
    /// Velocity of the frame, m/s.
    pub velocity: D::Vector,
    /// Angular velocity about the centre, rad/s.
    pub spin: D::Spin,
}

impl<D: Dimension> Pose<D> {
    /// Returns the pose of a frame that has not moved.
    pub fn rest() -> Self {
        Pose {
            shift: D::Vector::default(),
            rotation: D::identity(),
            centre: D::Vector::default(),
            velocity: D::Vector::default(),
            spin: D::Spin::default(),
        }
    }
    /// Converts a point of the world to the wall's own frame, m.
    pub fn to_frame(&self, x: D::Vector) -> D::Vector {
        // Without rotation the bits are kept: a shifted wall is the same wall.
        if self.rotation == D::identity() {
            return x - self.shift;
        }
        D::unrotate(self.rotation, x - self.shift - self.centre) + self.centre
    }
    /// Converts a point of the wall's own frame to the world, m.
    pub fn to_world(&self, x: D::Vector) -> D::Vector {
        if self.rotation == D::identity() {
            return x + self.shift;
        }
        D::rotate(self.rotation, x - self.centre) + self.centre + self.shift
    }
    /// Rotates a direction, velocity or force from the wall's own frame to the world's.
    pub fn vector_from_frame(&self, v: D::Vector) -> D::Vector {
        if self.rotation == D::identity() {
            return v;
        }
        D::rotate(self.rotation, v)
    }
    /// Rotates a direction, velocity or force from the world's frame to the wall's own.
    pub fn vector_to_frame(&self, v: D::Vector) -> D::Vector {
        if self.rotation == D::identity() {
            return v;
        }
        D::unrotate(self.rotation, v)
    }
    /// Returns the velocity of the wall's material point that is now at `x` (in the world), m/s.
    pub fn point_velocity(&self, x: D::Vector) -> D::Vector {
        self.velocity + D::cross_spin(self.spin, x - self.shift - self.centre)
    }
}
