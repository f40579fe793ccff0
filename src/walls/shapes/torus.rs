//! Ring-shaped tubes, with grains inside of the tube or outside of it.

use std::f64::consts::TAU;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{self, Line};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, spatial};
use super::{Shape, Side, WallFeature, narrow};
use crate::geometry::surface::{Open, Primitive, Probe, ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const TORUS: WallRow = spatial("wall.torus", "tori");

/// Number of corners of the profile for straight lines.
const CHORDS: usize = 64;

/// Spatial: the surface swept by a circle that turns about an axis outside of it, touched from inside or from
/// outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Torus<D: Dimension> {
    /// Centre of the ring.
    pub centre: D::Vector,
    /// Direction of the axis; need not be of unit length.
    pub axis: D::Vector,
    /// Radius of the ring, along the middle of the tube, m.
    pub radius: f64,
    /// Radius of the tube, m; less than that of the ring.
    pub tube: f64,
    /// Whether grains are inside of the tube.
    pub inside: bool,
}

/// A ring-shaped tube.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusKeys {
    /// Centre of the ring, m.
    pub centre: Vec<f64>,
    /// Direction of its axis, of any length.
    pub axis: Vec<f64>,
    /// Radius of the ring, along the middle of the tube, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Radius of the tube, m; less than that of the ring.
    #[schemars(range(min = 0.0))]
    pub tube: f64,
    /// Where the grains are: `inside` of the tube, or `outside` of what then is a doughnut.
    pub grains: Side,
}

impl<D: Dimension> ShapeKeys<D> for TorusKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        let radius = here.key("radius").positive(self.radius)?;
        let at = here.key("tube");
        let tube = at.positive(self.tube)?;
        if tube >= radius {
            let must = format!("less than the radius of the ring, {radius}");
            return Err(at.wrong(&tube.to_string(), &must));
        }
        Ok(Shape::Torus(Torus {
            centre: here.key("centre").vector::<D>(&self.centre)?,
            axis: here.key("axis").direction::<D>(&self.axis)?,
            radius,
            tube,
            inside: self.grains == Side::Inside,
        }))
    }
}

impl<D: Dimension> Torus<D> {
    fn unit(&self) -> D::Vector {
        self.axis * (1.0 / self.axis.norm())
    }

    /// Returns the distance of a point from the axis, that from the ring, m, and the unit vectors from the axis and
    /// from the ring to it.
    fn seen(&self, x: D::Vector) -> (f64, f64, D::Vector, D::Vector) {
        let (arm, axis) = (x - self.centre, self.unit());
        let across = arm - axis * arm.dot(&axis);
        let distance = across.norm();
        let out = match distance > 0.0 {
            true => across * (1.0 / distance),
            // On the axis all points of the ring are equally near: one of them is used.
            false => side::<D>(axis),
        };
        let off = arm - out * self.radius;
        let away = off.norm();
        let normal = match away > 0.0 {
            true => off * (1.0 / away),
            false => out,
        };
        (distance, away, out, normal)
    }

    /// Returns its profile in the half-plane of distance from the axis and height, closed.
    fn profile(&self) -> Vec<[f64; 2]> {
        let corner = |k: usize| {
            let (sine, cosine) = libm::sincos(TAU * (k % CHORDS) as f64 / CHORDS as f64);
            [self.radius + self.tube * cosine, self.tube * sine]
        };
        (0..=CHORDS).map(corner).collect()
    }
}

/// Returns a unit vector perpendicular to an axis, from the coordinate axis that is most nearly perpendicular.
fn side<D: Dimension>(axis: D::Vector) -> D::Vector {
    let most = (0..D::N).min_by(|&a, &b| axis[a].abs().total_cmp(&axis[b].abs()));
    let most = most.unwrap_or(0);
    let along = D::Vector::from_fn(|k| if k == most { 1.0 } else { 0.0 });
    let across = along - axis * axis[most];
    across * (1.0 / across.norm())
}

impl<D: Dimension> Primitive<D> for Torus<D> {
    fn probe(&self, x: D::Vector) -> Option<Probe<D>> {
        let (_, away, _, normal) = self.seen(x);
        Some(match self.inside {
            true => Probe {
                distance: self.tube - away,
                normal: -normal,
            },
            false => Probe {
                distance: away - self.tube,
                normal,
            },
        })
    }

