//! What `run.tolerance` does to a bed that stands still: fillings at several tolerances beside ones
//! with each grain stepped, a line each, and a picture of the means.
//!
//! ```text
//! cargo run --release --example morph_tolerance -- SCENARIO SEEDS PICTURE.svg TOLERANCE ...
//! ```

use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::geometry::Vector;
use arenite::record::{BodyRef, MemorySink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::study::ensemble::{Spread, spread};
use arenite::system::{Control, Setup, System};
use arenite::view::{Curve, Panel, chart};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What is compared, at the end of a run.
const FIGURES: [&str; 5] = [
    "mean normal force, N",
    "borne by the lowest boundary, of the weight",
    "contacts a grain (with walls too)",
    "height of the centre of mass, m",
    "grain-steps of those if all were stepped",
];

fn setup(scenario: &str, seed: u64, key: &str, value: &str) -> Result<AnySetup, Failure> {
    let overrides = [
        Override::option("SEEDS", "seed", &seed.to_string()),
        Override::option("TOLERANCE", key, value),
    ];
    let resolved = Scenario::load(scenario, &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    Ok(resolved.setup)
}

/// The figures of one run.
fn figures<D: Integrate>(mut setup: Setup<D>) -> Result<[f64; 5], Failure> {
    let up = D::N - 1;
    setup.log.series = None;
    setup.log.snapshots = Some(setup.run.end_time);
    setup.log.checkpoint = None;
    let gravity = setup.fields.gravity.norm();
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    let mut system = System::new(setup)?;
    let mut sink = MemorySink::default();
    system.run(&mut sink, &mut control)?;
    let (grains, links) = sink.snapshots.pop().ok_or("the run made no snapshot")?;
    let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
    let moment: f64 = grains.iter().map(|g| g.mass * g.position[up]).sum();
    let mean = links.iter().map(|link| link.normal_force).sum::<f64>() / links.len() as f64;
    // What a boundary bears is what its links push down by.
    let mut borne: Vec<(f64, f64)> = Vec::new();
    for link in &links {
        if let BodyRef::Boundary(wall) = link.body_b {
            let wall = usize::from(wall);
            borne.resize(borne.len().max(wall + 1), (f64::INFINITY, 0.0));
            borne[wall].0 = borne[wall].0.min(link.point[up]);
            borne[wall].1 += link.tangential_force[up] - link.normal[up] * link.normal_force;
        }
    }
    let lowest = borne.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let work = system.summary().work;
    let twice: usize = links
        .iter()
        .map(|link| match link.body_b {
            BodyRef::Grain(_) => 2,
            _ => 1,
        })
        .sum();
    Ok([
        mean,
        lowest.map_or(0.0, |lowest| lowest.1) / (mass * gravity),
        twice as f64 / grains.len() as f64,
        moment / mass,
        work.grain_steps as f64 / work.grain_steps_if_all_stepped as f64,
    ])
}

/// The figures of all seeds, printed.
fn fillings(scenario: &str, seeds: u64, key: &str, value: &str) -> Result<[Spread; 5], Failure> {
    let mut all: [Vec<f64>; 5] = Default::default();
    for seed in 1..=seeds {
        let found = match setup(scenario, seed, key, value)? {
            AnySetup::Planar(setup) => figures(setup)?,
            AnySetup::Spatial(setup) => figures(setup)?,
        };
        println!(
            "{key}={value},{seed},{}",
            found.map(|f| format!("{f:.6}")).join(",")
        );
        for (all, found) in all.iter_mut().zip(found) {
            all.push(found);
        }
    }
    let mut spreads = Vec::new();
    for values in &all {
        spreads.push(spread(values)?);
    }
    spreads.try_into().map_err(|_| "five figures".into())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, seeds, picture, tolerances @ ..] = &arguments[..] else {
        return Err("usage: morph_tolerance SCENARIO SEEDS PICTURE.svg TOLERANCE ...".into());
    };
    let seeds: u64 = seeds.parse()?;
    println!(
        "setting,seed,{}",
        FIGURES.map(|f| f.replace(',', "")).join(",")
    );
    let stepped = fillings(scenario, seeds, "morph.rigid", "false")?;
    let mut still: Vec<(f64, [Spread; 5])> = Vec::new();
    for tolerance in tolerances {
        let found = fillings(scenario, seeds, "run.tolerance", tolerance)?;
        still.push((tolerance.parse::<f64>()?.log10(), found));
    }
    let ends = [still.first(), still.last()].map(|end| end.map_or(0.0, |(at, _)| *at));
    let panels: Vec<Panel> = (0..FIGURES.len())
        .map(|k| {
            let along = |by: f64| {
                let at =
                    |(x, found): &(f64, [Spread; 5])| [*x, found[k].mean + by * found[k].error];
                still.iter().map(at).collect()
            };
            let across = |by: f64| {
                let y = stepped[k].mean + by * stepped[k].error;
                vec![[ends[0], y], [ends[1], y]]
            };
            let curve = |points, key| Curve { points, key };
            Panel {
                title: FIGURES[k].into(),
                along: "logarithm of the tolerance to the base ten".into(),
                curves: vec![
                    curve(across(-1.0), 1),
                    curve(across(1.0), 1),
                    curve(along(-1.0), 2),
                    curve(along(1.0), 2),
                    curve(along(0.0), 0),
                ],
            }
        })
        .collect();
    let keys = [
        format!("{scenario}, {seeds} seeds: mean of beds that stand still"),
        "each grain stepped: mean less and plus its standard error".into(),
        "standing still: mean less and plus its standard error".into(),
    ];
    std::fs::write(picture, chart(&panels, &keys).to_svg())?;
    Ok(())
}
