//! Reads files that the user, or one of the user's files, names.

use std::io::Read;
use std::path::Path;

/// Most bytes read from a pipe, which does not report its size beforehand.
const MOST_OF_PIPE: u64 = 64 << 20;

/// Returns the contents of a file if they have at most `most` bytes; otherwise the reason why they cannot be read.
/// Anything but a regular file is refused before it is opened: a device may have no end, and a pipe no writer.
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

/// Like [`bytes`], for a file named on the command line, which may be a pipe, as a shell makes of `<(command)`.
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

/// Reads the whole file, at most `most` bytes: a file may grow meanwhile, or report no size.
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

/// Converts bytes to text.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".into())
}
