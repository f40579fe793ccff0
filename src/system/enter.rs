//! A grain that a feed makes joins those that are there: what it may meet is looked at, and nobody else.

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

/// What is due within so many steps cannot wait.
const DUE: f64 = 3.0;
/// Lists are renewed for flyers so many steps before the first of them must be back.
const BEFORE: f64 = 2.0;

/// Slots of grains whose surface may be within `reach` of a place, m, at a time, s.
pub(super) fn around<D: Integrate>(
    dem: &Dem<D>,
    air: &mut Option<Air>,
    surroundings: &mut Option<Surroundings<D>>,
    place: D::Vector,
    reach: f64,
    time: f64,
) -> Vec<u32> {
    if let Some(slots) = air::around_in_air(&dem.world, air, place, reach) {
        return slots;
    }
    // Collisions make flyers faster than they were when that was made.
    let known = surroundings.take().filter(|_| !air::flyers_collide(air));
    let known = known.filter(|known| known.holds(dem, time));
    let known = known.unwrap_or_else(|| Surroundings::new(dem, time));
    let found = known.near(dem, place, reach, time);
    *surroundings = Some(known);
    found
}

/// A grain that was just added as a flyer, its row at the time of evaluation, joins all others.
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

/// The same without a look at all others; gives whether that was possible. If not, all is to be renewed.
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
        let flyers = steps_in(system, sink, slot, &[])?;
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
    // What is foreseen of others holds until then.
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
    // What is looked at must not depend on when the surroundings were gathered: a run that goes on from a checkpoint gathers them anew.
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
        let Some(flyers) = steps_in(system, sink, slot, &near)? else {
            return Ok(false);
        };
        // They meet it as one that is stepped.
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

/// Whether a flyer whose row stands at `now` may meet a grain in so much time, s, by their distance and speeds, also if it is to be
/// stepped itself.
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

/// Foresees flyers, ascending, as if of those that are stepped only these were there. Their rows come to stand at `now`.
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

/// A flyer must be back at a time, s, at the latest.
fn returns<D: Integrate>(world: &mut World<D>, slot: u32, back: f64) -> f64 {
    let known = &mut world.grains.back[slot as usize];
    *known = known.min(back);
    back
}

/// A grain that was just added begins to step at once. Gives the flyers among `near`; none where lists are to be renewed.
pub(super) fn steps_in<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    slot: u32,
    near: &[u32],
) -> Result<Option<Vec<u32>>, SystemError> {
    let now = system.dem.world.clock.time();
    let arrays = &system.dem.world.grains.arrays;
    let (place, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
    let found = match near {
        [] => around(
            &system.dem,
            &mut system.air,
            &mut system.surroundings,
            place,
            radius + system.dem.world.physics.options.outer_margin,
            now,
        ),
        near => near.to_vec(),
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
    if !cluster::entering::enter(&mut system.dem.world, &system.dem.border, slot, &others) {
        return Ok(None);
    }
    system.s.known.plan = None;
    afar::apply_fields_to_fresh(&mut system.dem, &mut system.fields, system.uniform);
    Ok(Some(flyers))
}
