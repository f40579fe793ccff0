//! Changes of an engine from outside, between two of its runs: grains that are added, removed or kicked, and walls that begin to move.
//!
//! A change acts at the engine's time, as an event does: it costs only what it touches. The count of a
//! changed grain invalidates predictions of other grains that involve it when their time comes.

use super::bent;
use super::cells::{Found, Scope};
use super::lists;
use super::run::Observer;
use super::soft::Held;
use super::state::{self, COUNT, RADIUS, Slot, Turning, next};
use super::{Bodies, Body, Core, Engine, FieldTally, Moment, Tally, WallTally};
use crate::field::OwnFieldHandle;
use crate::geometry::{Dimension, Vector};
use crate::vector::{Kernel, Lanes, Row};
use crate::walls::Motion;

/// Slot number of a grain that was removed.
pub(super) const GONE: u32 = u32::MAX;

/// Grains that may be added to an engine: cells, lists and tables allow for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coming<D: Dimension> {
    /// An example of these grains; its position is ignored.
    pub body: Body<D>,
    /// Approximate greatest number of such grains at one time.
    pub count: usize,
}

/// A grain that was removed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removed<D: Dimension> {
    /// State at removal.
    pub moment: Moment<D>,
    /// Potential energy, J.
    pub potential: f64,
}

/// Predicts the next events of some grains.
struct Foresee<'a, D: Dimension> {
    core: &'a mut Core<D>,
    slots: &'a [u32],
    /// Present time, s since the epoch.
    now: f64,
}

impl<D: Dimension> Kernel for Foresee<'_, D> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut found = Found::default();
        for &slot in self.slots {
            self.core
                .predict::<L, true>(slot, self.now, Scope::All, &mut found);
        }
    }
}

/// Builds the neighbour list of a grain at its present position.
struct List<'a, D: Dimension> {
    core: &'a mut Core<D>,
    slot: u32,
    /// Present time, s since the epoch.
    now: f64,
}

impl<D: Dimension> Kernel for List<'_, D> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let crossings = self.core.tally.work.crossings;
        lists::renew_list::<_, L>(self.core, self.slot, self.now, &mut Found::default());
        self.core.tally.work.crossings = crossings;
    }
}

impl<D: Dimension> Engine<D> {
    /// Whether a grain of the list is in the system.
    pub fn is_there(&self, grain: usize) -> bool {
        self.places.get(grain).is_some_and(|&place| place != GONE)
    }

    /// Number of grains in the system.
    pub fn count(&self) -> usize {
        self.core.bodies.rows.len() - self.core.bodies.free.len()
    }

    /// Whether a ball at a position, in the box along periodic axes, touches neither a grain nor a
    /// wall now. It must not be larger than the engine was built for.
    pub fn is_free(&self, place: D::Vector, radius: f64) -> bool {
        let core = &self.core;
        let (t, mut found) = (self.local(), Found::default());
        let apart = |slot: u32| {
            let (x, _) = bent::state_at(core, slot as usize, t);
            let reach = radius + core.bodies.rows[slot as usize].0[RADIUS];
            bent::nearest_image(core, x - place).norm_squared() > reach * reach
        };
        let at = core.cells.locate::<D>(place);
        let n = core.cells.gather::<D>(at, Scope::All, &mut found);
        found.grains[..n].iter().all(|&slot| apart(slot))
            && core.walls.leave_free(place, radius, self.time)
    }

    /// Adds a grain at a free position; returns its index in the list. Its species and size must be
    /// within what the engine was built for ([`Coming`]).
    pub fn add(&mut self, body: &Body<D>) -> u32 {
        let (t, grain) = (self.local(), self.places.len() as u32);
        let core = &mut self.core;
        let slot = match core.bodies.free.pop() {
            Some(slot) => slot,
            None => grow(core),
        };
        self.places.push(slot);
        settle_in(core, slot, grain, body, t);
        if core.lists.is_some() {
            let (core, now) = (&mut self.core, t);
            crate::vector::run(self.level, List { core, slot, now });
        }
        if bent::is_bent(&self.core) {
            bent::begin_piece(&mut self.core, slot as usize, t, true);
        }
        self.foresee(&[slot]);
        grain
    }

