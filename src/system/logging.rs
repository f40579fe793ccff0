//! Records of the driver: rows of events, series and snapshots, and the summary.

use std::collections::BTreeMap;

use super::jam_watch::JamWatch;
use super::journal::Journal;
use super::ledger::{self, Ledger, held};
use super::rest::RestState;
use super::state_hash::StateHash;
use super::ticks::LastRow;
use super::traffic::Traffic;
use super::{
    Outcome, Setup, System, SystemError, afar, air, cell, driver, force_error, meter, models,
    nodes, outlet, rest, rigid, stillness, supply,
};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Book, ContactRef, Counts, Dem, Other, World};
use crate::event::{EventKind, Regime};
use crate::field::FieldSet;
use crate::geometry::three;
use crate::record::{
    Avalanches, BodyRef, EventFigures, GrainRow, GrainsPerLinkEvent, LinkRow, SeriesRow, Sink,
    Status as RunStatus, Summary, Times, WorkFigures,
};
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
            row.link = system.s.journal.links.number(a, b, event.kind);
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
    let figures = system
        .s
        .ledger
        .figures(&system.dem, &held, system.s.rest.energy);
    system.s.ledger.worst = figures.balance_error_max;
    // Averages over the steps in the sums, not over the interval, into which a step more or less may fall.
    let steps = system.s.last_row.row(time, system.dem.world.clock.n);
    let lasted = steps as f64 * system.dem.world.clock.step;
    // The sums are the forces of walls on grains; a load is the force of grains on a wall.
    let walls = system.dem.book.wall_sums.iter().map(|w| {
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
    for wall in &mut system.dem.book.wall_sums {
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
        dissipated: [d.damping, d.slip, d.collision, d.morph],
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

/// Returns, by slot, the least grain number of those of some slots that have its label; -1 for others. Slots change, numbers stay.
fn named_by_least<D: Integrate>(
    world: &World<D>,
    slots: impl Iterator<Item = u32>,
    label: impl Fn(u32) -> u32,
) -> Vec<i64> {
    let arrays = &world.grains.arrays;
    let labelled = slots.map(|slot| (label(slot), arrays.id[slot as usize], slot));
    let mut labelled: Vec<(u32, GrainId, u32)> = labelled.collect();
    labelled.sort_unstable();
    let mut names = vec![-1; arrays.slots()];
    for group in labelled.chunk_by(|a, b| a.0 == b.0) {
        for &(_, _, slot) in group {
            names[slot as usize] = i64::from(group[0].1);
        }
    }
    names
}

/// Returns rows of all grains at a time within a step of the last evaluation, in order of number.
pub(super) fn grain_rows<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    watch: &JamWatch,
    rest: &RestState,
    time: f64,
) -> Vec<GrainRow> {
    let world = &mut dem.world;
    world.sleeping.still.pairs.find_groups();
    let (world, clusters) = (&*world, &mut dem.clusters);
    cluster::change::find_splits(&world.grains, &world.contacts, &world.sleeping, clusters);
    let arrays = &world.grains.arrays;
    let slots = || (1..arrays.slots() as u32).filter(|&s| arrays.status[s as usize].is_grain());
    let errors = force_error::of_groups(world, fields, clusters);
    let clusters = named_by_least(world, slots(), |slot| clusters.cluster_of(slot));
    let standing = slots().filter(|&slot| world.grains.stands(slot));
    let group_of = |slot: u32| world.sleeping.still.pairs.group_of(slot);
    let groups = named_by_least(world, standing, group_of);
    let mut rows: Vec<GrainRow> = slots()
        .map(|slot| {
            let flying = world.grains.flies(slot as usize);
            let grain = outlet::grain_at(world, watch, slot, time);
            let still = world.grains.stands(slot);
            let group = groups[slot as usize];
            let error = GrainId::try_from(group)
                .ok()
                .and_then(|least| errors.get(&least));
            let error = error.map_or(0.0, |group| group.error.sum());
            let (force, moment) = if flying {
                ([0.0; 3], [0.0; 3])
            } else if still {
                let [fx, fy, fz, mx, my, mz] =
                    cluster::held::contact_force(&world.grains, &world.sleeping, slot);
                ([fx, fy, fz], [mx, my, mz])
            } else {
                D::force(arrays, slot as usize)
            };
            GrainRow {
                time,
                grain: grain.id,
                shape: grain.form,
                radius: grain.radius,
                mass: grain.mass,
                material: grain.material,
                position: three(grain.position),
                velocity: three(grain.velocity),
                rotation: D::rotation_components(grain.rotation).0,
                spin: std::array::from_fn(|k| {
                    if k < D::SPINS {
                        D::spin_component(grain.spin, k)
                    } else {
                        0.0
                    }
                }),
                force,
                moment: moment.map(|t| t * grain.radius),
                regime: if flying {
                    Regime::Flight
                } else if still && rigid::is_rigid(world, rest, slot) {
                    Regime::Rigid
                } else if still {
                    Regime::Rest
                } else {
                    Regime::Cluster
                },
                cluster: if flying { -1 } else { clusters[slot as usize] },
                group,
                force_error: error,
            }
        })
        .collect();
    rows.sort_unstable_by_key(|r| r.grain);
    rows
}

/// Returns rows of all links at the last evaluation, ordered by their bodies.
pub(super) fn link_rows<D: Integrate>(
    world: &World<D>,
    journal: &Journal,
    time: f64,
) -> Vec<LinkRow> {
    let mut rows = Vec::new();
    cluster::observe::each_contact(world, |link: ContactRef<D>| {
        let (mut a, mut b) = (
            driver::body_ref(world, Other::Slot(link.a)),
            driver::body_ref(world, link.b),
        );
        // From a to b; the kernels' normal points from b to a.
        let mut normal = -link.kinematics.normal;
        let mut force = link.tangential_force;
        if let (BodyRef::Grain(i), BodyRef::Grain(j)) = (a, b)
            && i > j
        {
            std::mem::swap(&mut a, &mut b);
            normal = -normal;
            force = -force;
        }
        rows.push(LinkRow {
            time,
            link: journal.links.find(a, b),
            body_a: a,
            body_b: b,
            point: three(link.kinematics.point),
            normal: three(normal),
            overlap: link.kinematics.overlap,
            normal_force: link.normal_force,
            tangential_force: three(force),
            slipping: link.slipping,
            stable: link.stable,
        });
    });
    rows.sort_by_key(|r| (r.body_a.code(), r.body_b.code()));
    rows
}

pub(super) fn log_snapshot<D: Integrate>(
    dem: &mut Dem<D>,
    fields: &FieldSet<D>,
    journal: &Journal,
    watch: &JamWatch,
    rest: &RestState,
    sink: &mut dyn Sink,
    time: f64,
) -> Result<(), SystemError> {
    let grains = grain_rows(dem, fields, watch, rest, time);
    let links = link_rows(&dem.world, journal, time);
    Ok(sink.snapshot(&grains, &links)?)
}

/// Returns a hash over number, position, velocity, rotation and spin of every grain at the final time, and of departed grains at their
/// departure.
pub(super) fn state_hash<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    traffic: &Traffic,
    ticks: &LastRow,
    watch: &JamWatch,
) -> u64 {
    let time = ticks.last().max(world.clock.time().min(setup.run.end_time));
    let mut hash = StateHash::new();
    for grain in outlet::grains_at(world, watch, time) {
        hash.grain(&grain);
    }
    hash.departures(traffic.departures());
    hash.value()
}

/// Returns the time that a system has reached, s.
pub(super) fn time_of<D: Integrate>(system: &System<D>) -> f64 {
    match system.s.stage.over {
        Some(_) => system.s.last_row.last(),
        None => system.dem.world.clock.time(),
    }
}

/// Returns the figures so far. The caller fills in the names of program version and scenario.
pub(super) fn summary<D: Integrate>(system: &System<D>) -> Summary {
    let time = time_of(system);
    let held = match system.s.stage.over {
        Some(_) => system.s.stage.held,
        None => held(&system.dem.world, &system.fields, time),
    };
    let wall = driver::wall_time(&system.started_at, &system.s.stage);
    let times = Times {
        simulated: time,
        wall,
    };
    let (counts, begin) = (&system.dem.book.counts, &system.s.ledger.counts_at_start);
    let touched = system.dem.clusters.touched();
    let energy = system
        .s
        .ledger
        .figures(&system.dem, &held, system.s.rest.energy);
    let air = air::air_tally(&system.air);
    let filled = system.filled.as_ref();
    let mut warnings = system.s.warnings.clone();
    let dropped = system.s.schedule.dropped().iter();
    warnings
        .extend(dropped.map(|kind| format!("an event `{}` at no time was dropped", kind.name())));
    warnings.extend(super::reason::imbalance(&energy));
    // It only costs time; who did not ask for rest has no section to tune.
    if system.setup.models.asks_for_rest() {
        warnings.extend(system.s.rest.thrash.warning());
    }
    warnings.extend(rest::morph_warnings(
        &system.setup,
        &system.dem.world,
        &system.fields,
        &system.s.rest,
        &energy,
    ));
    if system.s.stage.over == Some(Outcome::Finished) {
        warnings.extend(stillness::silent_outlets(
            &system.setup,
            &system.dem.world,
            &system.s.traffic,
            &system.s.watch,
            time,
        ));
    }
    let later = system.s.watch.later();
    let feeds = supply::feed_figures(&system.setup, &system.s.sources, time);
    warnings.extend(supply::feed_warnings(
        &system.setup,
        &system.s.sources,
        &feeds,
        time,
    ));
    Summary {
        arenite: env!("CARGO_PKG_VERSION").to_string(),
        scenario: String::new(),
        seed: system.setup.seed,
        status: match system.s.stage.over {
            Some(Outcome::Finished) => RunStatus::Finished,
            Some(Outcome::Jammed) => RunStatus::Jammed,
            Some(Outcome::Empty) => RunStatus::Empty,
            Some(Outcome::Interrupted) | None => RunStatus::Interrupted,
        },
        time: times,
        state_hash: format!(
            "{:016x}",
            state_hash(
                &system.setup,
                &system.dem.world,
                &system.s.traffic,
                &system.s.last_row,
                &system.s.watch
            )
        ),
        events: EventFigures::of(
            &events(&system.dem.book, &system.s.ledger, &system.s.journal),
            system.s.journal.handled(),
            counts.steps - begin.steps,
            times,
        ),
        grains: system.s.traffic.figures(system.grain_count()),
        regimes: system.s.regimes.shares(),
        nodes: system.s.regimes.nodes.figures(),
        force_error: system.s.regimes.nodes.force_error(),
        models: models::of_motion(system).shares(),
        work: WorkFigures {
            solver: filled.map(|filling| filling.solver.clone()),
            grain_steps: counts.grain_steps - begin.grain_steps,
            collisions: air.pairs + air.walls,
            stress_solves: system.s.rest.solves + filled.map_or(0, |filling| filling.solves),
            stops: system.s.rest.thrash.stops,
            sleep_wake_cycles: system.s.rest.thrash.short,
            grain_steps_if_all_stepped: system.s.regimes.all_steps(),
            grains_per_link_event: GrainsPerLinkEvent {
                events: touched.count(),
                median: touched.quantile(0.5),
                p99: touched.quantile(0.99),
                largest: touched.largest(),
            },
        },
        energy,
        fields: (!system.setup.fields.place.is_none())
            .then(|| system.s.ledger.given_by_fields(&system.dem, &system.fields)),
        soft: None,
        cell: cell::cell_figures(&system.dem.world),
        discharge: (!system.setup.sources.outlets.is_empty())
            .then(|| system.s.traffic.discharge_figures()),
        feeds,
        meters: meter::meter_figures(&system.setup, &system.s.meters),
        jam: system.s.watch.jam().or(later).cloned(),
        jams: system.s.perturb.jams.iter().chain(later).cloned().collect(),
        avalanches: avalanches(system),
        impacts: None,
        commands: system.s.journal.given.clone(),
        corrections: crate::record::corrected(
            [
                ("collisions_beyond_tables", air.solved),
                ("collisions_followed_by_steps", air.lasting),
                ("collisions_forced", air.forced),
                ("grazing_collisions_left_out", air.grazes),
            ]
            .into_iter()
            .chain(filled.iter().flat_map(|filling| filling.corrections())),
        ),
        fills: system.setup.notes.fills.clone(),
        warnings,
        checksums: BTreeMap::new(),
    }
}

/// Returns the micro-avalanches of a filling and of grains at rest, added up.
fn avalanches<D: Integrate>(system: &System<D>) -> Option<Avalanches> {
    let own = system.setup.models.morph.map(|_| system.s.rest.avalanches);
    let before = system.filled.as_ref().map(|filling| filling.avalanches);
    own.into_iter().chain(before).reduce(|a, b| Avalanches {
        count: a.count + b.count,
        largest: a.largest.max(b.largest),
        energy: a.energy + b.energy,
    })
}

/// Returns the energies held at a time within a step of the last evaluation, J.
pub(super) fn energies<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    time: f64,
) -> ledger::Held {
    held(world, fields, time)
}

/// Returns the figures of the energy balance now.
pub(super) fn energy_figures<D: Integrate>(
    dem: &Dem<D>,
    fields: &FieldSet<D>,
    ledger: &Ledger,
    rest: &RestState,
) -> crate::record::EnergyFigures {
    ledger.figures(
        dem,
        &energies(&dem.world, fields, dem.world.clock.time()),
        rest.energy,
    )
}
