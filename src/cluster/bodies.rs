//! Grains of several parts: clumps, and grains bounded by arcs.
//!
//! Kernels know disks and spheres only. So each part of such a grain has a slot of its own, right after
//! the grain's, with the row of a ball that goes and turns along with it: the velocity of its centre, its
//! radius times the grain's spin, the grain's mass. Parts touch; what they feel is added up
//! for the grain, which alone takes steps, and then parts are put where it went. Of a clump each
//! component is a candidate; of a grain of arcs, one arc at a time stands in for it (`facing`), whose circle
//! is worked out from the row of the grain (`arcs`): the slots of arcs are names only.

use serde::{Deserialize, Serialize};

use super::arrays::Status;
use super::engine::Engine;
use super::integrate::Integrate;
use super::observe::LinkView;
use super::state::EngineState;
use super::tumble::Tumble;
use crate::body::{Form, Grain, Lever};
use crate::geometry::{Dimension, Vector};

/// A grain of several parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Body<D: Dimension> {
    /// Its slot; its parts have those that follow.
    pub slot: u32,
    /// Its form.
    pub form: u16,
    /// Number of parts.
    pub parts: u16,
    /// Space: angular momentum that the integrator carries, kg m^2/s.
    pub momentum: D::Spin,
    /// Space: moment at the last evaluation but one, N m.
    pub before: D::Spin,
    /// Space: moment at the last evaluation, N m, and what of it dissipates.
    pub moment: [D::Spin; 2],
}

/// All grains of several parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bodies<D: Dimension> {
    /// In order of their slots.
    pub list: Vec<Body<D>>,
    /// By slot: which of them it belongs to; empty while there is none.
    home: Vec<u32>,
}

/// Of a slot that belongs to no body of parts.
const NONE: u32 = u32::MAX;

impl<D: Dimension> Bodies<D> {
    /// Whether all slots named are among so many.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        let there = |body: &Body<D>| body.slot as usize + usize::from(body.parts) < slots;
        let known = |home: &u32| *home == NONE || (*home as usize) < self.list.len();
        self.list.iter().all(there) && self.home.len() <= slots && self.home.iter().all(known)
    }

    /// The body that a slot belongs to, by its index.
    pub fn of(&self, slot: u32) -> Option<usize> {
        let home = *self.home.get(slot as usize)?;
        (home != NONE).then_some(home as usize)
    }

    /// The slot of the grain that a slot belongs to.
    pub fn owner(&self, slot: u32) -> u32 {
        self.of(slot).map_or(slot, |body| self.list[body].slot)
    }

    /// Number of parts in all.
    pub fn parts(&self) -> usize {
        self.list.iter().map(|body| usize::from(body.parts)).sum()
    }

    /// A grain was added at a slot, with so many parts after it.
    fn add(&mut self, body: Body<D>, slots: usize) {
        self.home.resize(slots, NONE);
        let last = body.slot + u32::from(body.parts);
        for slot in body.slot..=last {
            self.home[slot as usize] = self.list.len() as u32;
        }
        self.list.push(body);
    }

    /// Slots got new numbers; `of` so many.
    pub(super) fn renumber(&mut self, new_slot: &[u32], slots: usize) {
        if self.list.is_empty() {
            self.home.clear();
            return;
        }
        for body in &mut self.list {
            body.slot = new_slot[body.slot as usize];
        }
        self.list.sort_unstable_by_key(|body| body.slot);
        self.home.clear();
        self.home.resize(slots, NONE);
        for (index, body) in self.list.iter().enumerate() {
            for slot in body.slot..=body.slot + u32::from(body.parts) {
                self.home[slot as usize] = index as u32;
            }
        }
    }

    /// Bodies whose grains are gone are forgotten; their slots stay empty until slots are renumbered.
    fn forget(&mut self, gone: &[bool]) {
        self.list.retain(|body| !gone[body.slot as usize]);
        self.home.fill(NONE);
        for (index, body) in self.list.iter().enumerate() {
            for slot in body.slot..=body.slot + u32::from(body.parts) {
                self.home[slot as usize] = index as u32;
            }
        }
    }
}

