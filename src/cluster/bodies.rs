//! Grains of several parts: clumps, and grains bounded by arcs.
//!
//! Kernels know disks and spheres only. So each part of such a grain has a slot of its own, right after
//! the grain's, with the row of a ball that goes and turns along with it: the velocity of its centre, its
//! radius times the grain's spin, the grain's mass. Parts touch; what they feel is added up
//! for the grain, which alone takes steps, and then parts are put where it went. Of a clump each
//! component is a candidate; of a grain of arcs, one arc at a time stands in for it (`facing`), whose circle
//! is worked out from the row of the grain (`arcs`): the slots of arcs are names only.

use super::arcs;
use super::arrays::Status;
use super::integrate::Integrate;
use super::observe::ContactRef;
use super::state::Skin;
use super::tumble::Tumble;
use super::world::{Clock, Grains, Physics, Shapes, World};
use crate::hgraph::ClusterIndex;
use serde::{Deserialize, Serialize};

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

/// Gives a grain that was just added its parts.
pub(super) fn add_parts<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    clusters: &mut ClusterIndex,
    slot: u32,
    grain: &Grain<D>,
    index: u16,
    time: f64,
) {
    let form: &Form<D> = &shapes.forms[usize::from(index)];
    let parts = form.parts.len() as u16;
    for part in &form.parts {
        let arrays = &mut grains.arrays;
        let radius = part.radius * grain.radius;
        let place = arrays.push_part(slot as usize, radius);
        grains.since.push(time);
        grains.back.push(f64::INFINITY);
        clusters.add_grain(place);
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
    grains.bodies.add(body, grains.arrays.slots());
    if D::N == 3 {
        D::hold_spin(&mut grains.arrays, slot as usize);
    }
    put_parts(shapes, grains, slot);
}

impl<D: Integrate> Grains<D> {
    /// The slot of the grain that a slot belongs to: itself but for parts.
    pub fn owner(&self, slot: u32) -> u32 {
        self.bodies.owner(slot)
    }

    /// Whether there is a grain of several parts.
    pub fn has_bodies(&self) -> bool {
        !self.bodies.list.is_empty()
    }

    /// A grain of parts stands still from now on: nothing turns it.
    pub(super) fn halt_body(&mut self, slot: u32) {
        if let Some(index) = self.bodies.of(slot) {
            let body = &mut self.bodies.list[index];
            body.momentum = D::Spin::default();
            body.before = D::Spin::default();
            body.moment = [D::Spin::default(); 2];
        }
    }

    /// Before a stride in space: moments are taken aside, since the stride turns balls only.
    pub(super) fn keep_moments(&mut self) {
        if D::N == 2 {
            return;
        }
        let (arrays, bodies) = (&mut self.arrays, &mut self.bodies);
        for body in &mut bodies.list {
            let slot = body.slot as usize;
            if arrays.status[slot] == Status::Stepped {
                let radius = arrays.radius(slot);
                let [all, lost] = [D::force(arrays, slot).1, D::damper(arrays, slot).1];
                body.moment = [all, lost].map(|m| D::spin_from_fn(|k| m[k] * radius));
            }
        }
    }

    /// The form of the grain at a slot, by index.
    pub fn form_index(&self, slot: u32) -> Option<u16> {
        self.bodies
            .of(slot)
            .map(|index| self.bodies.list[index].form)
    }

    /// Marks the parts of marked grains too.
    pub(super) fn mark_parts(&self, marked: &mut [bool]) {
        for body in &self.bodies.list {
            if marked[body.slot as usize] {
                let first = body.slot as usize + 1;
                marked[first..first + usize::from(body.parts)].fill(true);
            }
        }
    }
}

/// Which slot comes into the lists for this one: a grain of arcs as a whole, all others themselves.
pub(super) fn candidate<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>, slot: u32) -> u32 {
    match grains.bodies.of(slot) {
        Some(body) if form_of(shapes, grains, body).arcs => grains.bodies.list[body].slot,
        _ => slot,
    }
}

/// The form of a body.
pub(super) fn form_of<'a, D: Integrate>(
    shapes: &'a Shapes<D>,
    grains: &Grains<D>,
    body: usize,
) -> &'a Form<D> {
    &shapes.forms[usize::from(grains.bodies.list[body].form)]
}

/// Stepped slots that can touch, ascending: for clumps their parts.
pub(super) fn touching<D: Integrate>(shapes: &Shapes<D>, grains: &Grains<D>) -> Vec<u32> {
    let bodies = &grains.bodies;
    let mut out = Vec::with_capacity(grains.active.len() + bodies.parts());
    for &slot in &grains.active {
        match bodies.of(slot) {
            Some(body) if !form_of(shapes, grains, body).arcs => {
                let parts = u32::from(bodies.list[body].parts);
                out.extend(slot + 1..=slot + parts);
            }
            _ => out.push(slot),
        }
    }
    out
}

/// Slots by which the grain at a slot can touch: those of a clump's parts, else its own.
pub(super) fn touching_of<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
) -> std::ops::RangeInclusive<u32> {
    match grains.bodies.of(slot) {
        Some(body) if !form_of(shapes, grains, body).arcs => {
            slot + 1..=slot + u32::from(grains.bodies.list[body].parts)
        }
        _ => slot..=slot,
    }
}

