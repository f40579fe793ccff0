//! What an older export left in a folder: of other moments, it would pass for the new one's.

use std::path::Path;

use crate::record::RecordError;
use crate::record::whole::remove_if_there;

/// Removes these files of `out`, and the numbered files with these ends of its folders; a folder that is empty then
/// goes too. What has another name is somebody's own and stays.
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
        // Empty now, unless somebody keeps something there.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}