    /// Removes a grain; returns its last state. Notifies the observer if that ends a contact of the grain.
    pub fn remove<O: Observer<D>>(&mut self, grain: usize, observer: &mut O) -> Option<Removed<D>> {
        if !self.is_there(grain) {
            return None;
        }
        let (t, slot) = (self.local(), self.places[grain]);
        // The grains in contact with it get their velocities, too.
        let with = self.core.held_with(slot);
        for &one in with.iter().chain(&[slot]) {
            self.core.interrupt_one(one, t, observer);
        }
        let removed = Removed {
            moment: self.moment(grain),
            potential: self.potential_of(grain),
        };
        self.places[grain] = GONE;
        self.core.end_flux(slot as usize, t);
        clear_out(&mut self.core, slot, t);
        self.foresee(&with);
        Some(removed)
    }

    /// Adds a velocity to that of a grain, m/s; returns the energy that this requires, J. Notifies
    /// the observer if that ends a contact of the grain.
    pub fn kick<O: Observer<D>>(
        &mut self,
        grain: usize,
        velocity: D::Vector,
        observer: &mut O,
    ) -> f64 {
        if !self.is_there(grain) {
            return 0.0;
        }
        let (t, slot) = (self.local(), self.places[grain]);
        let (core, i) = (&mut self.core, slot as usize);
        core.interrupt_one(slot, t, observer);
        let bent = bent::is_bent(core);
        if bent {
            bent::end_piece(core, i, t);
        }
        core.end_flux(i, t);
        let (x, mut before) = bent::state_at(core, i, t);
        if let Some(shear) = &core.shear {
            before[0] -= shear.flow(x[1]);
        }
        state::kick::<D>(&mut core.bodies.rows[i], velocity, t);
        core.bodies.count_change(i);
        if bent {
            bent::begin_piece(core, i, t, true);
        }
        let given = before.dot(&velocity) + 0.5 * velocity.norm_squared();
        let given = given * core.bodies.masses[i];
        self.foresee(&[slot]);
        given
    }

    /// Starts the motion of a sliding wall.
    pub fn slide(&mut self, wall: usize) {
        let time = self.time;
        let Some(wall) = self.core.walls.wall_mut(wall) else {
            return;
        };
        if let Motion::Slide(slide) = &mut wall.boundary.motion {
            slide.from = Some(time);
        }
        self.foresee_all();
    }

    /// Sets the fields supplied by a program, which no saved state contains.
    pub fn bring_fields(&mut self, own: &[OwnFieldHandle]) {
        self.core.bent.bring(own);
    }

    /// Removes a wall.
    pub fn open(&mut self, wall: usize) {
        let time = self.time;
        if let Some(wall) = self.core.walls.wall_mut(wall) {
            wall.boundary.opens_at = Some(time);
            self.foresee_all();
        }
    }

    /// Predicts the next events of all grains anew, since grains near a wall predicted them for its former state.
    pub(super) fn foresee_all(&mut self) {
        let all: Vec<u32> = self.present().map(|(_, slot)| slot).collect();
        self.foresee(&all);
    }

    /// Sets the clock to a time, s, and resets all counts and sums.
    pub fn begin_at(&mut self, time: f64) {
        let (t, shift) = (self.local(), time - self.time);
        let core = &mut self.core;
        let bent = bent::is_bent(core);
        for i in 0..core.bent.pieces.len() {
            bent::end_piece(core, i, t);
        }
        core.clock.epoch += shift;
        for turning in &mut core.bodies.turning {
            turning.since += shift;
        }
        self.time = time;
        let core = &mut self.core;
        core.tally = Tally::default();
        core.bent.tally = FieldTally::default();
        core.wall_tallies.fill(WallTally::default());
        if shift != 0.0 {
            // Walls and fields now have their state at another time.
            let all: Vec<u32> = self.present().map(|(_, slot)| slot).collect();
            for &slot in all.iter().filter(|_| bent) {
                bent::begin_piece(&mut self.core, slot as usize, t, false);
            }
            self.foresee(&all);
        }
    }

    /// The grains in the system, in order of the list, and their slots.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, u32)> {
        let all = self.places.iter().copied().enumerate();
        all.filter(|&(_, slot)| slot != GONE)
    }

    /// Present time, s since the epoch.
    fn local(&self) -> f64 {
        (self.time - self.core.clock.epoch).max(self.core.clock.now)
    }

    fn foresee(&mut self, slots: &[u32]) {
        let now = self.local();
        let core = &mut self.core;
        crate::vector::run(self.level, Foresee { core, slots, now });
    }
}

impl<D: Dimension> Bodies<D> {
    /// Invalidates the predictions of others for a grain without a collision.
    fn count_change(&mut self, i: usize) {
        if self.changed.len() <= i {
            self.changed.resize(i + 1, 0);
        }
        self.changed[i] += 1;
        self.rows[i].0[COUNT] += 1.0;
    }

