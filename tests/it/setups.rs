//! Setups by the library and a stream of numbers, for `it` and for the program that `tests/mpi` starts.

use arenite::body::{Agglomerates, Grain};
use arenite::contact::{ContactLaw, LawTable, Linear};
use arenite::geometry::{Dimension, Planar, Vector};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{
    EventLog, FieldSetup, IntegratorName, LogSetup, Matter, ModelSetup, MotionSetup, NeighborName,
    Notes, RunSetup, Setup, SourceSetup, SpaceSetup,
};

/// A linear spring and dashpot.
pub fn linear(kn: f64, kt: f64, cn: f64, ct: f64, friction: f64) -> ContactLaw {
    ContactLaw::Linear(Linear {
        normal_stiffness: kn,
        tangential_stiffness: kt,
        normal_damping: cn,
        tangential_damping: ct,
        friction,
    })
}

/// A setup without grains and walls: one material, no gravity, no logs.
pub fn empty<D: Dimension>(law: ContactLaw, step: f64, finish: f64) -> Setup<D> {
    let mut laws = LawTable::new(1);
    laws.set(0, 0, law);
    Setup {
        seed: 1,
        tolerance: 1e-3,
        matter: Matter {
            materials: vec!["stuff".into()],
            laws,
            forms: Vec::new(),
            agglomerates: Agglomerates::default(),
        },
        boundaries: Vec::new(),
        grains: Vec::new(),
        space: SpaceSetup {
            periodic: vec![None; D::N],
            cell: None,
        },
        fields: FieldSetup {
            gravity: D::Vector::default(),
            drag: 0.0,
            long_range: Default::default(),
            place: Default::default(),
        },
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
        models: ModelSetup::default(),
        sources: SourceSetup {
            feeds: Vec::new(),
            outlets: Vec::new(),
            outlet_interval: 0.01,
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

/// Overrides as `key=value`.
pub fn options(overrides: &[&str]) -> Vec<Override> {
    let option = |text: &&str| {
        let (key, value) = text.split_once('=').expect("key=value");
        Override::option("TEST", key, value)
    };
    overrides.iter().map(option).collect()
}

/// An embedded scenario.
pub fn embedded(scenario: &str, overrides: &[&str]) -> AnySetup {
    Scenario::load(scenario, &options(overrides))
        .and_then(|scenario| scenario.resolve())
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
