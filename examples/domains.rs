//! One run over ranks: time a step, and what goes over the wire.
//!
//! ```text
//! cargo build --release --features mpi --example domains
//! mpirun -n 2 target/release/examples/domains 100000
//! cargo run --release --example domains -- 100000 --threads 2     without MPI
//! ```
//!
//! A lattice of grains a little pressed into each other, images all around, that jostle; `--space` has spheres for disks, `--steps K` takes
//! so many steps (1,000), `--serial` runs without any of this. Set-up is run once more by itself and taken off. `on processor` is
//! the time that the busiest rank worked, where the system tells: threads that wait do not work, processes of MPI look for messages
//! without rest. The last column tells the bits of all grains: they are the same in every line of a size, but for `--serial`.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::ranks::{Counted, Ranks, Values, Volume};
use arenite::record::NullSink;
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, EventLog, PeriodicAxis, Setup, System};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Radius, m.
const RADIUS: f64 = 0.01;
/// From centre to centre, m.
const PITCH: f64 = 2.0 * RADIUS * (1.0 - 1e-3);

struct Asked {
    grains: usize,
    steps: usize,
    threads: usize,
    space: bool,
    serial: bool,
}

fn asked() -> Result<Asked, Failure> {
    let mut asked = Asked {
        grains: 10_000,
        steps: 1000,
        threads: 1,
        space: false,
        serial: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> Result<usize, Failure> {
            let text = words.next().ok_or(format!("{word} wants a number"))?;
            Ok(text.parse::<usize>()?.max(1))
        };
        match word.as_str() {
            "--steps" => asked.steps = number()?,
            "--threads" => asked.threads = number()?,
            "--space" => asked.space = true,
            "--serial" => asked.serial = true,
            count => asked.grains = count.parse()?,
        }
    }
    Ok(asked)
}

/// The laws of an embedded scenario, without its walls, in a box of as many grains to each side.
fn jostling<D: Integrate>(mut setup: Setup<D>, asked: &Asked, steps: usize) -> Setup<D> {
    let side = (asked.grains as f64)
        .powf(1.0 / D::N as f64)
        .round()
        .max(4.0) as usize;
    let like = setup.grains[0];
    setup.grains.clear();
    setup.boundaries.clear();
    setup.sources.outlets.clear();
    setup.run.settle = None;
    setup.models.morph = None;
    setup.fields.gravity = D::Vector::default();
    setup.motion.flight = false;
    setup.motion.step = Some(1e-5);
    setup.run.end_time = steps as f64 * 1e-5;
    setup.log.series = None;
    setup.log.snapshots = None;
    setup.log.checkpoint = None;
    setup.log.events = EventLog::None;
    setup.space.periodic = vec![
        Some(PeriodicAxis {
            origin: 0.0,
            length: PITCH * side as f64,
        });
        D::N
    ];
    let mass = like.mass * (RADIUS / like.radius).powi(D::N as i32);
    for n in 0..side.pow(D::N as u32) {
        let at = |k: usize| n / side.pow(k as u32) % side;
        // Neighbours go different ways.
        let speed = |k: usize| 0.02 * (((7 * n + 3 * k) % 11) as f64 / 11.0 - 0.5);
        setup.grains.push(Grain {
            id: n as u32,
            radius: RADIUS,
            mass,
            position: D::Vector::from_fn(|k| RADIUS + PITCH * at(k) as f64),
            velocity: D::Vector::from_fn(speed),
            ..like
        });
    }
    setup
}

/// Processor time of this thread, s, where Linux tells it; else the time since the first call.
fn processor() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Time on the clock and on the processor, s, and what came over the wire.
struct Cost {
    clock: f64,
    processor: f64,
    volume: Volume,
    hash: Option<u64>,
}

fn run<D: Integrate>(setup: Setup<D>, ranks: Option<&dyn Ranks>) -> Result<Cost, Failure> {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    let (start, worked) = (Instant::now(), processor());
    let mut volume = Volume::default();
    let hash = match ranks {
        None => {
            let mut system = System::new(setup)?;
            system.run(&mut NullSink, &mut control)?;
            Some(system.state_hash())
        }
        Some(ranks) => {
            let counted = Counted::new(ranks);
            let end = System::run_over(setup, None, &counted, &mut NullSink, &mut control)?;
            volume = counted.take();
            end.map(|(system, _)| system.state_hash())
        }
    };
    Ok(Cost {
        clock: start.elapsed().as_secs_f64(),
        processor: processor() - worked,
        volume,
        hash,
    })
}

fn measure<D: Integrate>(
    setup: &Setup<D>,
    asked: &Asked,
    ranks: Option<&dyn Ranks>,
) -> Result<(), Failure> {
    const SET_UP: usize = 10;
    let short = run(jostling(setup.clone(), asked, SET_UP), ranks)?;
    let long = run(jostling(setup.clone(), asked, SET_UP + asked.steps), ranks)?;
    let steps = asked.steps as f64;
    let worked = long.processor - short.processor;
    let busiest = match ranks {
        Some(ranks) => -ranks.least(-worked)?,
        None => worked,
    };
    let Some(hash) = long.hash else { return Ok(()) };
    println!(
        "{} ranks, {} grains: {:.2} s by the clock, {:.2} s on processor, {:.2} calls and {:.0} bytes a step, bits {hash:016x}",
        ranks.map_or(0, |ranks| ranks.size()),
        jostling(setup.clone(), asked, 1).grains.len(),
        long.clock - short.clock,
        busiest,
        (long.volume.calls - short.volume.calls) as f64 / steps,
        (long.volume.received - short.volume.received) as f64 / steps,
    );
    Ok(())
}

fn any(asked: &Asked, ranks: Option<&dyn Ranks>) -> Result<(), Failure> {
    let name = if asked.space { "hopper-3d" } else { "hopper" };
    let few = [Override::option("EXAMPLE", "seed", "1")];
    let scenario = Scenario::load(name, &few).and_then(|scenario| scenario.resolve());
    match scenario.map_err(|problem| problem.render(false))?.setup {
        AnySetup::Planar(setup) => measure::<Planar>(&setup, asked, ranks),
        AnySetup::Spatial(setup) => measure::<Spatial>(&setup, asked, ranks),
    }
}

fn main() -> Result<(), Failure> {
    let asked = asked()?;
    if asked.serial {
        return any(&asked, None);
    }
    #[cfg(feature = "mpi")]
    {
        let world = arenite::ranks::World::begin()?;
        if world.size() > 1 || asked.threads == 1 {
            return any(&asked, Some(&world));
        }
    }
    let ends = arenite::ranks::Threads::run(asked.threads, |ranks| any(&asked, Some(ranks)));
    ends.into_iter().collect()
}
