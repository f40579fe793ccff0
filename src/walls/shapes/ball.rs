//! Circles and spheres, touched from inside or from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::barrier::Barrier;
use super::drawing::{Line, ring};
use super::kind::{Corners, Kind, ShapeKeys, WallRow, planar, spatial};
use super::{Shape, Side, WallFeature, narrow};
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};
use crate::keys::View;

pub(super) const CIRCLE: WallRow = planar("wall.circle", "circles");
pub(super) const SPHERE: WallRow = spatial("wall.sphere", "spheres as walls");

/// A circle or a sphere, touched from inside or from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Ball<D: Dimension> {
    /// Centre.
    pub centre: D::Vector,
    /// Radius, m.
    pub radius: f64,
    /// Whether grains are inside.
    pub inside: bool,
}

/// A circle or a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallKeys {
    /// Centre, m.
    pub centre: Vec<f64>,
    /// Radius, m.
    #[schemars(range(min = 0.0))]
    pub radius: f64,
    /// Where the grains are.
    pub grains: Side,
}

impl<D: Dimension> ShapeKeys<D> for BallKeys {
    fn read<V: View>(&mut self, here: &V) -> Result<Shape<D>, V::Fault> {
        Ok(Shape::Ball(Ball {
            centre: here.key("centre").vector::<D>(&self.centre)?,
            radius: here.key("radius").positive(self.radius)?,
            inside: self.grains == Side::Inside,
        }))
    }

    fn instead() -> Option<&'static str> {
        Some(match D::N {
            2 => "use `circle`",
            _ => "use `sphere`",
        })
    }
}

impl<D: Dimension> Kind<D> for Ball<D> {
    fn feature(&self) -> WallFeature {
        match D::N {
            2 => WallFeature::CircleWall,
            _ => WallFeature::SphereWall,
        }
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::ball(self.centre, self.radius, self.inside)
    }

    fn shift(&mut self, by: D::Vector) {
        self.centre += by;
    }

    /// Returns the centre.
    fn reference_point(&self) -> D::Vector {
        self.centre
    }

    fn extent(&self) -> Option<Corners<D>> {
        let reach = D::Vector::from_fn(|_| self.radius);
        Some((self.centre - reach, self.centre + reach))
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        let planes: &[[usize; 2]] = if D::N == 2 {
            &[[0, 1]]
        } else {
            &[[0, 1], [0, 2], [1, 2]]
        };
        let centre = three(self.centre);
        let circle = |&[a, b]: &[usize; 2]| {
            let mut u = [0.0; 3];
            let mut v = [0.0; 3];
            u[a] = self.radius;
            v[b] = self.radius;
            (ring(centre, u, v), true)
        };
        planes.iter().map(circle).collect()
    }

    fn barrier(&self, _up: Option<D::Vector>) -> Barrier<D> {
        match self.inside {
            true => Barrier::Around,
            false => Barrier::Ball(self.centre, self.radius),
        }
    }

    fn clearance(&self, x: D::Vector) -> Option<f64> {
        let beyond = (x - self.centre).norm() - self.radius;
        Some(if self.inside { -beyond } else { beyond })
    }

    fn beyond(&self) -> &'static str {
        match self.inside {
            true => "outside of the round wall",
            false => "inside of the round wall",
        }
    }

    fn encloses(&self) -> bool {
        self.inside
    }

    fn room(&self) -> Option<Corners<D>> {
        self.extent().filter(|_| self.inside)
    }

    fn curvatures(&self, _radius: f64) -> Vec<[f64; 2]> {
        let curvature = if self.inside {
            -1.0 / self.radius
        } else {
            1.0 / self.radius
        };
        vec![[curvature; 2]]
    }

    fn is_narrow(&self, radius: f64) -> bool {
        self.inside && narrow(radius, self.radius, false)
    }
}
