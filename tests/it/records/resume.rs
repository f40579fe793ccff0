//! Runs that are killed, interrupted or stopped by the clock and go on with the same bits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use arenite::record::{Table, read};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::cli_tools::{
    TABLES, arenite, newest_checkpoint, results_there, run_well, said, start, summary,
    wait_for_checkpoint,
};

fn scenario(name: &str) -> String {
    format!("{}/tests/data/runs/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The figures of a run without those that a clock gives.
fn figures(run: &Path) -> Value {
    let mut figures = summary(run);
    for (group, key) in [("time", "wall"), ("events", "per_wall_second")] {
        assert!(figures[group][key].is_number());
        figures[group][key] = Value::Null;
    }
    figures
}

/// Whether two runs left the same: figures, state and every byte of every table.
fn assert_same(whole: &Path, other: &Path, what: &str) {
    assert_eq!(figures(whole), figures(other), "{what}");
    for table in TABLES {
        let [a, b] = [whole, other].map(|run| fs::read(run.join(table)).unwrap());
        assert!(a == b, "{what}: {table} differs");
    }
    let [a, b] = [whole, other].map(|run| fs::read(run.join("scenario.toml")).unwrap());
    assert!(a == b, "{what}: scenario.toml differs");
}

/// What a killed run leaves under final names is whole; most often that is its scenario alone,
/// for the tables get their names at the end.
fn assert_nothing_half_written(run: &Path) {
    let text = fs::read_to_string(run.join("scenario.toml")).unwrap();
    assert!(text.parse::<toml::Table>().is_ok(), "{text}");
    for path in results_there(run) {
        match Table::ALL
            .into_iter()
            .find(|table| path.ends_with(table.file_name()))
        {
            Some(table) => drop(read::table(run, table).unwrap()),
            None => drop(summary(run)),
        }
    }
}

struct Trial {
    folder: tempfile::TempDir,
    file: String,
    whole: PathBuf,
}

impl Trial {
    /// Runs a scenario in one go; what the trials are held against.
    fn new(name: &str) -> Trial {
        let folder = tempfile::tempdir().unwrap();
        let file = scenario(name);
        run_well(folder.path(), &["run", &file, "-q", "-o", "whole"]);
        let whole = folder.path().join("whole");
        Trial {
            folder,
            file,
            whole,
        }
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["run", self.file.as_str(), "-q", "-o", "run"], more].concat()
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Starts or resumes, and kills once that many more checkpoints are there, and a moment later.
    /// False when the run came to its end before.
    fn kill(&self, more: &[&str], checkpoints: u64, moment: Duration) -> bool {
        let run = self.run();
        let before = newest_checkpoint(&run);
        let mut child = start(self.folder.path(), &self.arguments(more));
        let there = wait_for_checkpoint(&run, &mut child, before + checkpoints);
        std::thread::sleep(moment);
        // The signal is SIGKILL; a run that has ended already does not mind.
        child.kill().unwrap();
        let killed = child.wait().unwrap().code().is_none();
        assert_nothing_half_written(&run);
        // One killed between its last file and its end has nothing left to do.
        there && killed && !run.join("summary.json").exists()
    }

    /// Kills at random moments, resumes, kills again up to `again` times, and compares. Gives how often a run was killed.
    fn kills(&self, rng: &mut ChaCha8Rng, trials: u32, within: u64, again: u32) -> u32 {
        let mut kills = 0;
        for trial in 0..trials {
            let threads = if trial % 2 == 0 { "1" } else { "3" };
            let moment = Duration::from_micros(rng.random_range(0..20_000));
            let run = self.run();
            let _ = fs::remove_dir_all(&run);
            let mut going = self.kill(
                &["--threads", threads],
                rng.random_range(1..=within),
                moment,
            );
            kills += u32::from(going);
            // And more often, in the resumed run.
            for _ in 0..trial % (again + 1) {
                if going {
                    let next = rng.random_range(1..=within);
                    going = self.kill(&["--resume"], next, moment / 2);
                    kills += u32::from(going);
                }
            }
            if going {
                run_well(
                    self.folder.path(),
                    &self.arguments(&["--resume", "--threads", threads]),
                );
            }
            assert_same(&self.whole, &run, &format!("trial {trial}"));
        }
        kills
    }
}

#[test]
fn killed_runs_go_on_with_the_same_bits() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (name, within) in [("mixed", 40), ("drag", 30)] {
        let trial = Trial::new(name);
        let kills = trial.kills(&mut rng, 5, within, 2);
        // On a fast machine some of them end before their moment comes.
        assert!(kills >= 3, "{name}: only {kills} runs were killed in time");
    }
}

/// The long version: `cargo test --release --test it hundreds_of_kills -- --ignored --nocapture`. Each model has its
/// scenario: motion with feed, gate, outlet and settling; drag; grains that stand still and collide in flight; a periodic
/// cell; collisions alone; equilibria.
#[test]
#[ignore = "takes minutes: two hundred trials"]
fn hundreds_of_kills() {
    let count = |(seed, name): (u64, &str)| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let kills = Trial::new(name).kills(&mut rng, 34, 30, 4);
        println!("{name}: 34 trials, {kills} kills, every byte the same");
        kills
    };
    let names = ["mixed", "drag", "still", "cell", "collisions", "filling"];
    let kills: u32 = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..)
            .zip(names)
            .map(|it| scope.spawn(move || count(it)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    println!("{kills} kills in all");
    assert!(kills >= 200, "only {kills} runs were killed in time");
}

/// Before the first checkpoint there is nothing to go on from but the start.
#[test]
fn a_run_killed_at_once_starts_again() {
    let trial = Trial::new("mixed");
    let run = trial.run();
    let mut child = start(
        trial.folder.path(),
        &trial.arguments(&["--set", "log.checkpoint=0.01"]),
    );
    while !run.join("scenario.toml").exists() {
        std::thread::sleep(Duration::from_micros(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for entry in fs::read_dir(run.join("checkpoint")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("state-")
        {
            fs::remove_file(path).unwrap();
        }
    }
    let output = arenite(
        trial.folder.path(),
        &["run", &trial.file, "-o", "run", "--resume"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        said(&output).contains("there is no checkpoint yet: starting from the beginning"),
        "{}",
        said(&output)
    );
    assert_same(&trial.whole, &run, "killed at once");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so_and_goes_on() {
    let trial = Trial::new("mixed");
    let run = trial.run();
    let folder = trial.folder.path();
    let mut interrupts = 0;
    for more in [&[][..], &["--resume"], &["--resume"]] {
        let arguments = [&["run", &trial.file, "-o", "run"], more].concat();
        let mut child = crate::cli_tools::command(folder, &arguments)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let before = newest_checkpoint(&run);
        assert!(wait_for_checkpoint(&run, &mut child, before + 5));
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", said(&output));
        assert!(output.stdout.is_empty());
        let message = said(&output);
        assert!(
            message.contains("interrupted at ")
                && message.contains("go on with the same command and --resume"),
            "{message}"
        );
        // What there is until then is whole and can be looked at.
        assert_eq!(summary(&run)["status"], "interrupted");
        for table in TABLES {
            assert!(run.join(table).exists(), "{table}");
        }
        assert!(read::grains(&run).unwrap().rows > 0);
        interrupts += 1;
    }
    assert_eq!(interrupts, 3);
    run_well(folder, &trial.arguments(&["--resume"]));
    assert_same(&trial.whole, &run, "interrupted three times");
}

#[test]
fn a_wall_limit_stops_and_goes_on() {
    let trial = Trial::new("mixed");
    let run = trial.run();
    let mut stops = 0;
    let mut more = vec!["--wall-limit", "0.03"];
    loop {
        let output = arenite(trial.folder.path(), &trial.arguments(&more));
        match output.status.code() {
            Some(130) => stops += 1,
            Some(0) => break,
            code => panic!("{code:?}: {}", said(&output)),
        }
        assert_eq!(summary(&run)["status"], "interrupted");
        assert!(stops < 1000, "it never ends");
        more = vec!["--wall-limit", "0.03", "--resume"];
    }
    assert!(stops > 1, "the limit was never reached");
    assert_same(&trial.whole, &run, &format!("stopped {stops} times"));
}

/// The checkpoint interval and the number of threads change nothing in what is found, only the
/// count of checkpoints.
#[test]
fn checkpoints_change_nothing() {
    let trial = Trial::new("drag");
    let hash = |run: &Path| summary(run)["state_hash"].clone();
    run_well(
        trial.folder.path(),
        &trial.arguments(&["--set", "log.checkpoint=\"never\"", "--threads", "1"]),
    );
    assert_eq!(hash(&trial.whole), hash(&trial.run()));
    for table in [Table::Grains, Table::Links] {
        let [a, b] = [&trial.whole, &trial.run()]
            .map(|run| read::TableReader::open(run, table).unwrap())
            .map(|mut reader| {
                let mut groups = Vec::new();
                while let Some(group) = reader.next_group().unwrap() {
                    groups.push(format!("{:?}", group.columns));
                }
                groups
            });
        assert!(a == b, "{} differs", table.file_name());
    }
}
