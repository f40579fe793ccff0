//! Old names of keys, columns, options and commands: each is taken wherever the new one is, and means the same.

use std::fs;
use std::path::Path;

use arenite::record::{Cells, Frame, FrameColumn, OLD_COLUMNS, column_now, figure_columns, read};
use arenite::scenario::aliases::{ALIASES, Alias};
use arenite::scenario::{Override, Scenario};
use arenite::sweep::Sweep;

use crate::cli_tools::{arenite, said};

/// A scenario with all keys that have an old name; each on a line of its own.
const SCENE: &str = r#"name = "aliases"
dimension = 2
[field]
gravity = [0.0, -9.8]
[run]
end_time = 0.1
[morph]
rigid = false
solve_time = 0.02
residual_after_solve = 0.3
[material.a]
density = 2500.0
young = 1e7
poisson = 0.3
[material.b]
density = 2500.0
young = 1e7
poisson = 0.3
[[law]]
between = ["a", "a"]
coulomb_limit = "spring"
[law.linear]
normal_stiffness = 1e5
tangential_stiffness = 8e4
normal_damping = 30.0
tangential_damping = 15.0
friction = 0.4
[[law]]
between = ["a", "b"]
hertz_hysteretic = { squared_restitution = 0.5, friction = 0.4, smoothing_speed = 0.3 }
[[boundary]]
name = "floor"
material = "b"
passes_below_radius = 0.001
plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
[[feed]]
material = "a"
radius = 0.01
count = 3
every = 0.02
min = [0.0, 0.1]
max = [0.2, 0.2]
attempts = 5
max_retries = 7
retry_interval = 0.02
"#;

/// The line of the scene with the new key of an alias, its value, and the value under the old key.
fn line(alias: &Alias) -> (String, String, String) {
    let begin = format!("{} = ", alias.new);
    let line = SCENE.lines().find(|line| line.starts_with(&begin)).unwrap();
    let value = line[begin.len()..].to_string();
    let old = match alias.flags {
        Some([_, yes]) => {
            assert_eq!(value, format!("\"{yes}\""));
            "true".to_string()
        }
        None => value.clone(),
    };
    (format!("{line}\n"), value, old)
}

/// The path of a key in the scene.
fn path(alias: &Alias, key: &str) -> String {
    let index = usize::from(alias.new == "hertz_hysteretic");
    match alias.list {
        true => format!("{}[{index}].{key}", alias.section),
        false => format!("{}.{key}", alias.section),
    }
}

fn resolved(text: &str, set: &[&str]) -> String {
    let set: Vec<Override> = set
        .iter()
        .map(|text| Override::set(text).unwrap())
        .collect();
    let scenario = Scenario::parse("scene.toml", text, None, &set);
    let scenario = scenario.unwrap_or_else(|error| panic!("{set:?}: {error}\n{text}"));
    scenario
        .resolve()
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .toml
}

