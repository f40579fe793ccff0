//! What works over ranks, over processes of MPI: `cargo test --release --features mpi --test mpi`.
//!
//! Without arguments the program starts itself and `arenite` under `mpirun`, with 2 and 4 ranks; each process that it starts makes the
//! checks that `cargo test` makes over threads. It has no test harness, for a process of MPI must not be one of many threads.
//! Where there is no `mpirun` it says so and succeeds.

#[path = "../it/ranks_checks.rs"]
mod checks;
#[path = "../it/domains_checks.rs"]
mod domains_checks;
#[path = "../it/setups.rs"]
mod setups;

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use arenite::ranks::{Bridge, Ranks, World};
use arenite::stress::{Fetch, Freedom};

/// The word that starts a rank.
const RANK: &str = "as-a-rank";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, what, folder] if word == RANK => as_a_rank(what, Path::new(folder)),
        _ => all(),
    }
    ExitCode::SUCCESS
}

/// What each process does.
fn as_a_rank(what: &str, folder: &Path) {
    let ranks = World::begin().expect("MPI begins");
    assert!(World::begin().is_err(), "MPI begins once");
    match what {
        "messages" => checks::messages(&ranks),
        "rima" => {
            for fetch in [Fetch::Gather, Fetch::Broadcast] {
                let (solved, _) = Bridge::lend(&ranks, |ranks| {
                    checks::rima(ranks, fetch, Freedom::Translational, 260)
                });
                assert!(solved > 20);
            }
        }
        "sweep" => checks::sweep(&ranks, folder, 2),
        "domains" => domains_checks::domains(&ranks),
        "panic" => {
            if ranks.rank() == 1 {
                panic!("as was to be shown");
            }
            // The others would wait for ever.
            let _ = ranks.barrier();
        }
        other => panic!("no check {other}"),
    }
    if ranks.rank() == 0 {
        println!("{what} over {} ranks: passed", ranks.size());
    }
}

/// So many processes of a program.
fn mpirun(ranks: usize, program: &Path) -> Command {
    let mut command = Command::new("mpirun");
    let count = ranks.to_string();
    // More ranks than cores, as root, in a container: Open MPI wants to be told that this is meant. Others do not know the words.
    if is_open_mpi() {
        command.args(["--oversubscribe", "--bind-to", "none"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.args(["-n", &count]).arg(program);
    command
}

fn is_open_mpi() -> bool {
    let output = Command::new("mpirun").arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).contains("Open MPI")
}

fn finish(mut command: Command) -> Output {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    output
}

fn well(command: Command) -> Output {
    let output = finish(command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {said}", output.status);
    output
}

fn all() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        println!("skipped: there is no mpirun");
        return;
    }
    println!("{}", World::library());
    let own = std::env::current_exe().expect("the program has a name");
    let folder = tempfile::tempdir().expect("a folder");
    checks::write_sweep(folder.path());
    let (sweep, alone) = checks::swept_alone(folder.path());
    for ranks in [2, 4] {
        for what in ["messages", "rima", "sweep", "domains"] {
            let mut command = mpirun(ranks, &own);
            command.args([RANK, what]).arg(folder.path());
            well(command);
        }
        let dir = folder.path().join(format!("over-{ranks}-2"));
        assert_eq!(checks::table_of(&sweep, &dir), alone, "{ranks} ranks");
    }

    // One alone, without mpirun.
    let mut command = Command::new(&own);
    command.args([RANK, "messages"]).arg(folder.path());
    well(command);

    // A rank that panics takes the others along.
    let mut command = mpirun(2, &own);
    command.args([RANK, "panic"]).arg(folder.path());
    let output = finish(command);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("as was to be shown"));
    println!("a rank that panics ends the job: passed");

    commands(folder.path(), &sweep, &alone);
    runs(folder.path());
}

