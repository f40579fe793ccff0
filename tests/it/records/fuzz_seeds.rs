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
const PATIENCE: Duration = Duration::from_secs(30);

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

/// No seed takes two gigabytes, and none takes long.
#[test]
fn seeds_are_read_or_refused_in_little_memory() {
    in_a_small_process("records::fuzz_seeds::seeds_one_after_another", 2_000_000);
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

/// A negative start of a column, one bit from a good one, is a panic of the crate that reads tables: an error here.
#[test]
fn a_wrong_bit_in_a_footer_is_read_or_refused() {
    let readers = Readers::new();
    let bytes = fs::read(data().join("records/grains-are-links")).unwrap();
    let ends = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[ends..ends + 4].try_into().unwrap());
    let footer = ends - length as usize..ends + 8;
    let mut negative = 0;
    for byte in footer {
        // The sign, where a number begins there.
        let mut wrong = bytes.clone();
        wrong[byte] ^= 1;
        let read = catch_unwind(AssertUnwindSafe(|| readers.records(&wrong)));
        let Ok(read) = read else {
            panic!("a panic for another byte {byte}");
        };
        let undecoded = |why: String| why.contains("cannot be decoded");
        negative += usize::from(read.is_err_and(undecoded));
    }
    assert!(negative > 5, "{negative}");
}

