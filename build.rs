//! Names the sources that the program is built from: saved states are bound to them.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use fnv::FnvHasher;

/// All files below a folder.
fn files(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, into)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut all = Vec::new();
    files(&root.join("src"), &mut all)?;
    all.sort();
    let mut revision = FnvHasher::default();
    for path in &all {
        // Names as they are in the project, so that where it lies does not count.
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy();
        revision.write(name.replace('\\', "/").as_bytes());
        revision.write(&fs::read(path)?);
    }
    // Code of other crates decides bits too. A library's users have a lock file of their own.
    if let Ok(lock) = fs::read(root.join("Cargo.lock")) {
        revision.write(&lock);
        println!("cargo:rerun-if-changed=Cargo.lock");
    }
    println!("cargo:rerun-if-changed=src");
    let revision = revision.finish();
    println!("cargo:rustc-env=ARENITE_REVISION={revision:016x}");
    Ok(())
}
