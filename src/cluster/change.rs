//! Changes from outside: grains removed, gates opened, springs set.

use super::border::Border;
use super::coefficients::coefficients_after;
use super::integrate::{Integrate, IntegratorName};
use super::kinematics::Kinematics;
use super::lists::{History, Lists, Remembered, each_link};
use super::observe::{ContactRef, Elastic, kernel_tangent};
use super::state::{Book, Effects};
use super::world::{Clock, Contacts, Grains, Physics, Sleeping, World};
use super::{Dem, Other, arcs, bodies, bonds, border, evaluate, kinematics, observe, rigid, still};
use crate::contact::LinkLaw;
use crate::hgraph::ClusterIndex;
use crate::vector::LANES;

/// Peers of each slot through links between grains.
#[derive(Clone, Debug, Default)]
pub struct Adjacency {
    start: Vec<u32>,
    peers: Vec<u32>,
}

impl Adjacency {
    /// Calls back with each peer of a slot.
    pub fn each(&self, slot: u32, f: &mut dyn FnMut(u32)) {
        let s = slot as usize;
        for &peer in &self.peers[self.start[s] as usize..self.start[s + 1] as usize] {
            f(peer);
        }
    }
}

/// Adjacency of the links between grains, by slot.
pub fn adjacency<D: Integrate>(
    grains: &Grains<D>,
    contacts: &Contacts<D>,
    sleeping: &Sleeping,
) -> Adjacency {
    let slots = grains.arrays.slots();
    let mut start = vec![0u32; slots + 1];
    each_pair(grains, contacts, sleeping, |a, b| {
        start[a as usize + 1] += 1;
        start[b as usize + 1] += 1;
    });
    for s in 0..slots {
        start[s + 1] += start[s];
    }
    let mut next = start.clone();
    let mut peers = vec![0; start[slots] as usize];
    each_pair(grains, contacts, sleeping, |a, b| {
        for (a, b) in [(a, b), (b, a)] {
            peers[next[a as usize] as usize] = b;
            next[a as usize] += 1;
        }
    });
    Adjacency { start, peers }
}

/// Makes the index of clusters exact: searches for splits by the links lost since the last call.
pub fn find_splits<D: Integrate>(
    grains: &Grains<D>,
    contacts: &Contacts<D>,
    sleeping: &Sleeping,
    clusters: &mut ClusterIndex,
) {
    if clusters.needs_refresh() {
        let neighbours = adjacency(grains, contacts, sleeping);
        clusters.refresh(|slot, f| neighbours.each(slot, f));
    }
}

fn each_pair<D: Integrate>(
    grains: &Grains<D>,
    contacts: &Contacts<D>,
    sleeping: &Sleeping,
    mut f: impl FnMut(u32, u32),
) {
    for class in &contacts.pairs {
        each_link(&class.lists.flags, |i, k| {
            let batch = &class.lists.batches[i];
            f(grains.owner(batch.a[k]), grains.owner(batch.b[k]));
        });
    }
    for bond in &contacts.bonds.list {
        f(bond.slots[0], bond.slots[1]);
    }
    grains.rigid.each_tie(&mut f);
    let still = sleeping.still.pairs.iter().map(|(_, kept)| kept);
    for kept in still.chain(sleeping.waking.iter().flatten()) {
        f(grains.owner(kept.a), grains.owner(kept.b));
    }
}

/// Number of links in contact, and of those that slide.
pub fn link_count<D: Integrate>(contacts: &Contacts<D>, sleeping: &Sleeping) -> (u64, u64) {
    let (mut touch, mut slip) = (0, 0);
    let pairs = contacts.pairs.iter().map(|c| &c.lists.flags);
    for flags in pairs
        .chain(contacts.walls.iter().map(|c| &c.lists.flags))
        .flatten()
    {
        touch += u64::from(flags.touch.count_ones());
        slip += u64::from((flags.slip & flags.touch).count_ones());
    }
    let still = &sleeping.still;
    let walls = still.walls.iter().map(|(_, kept)| kept);
    let pairs = still.pairs.iter().map(|(_, kept)| kept);
    for kept in pairs.chain(walls) {
        touch += 1;
        slip += u64::from(kept.slip);
    }
    (touch, slip)
}

