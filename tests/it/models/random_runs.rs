//! Runs of any kind, drawn at random, keep what every run must keep: the ledger closes, momentum is accounted for,
//! nobody leaves a closed box, the same bits come out whatever is logged and however often it is stopped, and what is
//! turned or mirrored moves as what is not.
//!
//! Each case is a scenario as a user would write it. `cargo test --release --test it random_runs -- --ignored` draws
//! many more.

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::record::MemorySink;
use arenite::system::{EventLog, Setup, System};

use crate::models::random_draws::{Kind, one_of, planar, spatial};
use crate::models::random_walls::{in_vessel, work_is_booked};
use crate::support::{Checkpoints, Dice, close, finish, parts_of, run};
use crate::theory::symmetries::{Way, order_does_not_matter, turned_runs_agree};

/// Forces act from step to step, rows and grains are told between them: of what flowed between grains and walls, about
/// half a step of the largest forces.
const STEP: f64 = 2e-3;

/// Ledger, momentum, box.
fn laws_hold<D: Integrate>(setup: &Setup<D>, kind: Kind, what: &str) {
    let (system, sink) = run(setup);
    let summary = system.summary();
    // What the program itself calls a bad run is over 1e-2.
    assert!(
        summary.energy.balance_error < 1e-2,
        "{what}: balance {}",
        summary.energy.balance_error
    );
    assert_eq!(summary.warnings, Vec::<String>::new(), "{what}");
    let grains = system.grains_at(setup.run.end_time);
    assert_eq!(grains.len(), setup.grains.len(), "{what}");
    for grain in &grains {
        assert!(
            in_vessel(setup, kind.walls, grain.position),
            "{what}: grain {} left to {:?}",
            grain.id,
            grain.position
        );
    }
    momentum_is_accounted_for(setup, kind, &grains, &sink, what);
    let how = (kind.walls, kind.moved);
    work_is_booked(setup, how, &summary, &sink, STEP, what);
}

/// The change of momentum is what gravity and drag gave, less what walls took, tick by tick.
fn momentum_is_accounted_for<D: Integrate>(
    setup: &Setup<D>,
    kind: Kind,
    grains: &[Grain<D>],
    sink: &MemorySink,
    what: &str,
) {
    if setup.fields.drag > 0.0 {
        return;
    }
    let mass: f64 = setup.grains.iter().map(|g| g.mass).sum();
    let total = |grains: &[Grain<D>], axis: usize| -> f64 {
        grains.iter().map(|g| g.mass * g.velocity[axis]).sum()
    };
    let mut before = 0.0;
    let (mut taken, mut flowed) = ([0.0; 3], 0.0);
    for row in &sink.series {
        for wall in &row.walls {
            for axis in 0..D::N {
                let impulse = wall[axis] * (row.time - before);
                taken[axis] += impulse;
                flowed += impulse.abs();
            }
        }
        before = row.time;
    }
    // What stands still may each lack a tenth of its weight (100 tolerance), in all directions: 2e-3 of what flowed
    // was the most in 40 seeds.
    let share = if kind.still { 1e-2 } else { STEP };
    for axis in 0..D::N {
        let change = total(grains, axis) - total(&setup.grains, axis);
        let given = mass * setup.fields.gravity[axis] * setup.run.end_time - taken[axis];
        close(
            &format!("{what}: momentum {axis}"),
            change,
            given,
            share * flowed.max(mass * 0.1),
        );
    }
}

/// The same end whatever is logged, on a second run, and from a saved state.
fn bits_are_the_same<D: Integrate>(setup: &Setup<D>, what: &str) {
    let hash = |setup: &Setup<D>| run(setup).0.state_hash();
    let first = hash(setup);
    let mut quiet = setup.clone();
    quiet.log.series = None;
    assert_eq!(hash(&quiet), first, "{what}: nothing logged");
    let mut loud = setup.clone();
    loud.log.series = Some(0.003);
    loud.log.snapshots = Some(0.007);
    loud.log.events = EventLog::Links;
    loud.log.checkpoint = Some(0.11);
    let mut system = System::new(loud.clone()).unwrap();
    let mut kept = Checkpoints::default();
    finish(&mut system, &mut kept);
    assert_eq!(system.state_hash(), first, "{what}: all logged");
    assert!(!kept.states.is_empty(), "{what}");
    for state in &kept.states {
        let mut system = System::restore(loud.clone(), state).unwrap();
        finish(&mut system, &mut MemorySink::default());
        assert_eq!(system.state_hash(), first, "{what}: from a saved state");
    }
}

fn every_check<D: Integrate>(setup: &Setup<D>, kind: Kind, quarters: &[Way], what: &str) {
    laws_hold(setup, kind, what);
    bits_are_the_same(setup, what);
    order_does_not_matter(setup, what);
    turned_runs_agree(setup, quarters, what);
    // A shape that is mirrored is another shape.
    if kind.shape.is_none() {
        turned_runs_agree(setup, &[Way::Mirror], what);
    }
}

fn all(seeds: impl Iterator<Item = u64>, spaces: &[bool]) {
    for seed in seeds {
        let mut dice = Dice(1_000_003 * seed);
        for space in [false, true] {
            let kind = Kind::drawn(&mut dice, space);
            let axes = [0; 2].map(|_| *one_of(&mut dice, &[0, 1, 2]));
            if !spaces.contains(&space) {
                continue;
            }
            let what = format!("seed {seed}, {kind:?}");
            println!("{what}");
            match space {
                true => every_check(&spatial(seed, kind), kind, &axes.map(Way::Quarter), &what),
                false => every_check(&planar(seed, kind), kind, &[Way::Quarter(2)], &what),
            }
        }
    }
}

#[test]
fn any_run_keeps_the_laws() {
    all(0..8, &[false]);
    // Those that take a second or so; stiff laws take more.
    all([0, 3, 4, 5].into_iter(), &[true]);
}

#[test]
#[ignore = "minutes"]
fn any_of_many_runs_in_the_plane_keeps_the_laws() {
    all(parts_of(8..200), &[false]);
}

#[test]
#[ignore = "half an hour"]
fn any_of_many_runs_in_space_keeps_the_laws() {
    all(parts_of(0..200), &[true]);
}
