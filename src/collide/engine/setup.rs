//! Initial state of an engine, and its checks.

use super::flux::Flux;
use super::lists;
use super::shear::{self, Shear, ShearRate};
use super::{bent, start};
use serde::{Deserialize, Serialize};

use super::bent::{Bent, Fields};
use super::calendar::Calendar;
use super::cells::Cells;
use super::contact::{Contacts, no_soft};
use super::soft::Held;
use super::start::{LISTS_ABOVE, SKIN, cell_width, crowds, morton, span, wrapped};
use super::state::{Slot, Turning, next};
use super::walls::Walls;
use super::{Bodies, Clock, Coming, Core, Engine, Laws, Rule, Rules, Space, Tally, run};
use crate::collide::table::FINEST;
use crate::geometry::Dimension;
use crate::neighbor::PeriodicAxis;
use crate::vector::{Level, Row};
use crate::walls::{Boundary, Motion};

/// A grain at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body<D: Dimension> {
    /// Centre, m.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Spin, rad/s.
    pub spin: D::Spin,
    /// Orientation.
    pub rotation: D::Rotation,
    /// Radius, m.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Index of its species.
    pub species: u16,
}

/// Limits at which a run stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// A pair that collides again within this time, s, stays in contact; 0: no such limit.
    pub contact_time: f64,
    /// Action for such a pair: false to stop, true to collide without loss (the TC model of Luding
    /// and McNamara 1998, which uses the last collision of either grain).
    pub collapse_is_elastic: bool,
    /// Collisions not further apart than this, s, count as simultaneous.
    pub instant: f64,
    /// Height of a hop, over the radius: collisions of a grain that hops lower under gravity count as simultaneous, too, where no wall is shaken harder
    /// than that. Walls that move leave it hops of finite duration, by rounding.
    pub hop: f64,
    /// Simultaneous collisions of one grain after which the run stops.
    pub burst: u32,
}

impl Limits {
    /// The least speed, m/s, at which a grain leaves a wall against which an acceleration (m/s^2)
    /// presses it: the grain returns after half the contact time.
    pub fn least_departure(&self, pressing: f64) -> f64 {
        0.25 * self.contact_time * pressing
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            contact_time: 0.0,
            collapse_is_elastic: false,
            instant: 0.0,
            hop: 1e-10,
            burst: 10_000,
        }
    }
}

/// Input for the construction of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup<D: Dimension> {
    /// The grains.
    pub bodies: Vec<Body<D>>,
    /// Grains that may be added later.
    pub coming: Vec<Coming<D>>,
    /// Least corner of the box, m.
    pub min: D::Vector,
    /// Greatest corner, m. Along axes that are not periodic grains may leave the box: it only
    /// determines the cells.
    pub max: D::Vector,
    /// Whether each axis is periodic.
    pub periodic: [bool; 3],
    /// Acceleration of all grains, m/s^2.
    pub gravity: D::Vector,
    /// Fields in addition to gravity, if any.
    pub fields: Option<Fields<D>>,
    /// Walls; their materials are species.
    pub walls: Vec<Boundary<D>>,
    /// Number of species, of grains and walls.
    pub species: usize,
    /// Rule of each pair of species, at [first * species + second]; symmetric.
    pub rules: Vec<Rule>,
    /// Pairs of species that follow a contact law instead.
    pub laws: Laws,
    /// Limits at which a run stops.
    pub limits: Limits,
    /// A periodic box whose images above move along the first axis (Lees and Edwards 1972): rates in order of time, 0 before. The
    /// velocities of the bodies are those relative to the flow. The engine then sums up fluxes of momentum.
    pub shear: Option<Vec<ShearRate>>,
    /// Time at the start, s.
    pub time: f64,
}

