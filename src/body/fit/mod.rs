//! Clumps of spheres that stand for a body given by its surface, and how faithful they are.
//!
//! Three methods: the largest inscribed spheres one after the other ([`Inscribed`]), spheres tangent to
//! the surface from inside ([`Tangent`]), and spheres along an axis ([`AlongAxis`]); besides, clumps at
//! random ([`Random`]). Lengths in m, or in whatever unit the surface has.

mod axis;
mod columns;
mod fidelity;
mod inscribed;
mod nearest;
mod random;
mod tangent;

use nalgebra::Vector3;

use super::{ClumpError, Mesh, Region};
use columns::holds;

pub use axis::AlongAxis;
pub use columns::Columns;
pub use fidelity::{Fidelity, Measured, SurfaceDistance};
pub use inscribed::Inscribed;
pub use nearest::Nearest;
pub use random::Random;
pub use tangent::Tangent;

/// Why there is no clump.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// No sphere is large enough.
    #[error("no sphere of radius {0:e} or more fits inside; allow smaller ones")]
    NoSphere(f64),
    /// An overlap is no share.
    #[error("the overlap is {0}, but must be at least 0 and below 1")]
    Overlap(f64),
    /// A coverage is no share.
    #[error("the coverage is {0}, but must be above 0 and at most 1")]
    Coverage(f64),
    /// Radii of random balls over the largest.
    #[error("the least radius is {0} of the largest, but must be above 0 and at most 1")]
    Least(f64),
    /// No ball is asked for.
    #[error("at least one ball is needed")]
    Count,
    /// Random balls that always hide each other.
    #[error(
        "after {0} balls no other found a place where none hides in another; ask for less overlap or fewer balls"
    )]
    NoPlace(usize),
    /// An axis without direction.
    #[error("the axis has no direction")]
    Axis,
    /// An axis beside the body.
    #[error("the axis through the centroid misses the body; take another axis or method")]
    Missed,
    /// Components that make no clump.
    #[error(transparent)]
    Clump(#[from] ClumpError),
}

/// A body inside a closed surface, ready to be asked for distances.
pub struct Body {
    mesh: Mesh,
    nearest: Nearest,
    min: Vector3<f64>,
    max: Vector3<f64>,
}

impl Body {
    /// The body inside a surface.
    pub fn new(mesh: Mesh) -> Self {
        let (min, max) = mesh.bounds();
        Body {
            nearest: Nearest::new(&mesh),
            mesh,
            min,
            max,
        }
    }
    /// Its surface.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
    /// Distances from its surface.
    pub fn nearest(&self) -> &Nearest {
        &self.nearest
    }
    /// The longest side of the box around it, m.
    pub fn size(&self) -> f64 {
        (self.max - self.min).max()
    }
    /// Whether a point is inside.
    pub fn holds(&self, point: Vector3<f64>) -> bool {
        holds(&self.mesh, point)
    }
}
