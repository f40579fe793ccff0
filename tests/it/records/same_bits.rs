//! Same input, same bits: whatever is logged, searched, vectorised or interrupted.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arenite::cluster::Dem;
use arenite::cluster::integrate::Integrate;
use arenite::contact::{ContactLaw, Hertz, Linear, LinearPerMass};
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::neighbor::Cells;
use arenite::record::{MemorySink, NullSink, SeriesRow};
use arenite::system::{
    Control, EventLog, FeedSetup, FeedTiming, IntegratorName, LogSetup, Mixture, NeighborName,
    Outcome, OutletSetup, RadiusLaw, Setup, System,
};
use arenite::vector::Level;
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};

use crate::support::*;

fn laws() -> [ContactLaw; 3] {
    let per_mass = ContactLaw::LinearPerMass(LinearPerMass(Linear {
        normal_stiffness: 1e5,
        tangential_stiffness: 0.7e5,
        normal_damping: 400.0,
        tangential_damping: 200.0,
        friction: 0.5,
    }));
    let hertz = ContactLaw::Hertz(Hertz {
        young: 1e7,
        shear: 1e7,
        damping_ratio: 0.3,
        friction: 0.4,
    });
    [linear(1e5, 0.7e5, 40.0, 20.0, 0.5), per_mass, hertz]
}

/// A box with a gate, a bed, flyers, a feed, a moving wall and outlets: all that the driver does.
fn scene<D: Integrate>(law: ContactLaw) -> Setup<D> {
    let mut setup: Setup<D> = empty(law, 2e-5, 0.45);
    setup.fields.gravity = place::<D>(0.0, -9.81);
    let wide = |along: f64, up: f64| {
        D::Vector::from_fn(|k| match k {
            0 => along,
            k if k == D::N - 1 => up,
            _ => along * 0.5,
        })
    };
    // The box has no floor of its own: it reaches far below the gate.
    let shape = Shape::Box(shapes::Cuboid {
        min: wide(-0.06, -1.0),
        max: wide(0.06, 2.0),
        inside: true,
    });
    wall(&mut setup, "box", shape);
    floor(&mut setup).opens_at = Some(0.2);
    wall(
        &mut setup,
        "stirrer",
        Shape::Ball(shapes::Ball {
            centre: place::<D>(0.0, 0.02),
            radius: 0.012,
            inside: false,
        }),
    )
    .motion = Motion::Harmonic {
        amplitude: place::<D>(0.02, 0.0),
        frequency: 5.0,
        phase: 0.0,
    };
    let mut dice = Dice(3);
    let columns = if D::N == 2 { 1 } else { 2 };
    for i in 0..40 {
        let (row, side) = (i / (4 * columns), i % (4 * columns));
        let mut x = place::<D>(
            0.027 * (f64::from(side % 4) - 1.5) + dice.between(-1e-3, 1e-3),
            0.05 + 0.024 * f64::from(row),
        );
        if D::N == 3 {
            x[1] = 0.026 * (f64::from(side / 4) - 0.5);
        }
        let radius = dice.between(0.006, 0.01);
        let mass = 1200.0 * radius * radius;
        let v = dice.vector::<D>(-0.3, 0.3);
        add(&mut setup, radius, mass, x, v).spin = dice.spin::<D>(-9.0, 9.0);
    }
    setup.sources.feeds.push(FeedSetup {
        min: wide(-0.04, 0.6),
        max: wide(0.04, 0.7),
        rise: Default::default(),
        start: 0.05,
        timing: FeedTiming::Poisson(100.0),
        count: 12,
        mass: None,
        what: Mixture::one(
            0,
            if D::N == 2 { 400.0 } else { 3e4 },
            RadiusLaw::Uniform {
                min: 0.006,
                max: 0.01,
            },
        ),
        velocity: place::<D>(0.0, -1.0),
        attempts: 20,
        retry_interval: 0.01,
        max_retries: 100,
    });
    setup.sources.outlets.push(OutletSetup::Plane {
        point: place::<D>(0.0, -0.1),
        normal: place::<D>(0.0, 1.0),
    });
    setup
}

