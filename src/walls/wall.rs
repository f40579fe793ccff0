//! A boundary cut into surfaces, with its periodic images, as used by every model.

use crate::contact::curved::equivalent;
use crate::geometry::surface::{Flat, Pieces, Probe, ShapeError, Surface};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;
use crate::walls::images::cut_at_borders;
use crate::walls::{Boundary, Images, ImagesError, Pose};

/// Fraction of the hair within which two images count as equally near: rounding.
const EQUAL: f64 = 1e-6;

/// Reasons why a boundary is no valid wall.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WallError {
    /// An invalid shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An impossible periodic repetition.
    #[error(transparent)]
    Images(#[from] ImagesError),
}

/// A boundary cut into surfaces.
#[derive(Clone, Debug)]
pub struct Wall<D: Dimension> {
    /// The boundary as set up.
    pub boundary: Boundary<D>,
    /// Primitive surfaces of the wall.
    pub surfaces: Pieces<D>,
    /// Images of the wall in a periodic box.
    pub images: Images<D>,
    /// Whether it never moves.
    pub fixed: bool,
    /// Reference point of moments.
    pub reference: D::Vector,
}

impl<D: Dimension> Wall<D> {
    /// Returns the wall of a boundary in a box.
    ///
    /// # Errors
    /// An invalid shape; a wall that cannot be periodic.
    pub fn new(
        boundary: &Boundary<D>,
        periodic: &[Option<PeriodicAxis>],
    ) -> Result<Self, WallError> {
        let within = cut_at_borders(boundary, periodic);
        let surfaces = within.shape.surfaces()?;
        Ok(Wall {
            images: Images::of(&within, surfaces.len(), periodic)?,
            surfaces,
            fixed: boundary.stands(),
            reference: boundary.shape.reference_point(),
            boundary: boundary.clone(),
        })
    }

    /// Returns the surface of a number, of any image.
    #[inline]
    pub fn surface(&self, surface: u32) -> &D::Surface {
        &self.surfaces[self.images.split(surface).1]
    }

    /// Converts a point to the frame of the wall of which a surface is an image.
    #[inline]
    pub fn to_frame(&self, surface: u32, pose: &Pose<D>, x: D::Vector) -> D::Vector {
        self.images.to_frame(self.images.split(surface).0, pose, x)
    }

    /// Returns the displacement of the image of a surface from the wall itself for a grain at a point, m.
    #[inline]
    pub fn shift(&self, surface: u32, pose: &Pose<D>, x: D::Vector) -> D::Vector {
        self.images.shift(self.images.split(surface).0, pose, x)
    }

    /// Calls `f` with the number of each surface that may be within `reach` of a point, and the point in the frame of
    /// its wall.
    pub fn near(
        &self,
        pose: &Pose<D>,
        x: D::Vector,
        reach: f64,
        mut f: impl FnMut(u32, D::Vector),
    ) {
        self.images.near(pose, x, reach, |image, own| {
            self.surfaces
                .near(own, reach, |k| f(self.images.name(image, k), own));
        });
    }

    /// Calls `f` with each surface that a ball of `radius` at a point may touch once the two have come closer by
    /// `margin`: its number, the surface, and the point in the frame of its wall.
    pub(crate) fn candidates(
        &self,
        pose: &Pose<D>,
        x: D::Vector,
        [radius, margin]: [f64; 2],
        mut f: impl FnMut(u32, &D::Surface, D::Vector),
    ) {
        let reach = radius + margin;
        self.images.near(pose, x, reach, |image, own| {
            self.surfaces.near(own, reach, |piece| {
                let surface = &self.surfaces[piece];
                let distance = surface.distance_bound(own);
                if distance < reach && surface.way_to_zone(own, distance) < margin {
                    f(self.images.name(image, piece), surface, own);
                }
            });
        });
    }

