//! Filling of a vessel with grains before a run.
//!
//! `lattice` places grains row by row, `random` at random places, and `roll_down` drops them
//! one by one until each is supported (thesis 4.7.1). No grain overlaps another or a wall. The
//! last coordinate is up; moving walls are where they are at time 0, and gates are closed.

use super::{Component, Mixture, PeriodicAxis, RadiusLaw};
use crate::body::Grain;
use crate::geometry::surface::ShapeError;
use crate::geometry::{Dimension, Vector};
use crate::walls::Boundary;

mod lattice;
pub(in crate::system) mod obstacles;
mod random;
mod roll_down;

pub use lattice::lattice;
pub use random::random;
pub use roll_down::roll_down;

/// Region to fill, and the grains to fill it with.
#[derive(Clone, Debug)]
pub struct FillRequest<'a, D: Dimension> {
    /// Walls that grains must not overlap.
    pub boundaries: &'a [Boundary<D>],
    /// Grains that are already there.
    pub existing: &'a [Grain<D>],
    /// Periodic directions: images of grains across a border are obstacles too.
    pub periodic: &'a [Option<PeriodicAxis>],
    /// Further limit on the places of grains, if any.
    pub inside: Option<Inside<'a, D>>,
    /// Number of grains to add.
    pub count: usize,
    /// Sorts of these grains.
    pub what: Mixture,
    /// Least corner of the region that wholly holds the grains, m.
    pub min: D::Vector,
    /// Greatest corner, m.
    pub max: D::Vector,
    /// Number of the first grain.
    pub first_id: u32,
}

/// Function that returns whether a grain with this centre and radius, m, is inside the space to be filled.
#[derive(Clone, Copy)]
pub struct Inside<'a, D: Dimension>(pub &'a dyn Fn(D::Vector, f64) -> bool);

impl<D: Dimension> std::fmt::Debug for Inside<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inside")
    }
}

/// Reason why a filling is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillError {
    /// The region holds fewer grains than asked for.
    #[error("only {placed} of {asked} grains found room; {advice}")]
    NoRoom {
        /// Number of grains that found room.
        placed: usize,
        /// Number of grains asked for.
        asked: usize,
        /// Advice.
        advice: &'static str,
    },
    /// The region has no extent, or a grain does not fit into it.
    #[error(
        "the region is {width} m wide along coordinate {axis}; the largest grain needs {needed} m; enlarge the region or choose smaller radii"
    )]
    Region {
        /// Coordinate, from 1.
        axis: usize,
        /// Width along it, m.
        width: f64,
        /// The largest diameter, m.
        needed: f64,
    },
    /// A law of radii that gives impossible ones.
    #[error("{0}")]
    Radius(String),
    /// A number that is not finite, or out of its range.
    #[error("{0}")]
    Number(String),
    /// A wall whose shape is impossible.
    #[error("the wall \"{name}\": {error}")]
    Wall {
        /// Name of the wall.
        name: String,
        /// Fault of its shape.
        error: ShapeError,
    },
    /// A grain found nothing to rest on.
    #[error(
        "grain {placed} of {asked} fell out of the region; put walls below and beside the region, or a smaller region over the vessel"
    )]
    NoSupport {
        /// Number of the grain, from 1.
        placed: usize,
        /// Number of grains asked for.
        asked: usize,
    },
    /// A grain kept on rolling.
    #[error(
        "grain {placed} of {asked} rolled on and on without coming to rest; fill by lattice or random instead and let it settle"
    )]
    NoRest {
        /// Number of the grain, from 1.
        placed: usize,
        /// Number of grains asked for.
        asked: usize,
    },
}

/// Returns the mean and the largest radius of a law, m.
pub fn radius_range(law: &RadiusLaw) -> Result<(f64, f64), FillError> {
    let (least, greatest) = (law.least(), law.greatest());
    if least > 0.0 && least <= greatest && greatest.is_finite() {
        Ok((law.mean(), greatest))
    } else {
        Err(FillError::Radius(format!(
            "radii must be greater than 0 and finite, the least not above the greatest; they run from {least} m to {greatest} m"
        )))
    }
}

impl<D: Dimension> FillRequest<'_, D> {
    /// Checks the numbers; returns the mean and the largest radius, m.
    fn check(&self) -> Result<(f64, f64), FillError> {
        for component in self.what.components() {
            radius_range(&component.radius)?;
            let density = component.density;
            if !(density > 0.0 && density.is_finite()) {
                return Err(FillError::Number(format!(
                    "the density must be greater than 0 and finite, not {density}"
                )));
            }
        }
        let (mean, largest) = (self.what.mean(), self.what.greatest());
        if !self.min.is_finite() || !self.max.is_finite() {
            return Err(FillError::Number(
                "the region's corners must be finite numbers".into(),
            ));
        }
        for k in 0..D::N {
            let width = self.max[k] - self.min[k];
            // Computed corners may be off in their last digits.
            if width < 2.0 * largest * (1.0 - 1e-9) {
                return Err(FillError::Region {
                    axis: k + 1,
                    width,
                    needed: 2.0 * largest,
                });
            }
        }
        Ok((mean, largest))
    }

    /// Returns whether the request allows a grain at a place.
    fn allows(&self, x: D::Vector, radius: f64) -> bool {
        self.inside.is_none_or(|inside| (inside.0)(x, radius))
    }

    /// Returns a disk or sphere; a grain of a form gets the form's index, and the caller sets its mass.
    fn grain(&self, index: usize, drawn: (&Component, f64), position: D::Vector) -> Grain<D> {
        let id = self.first_id + index as u32;
        let (sort, radius) = drawn;
        let mut grain = Grain::new(id, sort.material, radius, sort.density, position);
        grain.form = sort.form;
        grain
    }
}
