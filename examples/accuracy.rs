//! What the step and the tolerance cost, and what they change: how fast a hopper empties, how often a narrower one jams, how
//! steep what stays in a funnel lies, what the floor of a silo bears; many fillings each, a line a setting, and a picture.
//!
//! ```text
//! cargo run --release --example accuracy -- step PICTURE.svg 0.3 0.5 0.8 1 1.3 1.7
//! cargo run --release --example accuracy -- tolerance PICTURE.svg 1e-3
//! ```
//!
//! Steps are shares of the longest that `arenite check` names; a run chooses 0.8 of it by itself.

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arenite::geometry::Planar;
use arenite::record::{MemorySink, Status};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::study::ensemble::spread;
use arenite::study::proportion::Proportion;
use arenite::study::repose::repose;
use arenite::system::{Control, Setup, System};
use arenite::view::{Curve, Panel, chart};

type Failure = Box<dyn Error + Send + Sync>;

/// A figure of a run, and the scenario that it is of.
struct Study {
    title: &'static str,
    scenario: &'static str,
    set: &'static [&'static str],
    seeds: u64,
    /// Nothing of a run that is about something else, as the rate of a jam.
    figure: fn(&System<Planar>, &MemorySink) -> Option<f64>,
    /// Whether it is a share of the runs.
    share: bool,
}

/// An orifice of 3.75 diameters in the funnel of `hopper`, as the embedded sweep `jam` places it: some two of five runs jam.
const NARROW: &[&str] = &[
    "boundary[2].segment.from[1]=0.1948557158514986",
    "boundary[2].segment.to[0]=0.1125",
    "boundary[3].segment.from[1]=0.1948557158514986",
    "boundary[3].segment.to[0]=0.1875",
    "fill[0].lattice.min[1]=0.2248557158514986",
    "log.series=1",
];

const STUDIES: [Study; 4] = [
    Study {
        title: "disks a second out of `hopper`",
        scenario: "hopper",
        set: &["run.end_time=2", "log.series=1"],
        seeds: 24,
        figure: |system, _| {
            let summary = system.summary();
            let out = summary.discharge.map_or(0, |discharge| discharge.count) as f64;
            (summary.status != Status::Jammed).then_some(out / summary.time.simulated)
        },
        share: false,
    },
    Study {
        title: "share of narrower hoppers that jam",
        scenario: "hopper",
        set: NARROW,
        seeds: 40,
        figure: |system, _| Some(f64::from(system.summary().status == Status::Jammed)),
        share: true,
    },
    Study {
        title: "slope of what stays in `funnel`, degrees",
        scenario: "funnel",
        set: &["log.series=1"],
        seeds: 10,
        figure: |system, _| {
            let time = system.summary().time.simulated;
            let grains = system.grains_at(time);
            let disks: Vec<([f64; 2], f64)> = grains
                .iter()
                .map(|grain| (grain.position.into(), grain.radius))
                .collect();
            repose(&disks).ok()?.mean().map(f64::to_degrees)
        },
        share: false,
    },
    Study {
        title: "what the floor of `silo-fill` bears, of the weight",
        scenario: "silo-fill",
        set: &["feed[0].count=1000", "run.end_time=11", "log.series=0.5"],
        seeds: 8,
        figure: |system, sink| {
            let weight: f64 = system
                .grains_at(system.summary().time.simulated)
                .iter()
                .map(|grain| grain.mass * 9.8)
                .sum();
            let floor = sink.series.last()?.walls.get(2)?;
            Some(floor[1].abs() / weight)
        },
        share: false,
    },
];

/// The mean of a figure, its standard error or the ends of a share's interval, and the processor time of a run.
struct Found {
    mean: f64,
    low: f64,
    high: f64,
    runs: usize,
    seconds: f64,
}

/// Processor time of this thread, s.
fn clock() -> Result<f64, Failure> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = told.split_whitespace().next().ok_or("no clock")?;
    Ok(first.parse::<f64>()? * 1e-9)
}

fn setup(study: &Study, seed: u64, setting: Option<(&str, f64)>) -> Result<Setup<Planar>, Failure> {
    let mut overrides = vec![Override::option("SEED", "seed", &seed.to_string())];
    for text in study.set {
        overrides.push(Override::set(text)?);
    }
    overrides.push(Override::set("log.events=none")?);
    overrides.push(Override::set("log.snapshots=never")?);
    if let Some((key, value)) = setting {
        overrides.push(Override::option("SETTING", key, &value.to_string()));
    }
    let resolved = Scenario::load(study.scenario, &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => Ok(setup),
        AnySetup::Spatial(_) => Err("a planar scenario, please".into()),
    }
}