/// Records links of these grains that are about to end in the log if it includes links, at `time`
/// (s); returns their elastic energy.
pub fn end_links_of<D: Integrate>(
    world: &World<D>,
    effects: &mut Effects<D>,
    slots: &[u32],
    time: f64,
) -> Elastic {
    let mut goes = vec![false; world.grains.arrays.slots()];
    for &slot in slots {
        goes[slot as usize] = true;
    }
    let mut elastic = end_links(world, effects, time, |link| {
        let other = matches!(link.b, Other::Slot(s) if goes[s as usize]);
        goes[link.a as usize] || other
    });
    elastic.bonds += bonds::energy_of(world, |slots| slots.iter().any(|&s| goes[s as usize]));
    elastic
}

/// The same for links with a boundary.
pub fn end_links_with<D: Integrate>(
    world: &World<D>,
    effects: &mut Effects<D>,
    boundary: usize,
    time: f64,
) -> Elastic {
    end_links(world, effects, time, |link| {
        link.b == Other::Boundary(boundary as u16)
    })
}

fn end_links<D: Integrate>(
    world: &World<D>,
    effects: &mut Effects<D>,
    time: f64,
    ends: impl Fn(&ContactRef<D>) -> bool,
) -> Elastic {
    let mut elastic = Elastic::default();
    let (logged, mut ended) = (world.physics.options.log_links, Vec::new());
    observe::each_contact(world, |link: ContactRef<D>| {
        if ends(&link) {
            elastic += link.elastic.times(border::share_of(&world.grains, &link));
            if logged {
                ended.push(link.end(time));
            }
        }
    });
    effects.link_events.append(&mut ended);
    elastic
}

/// Removes grains with their links.
pub fn remove<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    clusters: &mut ClusterIndex,
    border: &mut Border,
    slots: &[u32],
) {
    let mut gone = vec![false; world.grains.arrays.slots()];
    for &slot in slots {
        gone[slot as usize] = true;
    }
    world.grains.mark_parts(&mut gone);
    // In a periodic space no position is so far away that nothing touches it.
    let periodic = evaluate::timing(world).periodic.is_some();
    let mut lost = Vec::new();
    for class in &mut world.contacts.pairs {
        drop_links(
            &mut class.lists,
            |a, b| gone[a as usize] || gone[b as usize],
            &mut lost,
            periodic,
        );
    }
    for &(a, b) in &lost {
        let (a, b) = (world.grains.owner(a), world.grains.owner(b));
        clusters.remove_link(a, b);
    }
    for bond in world.contacts.bonds.remove(&gone) {
        clusters.remove_link(bond.slots[0], bond.slots[1]);
    }
    world.contacts.bonds.removed += rigid::leave_out(world, clusters, &gone);
    let mut at_walls = Vec::new();
    for class in &mut world.contacts.walls {
        drop_links(
            &mut class.lists,
            |a, _| gone[a as usize],
            &mut at_walls,
            periodic,
        );
    }
    let counted = lost
        .iter()
        .filter(|(a, _)| !world.grains.is_ghost(*a))
        .count();
    book.counts.closed += (counted + at_walls.len()) as u64;
    book.counts.closed += still::forget_still(world, clusters, |slot| gone[slot as usize], None);
    for &slot in slots {
        if world.grains.stands(slot) {
            for touching in bodies::touching_of(&world.shapes, &world.grains, slot) {
                world.sleeping.cells.remove(touching);
            }
            world.sleeping.still.count -= usize::from(!world.grains.is_ghost(slot));
            world.sleeping.still.rim.retain(|&s| s != slot);
        }
        clusters.remove_grain(slot);
        world.grains.arrays.vacate(slot as usize);
    }
    bodies::vacate_parts(&mut world.grains, clusters, &gone);
    // At once: any reader before the next step must find all tables valid.
    world.shapes.forget_arcs();
    arcs::know_arcs(&world.physics, &mut world.shapes, &world.grains);
    world.grains.active.retain(|&s| !gone[s as usize]);
    world.grains.fresh.retain(|&s| !gone[s as usize]);
    border.ghosts.retain(|&s| !gone[s as usize]);
}

