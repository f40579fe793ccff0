//! Approximates a body given by its surface by clumps of spheres, and measures their fidelity.
//!
//! Three methods: the largest inscribed spheres one after another ([`Inscribed`]), spheres tangent to the surface
//! from inside ([`Tangent`]), and spheres along an axis ([`AlongAxis`]); in addition, random clumps ([`Random`]).
//! Lengths in m, or in the unit of the surface.

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

/// Tolerance, relative to a body's size, for a sphere that touches the surface. A surface of flat triangles
/// approximates a round one: taken exactly, it has no room for a sphere at an edge or corner, however blunt.
const TOUCH: f64 = 2e-3;
/// Number of bisections of an interval: as many as a number has bits.
const HALVINGS: usize = 52;

/// Reasons why there is no clump.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// No sphere is large enough.
    #[error("no sphere of radius {0:e} or more fits inside; allow smaller ones")]
    NoSphere(f64),
    /// An overlap outside of its range.
    #[error("the overlap is {0}, but must be at least 0 and below 1")]
    Overlap(f64),
    /// A coverage outside of its range.
    #[error("the coverage is {0}, but must be above 0 and at most 1")]
    Coverage(f64),
    /// A ratio of the least to the greatest radius of random balls outside of its range.
    #[error("the least radius is {0} of the largest, but must be above 0 and at most 1")]
    Least(f64),
    /// No balls are requested.
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
    /// An axis that misses the body.
    #[error("the axis through the centroid misses the body; take another axis or method")]
    Missed,
    /// Components that do not form a clump.
    #[error(transparent)]
    Clump(#[from] ClumpError),
}

/// A body inside a closed surface, prepared for distance queries.
pub struct Body {
    mesh: Mesh,
    nearest: Nearest,
    min: Vector3<f64>,
    max: Vector3<f64>,
}

impl Body {
    /// Returns the body inside a surface.
    pub fn new(mesh: Mesh) -> Self {
        let (min, max) = mesh.bounds();
        Body {
            nearest: Nearest::new(&mesh),
            mesh,
            min,
            max,
        }
    }
    /// Returns the surface.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
    /// Returns the distance queries of its surface.
    pub fn nearest(&self) -> &Nearest {
        &self.nearest
    }
    /// Returns the longest side of its bounding box, m.
    pub fn size(&self) -> f64 {
        (self.max - self.min).max()
    }
    /// Returns the distance along a direction from a point of the surface to the centre of the largest sphere inside
    /// that touches the surface there, within the tolerance of a mesh. Along the direction the distance to the
    /// surface grows by no more than the displacement, so that bisection separates what fits from what does not.
    fn touching(&self, point: Vector3<f64>, inwards: Vector3<f64>) -> f64 {
        let touch = TOUCH * self.size();
        let (mut fits, mut out) = (0.0, (self.max - self.min).norm());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (fits + out);
            if self.nearest.distance(point + inwards * middle) >= middle - touch {
                fits = middle;
            } else {
                out = middle;
            }
        }
        fits
    }
    /// Whether a point is inside.
    pub fn holds(&self, point: Vector3<f64>) -> bool {
        holds(&self.mesh, point)
    }
}
