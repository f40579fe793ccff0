//! Zones and guards of stepped grains: how far these may go before flyers are checked against them again.
//!
//! A flyer must be back before it may meet a stepped grain. That one stays in the *zone* around the place that is registered for it, some
//! thousand steps at the greatest speed wide, and within the *guard* of another place, some dozen steps: in stiff and dilute systems a small share
//! of the radius, so that nearly all may fly. Flyers that enter a zone form pairs with its grain; when guards are used up only these are
//! checked, when zones are used up all places are registered anew.

use super::come_back::come_back;
use super::{Air, Kind, foresee, guided, handle};
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::geometry::Vector;
use crate::record::Sink;
use crate::system::{System, SystemError, regimes};

/// Numbers of steps at the greatest speed for which zones and guards are made.
const ZONE: f64 = 2048.0;
const GUARD: f64 = 64.0;
/// Least zone, over the greatest radius.
const LEAST: f64 = 1e-3;
/// A flyer whose return is due within this many steps comes back at once.
pub(super) const DUE: f64 = 3.0;

/// Returns whether stepped grains may have left their zones or guards while there are flyers.
pub(in crate::system) fn are_left<D: Integrate>(dem: &Dem<D>, air: &Option<Air>) -> bool {
    let left = |aloft: &Air| zones_are_left(dem, aloft) || guards_are_left(dem, aloft);
    air.as_ref()
        .is_some_and(|aloft| aloft.s.flyers > 0 && !aloft.s.stale && left(aloft))
}

fn zones_are_left<D: Integrate>(dem: &Dem<D>, aloft: &Air) -> bool {
    let zones = &aloft.s.zones;
    let moved = dem.skin.max_outer_displacement - zones.zone_from;
    zones.lapsed
        || zones.search != dem.skin.searches
        || moved > zones.zone
        || guided::leave_zones(&dem.world, aloft)
}

fn guards_are_left<D: Integrate>(dem: &Dem<D>, aloft: &Air) -> bool {
    let zones = &aloft.s.zones;
    dem.skin.max_outer_displacement - zones.guard_from > zones.guard
}

/// Registers stepped grains anew if they may have left their zones while nobody flew. Must be called before the first grain flies, and before
/// anybody asks where stepped grains are; while there are flyers each step keeps the zones.
pub(super) fn keep<D: Integrate>(dem: &Dem<D>, air: &mut Option<Air>) {
    let left = |aloft: &Air| aloft.s.flyers == 0 && zones_are_left(dem, aloft);
    if air.as_ref().is_some_and(left) {
        enter_stepped(dem, air);
    }
}

/// Makes the guards of stepped grains anew, and their zones if these are used up, and checks the flyers around them; those that are due come
/// back.
pub(in crate::system) fn guard_again<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let Some(aloft) = &mut system.air else {
        return Ok(());
    };
    if aloft.s.flyers == 0 {
        aloft.s.zones.lapsed = true;
        return Ok(());
    }
    let mut due = Vec::new();
    if zones_are_left(&system.dem, aloft) {
        enter_stepped(&system.dem, &mut system.air);
        check_all(system, &mut due)?;
    } else {
        place_guards(&system.dem, aloft);
        check_near(system, &mut due)?;
    }
    due.sort_unstable();
    due.dedup();
    come_back(system, sink, due)?;
    handle::schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
}

