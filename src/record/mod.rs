//! Records of a run: tables, summary, checkpoints and data exports.
//!
//! During a run its rows go to append-only spools in `checkpoint/` ([`RunFolder`]); a checkpoint notes the length of
//! each spool, so that a resumed run cuts off later rows and ends with the same bytes as one that was never stopped.
//! At the end the spools become Parquet tables. The columns are defined in one place, the fields of `tables.rs`:
//! packing, Parquet metadata, CSV and the documentation all follow from it.
//!
//! ```
//! use arenite::prelude::*;
//! use arenite::record::{RunFolder, read};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let folder = place.path();
//! let values = [Override::set("run.end_time=0.02")?];
//! let resolved = Scenario::load("hopper", &values)?.resolve()?;
//! let mut records = RunFolder::create(folder, &resolved.meta(), 1, false)?;
//! let mut simulation = Simulation::builder()
//!     .text("hopper", resolved.toml)
//!     .sink(&mut records)
//!     .build()?;
//! simulation.run()?;
//! let summary = simulation.summary();
//! drop(simulation);
//! records.finish(&summary)?;
//!
//! // The folder is read as columns, or as snapshots.
//! let series = read::series(folder)?;
//! assert_eq!(series.floats("time")?.last(), Some(&0.02));
//! let mut snapshots = read::Snapshots::open(folder)?;
//! let first = snapshots.next_snapshot()?.expect("a snapshot at the start");
//! assert!(!first.grains.is_empty());
//! # Ok(())
//! # }
//! ```

mod aliases;
mod bonds;
mod clock;
mod column;
mod convert;
mod energy;
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

pub use crate::event::{EventKind, Regime};
pub use crate::stress::Place;
#[doc(hidden)]
pub use aliases::{OLD_COLUMNS, column_now};
pub use bonds::{BodyFigures, BondFigures, BondState};
pub use column::{Column, Kind, Table};
pub use energy::{Dissipated, EnergyFigures, FieldFigures};
pub(crate) use export::forget_older;
#[doc(hidden)]
pub use export::{CellArray, CellImage, write_collection};
pub use export::{DataFormat, export_data};
pub use figures::{FigureValue, figure_columns, figures};
pub use folder::RunFolder;
pub use frame::{Cells, Frame, FrameColumn};
#[doc(hidden)]
pub use hierarchy::Hierarchy;
pub(crate) use lock::lock;
pub use meta::{Extras, RunMeta, WallDrawing};
pub(crate) use nodes::MODELS;
pub use nodes::{ForceError, GroupRow, ModelFigures, NodeFigures};
pub use rows::*;
pub use shape::{GrainShape, ShapePart};
pub(crate) use state::{checksum, whole_checkpoint};
pub(crate) use summary::corrected;
pub use summary::*;
pub use tables::columns;
#[doc(hidden)]
pub use tables::describe;

/// Errors of writing or reading a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// An error of the operating system.
    #[error("{action} {path}: {source}")]
    Io {
        /// The attempted action, as "cannot write".
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The error.
        source: std::io::Error,
    },
    /// A file with invalid contents.
    #[error("{path}: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// The fault.
        what: String,
    },
    /// Another run writes into the folder.
    #[error("{path}: another run is writing here; wait for it to end or choose another folder")]
    Busy {
        /// The folder.
        path: String,
    },
    /// A run is already there and must not be overwritten by accident.
    #[error("{path}: {what}")]
    Exists {
        /// The folder.
        path: String,
        /// The conflict, and possible actions.
        what: String,
    },
    /// There is no state to resume from.
    #[error("{path}: nothing to resume: {what}")]
    NothingToResume {
        /// The folder.
        path: String,
        /// The reason.
        what: String,
    },
}

/// Writes a file so that it is complete or absent at any time, even where several processes write it; creates its
/// folder. A device or a pipe receives the bytes and is not replaced.
#[doc(hidden)]
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
    /// For `map_err`: adds the action and the path to an error.
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

    /// Returns the error for a file with invalid contents.
    pub(crate) fn damaged(path: &std::path::Path, what: impl Into<String>) -> RecordError {
        RecordError::Damaged {
            path: path.display().to_string(),
            what: what.into(),
        }
    }
}