    fn distance_bound(&self, x: D::Vector) -> f64 {
        let (_, away, ..) = self.seen(x);
        match self.inside {
            true => self.tube - away,
            false => away - self.tube,
        }
    }

    fn reference_point(&self) -> D::Vector {
        self.centre
    }

    fn curvatures(&self, x: D::Vector, _met: &Probe<D>) -> [f64; 2] {
        let (_, _, out, normal) = self.seen(x);
        // Around the axis by Meusnier's theorem.
        let outwards = out.dot(&normal);
        let around = outwards / (self.radius + self.tube * outwards);
        match self.inside {
            true => [-1.0 / self.tube, -around],
            false => [1.0 / self.tube, around],
        }
    }

    /// From inside the distance has the curvature of the distance from the middle of the tube. From outside it is
    /// that from a disk, which is convex, as long as `x` is further from the axis than the ring; nearer to the axis
    /// its curvature is at most the inverse distance from that.
    fn hollow(&self, x: D::Vector, _met: &Probe<D>) -> f64 {
        let (distance, away, ..) = self.seen(x);
        match self.inside {
            true => 1.0 / away,
            false if distance < self.radius => 1.0 / distance,
            false => 0.0,
        }
    }
}

impl<D: Dimension> Kind<D> for Torus<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::TorusWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        if D::N != 3 {
            return Err(ShapeError::WrongDimension {
                shape: "torus",
                space: "three dimensions",
                instead: "circles",
            });
        }
        if !self.centre.is_finite() {
            return Err(ShapeError::NotFinite("the centre's coordinates"));
        }
        let length = self.axis.norm();
        if !length.is_finite() {
            return Err(ShapeError::NotFinite("the axis's components"));
        }
        if length <= 0.0 {
            return Err(ShapeError::ZeroDirection("the axis"));
        }
        for radius in [self.radius, self.tube] {
            if !(radius > 0.0 && radius.is_finite()) {
                return Err(ShapeError::Radius(radius));
            }
        }
        if self.tube >= self.radius {
            return Err(ShapeError::Tube(self.tube, self.radius));
        }
        let unit = Torus {
            axis: self.unit(),
            ..self.clone()
        };
        Ok(vec![D::Surface::open(Open::new(unit))])
    }

    fn shift(&mut self, by: D::Vector) {
        self.centre += by;
    }

    /// Returns the centre of the ring.
    fn reference_point(&self) -> D::Vector {
        self.centre
    }

    fn extent(&self) -> Option<Corners<D>> {
        let axis = self.unit();
        // A circle about the axis, and a ball all along it.
        let reach = D::Vector::from_fn(|k| {
            self.radius * (1.0 - axis[k] * axis[k]).max(0.0).sqrt() + self.tube
        });
        Some((self.centre - reach, self.centre + reach))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        drawing::torus(three(self.centre), three(self.axis), self.radius, self.tube)
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        match self.inside {
            true => Barrier::Around,
            false => Barrier::Revolved(self.centre, self.unit(), self.profile()),
        }
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        Some(self.distance_bound(x))
    }

    fn beyond(&self) -> &'static str {
        match self.inside {
            true => "outside of the ring-shaped tube",
            false => "inside of the torus",
        }
    }

    fn may_hold(&self, x: D::Vector) -> bool {
        !self.inside || self.distance_bound(x) >= 0.0
    }

    fn encloses(&self) -> bool {
        self.inside
    }

    fn room(&self) -> Option<Corners<D>> {
        self.extent().filter(|_| self.inside)
    }

    fn curvatures(&self, radius: f64) -> Vec<[f64; 2]> {
        if self.inside {
            return vec![[-1.0 / self.tube, -1.0 / (self.radius + self.tube)]];
        }
        // In the hole a ball touches it no further in than where the ball's centre is on the axis.
        let inwards = (self.radius / (self.tube + radius)).min(1.0);
        vec![[
            1.0 / self.tube,
            -inwards / (self.radius - self.tube * inwards),
        ]]
    }

    fn is_narrow(&self, radius: f64) -> bool {
        self.inside && narrow(radius, self.tube, false)
    }
}
