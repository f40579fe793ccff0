//! Forces and the stride after them in one pass over the bands of a large system.
//!
//! Reference: the same steps in two passes, to the bit.

use arenite::cluster::Dem;
use arenite::cluster::arrays::Status;
use arenite::cluster::integrate::Integrate;
use arenite::cluster::kernel::Batch;
use arenite::contact::LawTable;
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
    setup.fields.gravity = place::<D>(0.0, -9.8);
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

fn engine<D: Integrate>(setup: &Setup<D>, margins: (f64, f64)) -> Dem<D> {
    stepped(
        setup,
        (STEP, 0),
        margins,
        Box::new(Cells::new()),
        Level::best(),
    )
}

/// Brings lists up to date after a stride.
fn mind_lists<D: Integrate>(engine: &mut Dem<D>) {
    if arenite::cluster::renew::outer_is_stale(&engine.world.physics, &engine.skin) {
        engine.renew();
    } else {
        engine.refresh_inner();
    }
}

/// So many steps, of which every tenth ends with forces that somebody may look at.
fn in_one_pass<D: Integrate>(engine: &mut Dem<D>, steps: usize) {
    engine.advance();
    for step in 1..=steps {
        mind_lists(engine);
        if step == steps {
            engine.forces();
        } else if step % 10 == 0 {
            engine.forces();
            engine.advance();
        } else {
            assert!(engine.forces_and_advance());
        }
    }
}

/// Steps while lists are filtered and renewed now and then.
fn same_bits<D: Integrate>(setup: &Setup<D>, prepare: impl Fn(&mut Dem<D>)) {
    let margins = (1e-3, 2e-4);
    let (mut one, mut two) = (engine(setup, margins), engine(setup, margins));
    prepare(&mut one);
    prepare(&mut two);
    let before = two.book.counts;
    in_one_pass(&mut one, 150);
    for _ in 0..150 {
        in_two_passes(&mut two);
    }
    let counts = two.book.counts;
    assert_eq!(one.book.counts, counts);
    assert!(counts.renewals > before.renewals + 1, "{counts:?}");
    assert!(counts.filterings > before.filterings + 10, "{counts:?}");
    assert!(counts.slipped > 1000, "{counts:?}");
    // Not printed: megabytes.
    let told = |engine: &Dem<D>| format!("{:?}", engine.state());
    assert!(told(&one) == told(&two));
}

#[test]
fn one_pass_has_the_bits_of_two_in_the_plane() {
    same_bits(&crowd::<Planar>(0.5), |_| {});
}

#[test]
fn one_pass_has_the_bits_of_two_in_space() {
    same_bits(&crowd::<Spatial>(0.5), |_| {});
}

/// In a periodic box a grain that is taken away leaves empty lanes amid others: nothing touches there.
fn who_is_taken_away_leaves_nothing<D: Integrate>() {
    let mut setup = crowd::<D>(0.5);
    setup.boundaries.clear();
    setup.fields.gravity = place::<D>(0.0, 0.0);
    setup.space.periodic = vec![None; D::N];
    setup.space.periodic[0] = Some(PeriodicAxis {
        origin: -1.0,
        length: 10.0,
    });
    let mut engine = engine(&setup, (5e-3, 1e-3));
    let lists = |engine: &Dem<D>| engine.world.contacts.pairs[0].lists.clone();
    let last = engine.world.grains.arrays.slots() as u32 - 500;
    arenite::cluster::change::remove(
        &mut engine.world,
        &mut engine.book,
        &mut engine.clusters,
        &mut engine.border,
        &[last],
    );
    let amid = |batch: &&Batch| batch.a[..7].contains(&0) && batch.a[7] != 0;
    assert!(lists(&engine).batches.iter().filter(amid).count() > 0);
    engine.advance();
    assert!(engine.forces_and_advance());
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

/// Several materials, and so several lists; some grains stand still amid others.
fn classes_and_a_rim<D: Integrate>() {
    let mut setup = crowd::<D>(0.5);
    setup.matter.materials.push("other".into());
    let law = *setup.matter.laws.get(0, 0).unwrap();
    let mut laws = LawTable::new(2);
    for pair in [(0, 0), (0, 1), (1, 1)] {
        laws.set(pair.0, pair.1, law);
    }
    setup.matter.laws = laws;
    for grain in setup.grains.iter_mut().step_by(3) {
        grain.material = 1;
    }
    same_bits(&setup, |engine| {
        let slots: Vec<u32> = engine
            .world
            .grains
            .active
            .iter()
            .copied()
            .step_by(1000)
            .collect();
        let count = engine.world.grains.arrays.slots();
        engine.world.sleeping.still.make_room(count);
        arenite::cluster::still::stop(
            &mut engine.world,
            &mut engine.book,
            &mut engine.border,
            &slots,
        );
        engine.renew();
    });
}

#[test]
fn classes_and_a_rim_in_the_plane() {
    classes_and_a_rim::<Planar>();
}

#[test]
fn classes_and_a_rim_in_space() {
    classes_and_a_rim::<Spatial>();
}

/// A wall is taken away, and its links with it: whom it touched goes on with the others.
fn a_wall_is_taken_away<D: Integrate>() {
    let setup = crowd::<D>(0.5);
    same_bits(&setup, |engine| {
        arenite::cluster::change::open(&mut engine.world, &mut engine.book, &mut engine.clusters, 0)
    });
}

#[test]
fn a_wall_is_taken_away_in_the_plane() {
    a_wall_is_taken_away::<Planar>();
}

#[test]
fn a_wall_is_taken_away_in_space() {
    a_wall_is_taken_away::<Spatial>();
}

/// Where links are logged, or what was added has not begun to step, there are two passes.
#[test]
fn who_is_looked_at_takes_two_passes() {
    let mut engine = engine(&crowd::<Planar>(0.5), (1e-3, 2e-4));
    engine.advance();
    engine.world.physics.options.log_links = true;
    assert!(!engine.forces_and_advance());
    engine.world.physics.options.log_links = false;
    assert!(engine.forces_and_advance());
    let grain = crowd::<Planar>(0.5).grains[0];
    arenite::cluster::dem::add(
        &engine.world.shapes,
        &mut engine.world.grains,
        &mut engine.clusters,
        &grain,
        Status::Stepped,
        0.0,
    );
    engine.renew();
    assert!(!engine.forces_and_advance());
}