/// Where the part at a slot lies in its grain; none of what is a grain by itself.
pub(super) fn lever<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
) -> Option<Lever<D>> {
    let grain = grains.owner(slot);
    if grain == slot {
        return None;
    }
    if let Some(lever) = shapes.arc_lever(slot) {
        return Some(lever);
    }
    let arrays = &grains.arrays;
    let (part, grain) = (slot as usize, grain as usize);
    let inverse = 1.0 / arrays.radius(grain);
    Some(Lever {
        arm: (arrays.position(part) - arrays.position(grain)) * inverse,
        share: arrays.radius(part) * inverse,
    })
}

/// Where the balls of a link lie in their grains; of walls as if there was one.
pub fn levers<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    view: &ContactRef<D>,
) -> [Lever<D>; 2] {
    view.balls
        .map(|slot| lever(shapes, grains, slot).unwrap_or_else(Lever::ball))
}

/// By whose slots the size of a link's ends is told: of a grain of arcs by its own, since flat arcs have
/// larger radii than their grain.
pub fn sized<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    view: &ContactRef<D>,
) -> [u32; 2] {
    view.balls.map(|slot| candidate(shapes, grains, slot))
}

/// Grains of parts were displaced, or stopped: their parts follow, whether they are stepped or not.
pub(super) fn put_displaced<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &mut Grains<D>,
    slots: &[u32],
) {
    if grains.bodies.list.is_empty() {
        return;
    }
    for &slot in slots {
        if grains.bodies.of(slot).is_none() {
            continue;
        }
        if D::N == 3 {
            let arrays = &mut grains.arrays;
            arrays.rotation[slot as usize] = D::rotation(arrays, slot as usize);
            arrays.spins[slot as usize].0[4..7].fill(0.0);
        }
        put_parts(shapes, grains, slot);
    }
    arcs::turn_displaced_arcs(physics, shapes, grains, slots);
}

/// Principal moments of inertia of a body, kg m^2.
pub(super) fn moments_of<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    body: usize,
) -> [f64; 3] {
    let arrays = &grains.arrays;
    let slot = grains.bodies.list[body].slot as usize;
    let size = arrays.radius(slot) * arrays.radius(slot) / arrays.inverse_mass(slot);
    form_of(shapes, grains, body)
        .inertia
        .map(|share| share * size)
}

/// Puts the parts of all stepped grains where those are.
pub fn put_all_parts<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &mut Grains<D>,
    skin: &mut Skin,
) {
    arcs::turn_arcs(physics, shapes, grains);
    if D::N == 3 || arcs::only_arcs(shapes, grains) {
        tumble(physics, shapes, grains, skin, None);
        return;
    }
    // Ends of a grain may be faster than its middle.
    let (mut speed, mut rim) = (0.0_f64, 0.0_f64);
    for index in 0..grains.active.len() {
        let slot = grains.active[index];
        if grains.bodies.of(slot).is_some() {
            put_parts(shapes, grains, slot);
            let arrays = &grains.arrays;
            let spin = D::surface_spin(arrays, slot as usize);
            rim = rim.max(spin.iter().map(|s| s * s).sum());
            speed = speed.max(arrays.velocity(slot as usize).norm_squared());
        }
    }
    let most = speed.sqrt() + rim.sqrt();
    skin.fastest = skin.fastest.max(most * most);
}

/// Puts the parts of a grain where it is.
pub(super) fn put_parts<D: Integrate>(shapes: &Shapes<D>, grains: &mut Grains<D>, slot: u32) {
    let Some(body) = grains.bodies.of(slot) else {
        return;
    };
    let form = &shapes.forms[usize::from(grains.bodies.list[body].form)];
    if form.arcs {
        return;
    }
    D::put_parts(&mut grains.arrays, slot as usize, form);
}

/// Adds what parts feel to their grains.
pub(super) fn gather_parts<D: Integrate>(world: &mut World<D>) {
    if arcs::only_arcs(&world.shapes, &world.grains) {
        return;
    }
    let World {
        grains,
        sleeping,
        shapes,
        ..
    } = world;
    let Grains {
        active,
        bodies,
        arrays,
        ..
    } = grains;
    let still = &sleeping.still;
    // Whom stepped grains push feels it too.
    for &slot in active.iter().chain(&still.rim) {
        let Some(body) = bodies.of(slot).map(|index| &bodies.list[index]) else {
            continue;
        };
        if !shapes.forms[usize::from(body.form)].arcs {
            D::gather_parts(arrays, slot as usize, usize::from(body.parts));
        }
    }
}

/// After a stride in space: turns bodies by a step and puts their parts; gives the work of their
/// dampers, J.
pub(super) fn turn_bodies<D: Integrate>(world: &mut World<D>, skin: &mut Skin) -> f64 {
    use crate::cluster::integrate::IntegratorName::{Euler, Heun};
    let step = world.clock.step;
    let foresee = match world.clock.integrator {
        Euler | Heun => 0.0,
        _ => 0.25 * step,
    };
    let whole = world.clock.integrator == Heun;
    tumble(
        &world.physics,
        &world.shapes,
        &mut world.grains,
        skin,
        Some(Tumble {
            step,
            foresee,
            whole,
        }),
    )
}

