//! The net under changes that must not change the physics: bits of every scenario, ensembles as twins, and pairs of
//! timings, of a program against what was written down of an earlier one, or against the earlier one itself.
//!
//! ```text
//! cargo build --release
//! cargo run --release --example net -- hashes
//! cargo run --release --example net -- twins
//! benches/net/start.sh
//! cargo run --release --example net -- pairs target/start/release/arenite
//! ```
//!
//! | command | |
//! |---|---|
//! | `hashes` | runs every embedded scenario and compares `state_hash`, events and status with benches/net/hashes.toml |
//! | `twins` | runs 16 seeds of a dozen scenarios and compares means of their figures with benches/net/twins.toml: four standard errors are a difference |
//! | `pairs OLD` | user time and peak memory of eight jobs, old and new program in turn; the upper bound at 95 % of the mean ratio |
//!
//! Options: names of scenarios (all of the table where none is named), `--bless` (writes down instead of comparing), `--program FILE`
//! (target/release/arenite), `--jobs N` (2; of `pairs` always 1), `--pairs N` (15). Exit status 1: something differs.

mod hashes;
mod pairs;
mod run;
mod twins;

use std::path::PathBuf;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What the command line asks for.
struct Asked {
    program: PathBuf,
    bless: bool,
    jobs: usize,
    pairs: usize,
    names: Vec<String>,
}

impl Asked {
    fn parse(words: &[String]) -> Fallible<Self> {
        let mut asked = Self {
            program: "target/release/arenite".into(),
            bless: false,
            jobs: 2,
            pairs: 15,
            names: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--bless" => asked.bless = true,
                "--program" => asked.program = value()?.into(),
                "--jobs" => asked.jobs = value()?.parse()?,
                "--pairs" => asked.pairs = value()?.parse()?,
                option if option.starts_with('-') => {
                    return Err(format!("there is no option {option}").into());
                }
                name => asked.names.push(name.to_string()),
            }
        }
        Ok(asked)
    }
}

/// Whether all is as it was.
fn asked() -> Fallible<bool> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = words
        .split_first()
        .ok_or("a command is needed: hashes, twins or pairs")?;
    let asked = Asked::parse(rest)?;
    match command.as_str() {
        "hashes" => hashes::hashes(&asked),
        "twins" => twins::twins(&asked),
        "pairs" => pairs::pairs(&asked),
        other => Err(format!("there is no command {other}: hashes, twins or pairs").into()),
    }
}

fn main() {
    match asked() {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    }
}
