//! Figures of a run so far.

use std::collections::BTreeMap;

use super::jam_watch::JamWatch;
use super::ledger::{Held, held};
use super::logging::events;
use super::state_hash::StateHash;
use super::ticks::LastRow;
use super::traffic::Traffic;
use super::{
    Outcome, Setup, System, air, cell, driver, meter, models, outlet, rest, stillness, supply,
    turning,
};
use crate::cluster::World;
use crate::cluster::bonds::fragments::Fragments;
use crate::cluster::integrate::Integrate;
use crate::cluster::rigid::RigidBodies;
use crate::record::{
    Avalanches, BodyFigures, BondFigures, EnergyFigures, EventFigures, GrainsPerLinkEvent,
    Status as RunStatus, Summary, Times, WorkFigures,
};

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
    let energy = figures(system, &held, time);
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
        fields: (!system.setup.fields.place.is_none()
            && turning::own_frame(&system.setup).is_none())
        .then(|| {
            system
                .s
                .ledger
                .given_by_fields(&system.dem, &system.fields, time)
        }),
        soft: None,
        cell: cell::cell_figures(&system.dem.world),
        bonds: bonds(system),
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

/// Returns what is told of bonds, where grains are bonded.
pub(super) fn bonds<D: Integrate>(system: &System<D>) -> Option<BondFigures> {
    let (bonds, counts) = (&system.dem.world.contacts.bonds, &system.dem.book.counts);
    if !system.setup.matter.laws.have_bonds() {
        return None;
    }
    let world = &system.dem.world;
    let (fragments, largest_fragment) = Fragments::of(world).sizes(world);
    Some(BondFigures {
        removed: bonds.removed,
        fragments,
        largest_fragment,
        formed: bonds.formed,
        holding: (bonds.list.len() + world.grains.rigid.ties()) as u64,
        torn: counts.torn,
        sheared: counts.sheared,
        bodies: system
            .setup
            .matter
            .laws
            .have_rigid_bonds()
            .then(|| bodies(&world.grains.rigid)),
    })
}

/// Returns the figures of rigid bodies.
fn bodies<D: Integrate>(rigid: &RigidBodies<D>) -> BodyFigures {
    BodyFigures {
        formed: rigid.counts.formed,
        holding: rigid.list.len() as u64,
        screened: rigid.counts.screened,
        solved: rigid.counts.solved,
        divided: rigid.counts.divided,
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

/// Returns the figures of the energy balance, from the energies held at a time within a step of the last evaluation, s.
pub(super) fn figures<D: Integrate>(system: &System<D>, held: &Held, time: f64) -> EnergyFigures {
    let (ledger, world) = (&system.s.ledger, &system.dem.world);
    let (held, more) = turning::in_laboratory(&system.setup, world, ledger.gravity, time, held);
    ledger.figures(&system.dem, &held, more, system.s.rest.energy)
}

/// Returns the figures of the energy balance now.
pub(super) fn energy_figures<D: Integrate>(system: &System<D>) -> EnergyFigures {
    let time = system.dem.world.clock.time();
    figures(system, &held(&system.dem.world, &system.fields, time), time)
}
