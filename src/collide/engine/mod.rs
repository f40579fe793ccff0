//! The event-driven engine: many hard bodies in flight, one collision after another.
//!
//! Grains are disks or spheres of any radii and masses on paths of constant acceleration, in a box that
//! is periodic, also sheared ([`ShearRate`]), or open along each axis, with walls. Collisions are instantaneous ([`law`]). The engine
//! stores one earliest event for each grain: a collision with a grain or wall, or the crossing of a
//! face of its cell. An event whose partner has changed since its prediction is predicted anew when its
//! time comes. There are no time steps, and an event costs only what is near its grains.
//!
//! Docs: `docs/notes/performance.md` gives the gain of each choice.

mod across;
mod ahead;
mod bent;
mod calendar;
mod cells;
mod change;
mod contact;
mod flux;
pub mod law;
mod limits;
mod lists;
mod predict;
mod run;
mod setup;
mod shear;
mod soft;
mod start;
mod state;
mod walls;

use serde::{Deserialize, Serialize};

pub use bent::{FieldTally, Fields};
pub use change::{Coming, Removed};
pub use contact::{ByLaw, Laws, no_soft};
pub(crate) use contact::{Contacts, Pair};
pub use flux::{FluxTally, FluxTensor};
pub use law::{Rough, Rule};
pub use run::{Collision, Observer, Other};
pub use setup::{Body, Limits, Setup, SetupError, check};
pub use shear::{ShearRate, Shearing};
pub use soft::{EndOfContact, SoftTally};

use crate::geometry::{Dimension, Vector};
use crate::vector::{Level, Row};
use bent::Bent;
use calendar::Calendar;
use cells::Cells;
use flux::Flux;
use lists::Lists;
use shear::Shear;
use soft::Held;
use state::{Slot, Turning, next};
use walls::Walls;

/// Number of events per grain between renewals of the epoch.
const EVENTS_PER_EPOCH: u64 = 16;

/// Reason why a run of the engine returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stopped {
    /// The requested time is reached.
    Until,
    /// The requested number of collisions is reached, or exceeded by less than one renewal.
    Collisions,
    /// A pair would collide again within its contact time: it stays in contact, and requires a
    /// model of contacts of finite duration.
    Collapse {
        /// The grain: its index in the list that the engine was made from.
        grain: u32,
        /// The grain or wall with which it stays in contact.
        with: Other,
        /// Time, s.
        time: f64,
    },
    /// A grain collided very often without advance of time.
    Stuck {
        /// The grain: its index in the list that the engine was made from.
        grain: u32,
        /// The grain or wall of its last collision.
        with: Other,
        /// Time, s.
        time: f64,
        /// Number of these collisions.
        collisions: u32,
    },
    /// A contact law is too soft for an approach: the grains would pass through each other.
    PassThrough {
        /// The grain: its index in the list that the engine was made from.
        grain: u32,
        /// The other grain, likewise.
        with: u32,
        /// Time, s.
        time: f64,
        /// Normal approach speed, m/s.
        approach: f64,
    },
}

/// Counts of the work done since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Number of times a grain left its cell or skin.
    pub crossings: u64,
    /// Events whose partner had changed.
    pub stale: u64,
    /// Events that only predict anew.
    pub looks: u64,
    /// Predicted events.
    pub predictions: u64,
    /// Pairs of grains tested.
    pub tests: u64,
    /// Wall surfaces tested.
    pub wall_tests: u64,
    /// Renewals of the epoch.
    pub epochs: u64,
}

/// Counts and sums since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Collisions of two grains.
    pub collisions: u64,
    /// Collisions with walls.
    pub wall_hits: u64,
    /// Work done.
    pub work: Work,
    /// Collisions predicted by rounding for pairs that already recede: corrected, not performed.
    pub grazes: u64,
    /// Sum over the collisions of normal impulse times distance, J s: the collisional part of the
    /// pressure is this over N volume time.
    pub virial: f64,
    /// Energy lost in collisions, J.
    pub lost: f64,
    /// Work done by moving walls, J.
    pub fed: f64,
    /// Greatest overlap at a collision over the sum of radii: only rounding, unless contacts have a duration.
    pub deepest: f64,
    /// Contacts of finite duration.
    pub soft: SoftTally,
    /// Part of the lost energy that was lost at walls, J.
    pub lost_at_walls: f64,
    /// Collisions without loss, as part of a lasting contact ([`Limits::collapse_is_elastic`]):
    /// between grains, and with walls.
    pub lasting: [u64; 2],
}