/// `arenite run` itself.
fn runs(folder: &Path) {
    let program = Path::new(env!("CARGO_BIN_EXE_arenite"));
    let begin = |ranks: usize, scenario: &str, more: &[&str]| {
        let mut command = mpirun(ranks, program);
        command
            .current_dir(folder)
            .args(["run", scenario])
            .args(more);
        command
    };
    let summary = |out: &str| {
        let text =
            std::fs::read_to_string(folder.join(out).join("summary.json")).expect("it is there");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let mut hashes = Vec::new();
    for (ranks, domains) in [(2, "2"), (4, "2x2"), (3, "1x3")] {
        let out = format!("run-{ranks}");
        let more = [
            "--until",
            "0.1",
            "-o",
            &out,
            "--quiet",
            "--domains",
            domains,
        ];
        well(begin(ranks, "hopper", &more));
        let told = summary(&out);
        assert_eq!(told["status"], "finished");
        assert_eq!(told["grains"]["initial"], 500);
        assert!(told["time"]["wall"].as_f64() > Some(0.01), "{told}");
        let error = told["energy"]["balance_error"].as_f64().expect("a number");
        assert!(error < 1e-2, "{error}");
        hashes.push(told["state_hash"].clone());
        for file in ["series.parquet", "grains.parquet", "links.parquet"] {
            assert!(folder.join(&out).join(file).exists(), "{file}");
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");

    // What goes wrong is told once, and nothing is written.
    let refused = [
        (
            "heap",
            vec!["-o", "refused"],
            "feeds cannot be shared by ranks yet",
        ),
        (
            "hopper",
            vec!["-o", "refused", "--domains", "3"],
            "3 x 1 domains for 2 ranks",
        ),
        (
            "no-such-scenario",
            vec!["-o", "refused"],
            "no-such-scenario",
        ),
    ];
    for (scenario, more, why) in refused {
        let output = begin(2, scenario, &more)
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{scenario}");
        assert_eq!(said.matches(why).count(), 1, "{said}");
        assert!(!folder.join("refused").join("summary.json").exists());
    }

    // An interruption ends in a checkpoint, from which one process goes on.
    let more = ["--until", "0.3", "-o", "limited", "--wall-limit", "0.1"];
    let output = finish(begin(2, "hopper", &more));
    assert!(!output.status.success());
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(["run", "hopper", "--until", "0.3"]);
    command.args(["-o", "limited", "--resume", "--quiet"]);
    well(command);
    let told = summary("limited");
    assert_eq!(told["status"], "finished");
    println!("runs cut into domains: passed");
}

/// `arenite sweep` itself.
fn commands(folder: &Path, sweep: &arenite::sweep::Sweep, alone: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_arenite"));
    let begin = |mut command: Command, out: &str| {
        command.current_dir(folder);
        command.args(["sweep", "few-sweep.toml", "-o", out]);
        command
    };
    let one = well(begin(Command::new(program), "one"));
    let csv = |out: &str| std::fs::read(folder.join(out).join("sweep.csv")).expect("a table");
    for ranks in [2, 4] {
        let out = format!("command-{ranks}");
        let output = well(begin(mpirun(ranks, program), &out));
        assert_eq!(csv(&out), csv("one"), "{ranks} ranks");
        let told = |output: &Output| {
            let text = String::from_utf8_lossy(&output.stdout).replace(&out, "one");
            text.trim().to_owned()
        };
        assert_eq!(told(&output), told(&one), "one speaks for all");
    }

    // What is wrong is said by one, on all ranks.
    let mut wrong = mpirun(2, program);
    wrong.args(["sweep", "no-such-sweep.toml"]);
    let output = wrong.stdin(Stdio::null()).output().expect("it starts");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.matches("error: ").count(), 1, "{said}");

    // A process that is killed: the job ends, and the same command goes on.
    let out = "killed";
    // The file is the same, so the runs are: but each takes a while.
    let text = std::fs::read_to_string(folder.join("few-sweep.toml")).expect("it is there");
    std::fs::write(
        folder.join("few-sweep.toml"),
        text.replace("seeds = 4", "seeds = 40"),
    )
    .expect("written");
    let mut child = begin(mpirun(3, program), out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let since = Instant::now();
    let rows = || std::fs::read_dir(folder.join(out).join("rows")).map_or(0, Iterator::count);
    while rows() < 10 && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let killed = kill_a_child_of(child.id());
    let status = child.wait().expect("it ends");
    if killed {
        println!("a rank was killed: {status}");
        assert!(!status.success());
    }
    let there = rows();
    well(begin(mpirun(3, program), out));
    println!("{there} of 160 rows were there; the same command made the others: passed");
    well(begin(Command::new(program), "whole"));
    assert_eq!(csv(out), csv("whole"));
    // The first sweep's folder is left as it was.
    std::fs::write(folder.join("few-sweep.toml"), text).expect("written");
    assert_eq!(checks::table_of(sweep, &folder.join("one")), alone);
}

/// Kills the last process that another one started; false where that cannot be told.
fn kill_a_child_of(parent: u32) -> bool {
    let listed = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let Ok(listed) = listed else { return false };
    let Some(child) = listed.split_whitespace().last() else {
        return false;
    };
    let killed = Command::new("kill").args(["-KILL", child]).status();
    killed.is_ok_and(|status| status.success())
}
