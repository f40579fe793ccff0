//! Small setups by the library, and what tests read off them.
//!
//! "Up" is the last coordinate, "along" the first, in the plane as in space.

use std::sync::atomic::AtomicBool;

use arenite::body::{Boundary, Grain, Motion, Shape};
use arenite::cluster::arrays::Status;
use arenite::cluster::integrate::Integrate;
use arenite::cluster::{Engine, EngineOptions, Wall};
use arenite::contact::{LawTable, PairLaw};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::BroadPhase;
use arenite::record::{
    AvalancheRow, EventRow, GrainRow, LinkRow, MemorySink, RecordError, SeriesRow, Sink,
};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{
    Control, EventLog, IntegratorName, LogSetup, MorphSetup, MotionSetup, NeighborName, Outcome,
    Setup, System,
};
use arenite::vector::Level;

/// A linear spring and dashpot.
pub fn linear(kn: f64, kt: f64, cn: f64, ct: f64, friction: f64) -> PairLaw {
    PairLaw::Linear {
        normal_stiffness: kn,
        tangential_stiffness: kt,
        normal_damping: cn,
        tangential_damping: ct,
        friction,
        per_mass: false,
    }
}

/// A setup without grains and walls: one material, no gravity, no logs.
pub fn empty<D: Dimension>(law: PairLaw, step: f64, finish: f64) -> Setup<D> {
    let mut laws = LawTable::new(1);
    laws.set(0, 0, law);
    Setup {
        seed: 1,
        materials: vec!["stuff".into()],
        laws,
        boundaries: Vec::new(),
        forms: Vec::new(),
        grains: Vec::new(),
        gravity: D::Vector::default(),
        drag: 0.0,
        long_range: Default::default(),
        place: Default::default(),
        periodic: vec![None; D::N],
        motion: MotionSetup {
            integrator: IntegratorName::Verlet,
            step: Some(step),
            safety: 0.5,
            neighbor: NeighborName::Cells,
            flight: true,
            collisions: None,
            stable_speed: 1e-4,
            stable_dwell: 1e-2,
            slip_tolerance: 1e-3,
        },
        settle: None,
        feeds: Vec::new(),
        outlets: Vec::new(),
        outlet_interval: 0.01,
        finish,
        stop_when_empty: false,
        log: LogSetup {
            series: None,
            snapshots: None,
            checkpoint: None,
            events: EventLog::None,
            stagnant: None,
            wear: None,
            impacts: false,
        },
        tolerance: 1e-3,
        morph: None,
        perturbs: Vec::new(),
        warnings: Vec::new(),
        meters: Vec::new(),
        events: None,
        quasi_static: None,
        cell: None,
    }
}

/// A vector by its parts along and up.
pub fn place<D: Dimension>(along: f64, up: f64) -> D::Vector {
    D::Vector::from_fn(|k| {
        if k == 0 {
            along
        } else if k == D::N - 1 {
            up
        } else {
            0.0
        }
    })
}

/// The part of a vector that points up.
pub fn up<D: Dimension>(v: D::Vector) -> f64 {
    v[D::N - 1]
}

/// The spin with which a grain rolls along at a surface speed of `rate` radii, rad/s.
pub fn rolling<D: Dimension>(rate: f64) -> D::Spin {
    if D::N == 2 {
        D::spin_from_fn(|_| -rate)
    } else {
        D::spin_from_fn(|k| if k == 1 { rate } else { 0.0 })
    }
}

/// How fast a grain rolls along, rad/s.
pub fn rolling_rate<D: Dimension>(spin: D::Spin) -> f64 {
    if D::N == 2 {
        -D::spin_component(spin, 0)
    } else {
        D::spin_component(spin, 1)
    }
}

