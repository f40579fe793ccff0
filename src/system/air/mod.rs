//! Grains in flight: who leaves the grid of steps, what happens on the way, and when each is back.
//!
//! Each flyer has one earliest event: the meeting of another flyer or of a wall, a check of its
//! surroundings where it leaves its cell, or the return to the grid of steps. An event affects only the
//! bodies around the flyer's cell. Flyers that meet return to the grid before they touch, and the contact
//! is integrated step by step. With `run.collisions` they may collide at once instead, by the contact law of
//! the pair ([`crate::collide::engine`] computes the outcome as it does in a run of collisions alone):
//! where the collision is *binary*, so that the contact would end before any third body, or the same one
//! again, touches either of the two, and would move the pair only a little ([`collide`]). A grain that
//! bounces lower and lower thus has finitely many events.

mod bent;
mod cells;
mod collide;
mod come_back;
mod foresee;
mod guard;
mod guided;
mod handle;
mod impact;
mod join;
mod laws;
mod leave;
mod renew;
mod worth;
pub(in crate::system) use bent::{begin_path, in_progress, restart};
pub(in crate::system) use guard::{are_left, guard_again};
pub(in crate::system) use handle::{
    air_tally, anyone_flies, close_air, fly_on, forget_flyers, is_stale,
};
pub(in crate::system) use join::{around_in_air, join_air};
pub(in crate::system) use leave::{is_look, look};
pub(in crate::system) use renew::{check_woken, renew_air};

use serde::{Deserialize, Serialize, Serializer};

use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::collide::engine::Contacts;
use crate::event::{DefaultQueue, EventQueue};
use crate::geometry::Vector;
use crate::neighbor::{DynamicCells, Lattice};
use crate::system::{Setup, SystemError};

/// Kind of a flyer's next event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Next {
    /// No event is known: its surroundings are checked anew.
    #[default]
    Look,
    /// Collision with another flyer.
    Pair,
    /// Collision with a wall.
    Wall,
    /// Return to the grid of steps.
    Return,
}

/// The earliest event of a flyer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Foreseen {
    /// Time, s.
    time: f64,
    next: Next,
    /// Number of the other grain, or index of the boundary.
    with: u32,
    /// Path number of the other grain for which the event was predicted; or surface of the boundary.
    detail: u32,
}

/// Role of a grain among those in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// Not registered: it is at rest, or has left.
    #[default]
    Absent,
    /// Flyer.
    Flyer,
    /// Stepped grain, which stays in the zone around its recorded place.
    Stepped,
}

/// A grain, indexed by its number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Body {
    kind: Kind,
    /// Number of its present path, which distinguishes predictions for an earlier one.
    path: u32,
    /// Position of a stepped grain when zones were made, of a flyer at its last prediction, m.
    place: [f64; 3],
    /// Position of a stepped grain when guards were made, m.
    guarded: [f64; 3],
    /// When a contact was last predicted for it that was none, s.
    grazed: f64,
    foreseen: Foreseen,
}

impl Default for Body {
    fn default() -> Self {
        Body {
            kind: Kind::Absent,
            path: 0,
            place: [0.0; 3],
            guarded: [0.0; 3],
            grazed: f64::NEG_INFINITY,
            foreseen: Foreseen::default(),
        }
    }
}

/// How far stepped grains may go ([`guard`]).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Zones {
    /// How far they may go from their recorded places, and from the guarded ones, m.
    zone: f64,
    guard: f64,
    /// Bound of the displacements since the last search, m, when zones and when guards were made.
    zone_from: f64,
    guard_from: f64,
    /// How far each wall that forces move had gone when zones were made, m.
    ways: Vec<f64>,
    /// Number of searches when zones were made.
    search: u64,
    /// Whether stepped grains are not registered, or not at their places, since there are no flyers.
    lapsed: bool,
    /// Pairs of a stepped grain and a flyer in its zone, by number; some are no longer there, and some are there twice.
    #[serde(serialize_with = "in_order")]
    near: Vec<[u32; 2]>,
}

