//! Flyers where lists are rebuilt: a new beginning, newcomers, and the guards of all stepped grains.

use super::{Kind, foresee, guard, handle, leave};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::event::EventKind;
use crate::neighbor::Lattice;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::{Setup, System, SystemError, afar, driver, flight, regimes};

/// Width of the cells over the least sufficient one: flyers leave wider cells less often, but those hold more grains.
const WIDER: f64 = 1.25;

/// Rebuilds the lists of the stepped grains, updates the predictions of the flyers around them, and lets grains without links fly.
pub(in crate::system) fn renew_air<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    let stale = system.air.as_ref().is_some_and(|aloft| aloft.s.stale);
    if stale {
        start_air(&system.setup, &system.dem.world, &mut system.air);
    }
    let clock = super::clock_of(&system.air, now);
    system.dem.renew();
    let (new, formed) = newcomers(&system.dem.world, &mut system.air, clock);
    if !formed.is_empty() {
        let woken = wake_formed(&mut system.dem.world, &mut system.air, &formed, now);
        system.dem.renew();
        regimes::log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
    }
    for id in new {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, clock)?;
    }
    if let Some(aloft) = &mut system.air {
        aloft.s.zones.lapsed = true;
    }
    guard::guard_again(system, sink)?;
    let gone = leave::let_go(system, now)?;
    leave::log_gone(system, sink, &gone)?;
    cluster::advance::start_fresh(&mut system.dem.world);
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
}

/// Renews the lists after grains were woken or put to rest where they are, without a search, and checks all flyers against them.
pub(in crate::system) fn renew_woken<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if system.air.as_ref().is_some_and(|aloft| aloft.s.stale) {
        return regimes::renew(system, sink);
    }
    system.s.journal.count(EventKind::NeighborUpdate);
    system.s.known.plan = None;
    system.account(system.dem.world.clock.time());
    system.dem.renew_woken();
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    if let Some(aloft) = &mut system.air {
        aloft.s.zones.lapsed = true;
        // Woken grains may ask to leave.
        aloft.s.next_look = aloft.s.next_look.min(system.dem.world.clock.time());
    }
    guard::guard_again(system, sink)
}

/// Begins anew: chooses the cells for all grains in the air, and removes all that are registered.
fn start_air<D: Integrate>(setup: &Setup<D>, world: &World<D>, air: &mut Option<Air>) {
    let flying = regimes::flying(world);
    let margin = world.physics.options.outer_margin;
    let now = world.clock.time();
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    let slots = flying.iter().chain(&world.grains.active);
    let mut count = 0.0;
    for &slot in slots {
        let x = world.flight_at(slot as usize, now)[0];
        for k in 0..D::N {
            low[k] = low[k].min(x[k]);
            high[k] = high[k].max(x[k]);
        }
        count += 1.0;
    }
    let Some(aloft) = air else { return };
    aloft.s.stale = false;
    aloft.s.clock = now;
    // Waits were of the clock before.
    aloft.s.waits.clear();
    aloft.s.next_look = now;
    let least = (2.0 * aloft.largest + 0.5 * margin) * (1.0 + 4.0 * super::cells::SLACK);
    // Mean distance of the grains if they were spread over the whole box that they span.
    let volume: f64 = (0..D::N).map(|k| (high[k] - low[k]).max(least)).product();
    let spread = if count > 0.0 {
        libm::pow(volume / count, 1.0 / D::N as f64)
    } else {
        0.0
    };
    aloft.s.lattice = Lattice::new((WIDER * least).max(spread), &setup.space.periodic);
    aloft.clear();
}

/// Returns grains of several parts, by number ascending, to the grid; returns their numbers.
fn wake_formed<D: Integrate>(
    world: &mut World<D>,
    air: &mut Option<Air>,
    ids: &[u32],
    now: f64,
) -> Vec<u32> {
    let mut woken = Vec::new();
    for &id in ids {
        let Some(slot) = foresee::flyer(world, air, id) else {
            continue;
        };
        flight::restart(world, slot as usize, now);
        driver::start_stepping(world, slot);
        handle::leave_air(air, id);
        woken.push(id);
    }
    woken.sort_unstable();
    woken
}

/// Registers flyers that are not registered yet: all of them at a new beginning, and fed grains. Returns their
/// numbers, and those of grains of several parts, which must not fly.
fn newcomers<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    clock: f64,
) -> (Vec<u32>, Vec<u32>) {
    let (mut new, mut formed) = (Vec::new(), Vec::new());
    for slot in regimes::flying(world) {
        let id = world.grains.arrays.id[slot as usize];
        if world.grains.form_index(slot).is_some() {
            formed.push(id);
            continue;
        }
        let place = foresee::path_of(world, slot, clock).position;
        if let Some(aloft) = air
            && aloft
                .s
                .bodies
                .get(id as usize)
                .is_none_or(|body| body.kind != Kind::Flyer)
        {
            aloft.register(id, Kind::Flyer, place);
            new.push(id);
        }
    }
    (new, formed)
}
