//! Where a ball touches a wall, with all that a collision asks for.

use super::Wall;
use crate::geometry::Dimension;
use crate::geometry::surface::Surface;
use crate::walls::Pose;

/// A wall at the point that is nearest to a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<D: Dimension> {
    /// Distance of the ball's centre, m.
    pub distance: f64,
    /// Unit normal, from the wall to the ball.
    pub normal: D::Vector,
    /// Velocity of the surface there, that of a belt with it, m/s.
    pub velocity: D::Vector,
    /// Curvature of the wall for the ball's contact law, 1/m.
    pub curvature: f64,
    /// Point about which moments on the wall are taken, m.
    pub reference: D::Vector,
    /// How far the image that is touched is from the wall itself, m: 0 but in periodic boxes.
    pub image: D::Vector,
}

impl<D: Dimension> Wall<D> {
    /// Where it is at a time, s.
    pub fn pose(&self, time: f64) -> Pose<D> {
        if self.fixed {
            Pose::rest()
        } else {
            self.boundary.motion.pose(time)
        }
    }

    /// Whether the wall is there for a ball of a radius (m) at a time, s: gates open, and small grains pass through sieves.
    pub fn is_there(&self, radius: f64, time: f64) -> bool {
        self.boundary.stops(radius) && self.boundary.opens_at.is_none_or(|end| time < end)
    }

    /// Where a surface is touched by a ball of a radius (m) with its centre at `x` at a time, s; none where another part of the wall is.
    pub fn touch(&self, surface: u32, x: D::Vector, radius: f64, time: f64) -> Option<Touch<D>> {
        let pose = self.pose(time);
        // Of two pieces that go on from each other each may be met first, by a rounding.
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

    /// The distance of a surface from a point at a time, m, wherever the surface ends.
    pub fn surface_distance(&self, surface: u32, x: D::Vector, time: f64) -> f64 {
        let x = self.to_frame(surface, &self.pose(time), x);
        self.surface(surface).distance_bound(x)
    }

    /// How far a point is at a time from where the image that a surface is of can be met, m: 0 but for walls inside of which grains live.
    #[inline]
    pub fn away(&self, surface: u32, x: D::Vector, time: f64) -> f64 {
        if !self.images.enclose() {
            return 0.0;
        }
        self.images
            .away(self.images.split(surface).0, &self.pose(time), x)
    }
}