/// Saves pairs in ascending order, each once: that in which they were found decides nothing, and is another after a resume.
fn in_order<S: Serializer>(pairs: &[[u32; 2]], to: S) -> Result<S::Ok, S::Error> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.serialize(to)
}

/// Counts of flight since time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AirTally {
    /// Collisions of two grains.
    pub pairs: u64,
    /// Collisions with walls.
    pub walls: u64,
    /// Energy lost at walls, J.
    pub lost_at_walls: f64,
    /// Collisions that went to the grid instead: they would not have been binary, or not short.
    pub lasting: u64,
    /// Lasting collisions in which the same body, or a third one, would come into touch within the contact.
    pub crowded: u64,
    /// Collisions done at once although crowded: a third body came within a step.
    pub forced: u64,
    /// Predictions made.
    pub foreseen: u64,
    /// Bodies and walls tested in predictions.
    pub tested: u64,
    /// Flyers that returned to the grid.
    pub returned: u64,
    /// Pieces of paths that began where others ended.
    pub pieces: u64,
    /// Stepped grains whose lists were made anew since one grain left or came back.
    pub relisted: u64,
    /// Collisions whose outcome no table held.
    pub solved: u64,
    /// Collisions that rounding predicted for pairs that already part; they are skipped.
    pub grazes: u64,
}

/// State of flight that a checkpoint holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::system) struct AirState {
    bodies: Vec<Body>,
    queue: DefaultQueue,
    /// Time of the last event, s: no path begins after it.
    clock: f64,
    /// Numbers of the stepped grains.
    stepped: Vec<u32>,
    zones: Zones,
    /// How long each stepped grain, by number, waits until it may ask to leave.
    waits: Vec<leave::Wait>,
    /// When the first of them asks, as the number of a step.
    next_look: i64,
    /// Whether flight pays.
    worth: worth::Worth,
    /// Number of flyers.
    flyers: usize,
    /// Pieces of paths, by number; empty where fields bend none.
    pieces: Vec<bent::Piece>,
    lattice: Lattice,
    /// Whether all events must be predicted anew.
    stale: bool,
    pub tally: AirTally,
}

/// Grains in flight of a system.
pub(in crate::system) struct Air {
    pub s: AirState,
    /// How flyers collide at once, if they do.
    at_once: Option<AtOnce>,
    cells: DynamicCells,
    /// Slot of each grain, by number; may be out of date.
    slots: Vec<u32>,
    /// Greatest radius of any grain, m.
    largest: f64,
    /// Grains found around a place.
    found: Vec<u32>,
}

/// Collisions at once.
struct AtOnce {
    contacts: Contacts,
    /// Greatest displacement during a contact, over the sum of radii.
    way: f64,
    /// Whether collisions with walls may be at once: not where loads on walls are mapped.
    with_walls: bool,
}

/// Returns the time from which events are predicted, s: up to it all events in flight are handled, be it later than the grid's time.
fn clock_of(air: &Option<Air>, now: f64) -> f64 {
    air.as_ref().map_or(now, |aloft| aloft.s.clock.max(now))
}

impl std::fmt::Debug for Air {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Air").field("tally", &self.s.tally).finish()
    }
}

impl Air {
    /// Creates the state for a setup, from a saved state or at the start; `None` where no grain flies.
    pub fn new<D: Integrate>(
        setup: &Setup<D>,
        saved: Option<AirState>,
    ) -> Result<Option<Air>, SystemError> {
        if !setup.motion.flight {
            return Ok(None);
        }
        let at_once = |way| {
            laws::contacts(setup).map(|contacts| AtOnce {
                contacts,
                way,
                with_walls: setup.log.wear.is_none(),
            })
        };
        let sizes = setup.grains.iter().map(|grain| grain.radius);
        let fed = setup.sources.feeds.iter().map(|feed| feed.what.greatest());
        let mut air = Air {
            s: saved.unwrap_or(AirState {
                stale: true,
                ..AirState::default()
            }),
            at_once: setup.motion.collisions.map(at_once).transpose()?,
            cells: DynamicCells::default(),
            slots: Vec::new(),
            largest: sizes.chain(fed).fold(0.0, f64::max),
            found: Vec::new(),
        };
        air.cells = DynamicCells::new(air.s.lattice.clone());
        for (id, body) in air.s.bodies.iter().enumerate() {
            if body.kind != Kind::Absent {
                let place = D::Vector::from_fn(|k| body.place[k]);
                air.cells.insert(id as u32, place);
            }
        }
        Ok(Some(air))
    }

