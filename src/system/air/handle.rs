//! Handling of the flyers' events, one after another.

use super::come_back::come_back;
use super::{AirTally, Foreseen, Kind, Next, bent, collide, foresee};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Dem, World};
use crate::event::{Event, EventKind, EventQueue};
use crate::geometry::Vector;
use crate::neighbor::wrapped;
use crate::record::Sink;
use crate::system::air::Air;
use crate::system::schedule::{Schedule, Source};
use crate::system::{System, SystemError, regimes};

/// Number of events handled in one go, after which the driver checks the clock.
const MANY: usize = 4096;

impl Next {
    fn kind(self) -> EventKind {
        match self {
            Next::Look => EventKind::PredictTrajectory,
            Next::Pair | Next::Wall => EventKind::Collision,
            Next::Return => EventKind::NeighborUpdate,
        }
    }
}

/// Returns whether there is a grain in flight.
pub(in crate::system) fn anyone_flies(air: &Option<Air>) -> bool {
    air.as_ref().is_some_and(|aloft| aloft.s.flyers > 0)
}

/// Returns whether all predictions have to be made anew.
pub(in crate::system) fn is_stale(air: &Option<Air>) -> bool {
    air.as_ref().is_none_or(|aloft| aloft.s.stale)
}

/// Returns the counts of flight since time 0; zeros where no grain may fly.
pub(in crate::system) fn air_tally(air: &Option<Air>) -> AirTally {
    air.as_ref()
        .map_or_else(AirTally::default, |aloft| aloft.s.tally)
}

/// Reports that paths of flyers were changed from outside: the next rebuild of the lists predicts all events anew.
pub(in crate::system) fn forget_flyers(air: &mut Option<Air>) {
    if let Some(aloft) = air {
        aloft.forget();
    }
}

/// Removes all flyers and their events.
pub(in crate::system) fn close_air(air: &mut Option<Air>, schedule: &mut Schedule) {
    if let Some(aloft) = air {
        aloft.clear();
        aloft.forget();
        schedule.cancel(Source::Flight);
    }
}

/// Puts a flyer's earliest event into the queue.
pub(super) fn await_event(
    air: &mut Option<Air>,
    id: u32,
    next: Foreseen,
) -> Result<(), SystemError> {
    let Some(aloft) = air else {
        return Ok(());
    };
    aloft.s.bodies[id as usize].foreseen = next;
    let event = Event::new(next.time, next.next.kind());
    aloft.s.queue.schedule(id, event).map_err(|_| {
        SystemError::Numerical(format!(
            "grain {id} in flight is nowhere: its place or velocity is not a number any more"
        ))
    })
}

/// Removes a grain from flight.
pub(super) fn leave_air(air: &mut Option<Air>, id: u32) {
    if let Some(aloft) = air {
        aloft.unregister(id);
    }
}

/// Returns the time of the grid to which a flyer comes back at `time`, s.
pub(super) fn grid_time<D: Integrate>(world: &World<D>, time: f64) -> f64 {
    if world.grains.active.is_empty() {
        world
            .clock
            .time_of(world.clock.step_before(time).max(world.clock.n))
    } else {
        world.clock.time()
    }
}

/// Returns whether a flyer's path reaches back to the time of the grid.
pub(super) fn is_free_to_return<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
    time: f64,
) -> bool {
    let grid = grid_time(world, time);
    let slot = foresee::flyer(world, air, id);
    slot.is_some_and(|slot| bent::began(world, air, slot) <= grid)
}

/// Schedules the return, at the next step, of a flyer that collided since the last one.
pub(super) fn await_step<D: Integrate>(
    world: &World<D>,
    air: &mut Option<Air>,
    id: u32,
) -> Result<(), SystemError> {
    let step = world.clock.step;
    let slot = foresee::flyer(world, air, id).unwrap_or(0);
    let since = bent::began(world, air, slot);
    // Half a step after that step, so that the grid stands there whatever the rounding.
    let next = Foreseen {
        time: since + 1.5 * step,
        next: Next::Return,
        ..Foreseen::default()
    };
    await_event(air, id, next)
}

