//! Execution and logging of the orders that sources give.

use std::time::Instant;

use super::schedule::{Due, Source};
use super::source::{Order, Sight};
use super::{
    Outcome, Setup, System, SystemError, air, driver, enter, logging, meter, outlet, perturb,
    reason, regimes, rest, rigid, snapshot, stillness, zones,
};
use crate::body::{Grain, GrainId};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::arrays::Status;
use crate::cluster::integrate::Integrate;
use crate::control::Readings;
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::neighbor::wrapped;
use crate::record::Sink;
use crate::walls::Motion;

impl<D: Integrate> Readings for System<D> {
    fn passed(&self, meter: usize) -> i64 {
        self.s.meters.count(meter)
    }
}

impl<D: Integrate> Sight<D> for System<D> {
    fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    fn is_settling(&self) -> bool {
        self.s.stage.settling
    }

    fn is_jammed(&self) -> bool {
        self.s.watch.jam().is_some()
    }

    fn next_grain(&self) -> Option<GrainId> {
        self.s.traffic.next()
    }

    fn wrapped(&self, place: D::Vector) -> D::Vector {
        wrapped::<D>(self.dem.world.physics.periodic(), place)
    }

    fn is_free(&mut self, place: D::Vector, radius: f64, time: f64) -> bool {
        let near = enter::around(
            &self.dem,
            &mut self.air,
            &mut self.surroundings,
            place,
            radius,
            time,
        );
        let arrays = &self.dem.world.grains.arrays;
        let free_of_grains = near.into_iter().all(|slot| {
            let x = self.dem.world.position_at(slot as usize, time);
            let d = cluster::observe::shortest(
                &self.dem.world.physics,
                &self.dem.world.cell,
                place - x,
            );
            let reach = radius + arrays.radius(slot as usize);
            d.norm_squared() > reach * reach
        });
        free_of_grains
            && self
                .dem
                .world
                .walls
                .boundaries
                .iter()
                .zip(&self.dem.world.walls.gone)
                .all(|(wall, &gone)| {
                    gone || { wall.distance(&wall.boundary.motion.pose(time), place) > radius }
                })
    }
}

/// Executes, books and logs an order of a source at its event.
pub(super) fn carry_out<D: Integrate>(
    system: &mut System<D>,
    order: Order<D>,
    due: Due,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    match order {
        Order::Add(grain) => add(system, sink, &grain, due.time)?,
        Order::Open(wall) => open_gate(system, sink, wall, due.time)?,
        Order::Slide(wall) => slide(system, sink, wall, due.time)?,
        Order::Shut(feed) => shut(system, sink, feed, due.time)?,
        Order::Row => write_row(system, sink, due.time)?,
        Order::Snapshot => take_snapshot(system, sink, due.time)?,
        Order::Save => save(system, sink)?,
        Order::RemoveLeft => {
            system.s.journal.count(EventKind::DeleteBodies);
            outlet::delete_left(system, sink, due.time)?;
            system.stop_if_empty(sink, due.time)?;
        }
        Order::LookForRest => stillness::look_for_rest(system, sink, due.time)?,
        Order::LookForJam => stillness::look_for_jam(system, sink, due.time)?,
        Order::GiveUpSettling => stillness::give_up_settling(system, sink)?,
        Order::Finish => finish(system, sink, due.time)?,
        Order::UpdateFields => {
            system.s.journal.count(EventKind::FieldUpdate);
            system.fields.handle_event(due.time);
            system.s.rest.balanced = false;
            driver::schedule_fields(system, due.time);
        }
        Order::Perturb(index) => perturb::perturb(system, sink, index, due.time)?,
        Order::Count(kind) => system.s.journal.count(kind),
        Order::Warn(kind, words) => {
            system.s.warnings.push(words);
            system.s.journal.count(kind);
            system.log(sink, due.time, kind, None)?;
        }
    }
    Ok(())
}

/// Ends the run.
fn finish<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    rigid::regroup(system, sink)?;
    reason::check_all_overlaps(&system.setup, &system.dem.world, &mut system.s.warnings)?;
    system.s.journal.count(EventKind::Finish);
    let outcome = if system.s.watch.jam().is_some() {
        Outcome::Jammed
    } else {
        Outcome::Finished
    };
    system.finish(sink, time, outcome)
}

/// Writes a row of the series.
fn write_row<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    rigid::recount(system, sink)?;
    system.s.journal.count(EventKind::LogState);
    logging::log_state(system, sink, time)?;
    zones::look_at_zones(
        &system.setup,
        &system.dem.world,
        &system.s.watch,
        &mut system.s.zones,
        time,
    );
    Ok(())
}