fn tumble<D: Integrate>(
    physics: &Physics<D>,
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    skin: &mut Skin,
    step: Option<Tumble>,
) -> f64 {
    let (arrays, bodies) = (&mut grains.arrays, &mut grains.bodies.list);
    if D::N == 2 || bodies.is_empty() {
        return 0.0;
    }
    let sums = D::tumble(physics.level, arrays, bodies, &shapes.tops, step);
    // Ends of a grain may be faster than its middle.
    let most = sums.fastest.sqrt() + sums.rim.sqrt();
    skin.fastest = skin.fastest.max(most * most);
    sums.work
}

/// Space: bodies that just began to step get the momentum that the integrator carries; `back` of
/// what moments give in a second is taken off.
pub(super) fn start_bodies<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    fresh: &[u32],
    back: f64,
) {
    if D::N == 2 {
        return;
    }
    for &slot in fresh {
        let Some(index) = grains.bodies.of(slot) else {
            continue;
        };
        let moments = moments_of(shapes, grains, index);
        let arrays = &mut grains.arrays;
        let slot = slot as usize;
        let radius = arrays.radius(slot);
        let spin = D::surface_spin(arrays, slot);
        let spin = D::spin_from_fn(|k| spin[k] / radius);
        let moment = D::force(arrays, slot).1;
        let moment = D::spin_from_fn(|k| moment[k] * radius);
        let body = &mut grains.bodies.list[index];
        body.momentum = D::momentum(arrays.rotation[slot], spin, moments) + moment * -back;
        body.before = moment;
        D::hold_spin(arrays, slot);
    }
}

/// Angular velocity of a stepped body in space at the evaluation, rad/s: of the momentum carried and
/// half a step of the moment (the leapfrogs).
pub fn body_spin<D: Integrate>(
    clock: &Clock,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
) -> Option<D::Spin> {
    let index = grains.bodies.of(slot).filter(|_| D::N == 3)?;
    let arrays = &grains.arrays;
    let s = slot as usize;
    let momentum = body_momentum(clock, grains, slot)?;
    Some(D::spin_of(
        arrays.rotation[s],
        momentum,
        moments_of(shapes, grains, index),
    ))
}

/// Its angular momentum there, kg m^2/s.
pub fn body_momentum<D: Integrate>(
    clock: &Clock,
    grains: &Grains<D>,
    slot: u32,
) -> Option<D::Spin> {
    let index = grains.bodies.of(slot).filter(|_| D::N == 3)?;
    let arrays = &grains.arrays;
    let s = slot as usize;
    let body = &grains.bodies.list[index];
    if arrays.status[s] == Status::Still {
        return Some(D::Spin::default());
    }
    let moment = D::force(arrays, s).1;
    let half = match clock.integrator {
        crate::cluster::integrate::IntegratorName::Euler
        | crate::cluster::integrate::IntegratorName::Heun => 0.0,
        _ => 0.5 * clock.step * arrays.radius(s),
    };
    Some(body.momentum + D::spin_from_fn(|k| half * moment[k]))
}

/// Spin and orientation of a body in space a time (s, less than a step) after the evaluation.
pub fn body_turned<D: Integrate>(
    clock: &Clock,
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
    time: f64,
) -> Option<(D::Spin, D::Rotation)> {
    let index = grains.bodies.of(slot).filter(|_| D::N == 3)?;
    let arrays = &grains.arrays;
    let (s, moments) = (slot as usize, moments_of(shapes, grains, index));
    if arrays.status[s] == Status::Still {
        return Some((D::Spin::default(), arrays.rotation[s]));
    }
    let moment = D::force(arrays, s).1;
    let moment = D::spin_from_fn(|k| moment[k] * arrays.radius(s));
    let now = body_momentum(clock, grains, slot)?;
    let middle = now + moment * (0.5 * time);
    let rotation = D::free_turn(arrays.rotation[s], middle, moments, time);
    let momentum = now + moment * time;
    Some((D::spin_of(rotation, momentum, moments), rotation))
}

/// Principal moments of the body at a slot, kg m^2; none of balls.
pub fn principal_moments<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    slot: u32,
) -> Option<[f64; 3]> {
    grains
        .bodies
        .of(slot)
        .map(|index| moments_of(shapes, grains, index))
}

/// Empties the slots of the parts of grains that are removed, and marks these.
pub(super) fn vacate_parts<D: Integrate>(
    grains: &mut Grains<D>,
    clusters: &mut ClusterIndex,
    gone: &[bool],
) {
    if grains.bodies.list.is_empty() {
        return;
    }
    for slot in 1..gone.len() {
        if gone[slot] && grains.arrays.status[slot] == Status::Part {
            clusters.remove_grain(slot as u32);
            grains.arrays.vacate(slot);
        }
    }
    grains.bodies.forget(gone);
}
