//! Boundaries: walls that grains touch and do not move.

use serde::{Deserialize, Serialize};

use super::{Motion, Pose, Shape};
use crate::geometry::{Dimension, Vector};

/// A wall: a shape and a material, at rest or on a prescribed path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Boundary<D: Dimension> {
    /// Name in files and messages.
    pub name: String,
    /// Index of its material.
    pub material: u16,
    /// Shape in its own frame.
    pub shape: Shape<D>,
    /// Motion.
    pub motion: Motion<D>,
    /// For a gate: the time at which it is removed, s.
    pub opens_at: Option<f64>,
    /// For a sieve: grains with a radius up to this, m, pass through it; for grains with a form the radius of their
    /// circumscribed circle or sphere counts. 0: none pass.
    pub passes_below_radius: f64,
    /// For a belt: velocity of its surface in its frame, m/s. Where the velocity is not tangential, its tangential
    /// part counts. Zero: the surface is at rest.
    pub belt: D::Vector,
}

impl<D: Dimension> Boundary<D> {
    /// Returns a wall at rest, without a name.
    pub fn standing(shape: Shape<D>, material: u16) -> Self {
        Boundary {
            name: String::new(),
            material,
            shape,
            motion: Motion::Fixed,
            opens_at: None,
            passes_below_radius: 0.0,
            belt: D::Vector::default(),
        }
    }

    /// Whether both the wall and its surface are at rest.
    pub fn stands(&self) -> bool {
        self.motion.is_fixed() && self.belt == D::Vector::default()
    }

    /// Whether the wall or its surface moves at a time, s, or will later by itself.
    pub fn goes_on(&self, time: f64) -> bool {
        self.motion.goes_on(time) || self.belt != D::Vector::default()
    }

    /// Whether the wall or its surface moves at any time between two, s.
    pub fn moves_within(&self, from: f64, to: f64) -> bool {
        self.motion.moves_within(from, to) || self.belt != D::Vector::default()
    }

    /// Returns the velocity of the surface at a point with this normal, m/s.
    pub fn surface_velocity(
        &self,
        pose: &Pose<D>,
        point: D::Vector,
        normal: D::Vector,
    ) -> D::Vector {
        let belt = pose.vector_from_frame(self.belt);
        pose.point_velocity(point) + (belt - normal * belt.dot(&normal))
    }

    /// Whether a grain of a radius (m) touches the wall instead of passing through.
    pub fn stops(&self, radius: f64) -> bool {
        radius > self.passes_below_radius
    }
}

/// Returns the displacement of walls from their initial positions at a time, m; the plane uses two components.
pub fn shifts<'a, D: Dimension>(
    walls: impl Iterator<Item = &'a Boundary<D>>,
    time: f64,
) -> Vec<[f64; 3]> {
    let shift = |wall: &Boundary<D>| {
        let shift = wall.motion.pose(time).shift;
        std::array::from_fn(|k| if k < D::N { shift[k] } else { 0.0 })
    };
    walls.map(shift).collect()
}
