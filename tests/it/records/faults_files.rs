//! Pipes that close, folders that go away, records that are damaged: a clear word or a quiet end, never a panic.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::cli_tools::{arenite, command, run_well, said, start, wait_for_checkpoint};
use crate::commands::faults::{mixed, with_small_files};

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
            "run.end_time=60",
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
            "run.end_time=0.1",
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

/// What is named for a page or a picture may be a pipe or a device: it takes the bytes and stays what it is. A link
/// leads to its file and stays a link.
#[cfg(target_os = "linux")]
#[test]
fn pipes_devices_and_links_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    run_well(at, &["run", "head-on", "-q", "-o", "run"]);
    let kind = |name: &str| fs::symlink_metadata(at.join(name)).unwrap().file_type();
    for (arguments, name, begins) in [
        (&["report", "run", "-o", "a"][..], "a", "<!doctype html>"),
        (
            &["compare", "run", "run", "-o", "b"],
            "b",
            "<!doctype html>",
        ),
        (
            &["compare", "run", "run", "--plot", "c.svg"],
            "c.svg",
            "<svg",
        ),
    ] {
        let made = std::process::Command::new("mkfifo")
            .arg(at.join(name))
            .status();
        assert!(made.unwrap().success());
        let got = fs::File::create(at.join("got")).unwrap();
        let mut reader = std::process::Command::new("cat")
            .arg(at.join(name))
            .stdout(got)
            .spawn()
            .unwrap();
        let output = arenite(at, arguments);
        // Waits for nobody if the pipe was not written to.
        if !kind(name).is_fifo() {
            let _ = reader.kill();
        }
        assert!(kind(name).is_fifo(), "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(reader.wait().unwrap().success());
        let got = fs::read_to_string(at.join("got")).unwrap();
        assert!(
            got.starts_with(begins),
            "{arguments:?}: {} bytes",
            got.len()
        );
    }
    run_well(at, &["report", "run", "-o", "page.html"]);
    let page = fs::read(at.join("page.html")).unwrap();
    fs::write(at.join("page.html"), "").unwrap();
    std::os::unix::fs::symlink("page.html", at.join("link.html")).unwrap();
    run_well(at, &["report", "run", "-o", "link.html"]);
    assert!(kind("link.html").is_symlink());
    assert!(fs::read(at.join("page.html")).unwrap() == page);
    // A device that is always full: one of the test's own where it may be made, since who may make one could also
    // lose the system's.
    let full = at.join("full.svg");
    let node = std::process::Command::new("mknod")
        .args([full.as_os_str(), "c".as_ref(), "1".as_ref(), "7".as_ref()])
        .stderr(Stdio::null())
        .status();
    if !node.is_ok_and(|status| status.success()) {
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    }
    for arguments in [
        &["report", "run", "-o", "full.svg"][..],
        &["compare", "run", "run", "--plot", "full.svg"],
    ] {
        let output = arenite(at, arguments);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let told = "error: cannot write full.svg: No space left on device";
        assert!(said(&output).starts_with(told), "{}", said(&output));
        assert!(fs::metadata(&full).unwrap().file_type().is_char_device());
    }
}

/// Tables that no run here has written are somebody's: a run takes their names with `--force` only.
#[test]
fn a_run_takes_no_strange_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["grains.parquet", "series.parquet"] {
        let there = at.join(name.replace('.', "-"));
        fs::create_dir(&there).unwrap();
        fs::write(there.join(name), "archived").unwrap();
        let out = there.to_str().unwrap();
        let output = arenite(at, &["run", "head-on", "-q", "-o", out]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let told = format!("{name}: is there, but no run that it is of");
        assert!(said(&output).contains(&told), "{}", said(&output));
        assert_eq!(fs::read_to_string(there.join(name)).unwrap(), "archived");
        assert_eq!(fs::read_dir(&there).unwrap().count(), 1);
        run_well(at, &["run", "head-on", "-q", "-o", out, "--force"]);
        assert_ne!(fs::read(there.join(name)).unwrap(), b"archived");
    }
}

/// Fewer snapshots than an older export had: its files were left beside the new ones.
#[test]
fn vtk_files_of_an_older_export_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = |out: &str, snapshots: &str| {
        run_well(at, &["run", "head-on", "-q", "-o", out, "--set", snapshots]);
        run_well(at, &["export", out, "--to", "vtk", "-o", "vtk"]);
    };
    let count = |folder: &str| fs::read_dir(at.join(folder)).unwrap().count();
    run("long", "log.snapshots=0.001");
    let long = [count("vtk/grains"), count("vtk/links")];
    fs::write(at.join("vtk/grains/mine.vtp"), "mine").unwrap();
    fs::write(at.join("vtk/outlines.pvd"), "of another run").unwrap();
    run("short", "log.snapshots=0.002");
    let listed = fs::read_to_string(at.join("vtk/grains.pvd")).unwrap();
    let listed = listed.matches("<DataSet").count();
    assert!(
        listed > 1 && listed < long[0] && long[0] == long[1],
        "{listed} of {long:?}"
    );
    assert_eq!(
        [count("vtk/grains"), count("vtk/links")],
        [listed + 1, listed]
    );
    assert!(at.join("vtk/grains/mine.vtp").exists() && !at.join("vtk/outlines.pvd").exists());
}

/// Spreadsheets begin a table in UTF-8 with a mark, which is no part of the first name.
#[test]
fn tables_with_a_byte_order_mark_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let scenario = "name = \"x\"\ndimension = 2\n[run]\nend_time = 0.001\n[[fill]]\n\
        material = \"thesis-disk\"\nfile = \"grains.csv\"\n";
    fs::write(at.join("x.toml"), scenario).unwrap();
    let table = "x,y,r\n0.5,0.25,0.01\n";
    for (mark, out) in [("", "plain"), ("\u{feff}", "marked")] {
        fs::write(at.join("grains.csv"), format!("{mark}{table}")).unwrap();
        run_well(at, &["run", "x.toml", "-q", "-o", out]);
    }
    let states = ["plain", "marked"].map(|run| fs::read(at.join(run).join("grains.parquet")));
    let [plain, marked] = states.map(Result::unwrap);
    assert!(plain == marked);
}