/// Reason why an engine cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// A number that is not finite or not positive.
    #[error("grain {grain}: {what} is {value}; it must be {must}")]
    Grain {
        /// Index of the grain in the list.
        grain: usize,
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: f64,
        /// Required range of the value.
        must: &'static str,
    },
    /// A box without extent, or too small.
    #[error(
        "the box is {length} m long along axis {axis}; it must be at least {least} m, three times the largest diameter along a periodic axis"
    )]
    Box {
        /// Number of the axis, from 1.
        axis: usize,
        /// Length of the box, m.
        length: f64,
        /// Least allowed length, m.
        least: f64,
    },
    /// Inconsistent rules.
    #[error("{0}")]
    Rules(String),
    /// A law that the engine does not support.
    #[error("the law between the species {} and {} {why}", pair[0], pair[1])]
    Law {
        /// The species.
        pair: [usize; 2],
        /// The reason, as a phrase that follows the law's name.
        why: String,
    },
    /// A wall that the engine does not support.
    #[error("wall {0} cannot be followed by the event-driven engine: {1}")]
    Wall(usize, String),
    /// So many small grains that there may be more of them around a large one than a search can hold.
    #[error(
        "{small} grains have radii under {least} m, so small beside the largest that over {most} of them may lie around it; at most {most} may be as small"
    )]
    Sizes {
        /// Number of grains that are too small.
        small: usize,
        /// Least allowed radius, m.
        least: f64,
        /// Greatest number that a search can hold.
        most: usize,
    },
    /// Two grains overlap at the start.
    #[error("grains {a} and {b} overlap by {overlap} m at the start")]
    Overlap {
        /// Index of the first grain in the list.
        a: usize,
        /// Index of the second grain in the list.
        b: usize,
        /// Overlap, m.
        overlap: f64,
    },
}

/// All grains at the start, and examples of those that may be added.
pub(super) fn sorts<D: Dimension>(setup: &Setup<D>) -> impl Iterator<Item = &Body<D>> {
    let coming = setup.coming.iter().map(|coming| &coming.body);
    setup.bodies.iter().chain(coming)
}

/// Approximate number of grains that may be in the system at one time.
fn expected<D: Dimension>(setup: &Setup<D>) -> usize {
    let coming = setup.coming.iter().map(|coming| coming.count);
    coming.fold(setup.bodies.len(), usize::saturating_add)
}

