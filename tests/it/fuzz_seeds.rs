//! Readers of bytes from outside take anything: they read it or refuse it, and neither panic, hang nor take
//! memory out of proportion. The fuzzers in `fuzz/` look for bytes that break this; what they found, and what
//! people thought of, is in `tests/data/fuzz`, a folder a reader.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arenite::outside;
use arenite::scenario::AnySetup;

use crate::support::Dice;

/// More than any input of a few kilobytes may take, also on a machine with other work.
const PATIENCE: Duration = Duration::from_secs(10);

const READERS: [&str; 9] = [
    "calc",
    "checkpoint",
    "named_file",
    "records",
    "scenario",
    "setting",
    "state",
    "stl",
    "sweep",
];

/// All readers, with what they need around them.
struct Readers {
    folder: tempfile::TempDir,
    run: tempfile::TempDir,
    files: Vec<(String, Vec<u8>)>,
    saved: Vec<(AnySetup, Vec<u8>)>,
}

impl Readers {
    fn new() -> Self {
        let run = tempfile::tempdir().unwrap();
        Readers {
            folder: tempfile::tempdir().unwrap(),
            files: outside::run_folder(run.path()),
            run,
            saved: (0..outside::STATES).map(outside::saved).collect(),
        }
    }

    /// As the fuzzers do.
    fn read(&self, reader: &str, bytes: &[u8]) -> Result<(), String> {
        let folder = self.folder.path();
        match reader {
            "calc" => outside::calc(bytes, folder),
            "checkpoint" => outside::checkpoint(bytes),
            "named_file" => outside::named_file(bytes, folder),
            "records" => self.records(bytes),
            "scenario" => outside::scenario(bytes, folder),
            "setting" => outside::setting(bytes),
            "state" => self.state(bytes),
            "stl" => outside::stl(bytes),
            "sweep" => outside::sweep(bytes, folder),
            _ => panic!("there is no reader {reader}"),
        }
    }

    fn records(&self, bytes: &[u8]) -> Result<(), String> {
        let Some((which, held)) = bytes.split_first() else {
            return Ok(());
        };
        let (name, whole) = &self.files[usize::from(*which) % self.files.len()];
        let path = self.run.path().join(name);
        fs::write(&path, held).unwrap();
        let found = outside::records(self.run.path());
        fs::write(&path, whole).unwrap();
        found
    }

    fn state(&self, bytes: &[u8]) -> Result<(), String> {
        let Some((first, rest)) = bytes.split_first() else {
            return Ok(());
        };
        let (setup, whole) = &self.saved[usize::from(*first) % outside::STATES];
        let state = match first & 0x80 == 0 {
            true => outside::edited(whole, rest),
            false => rest.to_vec(),
        };
        outside::state(setup, &state)
    }

    /// What is wrong with how an input was taken, if anything is.
    fn fault(&self, reader: &str, name: &str, bytes: &[u8]) -> Option<String> {
        let since = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| drop(self.read(reader, bytes))));
        let shown: String = String::from_utf8_lossy(bytes).chars().take(2000).collect();
        if read.is_err() {
            return Some(format!("{reader}/{name}: a panic at {shown:?}"));
        }
        let took = since.elapsed();
        (took > PATIENCE).then(|| format!("{reader}/{name}: {took:?} for {shown:?}"))
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz")
}

