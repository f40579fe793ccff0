//! Sweeps: many runs of one scenario with varied keys, and one table of their results.
//!
//! A [`Sweep`] is read from a file ([`spec::SweepSpec`]) and gives a list of [`Point`]s, each a set of values of a
//! scenario with a seed. [`run`] executes those that a folder does not contain yet, on all cores, and [`table()`]
//! puts the figures of all into one table; [`study`] computes means, jam probabilities and Beverloo's law. Each
//! finished run is a small file of its own, so that a sweep can be killed at any time, and so that parts of it can
//! run on other machines without a server.

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
pub mod sample;
mod shard;
pub mod spec;
pub mod study;
mod table;

/// File in a sweep's folder with the settings of the command line, as a list of `key.path=value`.
pub const OVERRIDES: &str = "overrides.json";

pub use axis::{Scalar, Setting};
pub use batch::{Done, Look, Options, run};
pub use file::{Point, Sweep, schema};
pub use keep::Keep;
pub use over::run_over;
pub use row::{Row, figure_columns};
pub use shard::Shard;
pub use table::{describe, read_rows, table};
pub(crate) use table::{others, write as write_table};

use crate::ranks::RankError;
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
