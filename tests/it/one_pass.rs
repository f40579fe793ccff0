//! A stride and the forces after it in one pass over the bands of a large system.
//!
//! References: the same steps in two passes, to the bit; where somebody is suddenly so fast that lists end within a step, the same
//! steps in two passes with other sums, to rounding.

use arenite::cluster::Engine;
use arenite::cluster::integrate::Integrate;
use arenite::cluster::kernel::Batch;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::neighbor::Cells;
use arenite::system::{PeriodicAxis, Setup};
use arenite::vector::Level;

use crate::support::{Dice, add, empty, floor, in_two_passes, linear, place, stepped};

const RADIUS: f64 = 0.01;
const PITCH: f64 = 2.0 * RADIUS * (1.0 - 1e-3);
const STEP: f64 = 1e-5;
/// Enough grains for two bands, and some more.
const COUNT: usize = 17_000;

/// Grains on a lattice over a floor, a little pressed into each other, with velocities of `speed` (m/s) at most.
fn crowd<D: Integrate>(speed: f64) -> Setup<D> {
    let across: usize = if D::N == 2 { 130 } else { 26 };
    let mut setup: Setup<D> = empty(linear(1e5, 5e4, 2.0, 1.0, 0.4), STEP, 1.0);
    floor(&mut setup);
    setup.gravity = place::<D>(0.0, -9.8);
    let mut dice = Dice(7);
    for n in 0..COUNT {
        let at = |k: usize| match k + 1 == D::N {
            true => n / across.pow(k as u32),
            false => n / across.pow(k as u32) % across,
        };
        let position = D::Vector::from_fn(|k| RADIUS * 0.999 + PITCH * at(k) as f64);
        let velocity = dice.vector::<D>(-speed, speed);
        add(&mut setup, RADIUS, 0.01, position, velocity).spin =
            dice.spin::<D>(-20.0 * speed, 20.0 * speed);
    }
    setup
}

fn engine<D: Integrate>(setup: &Setup<D>, margins: (f64, f64)) -> Engine<D> {
    stepped(
        setup,
        (STEP, 0),
        margins,
        Box::new(Cells::new()),
        Level::best(),
    )
}

fn touching<D: Integrate>(engine: &Engine<D>) -> u32 {
    let classes = engine.state.pairs.iter();
    let flags = classes.flat_map(|class| &class.lists.flags);
    flags.map(|flags| flags.touch.count_ones()).sum()
}

/// Steps while lists are filtered and renewed now and then.
fn same_bits<D: Integrate>() {
    let setup = crowd::<D>(0.5);
    let margins = (1e-3, 2e-4);
    let (mut one, mut two) = (engine(&setup, margins), engine(&setup, margins));
    let mut together = 0;
    for _ in 0..150 {
        if one.advance_with_forces() {
            together += 1;
        } else {
            in_two_passes(&mut one);
        }
        in_two_passes(&mut two);
    }
    let counts = two.state.counts;
    assert_eq!(one.state.counts, counts);
    assert!(
        counts.renewals > 2 && counts.filterings > 10 && counts.slipped > 1000,
        "{counts:?}"
    );
    assert!(together > 75, "{together}");
    // Not printed: megabytes.
    let told = |engine: &Engine<D>| format!("{:?}", engine.state);
    assert!(told(&one) == told(&two));
}

#[test]
fn one_pass_has_the_bits_of_two_in_the_plane() {
    same_bits::<Planar>();
}

#[test]
fn one_pass_has_the_bits_of_two_in_space() {
    same_bits::<Spatial>();
}

/// In a periodic box a grain that is taken away leaves empty lanes amid others: nothing touches there.
fn who_is_taken_away_leaves_nothing<D: Integrate>() {
    let mut setup = crowd::<D>(0.5);
    setup.boundaries.clear();
    setup.gravity = place::<D>(0.0, 0.0);
    setup.periodic = vec![None; D::N];
    setup.periodic[0] = Some(PeriodicAxis {
        origin: -1.0,
        length: 10.0,
    });
    let mut engine = engine(&setup, (5e-3, 1e-3));
    let lists = |engine: &Engine<D>| engine.state.pairs[0].lists.clone();
    let last = engine.state.arrays.slots() as u32 - 500;
    engine.remove(&[last]);
    let amid = |batch: &&Batch| batch.a[..7].contains(&0) && batch.a[7] != 0;
    assert!(lists(&engine).batches.iter().filter(amid).count() > 0);
    assert!(engine.advance_with_forces());
    let lists = lists(&engine);
    for (batch, flags) in lists.batches.iter().zip(&lists.flags) {
        let empty = (0..8).filter(|&lane| batch.a[lane] == 0);
        assert!(empty.into_iter().all(|lane| flags.touch >> lane & 1 == 0));
    }
}

#[test]
fn who_is_taken_away_leaves_nothing_in_the_plane() {
    who_is_taken_away_leaves_nothing::<Planar>();
}

#[test]
fn who_is_taken_away_leaves_nothing_in_space() {
    who_is_taken_away_leaves_nothing::<Spatial>();
}

/// Two grains deep in each other fly apart from rest, one of them against a third, which the lists leave out: it is nearer than the way
/// of the first step.
fn lists_end_within_a_step<D: Integrate>() {
    let mut setup = crowd::<D>(0.0);
    let middle = setup.grains[COUNT / 2].position;
    let beside = D::Vector::from_fn(|k| if k == 0 { 5.0 } else { middle[k] });
    let right = |way: f64| beside + D::Vector::from_fn(|k| if k == 0 { way } else { 0.0 });
    let (deep, gap) = (1e-3, 3e-7);
    for way in [0.0, 2.0 * RADIUS - deep, 4.0 * RADIUS - deep + gap] {
        add(
            &mut setup,
            RADIUS,
            0.01,
            right(way),
            D::Vector::from_fn(|_| 0.0),
        );
    }
    let margins = (5e-3, 2e-7);
    let (mut one, mut two) = (engine(&setup, margins), engine(&setup, margins));
    let (before, filterings) = (touching(&one), one.state.counts.filterings);
    assert!(one.advance_with_forces());
    in_two_passes(&mut two);
    assert_eq!(one.state.counts, two.state.counts);
    assert_eq!(one.state.counts.filterings, filterings + 1);
    // 1e5 N/m times 1e-3 m on 0.01 kg, for one step from rest: 5e-7 m.
    assert_eq!([&one, &two].map(touching), [before + 1; 2]);
    for _ in 0..20 {
        if !one.advance_with_forces() {
            in_two_passes(&mut one);
        }
        in_two_passes(&mut two);
    }
    assert_eq!(touching(&one), touching(&two));
    let mut pushed = 0;
    for (a, b) in one.state.arrays.rows.iter().zip(&two.state.arrays.rows) {
        for k in 0..8 {
            // Sums in another order: some 1e-16 of forces of up to 100 N, on 0.01 kg, over 20 steps.
            assert!((a.0[k] - b.0[k]).abs() < 1e-14, "{a:?} {b:?}");
        }
        pushed += u32::from(a.0[4].abs() > 0.1);
    }
    assert_eq!(pushed, 3);
}

#[test]
fn lists_end_within_a_step_in_the_plane() {
    lists_end_within_a_step::<Planar>();
}

#[test]
fn lists_end_within_a_step_in_space() {
    lists_end_within_a_step::<Spatial>();
}
