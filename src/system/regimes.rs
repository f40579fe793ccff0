//! Changes of regime: grains that leave the grid of steps for a flight, and grains that come back.

use super::journal::Journal;
use super::perturb::PerturbState;
use super::schedule::Source;
use super::{Setup, System, SystemError, afar, air, driver, flight, perturb, rest};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::{EventKind, Regime};
use crate::record::Sink;

/// At a rebuild, a flyer whose return is due within this many steps comes back at once.
const STAY: f64 = 32.0;
/// Shortest flight for which a grain leaves the grid, in steps.
const LEAVE: f64 = 96.0;

/// Rebuilds the lists, calls back flyers that are due, and lets isolated grains fly.
pub(super) fn renew<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    let h = system.dem.world.clock.step;
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    let beside = cluster::moving_walls::beside_at_rest(&system.dem.world);
    rest::disturb(system, sink, &beside)?;
    system.account(now);
    if all_step(
        &system.setup,
        &system.dem.world,
        system.uniform,
        &system.s.perturb,
    ) {
        let woken = wake(&mut system.dem.world, now, f64::INFINITY);
        air::close_air(&mut system.air, &mut system.s.schedule);
        system.dem.renew();
        log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
        afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
        return Ok(());
    }
    if air::flyers_collide(&system.air) {
        return air::renew_air(system, sink);
    }
    let soon = now + STAY * h;
    let mut woken = wake(&mut system.dem.world, now, soon);
    system.dem.renew();
    let mut alone = flight::isolated(&system.dem.world);
    loop {
        let flying = flying(&system.dem.world);
        for &slot in &flying {
            flight::restart(&mut system.dem.world, slot as usize, now);
        }
        let mut set = flying.clone();
        set.extend(&alone);
        set.sort_unstable();
        if set.is_empty() {
            log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
            system.s.schedule.cancel(Source::Flight);
            break;
        }
        // Grains that may leave are not to be met as stepped grains.
        let active = system.dem.world.grains.active.clone();
        system
            .dem
            .world
            .grains
            .active
            .retain(|s| alone.binary_search(s).is_err());
        let forecast = flight::foresee(
            &system.dem.world,
            &mut *system.flight_search,
            &system.setup.space.periodic,
            &set,
            now,
        );
        system.dem.world.grains.active = active;
        let mut refused = Vec::new();
        let mut due = false;
        for (&slot, &back) in set.iter().zip(&forecast.back) {
            if alone.binary_search(&slot).is_ok() {
                if back < now + LEAVE * h {
                    refused.push(slot);
                }
            } else {
                due |= back <= now + 3.0 * h;
            }
            system.dem.world.grains.back[slot as usize] = back;
        }
        if due {
            woken.extend(wake(&mut system.dem.world, now, soon));
            woken.sort_unstable();
            system.dem.renew();
            alone = Vec::new();
            continue;
        }
        if !refused.is_empty() {
            alone.retain(|s| refused.binary_search(s).is_err());
            continue;
        }
        // Grains that leave again at once have not changed their regime.
        let id = |slot: u32, system: &System<D>| system.dem.world.grains.arrays.id[slot as usize];
        let stayed: Vec<u32> = alone
            .iter()
            .map(|&slot| id(slot, system))
            .filter(|id| woken.binary_search(id).is_ok())
            .collect();
        woken.retain(|id| !stayed.contains(id));
        log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
        for &slot in &alone {
            let arrays = &mut system.dem.world.grains.arrays;
            arrays.status[slot as usize] = Status::Flying;
            // The push of a gate that was just removed must not wait for the return.
            arrays.clear_force(slot as usize);
            system.dem.world.grains.since[slot as usize] = now;
            if !stayed.contains(&id(slot, system)) {
                morph(
                    &system.dem.world,
                    &mut system.s.journal,
                    sink,
                    now,
                    slot,
                    Regime::Cluster,
                    Regime::Flight,
                )?;
            }
        }
        system
            .dem
            .world
            .grains
            .active
            .retain(|s| alone.binary_search(s).is_err());
        system
            .dem
            .world
            .grains
            .fresh
            .retain(|s| alone.binary_search(s).is_err());
        let first = forecast
            .back
            .iter()
            .copied()
            .fold(forecast.horizon, f64::min);
        system.s.schedule.set(
            Source::Flight,
            (first - 2.0 * h).max(now),
            EventKind::NeighborUpdate,
        );
        break;
    }
    cluster::advance::start_fresh(&mut system.dem.world);
    Ok(())
}

/// Renews the lists after grains were woken or put to rest where they are, without a search; flyers that may meet woken ones are predicted anew.
pub(super) fn renew_woken<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    woken: &[u32],
) -> Result<(), SystemError> {
    if air::flyers_collide(&system.air) {
        return air::renew_woken(system, sink);
    }
    let now = system.dem.world.clock.time();
    let h = system.dem.world.clock.step;
    let sooner = flight::meet(&system.dem.world, woken, now);
    let first = sooner.iter().map(|at| at.1).fold(f64::INFINITY, f64::min);
    if first <= now + STAY * h {
        return renew(system, sink);
    }
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    system.account(now);
    for (slot, back) in sooner {
        system.dem.world.grains.back[slot as usize] = back;
    }
    let due = system.s.schedule.time_of(Source::Flight);
    if due.is_some_and(|due| first - 2.0 * h < due) {
        let kind = EventKind::NeighborUpdate;
        system.s.schedule.set(Source::Flight, first - 2.0 * h, kind);
    }
    system.dem.renew_woken();
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    Ok(())
}

/// Returns whether no grain may fly: the place of a wall that grains push, or of the edge of a cell, is unpredictable.
pub(super) fn all_step<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    uniform: bool,
    perturb: &PerturbState,
) -> bool {
    let steps = !setup.motion.flight || world.walls.has_guided() || world.cell.has_cell();
    steps || !uniform || perturb::gravity_changes(perturb)
}

/// Returns the flying slots, ascending.
pub(super) fn flying<D: Integrate>(world: &World<D>) -> Vec<u32> {
    let status = &world.grains.arrays.status;
    (1..status.len() as u32)
        .filter(|&s| status[s as usize] == Status::Flying)
        .collect()
}

/// Calls back to the grid the flyers that must be there by a time. Returns their numbers, ascending (slots
/// change when lists are rebuilt).
fn wake<D: Integrate>(world: &mut World<D>, now: f64, due: f64) -> Vec<u32> {
    let mut woken = Vec::new();
    for slot in flying(world) {
        if world.grains.back[slot as usize] <= due {
            flight::restart(world, slot as usize, now);
            driver::start_stepping(world, slot);
            woken.push(world.grains.arrays.id[slot as usize]);
        }
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
