//! The event-driven engine: many hard bodies in flight, one collision after another.
//!
//! Grains are disks or spheres of any radii and masses on paths of one constant acceleration, in a
//! box that is periodic or open along each axis, with walls. Collisions are instantaneous
//! ([`law`]). The engine holds one earliest event for each grain: a collision, a wall, or the face
//! of its cell; an event whose partner has changed since is foreseen anew when its time comes.
//! Nothing is stepped, and an event costs what lies around its grains.
//!
//! Docs: `docs/notes/performance.md` tells what each choice brought.

mod ahead;
mod bent;
mod calendar;
mod cells;
mod change;
mod contact;
pub mod law;
mod limits;
mod lists;
mod predict;
mod run;
mod setup;
mod soft;
mod start;
mod state;
mod walls;

use serde::{Deserialize, Serialize};

pub use bent::{FieldTally, Fields};
pub use change::{Coming, Removed};
pub use contact::{ByLaw, Laws, no_soft};
pub(crate) use contact::{Contacts, Pair};
pub use law::{Rough, Rule};
pub use run::{Collision, Observer, Other};
pub use setup::{Body, Limits, Setup, SetupError, check};
pub use soft::{EndOfContact, SoftTally};

use crate::geometry::{Dimension, Vector};
use crate::vector::{Level, Row};
use bent::Bent;
use calendar::Calendar;
use cells::Cells;
use lists::Lists;
use soft::Held;
use state::{Slot, Turning, next};
use walls::Walls;

/// Events a grain between renewals of the epoch.
const EVENTS_PER_EPOCH: u64 = 16;

/// Why a run of the engine came back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stopped {
    /// The time asked for is reached.
    Until,
    /// The number of collisions asked for is reached, or passed by less than one renewal.
    Collisions,
    /// A pair would collide again within its contact time: it stays in touch, and a model of
    /// lasting contacts must take it.
    Collapse {
        /// The grain: its place in the list that the engine was made from.
        grain: u32,
        /// The grain or wall it stays with.
        with: Other,
        /// s.
        time: f64,
    },
    /// A grain collided very often without any time going by.
    Stuck {
        /// The grain: its place in the list that the engine was made from.
        grain: u32,
        /// With what it collided last.
        with: Other,
        /// s.
        time: f64,
        /// How often.
        collisions: u32,
    },
    /// A contact law is too soft for an approach: the grains would pass through each other.
    PassThrough {
        /// The grain: its place in the list that the engine was made from.
        grain: u32,
        /// The other, likewise.
        with: u32,
        /// s.
        time: f64,
        /// Normal approach speed, m/s.
        approach: f64,
    },
}

/// What a run took, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Cells left.
    pub crossings: u64,
    /// Events whose partner had changed.
    pub stale: u64,
    /// Events that only look again.
    pub looks: u64,
    /// Events foreseen.
    pub predictions: u64,
    /// Pairs tested.
    pub tests: u64,
    /// Walls tested.
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
    /// What it took.
    pub work: Work,
    /// Collisions that rounding had foreseen of pairs that already part: corrected, not done.
    pub grazes: u64,
    /// Sum over the collisions of normal impulse times distance, J s: the pressure's collision part
    /// is this over N volume time.
    pub virial: f64,
    /// Energy lost in collisions, J.
    pub lost: f64,
    /// Work that moving walls did, J.
    pub fed: f64,
    /// Greatest overlap at a collision over the sum of radii: rounding only, unless contacts last.
    pub deepest: f64,
    /// Contacts that last.
    pub soft: SoftTally,
    /// Of the energy lost, what was lost at walls, J.
    pub lost_at_walls: f64,
    /// Collisions without loss, as part of a lasting contact ([`Limits::collapse_is_elastic`]): of
    /// grains, and with walls.
    pub lasting: [u64; 2],
}

/// What a wall received since the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct WallTally<D: Dimension> {
    /// Momentum, N s.
    pub impulse: D::Vector,
    /// Sum of the sizes of its normal parts, N s.
    pub normal: f64,
    /// Angular momentum about the wall's point of reference, where that is then, N m s.
    pub moment: D::Spin,
    /// Work that it did on grains, J.
    pub work: f64,
    /// Collisions with it.
    pub hits: u64,
    /// Energy lost in them, J.
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

/// The rules of all species.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rules {
    species: usize,
    pairs: Vec<Rule>,
}

/// Everything that the loop works on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Core<D: Dimension> {
    bodies: Bodies<D>,
    /// When dense.
    lists: Option<Lists>,
    cells: Cells,
    calendar: Calendar,
    walls: Walls<D>,
    wall_tallies: Vec<WallTally<D>>,
    rules: Rules,
    contacts: Contacts,
    /// Contacts under way; empty when all are instantaneous.
    held: Vec<Held<D>>,
    limits: Limits,
    /// The acceleration of all, m/s^2, where there are no other fields.
    gravity: D::Vector,
    /// Paths in other fields.
    bent: Bent<D>,
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
    /// Place of each slot's grain in the list that the engine was made from.
    ids: Vec<u32>,
    /// With what each last collided; empty without a contact time.
    last: Vec<u32>,
    /// Slots that nobody has.
    free: Vec<u32>,
    /// How often the path of each was changed from outside; shorter where the last were not.
    changed: Vec<u32>,
    /// Whether grains turn.
    rough: bool,
    /// kg.
    masses: Vec<f64>,
    /// How often each crossed the box along each axis.
    wraps: Vec<[i32; 3]>,
    /// Empty when all are smooth.
    turning: Vec<Turning<D>>,
}

