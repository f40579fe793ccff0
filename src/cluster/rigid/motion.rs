//! How rigid bodies move: what acts on members is summed, the body is stepped, its members are written.

use super::body::{Axes, Push, RigidBody};
use super::{RigidBodies, division};
use crate::cluster::arrays::Arrays;
use crate::cluster::dem::{Dem, three};
use crate::cluster::integrate::{Integrate, IntegratorName};
use crate::cluster::state::Skin;
use crate::cluster::world::{Contacts, Grains, World};
use crate::geometry::Vector;

/// After an evaluation with all fields: sums what acts on the members of bodies, and breaks bonds that bear more than their strength.
/// `everyone` says whether fields act on members that are in no list.
pub fn act<D: Integrate>(dem: &mut Dem<D>, everyone: bool) {
    if dem.world.grains.rigid.is_empty() {
        return;
    }
    let world = &mut dem.world;
    let (clock, gravity) = (&world.clock, world.physics.gravity);
    let Grains { arrays, rigid, .. } = &mut world.grains;
    // Others than members may fly.
    let members: usize = rigid.list.iter().map(|body| body.members.len()).sum();
    rigid.everyone = everyone || rigid.is_watched && members + 1 < arrays.slots();
    // As single grains that begin to step.
    let back = match clock.integrator {
        IntegratorName::Verlet => [0.5 * clock.step; 2],
        IntegratorName::Midpoint => [0.5 * clock.step, 0.0],
        IntegratorName::Euler | IntegratorName::Heun => [0.0; 2],
    };
    let begins = rigid.list.iter().any(|body| body.is_fresh);
    for body in &mut rigid.list {
        gather(body, arrays, rigid.everyone);
        let template = &rigid.templates[body.template as usize];
        body.sum(template);
        if body.is_fresh {
            let [of_gravity, of_contacts] = back;
            let push = body.push.force * (1.0 / template.mass);
            let motion = &mut body.motion;
            motion.velocity -= push * of_contacts + gravity * of_gravity;
            motion.momentum += body.push.moment * -of_contacts;
            motion.before = (push + gravity, body.push.moment);
            body.is_fresh = false;
        }
    }
    // What breaks at the very first evaluation does so at the next, when events are logged.
    if !begins {
        division::break_bonds(dem);
    }
}

/// Takes the forces on members out of their rows.
fn gather<D: Integrate>(body: &mut RigidBody<D>, arrays: &mut Arrays<D>, everyone: bool) {
    body.pushed.clear();
    let mut take = |member: u32| {
        let slot = body.members[member as usize] as usize;
        let (force, moment) = D::force(arrays, slot);
        let (lost, lost_moment) = D::damper(arrays, slot);
        let all = [force, moment, lost, lost_moment];
        if all.iter().flatten().all(|&part| part == 0.0) {
            return;
        }
        let radius = arrays.radius(slot);
        let spin = |over: [f64; 3]| D::spin_from_fn(|k| over[k] * radius);
        let vector = |v: [f64; 3]| D::Vector::from_fn(|k| v[k]);
        body.pushed.push((
            member,
            Push {
                force: vector(force),
                moment: spin(moment),
                damping: (vector(lost), spin(lost_moment)),
            },
        ));
        arrays.clear_force(slot);
    };
    match everyone {
        true => (0..body.members.len() as u32).for_each(take),
        false => body.exposed.iter().for_each(|&member| take(member)),
    }
}

