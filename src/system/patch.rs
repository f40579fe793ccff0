//! Patches of a large group at rest: grains to which loads may have come, and those around them.
//!
//! What a landing adds to a bed goes down to the floor in a cone; far beside it nothing changes, and a step that suits one place need not suit
//! another. So each place is solved by itself, with all beyond it held fast. What these receive is a residual like any other: where it grows beyond
//! what a grain may have when it is put to rest, the next patch is around it.

use super::groups::Asked;
use super::pending::{self, PENDING, Pending, Unrest, standing};
use super::{MorphSetup, rest};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;

/// Number of grains above which a group is solved in patches.
const LARGE: usize = 2000;
/// Distance of the grains of a patch from one to which a load may have come, in links: in the plane, and in space, where as many links hold more
/// grains.
const DEEP: [usize; 2] = [24, 12];
/// Share of a group from which on it is solved as a whole.
const MOST: f64 = 0.5;
/// Places that are so many links apart, or nearer, belong to one patch.
const TOGETHER: usize = 8;

/// Returns what is solved for, one after the other: the groups that are asked for together, but large ones, where `in_patches`, in patches. A large
/// group is solved as a whole where loads have come to most of it, or where what it lacks in all is much: a load that many bear, each a little.
pub(super) fn divided<D: Integrate>(
    world: &World<D>,
    asked: &Asked,
    in_patches: bool,
) -> Vec<Pending> {
    let mut groups = Pending::of(world, asked);
    if !in_patches || groups.slots.len() <= LARGE {
        return vec![groups];
    }
    let is_loaded = loaded(world);
    let mut patches = Vec::new();
    for group in groups.groups() {
        let from: Vec<u32> = group
            .iter()
            .copied()
            .filter(|&s| is_loaded[s as usize])
            .collect();
        let is_whole = group.len() <= LARGE
            || from.len() as f64 > MOST * group.len() as f64
            || lacks_much(world, &group);
        if !is_whole {
            patches.extend(around(world, from));
            groups.leave_out(&group);
        }
    }
    // Each solve looks at all stepped grains, so that many patches beside many of these are solved together.
    let resting: usize = patches.iter().map(Vec::len).sum();
    let at_a_time = match patches.len() * world.grains.active.len() > resting {
        true => patches.len(),
        false => 1,
    };
    let slots = world.grains.arrays.slots();
    let patches = patches.chunks(at_a_time);
    let patches = patches.map(|patches| Pending::patches(patches, slots));
    let others = (!groups.slots.is_empty()).then_some(groups);
    others.into_iter().chain(patches).collect()
}

/// Returns, by slot, whether loads may have come to a grain at rest: stepped ones push those of the rim all the time.
fn loaded<D: Integrate>(world: &World<D>) -> Vec<bool> {
    let still = &world.sleeping.still;
    let mut loaded: Vec<bool> = still.loaded.iter().map(|&solves| solves > 0).collect();
    loaded.resize(world.grains.arrays.slots(), false);
    for &slot in &still.rim {
        loaded[slot as usize] = true;
    }
    loaded
}

/// Returns whether the residuals of a group sum up to so much that it is solved as a whole: while grains are stepped to what may wait for the next
/// solve, else to what may stay.
fn lacks_much<D: Integrate>(world: &World<D>, group: &[u32]) -> bool {
    let left = pending::unrest(world, group);
    match world.grains.active.is_empty() {
        true => !left.is_balanced(),
        false => left.sum > PENDING,
    }
}

/// Returns patches around some slots.
fn around<D: Integrate>(world: &World<D>, from: Vec<u32>) -> Vec<Vec<u32>> {
    let links = if D::N == 3 { DEEP[1] } else { DEEP[0] };
    let near = cluster::part::within_links(world, from, TOGETHER / 2);
    let near = cluster::part::connected(world, &near);
    cluster::part::regions(world, near, links - TOGETHER / 2)
}

/// Notes, after a solve that `left` so much in each group, to which grains loads are still to be carried: those of groups out of balance, and those
/// beside patches that received too much; returns whether there are any of the latter. `solved` says which groups were solved as a whole: where
/// what is left sums up to little, this is tried [`LOADED`](cluster::still::LOADED) times, since friction may keep it.
pub(super) fn note_loads<D: Integrate>(
    world: &mut World<D>,
    pending: &Pending,
    left: &[Unrest],
    solved: &[bool],
    morph: &MorphSetup,
) -> bool {
    let beside = match pending.is_patch {
        true => received(world, pending, morph),
        false => Vec::new(),
    };
    let still = &mut world.sleeping.still;
    for &slot in &pending.slots {
        let Some(place) = pending.place(slot) else {
            continue;
        };
        let loaded = &mut still.loaded[slot as usize];
        if left[place].is_little(morph) {
            *loaded = 0;
        } else if solved[place] && left[place].is_balanced() {
            *loaded = loaded.saturating_sub(1);
        }
    }
    still.load(&beside);
    !beside.is_empty()
}

/// Returns the grains beside patches that lack more than they may when they are put to rest.
fn received<D: Integrate>(world: &World<D>, patches: &Pending, morph: &MorphSetup) -> Vec<u32> {
    let pairs = &world.sleeping.still.pairs;
    let mut beside = Vec::new();
    for slot in standing(world, &patches.slots) {
        let others = pairs.of(slot).map(|index| pairs.beyond(index, slot));
        beside.extend(others.filter(|&other| patches.place(other).is_none()));
    }
    beside.sort_unstable();
    beside.dedup();
    beside.retain(|&slot| rest::lacks(world, slot, morph.residual));
    beside
}

/// Notes that loads may have come to all grains at rest.
pub(super) fn load_all<D: Integrate>(world: &mut World<D>) {
    let standing = world.grains.standing();
    world.sleeping.still.load(&standing);
}