/// The seeds of a reader, by name.
fn seeds(reader: &str) -> Vec<(String, Vec<u8>)> {
    let folder = data().join(reader);
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(&folder)
        .unwrap_or_else(|why| panic!("{}: {why}", folder.display()))
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// Embedded files are seeds too.
fn all_seeds(reader: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = seeds(reader);
    let own = |name: &str, text: &str| (format!("{name}.toml"), text.as_bytes().to_vec());
    match reader {
        "scenario" => {
            let all = arenite::scenario::embedded::SCENARIOS.iter();
            found.extend(all.map(|item| own(item.name, item.text)));
        }
        "sweep" => {
            let all = arenite::sweep::embedded::SWEEPS.iter();
            found.extend(all.map(|item| own(item.name, item.text)));
        }
        _ => {}
    }
    found
}

#[test]
fn every_reader_has_its_seeds() {
    let mut folders: Vec<String> = fs::read_dir(data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(folders, READERS);
    let targets = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/fuzz_targets"));
    let mut targets: Vec<String> = targets
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    targets.sort();
    assert_eq!(targets, READERS);
}

/// Runs a test of this crate by itself, in a process that may have so many kilobytes of memory, where there
/// is a shell that can say so.
fn in_a_small_process(test: &str, kilobytes: u64) {
    let this = std::env::current_exe().unwrap();
    let limits = match cfg!(target_os = "linux") {
        true => format!("ulimit -v {kilobytes}; "),
        false => String::new(),
    };
    let output = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!(
            "{limits}exec \"$0\" {test} --exact --include-ignored --nocapture"
        ))
        .arg(this)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<&str> = said.lines().rev().take(40).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    assert!(
        output.status.success(),
        "{}\n{}",
        output.status,
        end.join("\n")
    );
    let done = String::from_utf8_lossy(&output.stdout).contains("1 passed");
    assert!(done, "the test {test} was not there");
}

/// No seed takes a gigabyte, and none takes long.
#[test]
fn seeds_are_read_or_refused_in_little_memory() {
    in_a_small_process("fuzz_seeds::seeds_one_after_another", 1_500_000);
}

#[test]
#[ignore = "a part of seeds_are_read_or_refused_in_little_memory"]
fn seeds_one_after_another() {
    let readers = Readers::new();
    let mut faults = Vec::new();
    for reader in READERS {
        for (name, bytes) in all_seeds(reader) {
            // The last one told is the one that memory did not suffice for.
            eprintln!("{reader}/{name}");
            faults.extend(readers.fault(reader, &name, &bytes));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Numbers and pieces of text that are likely to be beyond what a reader thinks of.
const PIECES: [&str; 24] = [
    "0",
    "-1",
    "1e300",
    "-1e-300",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "4294967295",
    "18446744073709551615",
    "9223372036854775807",
    "-9223372036854775808",
    "1000000000000000000",
    "0.1",
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    "\"",
    "\n",
    "\u{6c34}",
    "\0",
];

/// A change or a few: bytes, numbers, pieces of itself, lines.
fn mutated(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let pick = |dice: &mut Dice, below: usize| (dice.roll() * below as f64) as usize;
    for _ in 0..=pick(dice, 4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = pick(dice, bytes.len());
        let to = (at + 1 + pick(dice, 40)).min(bytes.len());
        match pick(dice, 8) {
            0 => bytes[at] ^= 1 << pick(dice, 8),
            1 => bytes[at] = pick(dice, 256) as u8,
            2 => drop(bytes.drain(at..to)),
            3 => {
                let copy = bytes[at..to].to_vec();
                let place = pick(dice, bytes.len());
                bytes.splice(place..place, copy);
            }
            4 => {
                let piece = PIECES[pick(dice, PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            // A whole number of the text, or what begins like one.
            _ => {
                let number = |b: &u8| b.is_ascii_digit() || b".-+e_".contains(b);
                let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else {
                    continue;
                };
                let rest = bytes[at + start..].iter();
                let length = rest.take_while(|b| number(b)).count();
                let piece = PIECES[pick(dice, PIECES.len())];
                bytes.splice(at + start..at + start + length, piece.bytes());
            }
        }
    }
    bytes
}

fn mutate_all(rounds: usize, seconds: u64) {
    let readers = Readers::new();
    let mut dice = Dice(9);
    let mut faults = Vec::new();
    let mut tried = 0;
    for reader in READERS {
        let seeds = all_seeds(reader);
        let since = Instant::now();
        for round in 0..rounds {
            // Each has its share of the time, on a slow machine too.
            if since.elapsed() > Duration::from_secs(seconds) {
                break;
            }
            let (name, seed) = &seeds[(dice.roll() * seeds.len() as f64) as usize];
            let bytes = mutated(seed, &mut dice);
            tried += 1;
            faults.extend(readers.fault(reader, &format!("{name}, round {round}"), &bytes));
        }
    }
    eprintln!("{tried} inputs");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn mutated_seeds_are_read_or_refused() {
    in_a_small_process("fuzz_seeds::some_mutations", 3_000_000);
}

#[test]
#[ignore = "a part of mutated_seeds_are_read_or_refused"]
fn some_mutations() {
    mutate_all(200, 1);
}

#[test]
#[ignore = "minutes: cargo test --release --test it -- --ignored many_mutations"]
fn many_mutations() {
    mutate_all(usize::MAX, 60);
}
