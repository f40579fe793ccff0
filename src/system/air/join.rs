//! Entry of fed grains, which begin as flyers.

use super::come_back::come_back;
use super::{Next, collide, foresee, guard, handle, is_stale};
use crate::cluster::Dem;
use crate::cluster::integrate::Integrate;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::{System, SystemError};

/// Returns the slots of grains whose surface may be within `reach` of a place, m; `None` where flyers do not collide, where all predictions
/// are stale, or where `reach` exceeds the greatest radius plus half the margin of the outer list.
pub(in crate::system) fn around_in_air<D: Integrate>(
    dem: &Dem<D>,
    air: &mut Option<Air>,
    place: D::Vector,
    reach: f64,
) -> Option<Vec<u32>> {
    let world = &dem.world;
    let margin = world.physics.options.outer_margin;
    let can = |aloft: &Air| !aloft.s.stale && reach <= aloft.largest + 0.5 * margin;
    if !air.as_ref().is_some_and(can) {
        return None;
    }
    guard::keep(dem, air);
    let aloft = air.as_mut()?;
    aloft.gather::<D>(aloft.s.lattice.cell(place));
    let ids = std::mem::take(&mut aloft.found);
    let mut slots: Vec<u32> = Vec::with_capacity(ids.len());
    for &id in &ids {
        let flies = foresee::flyer(world, air, id);
        slots.extend(flies.or_else(|| foresee::stepped(world, air, id)));
    }
    if let Some(aloft) = air {
        aloft.found = ids;
    }
    slots.extend(world.grains_at_rest_near(place, reach));
    slots.sort_unstable();
    slots.dedup();
    Some(slots)
}

/// Lets a grain that was just added join the flyers. Returns whether that was possible without checking all other grains.
pub(in crate::system) fn join_air<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
) -> Result<bool, SystemError> {
    if is_stale(&system.air) {
        return Ok(false);
    }
    guard::keep(&system.dem, &mut system.air);
    let Some(aloft) = &mut system.air else {
        return Ok(false);
    };
    let clock = aloft.s.clock.max(system.dem.world.clock.time());
    let id = system.dem.world.grains.arrays.id[slot as usize];
    let index = id as usize;
    if aloft.slots.len() <= index {
        aloft.slots.resize(index + 1, 0);
    }
    aloft.slots[index] = slot;
    let next =
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, clock)?;
    let soon = system.dem.world.clock.time() + guard::DUE * system.dem.world.clock.step;
    let at_once = matches!(next, Some(next) if collide::is_at_once(&system.dem.world, &mut system.air, slot, &next));
    if next.is_some_and(|next| next.next != Next::Look && next.time <= soon) && !at_once {
        come_back(system, sink, vec![id])?;
    }
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(true)
}
