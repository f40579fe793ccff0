//! The program as a user meets it: commands, exit status, what goes to which stream.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder.
fn arenite(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn here(arguments: &[&str]) -> Output {
    arenite(&std::env::temp_dir(), arguments)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Exit status 0, and nothing on standard error.
fn good(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", err(output));
    assert_eq!(err(output), "");
    out(output)
}

/// The exit status of an error, and nothing on standard output.
fn bad(output: &Output, status: i32) -> String {
    assert_eq!(
        output.status.code(),
        Some(status),
        "{}{}",
        out(output),
        err(output)
    );
    assert_eq!(out(output), "");
    err(output)
}

/// A scenario that ends at once.
const SMALL: &str = "name = \"small\"\ndimension = 2\n[run]\nend_time = 0.01\n[[fill]]\n\
    material = \"thesis-disk\"\ngrains = [{ position = [0, 0], radius = 0.01 }]\n";

#[test]
fn list_names_what_is_there() {
    let text = good(&here(&["list"]));
    for name in [
        "hopper",
        "hopper-poly",
        "hopper-3d",
        "thesis-disk",
        "glass",
        "disk",
        "sphere",
        "quasi-triangle",
        "t-bar",
    ] {
        let found = text
            .lines()
            .any(|line| line.split_whitespace().next() == Some(name));
        assert!(found, "{name} is not in\n{text}");
    }
}

#[test]
fn schema_is_json() {
    let text = good(&here(&["schema"]));
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    assert!(schema["properties"]["boundary"]["description"].is_string());
}

#[test]
fn new_writes_a_scenario_that_checks() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    assert_eq!(
        good(&arenite(at, &["new", "hopper", "mine.toml"])),
        "mine.toml\n"
    );
    let text = std::fs::read_to_string(at.join("mine.toml"))?;
    assert!(text.contains("# "), "the scenario has no comments");
    assert_eq!(good(&arenite(at, &["new", "hopper", "-"])), text);
    let checked = good(&arenite(at, &["check", "mine.toml"]));
    assert!(
        checked.contains("500 at the start, radius 0.01 m"),
        "{checked}"
    );
    // What is there is not overwritten.
    let message = bad(&arenite(at, &["new", "rolling", "mine.toml"]), 2);
    let wanted =
        "error: mine.toml is there already; choose another name, or replace it with --force\n";
    assert_eq!(message, wanted);
    assert_eq!(std::fs::read_to_string(at.join("mine.toml"))?, text);
    good(&arenite(at, &["new", "rolling", "mine.toml", "--force"]));
    Ok(())
}

#[test]
fn every_embedded_scenario_checks() {
    for item in arenite::scenario::embedded::SCENARIOS {
        let text = good(&here(&["check", item.name, "--json"]));
        let plan: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(plan["scenario"], item.name);
        if plan["regimes"] == serde_json::json!(["rigid"]) {
            assert!(plan["solver"].as_str().is_some_and(|s| s.contains(" ms")));
            assert!(plan["grains"]["fed"].as_u64().is_some_and(|n| n > 0));
            continue;
        }
        if plan["regimes"] == serde_json::json!(["flight"]) {
            assert!(plan["events"].is_object(), "{text}");
            continue;
        }
        assert!(
            plan["step"].as_f64().is_some_and(|step| step > 0.0),
            "{text}"
        );
        let count = |key: &str| plan["grains"][key].as_u64().unwrap_or(0);
        assert!(count("initial") + count("fed") > 0);
    }
}

#[test]
fn slips_of_the_pen_are_answered() {
    let message = bad(&here(&["check", "hoper"]), 2);
    assert!(message.contains("did you mean `hopper`?"), "{message}");
    let message = bad(&here(&["new", "dam-brake", "-"]), 2);
    assert!(message.contains("did you mean `dam-break`?"), "{message}");
    let message = bad(&here(&["check", "no/such.toml"]), 2);
    assert!(
        message.contains("cannot read the scenario no/such.toml"),
        "{message}"
    );
    let message = bad(&here(&["chek", "hopper"]), 2);
    assert!(message.contains("'check'"), "{message}");
}

/// Values of the command line are told as they were given.
#[test]
fn overrides_are_named_in_messages() {
    for (arguments, quoted, told) in [
        (
            ["--set", "run.end_time=-1"],
            "--set run.end_time=-1",
            "`run.end_time` is -1",
        ),
        (["--until", "nan"], "--until nan", "`run.end_time` is nan"),
        (["--until", "-2"], "--until -2.0", "`run.end_time` is -2.0"),
        (
            ["--seed", "9223372036854775808"],
            "--seed 9223372036854775808",
            "`seed` is",
        ),
    ] {
        let message = bad(&here(&[&["check", "hopper"][..], &arguments].concat()), 2);
        assert!(
            message.contains(quoted) && message.contains(told),
            "{message}"
        );
    }
    let message = bad(&here(&["check", "hopper", "--set", "run.end_time"]), 2);
    assert!(
        message.contains("has no `=`; write key.path=value"),
        "{message}"
    );
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let text = good(&here(&["completions", shell]));
        assert!(
            text.contains("export") && text.contains("wall-limit"),
            "{shell}"
        );
    }
    bad(&here(&["completions", "sh"]), 2);
}

