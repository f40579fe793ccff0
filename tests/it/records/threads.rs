//! The work of a step dealt out to threads, in systems of enough grains for several bands.
//!
//! References: the same run on one thread, to the bit; a part of the system by itself, which is one band; pairs
//! counted from positions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::contact::LawTable;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::record::MemorySink;
use arenite::system::{Control, EventLog, MorphSetup, PeriodicAxis, Setup, System};

use crate::support::{Dice, add, close, empty, finish, floor, linear, momenta, place};

const RADIUS: f64 = 0.01;
const PITCH: f64 = 2.0 * RADIUS * (1.0 - 1e-3);
const STEP: f64 = 1e-5;
/// Grains of a band, about, in the plane; from two of these on there are bands, in space four times as many.
const BAND: usize = 8192;

/// Grains on a square lattice, `across` to a row, a little pressed into each other, that go all ways; they keep to
/// steps.
fn crowd<D: Integrate>(count: usize, across: usize, steps: usize) -> Setup<D> {
    let law = linear(1e5, 5e4, 2.0, 1.0, 0.4);
    let mut setup: Setup<D> = empty(law, STEP, steps as f64 * STEP);
    setup.motion.flight = false;
    let mut dice = Dice(7);
    for n in 0..count {
        let at = |k: usize| match k + 1 == D::N {
            true => n / across.pow(k as u32),
            false => n / across.pow(k as u32) % across,
        };
        let position = D::Vector::from_fn(|k| RADIUS + PITCH * at(k) as f64);
        let velocity = dice.vector::<D>(-0.5, 0.5);
        add(&mut setup, RADIUS, 0.01, position, velocity).spin = dice.spin::<D>(-20.0, 20.0);
    }
    setup
}

/// The same, with images all around: blocks of bands that are far from each other in memory.
fn wrapped<D: Integrate>(count: usize, across: usize, steps: usize) -> Setup<D> {
    let mut setup = crowd::<D>(count, across, steps);
    let up = count.div_ceil(across.pow(D::N as u32 - 1));
    setup.space.periodic = (0..D::N)
        .map(|k| {
            let cells = if k + 1 == D::N { up } else { across };
            Some(PeriodicAxis {
                origin: 0.0,
                length: PITCH * cells as f64,
            })
        })
        .collect();
    setup
}

fn on<D: Integrate>(threads: usize, system: &mut System<D>) -> MemorySink {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    control.threads = threads;
    let mut sink = MemorySink::default();
    system.run(&mut sink, &mut control).unwrap();
    sink
}

/// All that a run ends with, but for clocks.
fn ended<D: Integrate>(system: &System<D>, setup: &Setup<D>, sink: &MemorySink) -> String {
    let mut summary = system.summary();
    summary.time.wall = 0.0;
    summary.events.per_wall_second = 0.0;
    let grains = system.grains_at(setup.run.end_time);
    let (events, series) = (&sink.events, &sink.series);
    format!("{grains:?} {events:?} {series:?} {summary:?}")
}

fn same_on_any_number_of_threads<D: Integrate>(mut setup: Setup<D>) {
    setup.log.series = Some(10.0 * STEP);
    let mut hashes = Vec::new();
    // With links logged forces and strides are two passes.
    for log in [EventLog::None, EventLog::Links] {
        setup.log.events = log;
        let mut run = |threads: usize| {
            let mut system = System::new(setup.clone()).unwrap();
            let sink = on(threads, &mut system);
            hashes.push(system.state_hash());
            ended(&system, &setup, &sink)
        };
        let one = run(1);
        for threads in [2, 3, 7] {
            // Not printed: megabytes.
            assert!(run(threads) == one, "{threads} threads, {log:?}");
        }
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 1);
}

#[test]
fn threads_change_no_bit_in_the_plane() {
    same_on_any_number_of_threads(wrapped::<Planar>(3 * BAND, 150, 120));
}

#[test]
fn threads_change_no_bit_in_space() {
    same_on_any_number_of_threads(wrapped::<Spatial>(3 * BAND, 29, 60));
}

/// Grains of two materials that stand still, are woken and fall on each other: slots come and go, and those that step are not always
/// in order.
#[test]
fn threads_change_no_bit_where_grains_come_to_rest() {
    let mut setup = crowd::<Planar>(2 * BAND + 100, 1000, 400);
    floor(&mut setup);
    setup.matter.materials.push("other".into());
    let mut laws = LawTable::new(2);
    for [a, b] in [[0, 0], [0, 1], [1, 1]] {
        laws.set(a, b, linear(1e5, 5e4, 2.0, 1.0, 0.4));
    }
    setup.matter.laws = laws;
    for grain in setup.grains.iter_mut().step_by(3) {
        grain.material = 1;
    }
    setup.fields.gravity = place::<Planar>(0.0, -9.8);
    setup.motion.flight = true;
    for grain in &mut setup.grains {
        grain.velocity *= 0.05;
        grain.spin = 0.0;
    }
    setup.models.morph = Some(MorphSetup {
        kinetic: 10.0,
        creep: 10.0,
        dwell: 1e-4,
        residual: 1e3,
        ..crate::support::finely()
    });
    same_on_any_number_of_threads(setup);
}

