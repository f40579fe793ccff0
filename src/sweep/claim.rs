//! Claims on runs between processes. The folder of a run is locked while the run writes; a claim lasts from before
//! the folder is created until the run's row is written and unwanted output is removed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::record::{RecordError, lock};

/// A claim of this process on a run; the system releases it however the process ends.
pub(super) struct Claim {
    path: PathBuf,
    /// Kept for its lock.
    _file: File,
}

impl Claim {
    /// Claims a run of the sweep in a folder; none if another process has claimed it.
    pub(super) fn take(dir: &Path, label: &str) -> Result<Option<Claim>, RecordError> {
        let path = dir.join("runs").join(format!(".{label}.lock"));
        let locked = lock(&path, Duration::ZERO)?;
        Ok(locked.map(|file| Claim { path, _file: file }))
    }
}

impl Drop for Claim {
    /// Removes the file before the lock: a process that has opened the file by then finds the row.
    fn drop(&mut self) {
        // A remaining file does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
