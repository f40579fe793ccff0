//! Every reader of external bytes, each as one call; the fuzzers in `fuzz/` and `tests/it/records/fuzz_seeds.rs` call these.
//! A call may refuse its input with the message that a user would see; it must not panic, hang, or allocate memory
//! out of proportion.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::calc::CalcKind;
use crate::cli::calc::of_text;
use crate::cluster::integrate::Integrate;
use crate::record::{MemorySink, RunFolder, Table, read, whole_checkpoint};
use crate::scenario::spec::Spec;
use crate::scenario::{AnySetup, Override, Problem, Scenario};
use crate::system::{Control, Setup, System, SystemError, driver_of};
use crate::view::report::{ReportOptions, report};

/// Limit on the number of grains of an input, so that inputs are read quickly: more grains are valid, but take time.
const GRAINS: u64 = 500;

type Read = Result<(), String>;

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(told)
}

/// Reads a scenario as `arenite check` reads it and `arenite run` starts it; files that it names are in a folder. The
/// resolved scenario must resolve to itself.
///
/// # Errors
/// The message that a user would see.
pub fn scenario(bytes: &[u8], folder: &Path) -> Read {
    let scenario = Scenario::parse("input.toml", text(bytes)?, Some(folder), &[]).map_err(told)?;
    if costs_too_much(scenario.spec()) {
        return Err("left out: too many grains".into());
    }
    let resolved = scenario.resolve().map_err(told)?;
    let again = Scenario::parse("resolved.toml", &resolved.toml, None, &[])
        .and_then(|scenario| scenario.resolve());
    match again {
        Ok(again) => assert_eq!(again.toml, resolved.toml, "it resolves to something else"),
        Err(why) => panic!("what it resolved to is refused: {why}\n{}", resolved.toml),
    }
    match resolved.setup {
        AnySetup::Planar(setup) => started(&scenario, setup),
        AnySetup::Spatial(setup) => started(&scenario, setup),
    }
}

fn started<D: Integrate>(scenario: &Scenario, setup: Setup<D>) -> Read {
    let fault = |error: SystemError| match error {
        SystemError::Setup(text) => told(scenario.locate(Problem::plain(text))),
        other => told(other),
    };
    System::plan(&setup).map_err(fault)?;
    driver_of(setup, None).map(drop).map_err(fault)
}

/// Whether a scenario is skipped because it starts with too many grains; counts over the program's maximum are kept,
/// since they are refused at once.
fn costs_too_much(spec: &Spec) -> bool {
    let counts = spec.fill.iter().map(|fill| {
        let lattice = fill.lattice.as_ref().map(|fill| fill.count);
        let others = [&fill.random, &fill.roll_down];
        let others = others.map(|fill| fill.as_ref().map(|fill| fill.count));
        [lattice, others[0], others[1]]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    });
    let count = counts.fold(0, u64::saturating_add);
    (GRAINS + 1..=crate::scenario::MAX_GRAINS).contains(&count)
}

/// Reads a file that a scenario names: the first byte selects the kind, the rest is the contents.
///
/// # Errors
/// The message that a user would see.
pub fn named_file(bytes: &[u8], folder: &Path) -> Read {
    let Some((kind, held)) = bytes.split_first() else {
        return Err("nothing".into());
    };
    let planar = "name='x'\ndimension=2\nrun={end_time=1}\n";
    let solid = "name='x'\ndimension=3\nrun={end_time=1}\n";
    let grain =
        "[[fill]]\nmaterial='thesis-disk'\ngrains=[{position=[9,9],radius=0.01,velocity=[0,0]}]\n";
    let ball = "[[fill]]\nmaterial='thesis-disk'\ngrains=[{position=[9,9,9],radius=0.01}]\n";
    let file = "input.data";
    let text = match kind % 6 {
        0 => format!("{planar}[[fill]]\nmaterial='thesis-disk'\nfile='{file}'\n"),
        1 => format!("{solid}[[fill]]\nmaterial='thesis-disk'\nfile='{file}'\n"),
        2 => format!("{planar}[field]\ndrag=1\nflow={{table={{file='{file}'}}}}\n{grain}"),
        3 => format!("{solid}[field.table]\nfile='{file}'\n{ball}"),
        4 => format!(
            "{solid}[[boundary]]\nname='w'\nmaterial='thesis-wall'\nmesh={{file='{file}'}}\n{ball}"
        ),
        _ => format!(
            "{solid}[[boundary]]\nname='w'\nmaterial='thesis-wall'\nmesh={{file='{file}',skip_degenerate=true,scale=0.001}}\n{ball}"
        ),
    };
    std::fs::write(folder.join(file), held).map_err(told)?;
    scenario(text.as_bytes(), folder)
}

