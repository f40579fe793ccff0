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

/// Share of a body's size within which a sphere that touches the surface may miss it. A surface of flat
/// triangles stands for a round one: taken at its word, it has no room for a sphere at an edge or corner,
/// however blunt.
const TOUCH: f64 = 2e-3;
/// Halvings of an interval: as many digits as a number has.
const HALVINGS: usize = 52;

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
    /// How far along a direction from a point of the surface the centre of the largest sphere inside lies that
    /// touches the surface there, but for what a mesh may miss. Along the way the distance to the surface
    /// grows by no more than the way is long, so that what fits is told from what does not by halving.
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