/// Writes a snapshot.
fn take_snapshot<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    rigid::regroup(system, sink)?;
    system.s.journal.count(EventKind::Visualize);
    snapshot::log_snapshot(
        &mut system.dem,
        &system.fields,
        &system.s.journal,
        &system.s.watch,
        &system.s.rest,
        sink,
        time,
    )
}

/// Writes a checkpoint without splitting a step.
fn save<D: Integrate>(system: &mut System<D>, sink: &mut dyn Sink) -> Result<(), SystemError> {
    system.s.journal.count(EventKind::Checkpoint);
    system.schedule_step();
    system.s.stage.wall_seconds = driver::wall_time(&system.started_at, &system.s.stage);
    system.started_at = Instant::now();
    sink.checkpoint(&system.save()?)?;
    Ok(())
}

/// Adds a grain.
fn add<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    grain: &Grain<D>,
    time: f64,
) -> Result<(), SystemError> {
    system.s.journal.count(EventKind::AddBody);
    system.s.traffic.enter(time);
    system.account(time);
    let kinetic = grain.kinetic_energy();
    let potential = system.potential_of(grain, time, &[]);
    system.s.ledger.fed += kinetic + potential;
    system.s.ledger.fed_potential += potential;
    system.s.ledger.perturbed -= perturb::lift(&system.dem.world, &system.s.ledger, grain);
    meter::meet_meters(
        &system.setup,
        &mut system.s.meters,
        grain.id,
        grain.position,
    );
    let slot = cluster::dem::add(
        &system.dem.world.shapes,
        &mut system.dem.world.grains,
        &mut system.dem.clusters,
        grain,
        Status::Flying,
        time,
    );
    system.s.journal.causes.now = system.log(sink, time, EventKind::AddBody, Some(slot))?;
    if system.dem.world.grains.active.is_empty() {
        cluster::sleep_interface::skip_to(
            &mut system.dem.world.clock,
            &system.dem.world.sleeping,
            &mut system.dem.book,
            time,
        );
    }
    // The grain's events are predicted at once; the path first goes back in time to the grid, in case the grain must step.
    let now = system.dem.world.clock.time();
    air::begin_path(system, slot);
    air::restart(&mut system.dem, &system.fields, slot, now);
    air::begin_path(system, slot);
    enter::join(system, sink, slot, time)?;
    system.s.journal.causes.now = 0;
    Ok(())
}

/// Starts the motion of a sliding wall.
fn slide<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    index: usize,
    time: f64,
) -> Result<(), SystemError> {
    system.s.journal.count(EventKind::BoundaryUpdate);
    system.s.journal.causes.now = system.log(sink, time, EventKind::BoundaryUpdate, None)?;
    set_slide(&mut system.setup, &mut system.dem.world, index, time);
    system.s.watch.disturb(time);
    // Predictions with this wall no longer hold.
    air::forget_flyers(&mut system.air);
    regimes::renew(system, sink)?;
    system.s.journal.causes.now = 0;
    Ok(())
}

/// Sets the time at which a sliding wall starts, s, which may be in the past or to come.
pub(super) fn set_slide<D: Integrate>(
    setup: &mut Setup<D>,
    world: &mut World<D>,
    index: usize,
    time: f64,
) {
    let set_up = &mut setup.boundaries[index].motion;
    let moved = &mut world.walls.boundaries[index].boundary.motion;
    for motion in [set_up, moved] {
        if let Motion::Slide(slide) = motion {
            slide.from = Some(time);
        }
    }
}

/// Shuts a feed.
fn shut<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    index: usize,
    time: f64,
) -> Result<(), SystemError> {
    system.s.journal.count(EventKind::BoundaryUpdate);
    system.log(sink, time, EventKind::BoundaryUpdate, None)?;
    system.s.sources.shut(index, time);
    system.s.schedule.cancel(Source::Feed(index as u32));
    system.s.watch.disturb(time);
    Ok(())
}

/// Opens a gate: its links end, and the energy that they held is lost.
fn open_gate<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    index: usize,
    time: f64,
) -> Result<(), SystemError> {
    system.s.journal.count(EventKind::BoundaryUpdate);
    system.s.journal.causes.now = system.log(sink, time, EventKind::BoundaryUpdate, None)?;
    let elastic =
        cluster::change::end_links_with(&system.dem.world, &mut system.dem.effects, index, time);
    system.s.ledger.remove_elastic(elastic);
    logging::log_links(system, sink)?;
    cluster::change::open(
        &mut system.dem.world,
        &mut system.dem.book,
        &mut system.dem.clusters,
        index,
    );
    system.s.watch.disturb(time);
    rest::wake_unbalanced(system, sink)?;
    // Those that lay on it are asked at once whether they may leave.
    air::forget_flyers(&mut system.air);
    regimes::renew(system, sink)?;
    system.s.journal.causes.now = 0;
    Ok(())
}