/// Removes the stress of the tangential springs of initial links at time 0. The coming first
/// evaluation extends springs by a part of a step, so they are set back by that part; under the
/// midpoint rule the first evaluation is that part of a step after time 0.
pub fn start_springs<D: Integrate>(world: &mut World<D>) {
    if world.clock.integrator == IntegratorName::Midpoint {
        return;
    }
    let timing = evaluate::timing(world);
    let back = timing.before * timing.step;
    // Links in contact are in contact from the start.
    each_spring(world, |_, _, at, _| {
        (at.overlap > 0.0).then(|| (at.sliding.map(|speed| -back * speed), 0.0))
    });
}

/// Sets the tangential forces of links, before the first evaluation of grains at rest: `held` gives the force on the
/// first body (N) and the overlap to which the link was loaded (m) by slot, second body and normal (from the second
/// to the first); none for unknown links. Known links that may persist over a gap are created there.
pub fn set_springs<D: Integrate>(
    dem: &mut Dem<D>,
    held: impl Fn(u32, Other, D::Vector) -> Option<(D::Vector, f64)>,
) {
    let bridged = each_spring(&mut dem.world, |a, b, at, law| {
        let (force, deepest) = held(a, b, at.normal)?;
        let stiffness = coefficients_after(law, at, deepest).kt;
        let spring = kernel_tangent::<D>(force, at.normal);
        let extension = match stiffness > 0.0 {
            true => spring.map(|force| -force / stiffness),
            false => [0.0; 3],
        };
        Some((extension, deepest))
    });
    // Evaluations report new contacts, but not these.
    dem.book.counts.opened += bridged.len() as u64;
    for (a, b) in bridged {
        if let Other::Slot(b) = b {
            let [a, b] = [a, b].map(|slot| dem.world.grains.owner(slot));
            dem.clusters.insert_link(a, b);
        }
    }
}

/// Sets the tangential springs of candidates in contact, m, and the overlaps to which they were loaded, m, if `spring` gives them;
/// creates the links of candidates that are apart, but within the gap at which a link of their law would break, and returns these.
fn each_spring<D: Integrate>(
    world: &mut World<D>,
    spring: impl Fn(u32, Other, &Kinematics<D>, &LinkLaw) -> Option<([f64; 3], f64)>,
) -> Vec<(u32, Other)> {
    let mut bridged = Vec::new();
    for class in 0..world.contacts.pairs.len() {
        let mut lists = std::mem::take(&mut world.contacts.pairs[class].lists);
        let [first, second] = world.contacts.pairs[class].materials;
        let law = world.physics.law(first, second);
        for index in 0..lists.batches.len() {
            let batch = lists.batches[index];
            for (k, (&a, &b)) in batch.a.iter().zip(&batch.b).enumerate() {
                if a == b {
                    continue;
                }
                let at = kinematics::pair_kinematics(world, a, b);
                let with = Other::Slot(b);
                if load(&mut lists, [index, k], &at, law, || {
                    spring(a, with, &at, law)
                }) {
                    bridged.push((a, with));
                }
            }
        }
        world.contacts.pairs[class].lists = lists;
    }
    for class in 0..world.contacts.walls.len() {
        let mut lists = std::mem::take(&mut world.contacts.walls[class].lists);
        let (wall, material) = {
            let class = &world.contacts.walls[class];
            (class.boundary, class.material)
        };
        let of_wall = world.walls.boundaries[usize::from(wall)].boundary.material;
        let law = world.physics.law(material, of_wall);
        for index in 0..lists.batches.len() {
            let batch = lists.batches[index];
            for k in (0..LANES).filter(|&k| batch.a[k] != 0) {
                let Some(at) = kinematics::wall_kinematics(world, class, batch.of(k)) else {
                    continue;
                };
                let (a, with) = (batch.a[k], Other::Boundary(wall));
                if load(&mut lists, [index, k], &at, law, || {
                    spring(a, with, &at, law)
                }) {
                    bridged.push((a, with));
                }
            }
        }
        world.contacts.walls[class].lists = lists;
    }
    bridged
}