impl<D: Integrate> Engine<D> {
    /// Gives a grain that was just added its parts.
    pub(super) fn add_parts(&mut self, slot: u32, grain: &Grain<D>, index: u16, time: f64) {
        let form: &Form<D> = &self.forms[usize::from(index)];
        let parts = form.parts.len() as u16;
        for part in &form.parts {
            let arrays = &mut self.state.arrays;
            let radius = part.radius * grain.radius;
            let place = arrays.push_part(slot as usize, radius);
            self.state.since.push(time);
            self.state.back.push(f64::INFINITY);
            self.state.clusters.add_grain(place);
        }
        let moments = grain.moments();
        let body = Body {
            slot,
            form: index,
            parts,
            momentum: D::momentum(grain.rotation, grain.spin, moments),
            before: D::Spin::default(),
            moment: [D::Spin::default(); 2],
        };
        self.state.bodies.add(body, self.state.arrays.slots());
        if D::N == 3 {
            D::hold_spin(&mut self.state.arrays, slot as usize);
        }
        self.put_parts(slot);
    }

    /// The slot of the grain that a slot belongs to: itself but for parts.
    pub fn owner(&self, slot: u32) -> u32 {
        self.state.bodies.owner(slot)
    }

    /// Which slot comes into the lists for this one: a grain of arcs as a whole, all others themselves.
    pub(super) fn candidate(&self, slot: u32) -> u32 {
        match self.state.bodies.of(slot) {
            Some(body) if self.form_of(body).arcs => self.state.bodies.list[body].slot,
            _ => slot,
        }
    }

    /// The form of a body.
    pub(super) fn form_of(&self, body: usize) -> &Form<D> {
        &self.forms[usize::from(self.state.bodies.list[body].form)]
    }

    /// Stepped slots that can touch, ascending: for clumps their parts.
    pub(super) fn touching(&self) -> Vec<u32> {
        let bodies = &self.state.bodies;
        let mut out = Vec::with_capacity(self.state.active.len() + bodies.parts());
        for &slot in &self.state.active {
            match bodies.of(slot) {
                Some(body) if !self.form_of(body).arcs => {
                    let parts = u32::from(bodies.list[body].parts);
                    out.extend(slot + 1..=slot + parts);
                }
                _ => out.push(slot),
            }
        }
        out
    }

    /// Slots by which the grain at a slot can touch: those of a clump's parts, else its own.
    pub(super) fn touching_of(&self, slot: u32) -> std::ops::RangeInclusive<u32> {
        match self.state.bodies.of(slot) {
            Some(body) if !self.form_of(body).arcs => {
                slot + 1..=slot + u32::from(self.state.bodies.list[body].parts)
            }
            _ => slot..=slot,
        }
    }

    /// Where the part at a slot lies in its grain; none of what is a grain by itself.
    pub(super) fn lever(&self, slot: u32) -> Option<Lever<D>> {
        let grain = self.owner(slot);
        if grain == slot {
            return None;
        }
        if let Some(lever) = self.arc_lever(slot) {
            return Some(lever);
        }
        let arrays = &self.state.arrays;
        let (part, grain) = (slot as usize, grain as usize);
        let inverse = 1.0 / arrays.radius(grain);
        Some(Lever {
            arm: (arrays.position(part) - arrays.position(grain)) * inverse,
            share: arrays.radius(part) * inverse,
        })
    }

    /// Whether there is a grain of several parts.
    pub fn has_bodies(&self) -> bool {
        !self.state.bodies.list.is_empty()
    }

    /// Where the balls of a link lie in their grains; of walls as if there was one.
    pub fn levers(&self, view: &LinkView<D>) -> [Lever<D>; 2] {
        view.balls
            .map(|slot| self.lever(slot).unwrap_or_else(Lever::ball))
    }

    /// By whose slots the size of a link's ends is told: of a grain of arcs by its own, since flat arcs have
    /// larger radii than their grain.
    pub fn sized(&self, view: &LinkView<D>) -> [u32; 2] {
        view.balls.map(|slot| self.candidate(slot))
    }

    /// Grains of parts were displaced, or stopped: their parts follow, whether they are stepped or not.
    pub(super) fn put_displaced(&mut self, slots: &[u32]) {
        if self.state.bodies.list.is_empty() {
            return;
        }
        for &slot in slots {
            if self.state.bodies.of(slot).is_none() {
                continue;
            }
            if D::N == 3 {
                let arrays = &mut self.state.arrays;
                arrays.rotation[slot as usize] = D::rotation(arrays, slot as usize);
                arrays.spins[slot as usize].0[4..7].fill(0.0);
            }
            self.put_parts(slot);
        }
        self.turn_displaced_arcs(slots);
    }

