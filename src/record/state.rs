//! Checkpoint files: `state-N`, each with a checksum; the previous one is kept.
//!
//! Layout, little-endian: 8 bytes of magic, version (u32), number of spools (u32), length and CRC-32 of the part of
//! each spool that belongs to it (u64, u32), snapshots so far (u64), length of the state before and after compression
//! (u64 each), the state compressed by zstd, and the 64-bit FNV-1a hash of all preceding bytes (u64).

use std::borrow::Cow;
use std::fs;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};

use fnv::FnvHasher;

use super::RecordError;
use super::column::Table;
use super::spool::Extent;
use super::whole::{remove_if_there, write_whole};

const MAGIC: &[u8; 8] = b"ARENITE\n";
const VERSION: u32 = 12;
/// Fast, and nearly as compact as higher levels for numbers that are mostly noise.
const LEVEL: i32 = 1;

/// A checkpoint in memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checkpoint<'a> {
    /// The part of each spool that was written before it, in order of [`Table::ALL`].
    pub(super) spools: Vec<Extent>,
    /// Snapshots taken so far.
    pub(super) snapshots: u64,
    /// The state of the driver.
    pub(super) state: Cow<'a, [u8]>,
}

/// Returns the FNV-1a hash with 64 bits: each step is one-to-one in the hash so far, so that it detects a change of
/// any single byte.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    hash.finish()
}

fn encode(checkpoint: &Checkpoint<'_>, path: &Path) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(checkpoint.spools.len() as u32).to_le_bytes());
    for spool in &checkpoint.spools {
        bytes.extend_from_slice(&spool.length.to_le_bytes());
        bytes.extend_from_slice(&spool.sum.to_le_bytes());
    }
    bytes.extend_from_slice(&checkpoint.snapshots.to_le_bytes());
    bytes.extend_from_slice(&(checkpoint.state.len() as u64).to_le_bytes());
    // The length after compression is known only afterwards.
    let length = bytes.len();
    bytes.extend_from_slice(&[0; 8]);
    let packed = length + 8;
    zstd::stream::copy_encode(&checkpoint.state[..], &mut bytes, LEVEL)
        .map_err(RecordError::io("cannot compress", path))?;
    let packed = (bytes.len() - packed) as u64;
    bytes[length..length + 8].copy_from_slice(&packed.to_le_bytes());
    bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Decodes a checkpoint; none if the bytes are not a complete one.
fn decode(bytes: &[u8]) -> Option<Checkpoint<'static>> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    let mut take = |count: usize| -> Option<&[u8]> {
        let (head, tail) = rest.split_at_checked(count)?;
        rest = tail;
        Some(head)
    };
    let small = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
    let large = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    if small(take(4)?)? != VERSION || small(take(4)?)? as usize != Table::ALL.len() {
        return None;
    }
    let mut spools = Vec::new();
    for _ in Table::ALL {
        spools.push(Extent {
            length: large(take(8)?)?,
            sum: small(take(4)?)?,
        });
    }
    let snapshots = large(take(8)?)?;
    let raw = usize::try_from(large(take(8)?)?).ok()?;
    let packed = usize::try_from(large(take(8)?)?).ok()?;
    // The buffer grows while reading, since `raw` is not verified yet.
    let mut state = Vec::new();
    let packed = zstd::stream::read::Decoder::with_buffer(take(packed)?).ok()?;
    packed
        .take((raw as u64).saturating_add(1))
        .read_to_end(&mut state)
        .ok()?;
    (rest.is_empty() && state.len() == raw).then_some(Checkpoint {
        spools,
        snapshots,
        state: state.into(),
    })
}

/// Returns the state in the bytes of a checkpoint file, or none if they are not a complete one.
pub(crate) fn whole_checkpoint(bytes: &[u8]) -> Option<Vec<u8>> {
    decode(bytes).map(|checkpoint| checkpoint.state.into_owned())
}

/// Returns the checkpoint files of a folder with their numbers, the newest first.
pub(super) fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, RecordError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(RecordError::io("cannot read", folder))? {
        let path = entry
            .map_err(RecordError::io("cannot read", folder))?
            .path();
        let name = path.file_name().and_then(|n| n.to_str());
        let number = name.and_then(|n| n.strip_prefix("state-")?.parse().ok());
        if let Some(number) = number {
            found.push((number, path));
        }
    }
    found.sort();
    found.reverse();
    Ok(found)
}