/// Transfers to a wall since the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct WallTally<D: Dimension> {
    /// Momentum, N s.
    pub impulse: D::Vector,
    /// Sum of the magnitudes of the normal components, N s.
    pub normal: f64,
    /// Angular momentum about the current position of the wall's reference point, N m s.
    pub moment: D::Spin,
    /// Work of the wall on grains, J.
    pub work: f64,
    /// Number of collisions with the wall.
    pub hits: u64,
    /// Energy lost in these collisions, J.
    pub lost: f64,
}

impl<D: Dimension> Default for WallTally<D> {
    fn default() -> Self {
        WallTally {
            impulse: D::Vector::default(),
            normal: 0.0,
            moment: D::Spin::default(),
            work: 0.0,
            hits: 0,
            lost: 0.0,
        }
    }
}

/// The collision rules of all pairs of species.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rules {
    species: usize,
    pairs: Vec<Rule>,
}

/// All data of the event loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Core<D: Dimension> {
    bodies: Bodies<D>,
    /// Neighbour lists, for dense systems.
    lists: Option<Lists>,
    cells: Cells,
    calendar: Calendar,
    walls: Walls<D>,
    wall_tallies: Vec<WallTally<D>>,
    rules: Rules,
    contacts: Contacts,
    /// Contacts in progress; empty if all are instantaneous.
    held: Vec<Held<D>>,
    limits: Limits,
    /// Acceleration of all grains, m/s^2, without other fields.
    gravity: D::Vector,
    /// Paths in other fields.
    bent: Bent<D>,
    /// Images that move.
    shear: Option<Shear>,
    /// Fluxes of momentum.
    flux: Option<Flux>,
    space: Space,
    clock: Clock,
    tally: Tally,
}

/// Grains, by slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Bodies<D: Dimension> {
    rows: Vec<Row>,
    slots: Vec<Slot>,
    /// Index of each slot's grain in the list that the engine was made from.
    ids: Vec<u32>,
    /// Partner of the last collision of each grain; empty without a contact time.
    last: Vec<u32>,
    /// Free slots.
    free: Vec<u32>,
    /// How often the path of each grain was changed from outside; may end before the last slots.
    changed: Vec<u32>,
    /// Whether grains rotate.
    rough: bool,
    /// Masses, kg.
    masses: Vec<f64>,
    /// How often each grain crossed the box along each axis.
    wraps: Vec<[i32; 3]>,
    /// Rotations; empty if all grains are smooth.
    turning: Vec<Turning<D>>,
}

/// The box.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Space {
    /// Lengths of the box along periodic axes, 0 along others.
    lengths: [f64; 3],
    /// Half of the lengths, infinite along others.
    halves: [f64; 3],
    volume: f64,
}

/// Times. Event times are relative to an epoch, which preserves their precision.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Clock {
    /// The epoch, s, on the engine's clock.
    epoch: f64,
    /// Time of the last event, s since the epoch.
    now: f64,
    /// Events until the epoch is renewed.
    events_left: u64,
    /// Latest time at which the epoch is renewed, s since the epoch.
    span: f64,
}

/// A system of hard bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Engine<D: Dimension> {
    core: Core<D>,
    /// Slot of each grain of the list that the engine was made from.
    places: Vec<u32>,
    #[serde(skip, default = "Level::best")]
    level: Level,
    /// Present time, s.
    time: f64,
}

/// A grain at the engine's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<D: Dimension> {
    /// Centre, m, in the box along periodic axes.
    pub position: D::Vector,
    /// Velocity, m/s.
    pub velocity: D::Vector,
    /// Spin, rad/s.
    pub spin: D::Spin,
    /// Orientation.
    pub rotation: D::Rotation,
    /// Net number of times it left the box upwards along each axis.
    pub wraps: [i32; 3],
    /// Number of its collisions so far.
    pub collisions: u32,
}