impl<D: Dimension> Engine<D> {
    /// An engine, with all events predicted.
    pub fn new(setup: Setup<D>) -> Result<Self, SetupError> {
        check(&setup)?;
        let largest = sorts(&setup).map(|b| b.radius).fold(0.0, f64::max);
        let n = setup.bodies.len();
        // The cells allow for all expected grains.
        let expected = expected(&setup);
        let (mut lengths, mut halves, mut volume) = ([0.0; 3], [f64::INFINITY; 3], 1.0);
        for k in 0..D::N {
            let length = setup.max[k] - setup.min[k];
            volume *= length;
            if setup.periodic[k] {
                lengths[k] = length;
                halves[k] = 0.5 * length;
            }
        }
        let shear = Shear::of(&setup);
        if shear.is_some() {
            // The search across this border is that of `shear`.
            (lengths[1], halves[1]) = (0.0, f64::INFINITY);
        }
        let diameter = 2.0 * largest;
        crowds(&setup, largest)?;
        let filled = expected as f64 * D::ball_measure(largest) / volume;
        // Lists need three cells along each period, so that no grain is found twice.
        let skin = SKIN * diameter;
        let roomy =
            (0..D::N).all(|k| !setup.periodic[k] || lengths[k] >= 3.1 * (diameter + 2.0 * skin));
        // Lists do not know images that move.
        let skin = if filled > LISTS_ABOVE && roomy && shear.is_none() {
            skin
        } else {
            0.0
        };
        let least = if skin > 0.0 {
            (diameter + 2.0 * skin) * (1.0 + 1e-9)
        } else {
            cell_width(diameter, filled)
        };
        let cells = Cells::new::<D>(
            setup.min,
            setup.max,
            setup.periodic,
            least,
            expected / 2 + 64,
            if skin > 0.0 { 1 } else { 2 },
            shear.is_some(),
        );
        // In the order of the cells along a curve, so that neighbours are close in memory.
        let mut order: Vec<(u64, u32)> = setup
            .bodies
            .iter()
            .enumerate()
            .map(|(i, b)| {
                (
                    morton(cells.locate::<D>(wrapped(&setup, b.position))),
                    i as u32,
                )
            })
            .collect();
        order.sort_unstable();
        let contacts = Contacts::build(&setup)?;
        let rough = contacts.any_rough()
            || setup.rules.iter().any(|r| r.rough.is_some())
            || sorts(&setup).any(|b| D::spin_dot(b.spin, b.spin) > 0.0);
        let mut core = Core {
            bodies: Bodies {
                rows: Vec::with_capacity(n),
                slots: Vec::with_capacity(n),
                ids: Vec::with_capacity(n),
                free: Vec::new(),
                changed: Vec::new(),
                rough,
                last: if setup.limits.contact_time > 0.0 {
                    vec![next::NONE; n]
                } else {
                    Vec::new()
                },
                masses: Vec::with_capacity(n),
                wraps: vec![[0; 3]; n],
                turning: Vec::with_capacity(if rough { n } else { 0 }),
            },
            lists: None,
            calendar: Calendar::new(1.0),
            wall_tallies: vec![super::WallTally::default(); setup.walls.len()],
            walls: Walls::new(&setup.walls, periods(&setup))?,
            rules: Rules {
                species: setup.species,
                pairs: setup.rules.clone(),
            },
            held: vec![Held::default(); if contacts.any_soft() { n } else { 0 }],
            contacts,
            limits: setup.limits,
            gravity: setup.gravity,
            bent: Bent::new(setup.gravity, setup.fields.as_ref(), n),
            flux: setup.shear.is_some().then(|| Flux::new(n)),
            shear,
            space: Space {
                lengths,
                halves,
                volume,
            },
            clock: Clock {
                epoch: setup.time,
                now: 0.0,
                events_left: 0,
                span: span(&setup),
            },
            tally: Tally::default(),
            cells,
        };
        let mut places = vec![0; n];
        for (slot, &(_, id)) in order.iter().enumerate() {
            let body = &setup.bodies[id as usize];
            places[id as usize] = slot as u32;
            let x = wrapped(&setup, body.position);
            let mut row = Row::default();
            for k in 0..D::N {
                row.0[k] = x[k];
                row.0[super::state::SPEED + k] = body.velocity[k];
            }
            row.0[super::state::RADIUS] = body.radius;
            core.bodies.masses.push(body.mass);
            core.bodies.rows.push(row);
            core.take_on_flow(slot);
            let at = core.cells.locate::<D>(x);
            let cell = core.cells.index(at);
            core.cells.insert(cell, slot as u32);
            core.bodies.ids.push(id);
            core.bodies.slots.push(Slot {
                inverse_mass: 1.0 / body.mass,
                at,
                species: body.species,
                ..Slot::nobody(slot as u32)
            });
            if rough {
                core.bodies.turning.push(Turning {
                    spin: body.spin,
                    rotation: body.rotation,
                    since: setup.time,
                });
            }
        }
        core.walls.lay_out(&core.cells, largest + skin);
        if skin > 0.0 {
            lists::make_lists(&mut core, skin);
        }
        start::check_overlaps(&core)?;
        for i in 0..core.bent.pieces.len() {
            bent::begin_piece(&mut core, i, 0.0, true);
        }
        let level = Level::best();
        crate::vector::run(level, run::ForeseeAll(&mut core));
        core.renew(0.0);
        core.tally = Tally::default();
        Ok(Engine {
            core,
            places,
            level,
            time: setup.time,
        })
    }
}

/// The periodic axes of a box.
fn periods<D: Dimension>(setup: &Setup<D>) -> Vec<Option<PeriodicAxis>> {
    let axis = |k: usize| {
        setup.periodic[k].then(|| PeriodicAxis {
            origin: setup.min[k],
            length: setup.max[k] - setup.min[k],
        })
    };
    (0..D::N).map(axis).collect()
}

