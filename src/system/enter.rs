//! Entry of a fed grain: only the grains that it may meet are checked.

use super::air::Air;
use super::schedule::Source;
use super::surroundings::Surroundings;
use super::{Setup, System, SystemError, afar, air, driver, flight, regimes};
use crate::cluster;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::event::{EventKind, Regime};
use crate::geometry::Vector;
use crate::neighbor::BroadPhase;
use crate::record::Sink;

/// Number of steps within which a predicted event cannot wait.
const DUE: f64 = 3.0;
/// Number of steps, before the first flyer must be back, at which lists are rebuilt for flyers.
const BEFORE: f64 = 2.0;

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
    // Collisions make flyers faster than they were when the cache was made.
    let known = surroundings.take().filter(|_| !air::flyers_collide(air));
    let known = known.filter(|known| known.holds(dem, time));
    let known = known.unwrap_or_else(|| Surroundings::new(dem, time));
    let found = known.near(dem, place, reach, time);
    *surroundings = Some(known);
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
    if regimes::all_step(
        &system.setup,
        &system.dem.world,
        system.uniform,
        &system.s.perturb,
    ) {
        let flyers = steps_in(system, sink, slot, None)?;
        return Ok(flyers.is_some_and(|flyers| flyers.is_empty()));
    }
    if air::flyers_collide(&system.air) {
        return air::join_air(system, sink, slot);
    }
    join_flyers(system, sink, slot, time)
}

/// The same where flyers do not collide.
fn join_flyers<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    time: f64,
) -> Result<bool, SystemError> {
    let now = system.dem.world.clock.time();
    let h = system.dem.world.clock.step;
    let due = now + DUE * h;
    // Predictions for other flyers hold until then.
    let planned = system.s.schedule.time_of(Source::Flight);
    let until = planned.map_or(f64::INFINITY, |planned| {
        (planned + BEFORE * h - now).max(0.0)
    });
    let s = slot as usize;
    let arrays = &system.dem.world.grains.arrays;
    let (place, speed, radius) = (
        arrays.position(s),
        arrays.velocity(s).norm(),
        arrays.radius(s),
    );
    let length = flight::length(&system.dem.world, speed, radius).min(until);
    let known = system.surroundings.as_ref();
    let others = known.map_or(0.0, |known| known.fastest(time));
    let way = (speed + others + system.dem.world.physics.gravity.norm() * length) * length;
    let reach = radius + way + system.dem.world.physics.options.outer_margin;
    let mut near = around(
        &system.dem,
        &mut system.air,
        &mut system.surroundings,
        place,
        reach,
        time.max(now),
    );
    // The grains checked must not depend on when the surroundings were gathered: a run resumed from a checkpoint gathers them anew.
    near.retain(|&other| other == slot || may_meet(&system.dem.world, slot, other, now, length));
    let status = &system.dem.world.grains.arrays.status;
    let flies = |slot: &u32| status[*slot as usize] == Status::Flying;
    let flyers: Vec<u32> = near.iter().copied().filter(flies).collect();
    let moves = |slot: &u32| status[*slot as usize] == Status::Stepped;
    let stepped: Vec<u32> = near.iter().copied().filter(moves).collect();
    let ahead = foresee_among(
        &system.setup,
        &mut system.dem.world,
        &mut system.flight_search,
        &flyers,
        stepped,
        now,
    );
    let mut first = now + length;
    let mut steps = false;
    for (&other, &back) in flyers.iter().zip(&ahead.back) {
        let meets = back < ahead.horizon && back < now + length;
        if other == slot {
            steps = meets && back <= due;
            system.dem.world.grains.back[s] = back.min(now + length);
            if !steps {
                first = first.min(back);
            }
        } else if meets {
            if back <= due {
                return Ok(false);
            }
            first = first.min(returns(&mut system.dem.world, other, back));
        }
    }
    if steps {
        let Some(flyers) = steps_in(system, sink, slot, Some(&near))? else {
            return Ok(false);
        };
        // The flyers meet it as a stepped grain.
        let ahead = foresee_among(
            &system.setup,
            &mut system.dem.world,
            &mut system.flight_search,
            &flyers,
            vec![slot],
            now,
        );
        for (&other, &back) in flyers.iter().zip(&ahead.back) {
            if back <= due {
                return Ok(false);
            }
            if back < ahead.horizon {
                first = first.min(returns(&mut system.dem.world, other, back));
            }
        }
        if flyers.is_empty() {
            return Ok(true);
        }
    }
    let next = (first - BEFORE * h).max(now);
    if planned.is_none_or(|planned| next < planned) {
        system
            .s
            .schedule
            .set(Source::Flight, next, EventKind::NeighborUpdate);
    }
    Ok(true)
}

