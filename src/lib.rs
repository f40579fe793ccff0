//! Arenite: a multi-model, discrete-event simulator of granular matter.
//!
//! Each part of a granular system is simulated with the model that fits it now: grains fly on analytic paths, groups
//! in contact are integrated as clusters; one central event queue drives them.
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
//!
//! # Modules, in order of use
//!
//! | module | for |
//! |---|---|
//! | [`prelude`] | what most programs import |
//! | [`simulation`] | a run: built from a scenario, advanced to any time, observed, saved and resumed |
//! | [`scenario`] | scenario files: read, checked with messages that quote the place, resolved; their JSON Schema |
//! | [`control`] | [`Command`](control::Command): changes to a run between two times |
//! | [`contact`] | [`OwnLaw`](contact::OwnLaw): a contact law of the calling program |
//! | [`field`] | [`OwnField`](field::OwnField): a force on grains from the calling program |
//! | [`record`] | records of a run: sinks that receive them, the folder on the disk, its readers, data exports |
//! | [`study`] | evaluations as functions of plain data: stress, forces, power laws, jams, flow, means over runs |
//! | [`sweep`] | many runs of a scenario with varied keys, and the table of their results |
//! | [`view`] | pictures, animations, reports, and all exports of a run's folder |
//! | [`calc`] | single models by themselves: collisions, networks in equilibrium, mass properties |
//! | [`geometry`] | [`Planar`](geometry::Planar) and [`Spatial`](geometry::Spatial), for studies in either dimension |
//!
//! Walls have no types: a program appends sections to a scenario, with corners that it computes
//! ([`Builder::sections`](simulation::Builder::sections)).
//!
//! What this documentation lists is the interface; `tests/data/public-api.txt` keeps the list, so that no item comes
//! or goes unseen. Other public items are hidden from it: they serve the project's own tests, examples and benchmarks,
//! and carry no promise.

// The interface: what these modules document.
pub mod calc;
pub mod contact;
pub mod control;
pub mod field;
pub mod geometry;
pub mod prelude;
pub mod record;
pub mod scenario;
pub mod simulation;
pub mod study;
pub mod sweep;
pub mod view;

// Internal, public for tests, examples and benchmarks alone (layers: docs/architecture.md).
#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod capabilities;
mod cases;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod cluster;
#[doc(hidden)]
pub mod collide;
#[doc(hidden)]
pub mod event;
#[doc(hidden)]
pub mod hgraph;
mod input;
#[doc(hidden)]
pub mod keys;
#[doc(hidden)]
pub mod neighbor;
#[doc(hidden)]
pub mod outside;
#[doc(hidden)]
pub mod ranks;
#[doc(hidden)]
pub mod rigidity;
mod spelling;
#[doc(hidden)]
pub mod stress;
#[doc(hidden)]
pub mod system;
#[doc(hidden)]
pub mod vector;
#[doc(hidden)]
pub mod walls;

/// Tests the code of docs/extending.md.
#[cfg(doctest)]
#[doc = include_str!("../docs/extending.md")]
mod extending {}

/// Tests the code of docs/library.md.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
mod library {}