#[test]
fn help_shows_examples() {
    for command in [
        "run",
        "check",
        "new",
        "list",
        "schema",
        "export",
        "converge",
        "grain",
        "calc",
        "completions",
    ] {
        let text = good(&here(&[command, "--help"]));
        assert!(text.contains(&format!("  arenite {command}")) || text.contains("arenite calc"));
    }
    assert!(good(&here(&["--help"])).contains("arenite run hopper"));
    assert!(good(&here(&["--version"])).starts_with("arenite "));
}

/// A reader that goes away early is no failure.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_a_clean_exit() -> std::io::Result<()> {
    for command in ["schema", "list"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_arenite"))
            .arg(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        drop(child.stdout.take());
        let output = child.wait_with_output()?;
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(err(&output), "");
    }
    Ok(())
}

/// The same run is made anew; another one is not overwritten unless asked for.
#[test]
fn a_folder_keeps_its_run() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    std::fs::write(at.join("small.toml"), SMALL)?;
    let first = arenite(at, &["run", "small.toml"]);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    assert!(
        out(&first).contains("small, seed 1: finished"),
        "{}",
        out(&first)
    );
    let scenario = std::fs::read_to_string(at.join("runs/small-1/scenario.toml"))?;
    let again = arenite(at, &["run", "small.toml"]);
    assert_eq!(again.status.code(), Some(0), "{}", err(&again));
    assert!(err(&again).contains("holds this very run, finished: it is made anew"));
    // The resolved scenario runs too, and is the same run.
    let resolved = arenite(at, &["run", "runs/small-1/scenario.toml", "-q"]);
    assert_eq!(resolved.status.code(), Some(0), "{}", err(&resolved));
    let other = ["run", "small.toml", "--until", "0.02"];
    let message = bad(&arenite(at, &other), 2);
    assert!(
        message.contains("runs/small-1 holds another run"),
        "{message}"
    );
    assert!(
        message.contains("-o") && message.contains("--force"),
        "{message}"
    );
    let kept = std::fs::read_to_string(at.join("runs/small-1/scenario.toml"))?;
    assert_eq!(kept, scenario);
    assert_eq!(
        good(&arenite(
            at,
            &[&other[..], &["--force", "--quiet"]].concat()
        )),
        ""
    );
    let text = std::fs::read_to_string(at.join("runs/small-1/summary.json"))?;
    let summary: serde_json::Value = serde_json::from_str(&text)?;
    assert_eq!(summary["scenario"], "small");
    assert_eq!(summary["status"], "finished");
    Ok(())
}

#[test]
fn an_unwritable_folder_is_told_before_the_run() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    std::fs::write(at.join("small.toml"), SMALL)?;
    std::fs::write(at.join("file"), "")?;
    let message = bad(
        &arenite(at, &["run", "small.toml", "-o", "file/run", "-q"]),
        2,
    );
    assert!(
        message.starts_with("error: cannot create file/run"),
        "{message}"
    );
    Ok(())
}

#[test]
fn nothing_to_resume_is_told() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("small.toml"), SMALL)?;
    let message = bad(
        &arenite(folder.path(), &["run", "small.toml", "--resume"]),
        2,
    );
    assert!(message.contains("runs/small-1"), "{message}");
    Ok(())
}

