//! Thin surfaces of revolution: the surface swept by a chain that turns about an axis.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{self, Line};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, spatial};
use super::{STRAIGHT, Shape, WallFeature, narrow};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const REVOLVED: WallRow = spatial("wall.revolved", "turned profiles that are not cans");
pub(super) const CAN: WallRow = spatial("wall.revolved.can", "cans");

/// Spatial: the surface swept by a chain of segments that turns about an axis (cylinders,
/// cones, rings, disks and whole conical hoppers); thin and two-sided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Revolved<D: Dimension> {
    /// A point of the axis, from which heights are measured.
    pub origin: D::Vector,
    /// Direction of the axis; need not be of unit length.
    pub axis: D::Vector,
    /// Corners of the profile: distance from the axis and height along it, m.
    pub profile: Vec<[f64; 2]>,
}

/// A thin surface made by turning a profile about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevolvedKeys {
    /// The point of the axis from which heights are measured, m.
    pub origin: Vec<f64>,
    /// Direction of the axis, of any length.
    pub axis: Vec<f64>,
    /// Corners of the profile in order: distance from the axis and height along it, m.
    pub profile: Vec<[f64; 2]>,
}

impl<D: Dimension> ShapeKeys<D> for RevolvedKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let list = here.key("profile");
        if self.profile.len() < 2 {
            let count = self.profile.len();
            let must = "a list of at least 2 corners";
            return Err(list.wrong(&format!("a list of {count}"), must));
        }
        for (k, corner) in self.profile.iter().enumerate() {
            let here = list.index(k);
            here.index(0).non_negative(corner[0])?;
            here.index(1).finite(corner[1])?;
            if k > 0 && self.profile[k - 1] == *corner {
                let path = here.path();
                return Err(here.fault(format!("`{path}` repeats the corner before it")));
            }
        }
        Ok(Shape::Revolved(Revolved {
            origin: here.key("origin").vector::<D>(&self.origin)?,
            axis: here.key("axis").direction::<D>(&self.axis)?,
            profile: self.profile.clone(),
        }))
    }
}

impl<D: Dimension> Revolved<D> {
    /// Returns radius, and heights of the two ends, m, of a cylinder with flat ends, if the profile is one: out from
    /// the axis, along it, and straight back.
    pub fn can(&self) -> Option<[f64; 3]> {
        let [[d0, h0], [d1, h1], [d2, h2], [d3, h3]] = self.profile[..] else {
            return None;
        };
        let straight = d0 == 0.0 && d3 == 0.0 && d1 == d2 && h0 == h1 && h2 == h3;
        (straight && d1 > 0.0 && h1 != h2).then(|| [d1, h1.min(h2), h1.max(h2)])
    }
}

impl<D: Dimension> Kind<D> for Revolved<D> {
    fn feature(&self) -> WallFeature {
        match self.profile[..] {
            [[d0, _], [d1, _]] if d0 == d1 => WallFeature::CylinderWall,
            [_, _] => WallFeature::ConeWall,
            _ if self.can().is_some() => WallFeature::Can,
            _ => WallFeature::RevolvedWall,
        }
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::revolved(self.origin, self.axis, &self.profile)
    }

    fn shift(&mut self, by: D::Vector) {
        self.origin += by;
    }

    /// Returns the origin of the axis.
    fn reference_point(&self) -> D::Vector {
        self.origin
    }

    fn extent(&self) -> Option<Corners<D>> {
        Some(turned_extent::<D>(self.origin, self.axis, &self.profile))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        drawing::revolved(three(self.origin), three(self.axis), &self.profile)
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        let axis = self.axis * (1.0 / self.axis.norm());
        Barrier::Revolved(self.origin, axis, self.profile.clone())
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        let (arm, length) = (x - self.origin, self.axis.norm());
        let height = arm.dot(&self.axis) / length;
        let distance = (arm - self.axis * (height / length)).norm();
        let pieces = self.profile.windows(2);
        let ways = pieces.map(|pair| in_profile(pair[0], pair[1], [distance, height]));
        Some(ways.fold(f64::INFINITY, f64::min))
    }

    fn is_thin(&self) -> bool {
        true
    }

    fn stretch(&self, axis: usize) -> Option<[f64; 2]> {
        let along = self.axis;
        let length = along.norm();
        let across = (0..D::N).any(|j| j != axis && along[j].abs() > STRAIGHT * length);
        let radius = self.profile.first()?[0];
        if across || self.profile.iter().any(|corner| corner[0] != radius) {
            return None;
        }
        let heights = self
            .profile
            .iter()
            .map(|corner| self.origin[axis] + corner[1] * along[axis].signum());
        Some([
            heights.clone().fold(f64::INFINITY, f64::min),
            heights.fold(f64::NEG_INFINITY, f64::max),
        ])
    }

    fn curvatures(&self, radius: f64) -> Vec<[f64; 2]> {
        let mut found = vec![[0.0; 2]];
        for ends in self.profile.windows(2) {
            let (across, along) = (ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
            let away = along.abs() / (across * across + along * along).sqrt();
            // A ball inside touches it no nearer to the axis.
            let least = ends[0][0].min(ends[1][0]).max(away * radius);
            if away > 0.0 && least < ends[0][0].max(ends[1][0])
                || across == 0.0 && least <= ends[0][0]
            {
                found.push([-away / least, 0.0]);
            }
        }
        found
    }

    fn is_narrow(&self, radius: f64) -> bool {
        let mut pieces = self.profile.windows(2);
        pieces.any(|ends| ends[0][0] == ends[1][0] && narrow(radius, ends[0][0], true))
    }
}

/// Returns the least and greatest corner of the bounding box of a profile turned about an axis, m.
pub(super) fn turned_extent<D: Dimension>(
    origin: D::Vector,
    axis: D::Vector,
    profile: &[[f64; 2]],
) -> Corners<D> {
    let length = axis.norm();
    let mut min = D::Vector::from_fn(|_| f64::INFINITY);
    let mut max = -min;
    for &[distance, height] in profile {
        for k in 0..D::N {
            let along = axis[k] / length;
            let middle = origin[k] + along * height;
            // A circle about the axis reaches this far along coordinate k.
            let reach = distance * (1.0 - along * along).max(0.0).sqrt();
            min[k] = min[k].min(middle - reach);
            max[k] = max[k].max(middle + reach);
        }
    }
    (min, max)
}

fn in_profile(a: [f64; 2], b: [f64; 2], x: [f64; 2]) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    let arm = [x[0] - a[0], x[1] - a[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = ((arm[0] * along[0] + arm[1] * along[1]) / square).clamp(0.0, 1.0);
    libm::hypot(arm[0] - along[0] * share, arm[1] - along[1] * share)
}
