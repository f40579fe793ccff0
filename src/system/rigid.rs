//! Which of the grains that stand still are rigid with others, by counting (docs/morphing.md): a
//! figure of the record that never touches the motion.
//!
//! Links of grains that stand still come and go ten times a millisecond, mostly the same ones again. So
//! groups are found now and then only, from the links of the moment: before each row that tells of them,
//! and each few solves for increments. In between, who is woken is rigid no more; the rest is as it was.
//! (Kept up to date by `qrb::Pebble`, a link that goes costs some 100 microseconds, as much as to find
//! all groups of a bed of 1,000 disks anew.)

use super::journal::Journal;
use super::rest::RestState;
use super::{System, SystemError, certified, regimes};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, World};
use crate::event::Regime;
use crate::qrb::{DiskGroups, DiskLink};
use crate::record::Sink;

/// Groups are brought up to date at least each so many times that loads are carried.
pub(super) const EVERY: f64 = 5.0;
/// Rigid groups of grains that stand still, by the numbers of their grains. Boundaries that stand
/// still are the ground. In the plane by counting, in space by the stiffness of their links.
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

/// Groups of disks, and of grains of other shapes, by their slots.
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

/// Whether a grain that stands still was rigid with others when that was last looked at.
pub(super) fn is_rigid<D: Integrate>(world: &World<D>, rest: &RestState, slot: u32) -> bool {
    let id = world.grains.arrays.id[slot as usize];
    rest.rigid.binary_search(&id).is_ok()
}

/// Takes slots that no longer stand still off the list; those of them that were on it, by number.
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
    if !gone.is_empty() {
        rest.rigid.retain(|id| gone.binary_search(id).is_err());
    }
    gone
}

/// Brings up to date who is rigid, when it is time to; between rows of the series.
pub(super) fn regroup_in_time<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    every: f64,
) -> Result<(), SystemError> {
    if system.dem.world.clock.time() - system.s.rest.grouped >= EVERY * every {
        recount(system, sink)?;
    }
    Ok(())
}

/// Brings up to date who is rigid where that is counted. In space a factor costs as much as many steps: before snapshots and in the end alone.
pub(super) fn recount<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    match D::N {
        2 => regroup(system, sink),
        _ => Ok(()),
    }
}

/// Brings up to date who is rigid.
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

/// Logs who became rigid and who is so no more.
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
