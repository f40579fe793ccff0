//! Checksums of a run's files, stored in its summary: a file that has changed since is reported.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crc32fast::Hasher;

use super::RecordError;
use super::folder::SUMMARY;

/// Bytes read at once.
const BUFFER: usize = 1 << 17;

/// Returns length and CRC-32 of a reader's contents.
pub(super) fn length_and_sum(mut input: impl Read) -> io::Result<(u64, u32)> {
    let (mut length, mut sum, mut buffer) = (0, Hasher::new(), vec![0; BUFFER]);
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok((length, sum.finalize())),
            count => {
                length += count as u64;
                sum.update(&buffer[..count]);
            }
        }
    }
}

/// Returns the checksum of a file, as in the summary.
pub(super) fn sum_of(path: &Path) -> Result<String, RecordError> {
    let summed = File::open(path).and_then(length_and_sum);
    let (_, sum) = summed.map_err(RecordError::io("cannot read", path))?;
    Ok(format!("{sum:08x}"))
}

/// The part of a summary that this file needs.
#[derive(serde::Deserialize)]
struct Sums {
    #[serde(default)]
    checksums: BTreeMap<String, String>,
}

/// Checks that a file of a run's folder is the one that the run wrote. A run that has not ended, and one of an older
/// version, have no checksums.
///
/// # Errors
/// A file that differs, or a summary that cannot be read.
pub(super) fn check(path: &Path) -> Result<(), RecordError> {
    let summary = path.with_file_name(SUMMARY);
    let text = match fs::read(&summary) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(RecordError::io("cannot read", &summary))?,
    };
    let sums: Sums = serde_json::from_slice(&text)
        .map_err(|why| RecordError::damaged(&summary, why.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(written) = sums.checksums.get(name.as_ref()) else {
        return Ok(());
    };
    let found = sum_of(path)?;
    if found == *written {
        return Ok(());
    }
    Err(RecordError::damaged(
        path,
        format!(
            "was damaged or changed after the run had ended: its checksum is {found}, that in {SUMMARY} is {written}"
        ),
    ))
}
