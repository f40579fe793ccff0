//! How rigid bodies come apart: parts go on with the velocities of their places, so that momentum, angular momentum and energy are kept.

use super::RigidBodies;
use super::body::{Axes, RigidBody};
use super::form::NewMember;
use super::motion::{find_exposed, put_back};
use super::strength::{self, Broken};
use crate::cluster::arrays::Arrays;
use crate::cluster::dem::{Dem, spin_of};
use crate::cluster::integrate::Integrate;
use crate::cluster::state::{LinkEvent, Other};
use crate::cluster::world::{Clock, Grains, Physics, World};
use crate::contact::bond::Break;
use crate::event::EventKind;
use crate::hgraph::ClusterIndex;

/// Breaks the bonds that bear more than their strength, and divides bodies that come apart.
pub(super) fn break_bonds<D: Integrate>(dem: &mut Dem<D>) {
    let world = &mut dem.world;
    let (clock, physics) = (&world.clock, &world.physics);
    let mut rigid = std::mem::take(&mut world.grains.rigid);
    let mut list = std::mem::take(&mut rigid.list);
    // Nearly always all hold.
    let mut found = Vec::new();
    for (index, body) in list.iter_mut().enumerate() {
        let broken = broken_of(&mut rigid, body, clock, physics);
        if !broken.is_empty() {
            found.push((index, broken));
        }
    }
    if found.is_empty() {
        rigid.list = list;
        world.grains.rigid = rigid;
        return;
    }
    let mut found = found.into_iter().peekable();
    let time = clock.time();
    let arrays = &mut world.grains.arrays;
    for (index, body) in list.into_iter().enumerate() {
        let Some((_, broken)) = found.next_if(|of| of.0 == index) else {
            rigid.list.push(body);
            continue;
        };
        // Parts may break further under the same forces.
        let mut waiting = vec![(body, broken)];
        while let Some((body, broken)) = waiting.pop() {
            if broken.is_empty() {
                rigid.list.push(body);
                continue;
            }
            for of in &broken {
                let template = &rigid.templates[body.template as usize];
                let slots = template.ties[of.tie]
                    .ends
                    .map(|end| body.members[end as usize]);
                dem.clusters.remove_link(slots[0], slots[1]);
                match of.way {
                    Break::Torn => dem.book.counts.torn += 1,
                    Break::Sheared => dem.book.counts.sheared += 1,
                }
                if physics.options.log_links {
                    dem.effects.link_events.push(LinkEvent {
                        kind: EventKind::BreakBond,
                        time,
                        a: slots[0],
                        b: Other::Slot(slots[1]),
                        energy: of.energy,
                    });
                }
            }
            let mut holds = vec![true; rigid.templates[body.template as usize].ties.len()];
            broken.iter().for_each(|of| holds[of.tie] = false);
            let mut parts = split(&mut rigid, arrays, (clock, physics), &body, &[], &holds);
            let is_whole = parts.len() == 1 && parts[0].members.len() == body.members.len();
            if !is_whole {
                rigid.counts.divided += 1;
            }
            parts.reverse();
            for mut part in parts {
                // What broke last left the rest of one that is whole able to hold.
                let more = match is_whole {
                    true => Vec::new(),
                    false => broken_of(&mut rigid, &mut part, clock, physics),
                };
                waiting.push((part, more));
            }
        }
    }
    rigid.drop_unused();
    rigid.find_homes();
    find_exposed(&world.contacts, &mut rigid);
    world.grains.rigid = rigid;
    // Members that were of one body are candidates now.
    dem.skin.max_outer_displacement += world.physics.options.outer_margin;
}

fn broken_of<D: Integrate>(
    rigid: &mut RigidBodies<D>,
    body: &mut RigidBody<D>,
    clock: &Clock,
    physics: &Physics<D>,
) -> Vec<Broken> {
    if body.weakness.is_empty() {
        return Vec::new();
    }
    let RigidBodies {
        templates,
        counts,
        failed,
        ..
    } = rigid;
    let template = &templates[body.template as usize];
    let load = body.load(template, clock, physics);
    strength::breaks(body, template, load, counts).unwrap_or_else(|why| {
        failed.get_or_insert((body.members[0], why));
        Vec::new()
    })
}

