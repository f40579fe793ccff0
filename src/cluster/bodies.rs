//! Grains of several parts: clumps, and grains bounded by arcs.
//!
//! Kernels support only disks and spheres. So each part of such a grain has a slot of its own,
//! after the grain's, with the row of a ball that moves with the grain: the velocity of its centre,
//! its radius times the grain's spin, the grain's mass. Contacts act on parts; their forces are
//! summed for the grain, which alone is stepped, and then the parts follow. For a clump each
//! component is a candidate; for a grain of arcs, one arc at a time represents it (`facing`), whose
//! circle is computed from the row of the grain (`arcs`): the slots of arcs serve only as names.

use super::arcs;
use super::arrays::Status;
use super::integrate::Integrate;
use super::observe::ContactRef;
use super::rigid_rotation::RigidRotation;
use super::state::Skin;
use super::world::{Clock, Grains, Physics, Shapes, World};
use crate::hgraph::ClusterIndex;
use serde::{Deserialize, Serialize};

use crate::body::{Grain, Lever, ShapeTemplate};
use crate::geometry::{Dimension, Vector};

/// A grain of several parts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Body<D: Dimension> {
    /// Slot of the grain; its parts have the following ones.
    pub slot: u32,
    /// Index of the form.
    pub form: u16,
    /// Number of parts.
    pub parts: u16,
    /// Space: angular momentum of the integrator, kg m^2/s.
    pub momentum: D::Spin,
    /// Space: moment at the last evaluation but one, N m.
    pub before: D::Spin,
    /// Space: moment at the last evaluation, N m, and its dissipative part.
    pub moment: [D::Spin; 2],
}

/// All grains of several parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bodies<D: Dimension> {
    /// Ordered by slot.
    pub list: Vec<Body<D>>,
    /// By slot: index of the body that it belongs to; empty without bodies.
    home: Vec<u32>,
}

/// Marks a slot that belongs to no body of parts.
const NONE: u32 = u32::MAX;

impl<D: Dimension> Bodies<D> {
    /// Whether all slots referred to are below `slots`.
    pub(super) fn is_whole(&self, slots: usize) -> bool {
        let there = |body: &Body<D>| body.slot as usize + usize::from(body.parts) < slots;
        let known = |home: &u32| *home == NONE || (*home as usize) < self.list.len();
        self.list.iter().all(there) && self.home.len() <= slots && self.home.iter().all(known)
    }

    /// Index of the body that a slot belongs to.
    pub fn of(&self, slot: u32) -> Option<usize> {
        let home = *self.home.get(slot as usize)?;
        (home != NONE).then_some(home as usize)
    }

    /// The slot of the grain that a slot belongs to.
    pub fn owner(&self, slot: u32) -> u32 {
        self.of(slot).map_or(slot, |body| self.list[body].slot)
    }

    /// Total number of parts.
    pub fn parts(&self) -> usize {
        self.list.iter().map(|body| usize::from(body.parts)).sum()
    }

    /// Registers a grain at a slot and the parts after it.
    fn add(&mut self, body: Body<D>, slots: usize) {
        self.home.resize(slots, NONE);
        let last = body.slot + u32::from(body.parts);
        for slot in body.slot..=last {
            self.home[slot as usize] = self.list.len() as u32;
        }
        self.list.push(body);
    }

    /// Updates the slots after a renumbering to `slots` slots.
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

    /// Removes bodies whose grains are gone; their slots stay empty until slots are renumbered.
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

/// Adds the parts of a grain that was just added.
pub(super) fn add_parts<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    clusters: &mut ClusterIndex,
    slot: u32,
    grain: &Grain<D>,
    index: u16,
    time: f64,
) {
    let form: &ShapeTemplate<D> = &shapes.forms[usize::from(index)];
    let parts = form.parts.len() as u16;
    for part in &form.parts {
        let arrays = &mut grains.arrays;
        let radius = part.radius * grain.radius;
        let place = arrays.push_part(slot as usize, radius);
        grains.begin_path(time);
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
    /// The slot of the grain that a slot belongs to; differs from the slot only for parts.
    pub fn owner(&self, slot: u32) -> u32 {
        self.bodies.owner(slot)
    }

    /// Whether there is a grain of several parts.
    pub fn has_bodies(&self) -> bool {
        !self.bodies.list.is_empty()
    }

    /// Sets a grain of parts to rest, without rotation.
    pub(super) fn halt_body(&mut self, slot: u32) {
        if let Some(index) = self.bodies.of(slot) {
            let body = &mut self.bodies.list[index];
            body.momentum = D::Spin::default();
            body.before = D::Spin::default();
            body.moment = [D::Spin::default(); 2];
        }
    }

    /// Before a stride in space: saves the moments, since the stride turns only balls.
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

    /// Also marks the parts of marked grains.
    pub(super) fn mark_parts(&self, marked: &mut [bool]) {
        for body in &self.bodies.list {
            if marked[body.slot as usize] {
                let first = body.slot as usize + 1;
                marked[first..first + usize::from(body.parts)].fill(true);
            }
        }
    }
}

/// The slot that represents a slot in the lists: for a grain of arcs that of the whole grain, otherwise itself.
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
) -> &'a ShapeTemplate<D> {
    &shapes.forms[usize::from(grains.bodies.list[body].form)]
}

