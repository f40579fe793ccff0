//! Grains that return to the grid of steps or leave it when lists are rebuilt, where flyers collide.

use super::foresee::Except;
use super::{Kind, Next, foresee, handle};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::event::Regime;
use crate::neighbor::Lattice;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::{Setup, System, SystemError, driver, flight, regimes};

/// At a rebuild, a flyer whose return is due within this many steps comes back at once.
const STAY: f64 = 32.0;
/// Shortest flight for which a grain leaves the grid, in steps,
const LEAVE: f64 = 96.0;
/// and as a share of the dwell that makes a link stable: some contact times.
const DWELLS: f64 = 0.3;
/// Width of the cells over the least sufficient one: flyers leave wider cells less often, but those hold more grains.
const WIDER: f64 = 1.25;

/// Rebuilds the lists of the stepped grains, which include those called back (by number), updates the
/// predictions of the flyers around them, and lets grains without links fly.
pub(in crate::system) fn renew_air<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    called: &[u32],
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    let h = system.dem.world.clock.step;
    let stale = system.air.as_ref().is_some_and(|aloft| aloft.s.stale);
    if stale {
        start_air(&system.setup, &system.dem.world, &mut system.air);
    }
    let clock = system
        .air
        .as_ref()
        .map_or(now, |aloft| aloft.s.clock.max(now));
    let mut woken = Vec::new();
    wake_flyers(
        &mut system.dem.world,
        &mut system.air,
        called,
        now,
        &mut woken,
    );
    system.dem.renew();
    let (new, formed) = newcomers(&system.dem.world, &mut system.air, clock);
    for id in new {
        foresee::foresee_again(&system.setup, &system.dem.world, &mut system.air, id, clock)?;
    }
    if !formed.is_empty() {
        wake_flyers(
            &mut system.dem.world,
            &mut system.air,
            &formed,
            now,
            &mut woken,
        );
        system.dem.renew();
    }
    loop {
        enter_stepped(&system.dem.world, &mut system.air);
        let mut due = Vec::new();
        for id in guard_stepped(
            &system.setup,
            &system.dem.world,
            &mut system.air,
            clock,
            now + STAY * h,
        )? {
            if handle::is_free_to_return(&system.dem.world, &mut system.air, id, now) {
                due.push(id);
            } else {
                handle::await_step(&system.dem.world, &mut system.air, id)?;
            }
        }
        if due.is_empty() {
            break;
        }
        wake_flyers(
            &mut system.dem.world,
            &mut system.air,
            &due,
            now,
            &mut woken,
        );
        system.dem.renew();
    }
    // Not after a call back: grains that may leave wait for the next rebuild of the lists.
    let left = if called.is_empty() {
        let_go(system, now, clock)?
    } else {
        Vec::new()
    };
    // Grains that leave again at once have not changed their regime.
    let stayed: Vec<u32> = left
        .iter()
        .copied()
        .filter(|id| woken.contains(id))
        .collect();
    woken.retain(|id| !stayed.contains(id));
    woken.sort_unstable();
    regimes::log_woken(&system.dem.world, &mut system.s.journal, sink, now, &woken)?;
    for id in left {
        if stayed.contains(&id) {
            continue;
        }
        if let Some(slot) = foresee::flyer(&system.dem.world, &mut system.air, id) {
            regimes::morph(
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
    cluster::advance::start_fresh(&mut system.dem.world);
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
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

/// Calls flyers back to the grid and adds their numbers to `woken`.
fn wake_flyers<D: Integrate>(
    world: &mut World<D>,
    air: &mut Option<Air>,
    ids: &[u32],
    now: f64,
    woken: &mut Vec<u32>,
) {
    for &id in ids {
        let Some(slot) = foresee::flyer(world, air, id) else {
            continue;
        };
        flight::restart(world, slot as usize, now);
        driver::start_stepping(world, slot);
        handle::leave_air(air, id);
        woken.push(id);
    }
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

/// Registers stepped grains at their present positions, for which the lists were just made.
fn enter_stepped<D: Integrate>(world: &World<D>, air: &mut Option<Air>) {
    let Some(aloft) = air else { return };
    let arrays = &world.grains.arrays;
    let before = std::mem::take(&mut aloft.s.stepped);
    for &slot in &world.grains.active {
        let slot = slot as usize;
        let id = arrays.id[slot];
        aloft.register(id, Kind::Stepped, arrays.position(slot));
        aloft.s.stepped.push(id);
    }
    aloft.s.stepped.sort_unstable();
    for id in before {
        let there = aloft.s.stepped.binary_search(&id).is_ok();
        // Grains at rest are found otherwise.
        if !there && aloft.s.bodies[id as usize].kind == Kind::Stepped {
            aloft.unregister(id);
        }
    }
}

/// Checks the flyers in the cells around stepped grains; predictions for them stay valid except with
/// regard to these. Returns the numbers of flyers that must be back by `soon`, s.
fn guard_stepped<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    air: &mut Option<Air>,
    clock: f64,
    soon: f64,
) -> Result<Vec<u32>, SystemError> {
    let Some(aloft) = air else {
        return Ok(Vec::new());
    };
    let mut due = Vec::new();
    if aloft.s.flyers == 0 || aloft.s.stepped.is_empty() {
        return Ok(due);
    }
    // Starts from the smaller of the two sets.
    let from_air = aloft.s.flyers < aloft.s.stepped.len();
    let from: Vec<u32> = if from_air {
        let id = &world.grains.arrays.id;
        regimes::flying(world)
            .iter()
            .map(|&s| id[s as usize])
            .collect()
    } else {
        aloft.s.stepped.clone()
    };
    let other = if from_air { Kind::Stepped } else { Kind::Flyer };
    for id in from {
        let Some(aloft) = air else { break };
        aloft.gather_around::<D>(id);
        let found = std::mem::take(&mut aloft.found);
        let is = |with: &u32| {
            let body = air.as_ref().map(|aloft| &aloft.s.bodies[*with as usize]);
            body.is_some_and(|body| body.kind == other)
        };
        let others: Vec<u32> = found.iter().copied().filter(is).collect();
        let flyers: &[u32] = if from_air { &[id] } else { &others };
        let stepped: &[u32] = if from_air { &others } else { &[id] };
        for &flyer in flyers {
            if let Some(next) = foresee::foresee_stepped(setup, world, air, flyer, stepped, clock) {
                if next.time <= soon {
                    due.push(flyer);
                } else {
                    handle::await_event(air, flyer, next)?;
                }
            }
        }
        if let Some(aloft) = air {
            aloft.found = found;
        }
    }
    due.sort_unstable();
    due.dedup();
    Ok(due)
}

/// Returns the slots of stepped grains without a link, except grains of several parts, which must not fly.
fn linkless<D: Integrate>(world: &World<D>) -> Vec<u32> {
    let mut busy = vec![false; world.grains.arrays.slots()];
    for class in &world.contacts.pairs {
        for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
            for k in (0..8).filter(|k| flags.touch >> k & 1 == 1) {
                busy[world.grains.owner(batch.a[k]) as usize] = true;
                busy[world.grains.owner(batch.b[k]) as usize] = true;
            }
        }
    }
    for class in &world.contacts.walls {
        for (batch, flags) in class.lists.batches.iter().zip(&class.lists.flags) {
            for k in (0..8).filter(|k| flags.touch >> k & 1 == 1) {
                busy[world.grains.owner(batch.a[k]) as usize] = true;
            }
        }
    }
    let may = |&s: &u32| {
        let stepped = world.grains.arrays.status[s as usize] == Status::Stepped;
        stepped && !busy[s as usize] && world.grains.form_index(s).is_none()
    };
    world.grains.active.iter().copied().filter(may).collect()
}

/// Returns the shortest flight for which a grain leaves the grid, s.
fn least_flight<D: Integrate>(setup: &Setup<D>, world: &World<D>) -> f64 {
    let motion = &setup.motion;
    (LEAVE * world.clock.step).max(DWELLS * motion.stable_dwell)
}

/// Returns whether any of these slots, ascending, is a candidate in the outer lists.
fn are_listed<D: Integrate>(world: &World<D>, slots: &[u32]) -> bool {
    let is = |slot: &u32| slots.binary_search(slot).is_ok();
    !slots.is_empty()
        && (world
            .contacts
            .pairs
            .iter()
            .any(|c| c.outer.iter().flatten().any(is))
            || world
                .contacts
                .walls
                .iter()
                .any(|c| c.outer.iter().any(|[slot, _]| is(slot))))
}

/// Lets grains fly that have no link and no event for a while; returns their numbers.
fn let_go<D: Integrate>(
    system: &mut System<D>,
    now: f64,
    clock: f64,
) -> Result<Vec<u32>, SystemError> {
    // A path begins now; its events are predicted from `clock` on, up to which events are already handled.
    let mut leaving = linkless(&system.dem.world);
    let ids = |slots: &[u32], system: &System<D>| -> Vec<u32> {
        let id = &system.dem.world.grains.arrays.id;
        slots.iter().map(|&slot| id[slot as usize]).collect()
    };
    for &slot in &leaving {
        take_off(&mut system.dem.world, &mut system.air, slot, now);
    }
    let mut look = leaving.clone();
    while !look.is_empty() {
        let mut refused = Vec::new();
        for &slot in &look {
            let next = foresee::foresee_flyer(
                &system.setup,
                &system.dem.world,
                &mut system.air,
                slot,
                clock,
                None,
                Except::Nobody,
            );
            let id = system.dem.world.grains.arrays.id[slot as usize];
            if next.next != Next::Look
                && next.time < now + least_flight(&system.setup, &system.dem.world)
            {
                refused.push(slot);
            } else {
                handle::await_event(&mut system.air, id, next)?;
            }
        }
        leaving.retain(|slot| refused.binary_search(slot).is_err());
        look.clear();
        for &slot in &refused {
            system.dem.world.grains.arrays.status[slot as usize] = Status::Stepped;
            let arrays = &system.dem.world.grains.arrays;
            let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
            if let Some(aloft) = &mut system.air {
                aloft.register(id, Kind::Stepped, place);
            }
        }
        // Flyers around the grains that stay have another body to take into account.
        for slot in refused {
            let id = system.dem.world.grains.arrays.id[slot as usize];
            let Some(aloft) = &mut system.air else { break };
            aloft.gather_around::<D>(id);
            let found = std::mem::take(&mut aloft.found);
            look.extend(
                found
                    .iter()
                    .filter_map(|&id| foresee::flyer(&system.dem.world, &mut system.air, id)),
            );
            if let Some(aloft) = &mut system.air {
                aloft.found = found;
            }
        }
        look.retain(|slot| leaving.binary_search(slot).is_ok());
        look.sort_unstable();
        look.dedup();
    }
    for list in [
        &mut system.dem.world.grains.active,
        &mut system.dem.world.grains.fresh,
    ] {
        list.retain(|slot| leaving.binary_search(slot).is_err());
    }
    for &slot in &leaving {
        // The push of a gate that was just removed must not wait for the return.
        system.dem.world.grains.arrays.clear_force(slot as usize);
    }
    if are_listed(&system.dem.world, &leaving) {
        // A flyer takes no part in the lists: its row keeps the position at which it left.
        system.dem.renew_in_place();
    }
    let gone = ids(&leaving, system);
    if let Some(aloft) = &mut system.air {
        let bodies = &aloft.s.bodies;
        aloft
            .s
            .stepped
            .retain(|&id| bodies[id as usize].kind == Kind::Stepped);
    }
    Ok(gone)
}

/// Turns a stepped grain into a flyer from the time of evaluation on.
fn take_off<D: Integrate>(world: &mut World<D>, air: &mut Option<Air>, slot: u32, now: f64) {
    let arrays = &mut world.grains.arrays;
    arrays.status[slot as usize] = Status::Flying;
    world.grains.since[slot as usize] = now;
    let (id, place) = (arrays.id[slot as usize], arrays.position(slot as usize));
    if let Some(aloft) = air {
        aloft.register(id, Kind::Flyer, place);
    }
}