fn quiet() -> LogSetup {
    LogSetup {
        series: None,
        snapshots: None,
        checkpoint: None,
        events: EventLog::None,
        stagnant: None,
        wear: None,
        impacts: false,
    }
}

fn loud() -> LogSetup {
    LogSetup {
        series: Some(0.0037),
        snapshots: Some(0.011),
        checkpoint: Some(0.029),
        events: EventLog::Links,
        stagnant: None,
        wear: None,
        impacts: false,
    }
}

fn hash<D: Integrate>(setup: &Setup<D>, threads: usize) -> u64 {
    let mut system = System::new(setup.clone()).unwrap();
    let never = AtomicBool::new(false);
    let mut control = Control {
        interrupted: &never,
        wall_limit: None,
        progress: Some(&mut |_| {}),
        threads,
    };
    let outcome = system.run(&mut NullSink, &mut control).unwrap();
    assert_eq!(outcome, Outcome::Finished);
    let summary = system.summary();
    // The scene does what it is for: it feeds, it discharges, grains fly and touch.
    assert_eq!(summary.grains.created, 12);
    assert!(summary.grains.removed > 5, "{:?}", summary.grains);
    assert!(summary.regimes.flight > 0.05, "{:?}", summary.regimes);
    system.state_hash()
}

fn same_bits<D: Integrate>(law: ContactLaw) {
    let mut setup = scene::<D>(law);
    setup.log = quiet();
    let want = hash(&setup, 1);
    assert_eq!(hash(&setup, 2), want, "with two threads");
    setup.motion.neighbor = NeighborName::Brute;
    assert_eq!(hash(&setup, 1), want, "with the search of all pairs");
    setup.motion.neighbor = NeighborName::Cells;
    setup.log = loud();
    assert_eq!(hash(&setup, 1), want, "with logs");
    setup.log.series = Some(1e-4);
    setup.log.checkpoint = None;
    assert_eq!(hash(&setup, 1), want, "with other logs");
    // The test can tell: another seed feeds other grains.
    setup.seed = 2;
    assert_ne!(hash(&setup, 1), want);
}

#[test]
fn logs_threads_and_searches_change_no_bit() {
    for law in laws() {
        same_bits::<Planar>(law);
        same_bits::<Spatial>(law);
    }
}

/// Rows as text: numbers that are none are equal, too.
fn text(rows: &[SeriesRow]) -> Vec<String> {
    rows.iter().map(|r| format!("{r:?}")).collect()
}

/// Runs in pieces, each from the saved bytes of the one before.
fn in_pieces<D: Integrate>(setup: &Setup<D>, by_flag: bool) -> (System<D>, MemorySink, usize) {
    let mut system = System::new(setup.clone()).unwrap();
    let mut sink = MemorySink::default();
    let mut pieces = 1;
    loop {
        let stop = AtomicBool::new(by_flag);
        let mut control = Control {
            interrupted: &stop,
            wall_limit: (!by_flag).then_some(Duration::ZERO),
            progress: None,
            threads: 1,
        };
        if system.run(&mut sink, &mut control).unwrap() != Outcome::Interrupted {
            return (system, sink, pieces);
        }
        pieces += 1;
        sink.series.truncate(sink.kept);
        let handed = sink.checkpoint.take().unwrap();
        let saved = system.save().unwrap();
        assert_eq!(handed, saved);
        system = System::restore(setup.clone(), &saved).unwrap();
        // What was read back is what was written.
        assert_eq!(system.save().unwrap(), saved);
    }
}