    /// A grain of parts stands still from now on: nothing turns it.
    pub(super) fn halt_body(&mut self, slot: u32) {
        if let Some(index) = self.state.bodies.of(slot) {
            let body = &mut self.state.bodies.list[index];
            body.momentum = D::Spin::default();
            body.before = D::Spin::default();
            body.moment = [D::Spin::default(); 2];
        }
    }

    /// Principal moments of inertia of a body, kg m^2.
    pub(super) fn moments_of(&self, body: usize) -> [f64; 3] {
        let arrays = &self.state.arrays;
        let slot = self.state.bodies.list[body].slot as usize;
        let size = arrays.radius(slot) * arrays.radius(slot) / arrays.inverse_mass(slot);
        self.form_of(body).inertia.map(|share| share * size)
    }

    /// Puts the parts of all stepped grains where those are.
    pub fn put_all_parts(&mut self) {
        self.turn_arcs();
        if D::N == 3 || self.only_arcs() {
            self.tumble(None);
            return;
        }
        // Ends of a grain may be faster than its middle.
        let (mut speed, mut rim) = (0.0_f64, 0.0_f64);
        for index in 0..self.state.active.len() {
            let slot = self.state.active[index];
            if self.state.bodies.of(slot).is_some() {
                self.put_parts(slot);
                let arrays = &self.state.arrays;
                let spin = D::surface_spin(arrays, slot as usize);
                rim = rim.max(spin.iter().map(|s| s * s).sum());
                speed = speed.max(arrays.velocity(slot as usize).norm_squared());
            }
        }
        let most = speed.sqrt() + rim.sqrt();
        self.state.fastest = self.state.fastest.max(most * most);
    }

    /// Puts the parts of a grain where it is.
    pub(super) fn put_parts(&mut self, slot: u32) {
        let Some(body) = self.state.bodies.of(slot) else {
            return;
        };
        let form = &self.forms[usize::from(self.state.bodies.list[body].form)];
        if form.arcs {
            return;
        }
        D::put_parts(&mut self.state.arrays, slot as usize, form);
    }

    /// Adds what parts feel to their grains.
    pub(super) fn gather_parts(&mut self) {
        if self.only_arcs() {
            return;
        }
        let EngineState {
            active,
            still,
            bodies,
            arrays,
            ..
        } = &mut self.state;
        // Whom stepped grains push feels it too.
        for &slot in active.iter().chain(&still.rim) {
            let Some(body) = bodies.of(slot).map(|index| &bodies.list[index]) else {
                continue;
            };
            if !self.forms[usize::from(body.form)].arcs {
                D::gather_parts(arrays, slot as usize, usize::from(body.parts));
            }
        }
    }

    /// Before a stride in space: moments are taken aside, since the stride turns balls only.
    pub(super) fn keep_moments(&mut self) {
        if D::N == 2 {
            return;
        }
        let (arrays, bodies) = (&mut self.state.arrays, &mut self.state.bodies);
        for body in &mut bodies.list {
            let slot = body.slot as usize;
            if arrays.status[slot] == Status::Stepped {
                let radius = arrays.radius(slot);
                let [all, lost] = [D::force(arrays, slot).1, D::damper(arrays, slot).1];
                body.moment = [all, lost].map(|m| D::spin_from_fn(|k| m[k] * radius));
            }
        }
    }

    /// After a stride in space: turns bodies by a step and puts their parts; gives the work of their
    /// dampers, J.
    pub(super) fn turn_bodies(&mut self) -> f64 {
        use crate::cluster::integrate::IntegratorName::{Euler, Heun};
        let step = self.options.step;
        let foresee = match self.options.integrator {
            Euler | Heun => 0.0,
            _ => 0.25 * step,
        };
        let whole = self.options.integrator == Heun;
        self.tumble(Some(Tumble {
            step,
            foresee,
            whole,
        }))
    }

    fn tumble(&mut self, step: Option<Tumble>) -> f64 {
        let (arrays, bodies) = (&mut self.state.arrays, &mut self.state.bodies.list);
        if D::N == 2 || bodies.is_empty() {
            return 0.0;
        }
        let sums = D::tumble(self.level, arrays, bodies, &self.tops, step);
        // Ends of a grain may be faster than its middle.
        let most = sums.fastest.sqrt() + sums.rim.sqrt();
        self.state.fastest = self.state.fastest.max(most * most);
        sums.work
    }

