//! A closed vessel: a cylinder with spherical lids, seen from inside.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector};

/// Pieces of a drawn lid, from its rim to the axis.
const DRAWN: usize = 12;

/// A cylinder closed by two spherical lids that bulge outwards; grains live inside (thesis 3.6).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Vessel<D: Dimension> {
    /// Centre of one lid's rim, m.
    pub from: D::Vector,
    /// Centre of the other lid's rim, m.
    pub to: D::Vector,
    /// Radius of the cylinder, m.
    pub radius: f64,
    /// Radius of the spheres of which the lids are parts, m; at least the cylinder's.
    pub lid_radius: f64,
}

impl<D: Dimension> Vessel<D> {
    /// Distance of the rims, m.
    pub fn length(&self) -> f64 {
        (self.to - self.from).norm()
    }
    /// Unit vector from the first rim to the second.
    pub fn axis(&self) -> D::Vector {
        (self.to - self.from) * (1.0 / self.length())
    }
    /// How far the middle of a lid's sphere lies inwards from the rim, m.
    pub fn depth(&self) -> f64 {
        ((self.lid_radius - self.radius) * (self.lid_radius + self.radius))
            .max(0.0)
            .sqrt()
    }
    /// The lids: the middle of each one's sphere, and the unit vector along the axis to the lid.
    pub fn lids(&self) -> [(D::Vector, D::Vector); 2] {
        let (axis, depth) = (self.axis(), self.depth());
        [
            (self.from + axis * depth, -axis),
            (self.to - axis * depth, axis),
        ]
    }
    /// Distance of a point inside from the wall, m; negative outside.
    pub fn clearance(&self, x: D::Vector) -> f64 {
        let (arm, axis) = (x - self.from, self.axis());
        let side = self.radius - (arm - axis * axis.dot(&arm)).norm();
        self.lids().iter().fold(side, |least, (middle, out)| {
            let arm = x - *middle;
            let height = out.dot(&arm);
            if height > 0.0 {
                least.min(self.lid_radius - arm.norm())
            } else {
                least
            }
        })
    }
    /// Corners of its profile for drawings: distance from the axis and height over `from`, m.
    pub fn profile(&self) -> Vec<[f64; 2]> {
        let (depth, length) = (self.depth(), self.length());
        let widest = libm::atan2(self.radius, depth);
        let lid = |k: usize| {
            let (sine, cosine) = libm::sincos(widest * k as f64 / DRAWN as f64);
            let bulge = self.lid_radius * cosine - depth;
            // At the rim without rounding, so that the cylinder is drawn straight.
            if k == DRAWN {
                [self.radius, 0.0]
            } else {
                [self.lid_radius * sine, bulge]
            }
        };
        let below = (0..=DRAWN).map(lid).map(|[r, h]| [r, -h]);
        let above = (0..=DRAWN).rev().map(lid).map(|[r, h]| [r, length + h]);
        below.chain(above).collect()
    }
}