    /// Resets the counts at time 0, and marks all predictions as stale.
    pub fn begin(&mut self) {
        self.s.tally = AirTally::default();
        self.s.worth.begin();
        self.forget();
    }

    /// Marks all predictions as stale, after paths were changed from outside.
    pub fn forget(&mut self) {
        self.s.stale = true;
    }

    /// Removes all grains from flight.
    fn clear(&mut self) {
        for body in &mut self.s.bodies {
            body.kind = Kind::Absent;
            body.path += 1;
        }
        self.s.queue = DefaultQueue::default();
        self.s.stepped.clear();
        self.s.flyers = 0;
        self.cells = DynamicCells::new(self.s.lattice.clone());
    }

    /// Returns the slot of a grain that has the given status in the engine.
    fn slot<D: Integrate>(&mut self, world: &World<D>, id: u32, status: Status) -> Option<u32> {
        let arrays = &world.grains.arrays;
        let has = |slot: u32| {
            let known = arrays.id.get(slot as usize) == Some(&id);
            known && arrays.status[slot as usize].is_grain()
        };
        let mut slot = self.slots.get(id as usize).copied().unwrap_or(0);
        if !has(slot) {
            // Slots have been packed since, or it is gone.
            self.find_slots(world);
            slot = self.slots.get(id as usize).copied().unwrap_or(0);
        }
        (has(slot) && arrays.status[slot as usize] == status).then_some(slot)
    }

    fn find_slots<D: Integrate>(&mut self, world: &World<D>) {
        let arrays = &world.grains.arrays;
        for slot in 1..arrays.slots() {
            if !arrays.status[slot].is_grain() {
                continue;
            }
            let id = arrays.id[slot] as usize;
            if self.slots.len() <= id {
                self.slots.resize(id + 1, 0);
            }
            self.slots[id] = slot as u32;
        }
    }

    /// Registers a grain, or updates its kind and place.
    fn register<V: Vector>(&mut self, id: u32, kind: Kind, place: V) {
        let n = id as usize;
        if self.s.bodies.len() <= n {
            self.s.bodies.resize(n + 1, Body::default());
        }
        let body = &mut self.s.bodies[n];
        let before = *body;
        body.kind = kind;
        for k in 0..V::LEN {
            body.place[k] = place[k];
            body.guarded[k] = place[k];
        }
        if before.kind != Kind::Flyer && kind == Kind::Flyer {
            body.path += 1;
        }
        self.s.flyers += usize::from(kind == Kind::Flyer);
        self.s.flyers -= usize::from(before.kind == Kind::Flyer);
        self.cells.insert(id, place);
        if kind != Kind::Flyer {
            self.s.queue.cancel(id);
        }
    }

    /// Registers a grain that begins to step at a place.
    fn join_stepped<V: Vector>(&mut self, id: u32, place: V) {
        self.register(id, Kind::Stepped, place);
        let at = self.s.stepped.partition_point(|&other| other < id);
        self.s.stepped.insert(at, id);
    }

    /// Unregisters a grain.
    fn unregister(&mut self, id: u32) {
        let Some(body) = self.s.bodies.get_mut(id as usize) else {
            return;
        };
        if body.kind == Kind::Absent {
            return;
        }
        self.s.flyers -= usize::from(body.kind == Kind::Flyer);
        body.kind = Kind::Absent;
        body.path += 1;
        self.cells.remove(id);
        self.s.queue.cancel(id);
    }
}
