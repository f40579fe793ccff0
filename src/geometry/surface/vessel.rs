//! The inner surfaces of a cylinder with spherical lids.
//!
//! A grain touches the cylinder beside its centre, or a lid along the line from the lid's centre through the grain;
//! each part is touched where that point lies on it. In the concave rim of a shallow lid the grain touches both.

use nalgebra::Vector3;

use super::{Axis, Probe, ShapeError, Simple};
use crate::geometry::{Spatial, Vector};

/// A cylinder touched from inside, between two heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    axis: Axis,
    radius: f64,
    length: f64,
}

impl Tube {
    /// Returns the cylinder about an axis, from the axis' origin on.
    pub(super) fn new(axis: Axis, radius: f64, length: f64) -> Self {
        Tube {
            axis,
            radius,
            length,
        }
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: Vector3<f64>) -> Option<Probe<Spatial>> {
        let (place, out) = self.axis.meridian(x);
        (0.0 <= place.y && place.y <= self.length).then(|| Probe {
            distance: self.radius - place.x,
            normal: -out,
        })
    }
    /// Returns the distance from the infinite cylinder, m.
    pub fn distance(&self, x: Vector3<f64>) -> f64 {
        self.radius - self.axis.meridian(x).0.x
    }
    /// Returns the curvature across its axis, 1/m.
    pub fn curvature(&self) -> f64 {
        -1.0 / self.radius
    }
    /// Returns its concavity around its axis, 1/m (see [`Surface::hollow`](super::Surface::hollow)).
    pub fn hollow(&self, x: Vector3<f64>, met: &Probe<Spatial>) -> f64 {
        self.axis.hollow(x, met)
    }
    /// Returns the infinite cylinder of which it is a part.
    #[inline]
    pub fn simple(&self) -> Simple<Spatial> {
        Simple::Cylinder {
            origin: self.origin(),
            axis: self.axis.along(),
            radius: self.radius,
            inside: true,
        }
    }
    /// Returns a point of its axis.
    pub fn origin(&self) -> Vector3<f64> {
        self.axis.point(0.0, 0.0)
    }
}

/// A spherical lid touched from inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dome {
    middle: Vector3<f64>,
    /// Unit vector along the vessel's axis towards the lid.
    out: Vector3<f64>,
    /// Radius of the sphere.
    radius: f64,
    /// Radius of its rim, and distance of the rim from the centre.
    rim: [f64; 2],
}

impl Dome {
    pub(super) fn new(middle: Vector3<f64>, out: Vector3<f64>, radius: f64, rim: [f64; 2]) -> Self {
        Dome {
            middle,
            out,
            radius,
            rim,
        }
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: Vector3<f64>) -> Option<Probe<Spatial>> {
        let arm = x - self.middle;
        let height = Vector::dot(&arm, &self.out);
        let across = Vector::norm(&(arm - self.out * height));
        if height <= 0.0 || across * self.rim[1] > self.rim[0] * height {
            return None;
        }
        let length = Vector::norm(&arm);
        Some(Probe {
            distance: self.radius - length,
            normal: arm * (-1.0 / length),
        })
    }
    /// Returns the distance from the hemisphere of which the lid is a part and from the tube that continues it, m.
    pub fn distance(&self, x: Vector3<f64>) -> f64 {
        let arm = x - self.middle;
        let height = Vector::dot(&arm, &self.out).min(0.0);
        self.radius - Vector::norm(&(arm - self.out * height))
    }
    /// Returns the curvature of its sphere, 1/m.
    pub fn curvature(&self) -> f64 {
        -1.0 / self.radius
    }
    /// Returns the inverse distance from its centre, 1/m (see [`Surface::hollow`](super::Surface::hollow)).
    pub fn hollow(&self, x: Vector3<f64>) -> f64 {
        1.0 / Vector::norm(&(x - self.middle))
    }
    /// Returns the sphere of which it is a part.
    #[inline]
    pub fn simple(&self) -> Simple<Spatial> {
        Simple::Ball {
            centre: self.middle,
            radius: self.radius,
            inside: true,
        }
    }
    /// Returns the centre of its sphere.
    pub fn middle(&self) -> Vector3<f64> {
        self.middle
    }
}

/// Returns the surfaces of a vessel, from the centre of one rim to that of the other, m.
pub(super) fn vessel(
    from: Vector3<f64>,
    to: Vector3<f64>,
    radius: f64,
    lid_radius: f64,
) -> Result<(Tube, [Dome; 2]), ShapeError> {
    for r in [radius, lid_radius] {
        if !(r > 0.0 && r.is_finite()) {
            return Err(ShapeError::Radius(r));
        }
    }
    if lid_radius < radius {
        return Err(ShapeError::Lid(lid_radius, radius));
    }
    let along = to - from;
    let axis = Axis::new(from, along)?;
    let (length, unit) = (Vector::norm(&along), axis.along());
    let depth = ((lid_radius - radius) * (lid_radius + radius)).sqrt();
    let dome = |middle, out| Dome::new(middle, out, lid_radius, [radius, depth]);
    Ok((
        Tube::new(axis, radius, length),
        [
            dome(from + unit * depth, -unit),
            dome(to - unit * depth, unit),
        ],
    ))
}