/// Adds a grain of a given mass; gives it back to be changed.
pub fn add<D: Dimension>(
    setup: &mut Setup<D>,
    radius: f64,
    mass: f64,
    position: D::Vector,
    velocity: D::Vector,
) -> &mut Grain<D> {
    let id = setup.grains.len() as u32;
    let mut grain = Grain::new(id, 0, radius, 1.0, position);
    grain.mass = mass;
    grain.velocity = velocity;
    setup.grains.push(grain);
    let last = setup.grains.len() - 1;
    &mut setup.grains[last]
}

/// Adds a wall; gives it back to be changed.
pub fn wall<'a, D: Dimension>(
    setup: &'a mut Setup<D>,
    name: &str,
    shape: Shape<D>,
) -> &'a mut Boundary<D> {
    setup.boundaries.push(Boundary {
        name: name.into(),
        material: 0,
        shape,
        motion: Motion::Fixed,
        opens_at: None,
        passes: 0.0,
        belt: D::Vector::default(),
    });
    let last = setup.boundaries.len() - 1;
    &mut setup.boundaries[last]
}

/// Adds the half-space under height 0.
pub fn floor<D: Dimension>(setup: &mut Setup<D>) -> &mut Boundary<D> {
    let shape = Shape::Plane {
        point: D::Vector::default(),
        normal: place::<D>(0.0, 1.0),
    };
    wall(setup, "floor", shape)
}

/// Runs on to the end.
pub fn finish<D: Integrate>(system: &mut System<D>, sink: &mut dyn Sink) -> Outcome {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    system.run(sink, &mut control).unwrap()
}

/// A finished run with all that it logged.
pub fn run<D: Integrate>(setup: &Setup<D>) -> (System<D>, MemorySink) {
    let mut system = System::new(setup.clone()).unwrap();
    let mut sink = MemorySink::default();
    finish(&mut system, &mut sink);
    (system, sink)
}

/// The grains at the end of a run.
pub fn end<D: Integrate>(setup: &Setup<D>) -> Vec<Grain<D>> {
    run(setup).0.grains_at(setup.finish)
}

/// Grains may stand still where they lack a thousandth of their weight: a hundredth of the default; for
/// what is held against statics.
pub fn finely() -> MorphSetup {
    MorphSetup {
        kinetic: 1e-4,
        dwell: 0.01,
        residual: 1e-3,
        wake: 0.1,
        wake_share: 0.2,
        carry_every: 0.02,
        pace: 0.01,
        left: 2e-3,
    }
}

/// Asserts that two numbers differ by at most `tolerance`.
#[track_caller]
pub fn close(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance,
        "{what}: {got} is not {want} within {tolerance:e}, but off by {:e}",
        got - want
    );
}

/// A small stream of numbers from 0 to 1, the same everywhere (Steele, Lea and Flood 2014).
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 18_446_744_073_709_551_616.0
    }
    /// The next number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }
    /// A vector with components from `low` to `high`.
    pub fn vector<D: Dimension>(&mut self, low: f64, high: f64) -> D::Vector {
        D::Vector::from_fn(|_| self.between(low, high))
    }
    /// A spin with components from `low` to `high`.
    pub fn spin<D: Dimension>(&mut self, low: f64, high: f64) -> D::Spin {
        D::spin_from_fn(|_| self.between(low, high))
    }
}

/// Kinetic energy of grains, J.
pub fn kinetic<D: Dimension>(grains: &[Grain<D>]) -> f64 {
    grains.iter().map(Grain::kinetic_energy).sum()
}

/// Overrides as `key=value`.
pub fn options(overrides: &[&str]) -> Vec<Override> {
    let option = |text: &&str| {
        let (key, value) = text.split_once('=').expect("key=value");
        Override::option("TEST", key, value)
    };
    overrides.iter().map(option).collect()
}

pub fn embedded(scenario: &str, overrides: &[&str]) -> AnySetup {
    Scenario::load(scenario, &options(overrides))
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
}

/// A scenario in the plane, as written.
pub fn written_planar(text: &str) -> Setup<Planar> {
    match written(text) {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("planar"),
    }
}