/// Puts the flyers' first event into the driver's queue.
pub(in crate::system) fn schedule_flyers<D: Integrate>(
    world: &World<D>,
    air: &Option<Air>,
    schedule: &mut Schedule,
) {
    let first = air.as_ref().and_then(|aloft| aloft.s.queue.peek());
    match first {
        Some((_, event)) if event.time.is_finite() => {
            // Not before the time that the grid has reached.
            let time = event.time.max(world.clock.time());
            schedule.set(Source::Flight, time, event.kind);
        }
        _ => {
            schedule.cancel(Source::Flight);
        }
    }
}

/// Handles the flyers' events up to the next event of any other source.
pub(in crate::system) fn fly_on<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if is_stale(&system.air) {
        return regimes::renew(system, sink);
    }
    let limit = system.s.schedule.first_time();
    for round in 0..MANY {
        let Some(aloft) = &mut system.air else {
            return Ok(());
        };
        let Some((id, event)) = aloft.s.queue.peek() else {
            break;
        };
        if round > 0 && event.time >= limit {
            break;
        }
        aloft.s.queue.pop();
        let time = event.time.max(aloft.s.clock);
        aloft.s.clock = time;
        let body = aloft.s.bodies[id as usize];
        let next = body.foreseen;
        if body.kind != Kind::Flyer {
            continue;
        }
        bent::go_on(system, id, time);
        wrap(&mut system.dem, &mut system.air, id, time);
        let Some(aloft) = &mut system.air else {
            return Ok(());
        };
        match next.next {
            Next::Look => {
                system.s.journal.count(EventKind::PredictTrajectory);
                foresee::foresee_again(
                    &system.setup,
                    &system.dem.world,
                    &mut system.air,
                    id,
                    time,
                )?;
            }
            Next::Pair => {
                let other = aloft.s.bodies[next.with as usize];
                if other.kind == Kind::Flyer && other.path == next.detail {
                    let stepped = system.dem.world.grains.active.len();
                    collide::meet_pair(system, [id, next.with], time, sink)?;
                    if system.dem.world.grains.active.len() != stepped {
                        break;
                    }
                } else {
                    foresee::foresee_again(
                        &system.setup,
                        &system.dem.world,
                        &mut system.air,
                        id,
                        time,
                    )?;
                }
            }
            Next::Wall => {
                let stepped = system.dem.world.grains.active.len();
                collide::meet_wall(system, id, [next.with, next.detail], time, sink)?;
                if system.dem.world.grains.active.len() != stepped {
                    break;
                }
            }
            Next::Return => {
                let again = foresee::foresee_again(
                    &system.setup,
                    &system.dem.world,
                    &mut system.air,
                    id,
                    time,
                )?;
                let step = system.dem.world.clock.step;
                let due =
                    again.filter(|again| again.next == Next::Return && again.time <= time + step);
                if due.is_some() {
                    if is_free_to_return(&system.dem.world, &mut system.air, id, time) {
                        call_back(system, &[id], time, sink)?;
                        break;
                    }
                    await_step(&system.dem.world, &mut system.air, id)?;
                }
            }
        }
    }
    schedule_flyers(&system.dem.world, &system.air, &mut system.s.schedule);
    Ok(())
}

/// Moves the path of a flyer back into a periodic box by whole lengths. Along gravity that lifts or lowers it, as if a wall did.
fn wrap<D: Integrate>(dem: &mut Dem<D>, air: &mut Option<Air>, id: u32, time: f64) {
    let world = &mut dem.world;
    if world.physics.periodic().iter().all(Option::is_none) {
        return;
    }
    let Some(slot) = foresee::flyer(world, air, id) else {
        return;
    };
    let place = world.flight_at(slot as usize, time)[0];
    let shift = wrapped::<D>(world.physics.periodic(), place) - place;
    if shift != D::Vector::default() {
        let from = world.grains.arrays.position(slot as usize);
        let arrays = &mut world.grains.arrays;
        D::place(arrays, slot as usize, from + shift);
        let mass = 1.0 / arrays.inverse_mass(slot as usize);
        dem.book.flows.walls -= mass * world.physics.gravity.dot(&shift);
    }
}

/// Returns flyers, by number, to the grid of steps.
pub(super) fn call_back<D: Integrate>(
    system: &mut System<D>,
    ids: &[u32],
    time: f64,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    if system.dem.world.grains.active.is_empty() {
        cluster::sleep_interface::skip_to(
            &mut system.dem.world.clock,
            &system.dem.world.sleeping,
            &mut system.dem.book,
            time,
        );
    }
    system.s.journal.count(EventKind::NeighborUpdate);
    come_back(system, sink, ids.to_vec())
}
