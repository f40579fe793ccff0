//! Files that are whole or absent: written under a temporary name, put on the disk, renamed.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::RecordError;

/// The name under which a file is written before it is whole.
pub(super) fn part(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

/// Writes a file under its temporary name and puts it on the disk; [`publish`] gives it its name.
/// What could not be written is removed.
pub(super) fn write_part<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    let part = part(path);
    let written = (|| {
        let file = File::create(&part).map_err(RecordError::io("cannot create", &part))?;
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
        // The error that matters is the one of writing.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Gives a file that [`write_part`] wrote its final name.
pub(super) fn publish(path: &Path) -> Result<(), RecordError> {
    fs::rename(part(path), path).map_err(RecordError::io("cannot create", path))
}

/// Writes a small file so that it is whole or absent at any moment.
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

/// Puts the names in a folder on the disk, where the system can do that.
pub(super) fn sync_folder(folder: &Path) -> Result<(), RecordError> {
    if cfg!(unix) {
        let file = File::open(folder).map_err(RecordError::io("cannot open", folder))?;
        file.sync_all()
            .map_err(RecordError::io("cannot write", folder))?;
    }
    Ok(())
}

/// Removes a file that may not be there.
pub(super) fn remove_if_there(path: &Path) -> Result<(), RecordError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::io("cannot remove", path)(e))
        }
        _ => Ok(()),
    }
}