/// A run on three threads that goes on from the middle of one on two.
#[test]
fn a_run_goes_on_with_other_threads() {
    let mut setup = wrapped::<Planar>(2 * BAND + 500, 130, 100);
    setup.log.checkpoint = Some(37.0 * STEP);
    let mut whole = System::new(setup.clone()).unwrap();
    let sink = on(1, &mut whole);
    let mut system = System::new(setup.clone()).unwrap();
    let mut kept = crate::support::Checkpoints::default();
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    control.threads = 2;
    system.run(&mut kept, &mut control).unwrap();
    assert!(kept.states.len() >= 2);
    let mut resumed = System::restore(setup.clone(), &kept.states[0]).unwrap();
    let after = on(3, &mut resumed);
    assert_eq!(after.events.len(), sink.events.len());
    let grains = |system: &System<Planar>| format!("{:?}", system.grains_at(setup.run.end_time));
    assert!(grains(&resumed) == grains(&whole));
}

/// Three crowds far from each other move as one does alone: the middle one is cut by bands, the one alone is not.
/// What differs is rounding of positions some metres away, 1e-15 m of overlaps of 2e-5 m, over a hundred steps of
/// which each carries it on.
fn parts_move_as_alone<D: Integrate>(across: usize, steps: usize) {
    let count = 7000;
    let alone = crowd::<D>(count, across, steps);
    let mut three = alone.clone();
    for far in [4.0, 8.0] {
        for grain in &alone.grains {
            let mut copy = *grain;
            copy.id = three.grains.len() as u32;
            copy.position += place::<D>(0.0, far);
            three.grains.push(copy);
        }
    }
    assert!(three.grains.len() > 2 * BAND && count < 2 * BAND);
    let velocities = |setup: &Setup<D>| -> Vec<D::Vector> {
        let mut system = System::new(setup.clone()).unwrap();
        finish(&mut system, &mut MemorySink::default());
        let grains = system.grains_at(setup.run.end_time);
        grains
            .iter()
            .map(|grain: &Grain<D>| grain.velocity)
            .collect()
    };
    let (one, all) = (velocities(&alone), velocities(&three));
    let mut moved = 0;
    for (k, v) in all.iter().enumerate() {
        let off = (*v - one[k % count]).norm();
        assert!(off < 1e-7, "grain {k}: {off}");
        moved += usize::from((*v - three.grains[k].velocity).norm() > 0.1);
    }
    // Most were pushed about.
    assert!(moved > count, "{moved}");
}

#[test]
fn bands_change_nothing_but_rounding() {
    parts_move_as_alone::<Planar>(80, 150);
    parts_move_as_alone::<Spatial>(20, 100);
}

/// Pairs that overlap, found by a grid of their own.
fn overlapping<D: Dimension>(grains: &[Grain<D>], periodic: &[Option<PeriodicAxis>]) -> u64 {
    let shortest = |d: D::Vector| {
        D::Vector::from_fn(|k| {
            let length = periodic[k].unwrap().length;
            d[k] - length * (d[k] / length).round()
        })
    };
    let cells: Vec<i64> = periodic
        .iter()
        .map(|axis| (axis.unwrap().length / (2.0 * RADIUS)).floor() as i64)
        .collect();
    let cell = |x: D::Vector| -> Vec<i64> {
        (0..D::N)
            .map(|k| {
                let axis = periodic[k].unwrap();
                let share = (x[k] / axis.length).rem_euclid(1.0);
                ((share * cells[k] as f64) as i64).min(cells[k] - 1)
            })
            .collect()
    };
    let mut held: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
    for (n, grain) in grains.iter().enumerate() {
        held.entry(cell(grain.position)).or_default().push(n);
    }
    let mut count = 0;
    for (n, grain) in grains.iter().enumerate() {
        let at = cell(grain.position);
        for step in 0..3i64.pow(D::N as u32) {
            let near: Vec<i64> = (0..D::N)
                .map(|k| (at[k] + step / 3i64.pow(k as u32) % 3 - 1).rem_euclid(cells[k]))
                .collect();
            for &m in held.get(&near).into_iter().flatten().filter(|&&m| m < n) {
                let d = shortest(grain.position - grains[m].position);
                count += u64::from(d.norm() < 2.0 * RADIUS);
            }
        }
    }
    count
}

/// Every pair in touch is a link, wherever bands are cut; forces of pairs leave the momentum alone, and the
/// ledger closes.
fn links_are_all_there<D: Integrate>(across: usize, steps: usize) {
    let mut setup = wrapped::<D>(3 * BAND, across, steps);
    setup.log.series = Some(setup.run.end_time);
    let before = momenta(&setup.grains).0;
    let mut system = System::new(setup.clone()).unwrap();
    let sink = on(2, &mut system);
    let row = sink.series.last().unwrap();
    // The row is of the last evaluation, half a step of motion or less from the grains at the end, 5 um at 1 m/s: of tens of thousands of
    // pairs whose gaps spread over a fifth of a diameter one or two may come into touch or part meanwhile (as it is, none does).
    let pairs = overlapping(&system.grains_at(setup.run.end_time), &setup.space.periodic);
    assert!(row.links > 10_000, "{row:?}");
    close("links", row.links as f64, pairs as f64, 3.0);
    let after = momenta(&system.grains_at(setup.run.end_time)).0;
    let scale = 0.01 * 0.5 * (3 * BAND) as f64;
    assert!(
        (after - before).norm() < 1e-12 * scale,
        "{before:?} {after:?}"
    );
    let energy = system.summary().energy;
    // Of second order in the step: 8e-5 and 1.3e-4 were measured.
    assert!(energy.balance_error < 3e-4, "{energy:?}");
}

#[test]
fn no_pair_is_lost_between_bands() {
    links_are_all_there::<Planar>(150, 200);
    links_are_all_there::<Spatial>(29, 100);
}