fn refused(text: &str, set: &[&str]) -> String {
    let set: Vec<Override> = set
        .iter()
        .map(|text| Override::set(text).unwrap())
        .collect();
    Scenario::parse("scene.toml", text, None, &set)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_file_may_have_old_keys() {
    let wanted = resolved(SCENE, &[]);
    let mut all = SCENE.to_string();
    for alias in ALIASES {
        let (line, _, old) = line(alias);
        let renamed = format!("{} = {old}\n", alias.old);
        assert_eq!(
            resolved(&SCENE.replace(&line, &renamed), &[]),
            wanted,
            "{alias:?}"
        );
        all = all.replace(&line, &renamed);
        // What is written has the new name.
        let has = |key: &str| {
            let key = |line: &str| line.starts_with(&format!("{key} = "));
            let table = wanted.contains(&format!(".{}]", alias.new));
            wanted.lines().any(key) || table
        };
        assert!(has(alias.new), "{alias:?}\n{wanted}");
        assert!(
            !wanted
                .lines()
                .any(|line| line.starts_with(&format!("{} = ", alias.old)))
        );
    }
    assert_eq!(resolved(&all, &[]), wanted);
    // The other value of the flag.
    let (line, ..) = line(ALIASES.iter().find(|alias| alias.flags.is_some()).unwrap());
    let off = resolved(&SCENE.replace(&line, "limit_spring_only = false\n"), &[]);
    assert_eq!(
        off,
        resolved(&SCENE.replace(&line, "coulomb_limit = \"total\"\n"), &[])
    );
    assert_ne!(off, wanted);
}

#[test]
fn arguments_may_have_old_keys() {
    let wanted = resolved(SCENE, &[]);
    for alias in ALIASES {
        let (line, value, old) = line(alias);
        let lacks = SCENE.replace(&line, "");
        let by =
            |key: &str, value: &str| resolved(&lacks, &[&format!("{}={value}", path(alias, key))]);
        assert_eq!(by(alias.new, &value), wanted);
        assert_eq!(by(alias.old, &old), wanted);
    }
    // Over a value of the file, inside of a table, and as a whole table.
    let later = SCENE.replace("end_time = 0.1", "end_time = 0.3");
    assert_eq!(resolved(SCENE, &["run.finish=0.3"]), resolved(&later, &[]));
    assert_eq!(
        resolved(SCENE, &["run={ finish = 0.3 }"]),
        resolved(&later, &[])
    );
    let rough = SCENE.replace(
        "restitution = 0.5, friction = 0.4",
        "restitution = 0.5, friction = 0.6",
    );
    assert_eq!(
        resolved(SCENE, &["law[1].mutze.friction=0.6"]),
        resolved(&rough, &[])
    );
    // The last counts, with one name as with the other.
    assert_eq!(
        resolved(SCENE, &["run.finish=0.2", "run.finish=0.3"]),
        resolved(&later, &[])
    );
}

#[test]
fn both_names_at_once_are_refused() {
    for alias in ALIASES {
        let (line, value, old) = line(alias);
        let (before, now) = (path(alias, alias.old), path(alias, alias.new));
        let title = format!("`{before}` is the old name of `{now}`: both are given");
        let both = SCENE.replace(&line, &format!("{line}{} = {old}\n", alias.old));
        let number = both
            .lines()
            .position(|l| l.starts_with(&format!("{} = ", alias.old)));
        let place = format!("scene.toml:{}:1", number.unwrap() + 1);
        let error = refused(&both, &[]);
        assert!(error.contains(&title) && error.contains(&place), "{error}");
        let sets = [format!("{now}={value}"), format!("{before}={old}")];
        for sets in [[&sets[0], &sets[1]], [&sets[1], &sets[0]]] {
            let error = refused(SCENE, &sets.map(String::as_str));
            assert!(error.contains(&title), "{error}");
            assert!(error.contains(&format!("--set {}", sets[1])), "{error}");
        }
    }
    let error = refused(SCENE, &["run={ finish = 1, end_time = 1 }"]);
    assert!(
        error.contains("`run.finish` is the old name of `run.end_time`"),
        "{error}"
    );
}

#[test]
fn a_misspelt_old_key_leads_to_the_new_one() {
    let error = refused(SCENE, &["run.finnish=1"]);
    assert!(error.contains("did you mean `end_time`?"), "{error}");
    let error = refused(SCENE, &["feed[0].trys=1"]);
    assert!(error.contains("did you mean `max_retries`?"), "{error}");
    // Not where the old name never was.
    let error = refused(SCENE, &["log.finnish=1"]);
    assert!(!error.contains("end_time"), "{error}");
}

fn sweep(folder: &Path, text: &str) -> Result<Sweep, String> {
    let text = format!("scenario = \"scene.toml\"\n{text}");
    let sweep = Sweep::parse("sweep.toml", &text, Some(folder.into()), None, &[]);
    sweep.map_err(|error| error.to_string())
}

#[test]
fn a_sweep_may_have_old_keys() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let runs = |text: &str| -> Vec<String> {
        let sweep = sweep(folder.path(), text).unwrap_or_else(|error| panic!("{error}"));
        let points = sweep.points().unwrap();
        points
            .iter()
            .map(|point| sweep.resolve(point).unwrap().toml)
            .collect()
    };
    for alias in ALIASES {
        let (_, value, old) = line(alias);
        let (before, now) = (path(alias, alias.old), path(alias, alias.new));
        let wanted = runs(&format!("[set]\n\"{now}\" = {value}\n"));
        assert_eq!(
            wanted,
            runs(&format!("[set]\n\"{before}\" = {old}\n")),
            "{alias:?}"
        );
        assert_eq!(
            wanted,
            runs(&format!("[grid]\n\"{before}\" = [{old}]\n")),
            "{alias:?}"
        );
        let both = format!("[grid]\n\"{now}\" = [{value}]\n\"{before}\" = [{old}]\n");
        let error = sweep(folder.path(), &both).unwrap_err();
        let twice = error.contains(&format!("`{before}` is given twice")) && error.contains(&now);
        assert!(twice && error.contains("sweep.toml:4:1"), "{error}");
    }
    let dotted = runs("[grid]\nrun.finish = [0.1, 0.2]\n");
    assert_eq!(dotted, runs("[grid]\nrun.end_time = [0.1, 0.2]\n"));
    let derived = runs("[grid]\n\"$t\" = [0.1, 0.2]\n[derive]\n\"run.finish\" = \"$t\"\n");
    assert_eq!(dotted, derived);
    let error = sweep(folder.path(), "until = 1.0\n[set]\nrun.finish = 1.0\n").unwrap_err();
    assert!(
        error.contains("`run.end_time` is given as `until` too"),
        "{error}"
    );
}

