//! Silent outlets: jams that rattlers do not hide, the moment from which an outlet is silent, and the end of a run as its series
//! and its energy book tell of it. References are a ball in a bowl, runs that go on, and sums worked out by hand.

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::record::{MemorySink, Status};
use arenite::system::{Control, IntegratorName, OutletSetup, Setup, System};
use arenite::walls::Shape;
use arenite::walls::shapes;

use crate::support::{self, add, close, empty, floor, linear, place, planar, wall};

const G: f64 = 9.8;

/// An outlet far below all.
fn outlet<D: Dimension>(setup: &mut Setup<D>) {
    setup.sources.outlets.push(OutletSetup::Plane {
        point: place::<D>(0.0, -1.0),
        normal: place::<D>(0.0, 1.0),
    });
}

/// A ball that rolls to and fro in a round bowl, which hardly damps it: from so far beside the bottom, m.
fn bowl<D: Integrate>(aside: f64, finish: f64) -> Setup<D> {
    let mut setup = empty::<D>(linear(1e5, 3e4, 20.0, 0.0, 0.5), 2e-5, finish);
    setup.fields.gravity = place::<D>(0.0, -G);
    let shape = Shape::Ball(shapes::Ball {
        centre: D::Vector::default(),
        radius: 0.1,
        inside: true,
    });
    wall(&mut setup, "bowl", shape);
    outlet(&mut setup);
    let height = -(0.09f64 * 0.09 - aside * aside).sqrt();
    let still = D::Vector::default();
    add(&mut setup, 0.01, 0.1, place::<D>(aside, height), still);
    setup
}

fn swings<D: Integrate>() {
    // It rises by 5e-4 m: m g h is 0.025 m g d.
    let (system, _) = support::run(&bowl::<D>(0.0095, 2.0));
    let summary = system.summary();
    assert_eq!(summary.status, Status::Jammed);
    let jam = summary.jam.expect("a jam");
    assert_eq!((jam.time, jam.flow_stopped), (0.0, None));
    // Sixteen looks, of which the first come while it falls into its contact.
    assert!(jam.verdict_time > 0.35 && jam.verdict_time < 1.0);
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    // It swings still: it is frozen in the midst of it.
    assert!(summary.energy.kinetic + 0.1 * G * 0.09 + summary.energy.potential > 1e-4);
    // What swings by 0.4 m g d is no rattler.
    let (system, _) = support::run(&bowl::<D>(0.036, 2.0));
    let summary = system.summary();
    assert_eq!(summary.status, Status::Finished);
    // 2 s are 44 times the root of 0.02 m over g.
    let [warning] = &summary.warnings[..] else {
        panic!("{:?}", summary.warnings);
    };
    assert!(
        warning.starts_with("nothing went through outlet[0] for the last 2.000 s, 44 times"),
        "{warning}"
    );
    // 0.8 s are 18 times: too short to say so.
    let (system, _) = support::run(&bowl::<D>(0.036, 0.8));
    assert!(system.summary().warnings.is_empty());
}

#[test]
fn who_swings_in_a_bowl_bears_nothing() {
    swings::<Planar>();
    swings::<Spatial>();
}

/// A ball rolls without loss along a table, on which another lies, and falls over its edge: no jam before, and one after.
fn rolls<D: Integrate>() {
    let mut setup = empty::<D>(linear(1e5, 3e4, 20.0, 10.0, 0.5), 2e-5, 4.0);
    setup.fields.gravity = place::<D>(0.0, -G);
    let shape = Shape::Box(shapes::Cuboid {
        min: D::Vector::from_fn(|_| -0.5),
        max: D::Vector::from_fn(|k| if k == D::N - 1 { 0.0 } else { 0.5 }),
        inside: false,
    });
    wall(&mut setup, "table", shape);
    outlet(&mut setup);
    let height = 0.01 - 0.1 * G / 1e5;
    let still = D::Vector::default();
    add(&mut setup, 0.01, 0.1, place::<D>(-0.3, height), still);
    let speed = place::<D>(0.2, 0.0);
    add(&mut setup, 0.01, 0.1, place::<D>(0.2, height), speed);
    setup.grains[1].spin = support::rolling::<D>(0.2 / 0.01);
    let (system, _) = support::run(&setup);
    let summary = system.summary();
    let out = summary.discharge.expect("an outlet");
    assert_eq!((out.count, summary.status), (1, Status::Jammed));
    // 1.5 s to the edge and the fall of a metre.
    assert!(out.last > 1.9 && out.last < 2.2, "{}", out.last);
    let jam = summary.jam.expect("a jam");
    assert_eq!((jam.time, jam.flow_stopped), (out.last, Some(out.last)));
}

