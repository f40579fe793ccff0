//! A closed vessel: a cylinder with lids, touched from inside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{self, Line};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, between, spatial};
use super::revolved::turned_extent;
use super::{Revolved, Shape, WallFeature, narrow};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const VESSEL: WallRow = spatial("wall.vessel", "vessels");

/// Number of pieces of a drawn lid, from its rim to the axis.
const DRAWN: usize = 12;

/// A cylinder closed by two spherical lids that bulge outwards; grains are inside (thesis 3.6).
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
    /// Returns the distance of the rims, m.
    pub fn length(&self) -> f64 {
        (self.to - self.from).norm()
    }
    /// Returns the unit vector from the first rim to the second.
    pub fn axis(&self) -> D::Vector {
        (self.to - self.from) * (1.0 / self.length())
    }
    /// Returns the distance of a lid's centre of curvature inwards from the rim, m.
    pub fn depth(&self) -> f64 {
        ((self.lid_radius - self.radius) * (self.lid_radius + self.radius))
            .max(0.0)
            .sqrt()
    }
    /// Returns for both lids the centre of the sphere, and the unit vector along the axis to the lid.
    pub fn lids(&self) -> [(D::Vector, D::Vector); 2] {
        let (axis, depth) = (self.axis(), self.depth());
        [
            (self.from + axis * depth, -axis),
            (self.to - axis * depth, axis),
        ]
    }
    /// Returns the distance of a point inside from the wall, m; negative outside.
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
    /// Returns the corners of its profile for drawings: distance from the axis and height above `from`, m.
    pub fn profile(&self) -> Vec<[f64; 2]> {
        let (depth, length) = (self.depth(), self.length());
        let widest = libm::atan2(self.radius, depth);
        let lid = |k: usize| {
            let (sine, cosine) = libm::sincos(widest * k as f64 / DRAWN as f64);
            let bulge = self.lid_radius * cosine - depth;
            // Exact at the rim, so that the cylinder is drawn straight.
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

/// A cylinder closed by lids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VesselKeys {
    /// Centre of one lid's rim, m.
    pub from: Vec<f64>,
    /// Centre of the other lid's rim, m.
    pub to: Vec<f64>,
    /// Radius of the cylinder, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Radius of the spheres of which the lids are parts, m, at least that of the cylinder; they bulge
    /// outwards and grains live inside. Flat lids when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub lid_radius: Option<f64>,
}

impl<D: Dimension> ShapeKeys<D> for VesselKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let radius = here.key("radius").positive(self.radius)?;
        let [origin, axis] = between::<D, V>(here, &self.from, &self.to)?;
        let Some(lid) = self.lid_radius else {
            let height = axis.norm();
            return Ok(Shape::Revolved(Revolved {
                origin,
                axis,
                profile: vec![[0.0, 0.0], [radius, 0.0], [radius, height], [0.0, height]],
            }));
        };
        let at = here.key("lid_radius");
        if at.positive(lid)? < radius {
            let must = format!("at least the vessel's radius, {radius}");
            return Err(at.wrong(&lid.to_string(), &must));
        }
        Ok(Shape::Vessel(Vessel {
            from: origin,
            to: origin + axis,
            radius,
            lid_radius: lid,
        }))
    }
}

impl<D: Dimension> Kind<D> for Vessel<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::VesselWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::vessel(self.from, self.to, self.radius, self.lid_radius)
    }

    fn shift(&mut self, by: D::Vector) {
        self.from += by;
        self.to += by;
    }

    /// Returns the first rim's centre.
    fn reference_point(&self) -> D::Vector {
        self.from
    }

    fn extent(&self) -> Option<Corners<D>> {
        // The profile has chords for the lids, beyond which a sphere bulges by less than a fiftieth of the rim's
        // radius: this is added as a margin.
        let (min, max) = turned_extent::<D>(self.from, self.axis(), &self.profile());
        let room = D::Vector::from_fn(|_| 0.02 * self.radius);
        Some((min - room, max + room))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        drawing::revolved(three(self.from), three(self.axis()), &self.profile())
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        Barrier::Around
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        Some(Vessel::clearance(self, x))
    }

    fn beyond(&self) -> &'static str {
        "outside of the vessel"
    }

    fn may_hold(&self, x: D::Vector) -> bool {
        Vessel::clearance(self, x) >= 0.0
    }

    fn encloses(&self) -> bool {
        true
    }

    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        vec![[-1.0 / self.radius, 0.0], [-1.0 / self.lid_radius; 2]]
    }

    fn is_narrow(&self, radius: f64) -> bool {
        narrow(radius, self.radius, false) || narrow(radius, self.lid_radius, false)
    }
}
