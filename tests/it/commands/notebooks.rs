//! The Python of docs/notebooks.md, run by a real one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::cli_tools::{run_well, said};

/// Each block of Python prints the block of text that follows it. Needs a Python with pandas, pyarrow, polars
/// and duckdb: `ARENITE_PYTHON=python3 cargo test --release --test it -- --ignored notebooks`; with
/// `ARENITE_BLESS=1` the printed texts are written anew.
#[test]
#[ignore = "needs a Python with pandas, pyarrow, polars and duckdb, named by ARENITE_PYTHON"]
fn notebooks_print_what_they_show() {
    let Some(python) = std::env::var_os("ARENITE_PYTHON") else {
        panic!("ARENITE_PYTHON is not set");
    };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/notebooks.md");
    let text = fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let commands = text.split("```\n").nth(1).unwrap_or_default();
    for line in commands.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        run_well(folder.path(), &words);
    }
    let mut written = String::new();
    let mut rest = text.as_str();
    let mut count = 0;
    while let Some((before, after)) = rest.split_once("```python\n") {
        let (script, after) = after.split_once("```\n").unwrap();
        let (between, after) = after.split_once("```text\n").unwrap();
        let (shown, after) = after.split_once("```\n").unwrap();
        let output = Command::new(&python)
            .args(["-c", script])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}\n{}", said(&output));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if std::env::var_os("ARENITE_BLESS").is_none() {
            assert_eq!(printed, shown, "{script}");
        }
        written += &format!("{before}```python\n{script}```\n{between}```text\n{printed}```\n");
        rest = after;
        count += 1;
    }
    assert_eq!(count, 4);
    if std::env::var_os("ARENITE_BLESS").is_some() {
        fs::write(&path, written + rest).unwrap();
    }
}
