//! Records of a run: tables, summary, checkpoints and exports.

mod rows;
mod summary;

pub use rows::*;
pub use summary::*;

/// What can go wrong when a record is written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The operating system refused.
    #[error("{action} {path}: {source}")]
    Io {
        /// What was being done, as "cannot write".
        action: &'static str,
        /// The file or folder.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{path}: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
}
