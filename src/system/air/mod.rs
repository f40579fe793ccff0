//! Collisions in flight: flyers that meet each other or a wall by themselves collide at once, by the
//! contact law of the pair, and fly on ([`crate::collide::engine`] decides the outcome as it does in a
//! run of collisions alone).
//!
//! Each flyer has one earliest event: a collision, a look at its surroundings where it leaves its cell,
//! or the return to the grid of steps. What happens to it touches those around its cell and nobody
//! else. A collision is instantaneous if it is *binary*: its contact would be over before any third
//! body, or the same one again, comes into touch with either of the two, and would move the pair by
//! little ([`collide`]). Else the pair goes back to the grid before it touches, and the contact is
//! followed step by step: so a grain that bounces lower and lower ends in finitely many events.

mod cells;
mod collide;
mod foresee;
mod handle;
mod join;
mod laws;
mod renew;
pub(in crate::system) use handle::{air_tally, close_air, fly_on, flyers_collide, forget_flyers};
pub(in crate::system) use join::{around_in_air, join_air};
pub(in crate::system) use renew::renew_air;

use serde::{Deserialize, Serialize};

use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::collide::engine::Contacts;
use crate::event::{DefaultQueue, EventQueue};
use crate::geometry::Vector;
use crate::neighbor::{DynamicCells, Lattice};
use crate::system::{Setup, SystemError};

/// What comes next for a flyer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Next {
    /// Nothing that is known: its surroundings are looked at anew.
    #[default]
    Look,
    /// It meets another flyer.
    Pair,
    /// It meets a wall.
    Wall,
    /// It must be back on the grid of steps.
    Return,
}

/// The earliest event of a flyer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Foreseen {
    /// s.
    time: f64,
    next: Next,
    /// Number of the other grain, or index of the boundary.
    with: u32,
    /// Path of the other grain for which that was foreseen; surface of the boundary.
    detail: u32,
}

/// What a grain is to those in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// Not there: it stands still, or has left.
    #[default]
    Absent,
    /// It flies.
    Flyer,
    /// It is stepped, within half the margin of the outer list of a place.
    Stepped,
}

/// A grain, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Body {
    kind: Kind,
    /// Counts its paths, so that what was foreseen for an earlier one is told apart.
    path: u32,
    /// Where a stepped one was when lists were made, a flyer when it was looked at last, m.
    place: [f64; 3],
    foreseen: Foreseen,
}

/// What happened in flight since time 0.
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
    /// Of these those that would have met the same body, or a third one, within the contact.
    pub crowded: u64,
    /// Collisions done at once although they were crowded: a third body came within a step.
    pub forced: u64,
    /// Foresights.
    pub foreseen: u64,
    /// Bodies and walls tested in them.
    pub tested: u64,
    /// Collisions whose outcome no table held.
    pub solved: u64,
    /// Collisions that rounding had foreseen of pairs that part already: not done.
    pub grazes: u64,
}

/// What a checkpoint holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::system) struct AirState {
    bodies: Vec<Body>,
    queue: DefaultQueue,
    /// Time of the last event, s: no path begins after it.
    clock: f64,
    /// Those that are stepped, by number.
    stepped: Vec<u32>,
    /// Flyers.
    flyers: usize,
    lattice: Lattice,
    /// All is to be foreseen anew.
    stale: bool,
    pub tally: AirTally,
}

/// Collisions in flight of a system.
pub(in crate::system) struct Air {
    pub s: AirState,
    contacts: Contacts,
    cells: DynamicCells,
    /// Slot of each grain, by number; may be out of date.
    slots: Vec<u32>,
    /// Greatest radius of any grain, m.
    largest: f64,
    /// Greatest way during a contact over the sum of radii.
    way: f64,
    /// Who is around a place.
    found: Vec<u32>,
}

impl std::fmt::Debug for Air {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Air").field("tally", &self.s.tally).finish()
    }
}

impl Air {
    /// For a setup; none where flyers do not collide. From a saved state, or at the start.
    pub fn new<D: Integrate>(
        setup: &Setup<D>,
        saved: Option<AirState>,
    ) -> Result<Option<Air>, SystemError> {
        let Some(way) = setup.motion.collisions else {
            return Ok(None);
        };
        let sizes = setup.grains.iter().map(|grain| grain.radius);
        let fed = setup.sources.feeds.iter().map(|feed| feed.what.greatest());
        let mut air = Air {
            s: saved.unwrap_or(AirState {
                stale: true,
                ..AirState::default()
            }),
            contacts: laws::contacts(setup)?,
            cells: DynamicCells::default(),
            slots: Vec::new(),
            largest: sizes.chain(fed).fold(0.0, f64::max),
            way,
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

    /// Time 0: counts begin, and all is foreseen anew.
    pub fn begin(&mut self) {
        self.s.tally = AirTally::default();
        self.forget();
    }

    /// All is to be foreseen anew: paths were changed from outside.
    pub fn forget(&mut self) {
        self.s.stale = true;
    }

    /// Nobody is in the air.
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

    /// The slot of a grain that is in the engine as a status says.
    fn slot<D: Integrate>(&mut self, world: &World<D>, id: u32, status: Status) -> Option<u32> {
        let arrays = &world.grains.arrays;
        let there = |slot: u32| {
            let s = slot as usize;
            arrays.id.get(s) == Some(&id) && arrays.status[s] == status
        };
        let slot = self.slots.get(id as usize).copied().unwrap_or(0);
        if there(slot) {
            return Some(slot);
        }
        // Slots were packed since.
        self.find_slots(world);
        let slot = self.slots.get(id as usize).copied().unwrap_or(0);
        there(slot).then_some(slot)
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

    /// Takes a grain in, or tells where it is now.
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

    /// Takes a grain out.
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