#[test]
fn what_rolls_to_an_edge_is_no_jam() {
    rolls::<Planar>();
    rolls::<Spatial>();
}

/// A ball on a table, all so many times as large, under a gravity that leans by so much: bodies of the same shape in other sizes.
fn ball<D: Integrate>(size: f64, leans: f64) -> Setup<D> {
    let pace = size.sqrt();
    let law = linear(
        1e5 * size.powi(2),
        3e4 * size.powi(2),
        20.0 * size.powf(2.5),
        0.0,
        0.5,
    );
    let mut setup = empty::<D>(law, 2e-5 * pace, 4.0 * pace);
    setup.fields.gravity = place::<D>(leans * G, -G);
    setup.sources.outlet_interval = 0.01 * pace;
    let shape = Shape::Box(shapes::Cuboid {
        min: D::Vector::from_fn(|_| -0.5 * size),
        max: D::Vector::from_fn(|k| if k == D::N - 1 { 0.0 } else { 0.5 * size }),
        inside: false,
    });
    wall(&mut setup, "table", shape);
    setup.sources.outlets.push(OutletSetup::Plane {
        point: place::<D>(0.0, -size),
        normal: place::<D>(0.0, 1.0),
    });
    let at = place::<D>(0.3 * size, (0.01 - 0.1 * G / 1e5) * size);
    add(
        &mut setup,
        0.01 * size,
        0.1 * size.powi(3),
        at,
        D::Vector::default(),
    );
    setup
}

/// Rocks and dust take as long as their size has it: who begins to roll is at rest only for a moment, and who lies is known to in the same
/// number of roots of diameter over gravity.
fn begins_to_roll<D: Integrate>() {
    for size in [4096.0, 1.0, 1.0 / 64.0] {
        let summary = support::run(&ball::<D>(size, 0.01)).0.summary();
        let out = summary.discharge.map_or(0, |out| out.count);
        assert_eq!((out, summary.jams.len()), (1, 0), "{size}");
        let summary = support::run(&ball::<D>(size, 0.0)).0.summary();
        let jam = summary.jam.expect("a jam");
        // Eight looks.
        let unit = (0.02 * size / G).sqrt();
        close("verdict", jam.verdict_time / unit, 8.0 * 0.55, 1e-6);
    }
}

#[test]
fn who_begins_to_roll_is_no_jam_in_any_size() {
    begins_to_roll::<Planar>();
    begins_to_roll::<Spatial>();
}

/// Balls that ring on their floor for ever, by so much of m g d: too little to go anywhere, or not.
fn rings<D: Integrate>() {
    for (energy, jams) in [(3e-5, true), (3e-4, false)] {
        let mut setup = empty::<D>(linear(1e5, 3e4, 0.0, 0.0, 0.5), 2e-5, 2.0);
        setup.fields.gravity = place::<D>(0.0, -G);
        floor(&mut setup);
        outlet(&mut setup);
        let speed = place::<D>(0.0, (2.0 * energy * G * 0.02f64).sqrt());
        for k in 0..4 {
            let at = place::<D>(0.1 * f64::from(k), 0.01 - 0.1 * G / 1e5);
            add(&mut setup, 0.01, 0.1, at, speed);
        }
        let (system, _) = support::run(&setup);
        let jam = system.summary().jam;
        assert_eq!(jam.is_some(), jams, "{energy}");
        // Thirty-two looks, or some less where they come as all turn back.
        let time = jam.map_or(0.8, |jam| jam.verdict_time);
        assert!(time > 0.4 && time < 0.85, "{time}");
    }
}