/// Divides a body into what is left without the members that are `gone` (none if empty) and without bonds that do not hold. Grains without a
/// bond become loose; the others are returned as bodies.
fn split<D: Integrate>(
    rigid: &mut RigidBodies<D>,
    arrays: &mut Arrays<D>,
    (clock, physics): (&Clock, &Physics<D>),
    body: &RigidBody<D>,
    gone: &[bool],
    holds: &[bool],
) -> Vec<RigidBody<D>> {
    let template = rigid.templates[body.template as usize].clone();
    let axes = Axes::<D>::of(body.motion.rotation);
    let rates = body.rates(&template, clock, physics);
    let stored = body.stored_spin(&template);
    let (seen, seen_spin) = body.motion.seen;
    let stays = |member: usize| gone.get(member) != Some(&true);
    let found = strength::pieces(&template, stays, |tie| holds[tie]);
    let mut parts = Vec::new();
    for piece in found {
        if let [alone] = piece[..] {
            let member = alone as usize;
            let slot = body.members[member] as usize;
            let state = body.member(&template, &axes, member, stored, true);
            D::put_member(arrays, slot, &state);
            let arm = axes.outward(template.members[member].place);
            let inward = D::cross_spin(rates.spin, D::cross_spin(rates.spin, arm));
            let acceleration = rates.acceleration + D::cross_spin(rates.turning, arm) + inward;
            let turning = spin_of::<D>(rates.turning * arrays.radius(slot));
            let first = if D::N == 2 { 2 } else { 4 };
            for k in 0..D::N {
                D::set_previous(arrays, slot, k, acceleration[k]);
            }
            for k in 0..D::SPINS {
                D::set_previous(arrays, slot, first + k, turning[k]);
            }
            if let Ok(place) = body.pushed.binary_search_by_key(&alone, |of| of.0) {
                put_back(arrays, slot, &body.pushed[place].1);
            }
            continue;
        }
        let members: Vec<NewMember<D>> = piece
            .iter()
            .map(|&member| {
                let member = member as usize;
                let own = &template.members[member];
                NewMember {
                    slot: body.members[member],
                    place: body.motion.position + axes.outward(own.place),
                    rotation: D::composed(body.motion.rotation, body.turns[member]),
                    mass: own.mass,
                    inertia: own.inertia,
                    image: body.images.get(member).copied().unwrap_or_default(),
                }
            })
            .collect();
        let place = |member: u32| piece.binary_search(&member).ok();
        let (mut ties, mut weakness) = (Vec::new(), Vec::new());
        for (index, tie) in template.ties.iter().enumerate().filter(|of| holds[of.0]) {
            if let [Some(a), Some(b)] = tie.ends.map(place) {
                let ends = [a as u32, b as u32];
                ties.push(super::Tie { ends, ..*tie });
                weakness.push(body.weakness.get(index).copied().unwrap_or_default());
            }
        }
        let mut part = rigid.assemble(&members, ties, weakness);
        let own = &rigid.templates[part.template as usize];
        let arm = part.motion.position - body.motion.position;
        let motion = &mut part.motion;
        motion.velocity = body.motion.velocity + D::cross_spin(stored, arm);
        motion.momentum = D::momentum(motion.rotation, stored, own.moments);
        motion.seen = (seen + D::cross_spin(seen_spin, arm), seen_spin);
        part.is_fresh = false;
        part.pushed = body
            .pushed
            .iter()
            .filter_map(|&(member, push)| Some((place(member)? as u32, push)))
            .collect();
        part.sum(own);
        let acceleration = part.push.force * (1.0 / own.mass) + physics.gravity;
        part.motion.before = (acceleration, part.push.moment);
        parts.push(part);
    }
    parts
}

/// Takes members that are `gone`, by slot, out of their bodies; returns the number of bonds that end with them.
pub(in crate::cluster) fn leave_out<D: Integrate>(
    world: &mut World<D>,
    clusters: &mut ClusterIndex,
    gone: &[bool],
) -> u64 {
    let World {
        clock,
        physics,
        contacts,
        grains,
        ..
    } = world;
    let leaves = |slot: &u32| gone.get(*slot as usize) == Some(&true);
    if !grains
        .rigid
        .list
        .iter()
        .any(|body| body.members.iter().any(leaves))
    {
        return 0;
    }
    let mut ended = 0;
    let Grains { arrays, rigid, .. } = grains;
    for body in std::mem::take(&mut rigid.list) {
        if !body.members.iter().any(leaves) {
            rigid.list.push(body);
            continue;
        }
        let away: Vec<bool> = body.members.iter().map(leaves).collect();
        let ties = &rigid.templates[body.template as usize].ties;
        for tie in ties
            .iter()
            .filter(|tie| tie.ends.iter().any(|&end| away[end as usize]))
        {
            let [a, b] = tie.ends.map(|end| body.members[end as usize]);
            clusters.remove_link(a, b);
            ended += 1;
        }
        let holds = vec![true; ties.len()];
        let parts = split(rigid, arrays, (&*clock, &*physics), &body, &away, &holds);
        let left = away.iter().filter(|&&gone| !gone).count();
        let is_whole = left < 2 || parts.iter().any(|part| part.members.len() == left);
        rigid.counts.divided += u64::from(!is_whole);
        rigid.list.extend(parts);
    }
    rigid.drop_unused();
    rigid.find_homes();
    find_exposed(contacts, rigid);
    ended
}
