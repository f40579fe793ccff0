//! Mass properties of grains by several methods: volume, centroid and moments of inertia.
//!
//! All results are for a homogeneous body; the density is applied at the end. Lengths in m.

mod components;
mod disks;
mod error;
mod integrals;
mod monte_carlo;
mod principal;
mod segment;
mod slices;
mod spheres;
mod tetrahedra;
mod voxels;

pub use components::components;
pub use disks::disks;
pub use error::{MassError, Work};
pub use integrals::{Integrals, MassProperties};
pub use monte_carlo::{MonteCarlo, monte_carlo};
pub use principal::{Principal, principal};
pub use segment::arc;
pub use slices::slices;
pub use spheres::spheres;
pub use tetrahedra::tetrahedra;
pub use voxels::{Voxels, voxels};
