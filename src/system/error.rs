//! Errors with which a run cannot start or go on.

use crate::record::RecordError;

/// Error with which a run cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The setup contradicts itself.
    #[error("{0}")]
    Setup(String),
    /// A record could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A computed number is invalid.
    #[error("{0}")]
    Numerical(String),
    /// A saved state does not fit the setup or the program.
    #[error("the saved state cannot be used: {0}")]
    Saved(String),
    /// A command that the run cannot take.
    #[error("the command cannot be carried out: {0}")]
    Command(String),
    /// Ranks could not reach each other.
    #[error(transparent)]
    Ranks(#[from] crate::ranks::RankError),
    /// Another rank stopped with an error.
    #[error("rank {rank} stopped with an error")]
    Elsewhere {
        /// Number of that rank.
        rank: usize,
    },
}
