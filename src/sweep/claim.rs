//! Which process is at a run. The folder of a run is locked while the run writes; a claim holds from before it is made
//! until its row is there and what shall not be kept of it is removed.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::record::RecordError;

/// A run that this process is at; the system lets go of it when the process ends in whatever way.
pub(super) struct Claim {
    path: PathBuf,
    /// Held for its lock.
    _file: File,
}

impl Claim {
    /// Claims a run of the sweep in a folder; none if another process has it.
    pub(super) fn take(dir: &Path, label: &str) -> Result<Option<Claim>, RecordError> {
        let path = dir.join("runs").join(format!(".{label}.lock"));
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(RecordError::io("cannot create", &path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Some file systems know no locks; better to run without than not at all.
            Err(TryLockError::Error(e)) if e.kind() != std::io::ErrorKind::Unsupported => {
                Err(RecordError::io("cannot lock", &path)(e))
            }
            _ => Ok(Some(Claim { path, _file: file })),
        }
    }
}

impl Drop for Claim {
    /// The name goes before the lock: who has opened the file by then finds the row.
    fn drop(&mut self) {
        // One that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
