//! Which process is at a run. The folder of a run is locked while the run writes; a claim holds from before it is made
//! until its row is there and what shall not be kept of it is removed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::record::{RecordError, lock};

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
        let locked = lock(&path, Duration::ZERO)?;
        Ok(locked.map(|file| Claim { path, _file: file }))
    }
}

impl Drop for Claim {
    /// The name goes before the lock: who has opened the file by then finds the row.
    fn drop(&mut self) {
        // One that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