#[test]
fn mutated_seeds_are_read_or_refused() {
    in_a_small_process("records::fuzz_seeds::some_mutations", 3_000_000);
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

/// What a scenario is refused with.
fn refused(text: &str) -> String {
    let readers = tempfile::tempdir().unwrap();
    let found = outside::scenario(text.as_bytes(), readers.path());
    found.expect_err("it must be refused")
}

/// Found by mutation: the contacts from which tables of collisions at once are made did not end, or the
/// tables had no end of pieces.
#[test]
fn laws_without_a_table_of_collisions_are_refused() {
    for (seed, why) in [
        ("flyers-damper-1e148", "its normal damper is "),
        ("events-damper-1e148", "its normal damper is "),
        (
            "events-tangential-1e15",
            "its tangential spring or damper is too strong",
        ),
    ] {
        let text = fs::read_to_string(data().join("scenario").join(seed)).unwrap();
        let told = refused(&text);
        let law = format!("the law between `m` and `m` cannot be put into a table: {why}");
        assert!(told.contains(&law), "{seed}: {told}");
    }
}

const HEAD: &str = "name='x'\ndimension=2\nrun={end_time=1}\n[[fill]]\nmaterial='thesis-disk'\n";

/// A device has no end, a pipe without a writer no beginning: neither is opened.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_refused_at_once() {
    use crate::cli_tools::{arenite, said};
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let since = Instant::now();
    for (file, why) in [
        ("pipe", "it is no plain file"),
        ("/dev/zero", "it is no plain file"),
        (".", "it is a folder"),
    ] {
        let text = format!("{HEAD}file='{file}'\n");
        fs::write(folder.path().join("x.toml"), text).unwrap();
        let output = arenite(folder.path(), &["check", "x.toml"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{file}: {}", said(&output));
        let case = format!("{{\"density\": 1, \"stl\": \"{file}\"}}");
        fs::write(folder.path().join("case.json"), case).unwrap();
        let output = arenite(folder.path(), &["calc", "grain", "case.json"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{file}: {}", said(&output));
        let sweep = format!("scenario='./{file}'\n");
        fs::write(folder.path().join("sweep.toml"), sweep.replace(".//", "/")).unwrap();
        let output = arenite(folder.path(), &["sweep", "sweep.toml", "--check"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{file}: {}", said(&output));
    }
    for command in [["check", "/dev/zero"], ["sweep", "/dev/zero"]] {
        let output = arenite(folder.path(), &command);
        assert!(
            said(&output).contains("it is no plain file"),
            "{}",
            said(&output)
        );
    }
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
}

/// A shell's `<(command)` is a pipe that has a writer.
#[cfg(unix)]
#[test]
fn the_command_line_may_name_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkfifo pipe && (\"$0\" new hopper - > pipe &) && \"$0\" check ./pipe";
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_arenite")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.starts_with("hopper"),
        "{output:?}"
    );
}

/// Found by hand: cells are as wide as the grains to come, and a grain a million times as large has
/// 1e12 of them around it.
#[test]
fn small_grains_fill_soon_beside_a_large_one() {
    let text = format!(
        "{HEAD}grains=[{{position=[0,0],radius=1.0}}]\n[[fill]]\nmaterial='thesis-disk'\n\
         lattice={{count=10,radius=1e-6,min=[1.5,1.5],max=[2,2]}}\n"
    );
    let since = Instant::now();
    let found = arenite::scenario::Scenario::parse("x.toml", &text, None, &[]);
    found.unwrap().resolve().unwrap();
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
}

/// Found by hand: all small grains lay in the cells of a large one, and each was looked for among all.
#[test]
fn small_grains_are_checked_soon_beside_a_large_one() {
    let text = format!(
        "{HEAD}grains=[{{position=[-20.5,0],radius=20.0}}]\n[[fill]]\nmaterial='thesis-disk'\n\
         lattice={{count=200000,radius=1e-4,min=[0,0],max=[0.2,0.2]}}\n"
    );
    let since = Instant::now();
    let found = arenite::scenario::Scenario::parse("x.toml", &text, None, &[]);
    found.unwrap().resolve().unwrap();
    assert!(since.elapsed() < PATIENCE, "{:?}", since.elapsed());
}

/// Found by hand: a mass that is 0, or no finite number, made steps of no length or a run of nothing.
#[test]
fn grains_without_a_mass_are_refused() {
    for radius in ["1e-200", "1e200"] {
        let told = refused(&format!(
            "{HEAD}grains=[{{position=[0,0],radius={radius}}}]\n"
        ));
        assert!(told.contains("which no number holds well"), "{told}");
    }
}

/// Found by a seed: a speed whose square is beyond all numbers made a default that its own reader refused.
#[test]
fn speeds_beyond_numbers_are_refused() {
    let told = refused(&format!(
        "{HEAD}grains=[{{position=[0,0],radius=0.01,velocity=[1e200,0]}}]\n"
    ));
    assert!(told.contains("beyond what numbers hold"), "{told}");
}

/// Found by a seed: numbers of cells went over the end of whole numbers.
#[test]
fn cells_beyond_whole_numbers_are_counted_as_many() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "grains=[{position=[1e300,-1e300],radius=0.01},{position=[1e307,1e18],radius=0.01}]\n",
        "lattice={count=10,radius=0.01,min=[0,0],max=[1e300,1e300]}\n",
    ] {
        let _ = outside::scenario(format!("{HEAD}{text}").as_bytes(), folder.path());
    }
}

/// Found by hand: each key had its million values before their product was looked at.
#[test]
fn a_sweep_is_refused_before_its_values_are_made() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["many-long-ranges", "many-long-samples"] {
        let seed = fs::read(data().join("sweep").join(name)).unwrap();
        let told = outside::sweep(&seed, folder.path()).unwrap_err();
        assert!(told.contains("all keys together have more than"), "{told}");
    }
    let deep = fs::read(data().join("sweep/deep-path")).unwrap();
    let told = outside::sweep(&deep, folder.path()).unwrap_err();
    assert!(told.contains("more than 64 steps"), "{told}");
}

/// Found by hand: the ratio of two radii may be beyond all numbers, and so was the list of baskets.
#[test]
fn a_mill_of_endless_baskets_is_refused() {
    let case = "\u{5}{\"rate\": 1, \"mass\": 1, \"times\": [1], \"mill\": {\"ball_radius\": 1, \"balls\": 1, \
         \"vessel_radius\": 10, \"vessel_height\": 10, \"initial_radius\": 1e300, \"final_radius\": 1e-300}}";
    let told = outside::calc(case.as_bytes(), Path::new("")).unwrap_err();
    assert!(told.contains("the initial over the final radius"), "{told}");
}

/// Found by hand: tables of a run that this program did not write.
#[test]
fn tables_of_other_programs_are_refused() {
    use arenite::record::{Cells, Frame, FrameColumn};
    let run = tempfile::tempdir().unwrap();
    outside::run_folder(run.path());
    let path = run.path().join("grains.parquet");
    for (dimensions, why) in [("0", "`dimensions` is 0"), ("99", "`dimensions` is 99")] {
        let meta =
            format!("{{\"dimensions\": {dimensions}, \"boundaries\": [], \"version\": \"0\"}}");
        let frame = Frame {
            name: "grains".into(),
            columns: vec![FrameColumn {
                name: "time".into(),
                unit: "s",
                about: String::new(),
                cells: Cells::Floats(vec![Some(0.0)]),
            }],
            metadata: vec![("arenite.run".into(), meta)],
        };
        fs::write(&path, frame.parquet(&path).unwrap()).unwrap();
        let told = arenite::record::read::meta(run.path())
            .unwrap_err()
            .to_string();
        assert!(told.contains(why), "{told}");
    }
}