impl<D: Dimension> Engine<D> {
    /// Runs until a time, s, or until about so many collisions (of grains and with walls) have
    /// occurred since the start.
    pub fn run(&mut self, until: f64, collisions: u64) -> Stopped {
        self.run_watched(until, collisions, &mut ())
    }
    /// Runs, and notifies an observer of each collision.
    pub fn run_with(
        &mut self,
        until: f64,
        collisions: u64,
        observer: &mut dyn Observer<D>,
    ) -> Stopped {
        self.run_watched(until, collisions, &mut run::Told(observer))
    }
    /// Compiled for no observer, and for any.
    fn run_watched<O: Observer<D>>(
        &mut self,
        until: f64,
        collisions: u64,
        observer: &mut O,
    ) -> Stopped {
        match self.core.shear {
            None => self.run_steadily(until, collisions, observer),
            Some(_) => self.run_sheared(until, collisions, observer),
        }
    }
    /// Runs while the rate of shear, if any, stays as it is.
    fn run_steadily<O: Observer<D>>(
        &mut self,
        until: f64,
        collisions: u64,
        observer: &mut O,
    ) -> Stopped {
        let core = &mut self.core;
        loop {
            let done = core.tally.collisions + core.tally.wall_hits;
            if done >= collisions {
                self.time = core.clock.epoch + core.clock.now;
                return Stopped::Collisions;
            }
            let (local, span) = (until - core.clock.epoch, core.clock.span);
            // An event is at most one collision.
            let most = core.clock.events_left.min(collisions - done);
            let until_here = local.min(span);
            // Compiled separately: if rules apply everywhere, no field bends paths and no border moves, the loop checks none of these.
            let stop = if core.contacts.is_empty() && !bent::is_bent(core) && core.flux.is_none() {
                let run = run::Run::<'_, D, O, false> {
                    until: until_here,
                    most,
                    core,
                    observer,
                };
                crate::vector::run(self.level, run)
            } else {
                let run = run::Run::<'_, D, O, true> {
                    until: until_here,
                    most,
                    core,
                    observer,
                };
                crate::vector::run(self.level, run)
            };
            match stop {
                Some(Stopped::Until) if local <= span => {
                    self.time = self.time.max(until);
                    return Stopped::Until;
                }
                // The time of renewal depends on the epoch's events only, not on the times requested.
                Some(Stopped::Until) => core.renew(span),
                Some(stop) => {
                    self.time = core.clock.epoch + core.clock.now;
                    return stop;
                }
                None if core.clock.events_left == 0 => core.renew(core.clock.now),
                None => {}
            }
        }
    }

    /// Present time, s.
    pub fn time(&self) -> f64 {
        self.time
    }
    /// Number of grains that are or were in the system: the length of the list.
    pub fn len(&self) -> usize {
        self.places.len()
    }
    /// Whether there has never been a grain.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
    /// Counts and sums.
    pub fn tally(&self) -> &Tally {
        &self.core.tally
    }
    /// Effects of fields other than gravity up to now.
    pub fn field_tally(&self) -> FieldTally {
        bent::field_tally(&self.core, self.time - self.core.clock.epoch)
    }
    /// Number of pieces of paths in such fields so far.
    pub fn pieces(&self) -> u64 {
        self.core.bent.tally.pieces
    }
    /// Transfers to each wall.
    pub fn wall_tallies(&self) -> &[WallTally<D>] {
        &self.core.wall_tallies
    }
    /// Volume (area) of the box, m^3 (m^2).
    pub fn volume(&self) -> f64 {
        self.core.space.volume
    }
    /// Sets the level of vector units of the event loop; all levels give the same bits.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }
    /// Bytes allocated by the engine.
    pub fn bytes(&self) -> usize {
        let core = &self.core;
        core.bodies.rows.capacity() * size_of::<Row>()
            + core.bodies.slots.capacity() * size_of::<Slot>()
            + core.bodies.turning.capacity() * size_of::<Turning<D>>()
            + core.held.capacity() * size_of::<Held<D>>()
            + core.cells.bytes()
            + core.lists.as_ref().map_or(0, Lists::bytes)
            + core.bodies.ids.capacity() * 4
            + core.bodies.masses.capacity() * 8
            + core.bodies.wraps.capacity() * 12
            + core.calendar.bytes()
            + core.walls.bytes()
            + core.bent.bytes()
            + self.places.capacity() * 4
    }

    /// The present state of a grain, which must be in the system.
    pub fn moment(&self, grain: usize) -> Moment<D> {
        let core = &self.core;
        let i = self.places[grain] as usize;
        let t = self.time - core.clock.epoch;
        let turning = bent::turning_at(core, i, t);
        let (spin, rotation) = turning.unwrap_or((D::Spin::default(), D::identity()));
        let (position, velocity) = bent::state_at(core, i, t);
        let others = core.held.get(i).map_or(0, |held| held.ends)
            + core.bent.pieces.get(i).map_or(0, |piece| piece.count)
            + core.bodies.changes(i);
        Moment {
            position,
            velocity,
            spin,
            rotation,
            wraps: core.bodies.wraps[i],
            collisions: core.bodies.rows[i].0[state::COUNT] as u32 - others,
        }
    }
    /// Mass of a grain, kg.
    pub fn mass(&self, grain: usize) -> f64 {
        self.core.bodies.masses[self.places[grain] as usize]
    }
    /// Radius of a grain, m.
    pub fn radius(&self, grain: usize) -> f64 {
        self.core.bodies.rows[self.places[grain] as usize].0[state::RADIUS]
    }
    /// Present kinetic energy of translation and of rotation, J; of motion relative to the flow of a sheared box.
    pub fn kinetic(&self) -> (f64, f64) {
        let (mut motion, mut spin) = (0.0, 0.0);
        for (grain, _) in self.present() {
            let moment = self.moment(grain);
            let (m, r) = (self.mass(grain), self.radius(grain));
            let velocity = match &self.core.shear {
                None => moment.velocity,
                Some(_) => moment.velocity - self.flow_at(moment.position),
            };
            motion += 0.5 * m * velocity.norm_squared();
            spin += 0.5 * D::BALL_INERTIA * m * r * r * D::spin_dot(moment.spin, moment.spin);
        }
        (motion, spin)
    }
    /// Kinetic energy stored in contacts in progress, which their grains regain at the end, J.
    pub fn hidden(&self) -> f64 {
        self.core.hidden()
    }
    /// Greatest error of the tables of contact laws found when they were built; see [`Laws`].
    pub fn table_error(&self) -> f64 {
        self.core.contacts.error()
    }
    /// Potential energy in gravity, J, relative to the origin, and in other fields that have a potential.
    pub fn potential(&self) -> f64 {
        self.present()
            .map(|(grain, _)| self.potential_of(grain))
            .fold(0.0, |sum, energy| sum + energy)
    }
    /// Potential energy of one grain, J.
    pub fn potential_of(&self, grain: usize) -> f64 {
        let now = self.moment(grain);
        // A grain that crosses a period continues to fall.
        let x = D::Vector::from_fn(|k| {
            now.position[k] + f64::from(now.wraps[k]) * self.core.space.lengths[k]
        });
        let t = self.time - self.core.clock.epoch;
        bent::potential_at(&self.core, self.places[grain] as usize, x, t)
    }
}

