//! The shapes of walls, one file each.
//!
//! A shape is a struct with [`Kind`], the interface to the rest of the program, and a struct of its keys in scenarios
//! with [`ShapeKeys`]. Its file and its entry in `shapes!` are all that it needs: scenarios, all models, pictures and
//! the capability table use what it declares. Its surfaces are those of [`crate::geometry::surface`], or a
//! [`Primitive`](crate::geometry::surface::Primitive) of its own.

mod arc;
mod ball;
mod barrier;
mod cone;
mod cuboid;
mod cylinder;
pub(crate) mod drawing;
mod grains;
mod kind;
mod mesh;
mod plane;
mod polyline;
pub(crate) mod registry;
mod revolved;
mod torus;
mod vessel;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use arc::{Arc, ArcKeys};
pub use ball::{Ball, BallKeys};
pub use barrier::Barrier;
pub use cone::ConeKeys;
pub use cuboid::{BoxKeys, Cuboid};
pub use cylinder::CylinderKeys;
pub use grains::{Grains, RoughKeys, WallGrainKeys, WallLatticeKeys};
pub use kind::{Corners, Kind, ShapeKeys, WallRow};
pub use mesh::{MeshKeys, MeshShape};
pub use plane::{Plane, PlaneKeys};
pub use polyline::{Polyline, PolylineKeys, SegmentKeys};
pub use registry::{Shape, WallFeature};
pub use revolved::{Revolved, RevolvedKeys};
pub use torus::{Torus, TorusKeys};
pub use vessel::{Vessel, VesselKeys};

use crate::contact::curved::{LEAST, effective_radius};
use crate::geometry::Dimension;
use crate::geometry::surface::{Pieces, ShapeError};

/// Relative deviation that counts as straight: rounding.
const STRAIGHT: f64 = 1e-12;

/// On which side of a closed wall the grains are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Grains live inside.
    Inside,
    /// Grains live outside.
    Outside,
}

/// Whether a hollow is about as narrow as a ball of a radius, m; a surface touched from the `other` side too may be
/// narrower than the ball.
fn narrow(radius: f64, hollow: f64, other: bool) -> bool {
    let relative = 1.0 - radius / hollow;
    relative < LEAST && (relative >= 0.0 || !other)
}

impl<D: Dimension> Shape<D> {
    /// Returns its primitive surfaces, in its own frame.
    pub fn surfaces(&self) -> Result<Pieces<D>, ShapeError> {
        self.primitives().map(Pieces::new)
    }

    /// Returns the translated shape.
    #[must_use]
    pub fn moved(&self, by: D::Vector) -> Self {
        let mut moved = self.clone();
        moved.shift(by);
        moved
    }

    /// Returns the greatest effective radius of a ball of a radius at this wall, m.
    pub fn effective_radius(&self, radius: f64) -> f64 {
        let all = self.curvatures(radius).into_iter();
        all.map(|curvatures| effective_radius(radius, curvatures))
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Spatial;
    use nalgebra::Vector3;

    #[test]
    fn hollows_make_balls_larger() {
        let ball = |inside: bool| {
            Shape::<Spatial>::Ball(Ball {
                centre: Vector3::zeros(),
                radius: 0.3,
                inside,
            })
        };
        assert!((ball(true).effective_radius(0.1) - 0.15).abs() < 1e-15);
        assert!((ball(false).effective_radius(0.1) - 0.075).abs() < 1e-15);
        assert!(!ball(true).is_narrow(0.29) && ball(true).is_narrow(0.299));
        let pipe = |radius: f64| {
            Shape::<Spatial>::Revolved(Revolved {
                origin: Vector3::zeros(),
                axis: Vector3::z(),
                profile: vec![[radius, 0.0], [radius, 1.0]],
            })
        };
        let wide = pipe(0.3).effective_radius(0.1);
        assert!(wide > 0.1 && wide < 0.15, "{wide}");
        // No ball is inside a pipe narrower than the ball.
        assert_eq!(pipe(0.09).effective_radius(0.1), 0.1);
        assert!(!pipe(0.09).is_narrow(0.1) && pipe(0.1005).is_narrow(0.1));
    }
}
