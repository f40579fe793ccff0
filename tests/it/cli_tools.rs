//! Running the program in a folder, for the tests that go through the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The tables of a run's folder.
pub const TABLES: [&str; 6] = [
    "events.parquet",
    "series.parquet",
    "grains.parquet",
    "links.parquet",
    "stagnant.parquet",
    "impacts.parquet",
];

/// The program, about to run in a folder.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arenite"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// Runs the program in a folder.
pub fn arenite(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .output()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Starts the program in a folder and does not wait for it.
pub fn start(folder: &Path, arguments: &[&str]) -> Child {
    command(folder, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What the program said to the user beside its results.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a scenario and wants it to end well.
pub fn run_well(folder: &Path, arguments: &[&str]) {
    let output = arenite(folder, arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments:?}: {}",
        said(&output)
    );
}

/// The summary of a run.
pub fn summary(run: &Path) -> Value {
    let path = run.join("summary.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A number of a summary, by a JSON pointer.
pub fn number(summary: &Value, pointer: &str) -> f64 {
    summary
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("{pointer} is no number in {summary:#}"))
}

/// The number of the newest checkpoint in a run's folder; 0 when there is none.
pub fn newest_checkpoint(run: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(run.join("checkpoint")) else {
        return 0;
    };
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_prefix("state-")?.parse().ok()
        })
        .max()
        .unwrap_or(0)
}

/// Waits for a checkpoint with at least this number; false when the program ended before it came.
pub fn wait_for_checkpoint(run: &Path, child: &mut Child, number: u64) -> bool {
    let since = Instant::now();
    while newest_checkpoint(run) < number {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return false;
        }
        assert!(
            since.elapsed() < Duration::from_secs(120),
            "no checkpoint {number} in {}",
            run.display()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Files of a run's folder under their final names that are only there when the run has ended.
pub fn results_there(run: &Path) -> Vec<PathBuf> {
    TABLES
        .iter()
        .chain(&["summary.json"])
        .map(|name| run.join(name))
        .filter(|path| path.exists())
        .collect()
}
