//! Arenite: a multi-model, discrete-event simulator of granular matter.
//!
//! Each part of a granular system is simulated with the model that fits it now: grains fly on analytic paths, groups
//! in contact are integrated as clusters; one central event queue drives them.
//! The layers, from below: [`ranks`], [`geometry`], [`calc`], [`body`]; [`contact`], [`field`], [`neighbor`],
//! [`event`], [`hgraph`]; [`cluster`], [`collide`], [`stress`], [`rigidity`]; [`record`], [`system`]; [`scenario`], [`simulation`];
//! [`study`], [`sweep`], [`view`], [`cli`].
//!
//! A scenario runs from a few lines (docs/library.md has more):
//!
//! ```
//! use arenite::prelude::*;
//!
//! fn main() -> Result<(), SimulationError> {
//!     let mut simulation = Simulation::builder()
//!         .scenario("hopper")
//!         .set("run.end_time=0.04")
//!         .build()?;
//!     simulation.run_until(0.02)?;
//!     let moment = simulation.moment();
//!     let fastest = moment.grains.iter().map(|grain| -grain.velocity[1]).fold(0.0, f64::max);
//!     println!("{} disks at {} s, the fastest falls at {fastest:.2} m/s", moment.grains.len(), moment.time);
//!     assert!(fastest > 0.1);
//!     println!("{:?}", simulation.run()?);
//!     Ok(())
//! }
//! ```

pub mod body;
pub mod calc;
pub mod capabilities;
pub mod cli;
pub mod cluster;
pub mod collide;
pub mod contact;
pub mod control;
pub mod event;
pub mod field;
pub mod geometry;
pub mod hgraph;
mod input;
pub mod keys;
pub mod neighbor;
#[doc(hidden)]
pub mod outside;
pub mod prelude;
pub mod ranks;
pub mod record;
pub mod rigidity;
pub mod scenario;
pub mod simulation;
mod spelling;
pub mod stress;
pub mod study;
pub mod sweep;
pub mod system;
pub mod vector;
pub mod view;
pub mod walls;

/// Tests the code of docs/extending.md.
#[cfg(doctest)]
#[doc = include_str!("../docs/extending.md")]
mod extending {}

/// Tests the code of docs/library.md.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
mod library {}
