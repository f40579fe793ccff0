//! Reads files that a scenario names.

use std::path::{Path, PathBuf};

use super::path::Place;
use super::problem::Problem;
use crate::input::{bytes, text};

/// Returns the path of a file that a scenario in a folder names.
pub(super) fn located(folder: Option<&Path>, file: &str) -> PathBuf {
    folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
}

/// Limit on the size of a table, bytes.
const MOST_OF_TABLE: u64 = 4 << 30;

/// Reads a table that a key names with `read`; its faults continue from the file's name.
pub(super) fn table<T>(
    place: &Place,
    file: &str,
    folder: Option<&Path>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Problem> {
    let path = located(folder, file);
    let shown = path.display();
    let text = bytes(&path, MOST_OF_TABLE)
        .and_then(text)
        .map_err(|why| Problem::at(place, format!("cannot read {shown}: {why}")))?;
    read(&text).map_err(|why| Problem::at(place, format!("{shown}{why}")))
}