/// The box.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Space {
    /// Lengths of the box along periodic axes, 0 along others.
    lengths: [f64; 3],
    /// Half of them, infinite along others.
    halves: [f64; 3],
    volume: f64,
}

/// Times. Those of events are told from an epoch, so that they keep their digits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Clock {
    /// s, on the engine's clock.
    epoch: f64,
    /// Time of the last event, s since the epoch.
    now: f64,
    /// Events until the epoch is renewed.
    events_left: u64,
    /// Time until which the epoch may hold, s since the epoch.
    span: f64,
}

/// A gas of hard bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Engine<D: Dimension> {
    core: Core<D>,
    /// Place in the arrays of each grain of the list that it was made from.
    places: Vec<u32>,
    #[serde(skip, default = "Level::best")]
    level: Level,
    /// s.
    time: f64,
}

/// A grain at the engine's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<D: Dimension> {
    /// Centre, m, in the box along periodic axes.
    pub position: D::Vector,
    /// m/s.
    pub velocity: D::Vector,
    /// rad/s.
    pub spin: D::Spin,
    /// Orientation.
    pub rotation: D::Rotation,
    /// How often it left the box along each axis, upwards less downwards.
    pub wraps: [i32; 3],
    /// Its collisions so far.
    pub collisions: u32,
}

impl<D: Dimension> Engine<D> {
    /// Runs until a time, s, or until so many collisions (of grains and with walls) are done since
    /// the start, about.
    pub fn run(&mut self, until: f64, collisions: u64) -> Stopped {
        self.run_watched(until, collisions, &mut ())
    }
    /// Runs, and tells an observer of each collision.
    pub fn run_with(
        &mut self,
        until: f64,
        collisions: u64,
        observer: &mut dyn Observer<D>,
    ) -> Stopped {
        self.run_watched(until, collisions, &mut run::Told(observer))
    }
    /// The same, compiled for one observer: for whom a call a collision costs.
    pub(crate) fn run_watched<O: Observer<D>>(
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
            // An event is a collision at most.
            let most = core.clock.events_left.min(collisions - done);
            let until_here = local.min(span);
            // Compiled apart: where rules decide everywhere and nothing bends paths neither is looked at.
            let stop = if core.contacts.is_empty() && !bent::is_bent(core) {
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
                // When the epoch is renewed depends on its events alone, not on who asks when.
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

    /// s.
    pub fn time(&self) -> f64 {
        self.time
    }
    /// Number of grains that are or were there: the places in the list go up to it.
    pub fn len(&self) -> usize {
        self.places.len()
    }
    /// Whether there never was a grain.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
    /// Counts and sums.
    pub fn tally(&self) -> &Tally {
        &self.core.tally
    }
    /// What fields other than gravity did up to now.
    pub fn field_tally(&self) -> FieldTally {
        bent::field_tally(&self.core, self.time - self.core.clock.epoch)
    }
    /// Pieces of paths in such fields so far.
    pub fn pieces(&self) -> u64 {
        self.core.bent.tally.pieces
    }
    /// What each wall received.
    pub fn wall_tallies(&self) -> &[WallTally<D>] {
        &self.core.wall_tallies
    }
    /// Volume (area) of the box, m^3 (m^2).
    pub fn volume(&self) -> f64 {
        self.core.space.volume
    }
    /// Runs the loop at a level of vector units; all give the same bits.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }
    /// Bytes that the engine holds.
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

    /// A grain now; it must be there.
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
    /// Kinetic energy of motion and of spin now, J.
    pub fn kinetic(&self) -> (f64, f64) {
        let (mut motion, mut spin) = (0.0, 0.0);
        for (grain, _) in self.present() {
            let moment = self.moment(grain);
            let (m, r) = (self.mass(grain), self.radius(grain));
            motion += 0.5 * m * moment.velocity.norm_squared();
            spin += 0.5 * D::BALL_INERTIA * m * r * r * D::spin_dot(moment.spin, moment.spin);
        }
        (motion, spin)
    }
    /// Kinetic energy of contacts under way, which their grains get back at the end, J.
    pub fn hidden(&self) -> f64 {
        self.core.hidden()
    }
    /// Greatest error of the tables of contact laws that was met when they were built; see [`Laws`].
    pub fn table_error(&self) -> f64 {
        self.core.contacts.error()
    }
    /// Potential energy in gravity, J, from the origin, and in other fields that have one.
    pub fn potential(&self) -> f64 {
        self.present()
            .map(|(grain, _)| self.potential_of(grain))
            .fold(0.0, |sum, energy| sum + energy)
    }
    /// That of one grain, J.
    pub fn potential_of(&self, grain: usize) -> f64 {
        let now = self.moment(grain);
        // Across a period a grain goes on falling.
        let x = D::Vector::from_fn(|k| {
            now.position[k] + f64::from(now.wraps[k]) * self.core.space.lengths[k]
        });
        let t = self.time - self.core.clock.epoch;
        bent::potential_at(&self.core, self.places[grain] as usize, x, t)
    }
}

impl<D: Dimension> Core<D> {
    /// Starts a new epoch `shift` s after the last: paths are told from here, times too, and the queue is made anew with
    /// blocks of a width that fits the rate of events.
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
    /// A width of blocks such that each holds some tens of the grains' events: from the median of
    /// their times, over which about half of them come.
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
