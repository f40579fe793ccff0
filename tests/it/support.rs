//! Small setups by the library, and what tests read off them.
//!
//! "Up" is the last coordinate, "along" the first, in the plane as in space.

use std::sync::atomic::AtomicBool;

use arenite::body::Grain;
use arenite::cluster::arrays::Status;
use arenite::cluster::integrate::Integrate;
use arenite::cluster::{Clock, Dem, DemOptions};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::BroadPhase;
use arenite::record::{
    AvalancheRow, EventRow, GrainRow, LinkRow, MemorySink, RecordError, SeriesRow, Sink, Summary,
};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{
    Control, Driver, EventLog, IntegratorName, MorphSetup, Outcome, Setup, System, driver_of,
};
use arenite::vector::Level;
use arenite::walls::Wall;
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, Shape};

pub use crate::setups::{Dice, add, embedded, empty, linear, options, planar};

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
        passes_below_radius: 0.0,
        belt: D::Vector::default(),
    });
    let last = setup.boundaries.len() - 1;
    &mut setup.boundaries[last]
}

/// Adds the half-space under height 0.
pub fn floor<D: Dimension>(setup: &mut Setup<D>) -> &mut Boundary<D> {
    let shape = Shape::Plane(shapes::Plane {
        point: D::Vector::default(),
        normal: place::<D>(0.0, 1.0),
    });
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
    run(setup).0.grains_at(setup.run.end_time)
}

/// Grains may stand still where they lack a thousandth of their weight: a hundredth of the default; for
/// what is held against statics.
pub fn finely() -> MorphSetup {
    MorphSetup {
        by_default: false,
        own_frame: true,
        kinetic: 1e-4,
        creep: 1e-4,
        dwell: 0.01,
        residual: 1e-3,
        residual_share: 2e-4,
        wake: 0.1,
        strike: 0.05,
        wake_share: 0.2,
        carry_every: 0.02,
        pending: 0.1,
        solve_time: 0.01,
        residual_after_solve: 2e-3,
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

/// Kinetic energy of grains, J.
pub fn kinetic<D: Dimension>(grains: &[Grain<D>]) -> f64 {
    grains.iter().map(Grain::kinetic_energy).sum()
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

/// What runs a scenario, as written, from its start or from a saved state; else why there is none.
pub fn driver(text: &str, state: Option<&[u8]>) -> Result<Box<dyn Driver>, String> {
    let resolved = Scenario::parse("written", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    match resolved.setup {
        AnySetup::Planar(setup) => driver_of(setup, state).map_err(|error| error.to_string()),
        AnySetup::Spatial(setup) => driver_of(setup, state).map_err(|error| error.to_string()),
    }
}

/// Runs a scenario, as written, by whichever model it asks for: what it logged, and its figures.
pub fn driven(text: &str) -> Result<(MemorySink, Summary), String> {
    let never = AtomicBool::new(false);
    let mut sink = MemorySink::default();
    let mut run = driver(text, None)?;
    run.run(&mut sink, &mut Control::new(&never))
        .map_err(|error| error.to_string())?;
    Ok((sink, run.summary()))
}

pub fn written(text: &str) -> AnySetup {
    let scenario = Scenario::parse("written", text, None, &[]);
    let built = scenario.and_then(|scenario| scenario.resolve());
    built
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
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

/// Checkpoints, states that runs go on from and what is logged decide no bit; returns the whole run.
#[track_caller]
pub fn same_bits<D: Integrate>(setup: &Setup<D>, what: &str) -> System<D> {
    let end = setup.run.end_time;
    let mut kept = setup.clone();
    kept.log.checkpoint = Some(0.37 * end);
    let mut whole = System::new(kept.clone()).unwrap();
    let mut states = Checkpoints::default();
    finish(&mut whole, &mut states);
    assert!(states.states.len() > 1);
    for state in &states.states {
        let mut resumed = System::restore(kept.clone(), state).unwrap();
        finish(&mut resumed, &mut MemorySink::default());
        assert_eq!(resumed.state_hash(), whole.state_hash(), "{what}");
    }
    let mut logged = setup.clone();
    logged.log.series = Some(end / 77.0);
    logged.log.snapshots = Some(end / 13.0);
    logged.log.events = EventLog::Links;
    assert_eq!(run(&logged).0.state_hash(), whole.state_hash(), "{what}");
    whole
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

/// A step of an engine alone: a stride, then lists and forces.
pub fn in_two_passes<D: Integrate>(engine: &mut Dem<D>) {
    engine.advance();
    if arenite::cluster::renew::outer_is_stale(&engine.world.physics, &engine.skin) {
        engine.renew();
    } else {
        engine.refresh_inner();
    }
    engine.forces();
}

/// The engine alone, after so many steps with the margins (outer, inner; m) of lists, with vector units up to a
/// level.
pub fn stepped<D: Integrate>(
    setup: &Setup<D>,
    (step, steps): (f64, usize),
    margins: (f64, f64),
    search: Box<dyn BroadPhase<D>>,
    level: Level,
) -> Dem<D> {
    let clock = Clock {
        origin: 0.0,
        step,
        integrator: IntegratorName::Verlet,
        n: 0,
    };
    let options = DemOptions {
        slip_tolerance: 1e-3,
        outer_margin: margins.0,
        inner_margin: margins.1,
        stable_speed: 1e-4,
        look_every: 50,
        looks: 4,
        log_links: false,
        wear: None,
    };
    let walls = setup
        .boundaries
        .iter()
        .map(|b| Wall::new(b, &setup.space.periodic).unwrap());
    let mut engine = Dem::new(
        clock,
        options,
        setup.matter.laws.clone(),
        walls.collect(),
        setup.fields.gravity,
        setup.space.periodic.clone(),
        search,
    );
    engine.world.physics.set_level(level);
    engine.world.shapes.set_forms(&setup.matter.forms);
    for grain in &setup.grains {
        arenite::cluster::dem::add(
            &engine.world.shapes,
            &mut engine.world.grains,
            &mut engine.clusters,
            grain,
            Status::Stepped,
            0.0,
        );
    }
    engine.renew();
    engine.forces();
    arenite::cluster::advance::start_fresh(&mut engine.world);
    for _ in 0..steps {
        in_two_passes(&mut engine);
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