#[test]
fn a_bed_that_rings_stays_where_it_is() {
    rings::<Planar>();
    rings::<Spatial>();
}

/// The same run without verdicts: a gate far away that never opens lets nothing be believed.
fn unbelieved<D: Dimension>(setup: &Setup<D>, finish: f64) -> Setup<D> {
    let mut setup = setup.clone();
    let shape = Shape::Plane(shapes::Plane {
        point: place::<D>(0.0, -50.0),
        normal: place::<D>(0.0, 1.0),
    });
    wall(&mut setup, "far", shape).opens_at = Some(1e9);
    setup.run.end_time = finish;
    setup
}

/// Whatever is called a jam stays one in runs that go on for four times as long; it begins with the last grain that left; and
/// what is silent for long is a jam.
fn believed<D: Integrate>(setups: impl Iterator<Item = Setup<D>>) -> [usize; 2] {
    let mut found = [0; 2];
    for setup in setups {
        let (system, _) = support::run(&setup);
        let summary = system.summary();
        let longer = unbelieved(&setup, 4.0 * setup.run.end_time);
        let truth = support::run(&longer).0.summary();
        assert_ne!(truth.status, Status::Jammed);
        let seed = setup.seed;
        let (out, all) = (summary.discharge.unwrap(), truth.discharge.unwrap());
        if let Some(jam) = &summary.jam {
            assert_eq!(out.count, all.count, "seed {seed}: it flows on");
            let stopped = (out.count > 0).then_some(out.last);
            assert_eq!(jam.flow_stopped, stopped, "seed {seed}");
            assert_eq!(jam.time, out.last, "seed {seed}");
            assert!(jam.verdict_time > jam.time);
            found[0] += 1;
        } else {
            let silent = setup.run.end_time - out.last;
            let flows = truth.grains.last == 0 || all.count > out.count;
            assert!(
                flows || silent < 1.0,
                "seed {seed}: silent for {silent} s, no jam"
            );
            found[1] += 1;
        }
    }
    found
}

/// `hopper` with an orifice of so many metres.
fn narrow(orifice: f64, count: u32, finish: f64, seed: u32) -> Setup<Planar> {
    let (low, high) = (0.15 - orifice / 2.0, 0.15 + orifice / 2.0);
    let top = low * 3.0_f64.sqrt();
    let walls = [
        format!("boundary[2].segment={{from=[0.0,{top}],to=[{low},0.0]}}"),
        format!("boundary[3].segment={{from=[0.3,{top}],to=[{high},0.0]}}"),
        format!("fill[0].lattice.min=[0.0,{}]", top + 0.03),
        format!("fill[0].lattice.count={count}"),
        format!("run.end_time={finish}"),
        format!("seed={seed}"),
        "log.snapshots=never".into(),
        "log.series=never".into(),
    ];
    let walls: Vec<&str> = walls.iter().map(String::as_str).collect();
    planar("hopper", &walls)
}

#[test]
fn what_is_called_a_jam_stays_one() {
    let found = believed((21..=24).map(|seed| narrow(0.052, 160, 2.0, seed)));
    assert!(found[0] >= 2, "{found:?}");
}

/// Many of them: `cargo test --release --test it jams_of_many_fillings -- --ignored --nocapture`.
#[test]
#[ignore = "200 runs, some 10 minutes"]
fn jams_of_many_fillings() {
    for orifice in [0.045, 0.055, 0.065, 0.07] {
        let found = believed((101..=125).map(|seed| narrow(orifice, 300, 3.0, seed)));
        println!("{orifice} m: {} jams, {} others", found[0], found[1]);
    }
}