/// A scenario in space, as written.
pub fn written_spatial(text: &str) -> Setup<Spatial> {
    match written(text) {
        AnySetup::Spatial(setup) => setup,
        AnySetup::Planar(_) => panic!("spatial"),
    }
}

fn written(text: &str) -> AnySetup {
    let scenario = Scenario::parse("written", text, None, &[]);
    let built = scenario.and_then(|scenario| scenario.resolve());
    built
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
}

/// An embedded scenario in the plane.
pub fn planar(scenario: &str, overrides: &[&str]) -> Setup<Planar> {
    match embedded(scenario, overrides) {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("planar"),
    }
}

/// An embedded scenario in space.
pub fn spatial(scenario: &str, overrides: &[&str]) -> Setup<Spatial> {
    match embedded(scenario, overrides) {
        AnySetup::Spatial(setup) => setup,
        AnySetup::Planar(_) => panic!("spatial"),
    }
}

/// Keeps checkpoints beside the records.
#[derive(Default)]
pub struct Checkpoints {
    pub states: Vec<Vec<u8>>,
    rest: MemorySink,
}

impl Sink for Checkpoints {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        self.rest.event(row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.rest.series(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        self.rest.snapshot(grains, links)
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        self.rest.avalanche(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.states.push(state.to_vec());
        Ok(())
    }
}

/// Momentum, and angular momentum about the origin.
pub fn momenta<D: Integrate>(grains: &[Grain<D>]) -> (D::Vector, D::Spin) {
    let (mut linear, mut angular) = (D::Vector::default(), D::Spin::default());
    for g in grains {
        linear += g.velocity * g.mass;
        angular += D::moment(g.position, g.velocity * g.mass);
        angular += D::momentum(g.rotation, g.spin, g.moments());
    }
    (linear, angular)
}

/// The engine alone, after so many steps with the margins (outer, inner; m) of lists, with vector units up to a
/// level.
pub fn stepped<D: Integrate>(
    setup: &Setup<D>,
    (step, steps): (f64, usize),
    margins: (f64, f64),
    search: Box<dyn BroadPhase<D>>,
    level: Level,
) -> Engine<D> {
    let options = EngineOptions {
        step,
        integrator: IntegratorName::Verlet,
        slip_tolerance: 1e-3,
        outer_margin: margins.0,
        inner_margin: margins.1,
        stable_speed: 1e-4,
        look_every: 50,
        looks: 4,
        log_links: false,
        wear: None,
    };
    let walls = setup.boundaries.iter().map(|b| Wall {
        surfaces: b.shape.surfaces().unwrap(),
        fixed: b.motion.is_fixed(),
        reference: b.shape.reference_point(),
        boundary: b.clone(),
    });
    let mut engine = Engine::new(
        options,
        setup.laws.clone(),
        walls.collect(),
        setup.gravity,
        setup.periodic.clone(),
        search,
    );
    engine.set_level(level);
    engine.set_forms(&setup.forms);
    for grain in &setup.grains {
        engine.add(grain, Status::Stepped, 0.0);
    }
    engine.renew();
    engine.forces();
    engine.start_fresh();
    for _ in 0..steps {
        engine.advance();
        if engine.outer_is_stale() {
            engine.renew();
        } else {
            engine.refresh_inner();
        }
        engine.forces();
    }
    engine
}

/// Which part of what is long runs, from 1, and of how many: all, unless `ARENITE_PART` says otherwise, as 2/8.
pub fn part() -> [usize; 2] {
    let Ok(text) = std::env::var("ARENITE_PART") else {
        return [1, 1];
    };
    let numbers = text.split_once('/').and_then(|(part, of)| {
        let (part, of) = (part.parse().ok()?, of.parse().ok()?);
        (1..=of).contains(&part).then_some([part, of])
    });
    numbers.unwrap_or_else(|| panic!("ARENITE_PART is {text}, not as 2/8"))
}

/// That part of all.
pub fn parts_of<T>(all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let [part, of] = part();
    all.skip(part - 1).step_by(of)
}