/// Stepped slots that can touch, ascending: the parts of clumps, otherwise the grains.
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

/// Slots with which the grain at a slot can touch: those of a clump's parts, otherwise its own.
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

/// Lever of the part at a slot in its grain; none for a whole grain.
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

/// ContactArms of the balls of a link in their grains; for walls those of a ball.
pub fn levers<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    view: &ContactRef<D>,
) -> [Lever<D>; 2] {
    view.balls
        .map(|slot| lever(shapes, grains, slot).unwrap_or_else(Lever::ball))
}

/// Slots that determine the sizes of a link's ends: for a grain of arcs its own slot, since flat
/// arcs have larger radii than their grain.
pub fn sized<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    view: &ContactRef<D>,
) -> [u32; 2] {
    view.balls.map(|slot| candidate(shapes, grains, slot))
}

/// Moves the parts of grains that were displaced or stopped, whether they are stepped or not.
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

/// Moves the parts of all stepped grains to the positions of these.
pub fn put_all_parts<D: Integrate>(
    physics: &Physics<D>,
    shapes: &mut Shapes<D>,
    grains: &mut Grains<D>,
    skin: &mut Skin,
) {
    arcs::turn_arcs(physics, shapes, grains);
    if D::N == 3 || arcs::only_arcs(shapes, grains) {
        rotate_rigidly(physics, shapes, grains, skin, None);
        return;
    }
    // Ends of a grain may be faster than its centre.
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

/// Moves the parts of a grain to its position.
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

/// Adds the forces on parts to their grains.
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
    // Grains at rest that stepped grains push receive forces too.
    for &slot in active.iter().chain(&still.rim) {
        let Some(body) = bodies.of(slot).map(|index| &bodies.list[index]) else {
            continue;
        };
        if !shapes.forms[usize::from(body.form)].arcs {
            D::gather_parts(arrays, slot as usize, usize::from(body.parts));
        }
    }
}

/// After a stride in space: turns bodies by a step and moves their parts; returns the work of their
/// dampers, J.
pub(super) fn turn_bodies<D: Integrate>(world: &mut World<D>, skin: &mut Skin) -> f64 {
    use crate::cluster::integrate::IntegratorName::{Euler, Heun};
    let step = world.clock.step;
    let foresee = match world.clock.integrator {
        Euler | Heun => 0.0,
        _ => 0.25 * step,
    };
    let whole = world.clock.integrator == Heun;
    rotate_rigidly(
        &world.physics,
        &world.shapes,
        &mut world.grains,
        skin,
        Some(RigidRotation {
            step,
            foresee,
            whole,
        }),
    )
}

fn rotate_rigidly<D: Integrate>(
    physics: &Physics<D>,
    shapes: &Shapes<D>,
    grains: &mut Grains<D>,
    skin: &mut Skin,
    step: Option<RigidRotation>,
) -> f64 {
    let (arrays, bodies) = (&mut grains.arrays, &mut grains.bodies.list);
    if D::N == 2 || bodies.is_empty() {
        return 0.0;
    }
    let sums = D::rotate_rigidly(physics.level, arrays, bodies, &shapes.tops, step);
    // Ends of a grain may be faster than its centre.
    let most = sums.fastest.sqrt() + sums.rim.sqrt();
    skin.fastest = skin.fastest.max(most * most);
    sums.work
}

/// Space: sets the initial angular momentum of the integrator for bodies that just began to step;
/// subtracts the effect of the moments over the time `back`.
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

/// Angular velocity of a stepped body in space at the evaluation, rad/s: from the stored momentum
/// and half a step of the moment (leapfrogs).
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

/// Angular momentum at the evaluation, kg m^2/s.
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

/// Ends the stepping of a body without contact at the evaluation: from now on its momentum is that of its free flight.
pub fn set_free<D: Integrate>(clock: &Clock, grains: &mut Grains<D>, slot: u32) {
    let Some(index) = grains.bodies.of(slot).filter(|_| D::N == 3) else {
        return;
    };
    if let Some(momentum) = body_momentum(clock, grains, slot) {
        grains.bodies.list[index].momentum = momentum;
    }
    let arrays = &mut grains.arrays;
    arrays.rotation[slot as usize] = D::rotation(arrays, slot as usize);
    D::hold_spin(arrays, slot as usize);
}

/// Spin and orientation of a body in space at a time (s) after the evaluation, or after the beginning of its flight.
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

/// Principal moments of the body at a slot, kg m^2; none for balls.
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

/// Empties the slots of the parts of removed grains, and removes their bodies.
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
