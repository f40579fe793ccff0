//! Sweeps: many runs of one scenario with varied keys, and one table of their results.
//!
//! A [`Sweep`] is read from a file (docs/sweep.md; its JSON Schema is [`schema`]) and gives a list of [`Point`]s, each a set of values of a
//! scenario with a seed. [`run`] executes those that a folder does not contain yet, on all cores, and [`table()`]
//! puts the figures of all into one table; [`study`] computes means, jam probabilities and Beverloo's law. Each
//! finished run is a small file of its own, so that a sweep can be killed at any time, and so that parts of it can
//! run on other machines without a server.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use arenite::sweep::{Keep, Options, Sweep, read_rows, run, table};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let folder = place.path();
//! let text = r#"
//!     scenario = "oblique-impact"
//!     until = 0.01
//!     [grid]
//!     "run.tolerance" = [1e-3, 1e-4]
//! "#;
//! let sweep = Sweep::parse("steps.toml", text, None, Some("steps"), &[])?;
//! let options = Options {
//!     dir: folder,
//!     shard: None,
//!     threads: 2,
//!     keep: Keep::Row,
//!     retry: false,
//!     stop: &AtomicBool::new(false),
//!     look: &|progress| println!("{} of {}", progress.there + progress.ended, progress.all),
//! };
//! let done = run(&sweep, &options)?;
//! assert_eq!((done.look.ended, done.look.failed), (2, 0));
//! let points = sweep.points()?;
//! let table = table(&sweep, &points, &read_rows(&points, folder));
//! assert_eq!(table.rows(), 2);
//! # Ok(())
//! # }
//! ```

mod alike;
mod axis;
mod batch;
mod claim;
mod deal;
pub mod embedded;
mod expression;
mod file;
mod keep;
mod once;
mod over;
mod row;
#[doc(hidden)]
pub mod sample;
mod shard;
#[doc(hidden)]
pub mod spec;
pub mod study;
mod table;

/// File in a sweep's folder with the settings of the command line, as a list of `key.path=value`.
pub(crate) const OVERRIDES: &str = "overrides.json";

pub use axis::{Scalar, Setting};
pub use batch::{Done, Look, Options, run};
pub use file::{Point, Sweep, schema};
pub use keep::Keep;
#[doc(hidden)]
pub use over::run_over;
pub use row::{Row, figure_columns};
pub use shard::Shard;
#[doc(hidden)]
pub use table::describe;
pub(crate) use table::{others, write as write_table};
pub use table::{read_rows, table};

pub use crate::ranks::RankError;
use crate::record::RecordError;
use crate::scenario::Problem;

/// Reasons why a sweep cannot be read or run.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A fault in the sweep file or the scenario.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The folder cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// Another rank cannot continue.
    #[error("rank {rank}: {error}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Error that it reported.
        error: String,
    },
    /// The ranks have different lists of runs.
    #[error(
        "rank {rank} comes to other runs than rank 0: the sweep file, the scenario with its files, and the program must be the same on all machines"
    )]
    Unlike {
        /// The rank.
        rank: usize,
    },
    /// The ranks do not share a folder.
    #[error(
        "rank {rank} does not see what rank 0 writes into {dir}: the folder must be on a file system that all machines share"
    )]
    Apart {
        /// The rank.
        rank: usize,
        /// The folder.
        dir: String,
    },
    /// Messages between ranks failed.
    #[error("messages between ranks failed: {0}")]
    Messages(#[from] RankError),
}