    /// Calls `f` with the number of each surface that a grain may meet on a path within `reach` of a point: for walls
    /// that enclose grains the surfaces of all images, which it may enter.
    pub fn on_the_way(&self, pose: &Pose<D>, x: D::Vector, reach: f64, mut f: impl FnMut(u32)) {
        if self.images.enclose() {
            (0..self.surfaces.len() as u32 * self.images.count()).for_each(f);
        } else {
            self.near(pose, x, reach, |surface, _| f(surface));
        }
    }

    /// Returns the least bound of the distances of all surfaces from a point, m.
    pub fn distance(&self, pose: &Pose<D>, x: D::Vector) -> f64 {
        let mut least = f64::INFINITY;
        self.images.near(pose, x, f64::INFINITY, |_, own| {
            least = least.min(self.surfaces.distance(own));
        });
        least
    }

    /// Returns the contact of a surface with a grain at `x`, in the frame of its wall; none also if a surface beside
    /// it, or at a joint another image of the wall, is nearer.
    #[inline]
    pub fn probe(&self, surface: u32, pose: &Pose<D>, x: D::Vector) -> Option<Probe<D>> {
        if self.fixed && self.images.are_own() {
            return self.surfaces.probe(surface as usize, x);
        }
        let (image, piece) = self.images.split(surface);
        let probe = self
            .surfaces
            .probe(piece, self.images.to_frame(image, pose, x))?;
        if self.images.are_joined() && self.is_met_elsewhere(image, &probe, pose, x) {
            return None;
        }
        Some(probe)
    }

    /// Returns the curvature of a surface for contact laws where a ball of that radius touches it, 1/m.
    pub fn curvature(
        &self,
        surface: u32,
        pose: &Pose<D>,
        x: D::Vector,
        met: &Probe<D>,
        radius: f64,
    ) -> f64 {
        let own = self.to_frame(surface, pose, x);
        equivalent(radius, self.surface(surface).curvatures(own, met))
    }

    /// Whether the contact point of an image also belongs to another image that is nearer; of two images with the
    /// same point the one with the greater number counts as touched elsewhere.
    fn is_met_elsewhere(&self, image: u32, probe: &Probe<D>, pose: &Pose<D>, x: D::Vector) -> bool {
        let hair = self.images.hair();
        let point = x - pose.vector_from_frame(probe.normal) * probe.distance;
        let mut found = false;
        self.images.near(pose, point, hair, |other, at| {
            if found || other == image || self.surfaces.distance(at).abs() > hair {
                return;
            }
            let own = self.images.to_frame(other, pose, x);
            let mut least = f64::INFINITY;
            self.surfaces.near(own, probe.distance + hair, |k| {
                if let Some(met) = self.surfaces.probe(k, own) {
                    least = least.min(met.distance);
                }
            });
            let nearer = least - probe.distance;
            found = nearer < -EQUAL * hair || nearer <= EQUAL * hair && other < image;
        });
        found
    }

    /// Returns the flat form of a surface of a fixed wall, as seen from `x` in the world; none if it is not flat, or
    /// not alone.
    pub(crate) fn flat(&self, surface: u32, x: D::Vector) -> Option<Flat<D>> {
        if self.images.are_joined() {
            return None;
        }
        let pose = Pose::rest();
        let own = self.to_frame(surface, &pose, x);
        let flat = self.surface(surface).flat(own)?;
        let shift = self.shift(surface, &pose, x);
        let along = |direction: D::Vector| {
            (0..D::N).any(|k| self.images.is_along(k) && direction[k] != 0.0)
        };
        let extent = flat.extent.filter(|(direction, ..)| !along(*direction));
        Some(Flat {
            normal: flat.normal,
            offset: flat.offset + flat.normal.dot(&shift),
            extent: extent.map(|(direction, low, high)| {
                let by = direction.dot(&shift);
                (direction, low + by, high + by)
            }),
        })
    }

    /// Returns the class of links that a surface belongs to: its own number, or for a wall of many pieces the
    /// image's.
    pub(crate) fn class_of(&self, surface: u32) -> u32 {
        if self.surfaces.are_many() {
            self.images.name(self.images.split(surface).0, 0)
        } else {
            surface
        }
    }
}
