//! Periodic images of a wall: which of them grains can touch, and their positions.
//!
//! Space is periodic along some directions, and so are walls. A wall that is infinite along such a direction is its
//! own image. A wall that is uniform along the whole box is touched after wrapping the grain's position into the box.
//! The images of all other walls are walls of their own: each surface has a number for each of them.

mod motions;
mod walls;

pub use walls::{cut_at_borders, walls_with_images};

use self::motions::{keeps_direction, stays};
use super::{Boundary, Pose};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;

/// Number of distinct images along a direction. They repeat cyclically: of the images with the same number the
/// nearest to the grain counts, so that the others are further away than walls may be long.
const TOLD_APART: u32 = 5;
/// Greatest length of a wall with images, in lengths of the box.
const LONGEST: f64 = 4.0;
/// Tolerance, relative to the box, for ends at its border and for coincident points.
const AT_BORDER: f64 = 1e-6;

/// Reasons why a wall cannot be periodic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImagesError {
    /// The wall is much longer than the box.
    #[error(
        "the wall `{name}` is {length} m long along the periodic direction {axis}, whose box is {period} m long: its periodic images would lie across each other; at most {LONGEST} lengths of the box are possible"
    )]
    TooLong {
        /// Name of the wall.
        name: String,
        /// Extent of the wall, m.
        length: f64,
        /// The direction.
        axis: &'static str,
        /// Length of the box, m.
        period: f64,
    },
    /// A plane that is neither parallel nor perpendicular to a periodic direction.
    #[error(
        "the plane `{name}` is slanted against the periodic direction {axis}: its periodic images would fill all of space; use a plane along {axis}, or a finite wall"
    )]
    Slanted {
        /// Name of the wall.
        name: String,
        /// The direction.
        axis: &'static str,
    },
    /// Too many surfaces to number all images.
    #[error("the wall `{name}` has too many pieces ({pieces}) for periodic images")]
    TooManyPieces {
        /// Name of the wall.
        name: String,
        /// Number of its surfaces.
        pieces: usize,
    },
}

/// Periodicity of a wall along a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Repeat {
    /// Not periodic, or its own image.
    #[default]
    Own,
    /// Uniform along the whole box.
    Along(PeriodicAxis),
    /// The images are distinct walls.
    Others(f64),
}

/// The periodic images of a wall. The wall itself is number 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Images<D: Dimension> {
    along: [Repeat; 3],
    /// Number of surfaces of the wall.
    pieces: u32,
    /// Number of distinct images.
    count: u32,
    /// Centre of its bounding box in its frame, m.
    middle: D::Vector,
    /// Half its extent along each direction, m; in all directions if it turns.
    half: D::Vector,
    /// Whether images may touch each other.
    joined: bool,
    /// Whether grains are inside: each is in the nearest image.
    encloses: bool,
}

impl<D: Dimension> Images<D> {
    /// Returns the single image of a wall with this number of surfaces, without a periodic box.
    pub fn none(pieces: usize) -> Self {
        Images {
            along: [Repeat::Own; 3],
            pieces: u32::try_from(pieces).unwrap_or(u32::MAX),
            count: 1,
            middle: D::Vector::default(),
            half: D::Vector::default(),
            joined: false,
            encloses: false,
        }
    }

    /// Returns the images of a wall with this number of surfaces in a box.
    ///
    /// # Errors
    /// A wall that cannot be periodic.
    pub fn of(
        wall: &Boundary<D>,
        pieces: usize,
        periodic: &[Option<PeriodicAxis>],
    ) -> Result<Self, ImagesError> {
        let mut images = Self::none(pieces);
        images.encloses = wall.shape.encloses();
        let span = wall.shape.extent();
        if let Some((min, max)) = span {
            images.middle = (min + max) * 0.5;
            images.half = (max - min) * 0.5;
        }
        for (k, axis) in periodic.iter().enumerate() {
            let Some(axis) = *axis else { continue };
            let letter = ["x", "y", "z"][k];
            let turns = !keeps_direction(&wall.motion, k);
            if turns {
                let around = images.half.norm();
                images.half = D::Vector::from_fn(|_| around);
            }
            images.along[k] = match wall.shape.stretch(k) {
                Some([low, _]) if low == f64::NEG_INFINITY => Repeat::Own,
                Some([low, high]) if !turns => {
                    let (end, hair) = (axis.origin + axis.length, AT_BORDER * axis.length);
                    let beyond =
                        low <= axis.origin - 0.5 * axis.length && high >= end + 0.5 * axis.length;
                    if beyond && stays(&wall.motion) {
                        Repeat::Own
                    } else if low <= axis.origin + hair && high >= end - hair {
                        Repeat::Along(axis)
                    } else {
                        Repeat::Others(axis.length)
                    }
                }
                _ if wall.shape.is_slanted(k) => {
                    return Err(ImagesError::Slanted {
                        name: wall.name.clone(),
                        axis: letter,
                    });
                }
                _ if span.is_none() => Repeat::Own,
                _ => Repeat::Others(axis.length),
            };
            if let Repeat::Others(period) = images.along[k] {
                let length = 2.0 * images.half[k];
                if length > LONGEST * period {
                    return Err(ImagesError::TooLong {
                        name: wall.name.clone(),
                        length,
                        axis: letter,
                        period,
                    });
                }
                images.joined |= length >= (1.0 - AT_BORDER) * period;
                images.count *= TOLD_APART;
            }
        }
        let numbers = pieces as u64 * u64::from(images.count);
        if numbers > u64::from(u32::MAX) {
            return Err(ImagesError::TooManyPieces {
                name: wall.name.clone(),
                pieces,
            });
        }
        Ok(images)
    }