/// Loads the link in a lane of a batch with the given values if it is in contact; if it may persist
/// over its gap, only if values are given. Returns whether it exists over a gap.
fn load<D: Integrate>(
    lists: &mut Lists<D::History>,
    [batch, lane]: [usize; 2],
    at: &Kinematics<D>,
    law: &LinkLaw,
    given: impl FnOnce() -> Option<([f64; 3], f64)>,
) -> bool {
    if at.overlap > 1e-12 * at.radius {
        lists.load(batch, lane, given().unwrap_or_default());
        return false;
    }
    if at.overlap > 0.0 || at.overlap <= -law.gap(at.radius) {
        return false;
    }
    let Some(given) = given() else {
        return false;
    };
    lists.load(batch, lane, given);
    lists.flags[batch].touch |= 1 << lane;
    true
}

/// Removes a boundary with its links.
pub fn open<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    clusters: &mut ClusterIndex,
    boundary: usize,
) {
    world.walls.gone[boundary] = true;
    let mut closed = 0;
    world.contacts.walls.retain(|class| {
        let keep = usize::from(class.boundary) != boundary;
        if !keep {
            closed += class
                .lists
                .flags
                .iter()
                .map(|f| u64::from(f.touch.count_ones()))
                .sum::<u64>();
        }
        keep
    });
    book.counts.closed += closed;
    book.counts.closed += still::forget_still(world, clusters, |_| false, Some(boundary as u16));
}

/// Applies a change of gravity that took effect so long (s, less than a step) before this
/// evaluation, and was not predicted: corrects the velocities at the time of evaluation by that,
/// and with them those that leapfrogs store.
pub fn jump_gravity<D: Integrate>(
    clock: &Clock,
    physics: &mut Physics<D>,
    grains: &mut Grains<D>,
    gravity: D::Vector,
    ago: f64,
) {
    use IntegratorName::{Euler, Heun};
    let jump = gravity - physics.gravity;
    physics.gravity = gravity;
    let half = match clock.integrator {
        Euler | Heun => 0.0,
        _ => 0.5 * clock.step,
    };
    for &slot in &grains.active {
        let carried = &mut grains.arrays.state[slot as usize].0;
        for k in 0..D::N {
            carried[k] += (ago - half) * jump[k];
        }
    }
    for body in &mut grains.rigid.list {
        body.motion.velocity += jump * (ago - half);
    }
}

/// Removes the links of bodies that are gone; with `candidates` also the lanes of candidates that are not in contact.
fn drop_links<H: History>(
    lists: &mut Lists<H>,
    gone: impl Fn(u32, u32) -> bool,
    lost: &mut Vec<(u32, u32)>,
    candidates: bool,
) {
    let mut dropped = Vec::new();
    each_link(&lists.flags, |i, k| {
        let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
        if gone(a, b) {
            dropped.push((i, k));
            lost.push((a, b));
        }
    });
    for (i, k) in dropped {
        lists.flags[i].touch &= !(1 << k);
        lists.flags[i].slip &= !(1 << k);
        lists.calm[i][k] = 0;
        lists.history[i].set_lane(k, [0.0; 3]);
        lists.set_memory(i, k, &Remembered::default());
    }
    if candidates {
        for batch in &mut lists.batches {
            for lane in 0..batch.a.len() {
                if gone(batch.a[lane], batch.b[lane]) {
                    (batch.a[lane], batch.b[lane]) = (0, 0);
                }
            }
        }
    }
}
