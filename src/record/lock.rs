//! Locks of the operating system, which are released however the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::RecordError;

/// Creates a file, if there is none, and locks it for the lifetime of the returned handle; none if another process
/// keeps it locked for `patience`.
pub(crate) fn lock(path: &Path, patience: Duration) -> Result<Option<File>, RecordError> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(RecordError::io("cannot create", path))?;
    let since = Instant::now();
    let mut locked = file.try_lock();
    while matches!(locked, Err(TryLockError::WouldBlock)) && since.elapsed() < patience {
        std::thread::sleep(patience / 30);
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        // Some file systems do not support locks; running without one is better than not running.
        Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => {
            Ok(Some(file))
        }
        Err(TryLockError::Error(e)) => Err(RecordError::io("cannot lock", path)(e)),
    }
}