    /// Whether there are images other than the wall itself.
    pub fn are_others(&self) -> bool {
        self.count > 1
    }

    /// Whether there is only the wall itself, touched without wrapping.
    #[inline]
    pub fn are_own(&self) -> bool {
        self.along == [Repeat::Own; 3]
    }

    /// Whether images may touch each other: at a joint only one of two contacts counts.
    pub fn are_joined(&self) -> bool {
        self.joined
    }

    /// Returns the number of distinct images.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the wall is uniform along a direction, throughout the box.
    pub fn is_along(&self, k: usize) -> bool {
        matches!(self.along[k], Repeat::Along(_))
    }

    /// Returns the number of a surface of an image.
    pub fn name(&self, image: u32, piece: usize) -> u32 {
        image * self.pieces + piece as u32
    }

    /// Returns the image and the surface of a number.
    pub fn split(&self, surface: u32) -> (u32, usize) {
        if self.count == 1 {
            return (0, surface as usize);
        }
        (surface / self.pieces, (surface % self.pieces) as usize)
    }

    /// Returns the number of a surface for a grain that is wrapped into the box by this many lengths.
    pub fn renamed(&self, surface: u32, back: [i32; 3]) -> u32 {
        let (mut image, piece) = self.split(surface);
        let (mut renamed, mut unit) = (0, 1);
        for (along, back) in self.along.iter().zip(back) {
            if let Repeat::Others(_) = along {
                let number = (image % TOLD_APART) as i32 - back;
                renamed += unit * number.rem_euclid(TOLD_APART as i32) as u32;
                (image, unit) = (image / TOLD_APART, unit * TOLD_APART);
            }
        }
        self.name(renamed, piece)
    }

    /// Returns the displacement of an image from the wall itself, m: of the images with that number the nearest to a
    /// point.
    pub fn shift(&self, image: u32, pose: &Pose<D>, x: D::Vector) -> D::Vector {
        let mut shift = D::Vector::default();
        if self.count == 1 {
            return shift;
        }
        let middle = pose.to_world(self.middle);
        let mut image = image;
        for k in 0..D::N {
            if let Repeat::Others(period) = self.along[k] {
                let number = f64::from(image % TOLD_APART);
                image /= TOLD_APART;
                let round = f64::from(TOLD_APART);
                let away = (x[k] - middle[k]) / period - number;
                shift[k] = (number + round * (away / round).round()) * period;
            }
        }
        shift
    }

    /// Converts a point of the world to the frame of an image's wall, m.
    #[inline(always)]
    pub fn to_frame(&self, image: u32, pose: &Pose<D>, x: D::Vector) -> D::Vector {
        if self.are_own() {
            return pose.to_frame(x);
        }
        self.to_frame_of(image, pose, x)
    }

    /// Like [`Images::to_frame`], if there are images.
    fn to_frame_of(&self, image: u32, pose: &Pose<D>, x: D::Vector) -> D::Vector {
        let own = if self.count == 1 {
            x
        } else {
            x - self.shift(image, pose, x)
        };
        self.wrapped(pose.to_frame(own))
    }

    /// Wraps a point of the frame to where the wall is touched in the box.
    #[inline]
    pub fn wrapped(&self, mut own: D::Vector) -> D::Vector {
        for k in 0..D::N {
            if let Repeat::Along(axis) = self.along[k] {
                own[k] = axis.wrap(own[k]);
            }
        }
        own
    }

    /// Whether grains are inside of it, each in the nearest image.
    pub fn enclose(&self) -> bool {
        self.encloses && self.count > 1
    }