#[test]
fn export_and_calc_want_what_is_there() -> std::io::Result<()> {
    let message = bad(&here(&["export", "no-such-run", "--to", "vtk"]), 2);
    assert_eq!(
        message,
        "error: there is no folder no-such-run; give the folder of a run\n"
    );
    let folder = tempfile::tempdir()?;
    let message = bad(&arenite(folder.path(), &["export", ".", "--to", "png"]), 2);
    assert!(
        message.starts_with("error: . holds no records of a run;"),
        "{message}"
    );
    std::fs::write(folder.path().join("grains.parquet"), "")?;
    for time in ["nan", "inf", "soon"] {
        let arguments = ["export", ".", "--to", "png", "--time", time];
        let message = bad(&arenite(folder.path(), &arguments), 2);
        assert!(message.contains("is not a time in s"), "{message}");
    }
    let arguments = ["export", ".", "--to", "csv", "--time", "0.5"];
    let message = bad(&arenite(folder.path(), &arguments), 2);
    assert!(message.starts_with("error: --time chooses"), "{message}");
    std::fs::write(folder.path().join("case.json"), "{\"bodies\": ")?;
    let message = bad(&arenite(folder.path(), &["calc", "flight", "case.json"]), 2);
    assert!(message.starts_with("error: case.json: "), "{message}");
    let message = bad(&arenite(folder.path(), &["calc", "flight", "none.json"]), 2);
    assert!(
        message.starts_with("error: cannot read none.json: "),
        "{message}"
    );
    Ok(())
}

/// A run stopped while its grains settle, before time 0, goes on and ends as if never stopped.
#[test]
fn an_interrupted_settling_is_resumed() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let run = |out: &str, more: &[&str]| {
        let arguments = ["run", "hopper", "--until", "0.01", "-q", "-o", out];
        arenite(folder.path(), &[&arguments, more].concat())
    };
    let hash = |out: &str| -> Result<String, Box<dyn std::error::Error>> {
        let text = std::fs::read_to_string(folder.path().join(out).join("summary.json"))?;
        let summary: serde_json::Value = serde_json::from_str(&text)?;
        Ok(summary["state_hash"].to_string())
    };
    let message = bad(&run("stopped", &["--wall-limit", "0"]), 130);
    assert!(message.starts_with("interrupted at -"), "{message}");
    // Nothing is recorded while grains settle: a picture says so instead of "damaged".
    let picture = arenite(folder.path(), &["export", "stopped", "--to", "png"]);
    let message = bad(&picture, 1);
    assert!(
        message.contains("stopped while its grains settled"),
        "{message}"
    );
    // --force and --resume exclude each other: the advice leaves the first out.
    let message = bad(&run("stopped", &["--force", "--wall-limit", "0"]), 130);
    assert!(message.contains("--resume instead of --force"), "{message}");
    assert_eq!(run("stopped", &["--resume"]).status.code(), Some(0));
    assert_eq!(run("whole", &[]).status.code(), Some(0));
    assert_eq!(hash("stopped")?, hash("whole")?);
    Ok(())
}

/// The load of a wall is the force of the grains on it: a disk at rest presses a floor down with
/// its weight. Tolerance: a tick holds a thousand steps, one more or less.
#[test]
fn wall_loads_are_forces_on_the_wall() -> Result<(), Box<dyn std::error::Error>> {
    use arenite::record::MemorySink;
    use arenite::scenario::{AnySetup, Scenario};
    use arenite::system::{Control, System};
    // m g = pi 0.01^2 1190 9.8 = 3.66373 N; over kn = 1.5e6 N/m an overlap of 2.44249e-6 m.
    let text = "name = \"load\"\ndimension = 2\nfield.gravity = [0.0, -9.8]\nrun.end_time = 0.003\n\
        run.step = 1e-6\nlog.series = 0.001\n\
        [[boundary]]\nmaterial = \"thesis-wall\"\n\
        plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }\n\
        [[fill]]\nmaterial = \"thesis-disk\"\n\
        grains = [{ position = [0.0, 0.00999755751], radius = 0.01 }]\n";
    let scenario = Scenario::parse("load", text, None, &[]).map_err(|p| p.to_string())?;
    let AnySetup::Planar(setup) = scenario.resolve().map_err(|p| p.to_string())?.setup else {
        return Err("planar".into());
    };
    let mut system = System::new(setup)?;
    let mut records = MemorySink::default();
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut control = Control::new(&never);
    system.run(&mut records, &mut control)?;
    let load = records.series.last().ok_or("no row")?.walls[0];
    assert!((load[1] + 3.66373).abs() < 0.006, "{load:?}");
    assert_eq!(load[0].abs(), 0.0);
    Ok(())
}
