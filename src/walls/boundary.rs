//! Boundaries: walls that grains touch and do not move.

use serde::{Deserialize, Serialize};

use super::{Motion, Pose, Shape};
use crate::geometry::{Dimension, Vector};

/// A wall: a shape of a material, which stands still or moves on a prescribed path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Boundary<D: Dimension> {
    /// Its name in files and messages.
    pub name: String,
    /// Index of its material.
    pub material: u16,
    /// Its shape in its own frame.
    pub shape: Shape<D>,
    /// How it moves.
    pub motion: Motion<D>,
    /// A gate: the time at which it is taken away, s.
    pub opens_at: Option<f64>,
    /// A dividing grid: grains of a radius up to this, m, go through as if it were not there; of those of a
    /// form the radius of the circle or sphere around them. 0: none do.
    pub passes: f64,
    /// A belt: velocity of its surface in its frame, m/s. Where the surface is not along it, its part along the
    /// surface counts. Zero: the surface stands.
    pub belt: D::Vector,
}

impl<D: Dimension> Boundary<D> {
    /// One that stands from beginning to end, without a name.
    pub fn standing(shape: Shape<D>, material: u16) -> Self {
        Boundary {
            name: String::new(),
            material,
            shape,
            motion: Motion::Fixed,
            opens_at: None,
            passes: 0.0,
            belt: D::Vector::default(),
        }
    }

    /// Whether neither the wall moves nor its surface.
    pub fn stands(&self) -> bool {
        self.motion.is_fixed() && self.belt == D::Vector::default()
    }

    /// Whether the wall or its surface moves at a time, s, or will later by itself.
    pub fn goes_on(&self, time: f64) -> bool {
        self.motion.goes_on(time) || self.belt != D::Vector::default()
    }

    /// Velocity of the surface at a point where it has this normal, m/s.
    pub fn surface_velocity(
        &self,
        pose: &Pose<D>,
        point: D::Vector,
        normal: D::Vector,
    ) -> D::Vector {
        let belt = pose.vector_from_frame(self.belt);
        pose.point_velocity(point) + (belt - normal * belt.dot(&normal))
    }

    /// Whether a grain of a radius (m) feels the wall.
    pub fn stops(&self, radius: f64) -> bool {
        radius > self.passes
    }
}

/// How far walls are shifted from where they were set up at a time, m; the plane uses two components.
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