    /// Returns a lower bound of the distance from a point to the region where an image is the nearest, m.
    pub(super) fn away(&self, image: u32, pose: &Pose<D>, x: D::Vector) -> f64 {
        let from = x - self.shift(image, pose, x) - pose.to_world(self.middle);
        let beyond = |k: usize| match self.along[k] {
            Repeat::Others(period) => from[k].abs() - 0.5 * period,
            _ => 0.0,
        };
        (0..D::N).map(beyond).fold(0.0, f64::max)
    }

    /// Calls `f` with each image of which some part may be within `reach` of a point, and with the point in the frame
    /// of its wall.
    #[inline]
    pub fn near(
        &self,
        pose: &Pose<D>,
        x: D::Vector,
        reach: f64,
        mut f: impl FnMut(u32, D::Vector),
    ) {
        if self.count == 1 {
            return f(0, self.to_frame(0, pose, x));
        }
        let middle = pose.to_world(self.middle);
        for image in 0..self.count {
            let away = x - self.shift(image, pose, x) - middle;
            let far = |k: usize| match self.along[k] {
                Repeat::Others(period) if self.encloses => {
                    away[k] < -0.5 * period || away[k] >= 0.5 * period
                }
                Repeat::Others(_) => away[k].abs() > self.half[k] + reach,
                _ => false,
            };
            if !(0..D::N).any(far) {
                f(image, self.to_frame(image, pose, x));
            }
        }
    }

    /// Whether a grain whose centre is in the box and that has this reach, m, can touch an image of a fixed wall; for
    /// a moving wall, whether there are any images.
    pub fn can_be_met(
        &self,
        wall: &Boundary<D>,
        periodic: &[Option<PeriodicAxis>],
        reach: f64,
    ) -> bool {
        // A grain inside a wall touches another image only if that lies across the border.
        let reach = if self.encloses { 0.0 } else { reach };
        let hair = |axis: &PeriodicAxis| AT_BORDER * axis.length;
        self.are_others()
            && (!wall.motion.is_fixed()
                || (0..D::N).any(|k| match (self.along[k], periodic.get(k)) {
                    (Repeat::Others(_), Some(Some(axis))) => {
                        let gap = reach - hair(axis);
                        self.middle[k] - self.half[k] < axis.origin + gap
                            || self.middle[k] + self.half[k] > axis.origin + axis.length - gap
                    }
                    _ => false,
                }))
    }

    /// Returns the distance within which points of two images count as coincident, m.
    pub fn hair(&self) -> f64 {
        let length = |along: &Repeat| match along {
            Repeat::Others(period) => *period,
            _ => f64::INFINITY,
        };
        AT_BORDER * self.along.iter().map(length).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use crate::walls::shapes;
    use crate::walls::{Motion, Shape};
    use nalgebra::Vector2;

    fn ball(x: f64) -> Boundary<Planar> {
        Boundary {
            name: "ball".into(),
            material: 0,
            shape: Shape::Ball(shapes::Ball {
                centre: Vector2::new(x, 0.0),
                radius: 0.1,
                inside: false,
            }),
            motion: Motion::Fixed,
            opens_at: None,
            passes_below_radius: 0.0,
            belt: Vector2::zeros(),
        }
    }

    /// For all positions of grain and wall: the nearest image is among those found, and keeps its number except for
    /// the lengths by which the grain is wrapped.
    #[test]
    fn nearest_image_is_found_and_renamed() {
        let axis = PeriodicAxis {
            origin: -0.3,
            length: 1.7,
        };
        let pose = Pose::rest();
        for at in [-4.0, -0.31, 0.2, 1.3, 9.4] {
            let images = Images::of(&ball(at), 3, &[Some(axis), None]).unwrap();
            assert!(images.are_others() && !images.are_joined());
            for x in [-2.0, -0.29, 0.5, 1.39, 3.3] {
                let mut least = f64::INFINITY;
                let mut name = 0;
                images.near(&pose, Vector2::new(x, 0.0), 1.0, |image, own| {
                    let away = (own.x - at).abs();
                    if away < least {
                        (least, name) = (away, images.name(image, 2));
                    }
                });
                let turns = ((x - at) / axis.length).round();
                assert!((least - (x - at - turns * axis.length).abs()).abs() < 1e-12);
                let back = Vector2::new(x - 2.0 * axis.length, 0.0);
                let (image, piece) = images.split(images.renamed(name, [2, 0, 0]));
                assert_eq!(piece, 2);
                let own = images.to_frame(image, &pose, back);
                assert!(((own.x - at).abs() - least).abs() < 1e-12);
            }
        }
    }
}
