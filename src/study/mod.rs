//! Studies: evaluations of runs of granular matter, as pure functions over plain data.
//!
//! Wall pressure compared with Janssen's theory, forces and fabric, micro-avalanches and whether their sizes follow a
//! power law, means over many fillings, fractions with their intervals, jams and the outflow between them, Beverloo's
//! law, grinding in a ball mill; networks of contacts, motion of grains, and coarse-grained fields of density,
//! velocity and stress. Except for `silo::from_folder` and `runs`, nothing here reads or writes a file; results are
//! plain structures that can be serialized. A study fails with a [`StudyError`] that names the value that is not
//! allowed, or the data of which there are too few.
//!
//! ```
//! use arenite::study::StudyError;
//! use arenite::study::ensemble::spread;
//! use arenite::study::janssen::{Janssen, Section};
//!
//! fn main() -> Result<(), StudyError> {
//!     // The mean of five fillings, with its interval of confidence.
//!     let means = spread(&[104.0, 97.0, 101.0, 99.0, 102.0])?;
//!     let interval = means.interval(0.95)?;
//!     assert!(interval.low < means.mean && means.mean < interval.high);
//!     // Janssen's pressure saturates: most of the weight hangs on the walls.
//!     let silo = Janssen::new(Section::Cylindrical { diameter: 0.2 }, 1500.0, 9.81, 0.4, 0.5)?;
//!     assert!(silo.floor_share(2.0) < 0.2);
//!     Ok(())
//! }
//! ```

pub mod alternatives;
pub mod avalanche;
pub mod beverloo;
pub mod coarse;
pub mod convergence;
pub mod correlation;
pub mod discharge;
pub mod distribution;
pub mod ensemble;
mod error;
pub mod fabric;
pub mod force_chain;
pub mod goodness;
pub mod grinding;
pub mod histogram;
pub mod janssen;
pub mod janssen_fit;
mod log_normal;
mod minimum;
pub mod motion;
pub mod network;
pub mod outflow;
pub mod power_law;
pub mod pressure;
pub mod proportion;
pub mod repose;
pub mod runs;
pub mod samples;
pub mod silo;
#[doc(hidden)]
pub mod special;
pub mod temperature;

pub use error::StudyError;