/// Returns whether a flyer whose row is at `now` may meet a grain within `length`, s, by their distance and speeds, also if the flyer
/// itself is to be stepped.
fn may_meet<D: Integrate>(world: &World<D>, slot: u32, other: u32, now: f64, length: f64) -> bool {
    let arrays = &world.grains.arrays;
    let (a, b) = (slot as usize, other as usize);
    let (x, v) = (arrays.position(a), arrays.velocity(a));
    let (y, way) = if arrays.status[b] == Status::Flying {
        let [position, velocity] = world.flight_at(b, now);
        let together = (v - velocity).norm();
        (position, together.max(velocity.norm()))
    } else {
        (arrays.position(b), v.norm())
    };
    let fall = 0.5 * world.physics.gravity.norm() * length * length;
    let touch = arrays.radius(a) + arrays.radius(b);
    let reach = touch + way * length + fall + world.physics.options.outer_margin;
    cluster::observe::shortest(&world.physics, &world.cell, x - y).norm() <= reach
}

/// Predicts flyers, ascending, as if only `stepped` were stepped grains. Moves the flyers' rows to `now`.
fn foresee_among<D: Integrate>(
    setup: &Setup<D>,
    world: &mut World<D>,
    flight_search: &mut Box<dyn BroadPhase<D>>,
    flyers: &[u32],
    stepped: Vec<u32>,
    now: f64,
) -> flight::Forecast {
    for &flyer in flyers {
        flight::restart(world, flyer as usize, now);
    }
    let all = std::mem::replace(&mut world.grains.active, stepped);
    let ahead = flight::foresee(
        world,
        &mut **flight_search,
        &setup.space.periodic,
        flyers,
        now,
    );
    world.grains.active = all;
    ahead
}

/// Requires a flyer to be back at a time, s, at the latest; returns that time.
fn returns<D: Integrate>(world: &mut World<D>, slot: u32, back: f64) -> f64 {
    let known = &mut world.grains.back[slot as usize];
    *known = known.min(back);
    back
}

/// Steps a grain that was just added, or came back, from now on, given all grains that it may have as candidates, if these are known. Returns the
/// flyers among them; `None` where lists must be rebuilt.
pub(super) fn steps_in<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    near: Option<&[u32]>,
) -> Result<Option<Vec<u32>>, SystemError> {
    let now = system.dem.world.clock.time();
    let arrays = &system.dem.world.grains.arrays;
    let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
    let found = match near {
        None => around(
            &system.dem,
            &mut system.air,
            &mut system.surroundings,
            place,
            radius + system.dem.world.physics.options.outer_margin,
            now,
        ),
        Some(near) => near.to_vec(),
    };
    let status = &system.dem.world.grains.arrays.status;
    let (flyers, others): (Vec<u32>, Vec<u32>) = found
        .into_iter()
        .filter(|&other| other != slot)
        .partition(|&other| status[other as usize] == Status::Flying);
    let ascends = system.dem.world.grains.in_order
        && system
            .dem
            .world
            .grains
            .active
            .last()
            .is_none_or(|&last| last < slot);
    driver::start_stepping(&mut system.dem.world, slot);
    system.dem.world.grains.in_order = ascends;
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
    if !cluster::entering::enter(&mut dem.world, &mut dem.skin, &dem.border, slot, &others) {
        return Ok(None);
    }
    system.s.known.plan = None;
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    Ok(Some(flyers))
}
