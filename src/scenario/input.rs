//! Files that a scenario names.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::path::Place;
use super::problem::Problem;

/// The path of a file that a scenario in a folder names.
pub(super) fn located(folder: Option<&Path>, file: &str) -> PathBuf {
    folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
}

/// What a file holds, if that is no more than `most` bytes; else why it cannot be read.
pub(super) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let file = std::fs::File::open(path).map_err(|why| why.to_string())?;
    let size = file.metadata().map_or(0, |about| about.len());
    if size > most {
        return Err(format!("{size} bytes are more than {most}"));
    }
    // What is no plain file has no size that could be asked beforehand.
    let mut bytes = Vec::with_capacity(size as usize);
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|why| why.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    Ok(bytes)
}

/// The same, of a text.
pub(super) fn text(path: &Path, most: u64) -> Result<String, String> {
    let bytes = bytes(path, most)?;
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".into())
}

/// A table over this size is refused, bytes.
const MOST_OF_TABLE: u64 = 4 << 30;

/// A table that a key names, read by `read`, whose faults go on from the file's name.
pub(super) fn table<T>(
    place: &Place,
    file: &str,
    folder: Option<&Path>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Problem> {
    let path = located(folder, file);
    let shown = path.display();
    let text = text(&path, MOST_OF_TABLE)
        .map_err(|why| Problem::at(place, format!("cannot read {shown}: {why}")))?;
    read(&text).map_err(|why| Problem::at(place, format!("{shown}{why}")))
}
