//! Records of the driver: rows of events and of the series.

use super::jam_watch::JamWatch;
use super::journal::Journal;
use super::ledger::{Ledger, held};
use super::{
    Setup, System, SystemError, afar, air, cell, driver, meter, models, nodes, outlet, summary,
    turning,
};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, ContactRef, Counts, Other, World};
use crate::event::EventKind;
use crate::field::FieldSet;
use crate::geometry::three;
use crate::record::{BodyRef, SeriesRow, Sink};
use crate::walls::shifts;

/// Events handled since the book was opened, in the order of `EventKind::ALL`.
pub(super) fn events_of(by_kind: &[u64], now: &Counts, ledger: &Ledger) -> Vec<u64> {
    let mut events = by_kind.to_vec();
    let then = &ledger.counts_at_start;
    events[EventKind::PredictTrajectory as usize] += now.steps - then.steps;
    events[EventKind::InsertLink as usize] += now.opened - then.opened;
    events[EventKind::RemoveLink as usize] += now.closed - then.closed;
    events[EventKind::SlipLink as usize] += now.slipped - then.slipped;
    events[EventKind::GripLink as usize] += now.gripped - then.gripped;
    events[EventKind::StabilizeLink as usize] += now.stabilized - then.stabilized;
    let broken = |counts: &Counts| counts.torn + counts.sheared;
    events[EventKind::BreakBond as usize] += broken(now) - broken(then);
    events
}

/// Logs an event of the whole system, or of one grain; returns its number, 0 if it was not logged.
pub(super) fn log_whole<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    journal: &mut Journal,
    watch: &JamWatch,
    sink: &mut dyn Sink,
    time: f64,
    kind: EventKind,
    slot: Option<u32>,
) -> Result<u64, SystemError> {
    if !journal.tells() {
        return Ok(0);
    }
    let mut row = journal.row(time, kind);
    row.cause = journal.causes.now;
    if let Some(slot) = slot {
        driver::put_body(world, &mut row, slot);
        let grain = outlet::grain_at(world, watch, slot, time);
        row.energy =
            grain.kinetic_energy() + afar::potential_of(setup, world, fields, &grain, time, &[]);
    }
    sink.event(&row)?;
    Ok(row.seq)
}

/// Logs the link events of the last evaluation; their cause is the event that is being handled.
pub(super) fn log_links<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.s.journal.causes.now;
    log_links_by(system, sink, |_, _| now)
}

/// The same, with a cause for each that follows from its two bodies.
pub(super) fn log_links_by<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    cause: impl Fn(BodyRef, BodyRef) -> u64,
) -> Result<(), SystemError> {
    let mut events = std::mem::take(&mut system.dem.effects.link_events);
    if system.s.journal.tells() {
        let id = |s: u32, system: &System<D>| system.dem.world.grains.arrays.id[s as usize];
        events.sort_by(|p, q| {
            p.time
                .total_cmp(&q.time)
                .then(p.kind.cmp(&q.kind))
                .then(id(p.a, system).cmp(&id(q.a, system)))
        });
        for event in &events {
            let (a, b) = (
                driver::body_ref(&system.dem.world, Other::Slot(event.a)),
                driver::body_ref(&system.dem.world, event.b),
            );
            let mut row = system.s.journal.row(event.time, event.kind);
            driver::put_body(&system.dem.world, &mut row, event.a);
            row.body_b = b;
            let links = &mut system.s.journal.links;
            row.link = match event.kind {
                // Of the contact beside it, if there is one.
                EventKind::BreakBond => links.find(a, b),
                _ => links.number(a, b, event.kind),
            };
            row.energy = event.energy;
            row.cause = cause(a, b);
            if event.kind == EventKind::InsertLink {
                system.s.journal.causes.link = row.seq;
            }
            sink.event(&row)?;
        }
    }
    events.clear();
    system.dem.effects.link_events = events;
    Ok(())
}

/// Returns the numbers of events handled so far, in the order of `EventKind::ALL`.
pub(super) fn events(book: &Book, ledger: &Ledger, journal: &Journal) -> Vec<u64> {
    events_of(journal.by_kind(), &book.counts, ledger)
}