/// Moves all bodies by a step and writes their members that are in the lists; returns the work of the dampers, J.
pub(in crate::cluster) fn stride<D: Integrate>(world: &mut World<D>, skin: &mut Skin) -> f64 {
    let step = world.clock.step;
    let gravity = world.physics.gravity;
    let slots = world.grains.arrays.slots();
    let Grains { arrays, rigid, .. } = &mut world.grains;
    let mut work = 0.0;
    let weights = skin.skin_budgets.weights(slots);
    let (mut fastest, mut hurry) = (0.0_f64, 0.0_f64);
    for body in &mut rigid.list {
        let template = &rigid.templates[body.template as usize];
        let (push, moments) = (body.push, template.moments);
        let motion = &mut body.motion;
        let acceleration = push.force * (1.0 / template.mass) + gravity;
        let velocity = motion.velocity + acceleration * step;
        let momentum = motion.momentum + push.moment * step;
        let spins = [motion.momentum, momentum];
        let [old, new] = spins.map(|momentum| D::spin_of(motion.rotation, momentum, moments));
        work -= 0.5
            * step
            * (push.damping.0.dot(&(motion.velocity + velocity))
                + D::spin_dot(push.damping.1, old + new));
        motion.position += velocity * step;
        motion.rotation = D::free_turn(motion.rotation, momentum, moments, step);
        let ahead = 0.25 * step;
        let seen = momentum + (push.moment + motion.before.1) * ahead;
        motion.seen = (
            velocity + (acceleration + motion.before.0) * ahead,
            D::spin_of(motion.rotation, seen, moments),
        );
        motion.before = (acceleration, push.moment);
        (motion.velocity, motion.momentum) = (velocity, momentum);
        // No point of the body is faster.
        let speed = velocity.norm();
        let turning = D::spin_dot(new, new).sqrt();
        let most = speed + turning * template.reach;
        fastest = fastest.max(most * most);
        let axes = Axes::<D>::of(body.motion.rotation);
        let stored = body.stored_spin(template);
        let mut put = |member: usize| {
            let slot = body.members[member] as usize;
            let state = body.member(template, &axes, member, stored, rigid.everyone);
            D::put_member(arrays, slot, &state);
            if let Some(weight) = weights.get(slot) {
                // Its speed at the end of the step, and what the turn may have taken from it within.
                let bent = step * turning * turning * template.members[member].place.norm();
                let speed = state.velocity[1].norm() + bent;
                hurry = hurry.max(speed * speed * weight);
            }
        };
        match rigid.everyone {
            true => (0..body.members.len()).for_each(put),
            false => body.exposed.iter().for_each(|&member| put(member as usize)),
        }
    }
    skin.fastest = skin.fastest.max(fastest);
    skin.skin_budgets.fastest = skin.skin_budgets.fastest.max(hurry);
    work
}

/// Writes all members where their bodies are, with their orientations: before anybody looks at them.
pub fn settle<D: Integrate>(grains: &mut Grains<D>) {
    let Grains { arrays, rigid, .. } = grains;
    for body in &rigid.list {
        let template = &rigid.templates[body.template as usize];
        let axes = Axes::<D>::of(body.motion.rotation);
        let stored = body.stored_spin(template);
        for (member, &slot) in body.members.iter().enumerate() {
            let state = body.member(template, &axes, member, stored, true);
            D::put_member(arrays, slot as usize, &state);
        }
    }
}

/// Finds the members that are in the lists of candidates.
pub(in crate::cluster) fn find_exposed<D: Integrate>(
    contacts: &Contacts<D>,
    rigid: &mut RigidBodies<D>,
) {
    if rigid.is_empty() {
        return;
    }
    let mut listed = vec![false; rigid.homes.len()];
    let pairs = contacts.pairs.iter().flat_map(|class| &class.outer);
    let walls = contacts.walls.iter().flat_map(|class| &class.outer);
    for slot in pairs.flatten().chain(walls.map(|[slot, _]| slot)) {
        if let Some(listed) = listed.get_mut(*slot as usize) {
            *listed = true;
        }
    }
    for body in &mut rigid.list {
        body.exposed.clear();
        let members = (0..).zip(&body.members);
        let exposed = members.filter(|(_, slot)| listed[**slot as usize]);
        body.exposed.extend(exposed.map(|(member, _)| member));
    }
}

/// Follows members that were brought back into a periodic box by whole lengths of it.
pub(in crate::cluster) fn shift_images<D: Integrate>(
    world: &mut World<D>,
    wrapped: &[(u32, [i32; 3])],
) {
    let rigid = &mut world.grains.rigid;
    for &(slot, turns) in wrapped {
        let Some((body, member)) = rigid.of(slot) else {
            continue;
        };
        let body = &mut rigid.list[body];
        body.images.resize(body.members.len(), D::Vector::default());
        for (k, axis) in world.physics.periodic.iter().enumerate() {
            if let Some(axis) = axis {
                body.images[member][k] -= axis.length * f64::from(turns[k]);
            }
        }
    }
}

/// Forces as kernels have them.
pub(super) fn put_back<D: Integrate>(arrays: &mut Arrays<D>, slot: usize, push: &Push<D>) {
    let inverse = 1.0 / arrays.radius(slot);
    let (lost, lost_moment) = push.damping;
    let turn = |moment: D::Spin| crate::cluster::dem::spin_of::<D>(moment * inverse);
    let forces = [three(push.force - lost), three(lost)];
    let moments = [turn(push.moment - lost_moment), turn(lost_moment)];
    D::add_bond(arrays, slot, forces, moments);
}