/// Reads a sweep file: its axes, and its first and last run.
///
/// # Errors
/// The message that a user would see.
pub fn sweep(bytes: &[u8], folder: &Path) -> Read {
    let folder = Some(folder.to_path_buf());
    let sweep = crate::sweep::Sweep::parse("input.toml", text(bytes)?, folder, None, &[]);
    let sweep = sweep.map_err(told)?;
    // One run is little work; a million runs are not.
    if sweep.count() > 1000 {
        return Err("left out: too many runs".into());
    }
    let points = sweep.points().map_err(told)?;
    for point in points.first().into_iter().chain(points.last()) {
        let _ = sweep.resolve(point).map_err(told);
    }
    Ok(())
}

/// Applies a value as of `--set` on the command line to the hopper.
///
/// # Errors
/// The message that a user would see.
pub fn setting(bytes: &[u8]) -> Read {
    let given = Override::set(text(bytes)?)?;
    let scenario = Scenario::load("hopper", &[given]).map_err(told)?;
    if costs_too_much(scenario.spec()) {
        return Err("left out: too many grains".into());
    }
    scenario.resolve().map(drop).map_err(told)
}

/// Runs a case of `arenite calc`: the first byte selects the model, then JSON or TOML.
///
/// # Errors
/// The message that a user would see.
pub fn calc(bytes: &[u8], folder: &Path) -> Read {
    const KINDS: [CalcKind; 8] = [
        CalcKind::Flight,
        CalcKind::Collision,
        CalcKind::Mapping,
        CalcKind::Stress,
        CalcKind::Rigidity,
        CalcKind::Grinding,
        CalcKind::Grain,
        CalcKind::Contact,
    ];
    let Some((kind, held)) = bytes.split_first() else {
        return Err("nothing".into());
    };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    of_text(kind, text(held)?, None, folder).map(drop)
}

/// Reads an STL file, as a body and as triangles.
///
/// # Errors
/// The message that a user would see.
pub fn stl(bytes: &[u8]) -> Read {
    crate::body::stl_triangles(bytes).map_err(told)?;
    let mesh = crate::body::Mesh::from_stl(bytes).map_err(told)?;
    let _ = crate::body::mass::tetrahedra(&mesh);
    Ok(())
}

/// Reads a checkpoint file; its checksum is corrected, so that the contents behind it are read at all.
///
/// # Errors
/// The bytes are no checkpoint.
pub fn checkpoint(bytes: &[u8]) -> Read {
    let mut whole = bytes.to_vec();
    whole.extend(crate::record::checksum(bytes).to_le_bytes());
    let state = whole_checkpoint(&whole).ok_or("no checkpoint")?;
    assert!(state.len() < 1 << 30, "out of proportion");
    Ok(())
}

/// Small scenarios for all drivers; their saved states are read.
const SAVED: [&str; 4] = [
    "name='flow'\ndimension=2\nrun={end_time=0.02}\nfield={gravity=[0,-9.8]}\n\
     log={checkpoint=0.01,series=0.005,snapshots=0.005}\n[[boundary]]\nname='floor'\n\
     material='thesis-wall'\nplane={point=[0,0],normal=[0,1]}\n[[fill]]\n\
     material='thesis-disk'\ngrains=[{position=[0,0.0099],radius=0.01},\
     {position=[0.0197,0.01],radius=0.01},{position=[0,0.2],radius=0.01}]\n[[feed]]\n\
     material='thesis-disk'\nradius=0.01\ncount=3\nmin=[0,1]\nmax=[1,2]\nevery=0.004\n",
    "name='still'\ndimension=3\nrun={end_time=2e-4}\nfield={gravity=[0,0,-9.8]}\nmorph={}\n\
     log={checkpoint=1e-4}\n[[boundary]]\nname='floor'\nmaterial='thesis-wall'\n\
     plane={point=[0,0,0],normal=[0,0,1]}\n[[fill]]\nmaterial='thesis-disk'\n\
     grains=[{position=[0,0,0.01],radius=0.01},{position=[0.0199,0,0.01],radius=0.01}]\n",
    "name='gas'\ndimension=2\nrun={end_time=0.02}\nevents={}\nlog={checkpoint=0.01}\n\
     periodic={x=[0,1],y=[0,1]}\n[[fill]]\nmaterial='thesis-disk'\n\
     grains=[{position=[0.1,0.1],radius=0.01,velocity=[1,0]},{position=[0.13,0.1],radius=0.01}]\n",
    "name='bed'\ndimension=2\nrun={end_time=3}\nfield={gravity=[0,-9.8]}\n\
     quasi_static={interval=1}\nlog={checkpoint=1}\n[[boundary]]\nname='floor'\n\
     material='thesis-wall'\nplane={point=[0,0],normal=[0,1]}\n[[fill]]\n\
     material='thesis-disk'\ngrains=[{position=[0,0.01],radius=0.01},\
     {position=[0.1,0.01],radius=0.01}]\n",
];