fn resumed<D: Integrate>(law: ContactLaw, integrator: IntegratorName) {
    let mut setup = scene::<D>(law);
    setup.log = loud();
    setup.motion.integrator = integrator;
    if integrator == IntegratorName::Euler {
        setup.motion.step = Some(1e-5);
    }
    let (whole, want) = run(&setup);
    for by_flag in [false, true] {
        let (system, got, pieces) = in_pieces(&setup, by_flag);
        assert!(pieces >= 4, "{pieces}");
        assert_eq!(system.state_hash(), whole.state_hash());
        assert_eq!(text(&got.series), text(&want.series));
        assert_eq!(format!("{:?}", got.events), format!("{:?}", want.events));
        assert_eq!(
            format!("{:?}", got.snapshots),
            format!("{:?}", want.snapshots)
        );
        let (mut a, mut b) = (system.summary(), whole.summary());
        (a.time.wall, b.time.wall) = (0.0, 0.0);
        (a.events.per_wall_second, b.events.per_wall_second) = (0.0, 0.0);
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}

#[test]
fn stopped_and_resumed_is_as_if_never_stopped() {
    use IntegratorName::{Euler, Heun, Midpoint, Verlet};
    for law in laws() {
        resumed::<Planar>(law, Verlet);
        resumed::<Spatial>(law, Verlet);
    }
    for integrator in [Euler, Heun, Midpoint] {
        resumed::<Planar>(laws()[0], integrator);
        resumed::<Spatial>(laws()[2], integrator);
    }
}

/// Settling, too, can be stopped and resumed.
#[test]
fn stopped_while_settling() {
    let mut setup = scene::<Planar>(laws()[0]);
    setup.log = loud();
    setup.run.settle = Some(arenite::system::SettleSetup {
        at_most: 1.0,
        kinetic_fraction: 1e-4,
    });
    setup.sources.feeds.clear();
    let (whole, want) = run(&setup);
    let (system, got, pieces) = in_pieces(&setup, false);
    assert!(pieces > 8, "{pieces}");
    assert_eq!(system.state_hash(), whole.state_hash());
    assert_eq!(text(&got.series), text(&want.series));
}

/// An engine with a packing of grains in a box, at one level of vector units.
fn packing<D: Integrate>(law: ContactLaw, level: Level) -> Dem<D> {
    let setup = scene::<D>(law);
    let search = Box::new(Cells::new());
    stepped(&setup, (2e-5, 12_000), (5e-3, 1e-3), search, level)
}

fn levels<D: Integrate>() {
    for law in laws() {
        let want = packing::<D>(law, Level::Plain);
        let touching: u32 = want
            .world
            .contacts
            .pairs
            .iter()
            .flat_map(|c| &c.lists.flags)
            .map(|f| f.touch.count_ones())
            .sum();
        assert!(want.book.counts.opened > 200, "{:?}", want.book.counts);
        assert!(touching >= 4, "{touching}");
        for level in [Level::Avx2, Level::Avx512] {
            let got = packing::<D>(law, level);
            assert!(
                format!("{:?}", got.state()) == format!("{:?}", want.state()),
                "{level:?} differs from plain with {law:?}"
            );
        }
    }
}

/// Levels that the processor lacks fall back to what it has, so that there this test says less.
#[test]
fn all_vector_levels_give_the_same_bits() {
    levels::<Planar>();
    levels::<Spatial>();
}

/// Of a run that ends empty the hash still tells how its grains left, and when.
#[test]
fn hashes_cover_those_that_left() {
    let hash = |height: f64, interval: f64| {
        let text = format!(
            "name = 'left'\ndescription = 'a disk falls out'\ndimension = 2\n[field]\ngravity = [0.0, -9.81]\n\
             [run]\nend_time = 1.0\nstep = 1e-4\nstop_when_empty = true\noutlet_interval = {interval}\n\
             [log]\nseries = 0.1\ncheckpoint = 'never'\nsnapshots = 'never'\n\
             [material.bead]\ndensity = 1000.0\n\
             [[law]]\nbetween = ['bead', 'bead']\nlinear = {{ normal_stiffness = 1e4, \
             tangential_stiffness = 0.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }}\n\
             [[fill]]\nmaterial = 'bead'\ngrains = [{{ position = [0.0, {height}], radius = 0.01 }}, \
             {{ position = [0.1, {height}], radius = 0.01 }}]\n\
             [[outlet]]\nplane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n"
        );
        let (_, summary) = driven(&text).unwrap();
        assert_eq!(summary.grains.last, 0);
        summary.state_hash
    };
    let one = hash(1.0, 0.01);
    assert_eq!(one, hash(1.0, 0.01));
    assert_ne!(one, hash(1.1, 0.01));
    // The same paths, looked at at other times.
    assert_ne!(one, hash(1.0, 0.03));
}
