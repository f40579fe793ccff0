//! Solids that are the same in the plane and in space: half-spaces, balls and boxes.

use super::{Flat, Probe, ShapeError, Simple};
use crate::geometry::{Dimension, Vector};

/// Returns the unit vector along a coordinate.
fn axis<D: Dimension>(index: usize) -> D::Vector {
    D::Vector::from_fn(|k| if k == index { 1.0 } else { 0.0 })
}

/// Returns the arbitrary normal used at the centre of a round surface: upwards.
fn up<D: Dimension>() -> D::Vector {
    axis::<D>(D::N - 1)
}

/// Normalises a vector; an error if it has zero length.
pub(super) fn unit<D: Dimension>(
    vector: D::Vector,
    what: &'static str,
) -> Result<D::Vector, ShapeError> {
    if !vector.is_finite() {
        return Err(ShapeError::NotFinite(what));
    }
    // Scaled first, so that neither tiny nor huge components are lost in the square.
    let scale = vector.components().fold(0.0, |m: f64, c| m.max(c.abs()));
    if scale == 0.0 {
        return Err(ShapeError::ZeroDirection(what));
    }
    let scaled = D::Vector::from_fn(|k| vector[k] / scale);
    let length = scaled.norm();
    Ok(D::Vector::from_fn(|k| scaled[k] / length))
}

/// A half-space: grains are on the side of the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<D: Dimension> {
    point: D::Vector,
    normal: D::Vector,
    offset: f64,
}

impl<D: Dimension> HalfSpace<D> {
    /// Returns the half-space through a point; the normal need not be of unit length.
    pub fn new(point: D::Vector, normal: D::Vector) -> Result<Self, ShapeError> {
        if !point.is_finite() {
            return Err(ShapeError::NotFinite("the plane's point"));
        }
        let normal = unit::<D>(normal, "the plane's normal")?;
        Ok(HalfSpace {
            point,
            normal,
            offset: normal.dot(&point),
        })
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: D::Vector) -> Probe<D> {
        Probe {
            distance: self.normal.dot(&x) - self.offset,
            normal: self.normal,
        }
    }
    /// Returns its flat form.
    pub fn flat(&self) -> Flat<D> {
        Flat {
            normal: self.normal,
            offset: self.offset,
            extent: None,
        }
    }
    /// Returns the plane itself.
    #[inline]
    pub fn simple(&self) -> Simple<D> {
        Simple::Plane {
            normal: self.normal,
            offset: self.offset,
        }
    }
    /// Returns the point that it was made through.
    pub fn point(&self) -> D::Vector {
        self.point
    }
}

/// A circle or sphere, touched from outside or from inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<D: Dimension> {
    centre: D::Vector,
    radius: f64,
    inside: bool,
}

impl<D: Dimension> Ball<D> {
    /// Returns the ball about a centre, with a radius in m.
    pub fn new(centre: D::Vector, radius: f64, inside: bool) -> Result<Self, ShapeError> {
        if !centre.is_finite() {
            return Err(ShapeError::NotFinite("the centre's coordinates"));
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(ShapeError::Radius(radius));
        }
        Ok(Ball {
            centre,
            radius,
            inside,
        })
    }
    /// Returns balls, each touched from outside.
    pub fn all(list: &[(D::Vector, f64)]) -> Result<Vec<Self>, ShapeError> {
        if list.is_empty() {
            return Err(ShapeError::NoGrains);
        }
        let balls = list.iter().map(|&(x, radius)| Ball::new(x, radius, false));
        balls.collect()
    }
    /// Returns its bounding box.
    pub fn bounds(&self) -> [D::Vector; 2] {
        let reach = D::Vector::from_fn(|_| self.radius);
        [self.centre - reach, self.centre + reach]
    }
    /// Returns a ball around it: itself; none if it is touched from inside.
    pub fn around(&self) -> Option<(D::Vector, f64)> {
        (!self.inside).then_some((self.centre, self.radius))
    }
    /// Returns the radius, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }
    /// Returns the inverse radius, 1/m; negative from inside.
    pub fn curvature(&self) -> f64 {
        if self.inside {
            -1.0 / self.radius
        } else {
            1.0 / self.radius
        }
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: D::Vector) -> Probe<D> {
        let arm = x - self.centre;
        let length = arm.norm();
        let out = if length > 0.0 {
            D::Vector::from_fn(|k| arm[k] / length)
        } else {
            up::<D>()
        };
        if self.inside {
            Probe {
                distance: self.radius - length,
                normal: -out,
            }
        } else {
            Probe {
                distance: length - self.radius,
                normal: out,
            }
        }
    }
    /// Returns the centre.
    pub fn centre(&self) -> D::Vector {
        self.centre
    }
    /// Returns the inverse distance from its centre, 1/m, from inside; 0 from outside (see
    /// [`Surface::hollow`](super::Surface::hollow)).
    pub fn hollow(&self, x: D::Vector) -> f64 {
        if self.inside {
            1.0 / (x - self.centre).norm()
        } else {
            0.0
        }
    }
    /// Returns the ball itself.
    #[inline]
    pub fn simple(&self) -> Simple<D> {
        Simple::Ball {
            centre: self.centre,
            radius: self.radius,
            inside: self.inside,
        }
    }
}