    /// Number of changes of a grain's path so far.
    pub(super) fn changes(&self, i: usize) -> u32 {
        self.changed.get(i).copied().unwrap_or(0)
    }
}

/// Allocates the slot of one more grain.
fn grow<D: Dimension>(core: &mut Core<D>) -> u32 {
    let slot = core.bodies.rows.len() as u32;
    let bodies = &mut core.bodies;
    bodies.rows.push(Row::default());
    bodies.slots.push(Slot::nobody(slot));
    bodies.ids.push(GONE);
    bodies.masses.push(1.0);
    bodies.wraps.push([0; 3]);
    if core.limits.contact_time > 0.0 {
        bodies.last.push(next::NONE);
    }
    if bodies.rough {
        bodies.turning.push(Turning {
            spin: D::Spin::default(),
            rotation: D::identity(),
            since: 0.0,
        });
    }
    if core.contacts.any_soft() {
        core.held.push(Held::default());
    }
    core.bent.grow();
    if let Some(shear) = &mut core.shear {
        shear.looks.push(f64::INFINITY);
    }
    if let Some(flux) = &mut core.flux {
        flux.grow();
    }
    if let Some(lists) = &mut core.lists {
        lists.grow(&mut core.bodies.slots);
    }
    slot
}

/// Places a grain in a free slot, t s after the epoch.
fn settle_in<D: Dimension>(core: &mut Core<D>, slot: u32, grain: u32, body: &Body<D>, t: f64) {
    let i = slot as usize;
    core.bodies.count_change(i);
    let count = core.bodies.rows[i].0[COUNT];
    // Excludes the changes of the former grain of this slot.
    core.bodies.changed[i] = count as u32;
    let mut row = Row::default();
    for k in 0..D::N {
        row.0[k] = body.position[k];
        row.0[state::SPEED + k] = body.velocity[k];
    }
    row.0[RADIUS] = body.radius;
    // Invalidates the predictions of others for the former grain.
    row.0[COUNT] = count;
    if !bent::is_bent(core) {
        // Rows refer to the epoch.
        let g = core.gravity;
        for k in 0..D::N {
            row.0[state::SPEED + k] -= g[k] * t;
            row.0[k] -= (row.0[state::SPEED + k] + 0.5 * g[k] * t) * t;
        }
    }
    let at = core.cells.locate::<D>(body.position);
    core.cells.insert(core.cells.index(at), slot);
    let bodies = &mut core.bodies;
    bodies.rows[i] = row;
    bodies.ids[i] = grain;
    bodies.masses[i] = body.mass;
    bodies.wraps[i] = [0; 3];
    bodies.slots[i] = Slot {
        inverse_mass: 1.0 / body.mass,
        at,
        species: body.species,
        span: bodies.slots[i].span,
        ..Slot::nobody(slot)
    };
    if let Some(turning) = bodies.turning.get_mut(i) {
        *turning = Turning {
            spin: body.spin,
            rotation: body.rotation,
            since: core.clock.epoch + t,
        };
    }
    if let Some(held) = core.held.get_mut(i) {
        *held = Held::default();
    }
    if let Some(lists) = &mut core.lists {
        lists.expect(i, body.radius);
    }
    if bent::is_bent(core) {
        bent::put(core, i, (body.position, body.velocity), t);
    }
}

/// Removes a grain from its slot, t s after the epoch.
fn clear_out<D: Dimension>(core: &mut Core<D>, slot: u32, t: f64) {
    let i = slot as usize;
    if bent::is_bent(core) {
        bent::end_piece(core, i, t);
        bent::idle(core, i);
    }
    let at = core.bodies.slots[i].at;
    core.cells.remove(core.cells.index(at), slot);
    if let Some(lists) = &mut core.lists {
        lists.forget(&mut core.bodies.slots, slot);
    }
    let bodies = &mut core.bodies;
    bodies.count_change(i);
    for k in 0..D::N {
        bodies.rows[i].0[state::SPEED + k] = 0.0;
    }
    bodies.slots[i] = Slot {
        span: bodies.slots[i].span,
        ..Slot::nobody(slot)
    };
    for last in &mut bodies.last {
        if *last == slot {
            *last = next::NONE;
        }
    }
    if let Some(last) = bodies.last.get_mut(i) {
        *last = next::NONE;
    }
    bodies.ids[i] = GONE;
    bodies.free.push(slot);
}
