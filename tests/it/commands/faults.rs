//! Runs that cannot start or cannot go on: what the user is told, and what is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::cli_tools::{
    TABLES, arenite, newest_checkpoint, results_there, run_well, said, start, summary,
    wait_for_checkpoint,
};

pub fn mixed() -> String {
    format!("{}/tests/data/runs/mixed.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The message of a command that must fail with this status and print no result.
fn refused(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{}", said(output));
    assert!(output.stdout.is_empty());
    said(output)
}

/// A disk on a floor, started a little above it.
const DROP: &str = "name = \"drop\"\ndimension = 2\n[field]\ngravity = [0.0, -9.8]\n[run]\n\
    end_time = 0.05\n[[boundary]]\nname = \"floor\"\nmaterial = \"thesis-wall\"\n\
    plane = { point = [0, 0], normal = [0, 1] }\n[[fill]]\nmaterial = \"thesis-disk\"\n\
    grains = [{ position = [0, 0.012], radius = 0.01 }]\n";

/// One disk at a wall: damping rate (1 + 1 / b) c / m = 3 x 1500 / 0.37385 = 1.2037e4 1/s, four
/// times that in a packing. A step over twice the inverse is warned of, one over four times it refused.
#[test]
fn a_step_too_large_is_warned_of_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("drop.toml"), DROP).unwrap();
    let run = |step: &str| {
        arenite(
            folder.path(),
            &["run", "drop.toml", "-q", "--force", "--set", step],
        )
    };
    let message = refused(&run("run.step=2e-4"), 2);
    let wanted = "error: the step of 2.000e-4 s is too large: link thesis-disk-wall `floor`: \
        fastest damping in a packing 4.8148e4 1/s allows 4.154e-5 s at most; above it, settled \
        grains do not come to rest, and this far above it the run would blow up\n --> command \
        line:1:16\n";
    assert!(message.starts_with(wanted), "{message}");
    assert!(!folder.path().join("runs").exists());
    let output = arenite(
        folder.path(),
        &["run", "drop.toml", "--set", "run.step=5e-5"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let wanted = "the step of 5.000e-5 s is too large: link thesis-disk-wall `floor`: fastest \
        damping in a packing 4.8148e4 1/s allows 4.154e-5 s at most; above it, settled grains do \
        not come to rest";
    let told = said(&output);
    assert!(told.starts_with(&format!("warning: {wanted}\n")), "{told}");
    let figures = summary(&folder.path().join("runs/drop-1"));
    assert_eq!(figures["warnings"], serde_json::json!([wanted]));
    run_well(folder.path(), &["run", "drop.toml", "-q", "--force"]);
    let figures = summary(&folder.path().join("runs/drop-1"));
    assert_eq!(figures["warnings"], serde_json::json!([]));
}

/// A grain that crosses more than its radius in a step would pass through a wall unseen.
#[test]
fn a_grain_too_fast_to_be_seen_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let fast = DROP.replace("radius = 0.01 }", "radius = 0.01, velocity = [0, -1e4] }");
    fs::write(folder.path().join("fast.toml"), fast).unwrap();
    let arguments = ["run", "fast.toml", "-q", "--set", "run.step=3.3e-5"];
    let message = refused(&arenite(folder.path(), &arguments), 1);
    assert!(
        message
            .starts_with("error: the run failed: grain 0 moves 3.300e-1 m in a step of 3.300e-5 s")
            && message.contains("more than its radius of 1.000e-2 m")
            && message.ends_with("what was recorded until then is in runs/drop-1\n"),
        "{message}"
    );
    assert_eq!(
        summary(&folder.path().join("runs/drop-1"))["status"],
        "failed"
    );
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = mixed();
    let run = folder.path().join("run");
    let mut first = start(
        folder.path(),
        &["run", &file, "-q", "-o", "run", "--set", "run.end_time=60"],
    );
    assert!(wait_for_checkpoint(&run, &mut first, 1));
    let before = fs::read(run.join("scenario.toml")).unwrap();
    let wanted = "error: run: another run is writing here; wait for it to end or choose another \
        folder\n";
    for more in ["--force", "--resume"] {
        let arguments = [
            "run",
            &file,
            "-q",
            "-o",
            "run",
            "--set",
            "run.end_time=60",
            more,
        ];
        let message = refused(&arenite(folder.path(), &arguments), 2);
        assert_eq!(message, wanted, "{more}");
    }
    assert!(first.try_wait().unwrap().is_none(), "the first run ended");
    assert_eq!(fs::read(run.join("scenario.toml")).unwrap(), before);
    first.kill().unwrap();
    first.wait().unwrap();
    // Without a word nothing is lost either.
    let message = refused(
        &arenite(
            folder.path(),
            &["run", &file, "-q", "-o", "run", "--set", "run.end_time=60"],
        ),
        2,
    );
    assert_eq!(
        message,
        "error: run: holds a run that was not finished; go on with --resume, or replace it with \
         --force\n"
    );
}

#[test]
fn only_the_same_unfinished_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let file = mixed();
    let run = |more: &[&str]| {
        let arguments = [&["run", file.as_str(), "-q", "-o", "run"], more].concat();
        arenite(folder.path(), &arguments)
    };
    let message = refused(&run(&["--resume"]), 2);
    assert_eq!(
        message,
        "error: run: nothing to resume: no run was started in this folder\n"
    );
    // Far too little time: it stops at once.
    refused(&run(&["--wall-limit", "1e-6"]), 130);
    let message = refused(&run(&["--resume", "--seed", "8"]), 2);
    assert_eq!(
        message,
        "error: run: the run to resume is another one: `seed` is 7 there and 8 here\n"
    );
    let path = folder.path().join("run/scenario.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("seed = 7", "seed = 8")).unwrap();
    let message = refused(&run(&["--resume", "--seed", "8"]), 2);
    assert_eq!(
        message,
        "error: run/scenario.toml: was changed after the run was started; restore it, or run it \
         into another folder\n"
    );
    fs::write(&path, text).unwrap();
    assert_eq!(run(&["--resume"]).status.code(), Some(0));
    let message = refused(&run(&["--resume"]), 2);
    assert_eq!(
        message,
        "error: run: nothing to resume: the run is finished\n"
    );
}

/// A checkpoint that is cut off is not used; the one before it is, and else the start.
#[test]
fn damaged_checkpoints_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = mixed();
    run_well(folder.path(), &["run", &file, "-q", "-o", "whole"]);
    let hash = |name: &str| summary(&folder.path().join(name))["state_hash"].clone();
    for both in [false, true] {
        let run = folder.path().join("run");
        let _ = fs::remove_dir_all(&run);
        let mut child = start(folder.path(), &["run", &file, "-q", "-o", "run"]);
        assert!(wait_for_checkpoint(&run, &mut child, 6));
        child.kill().unwrap();
        child.wait().unwrap();
        let newest = newest_checkpoint(&run);
        // A kill may leave three: the new one there, and the oldest not yet removed.
        for number in (0..=newest).rev().take(if both { 3 } else { 1 }) {
            let path = run.join(format!("checkpoint/state-{number}"));
            let Ok(bytes) = fs::read(&path) else { continue };
            fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
        }
        let again = |how: &str| arenite(folder.path(), &["run", &file, "-o", "run", how]);
        let mut output = again("--resume");
        if both {
            // Nothing to go on from: the damaged files are named and kept, and the user decides.
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            let name = format!("state-{newest}");
            assert!(
                said(&output).contains(&name) && said(&output).contains("damaged"),
                "{}",
                said(&output)
            );
            assert!(run.join("checkpoint").join(&name).exists());
            output = again("--force");
        }
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert_eq!(hash("run"), hash("whole"));
        for table in TABLES {
            let [a, b] = ["run", "whole"]
                .map(|name| fs::read(folder.path().join(name).join(table)).unwrap());
            assert!(a == b, "{table} differs");
        }
    }
}