impl<D: Dimension> Core<D> {
    /// Starts a new epoch `shift` s after the last: paths and times become relative to it, and the
    /// queue is rebuilt with blocks of a width that fits the rate of events.
    fn renew(&mut self, shift: f64) {
        self.clock.events_left = EVENTS_PER_EPOCH * (self.bodies.rows.len() as u64).max(64);
        for i in 0..self.bodies.rows.len() {
            let (x, pull) = (bent::state_at(self, i, shift).0, bent::pull(self, i));
            let (row, slot) = (&mut self.bodies.rows[i], &mut self.bodies.slots[i]);
            for k in 0..D::N {
                row.0[k] = x[k];
                row.0[state::SPEED + k] += pull[k] * shift;
            }
            slot.time -= shift;
            slot.hit_time -= shift;
            slot.last_time -= shift;
        }
        for held in &mut self.held {
            held.end -= shift;
        }
        self.bent.shift(shift);
        if let Some(shear) = &mut self.shear {
            shear.shift(shift);
        }
        if let Some(flux) = &mut self.flux {
            flux.shift(shift);
        }
        self.clock.epoch += shift;
        self.clock.now = 0.0;
        self.tally.work.epochs += 1;
        let width = self.block_width();
        self.calendar.restart(width);
        for (i, slot) in self.bodies.slots.iter_mut().enumerate() {
            if slot.event != next::NONE {
                slot.time = slot.time.max(0.0);
                self.calendar.push(slot.time, i as u32);
            }
        }
    }
    /// Width of blocks such that each contains some tens of events: from the median of the event
    /// times, before which about half of the events occur.
    fn block_width(&self) -> f64 {
        let step = (self.bodies.slots.len() / 1000).max(1);
        let mut times: Vec<f64> = self
            .bodies
            .slots
            .iter()
            .step_by(step)
            .filter(|s| s.event != next::NONE)
            .map(|s| s.time)
            .collect();
        if times.is_empty() {
            return 1.0;
        }
        times.sort_unstable_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let half = 0.5 * self.bodies.slots.len() as f64;
        let width = median * calendar::PER_BLOCK / half;
        if width > 0.0 && width.is_finite() {
            width.max(1e-300)
        } else {
            1.0
        }
    }
}