/// Number of scenarios for [`state`].
pub const STATES: usize = SAVED.len();

/// Returns a small setup and the last state that its run saved.
///
/// # Panics
/// When one of the scenarios here is invalid.
pub fn saved(which: usize) -> (AnySetup, Vec<u8>) {
    let text = SAVED[which % STATES];
    let scenario = Scenario::parse("saved.toml", text, None, &[]).unwrap_or_else(|why| {
        panic!("{why}");
    });
    let setup = scenario
        .resolve()
        .unwrap_or_else(|why| panic!("{why}"))
        .setup;
    let state = match &setup {
        AnySetup::Planar(setup) => last_state(setup.clone()),
        AnySetup::Spatial(setup) => last_state(setup.clone()),
    };
    (setup, state)
}

fn last_state<D: Integrate>(setup: Setup<D>) -> Vec<u8> {
    let mut sink = MemorySink::default();
    let never = AtomicBool::new(false);
    let made =
        driver_of(setup, None).and_then(|mut run| run.run(&mut sink, &mut Control::new(&never)));
    made.unwrap_or_else(|why| panic!("{why}"));
    sink.checkpoint.expect("a checkpoint")
}

/// Writes a small run into a folder; returns the files that readers open there, by name.
///
/// # Panics
/// When the folder cannot be written to.
pub fn run_folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let (setup, _) = saved(0);
    let AnySetup::Planar(setup) = setup else {
        panic!("the first run is planar");
    };
    let meta = crate::system::run_meta(&setup, SAVED[0]);
    let mut sink = RunFolder::create(folder, &meta, 1, true).expect("a folder");
    let never = AtomicBool::new(false);
    let mut run = driver_of(setup, None).expect("a run");
    run.run(&mut sink, &mut Control::new(&never))
        .expect("an end");
    sink.finish(&run.summary()).expect("records");
    // Without checksums, which would reject every file that replaces one of these.
    let mut summary = read::summary(folder).expect("a summary");
    summary.checksums.clear();
    let text = serde_json::to_vec(&summary).expect("JSON");
    std::fs::write(folder.join("summary.json"), text).expect("a summary");
    let mut names: Vec<String> = Table::ALL
        .iter()
        .map(|table| table.file_name().to_string())
        .collect();
    names.extend(["summary.json", "scenario.toml"].map(String::from));
    let held = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).expect("a file");
        (name, bytes)
    };
    names.into_iter().map(held).collect()
}

/// Returns a saved state with some bytes changed: an edit is three bytes for the position, one for the operation, and
/// one for the value.
pub fn edited(state: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut state = state.to_vec();
    for edit in edits.chunks_exact(5) {
        if state.is_empty() {
            break;
        }
        let place = edit[..3]
            .iter()
            .fold(0, |n, &byte| n << 8 | usize::from(byte))
            % state.len();
        match edit[3] % 5 {
            0 => state[place] = edit[4],
            1 => state[place] ^= 1 << (edit[4] % 8),
            2 => state.insert(place, edit[4]),
            3 => drop(state.remove(place)),
            _ => state.truncate(place),
        }
    }
    state
}

/// Resumes the run of a setup from a state.
///
/// # Errors
/// The bytes are no state, or a state of another run.
pub fn state(setup: &AnySetup, state: &[u8]) -> Read {
    let taken = match setup {
        AnySetup::Planar(setup) => driver_of(setup.clone(), Some(state)).map(drop),
        AnySetup::Spatial(setup) => driver_of(setup.clone(), Some(state)).map(drop),
    };
    taken.map_err(told)
}

/// Reads the folder of a run: all its tables, its summary, its page, and a comparison of the run with itself.
///
/// # Errors
/// The first message that a user would see.
pub fn records(folder: &Path) -> Read {
    let mut first = Ok(());
    let mut note = |found: Read| {
        if first.is_ok() {
            first = found;
        }
    };
    for table in Table::ALL {
        note(read::table(folder, table).map(drop).map_err(told));
    }
    note(read::avalanche_rows(folder).map(drop).map_err(told));
    note(read::summary(folder).map(drop).map_err(told));
    let shots = || -> Read {
        let mut shots = read::Snapshots::open(folder).map_err(told)?;
        while shots.next_snapshot().map_err(told)?.is_some() {}
        Ok(())
    };
    note(shots());
    note(
        report(folder, &ReportOptions::default())
            .map(drop)
            .map_err(told),
    );
    note(
        crate::study::runs::compare(&[folder, folder], 0.05)
            .map(drop)
            .map_err(told),
    );
    first
}

/// Reads the folder of a sweep, for its page.
///
/// # Errors
/// The message that a user would see.
pub fn sweep_folder(folder: &Path) -> Read {
    crate::view::report::sweep(folder).map(drop).map_err(told)
}