/// Checks whether an engine could start, except for overlaps.
///
/// # Errors
/// The first violation found.
pub fn check<D: Dimension>(setup: &Setup<D>) -> Result<(), SetupError> {
    let mut largest = 0.0f64;
    for (grain, body) in sorts(setup).enumerate() {
        for (what, value) in [("the radius", body.radius), ("the mass", body.mass)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SetupError::Grain {
                    grain,
                    what,
                    value,
                    must: "a finite number over 0",
                });
            }
        }
        for k in 0..D::N {
            for (what, value) in [
                ("the position", body.position[k]),
                ("the velocity", body.velocity[k]),
            ] {
                if !value.is_finite() {
                    return Err(SetupError::Grain {
                        grain,
                        what,
                        value,
                        must: "finite",
                    });
                }
            }
        }
        if usize::from(body.species) >= setup.species {
            return Err(SetupError::Rules(format!(
                "grain {grain} is of species {}; there are {}",
                body.species, setup.species
            )));
        }
        largest = largest.max(body.radius);
    }
    for k in 0..D::N {
        let length = setup.max[k] - setup.min[k];
        let least = if setup.periodic[k] {
            6.0 * largest * (1.0 + 1e-8)
        } else {
            0.0
        };
        if !(length > 0.0 && length >= least && length.is_finite()) {
            return Err(SetupError::Box {
                axis: k + 1,
                length,
                least,
            });
        }
    }
    if setup.rules.len() != setup.species * setup.species {
        return Err(SetupError::Rules(format!(
            "{} rules for {} species; there must be {}",
            setup.rules.len(),
            setup.species,
            setup.species * setup.species
        )));
    }
    for rule in &setup.rules {
        if !(0.0..=1.0).contains(&rule.restitution) {
            return Err(SetupError::Rules(format!(
                "the restitution {} is not between 0 and 1",
                rule.restitution
            )));
        }
        if let Some(rough) = &rule.rough
            && !((-1.0..=1.0).contains(&rough.restitution) && rough.friction >= 0.0)
        {
            return Err(SetupError::Rules(format!(
                "tangential restitution {} and friction {}: the first must lie between -1 and 1, the second be 0 or more",
                rough.restitution, rough.friction
            )));
        }
    }
    check_laws(setup)?;
    shear::check(setup)?;
    if setup.fields.is_some() && setup.laws.pairs.iter().flatten().any(|law| law.soft) {
        return Err(SetupError::Rules(
            "contacts that last go on parabolas, and with fields other than gravity there are none; let collisions be instantaneous"
                .into(),
        ));
    }
    for (w, wall) in setup.walls.iter().enumerate() {
        if matches!(wall.motion, Motion::Guided(_)) {
            return Err(SetupError::Wall(w, "is moved by forces".into()));
        }
        if usize::from(wall.material) >= setup.species {
            return Err(SetupError::Wall(w, "its species has no rules".into()));
        }
    }
    Walls::new(&setup.walls, periods(setup))?;
    Ok(())
}

fn check_laws<D: Dimension>(setup: &Setup<D>) -> Result<(), SetupError> {
    let Laws { pairs, tolerance } = &setup.laws;
    let told = |what: String| Err(SetupError::Rules(what));
    if !pairs.is_empty() && pairs.len() != setup.species * setup.species {
        return told(format!(
            "{} laws for {} species; there must be {} or none",
            pairs.len(),
            setup.species,
            setup.species * setup.species
        ));
    }
    if !(FINEST..1.0).contains(tolerance) {
        return told(format!(
            "the tolerance of tables is {tolerance}; it must be at least {FINEST:e}, and under 1"
        ));
    }
    let of_grains = |species: usize| {
        let mut bodies = sorts(setup);
        bodies.any(|body| usize::from(body.species) == species)
    };
    for (index, by_law) in pairs.iter().enumerate() {
        let (a, b) = (index / setup.species, index % setup.species);
        if let Some(by_law) = by_law.filter(|by_law| by_law.soft)
            && let Some(why) = no_soft(&by_law)
            && of_grains(a)
            && of_grains(b)
        {
            return Err(SetupError::Law {
                pair: [a, b],
                why: why.into(),
            });
        }
    }
    Ok(())
}