/// A box touched from outside: the nearest point of the solid, so one contact at faces, edges and corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block<D: Dimension> {
    min: D::Vector,
    max: D::Vector,
}

impl<D: Dimension> Block<D> {
    /// Returns the box from its least and its greatest corner.
    pub fn new(min: D::Vector, max: D::Vector) -> Result<Self, ShapeError> {
        if !min.is_finite() || !max.is_finite() {
            return Err(ShapeError::NotFinite("the box's corners"));
        }
        match (0..D::N).find(|&k| min[k] >= max[k]) {
            Some(k) => Err(ShapeError::EmptyBox {
                axis: k + 1,
                min: min[k],
                max: max[k],
            }),
            None => Ok(Block { min, max }),
        }
    }
    /// Returns its faces as half-spaces that contain it: the box from inside.
    pub fn faces(&self) -> Vec<HalfSpace<D>> {
        let mut faces = Vec::with_capacity(2 * D::N);
        for k in 0..D::N {
            for (point, normal) in [(self.min, axis::<D>(k)), (self.max, -axis::<D>(k))] {
                faces.push(HalfSpace {
                    point,
                    normal,
                    offset: normal.dot(&point),
                });
            }
        }
        faces
    }
    /// Returns the signed excess of `x` over the box along coordinate `k`, positive outside, and its side.
    fn excess(&self, x: D::Vector, k: usize) -> (f64, f64) {
        let (below, above) = (self.min[k] - x[k], x[k] - self.max[k]);
        if below > above {
            (below, -1.0)
        } else {
            (above, 1.0)
        }
    }
    /// Returns the contact with a grain at `x`.
    pub fn probe(&self, x: D::Vector) -> Probe<D> {
        let mut arm = D::Vector::default();
        let mut outside = 0;
        let (mut deepest, mut face, mut side) = (f64::NEG_INFINITY, 0, 1.0);
        for k in 0..D::N {
            let (excess, sign) = self.excess(x, k);
            if excess > 0.0 {
                arm[k] = excess * sign;
                outside += 1;
            }
            if excess > deepest {
                (deepest, face, side) = (excess, k, sign);
            }
        }
        if outside < 2 {
            // Inside, or before a face: the normal is along one coordinate.
            return Probe {
                distance: deepest,
                normal: axis::<D>(face) * side,
            };
        }
        let distance = arm.norm();
        if distance > 0.0 {
            Probe {
                distance,
                normal: D::Vector::from_fn(|k| arm[k] / distance),
            }
        } else {
            // The excesses are so small that their squares underflow.
            Probe {
                distance: deepest,
                normal: axis::<D>(face) * side,
            }
        }
    }
    /// Returns the centre.
    pub fn centre(&self) -> D::Vector {
        (self.min + self.max) * 0.5
    }
    /// Returns the least and the greatest corner.
    pub fn corners(&self) -> [D::Vector; 2] {
        [self.min, self.max]
    }
}
