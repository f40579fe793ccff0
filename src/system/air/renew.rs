//! Flyers where lists are rebuilt: a new beginning, newcomers, and the guards of all stepped grains.

use super::{Kind, bent, foresee, guard, handle, leave};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::neighbor::Lattice;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::{Setup, System, SystemError, regimes};

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
    for id in newcomers(system, clock) {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, clock)?;
    }
    if let Some(aloft) = &mut system.air {
        aloft.s.zones.lapsed = true;
    }
    guard::guard_again(system, sink)?;
    // Velocities are known after an evaluation only.
    if !system.dem.effects.evaluation_is_due {
        let gone = leave::let_go(system, now)?;
        leave::log_gone(system, sink, &gone)?;
    }
    cluster::advance::start_fresh(&mut system.dem.world);
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
}

/// Checks all flyers against the stepped grains, of which some were just woken.
pub(in crate::system) fn check_woken<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if let Some(aloft) = &mut system.air {
        aloft.s.zones.lapsed = true;
        // Woken grains may ask to leave.
        aloft.s.next_look = aloft.s.next_look.min(system.dem.world.clock.n);
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
    aloft.s.next_look = world.clock.n;
    aloft.s.waits.iter_mut().for_each(leave::Wait::end);
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

/// Registers flyers that are not registered yet: all of them at a new beginning, and fed grains. Returns their numbers.
fn newcomers<D: Integrate>(system: &mut System<D>, clock: f64) -> Vec<u32> {
    let mut new = Vec::new();
    for slot in regimes::flying(&system.dem.world) {
        let id = system.dem.world.grains.arrays.id[slot as usize];
        let Some(aloft) = &mut system.air else { break };
        let known = aloft.s.bodies.get(id as usize);
        if known.is_none_or(|body| body.kind != Kind::Flyer) {
            bent::begin_here(system, slot);
            let place = foresee::path_of(&system.dem.world, slot, clock).position;
            if let Some(aloft) = &mut system.air {
                aloft.register(id, Kind::Flyer, place);
            }
            new.push(id);
        }
    }
    new
}
