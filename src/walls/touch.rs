//! Contact of a ball with a wall, with all data for a collision.

use super::Wall;
use crate::geometry::Dimension;
use crate::geometry::surface::Surface;
use crate::walls::Pose;

/// The point of a wall nearest to a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<D: Dimension> {
    /// Distance of the ball's centre, m.
    pub distance: f64,
    /// Unit normal, from the wall to the ball.
    pub normal: D::Vector,
    /// Velocity of the surface there, including a belt's, m/s.
    pub velocity: D::Vector,
    /// Curvature of the wall for the ball's contact law, 1/m.
    pub curvature: f64,
    /// Reference point of moments on the wall, m.
    pub reference: D::Vector,
    /// Displacement of the touched image from the wall itself, m: 0 except in periodic boxes.
    pub image: D::Vector,
}

impl<D: Dimension> Wall<D> {
    /// Returns its pose at a time, s.
    pub fn pose(&self, time: f64) -> Pose<D> {
        if self.fixed {
            Pose::rest()
        } else {
            self.boundary.motion.pose(time)
        }
    }

    /// Whether a ball of a radius (m) can touch the wall at a time, s: gates open, and small grains pass through
    /// sieves.
    pub fn is_there(&self, radius: f64, time: f64) -> bool {
        self.boundary.stops(radius) && self.boundary.opens_at.is_none_or(|end| time < end)
    }

    /// Returns the contact of a surface with a ball of a radius (m) with its centre at `x` at a time, s; none where
    /// another part of the wall is touched.
    pub fn touch(&self, surface: u32, x: D::Vector, radius: f64, time: f64) -> Option<Touch<D>> {
        let pose = self.pose(time);
        // Of two pieces that continue each other either may be met first, because of rounding.
        let own = || {
            let alone = !self.images.are_joined();
            let x = alone.then(|| self.to_frame(surface, &pose, x))?;
            self.surface(surface).probe(x)
        };
        let probe = self.probe(surface, &pose, x).or_else(own)?;
        let normal = pose.vector_from_frame(probe.normal);
        let image = self.shift(surface, &pose, x);
        let point = x - normal * probe.distance - image;
        let velocity = match self.fixed {
            true => D::Vector::default(),
            false => self.boundary.surface_velocity(&pose, point, normal),
        };
        Some(Touch {
            distance: probe.distance,
            normal,
            velocity,
            curvature: self.curvature(surface, &pose, x, &probe, radius),
            reference: self.reference + pose.shift + image,
            image,
        })
    }

    /// Returns the distance of a surface from a point at a time, m, regardless of the surface's ends.
    pub fn surface_distance(&self, surface: u32, x: D::Vector, time: f64) -> f64 {
        let x = self.to_frame(surface, &self.pose(time), x);
        self.surface(surface).distance_bound(x)
    }

    /// Returns the distance at a time from a point to the region where the image of a surface can be touched, m: 0
    /// except for walls with grains inside.
    #[inline]
    pub fn away(&self, surface: u32, x: D::Vector, time: f64) -> f64 {
        if !self.images.enclose() {
            return 0.0;
        }
        self.images
            .away(self.images.split(surface).0, &self.pose(time), x)
    }
}