/// The last row of the series is at the end, whatever ended the run.
fn ends<D: Integrate>() {
    for (finish, when_empty) in [(0.33, false), (0.5, true)] {
        let mut setup = empty::<D>(linear(1e4, 0.0, 0.0, 0.0, 0.0), 1e-4, finish);
        setup.log.series = Some(0.05);
        setup.run.stop_when_empty = when_empty;
        setup.sources.outlet_interval = 0.0013;
        outlet(&mut setup);
        for (k, up) in [-0.9, -0.75].into_iter().enumerate() {
            let at = place::<D>(0.1 * k as f64, up);
            add(&mut setup, 0.01, 0.1, at, place::<D>(0.0, -1.0));
        }
        let (system, records) = support::run(&setup);
        let summary = system.summary();
        // They are out when they have gone 0.11 and 0.26 m.
        let status = if when_empty {
            Status::Empty
        } else {
            Status::Finished
        };
        assert_eq!((summary.status, summary.grains.last), (status, 0));
        let times: Vec<f64> = records.series.iter().map(|row| row.time).collect();
        assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        let last = records.series.last().expect("rows");
        assert_eq!(last.time, summary.time.simulated);
        assert_eq!((last.discharged, last.grains), (2, 0));
        if when_empty {
            close("the end", last.time, 0.26, 0.0014);
        }
    }
}

#[test]
fn the_last_row_is_at_the_end() {
    ends::<Planar>();
    ends::<Spatial>();
    // From collision to collision, and of a packing.
    for scenario in ["billiard", "pile"] {
        let overrides = [
            "run.end_time=0.0107",
            "log.series=0.002",
            "log.snapshots=never",
        ];
        let mut setup = planar(scenario, &overrides);
        setup.log.events = arenite::system::EventLog::None;
        let mut run = arenite::system::driver_of(setup, None).unwrap();
        let mut sink = MemorySink::default();
        let never = std::sync::atomic::AtomicBool::new(false);
        run.run(&mut sink, &mut Control::new(&never)).unwrap();
        assert_eq!(sink.series.last().expect("rows").time, 0.0107, "{scenario}");
    }
}

/// Also where a run cannot go on: from collision to collision, and in steps.
#[test]
fn the_last_row_tells_of_what_went_wrong() {
    let hard = "[events]\nrestitution = 0.5\n";
    let soft = "[[law]]\nbetween = [\"a\", \"a\"]\nlinear = { normal_stiffness = 20.0, tangential_stiffness = 10.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }\n";
    for n in [2, 3] {
        for section in [hard, soft] {
            let (low, mut high) = (vec![0.0; n], vec![0.1; n]);
            high[n - 1] = 9.0;
            let (mut down, mut at) = (vec![0.0; n], vec![0.05; n]);
            down[n - 1] = -9.81;
            at[n - 1] = 0.3;
            let text = format!(
                "name = \"stops\"\ndimension = {n}\n[field]\ngravity = {down:?}\n[run]\nend_time = 9.0\n[log]\nseries = 0.5\n\
                 [material.a]\ndensity = 1000.0\n{section}[[boundary]]\nname = \"box\"\nmaterial = \"a\"\n\
                 box = {{ min = {low:?}, max = {high:?}, grains = \"inside\" }}\n[[fill]]\nmaterial = \"a\"\n\
                 grains = [{{ position = {at:?}, radius = 0.02 }}]\n"
            );
            let mut run = support::driver(&text, None).unwrap();
            let mut sink = MemorySink::default();
            let never = std::sync::atomic::AtomicBool::new(false);
            let error = run.run(&mut sink, &mut Control::new(&never)).unwrap_err();
            let (last, summary) = (sink.series.last().expect("rows"), run.summary());
            assert_eq!(last.time, summary.time.simulated, "{error}");
            assert_eq!(last.kinetic, summary.energy.kinetic, "{error}");
            assert_eq!(last.potential, summary.energy.potential, "{error}");
        }
    }
}

