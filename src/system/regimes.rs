//! Changes of regime: grains that leave the grid of steps for a flight, and grains that come back.

use super::journal::Journal;
use super::{System, SystemError, afar, air, driver, perturb, populate, rest};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::event::{EventKind, Regime};
use crate::field::FieldSet;
use crate::record::Sink;

/// Rebuilds the lists; flyers are predicted anew around what changed, and grains without links may leave.
pub(super) fn renew<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    let beside = cluster::moving_walls::beside_at_rest(&system.dem.world);
    rest::disturb(system, sink, &beside)?;
    system.account(now);
    if !all_step(system) {
        return air::renew_air(system, sink);
    }
    land(system, sink)
}

/// Calls all flyers back to the grid, and rebuilds the lists.
pub(super) fn land<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    let woken = wake(&mut system.dem, &system.fields, now);
    air::close_air(&mut system.air, &mut system.s.schedule);
    system.dem.renew();
    log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    Ok(())
}

/// Renews the lists after grains were woken or put to rest where they are, without a search.
pub(super) fn renew_woken<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let stepped = all_step(system);
    if !stepped && air::is_stale(&system.air) {
        return renew(system, sink);
    }
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    system.account(system.dem.world.clock.time());
    system.dem.renew_woken();
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    if stepped {
        return Ok(());
    }
    air::check_woken(system, sink)
}

/// Returns whether flyers have to be predicted anew before the next step, since paths, walls or the clock were changed from outside.
pub(super) fn flight_is_stale<D: Integrate>(system: &System<D>) -> bool {
    let stale = system.air.is_some() && air::is_stale(&system.air);
    stale && !all_step(system)
}

/// Returns whether no grain may fly: the place of the edge of a cell is unpredictable.
pub(super) fn all_step<D: Integrate>(system: &System<D>) -> bool {
    let steps = !system.setup.motion.flight || system.dem.world.cell.has_cell();
    steps || !system.may_fly || perturb::gravity_changes(&system.s.perturb)
}

/// Returns the flying slots, ascending.
pub(super) fn flying<D: Integrate>(world: &World<D>) -> Vec<u32> {
    let status = &world.grains.arrays.status;
    (1..status.len() as u32)
        .filter(|&s| status[s as usize] == Status::Flying)
        .collect()
}

/// Calls all flyers back to the grid. Returns their numbers, ascending (slots change when lists are rebuilt).
fn wake<D: Integrate>(dem: &mut Dem<D>, fields: &FieldSet<D>, now: f64) -> Vec<u32> {
    let mut woken = Vec::new();
    for slot in flying(&dem.world) {
        air::restart(dem, fields, slot, now);
        populate::start_stepping(&mut dem.world, slot);
        woken.push(dem.world.grains.arrays.id[slot as usize]);
    }
    woken.sort_unstable();
    woken
}

/// Logs that grains, by their numbers in ascending order, came back to the grid.
pub(super) fn log_woken<D: Integrate>(
    world: &World<D>,
    journal: &mut Journal,
    sink: &mut dyn Sink,
    now: f64,
    woken: &[u32],
) -> Result<(), SystemError> {
    if woken.is_empty() {
        return Ok(());
    }
    let id = &world.grains.arrays.id;
    let active = world.grains.active.iter().copied();
    let mut slots: Vec<u32> = active
        .filter(|&slot| woken.binary_search(&id[slot as usize]).is_ok())
        .collect();
    slots.sort_unstable();
    for slot in slots {
        morph(
            world,
            journal,
            sink,
            now,
            slot,
            Regime::Flight,
            Regime::Cluster,
        )?;
    }
    Ok(())
}

/// Counts, and logs, a grain's change of regime.
pub(super) fn morph<D: Integrate>(
    world: &World<D>,
    journal: &mut Journal,
    sink: &mut dyn Sink,
    time: f64,
    slot: u32,
    from: Regime,
    to: Regime,
) -> Result<(), SystemError> {
    journal.count(EventKind::Morph);
    if !journal.tells() {
        return Ok(());
    }
    let mut row = journal.row(time, EventKind::Morph);
    row.regime_from = Some(from);
    row.regime_to = Some(to);
    row.cause = journal.causes.now;
    driver::put_body(world, &mut row, slot);
    sink.event(&row)?;
    Ok(())
}
