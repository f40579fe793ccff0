//! Pipes that close, folders that go away, records that are damaged: a clear word or a quiet end, never a panic.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::cli_tools::{arenite, command, run_well, said, start, wait_for_checkpoint};
use crate::faults::{mixed, with_small_files};

/// Exit status of a command whose reader is gone: before it has written a word.
fn unread(folder: &Path, arguments: &[&str], messages_too: bool) -> Option<i32> {
    let mut child = command(folder, arguments)
        .stdout(Stdio::piped())
        .stderr(if messages_too {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    child.wait().unwrap().code()
}

/// As with `arenite list | head -1`.
#[test]
fn closed_pipes_end_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    for arguments in [
        &["list"][..],
        &["list", "laws"],
        &["schema"],
        &["new", "hopper", "-"],
        &["completions", "bash"],
        &["check", "hopper"],
        &["run", "--help"],
        &["--version"],
        &["run", "head-on", "--force", "-o", "again"],
        &["export", "run", "--to", "csv"],
        &["report", "run"],
        &["compare", "run", "run"],
        &["grain", "t-bar"],
    ] {
        for messages_too in [false, true] {
            assert_eq!(
                unread(at, arguments, messages_too),
                Some(0),
                "{arguments:?}"
            );
        }
    }
    // What is wrong is wrong, whether anybody reads it or not.
    assert_eq!(unread(at, &["check", "nothing"], true), Some(2));
    assert_eq!(
        crate::cli_tools::summary(&at.join("again"))["status"],
        "finished"
    );
}

/// A folder that is removed, and one in whose place there is a file.
#[test]
fn a_folder_that_goes_away_in_mid_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (at, file) = (folder.path(), mixed());
    for replaced in [false, true] {
        let run = at.join("run");
        let arguments = [
            "run",
            &file,
            "-q",
            "-o",
            "run",
            "--force",
            "--set",
            "run.finish=60",
        ];
        let mut child = command(at, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        assert!(wait_for_checkpoint(&run, &mut child, 2));
        // A checkpoint may come up while files are being removed.
        while run.exists() {
            let _ = fs::remove_dir_all(&run);
        }
        if replaced {
            fs::write(&run, "mine").unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let message = said(&output);
        assert!(
            message.starts_with("error: the run failed: cannot ")
                && message.contains("run/checkpoint"),
            "{message}"
        );
        if replaced {
            assert_eq!(fs::read_to_string(&run).unwrap(), "mine");
            fs::remove_file(&run).unwrap();
        }
    }
}

/// Files and folders that stand where a run would write.
#[test]
fn what_stands_in_the_way_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (at, file) = (folder.path(), mixed());
    fs::write(at.join("file"), "").unwrap();
    for path in [
        "a/scenario.toml",
        "b/checkpoint/state-1",
        "c/grains.parquet",
    ] {
        fs::create_dir_all(at.join(path)).unwrap();
    }
    for (out, wanted) in [
        ("file/x", "cannot create file/x/checkpoint: Not a directory"),
        ("a", "cannot remove a/scenario.toml: Is a directory"),
        ("b", "cannot remove b/checkpoint/state-1: Is a directory"),
        ("c", "cannot remove c/grains.parquet: Is a directory"),
    ] {
        let output = arenite(at, &["run", &file, "-q", "-o", out, "--force"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(wanted), "{}", said(&output));
    }
}

/// What a damaged copy of a file is put in its place.
fn damages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let noise = (0..bytes.len() / 2).map(|k| ((k * k) >> 3) as u8).collect();
    let end = bytes.len() - 5;
    vec![
        Vec::new(),
        bytes[..bytes.len() / 2].to_vec(),
        bytes[..end].to_vec(),
        noise,
    ]
}

/// A table that is cut off or is none: who reads it says which file is at fault.
#[test]
fn damaged_records_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    run_well(at, &["run", "head-on", "-q", "-o", "other"]);
    for (name, readers) in [
        (
            "grains.parquet",
            &[
                "report run",
                "export run --to csv",
                "export run --to vtk",
                "export run --to png",
                "compare run other",
            ][..],
        ),
        (
            "links.parquet",
            &["report run", "export run --to csv", "export run --to vtk"],
        ),
        (
            "series.parquet",
            &["report run", "export run --to csv", "compare run other"],
        ),
        ("events.parquet", &["export run --to csv"]),
        ("stagnant.parquet", &["report run", "export run --to csv"]),
        ("impacts.parquet", &["report run", "export run --to csv"]),
        ("wear.parquet", &["report run", "export run --to csv"]),
        ("avalanches.parquet", &["report run", "export run --to csv"]),
        ("summary.json", &["report run", "compare run other"]),
    ] {
        let path = at.join("run").join(name);
        let whole = fs::read(&path).unwrap();
        for damaged in damages(&whole) {
            fs::write(&path, &damaged).unwrap();
            for reader in readers {
                let output = arenite(at, &reader.split(' ').collect::<Vec<_>>());
                let code = output.status.code();
                assert!(
                    matches!(code, Some(1 | 2)),
                    "{reader}: {code:?} {}",
                    said(&output)
                );
                assert!(said(&output).contains(name), "{reader}: {}", said(&output));
            }
        }
        fs::write(&path, whole).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_part_of_an_export() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(
        at,
        &[
            "run",
            &mixed(),
            "-q",
            "-o",
            "run",
            "--set",
            "run.finish=0.1",
        ],
    );
    for arguments in [
        "export run --to csv",
        "export run --to vtk",
        "export run --to png",
        "export run --to fields",
        "report run",
        "compare run run -o both.html",
    ] {
        let output = with_small_files(at, 2, arguments);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{arguments}: {}",
            said(&output)
        );
        assert!(
            said(&output).starts_with("error: cannot write "),
            "{}",
            said(&output)
        );
    }
    let mut folders = vec![at.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            assert!(
                path.extension().is_none_or(|end| end != "part"),
                "{}",
                path.display()
            );
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    assert!(!at.join("run/report.html").exists());
}

/// A name that was mistyped: `-o notes.md` took the notes.
#[test]
fn a_report_takes_the_place_of_a_page_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    fs::write(at.join("notes.md"), "three weeks of work").unwrap();
    for arguments in [
        &["report", "run", "-o", "notes.md"][..],
        &["compare", "run", "run", "-o", "notes.md"],
    ] {
        let output = arenite(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(
            said(&output),
            "error: notes.md: there is a file that is no page of a report; choose another name, or remove it first\n"
        );
    }
    assert_eq!(
        fs::read_to_string(at.join("notes.md")).unwrap(),
        "three weeks of work"
    );
    for _ in 0..2 {
        run_well(at, &["report", "run", "-o", "page.html"]);
        run_well(at, &["compare", "run", "run", "-o", "page.html"]);
    }
}

/// Fewer snapshots, another grid, or one moment: what an older export had more of was left beside the new files.
#[test]
fn fields_of_an_older_export_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    run_well(at, &["export", "run", "--to", "fields"]);
    let export = at.join("run/export");
    assert!(export.join("fields/00002.vti").exists() && export.join("fields.pvd").exists());
    fs::write(export.join("fields/mine.csv"), "mine").unwrap();
    run_well(at, &["export", "run", "--to", "fields", "--time", "0"]);
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&export), ["fields", "fields.csv", "fields.vti"]);
    assert_eq!(names(&export.join("fields")), ["mine.csv"]);
    run_well(at, &["export", "run", "--to", "fields"]);
    assert!(!export.join("fields.vti").exists() && export.join("fields/00002.vti").exists());
}

/// The clock of the machine is asked for nothing but how long a run takes: no time of day, which may be set back.
#[test]
fn no_time_of_day_is_asked_for() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files += 1;
                let text = fs::read_to_string(&path).unwrap();
                assert!(!text.contains("SystemTime"), "{}", path.display());
            }
        }
    }
    assert!(files > 300);
    // Two runs apart in time write the same bytes: nothing of the clock is in them.
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for run in ["one", "two"] {
        let mut child = start(at, &["run", "head-on", "-q", "-o", run]);
        assert!(child.wait().unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(1100));
    }
    for name in ["grains.parquet", "series.parquet", "scenario.toml"] {
        let [one, two] = ["one", "two"].map(|run| fs::read(at.join(run).join(name)).unwrap());
        assert!(one == two, "{name}");
    }
}
