//! Removes files of an older export from a folder: they hold other times and would pass for part of the new export.

use std::path::Path;

use crate::record::RecordError;
use crate::record::whole::remove_if_there;

/// Removes the given `files` of `out`, and the numbered files with the given ends in its folders; a folder that is
/// then empty is removed too. Files with other names belong to the user and stay.
pub(crate) fn forget_older(
    out: &Path,
    files: &[&str],
    folders: &[&str],
    ends: &[&str],
) -> Result<(), RecordError> {
    for name in files {
        remove_if_there(&out.join(name))?;
    }
    for folder in folders.iter().map(|name| out.join(name)) {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let number = path.file_stem().and_then(|stem| stem.to_str());
            let numbered =
                number.is_some_and(|n| n.len() >= 5 && n.bytes().all(|b| b.is_ascii_digit()));
            let end = path.extension().and_then(|end| end.to_str());
            if numbered && end.is_some_and(|end| ends.contains(&end)) {
                remove_if_there(&path)?;
            }
        }
        // Removes the folder only if it is empty: the user may keep other files there.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}