/// Runs the program where no file may grow over a number of 512-byte blocks: what a full disk
/// looks like to a program, for the signal that goes with it is ignored.
pub fn with_small_files(folder: &Path, blocks: u32, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_arenite");
    let script =
        format!("trap '' XFSZ; ulimit -f {blocks} || exit 99; exec '{program}' {arguments}");
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_loses_nothing_that_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = mixed();
    run_well(folder.path(), &["run", &file, "-q", "-o", "whole"]);
    for threads in [1, 2] {
        let arguments = format!("run '{file}' -q -o run --force --threads {threads}");
        let output = with_small_files(folder.path(), 100, &arguments);
        let message = refused(&output, 1);
        assert_eq!(
            message,
            "error: the run failed: cannot write run/checkpoint/events.spool: File too large (os \
             error 27); what was recorded until then is in run\n"
        );
        let run = folder.path().join("run");
        let figures = summary(&run);
        assert_eq!(figures["status"], "failed");
        // What was recorded is there: the beginning of what there is in the end.
        let [part, whole] = ["run", "whole"]
            .map(|name| arenite::record::read::events(&folder.path().join(name)).unwrap());
        assert!(part.rows > 100 && part.rows < whole.rows);
        let [a, b] = [&part, &whole].map(|table| table.floats("time").unwrap());
        assert_eq!(a, &b[..part.rows]);
        // With room again, the run goes on as if nothing had been.
        run_well(
            folder.path(),
            &["run", &file, "-q", "-o", "run", "--resume"],
        );
        for table in TABLES {
            let [a, b] = ["run", "whole"]
                .map(|name| fs::read(folder.path().join(name).join(table)).unwrap());
            assert!(a == b, "{table} differs");
        }
    }
}