/// One run: the figure and what it took.
fn one(study: &Study, seed: u64, setting: (&str, f64)) -> Result<(Option<f64>, f64), Failure> {
    let begin = clock()?;
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    let mut system = System::new(setup(study, seed, Some(setting))?)?;
    let mut sink = MemorySink::default();
    system.run(&mut sink, &mut control)?;
    Ok(((study.figure)(&system, &sink), clock()? - begin))
}

/// All seeds of a setting, on all cores.
fn all(study: &Study, setting: (&str, f64)) -> Result<Found, Failure> {
    let next = AtomicU64::new(1);
    let found = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > study.seeds {
                return;
            }
            let run = one(study, seed, setting);
            let mut found = found.lock().expect("no worker panics with it");
            found.push((seed, run));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(worker);
        }
    });
    let mut runs = found.into_inner()?;
    runs.sort_unstable_by_key(|(seed, _)| *seed);
    let (mut values, mut seconds) = (Vec::new(), 0.0);
    for (_, run) in runs {
        let (value, took) = run?;
        values.extend(value);
        seconds += took / study.seeds as f64;
    }
    let told = spread(&values)?;
    let [low, high] = if study.share {
        let count = values.iter().filter(|value| **value > 0.5).count() as u64;
        // As many errors as the others have: one.
        let ends = Proportion::new(count, values.len() as u64)?.wilson(0.68)?;
        [ends.low, ends.high]
    } else {
        [told.mean - told.error, told.mean + told.error]
    };
    Ok(Found {
        mean: told.mean,
        low,
        high,
        runs: values.len(),
        seconds,
    })
}

fn panel(title: &str, along: &str, curves: Vec<(Vec<[f64; 2]>, usize)>) -> Panel {
    Panel {
        title: title.into(),
        along: along.into(),
        curves: curves
            .into_iter()
            .map(|(points, key)| Curve { points, key })
            .collect(),
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, picture, values @ ..] = &arguments[..] else {
        return Err("usage: accuracy step|tolerance PICTURE.svg VALUE ...".into());
    };
    let by_step = match &what[..] {
        "step" => true,
        "tolerance" => false,
        _ => return Err("step or tolerance".into()),
    };
    let values: Vec<f64> = values
        .iter()
        .map(|value| value.parse())
        .collect::<Result<_, _>>()?;
    let along = if by_step {
        "step, of the longest"
    } else {
        "logarithm of the tolerance to the base ten"
    };
    let at = |value: f64| if by_step { value } else { value.log10() };
    let mut panels = Vec::new();
    let mut costs = Vec::new();
    println!("figure,{what},mean,low,high,runs,processor s a run");
    for (k, study) in STUDIES.iter().enumerate() {
        let chosen = setup(study, 1, None)?;
        let safety = chosen.motion.safety;
        let longest = System::new(chosen)?.step_size() / safety;
        let mut found = Vec::new();
        for &value in &values {
            let setting = if by_step {
                ("run.step", value * longest)
            } else {
                ("run.tolerance", value)
            };
            let told = all(study, setting)?;
            println!(
                "{},{value},{:.4},{:.4},{:.4},{},{:.3}",
                study.title, told.mean, told.low, told.high, told.runs, told.seconds
            );
            found.push((at(value), told));
        }
        let curve = |of: fn(&Found) -> f64| found.iter().map(|(x, f)| [*x, of(f)]).collect();
        costs.push((curve(|f| f.seconds), k + 2));
        panels.push(panel(
            study.title,
            along,
            vec![
                (curve(|f| f.low), 1),
                (curve(|f| f.high), 1),
                (curve(|f| f.mean), 0),
            ],
        ));
    }
    panels.push(panel("processor time of a run, s", along, costs));
    let mut keys = vec![
        "mean of all fillings".to_owned(),
        "less and plus its standard error (jams: Wilson's interval of 68 %)".to_owned(),
    ];
    keys.extend(["hopper", "narrower hopper", "funnel", "silo-fill"].map(|n| format!("time: {n}")));
    std::fs::write(picture, chart(&panels, &keys).to_svg())?;
    Ok(())
}
