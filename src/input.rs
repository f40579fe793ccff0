//! Files that the user, or a file of the user, names.

use std::io::Read;
use std::path::Path;

/// What a pipe may hand over, bytes: it tells no size beforehand.
const MOST_OF_PIPE: u64 = 64 << 20;

/// What a file holds, if that is no more than `most` bytes; else why it cannot be read. What is no plain
/// file is refused before it is opened: a device may have no end, and a pipe no other end.
pub(crate) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|why| why.to_string())?;
    if about.is_dir() {
        return Err("it is a folder".into());
    }
    if !about.is_file() {
        return Err("it is no plain file".into());
    }
    if about.len() > most {
        return Err(format!("{} bytes are more than {most}", about.len()));
    }
    held(path, about.len(), most)
}

/// The same, of a file that the command line names: that may be a pipe, as a shell makes of `<(command)`.
pub(crate) fn bytes_or_pipe(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    match std::fs::metadata(path) {
        Ok(about) if is_pipe(&about) => held(path, 0, most.min(MOST_OF_PIPE)),
        _ => bytes(path, most),
    }
}

#[cfg(unix)]
fn is_pipe(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

/// Reads all of it, at most so many bytes: a file may grow meanwhile, or tell no size.
fn held(path: &Path, size: u64, most: u64) -> Result<Vec<u8>, String> {
    let file = std::fs::File::open(path).map_err(|why| why.to_string())?;
    let mut bytes = Vec::with_capacity(size as usize);
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|why| why.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    Ok(bytes)
}

/// Bytes as a text.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".into())
}
