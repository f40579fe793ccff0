//! Records of a run: tables, summary, checkpoints and data exports.
//!
//! While a run goes on its rows go to append-only spools in `checkpoint/` ([`RunFolder`]); a
//! checkpoint notes how long each spool is, so that a resumed run cuts off what came after and
//! ends with the same bytes as one that was never stopped. At the end the spools become Parquet
//! tables. What a column holds is told in one place, the fields of `tables.rs`: packing, Parquet
//! metadata, CSV and the documentation all follow from it.

mod clock;
mod column;
mod convert;
mod export;
mod figures;
mod folder;
mod frame;
mod hierarchy;
mod lock;
mod meta;
mod nodes;
pub mod read;
mod rows;
mod shape;
mod snapshots;
mod spool;
mod state;
mod summary;
mod sums;
mod tables;
mod whole;

pub use column::{Column, Kind, Table};
pub(crate) use export::forget_older;
pub use export::{CellArray, CellImage, DataFormat, export_data, write_collection};
pub use figures::{FigureValue, figure_columns, figures};
pub use folder::RunFolder;
pub use frame::{Cells, Frame, FrameColumn};
pub use hierarchy::Hierarchy;
pub(crate) use lock::lock;
pub use meta::{RunMeta, WallDrawing};
pub(crate) use nodes::MODELS;
pub use nodes::{GroupRow, ModelFigures, NodeFigures};
pub use rows::*;
pub use shape::{GrainShape, ShapePart};
pub(crate) use state::{checksum, whole_checkpoint};
pub(crate) use summary::corrected;
pub use summary::*;
pub use tables::{columns, describe};

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
    /// Another run writes into the folder.
    #[error("{path}: another run is writing here; wait for it to end or choose another folder")]
    Busy {
        /// The folder.
        path: String,
    },
    /// A run is already there and must not be lost by accident.
    #[error("{path}: {what}")]
    Exists {
        /// The folder.
        path: String,
        /// What is there and what can be done.
        what: String,
    },
    /// There is nothing to go on with.
    #[error("{path}: nothing to resume: {what}")]
    NothingToResume {
        /// The folder.
        path: String,
        /// Why.
        what: String,
    },
}

/// Writes a file so that it is whole or absent at any moment, also where several processes write it; makes its
/// folder. A device or a pipe takes the bytes and stays what it is.
pub fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<(), RecordError> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(RecordError::io("cannot create", folder))?;
    }
    whole::write_anew(path, |out| {
        std::io::Write::write_all(out, bytes).map_err(RecordError::io("cannot write", path))
    })?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && path.is_file() => {
            whole::sync_folder(folder)
        }
        _ => Ok(()),
    }
}

impl RecordError {
    /// For `map_err`: names the action and the path of a refusal.
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(std::io::Error) -> RecordError {
        move |source| RecordError::Io {
            action,
            path: path.display().to_string(),
            source,
        }
    }

    /// A file is not what it should be.
    pub(crate) fn damaged(path: &std::path::Path, what: impl Into<String>) -> RecordError {
        RecordError::Damaged {
            path: path.display().to_string(),
            what: what.into(),
        }
    }
}
