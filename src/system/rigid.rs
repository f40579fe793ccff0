//! Grains at rest that are rigid with others, found by counting (docs/morphing.md): a
//! figure of the record that never touches the motion.
//!
//! Links of grains at rest come and go ten times a millisecond, mostly the same ones again. Groups are
//! therefore found only now and then, from the present links: before each row that reports them,
//! and every few solves for increments. In between, a woken grain is no longer rigid; the others stay as they were.
//! (If `rigidity::Pebble` kept them up to date, the loss of a link would cost some 100 microseconds, as much as to find
//! all groups of a bed of 1,000 disks anew.)

use super::journal::Journal;
use super::rest::RestState;
use super::{System, SystemError, certified, regimes};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, World};
use crate::event::Regime;
use crate::record::Sink;
use crate::rigidity::{DiskGroups, DiskLink};

/// Groups are updated at least once in so many intervals of equilibrium solves.
pub(super) const EVERY: f64 = 5.0;
/// Number of grains at rest above which that is less often, in proportion: a search takes all links.
const MANY: usize = 2000;
/// Number of grains below which they leave the list one by one.
const FEW: usize = 16;

/// Returns the rigid groups of grains at rest, by the numbers of their grains. Boundaries at rest
/// are the ground. In the plane by counting, in space by the stiffness of their links.
pub(super) fn rigid_groups<D: Integrate>(world: &World<D>) -> DiskGroups {
    let mut groups = match D::N {
        2 => counted(world),
        _ => certified::groups(world),
    };
    let id = &world.grains.arrays.id;
    for group in std::iter::once(&mut groups.grounded).chain(&mut groups.free) {
        for slot in group.iter_mut() {
            *slot = id[*slot as usize];
        }
        group.sort_unstable();
    }
    let order = |group: &Vec<u32>| (std::cmp::Reverse(group.len()), group[0]);
    groups.free.sort_by_key(order);
    groups
}

/// Returns the groups of disks, and of grains of other shapes, by their slots.
fn counted<D: Integrate>(world: &World<D>) -> DiskGroups {
    let arrays = &world.grains.arrays;
    let mut links: Vec<DiskLink> = Vec::new();
    cluster::held::each_still_bond(&world.grains, &world.sleeping, |a, b, slides| {
        let b = match b {
            Other::Slot(b) => Some(b),
            Other::Boundary(_) => None,
        };
        links.push(DiskLink { a, b, slides });
    });
    let shape = |slot: u32| world.grains.form_index(slot).is_some();
    DiskGroups::with_shapes(arrays.slots(), &links, shape)
}

/// Returns whether a grain at rest was rigid with others at the last update.
pub(super) fn is_rigid<D: Integrate>(world: &World<D>, rest: &RestState, slot: u32) -> bool {
    let id = world.grains.arrays.id[slot as usize];
    rest.rigid.binary_search(&id).is_ok()
}

/// Removes from the list slots that are no longer at rest; returns the numbers of those that were on it.
pub(super) fn leave_groups<D: Integrate>(
    world: &World<D>,
    rest: &mut RestState,
    slots: &[u32],
) -> Vec<u32> {
    if rest.rigid.is_empty() {
        return Vec::new();
    }
    let id = &world.grains.arrays.id;
    let mut gone: Vec<u32> = slots
        .iter()
        .filter(|&&slot| is_rigid(world, rest, slot))
        .map(|&slot| id[slot as usize])
        .collect();
    gone.sort_unstable();
    // Mostly some few of very many.
    if gone.len() < FEW {
        for id in &gone {
            if let Ok(place) = rest.rigid.binary_search(id) {
                rest.rigid.remove(place);
            }
        }
    } else {
        rest.rigid.retain(|id| gone.binary_search(id).is_err());
    }
    gone
}

/// Updates the rigid groups when an update is due, between rows of the series.
pub(super) fn regroup_in_time<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    every: f64,
) -> Result<(), SystemError> {
    let longer = (system.dem.world.sleeping.still.count / MANY).max(1) as f64;
    if system.dem.world.clock.time() - system.s.rest.grouped >= EVERY * longer * every {
        recount(system, sink)?;
    }
    Ok(())
}

/// The same at times that logs do not decide, where many grains are at rest: while none is stepped, nobody else looks.
pub(super) fn regroup_many_in_time<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    match system.setup.models.morph {
        Some(morph) if system.dem.world.sleeping.still.count > MANY => {
            regroup_in_time(system, sink, morph.carry_every)
        }
        _ => Ok(()),
    }
}

/// The same when no grain is stepped any more: at once, but where these are many.
pub(super) fn recount_if_due<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    every: f64,
) -> Result<(), SystemError> {
    match system.dem.world.sleeping.still.count > MANY {
        true => regroup_in_time(system, sink, every),
        false => recount(system, sink),
    }
}

/// Updates the rigid groups where they are counted. In space a factorization costs as much as many steps: only before snapshots and
/// at the end.
pub(super) fn recount<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    match D::N {
        2 => regroup(system, sink),
        _ => Ok(()),
    }
}

/// Updates the rigid groups.
pub(super) fn regroup<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if system.setup.models.morph.is_none() {
        return Ok(());
    }
    let now = system.dem.world.clock.time();
    system.s.rest.grouped = now;
    if system.dem.world.sleeping.still.count == 0 && system.s.rest.rigid.is_empty() {
        return Ok(());
    }
    system.account(now);
    let groups = rigid_groups(&system.dem.world);
    let grounded = u32::from(!groups.grounded.is_empty());
    system.s.rest.rigid_groups = grounded + groups.free.len() as u32;
    let mut rigid = groups.grounded;
    rigid.extend(groups.free.into_iter().flatten());
    rigid.sort_unstable();
    let before = std::mem::replace(&mut system.s.rest.rigid, rigid);
    if before == system.s.rest.rigid {
        return Ok(());
    }
    log_groups(
        &system.dem.world,
        &mut system.s.journal,
        &system.s.rest,
        sink,
        &before,
    )
}

/// Logs the grains that became rigid, and those that are no longer rigid.
fn log_groups<D: Integrate>(
    world: &World<D>,
    journal: &mut Journal,
    rest: &RestState,
    sink: &mut dyn Sink,
    before: &[u32],
) -> Result<(), SystemError> {
    let standing = world.grains.standing().into_iter();
    let mut changed: Vec<(u32, u32, bool)> = standing
        .map(|slot| (world.grains.arrays.id[slot as usize], slot))
        .map(|(id, slot)| (id, slot, before.binary_search(&id).is_ok()))
        .filter(|&(_, slot, was)| was != is_rigid(world, rest, slot))
        .collect();
    changed.sort_unstable();
    let time = world.clock.time();
    for (_, slot, was) in changed {
        let (from, to) = if was {
            (Regime::Rigid, Regime::Rest)
        } else {
            (Regime::Rest, Regime::Rigid)
        };
        regimes::morph(world, journal, sink, time, slot, from, to)?;
    }
    Ok(())
}