#[test]
fn old_names_of_figures_and_columns_are_read() {
    let columns = figure_columns();
    for (old, new) in OLD_COLUMNS {
        assert_eq!((column_now(old), column_now(new)), (*new, *new));
        assert!(columns.iter().all(|column| column.name != *old));
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let text = "[study]\nfigures = [\"work.thrash\"]\n[study.beverloo]\nwidth = \"fill\"\nrate = \"work.thrash\"\n";
    let error = sweep(folder.path(), text).unwrap_err();
    // The figures are found; the width is no key of this sweep.
    assert!(error.contains("the table has no column `fill`"), "{error}");
    let made = sweep(folder.path(), "[study]\nfigures = [\"work.thrash\"]\n").unwrap();
    assert_eq!(
        made.spec.study.figures,
        Some(vec!["work.sleep_wake_cycles".to_string()])
    );
    // A table of an older build.
    let column = |name: &str| FrameColumn {
        name: name.into(),
        unit: "J",
        about: String::new(),
        cells: Cells::Floats(vec![Some(2.5)]),
    };
    let frame = Frame {
        columns: OLD_COLUMNS.iter().map(|(old, _)| column(old)).collect(),
        ..Frame::default()
    };
    let path = folder.path().join("sweep.parquet");
    fs::write(&path, frame.parquet(&path).unwrap()).unwrap();
    let (table, reader) = read::sweep(folder.path()).unwrap();
    for (old, new) in OLD_COLUMNS {
        assert_eq!(table.floats(new).unwrap(), [2.5]);
        assert!(table.floats(old).is_err());
        assert_eq!(reader.metadata(&format!("units.{new}")), Some("J"));
    }
}

/// A summary of an older build.
#[test]
fn old_keys_of_a_summary_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "head-on", "-o", "run", "--quiet"];
    assert_eq!(said(&arenite(folder.path(), &run)), "");
    let path = folder.path().join("run/summary.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"sleep_wake_cycles\": 0") && !text.contains("thrash"));
    let text = text.replace("\"sleep_wake_cycles\": 0", "\"thrash\": 7");
    let summary: arenite::record::Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(summary.work.sleep_wake_cycles, 7);
}

#[test]
fn old_options_and_commands_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let here = |arguments: &[&str]| {
        let output = arenite(folder.path(), arguments);
        let error = said(&output);
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            error,
        )
    };
    let measured = [
        "--radius",
        "0.005",
        "--density",
        "2500",
        "--restitution",
        "0.9",
        "--friction",
        "0.5",
        "--speed",
        "1",
    ];
    let [now, before] = ["calibrate", "law"].map(|name| here(&[&[name], &measured[..]].concat()));
    assert_eq!(now, before);
    assert_eq!(now.0, Some(0), "{}", now.2);
    let [now, before] = ["--domains", "--bricks"].map(|name| here(&["run", "head-on", name, "2"]));
    assert_eq!(now, before);
    assert_eq!(now.0, Some(2));
    assert!(now.2.contains("--domains is for processes"), "{}", now.2);
    let (status, help, _) = here(&["run", "--help"]);
    assert!(status == Some(0) && help.contains("--domains") && !help.contains("--bricks"));
    // `--until` counts before a setting by either name, as before.
    fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    for set in ["run.finish=0.3", "run.end_time=0.3"] {
        let found = here(&["check", "scene.toml", "--json", "--set", set]);
        assert_eq!((found.0, found.2.as_str()), (Some(0), ""));
    }
    let until = |set: &str| {
        let arguments = [
            "run",
            "scene.toml",
            "-o",
            "run",
            "--force",
            "--until",
            "0.02",
            "--set",
            set,
        ];
        let (status, _, error) = here(&arguments);
        assert_eq!(status, Some(0), "{error}");
        fs::read_to_string(folder.path().join("run/scenario.toml")).unwrap()
    };
    let toml = until("run.finish=0.3");
    assert_eq!(toml, until("run.end_time=0.3"));
    assert!(toml.contains("end_time = 0.02"), "{toml}");
}
