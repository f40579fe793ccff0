//! Files that are complete or absent: written under a temporary name, flushed to the disk, renamed.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::RecordError;

/// Returns the temporary name of a file in a locked folder.
pub(super) fn part(path: &Path) -> PathBuf {
    named(path, ".part")
}

fn named(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(end);
    path.with_file_name(name)
}

/// Returns a unique suffix for a temporary name: several processes and threads may write one file at a time, also on
/// machines with equal process numbers.
fn own_end() -> String {
    static CHANCE: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let chance = CHANCE.get_or_init(|| RandomState::new().build_hasher().finish());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".{}-{chance:016x}-{count}.part", std::process::id())
}

/// Writes a file under its temporary name and flushes it to the disk; [`publish`] gives it its name. A file that
/// could not be written is removed.
pub(super) fn write_part<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    let part = part(path);
    fill_part(&part, &part, path, fill)
}

/// Writes the file `part`; errors name it `told` on creation and `path` on writing.
fn fill_part<T>(
    part: &Path,
    told: &Path,
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    let written = (|| {
        let file = File::create(part).map_err(RecordError::io("cannot create", told))?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        let value = fill(&mut writer)?;
        writer
            .flush()
            .map_err(RecordError::io("cannot write", path))?;
        let file = writer.get_ref();
        file.sync_all()
            .map_err(RecordError::io("cannot write", path))?;
        Ok(value)
    })();
    if written.is_err() {
        // The relevant error is that of writing.
        let _ = fs::remove_file(part);
    }
    written
}

/// Writes a file that the user names, or that other processes write too. A link is followed to its file; a special
/// file (a device, a pipe) receives the bytes and is not replaced; all others are complete or unchanged.
pub(super) fn write_anew<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    let linked = fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
    // A broken link is replaced.
    let to = match linked {
        true => fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()),
        false => path.to_path_buf(),
    };
    if fs::metadata(&to).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        let file = OpenOptions::new()
            .write(true)
            .open(&to)
            .map_err(RecordError::io("cannot open", path))?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        let value = fill(&mut writer)?;
        writer
            .flush()
            .map_err(RecordError::io("cannot write", path))?;
        return Ok(value);
    }
    let part = named(&to, &own_end());
    let value = fill_part(&part, path, path, fill)?;
    if let Err(why) = fs::rename(&part, &to) {
        let _ = fs::remove_file(&part);
        return Err(RecordError::io("cannot create", path)(why));
    }
    Ok(value)
}

/// Gives a file that [`write_part`] wrote its final name.
pub(super) fn publish(path: &Path) -> Result<(), RecordError> {
    fs::rename(part(path), path).map_err(RecordError::io("cannot create", path))
}

/// Writes a small file so that it is complete or absent at any time.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write_part(path, |w| {
        w.write_all(bytes)
            .map_err(RecordError::io("cannot write", path))
    })?;
    publish(path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => Ok(()),
    }
}

/// Flushes the entries of a folder to the disk, if the system supports it.
pub(super) fn sync_folder(folder: &Path) -> Result<(), RecordError> {
    if cfg!(unix) {
        let file = File::open(folder).map_err(RecordError::io("cannot open", folder))?;
        file.sync_all()
            .map_err(RecordError::io("cannot write", folder))?;
    }
    Ok(())
}

/// Removes a file that may not exist.
pub(super) fn remove_if_there(path: &Path) -> Result<(), RecordError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::io("cannot remove", path)(e))
        }
        _ => Ok(()),
    }
}