    /// Space: bodies that just began to step get the momentum that the integrator carries; `back` of
    /// what moments give in a second is taken off.
    pub(super) fn start_bodies(&mut self, fresh: &[u32], back: f64) {
        if D::N == 2 {
            return;
        }
        for &slot in fresh {
            let Some(index) = self.state.bodies.of(slot) else {
                continue;
            };
            let moments = self.moments_of(index);
            let arrays = &mut self.state.arrays;
            let slot = slot as usize;
            let radius = arrays.radius(slot);
            let spin = D::surface_spin(arrays, slot);
            let spin = D::spin_from_fn(|k| spin[k] / radius);
            let moment = D::force(arrays, slot).1;
            let moment = D::spin_from_fn(|k| moment[k] * radius);
            let body = &mut self.state.bodies.list[index];
            body.momentum = D::momentum(arrays.rotation[slot], spin, moments) + moment * -back;
            body.before = moment;
            D::hold_spin(arrays, slot);
        }
    }

    /// Angular velocity of a stepped body in space at the evaluation, rad/s: of the momentum carried and
    /// half a step of the moment (the leapfrogs).
    pub fn body_spin(&self, slot: u32) -> Option<D::Spin> {
        let index = self.state.bodies.of(slot).filter(|_| D::N == 3)?;
        let arrays = &self.state.arrays;
        let s = slot as usize;
        let momentum = self.body_momentum(slot)?;
        Some(D::spin_of(
            arrays.rotation[s],
            momentum,
            self.moments_of(index),
        ))
    }

    /// Its angular momentum there, kg m^2/s.
    pub fn body_momentum(&self, slot: u32) -> Option<D::Spin> {
        let index = self.state.bodies.of(slot).filter(|_| D::N == 3)?;
        let arrays = &self.state.arrays;
        let s = slot as usize;
        let body = &self.state.bodies.list[index];
        if arrays.status[s] == Status::Still {
            return Some(D::Spin::default());
        }
        let moment = D::force(arrays, s).1;
        let half = match self.options.integrator {
            crate::cluster::integrate::IntegratorName::Euler
            | crate::cluster::integrate::IntegratorName::Heun => 0.0,
            _ => 0.5 * self.options.step * arrays.radius(s),
        };
        Some(body.momentum + D::spin_from_fn(|k| half * moment[k]))
    }

    /// Spin and orientation of a body in space a time (s, less than a step) after the evaluation.
    pub fn body_turned(&self, slot: u32, time: f64) -> Option<(D::Spin, D::Rotation)> {
        let index = self.state.bodies.of(slot).filter(|_| D::N == 3)?;
        let arrays = &self.state.arrays;
        let (s, moments) = (slot as usize, self.moments_of(index));
        if arrays.status[s] == Status::Still {
            return Some((D::Spin::default(), arrays.rotation[s]));
        }
        let moment = D::force(arrays, s).1;
        let moment = D::spin_from_fn(|k| moment[k] * arrays.radius(s));
        let now = self.body_momentum(slot)?;
        let middle = now + moment * (0.5 * time);
        let rotation = D::free_turn(arrays.rotation[s], middle, moments, time);
        let momentum = now + moment * time;
        Some((D::spin_of(rotation, momentum, moments), rotation))
    }

    /// Principal moments of the body at a slot, kg m^2; none of balls.
    pub fn principal_moments(&self, slot: u32) -> Option<[f64; 3]> {
        self.state
            .bodies
            .of(slot)
            .map(|index| self.moments_of(index))
    }

    /// The form of the grain at a slot, by index.
    pub fn form_index(&self, slot: u32) -> Option<u16> {
        self.state
            .bodies
            .of(slot)
            .map(|index| self.state.bodies.list[index].form)
    }

    /// Empties the slots of the parts of grains that are removed, and marks these.
    pub(super) fn vacate_parts(&mut self, gone: &[bool]) {
        if self.state.bodies.list.is_empty() {
            return;
        }
        for slot in 1..gone.len() {
            if gone[slot] && self.state.arrays.status[slot] == Status::Part {
                self.state.clusters.remove_grain(slot as u32);
                self.state.arrays.vacate(slot);
            }
        }
        self.state.bodies.forget(gone);
    }

    /// Marks the parts of marked grains too.
    pub(super) fn mark_parts(&self, marked: &mut [bool]) {
        for body in &self.state.bodies.list {
            if marked[body.slot as usize] {
                let first = body.slot as usize + 1;
                marked[first..first + usize::from(body.parts)].fill(true);
            }
        }
    }
}
