//! Arenite: a multi-model, discrete-event simulator of granular matter.
//!
//! Every part of a granular system is under the model that fits it now: grains fly on analytic
//! paths, groups in contact are integrated as clusters; one central event queue drives them.
//! The layers, from below: [`ranks`], [`geometry`], [`calc`], [`body`]; [`contact`], [`field`], [`neighbor`],
//! [`event`], [`hgraph`]; [`cluster`], [`collide`], [`stress`], [`qrb`]; [`system`]; [`scenario`], [`record`],
//! [`study`], [`view`], [`sweep`], [`cli`].
//!
//! A scenario runs from a few lines; what the program writes into files comes as rows to a
//! [`record::Sink`]:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use arenite::record::MemorySink;
//! use arenite::scenario::{AnySetup, Override, Scenario};
//! use arenite::system::{Control, System};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let scenario = Scenario::load("hopper", &[Override::set("run.finish=0.02")?])?;
//!     let AnySetup::Planar(setup) = scenario.resolve()?.setup else {
//!         return Err("the hopper is planar".into());
//!     };
//!     let mut system = System::new(setup)?;
//!     let mut records = MemorySink::default();
//!     let never = AtomicBool::new(false);
//!     let mut control = Control::new(&never);
//!     let outcome = system.run(&mut records, &mut control)?;
//!     let figures = system.summary();
//!     println!("{outcome:?} at {} s: {} grains", figures.time.simulated, figures.grains.last);
//!     assert_eq!(records.series.first().map(|row| row.grains), Some(500));
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
pub mod qrb;
pub mod ranks;
pub mod record;
pub mod scenario;
pub mod stress;
pub mod study;
pub mod sweep;
pub mod system;
pub mod vector;
pub mod view;
pub mod walls;

/// The code of docs/extending.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/extending.md")]
mod extending {}