/// Writes a row of the series.
pub(super) fn log_state<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    system.account(time);
    let held = held(&system.dem.world, &system.fields, time);
    let figures = summary::figures(system, &held, time);
    system.s.ledger.worst = figures.balance_error_max;
    turning::gather_walls(
        &system.setup,
        &system.dem.world,
        &mut system.dem.book,
        &mut system.s.turned,
    );
    let sums = match turning::own_frame(&system.setup) {
        Some(_) => &mut system.s.turned.sums,
        None => &mut system.dem.book.wall_sums,
    };
    // Averages over the steps in the sums, not over the interval, into which a step more or less may fall.
    let steps = system.s.last_row.row(time, system.dem.world.clock.n);
    let lasted = steps as f64 * system.dem.world.clock.step;
    // The sums are the forces of walls on grains; a load is the force of grains on a wall.
    let walls = sums.iter().map(|w| {
        let mean = |k: usize| {
            if lasted > 0.0 {
                0.0 - w[k] / lasted
            } else {
                0.0
            }
        };
        [mean(0), mean(1), mean(2), mean(3), mean(4), mean(5), w[6]]
    });
    let mut walls: Vec<[f64; 7]> = walls.collect();
    // No step was made: in a jam, and as a filling begins to move.
    if lasted == 0.0 && (system.s.watch.jam().is_some() || system.filled.is_some()) {
        loads_now(&system.dem.world, &mut walls);
    }
    for wall in sums {
        wall[..6].fill(0.0);
    }
    let clusters = cluster_count(system);
    let stepped = system.dem.world.grains.active.len() as u64;
    let still = system.dem.world.sleeping.still.count as u64;
    let rigid = system.s.rest.rigid.len() as u64;
    let grains = system.grain_count() as u64;
    let (links, sliding) =
        cluster::change::link_count(&system.dem.world.contacts, &system.dem.world.sleeping);
    let d = figures.dissipated;
    let air = air::air_tally(&system.air);
    let cell = cell::cell_row(&mut system.dem.world);
    let row = SeriesRow {
        time,
        grains,
        by_regime: [grains - stepped - still, stepped, still - rigid, rigid],
        clusters,
        links,
        sliding,
        discharged: system.s.traffic.discharged(),
        kinetic: figures.kinetic,
        potential: figures.potential,
        elastic: figures.elastic,
        elastic_bonds: figures.elastic_bonds,
        dissipated: [d.damping, d.slip, d.collision, d.morph, d.breakage],
        injected: figures.injected,
        removed: figures.removed,
        balance_error: figures.balance_error,
        collisions: [air.pairs, air.walls],
        dissipated_at_walls: air.lost_at_walls,
        groups: nodes::groups_now(&mut system.dem.world, &system.s.rest),
        work: models::of_motion(system).work(),
        events: events(&system.dem.book, &system.s.ledger, &system.s.journal),
        walls,
        meters: meter::metered(&system.setup, &system.s.meters),
        shifts: shifts(
            system
                .dem
                .world
                .walls
                .boundaries
                .iter()
                .map(|wall| &wall.boundary),
            time,
        ),
        cell,
        bonds: summary::bonds(system),
    };
    Ok(sink.series(&row)?)
}

/// Writes the row at which a run was interrupted, or failed. It comes after the checkpoint, so that a run resumed from there has no such
/// row; and it changes nothing in the kept state.
pub(super) fn log_stop<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let time = system.dem.world.clock.time();
    if system.setup.log.series.is_none()
        || !system.s.ledger.begun
        || system.s.last_row.last() >= time
    {
        return Ok(());
    }
    let kept = (system.s.clone(), system.dem.state().into_owned());
    let logged = log_state(system, sink, time);
    system.s = kept.0;
    system.dem.set_state(kept.1);
    logged
}

/// Computes the loads of walls at the last evaluation: in a jam there is no step over which to average.
fn loads_now<D: Integrate>(world: &World<D>, walls: &mut [[f64; 7]]) {
    for wall in walls.iter_mut() {
        wall[..6].fill(0.0);
    }
    let time = world.clock.time();
    cluster::observe::each_contact(world, |view: ContactRef<D>| {
        let Other::Boundary(index) = view.b else {
            return;
        };
        let wall = &world.walls.boundaries[usize::from(index)];
        let reference = wall.reference + wall.boundary.motion.pose(time).shift;
        let force = view.kinematics.normal * view.normal_force + view.tangential_force;
        let (arm, f) = (
            three(view.kinematics.point - view.kinematics.image - reference),
            three(force),
        );
        let load = &mut walls[usize::from(index)];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            load[k] -= f[k];
            load[3 + k] -= arm[i] * f[j] - arm[j] * f[i];
        }
    });
}

/// Returns the number of clusters, without grains in flight.
pub(super) fn cluster_count<D: Integrate>(system: &mut System<D>) -> u64 {
    cluster::change::find_splits(
        &system.dem.world.grains,
        &system.dem.world.contacts,
        &system.dem.world.sleeping,
        &mut system.dem.clusters,
    );
    let world = &system.dem.world;
    let standing = world.grains.active.len() + world.sleeping.still.count;
    // The dummy slot, each flyer and each part count as clusters in the index.
    let all = system.dem.clusters.count() - 1 - world.grains.bodies.parts();
    (all + standing - system.grain_count()) as u64
}