/// So little room that not even what was recorded can be written out.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = mixed();
    let arguments = format!("run '{file}' -q -o run");
    let output = with_small_files(folder.path(), 20, &arguments);
    let message = refused(&output, 1);
    assert!(
        message.starts_with("error: the run failed: cannot write run/checkpoint/")
            && message.contains("File too large (os error 27)"),
        "{message}"
    );
    let run = folder.path().join("run");
    for path in results_there(&run) {
        // What has its name is whole.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(table) = arenite::record::Table::ALL
            .into_iter()
            .find(|table| table.file_name() == name)
        {
            arenite::record::read::table(&run, table).unwrap();
        } else {
            summary(&run);
        }
    }
    for folder in [run.clone(), run.join("checkpoint")] {
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.ends_with(".part"), "{name} was left");
        }
    }
    run_well(
        folder.path(),
        &["run", &file, "-q", "-o", "run", "--resume"],
    );
    assert_eq!(summary(&run)["status"], "finished");
}

/// A folder in which nobody can write, root included.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("drop.toml"), DROP).unwrap();
    let output = arenite(
        folder.path(),
        &["run", "drop.toml", "-q", "-o", "/proc/arenite"],
    );
    assert_eq!(
        refused(&output, 2),
        "error: cannot create /proc/arenite/checkpoint: No such file or directory (os error 2)\n"
    );
}

/// The corpus of bad scenarios through the program itself: each gives its message (see
/// `scenario.rs`) and status 2, and makes no folder.
#[test]
fn bad_files_are_refused_before_anything_is_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut names: Vec<String> = fs::read_dir(root.join("tests/bad"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() > 50, "the corpus is gone");
    for name in names {
        let file = format!("tests/bad/{name}");
        let text = fs::read_to_string(root.join(&file)).unwrap();
        let (body, wanted) = text.split_once("# message:\n").unwrap();
        let mut arguments = vec!["run", &file, "-q", "-o", out.to_str().unwrap()];
        for line in body.lines() {
            if let Some(value) = line.strip_prefix("# --set ") {
                arguments.extend(["--set", value]);
            }
        }
        let wanted = wanted.replace("tests/bad/", "");
        let got: String = refused(&arenite(root, &arguments), 2)
            .replace("tests/bad/", "")
            .lines()
            .map(|line| format!("# {line}").trim_end().to_string() + "\n")
            .collect();
        assert_eq!(got, wanted, "{name}");
        assert!(!out.exists(), "{name} made a folder");
    }
}