/// Registers stepped grains at their present places.
fn enter_stepped<D: Integrate>(dem: &Dem<D>, air: &mut Option<Air>) {
    let Some(aloft) = air else { return };
    let arrays = &dem.world.grains.arrays;
    let before = std::mem::take(&mut aloft.s.stepped);
    for &slot in &dem.world.grains.active {
        let id = arrays.id[slot as usize];
        aloft.register(id, Kind::Stepped, arrays.position(slot as usize));
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
    let fastest = place_guards(dem, aloft).max(guided::fastest(&dem.world));
    guided::register(&dem.world, aloft);
    let zones = &mut aloft.s.zones;
    let most = 0.5 * dem.world.physics.options.outer_margin;
    let way = ZONE * dem.world.clock.step * fastest;
    zones.zone = way.max(LEAST * aloft.largest).min(most);
    zones.search = dem.skin.searches;
    zones.zone_from = dem.skin.max_outer_displacement;
    zones.lapsed = false;
    zones.near.clear();
}

/// Places the guards of stepped grains; returns their greatest speed, m/s.
fn place_guards<D: Integrate>(dem: &Dem<D>, aloft: &mut Air) -> f64 {
    let arrays = &dem.world.grains.arrays;
    let mut fastest = 0.0f64;
    for &slot in &dem.world.grains.active {
        let slot = slot as usize;
        fastest = fastest.max(arrays.velocity(slot).norm_squared());
        let place = arrays.position(slot);
        if let Some(body) = aloft.s.bodies.get_mut(arrays.id[slot] as usize) {
            body.guarded = std::array::from_fn(|k| if k < D::N { place[k] } else { 0.0 });
        }
    }
    let fastest = fastest.sqrt();
    let zones = &mut aloft.s.zones;
    let most = 0.5 * dem.world.physics.options.outer_margin;
    let way = GUARD * dem.world.clock.step * fastest;
    let least = LEAST / (ZONE / GUARD) * aloft.largest;
    zones.guard = way.max(least).min(most);
    zones.guard_from = dem.skin.max_outer_displacement;
    fastest
}

/// Checks flyers against stepped grains in whose zones they may be, with their new guards; adds those that must be back to `due`.
fn check_near<D: Integrate>(system: &mut System<D>, due: &mut Vec<u32>) -> Result<(), SystemError> {
    let Some(aloft) = &mut system.air else {
        return Ok(());
    };
    let mut near = std::mem::take(&mut aloft.s.zones.near);
    near.sort_unstable();
    near.dedup();
    near.retain(|&[stepped, flyer]| {
        let kind = |id: u32| aloft.s.bodies[id as usize].kind;
        kind(stepped) == Kind::Stepped && kind(flyer) == Kind::Flyer
    });
    // Checks note the pairs that are still near.
    for [stepped, flyer] in near {
        check(system, flyer, &[stepped], due)?;
    }
    Ok(())
}

/// Checks a flyer against stepped grains, and those at rest; adds it to `due` if it must be back.
pub(super) fn check<D: Integrate>(
    system: &mut System<D>,
    flyer: u32,
    stepped: &[u32],
    due: &mut Vec<u32>,
) -> Result<(), SystemError> {
    let clock = &system.dem.world.clock;
    let soon = clock.time() + DUE * clock.step;
    let from = super::clock_of(&system.air, clock.time());
    let (setup, world) = (&system.setup, &system.dem.world);
    match foresee::foresee_stepped(setup, world, &mut system.air, flyer, stepped, from) {
        Some(next) if next.must_be_back(soon) => due.push(flyer),
        Some(next) => handle::await_event(&mut system.air, flyer, next)?,
        None => {}
    }
    Ok(())
}

/// Predicts all flyers anew, since walls that forces move are elsewhere; adds those that must be back to `due`.
fn check_anew<D: Integrate>(system: &mut System<D>, due: &mut Vec<u32>) -> Result<(), SystemError> {
    let clock = &system.dem.world.clock;
    let soon = clock.time() + DUE * clock.step;
    let from = super::clock_of(&system.air, clock.time());
    for slot in regimes::flying(&system.dem.world) {
        let world = &system.dem.world;
        let id = world.grains.arrays.id[slot as usize];
        let next = foresee::foresee_again(&system.setup, world, &mut system.air, id, from)?;
        if next.is_some_and(|next| next.must_be_back(soon)) {
            due.push(id);
        }
    }
    Ok(())
}

/// Checks the flyers in the cells around stepped grains, and around grains at rest, which solves displace; predictions for them stay valid
/// except with regard to these. Adds those that must be back to `due`.
fn check_all<D: Integrate>(system: &mut System<D>, due: &mut Vec<u32>) -> Result<(), SystemError> {
    let world = &system.dem.world;
    let Some(aloft) = &system.air else {
        return Ok(());
    };
    if world.walls.has_guided() {
        return check_anew(system, due);
    }
    let at_rest = !world.sleeping.cells.is_empty();
    if aloft.s.stepped.is_empty() && !at_rest {
        return Ok(());
    }
    // Starts from the smaller of the two sets.
    let from_air = at_rest || aloft.s.flyers < aloft.s.stepped.len();
    let from: Vec<u32> = if from_air {
        let id = &world.grains.arrays.id;
        let flying = regimes::flying(world);
        flying.iter().map(|&s| id[s as usize]).collect()
    } else {
        aloft.s.stepped.clone()
    };
    let other = if from_air { Kind::Stepped } else { Kind::Flyer };
    let mut others: Vec<u32> = Vec::new();
    for id in from {
        let Some(aloft) = &mut system.air else { break };
        others.clear();
        others.extend(aloft.around::<D>(id, other));
        // Cells keep no order.
        others.sort_unstable();
        if from_air {
            check(system, id, &others, due)?;
            continue;
        }
        for &flyer in &others {
            check(system, flyer, &[id], due)?;
        }
    }
    Ok(())
}

/// Returns the slots of stepped grains, and of those at rest, that may be candidates of a slot in the lists.
pub(super) fn candidates_of<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    slot: u32,
) -> Vec<u32> {
    let arrays = &world.grains.arrays;
    let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
    let mut near = Vec::new();
    let reach = radius + world.physics.options.outer_margin;
    let Some(aloft) = air.as_mut() else {
        return near;
    };
    let mut ids = std::mem::take(&mut aloft.found);
    ids.clear();
    let bodies = &aloft.s.bodies;
    let around = reach + aloft.largest + aloft.s.zones.zone;
    aloft.cells.near(place, around, |id| {
        if bodies[id as usize].kind == Kind::Stepped {
            ids.push(id);
        }
    });
    near.extend(
        ids.iter()
            .filter_map(|&id| aloft.slot(world, id, Status::Stepped)),
    );
    aloft.found = ids;
    near.extend(world.grains_at_rest_near(place, reach));
    near
}
