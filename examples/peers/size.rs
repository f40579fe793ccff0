//! Cost of a grain-step and memory by the number of grains: a settled lattice in which every candidate is a link, each
//! size in a process of its own, whose peak is that of the whole.

use std::process::Command;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, LawTable, Linear};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::system::{
    EventLog, FieldSetup, IntegratorName, LogSetup, Matter, ModelSetup, MorphSetup, MotionSetup,
    NeighborName, Notes, RunSetup, Setup, SourceSetup, SpaceSetup,
};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, Shape};

use super::ours::{self, Marks};
use super::{Fallible, clock, spread};

pub const STEP: f64 = 1e-5;
pub const RADIUS: f64 = 0.01;
/// Between centres, m: a little less than a diameter.
pub const PITCH: f64 = 2.0 * RADIUS * (1.0 - 1e-5);

/// Grains of one material between walls, with a series row each `series` seconds.
pub fn setup<D: Integrate>(
    grains: Vec<Grain<D>>,
    walls: Vec<(Shape<D>, Motion<D>)>,
    finish: f64,
    series: f64,
    morph: Option<MorphSetup>,
) -> Setup<D> {
    let damping = if D::N == 2 { 1e3 } else { 20.0 };
    let mut laws = LawTable::new(1);
    let law = ContactLaw::Linear(Linear {
        normal_stiffness: 1e6,
        tangential_stiffness: 1e5,
        normal_damping: damping,
        tangential_damping: damping,
        friction: 0.43,
    });
    laws.set(0, 0, law);
    let boundary = |(n, (shape, motion)): (usize, _)| Boundary {
        name: format!("wall-{n}"),
        material: 0,
        shape,
        motion,
        opens_at: None,
        passes_below_radius: 0.0,
        belt: Default::default(),
    };
    Setup {
        seed: 1,
        tolerance: 1e-3,
        matter: Matter {
            materials: vec!["grain".into()],
            laws,
            forms: Vec::new(),
            agglomerates: Default::default(),
        },
        boundaries: walls.into_iter().enumerate().map(boundary).collect(),
        grains,
        space: SpaceSetup {
            periodic: vec![None; D::N],
            cell: None,
        },
        fields: FieldSetup {
            gravity: D::Vector::from_fn(|k| if k + 1 == D::N { -9.8 } else { 0.0 }),
            drag: 0.0,
            long_range: Default::default(),
            place: Default::default(),
        },
        motion: MotionSetup {
            integrator: IntegratorName::Verlet,
            step: Some(STEP),
            safety: 0.8,
            neighbor: NeighborName::Cells,
            flight: true,
            collisions: None,
            stable_speed: 1e-3,
            stable_dwell: 5e-3,
            slip_tolerance: 1e-3,
        },
        models: ModelSetup {
            morph,
            ..ModelSetup::default()
        },
        sources: SourceSetup {
            feeds: Vec::new(),
            outlets: Vec::new(),
            outlet_interval: 0.1,
            meters: Vec::new(),
            controls: Vec::new(),
            perturbs: Vec::new(),
        },
        run: RunSetup {
            begin: 0.0,
            settle: None,
            end_time: finish,
            stop_when_empty: false,
        },
        log: LogSetup {
            series: Some(series),
            snapshots: None,
            checkpoint: None,
            events: EventLog::None,
            stagnant: None,
            wear: None,
            impacts: false,
        },
        notes: Notes::default(),
    }
}

fn lattice<D: Integrate>(count: u64, steps: u64) -> Setup<D> {
    let side = (1..)
        .find(|s: &u64| s.pow(D::N as u32) >= count)
        .unwrap_or(1);
    let density = if D::N == 2 { 1190.0 } else { 2500.0 };
    let place =
        |n: u64| D::Vector::from_fn(|k| RADIUS + (n / side.pow(k as u32) % side) as f64 * PITCH);
    let grain = |n: u64| Grain::new(n as u32, 0, RADIUS, density, place(n));
    let wall = Shape::Box(shapes::Cuboid {
        min: D::Vector::from_fn(|_| 0.0),
        max: D::Vector::from_fn(|_| 2.0 * RADIUS + (side - 1) as f64 * PITCH),
        inside: true,
    });
    let finish = steps as f64 * STEP;
    let grains = (0..count).map(grain).collect();
    setup(
        grains,
        vec![(wall, Motion::Fixed)],
        finish,
        0.5 * finish,
        None,
    )
}

/// One size in this process: nanoseconds a grain-step in the second half, and bytes a grain at the peak.
pub fn one(form: &str, count: u64, steps: u64) -> Fallible {
    let marks = Marks::default();
    let (marks, _, end) = match form {
        "plane" => ours::run(lattice::<Planar>(count, steps), marks)?,
        "space" => ours::run(lattice::<Spatial>(count, steps), marks)?,
        _ => return Err("plane or space".into()),
    };
    let half = marks.rows.iter().find(|(time, _)| *time > 0.0);
    let (time, begin) = *half.ok_or("too few steps")?;
    let done = steps as f64 - (time / STEP).round();
    let cost = (end - begin) / (count as f64 * done) * 1e9;
    println!("{cost} {}", clock::peak() / count as f64);
    Ok(())
}

pub fn table(pairs: u64) -> Fallible {
    println!("grains, dimensions: million grain-steps/s, median (least to greatest); KiB a grain");
    for form in ["plane", "space"] {
        for count in [1_000_u64, 10_000, 100_000, 1_000_000] {
            // Long enough that the two rows of the series, which look at every link, do not count.
            let steps = (200_000_000 / count).clamp(2_000, 50_000);
            let (mut speeds, mut room) = (Vec::new(), 0.0_f64);
            for _ in 0..pairs {
                let mut child = Command::new(std::env::current_exe()?);
                child.args(["one-size", form, &count.to_string(), &steps.to_string()]);
                let told = String::from_utf8(child.output()?.stdout)?;
                let numbers: Vec<f64> = told.split_whitespace().flat_map(str::parse).collect();
                let [cost, bytes] = numbers[..] else {
                    return Err(format!("{count} in {form}: no figures").into());
                };
                speeds.push(1e3 / cost);
                room = room.max(bytes);
            }
            let [median, least, greatest] = spread(&speeds);
            let kibibytes = room / 1024.0;
            println!(
                "{count}, {form}: {median:.1} ({least:.1} to {greatest:.1}); {kibibytes:.2} KiB"
            );
        }
    }
    Ok(())
}