/// Writes the next checkpoint and removes all but the previous one.
pub(super) fn save(folder: &Path, checkpoint: &Checkpoint<'_>) -> Result<(), RecordError> {
    let old = list(folder)?;
    let number = old.first().map_or(1, |(number, _)| number + 1);
    let path = folder.join(format!("state-{number}"));
    write_whole(&path, &encode(checkpoint, &path)?)?;
    for (_, path) in old.iter().skip(1) {
        remove_if_there(path)?;
    }
    Ok(())
}

/// Whether the bytes are a complete checkpoint of another version of the layout.
fn of_another_version(bytes: &[u8]) -> bool {
    let Some((body, sum)) = bytes.split_last_chunk::<8>() else {
        return false;
    };
    checksum(body) == u64::from_le_bytes(*sum)
        && body.starts_with(MAGIC)
        && body.get(8..12) != Some(&VERSION.to_le_bytes())
}

/// Loads the newest checkpoint that is complete and that `usable` accepts; damaged newer ones are removed, so that
/// the checkpoints written next keep a valid one before the last. None if there is no checkpoint; if all are damaged,
/// they stay and the error names them.
pub(super) fn load(
    folder: &Path,
    usable: impl Fn(&Checkpoint<'_>) -> bool,
) -> Result<Option<Checkpoint<'static>>, RecordError> {
    let mut damaged: Vec<PathBuf> = Vec::new();
    for (_, path) in list(folder)? {
        let bytes = fs::read(&path).map_err(RecordError::io("cannot read", &path))?;
        if of_another_version(&bytes) {
            return Err(RecordError::damaged(
                &path,
                "the checkpoint was written by another version of the program; resume with that one",
            ));
        }
        match decode(&bytes) {
            Some(checkpoint) if usable(&checkpoint) => {
                for path in &damaged {
                    remove_if_there(path)?;
                }
                return Ok(Some(checkpoint));
            }
            _ => damaged.push(path),
        }
    }
    let Some((first, rest)) = damaged.split_first() else {
        return Ok(None);
    };
    let before = if rest.is_empty() {
        ", and there is none before it"
    } else {
        ", and so is the one before it"
    };
    Err(RecordError::damaged(
        first,
        format!(
            "the checkpoint or the records that belong to it are damaged{before}; start the run \
             anew with --force"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seed: u8) -> Checkpoint<'static> {
        Checkpoint {
            spools: (0..Table::ALL.len() as u32)
                .map(|k| Extent {
                    length: u64::from(k) + u64::from(seed),
                    sum: k.wrapping_mul(0x9e37_79b9),
                })
                .collect(),
            snapshots: 7,
            state: (0..900u32).map(|k| ((k * k) >> 3) as u8 ^ seed).collect(),
        }
    }

    /// Test vectors of the authors of the hash: files written by one version are read by the next.
    #[test]
    fn the_checksum_is_fnv_1a() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(checksum(text.as_bytes()), hash);
        }
    }

    #[test]
    fn any_damage_is_seen() {
        let bytes = encode(&sample(1), Path::new("x")).unwrap();
        assert_eq!(decode(&bytes), Some(sample(1)));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None);
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                assert_eq!(decode(&damaged), None, "byte {place} bit {bit}");
            }
        }
    }

    #[test]
    fn another_version_is_told_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state-1");
        let mut bytes = encode(&sample(1), &path).unwrap();
        bytes[8] += 1;
        let body = bytes.len() - 8;
        let sum = checksum(&bytes[..body]).to_le_bytes();
        bytes[body..].copy_from_slice(&sum);
        fs::write(&path, bytes).unwrap();
        let message = load(folder.path(), |_| true).unwrap_err().to_string();
        assert!(message.contains("another version"), "{message}");
        assert!(path.exists());
    }

    #[test]
    fn the_one_before_is_kept_and_used() {
        let folder = tempfile::tempdir().unwrap();
        for seed in 1..=4 {
            save(folder.path(), &sample(seed)).unwrap();
        }
        let names: Vec<u64> = list(folder.path()).unwrap().iter().map(|f| f.0).collect();
        assert_eq!(names, [4, 3]);
        assert_eq!(load(folder.path(), |_| true).unwrap(), Some(sample(4)));
        let newest = folder.path().join("state-4");
        let bytes = fs::read(&newest).unwrap();
        fs::write(&newest, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(load(folder.path(), |_| true).unwrap(), Some(sample(3)));
        // No valid checkpoint is left: this is an error, and no further file is removed.
        let message = load(folder.path(), |_| false).unwrap_err().to_string();
        assert!(
            message.contains("state-3") && message.contains("damaged"),
            "{message}"
        );
        assert_eq!(load(folder.path(), |_| true).unwrap(), Some(sample(3)));
        fs::remove_file(folder.path().join("state-3")).unwrap();
        assert_eq!(load(folder.path(), |_| true).unwrap(), None);
    }
}
