//! Entry of a grain that is fed, or comes back from a flight: only the grains that it may meet are checked.

use super::air::Air;
use super::surroundings::Surroundings;
use super::{System, SystemError, afar, air, populate, regimes};
use crate::cluster;
use crate::cluster::Dem;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::Regime;
use crate::record::Sink;

/// Returns the slots of grains whose surface may be within `reach` of a place, m, at a time, s.
pub(super) fn around<D: Integrate>(
    dem: &Dem<D>,
    air: &mut Option<Air>,
    surroundings: &mut Option<Surroundings<D>>,
    place: D::Vector,
    reach: f64,
    time: f64,
) -> Vec<u32> {
    if let Some(slots) = air::around_in_air(dem, air, place, reach) {
        return slots;
    }
    let known = surroundings.take().filter(|known| known.holds(dem, time));
    let known = known.unwrap_or_else(|| Surroundings::new(dem, time));
    let found = known.near(dem, place, reach, time);
    // Collisions make flyers faster than they were when the cache was made.
    *surroundings = (!air::anyone_flies(air)).then_some(known);
    found
}

/// Lets a grain that was just added as a flyer, with its row at the time of evaluation, join all others.
pub(super) fn join<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    time: f64,
) -> Result<(), SystemError> {
    let whole = system.dem.border.is_shared() || system.dem.world.cell.has_cell();
    if whole || !join_alone(system, sink, slot, time)? {
        return regimes::renew(system, sink);
    }
    Ok(())
}

/// The same without checking all other grains; returns whether that was possible. If not, all lists must be rebuilt.
fn join_alone<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    time: f64,
) -> Result<bool, SystemError> {
    if let Some(known) = &mut system.surroundings {
        known.insert(&system.dem.world, slot, time);
    }
    if regimes::all_step(system) {
        return steps_in(system, sink, slot, None);
    }
    air::join_air(system, sink, slot)
}

/// Steps a grain that was just added, or came back, from now on, given all grains that it may have as candidates, if these are known. Returns false
/// where lists must be rebuilt.
pub(super) fn steps_in<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    near: Option<Vec<u32>>,
) -> Result<bool, SystemError> {
    let now = system.dem.world.clock.time();
    let arrays = &system.dem.world.grains.arrays;
    let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
    let mut near = match near {
        None => around(
            &system.dem,
            &mut system.air,
            &mut system.surroundings,
            place,
            radius + system.dem.world.physics.options.outer_margin,
            now,
        ),
        Some(near) => near,
    };
    let status = &system.dem.world.grains.arrays.status;
    near.retain(|&other| other != slot && status[other as usize] != Status::Flying);
    populate::start_stepping(&mut system.dem.world, slot);
    regimes::morph(
        &system.dem.world,
        &mut system.s.journal,
        sink,
        now,
        slot,
        Regime::Flight,
        Regime::Cluster,
    )?;
    let dem = &mut system.dem;
    if !cluster::entering::enter(&mut dem.world, &mut dem.skin, &dem.border, slot, &near) {
        return Ok(false);
    }
    system.s.known.plan = None;
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    Ok(true)
}
