//! A run's folder with one of its files replaced: the first byte says which.

#![no_main]

use std::sync::LazyLock;

use arenite::outside;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// A run's folder, and its files as they were.
static RUN: LazyLock<(TempDir, Vec<(String, Vec<u8>)>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let files = outside::run_folder(folder.path());
    (folder, files)
});

fuzz_target!(|bytes: &[u8]| {
    let Some((which, held)) = bytes.split_first() else {
        return;
    };
    let (folder, files) = &*RUN;
    let (name, whole) = &files[usize::from(*which) % files.len()];
    let path = folder.path().join(name);
    std::fs::write(&path, held).expect("a file");
    let _ = outside::records(folder.path());
    std::fs::write(&path, whole).expect("a file");
});
