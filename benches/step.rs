//! Steps of a settled bed: grain-steps a second against the number of grains, in the plane and in
//! space. `cargo bench --bench step`
//!
//! A lattice of touching grains rests in a box; every grain is stepped and nearly every candidate
//! pair is a link, which is the dearest state that a run is in for long.

use std::sync::atomic::AtomicBool;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, LawTable, Linear};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::record::NullSink;
use arenite::system::{
    Control, EventLog, FieldSetup, IntegratorName, LogSetup, Matter, ModelSetup, MotionSetup,
    NeighborName, Notes, RunSetup, Setup, SourceSetup, SpaceSetup, System,
};
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, Shape};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const STEPS: u64 = 1000;
const STEP: f64 = 1e-5;

/// Grains in a cubic lattice, each overlapping its neighbours a little, in a box that fits.
fn bed<D: Integrate>(grains: u64) -> Setup<D> {
    let radius = 0.01;
    let pitch = 2.0 * radius * (1.0 - 1e-5);
    let side = (grains as f64).powf(1.0 / D::N as f64).ceil() as u64;
    let density = if D::N == 2 { 1190.0 } else { 2500.0 };
    let place = |n: u64| {
        D::Vector::from_fn(|k| {
            let cell = n / side.pow(k as u32) % side;
            radius + cell as f64 * pitch
        })
    };
    let mut laws = LawTable::new(1);
    let law = ContactLaw::Linear(Linear {
        normal_stiffness: 1e6,
        tangential_stiffness: 1e5,
        normal_damping: if D::N == 2 { 1e3 } else { 20.0 },
        tangential_damping: if D::N == 2 { 1e3 } else { 20.0 },
        friction: 0.43,
    });
    laws.set(0, 0, law);
    Setup {
        seed: 1,
        tolerance: 1e-3,
        matter: Matter {
            materials: vec!["grain".into()],
            laws,
            forms: Vec::new(),
            agglomerates: Default::default(),
        },
        boundaries: vec![Boundary {
            name: "box".into(),
            material: 0,
            shape: Shape::Box(shapes::Cuboid {
                min: D::Vector::from_fn(|_| 0.0),
                max: D::Vector::from_fn(|_| 2.0 * radius + (side - 1) as f64 * pitch),
                inside: true,
            }),
            motion: Motion::Fixed,
            opens_at: None,
            passes_below_radius: 0.0,
            belt: Default::default(),
        }],
        grains: (0..grains)
            .map(|n| Grain::new(n as u32, 0, radius, density, place(n)))
            .collect(),
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
        models: ModelSetup::default(),
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
            end_time: STEPS as f64 * STEP,
            stop_when_empty: false,
        },
        log: LogSetup {
            series: None,
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

fn steps<D: Integrate>(bencher: Bencher<'_, '_>, grains: u64, threads: usize) {
    let setup = bed::<D>(grains);
    bencher
        .counter(ItemsCount::new(grains * STEPS))
        .with_inputs(|| System::new(setup.clone()).expect("the bed is sound"))
        .bench_local_values(|mut system| {
            let stop = AtomicBool::new(false);
            let mut control = Control::new(&stop);
            control.threads = threads;
            system
                .run(&mut NullSink, &mut control)
                .expect("the run goes through");
            system
        });
}

#[divan::bench(args = [500, 10_000, 100_000], sample_count = 5, sample_size = 1)]
fn planar(bencher: Bencher<'_, '_>, grains: u64) {
    steps::<Planar>(bencher, grains, 1);
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 5, sample_size = 1)]
fn spatial(bencher: Bencher<'_, '_>, grains: u64) {
    steps::<Spatial>(bencher, grains, 1);
}

/// 100,000 grains on so many threads.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn planar_threads(bencher: Bencher<'_, '_>, threads: usize) {
    steps::<Planar>(bencher, 100_000, threads);
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn spatial_threads(bencher: Bencher<'_, '_>, threads: usize) {
    steps::<Spatial>(bencher, 100_000, threads);
}
