//! Entry of fed grains where flyers collide.

use super::{foresee, guard, handle};
use crate::cluster::Dem;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::{System, SystemError, enter};

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
    let still = |slot: u32| slots.push(slot);
    world.sleeping.cells.near(place, reach, still);
    slots.sort_unstable();
    slots.dedup();
    Some(slots)
}

/// Lets a grain that was just added join the flyers, or the stepped grains if it has several parts. Returns whether that was possible
/// without checking all other grains.
pub(in crate::system) fn join_air<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
) -> Result<bool, SystemError> {
    let now = system.dem.world.clock.time();
    if system.air.as_ref().is_none_or(|aloft| aloft.s.stale) {
        return Ok(false);
    }
    guard::keep(&system.dem, &mut system.air);
    let Some(aloft) = &mut system.air else {
        return Ok(false);
    };
    let clock = aloft.s.clock.max(now);
    let id = system.dem.world.grains.arrays.id[slot as usize];
    let index = id as usize;
    if aloft.slots.len() <= index {
        aloft.slots.resize(index + 1, 0);
    }
    aloft.slots[index] = slot;
    if system.dem.world.grains.form_index(slot).is_none() {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, clock)?;
        handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
        return Ok(true);
    }
    if enter::steps_in(system, sink, slot, None)?.is_none() {
        return Ok(false);
    }
    let place = system.dem.world.grains.arrays.position(slot as usize);
    let Some(aloft) = &mut system.air else {
        return Ok(false);
    };
    aloft.join_stepped(id, place);
    aloft.gather_around::<D>(id);
    let found = std::mem::take(&mut aloft.found);
    // No prediction changes unless all of them can: cells keep no order.
    let mut called = Vec::new();
    for &flyer in &found {
        let Some(other) = foresee::flyer(&system.dem.world, &mut system.air, flyer) else {
            continue;
        };
        debug_assert!(system.dem.world.grains.arrays.status[other as usize] == Status::Flying);
        if let Some(next) = foresee::foresee_stepped(
            &system.setup,
            &system.dem.world,
            &mut system.air,
            flyer,
            &[id],
            clock,
        ) {
            if next.must_be_back(now + guard::DUE * system.dem.world.clock.step) {
                return Ok(false);
            }
            called.push((flyer, next));
        }
    }
    for (flyer, next) in called {
        handle::await_event(&mut system.air, flyer, next)?;
    }
    if let Some(aloft) = &mut system.air {
        aloft.found = found;
    }
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(true)
}