/// A run that is interrupted has a row of where it was; one that goes on from there has the rows of one that never was.
#[test]
fn the_row_of_an_interrupt_leaves_no_trace() {
    let setup = narrow(0.06, 60, 0.4, 5);
    let mut setup = setup;
    setup.log.series = Some(0.03);
    let (whole, all) = support::run(&setup);
    let mut system = System::new(setup).unwrap();
    let mut sink = MemorySink::default();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let (mut parts, mut rows) = (0, 0);
    loop {
        let mut control = Control::new(&stop);
        let outcome = system.run(&mut sink, &mut control).unwrap();
        if outcome != arenite::system::Outcome::Interrupted {
            break;
        }
        parts += 1;
        // There is at most the row of where it stopped.
        let told: Vec<f64> = sink.series[sink.kept..]
            .iter()
            .map(|row| row.time)
            .collect();
        assert!(told.is_empty() || told == [system.time()], "{told:?}");
        rows += told.len();
        sink.series.truncate(sink.kept);
    }
    assert!(parts > 1 && rows > 0, "{parts} {rows}");
    assert_eq!(sink.series, all.series);
    assert_eq!(system.summary().state_hash, whole.summary().state_hash);
}

/// A disk that bounces at a step too long for its contact, with another that flies by far away.
fn diluted<D: Integrate>() {
    let run = |rock: bool| {
        let mut setup = empty::<D>(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1.2e-4, 0.5);
        setup.motion.integrator = IntegratorName::Euler;
        setup.fields.gravity = place::<D>(0.0, -G);
        setup.log.series = Some(0.01);
        floor(&mut setup);
        let still = D::Vector::default();
        add(&mut setup, 0.01, 0.1, place::<D>(0.0, 0.05), still);
        if rock {
            let fast = place::<D>(0.0, 60.0);
            add(&mut setup, 0.01, 0.1, place::<D>(5.0, 1.0), fast);
        }
        support::run(&setup).0.summary()
    };
    let [alone, beside] = [false, true].map(run);
    let (a, b) = (&alone.energy, &beside.energy);
    assert!(a.balance_error_max > 0.02, "{a:?}");
    // Its weight times its diameter is all that the other adds.
    assert!(b.balance_error < 1e-3 * a.balance_error, "{b:?}");
    assert!(b.balance_error_max > 0.4 * a.balance_error_max, "{b:?}");
    assert!(b.balance_error_max < a.balance_error_max);
    for summary in [&alone, &beside] {
        assert!(
            summary
                .warnings
                .iter()
                .any(|w| w.contains("energy balance")),
            "{:?}",
            summary.warnings
        );
    }
    assert!(
        beside
            .warnings
            .iter()
            .any(|w| w.contains("balance_error_max"))
    );
}

#[test]
fn what_flies_far_away_hides_no_error() {
    diluted::<Planar>();
    diluted::<Spatial>();
}

/// Sound runs in which much flows are far from a warning: a ball that drops by hundreds of diameters and keeps bouncing.
#[test]
fn a_sound_run_is_not_blamed() {
    for (drop, damping) in [(4.0, 0.0), (4.0, 50.0), (0.02, 0.0)] {
        // Not to 2.5 s: then the lowest ball is back about where it began, and little has flowed on balance.
        let mut setup = empty::<Planar>(linear(1e7, 0.0, damping, 0.0, 0.0), 5e-6, 2.4);
        setup.fields.gravity = place::<Planar>(0.0, -G);
        setup.log.series = Some(0.01);
        floor(&mut setup);
        let still = place::<Planar>(0.0, 0.0);
        add(&mut setup, 0.01, 0.1, place::<Planar>(0.0, drop), still);
        let summary = support::run(&setup).0.summary();
        assert!(
            summary.energy.balance_error_max < 2e-3,
            "{:?}",
            summary.energy
        );
        assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    }
}
