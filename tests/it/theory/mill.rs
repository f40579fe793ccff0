//! The shaker ball mill (Gavrilov 1999, 3.6): its walls, its records, and what the thesis says of it.

use std::sync::atomic::AtomicBool;

use arenite::collide::engine::{
    Body, Collision, Engine, Laws, Limits, Other, Rule, Setup, Stopped,
};
use arenite::geometry::surface::Surface;
use arenite::geometry::{Dimension, Spatial, Vector};
use arenite::record::{BodyRef, MemorySink, Summary};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Outcome, driver_of};
use arenite::walls::Wall;
use arenite::walls::shapes;
use arenite::walls::{Boundary, Motion, MotionPiece, Shape, Vessel};
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The scenario `mill` with other values.
fn setup(set: &[(&str, &str)]) -> arenite::system::Setup<Spatial> {
    let overrides: Vec<Override> = set
        .iter()
        .map(|(path, value)| Override::option("--set", path, value))
        .collect();
    let resolved = Scenario::load("mill", &overrides)
        .and_then(|s| s.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)));
    let AnySetup::Spatial(setup) = resolved.setup else {
        panic!("a mill is spatial");
    };
    setup
}

fn run(set: &[(&str, &str)], state: Option<&[u8]>) -> (Summary, MemorySink) {
    let stop = AtomicBool::new(false);
    let mut control = Control::new(&stop);
    let mut sink = MemorySink::default();
    let mut run = driver_of(setup(set), state).unwrap();
    assert_eq!(run.run(&mut sink, &mut control).unwrap(), Outcome::Finished);
    (run.summary(), sink)
}

fn shaken(kind: &str, amplitude: f64, frequency: f64) -> String {
    format!("{{ {kind} = {{ amplitude = [0.0, 0.0, {amplitude}], frequency = {frequency} }} }}")
}

/// What happens per second once the start is forgotten: after 0.1 s, as the thesis has it.
struct Rates {
    collisions: f64,
    fed: f64,
    lost: f64,
}

fn rates(sink: &MemorySink) -> Rates {
    let begin = sink.series.iter().find(|row| row.time > 0.0999).unwrap();
    let end = sink.series.last().unwrap();
    let lasted = end.time - begin.time;
    let total = |row: &arenite::record::SeriesRow| row.collisions.iter().sum::<u64>() as f64;
    Rates {
        collisions: (total(end) - total(begin)) / lasted,
        fed: (end.injected - begin.injected) / lasted,
        lost: (end.dissipated[2] - begin.dissipated[2]) / lasted,
    }
}

/// Thesis 3.6.5: about 100,000 collisions a second, within 15 %, from 0.1 s to 1 s; on the thesis's
/// parabolic arcs and on a sine of the same amplitude, which is slower at the middle by 2 pi / 8.
#[test]
fn a_hundred_thousand_collisions_a_second() {
    for kind in ["parabolic", "harmonic"] {
        for seed in ["1", "2"] {
            let motion = shaken(kind, 0.0109, 52.6);
            let (_, sink) = run(&[("boundary[0].motion", &motion), ("seed", seed)], None);
            let rate = rates(&sink).collisions;
            assert!((rate / 1e5 - 1.0).abs() < 0.15, "{kind}, {seed}: {rate}");
        }
    }
}

/// In the steady state the lids feed in what balls and walls lose: over 2.9 s some 1050 J, less what
/// the balls hold more at the end, 10 +- 2 J: within 1 %. And the book closes to rounding, whatever
/// way it is cut: balls and walls, walls one by one, classes of energy.
#[test]
fn what_is_fed_in_is_lost_and_every_book_closes() {
    let (figures, sink) = run(&[("run.end_time", "3")], None);
    let rates = rates(&sink);
    assert!(
        (rates.fed / rates.lost - 1.0).abs() < 0.01,
        "{}",
        rates.fed / rates.lost
    );
    assert!(figures.energy.balance_error < 1e-12);
    let impacts = figures.impacts.unwrap();
    let lost = figures.energy.dissipated.collision;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * lost;
    assert!(near(impacts.grain.lost + impacts.wall.lost, lost));
    assert_eq!(
        impacts.grain.count + impacts.wall.count,
        figures.work.collisions
    );
    let [wall] = &impacts.walls[..] else {
        panic!("one wall");
    };
    assert_eq!(wall.count, impacts.wall.count);
    assert!(near(wall.lost, impacts.wall.lost) && near(wall.fed, figures.energy.injected));
    let end = sink.series.last().unwrap();
    assert_eq!(end.collisions, [impacts.grain.count, impacts.wall.count]);
    assert!(near(end.dissipated_at_walls, impacts.wall.lost));
    for (with, sort) in [
        (BodyRef::None, impacts.grain),
        (BodyRef::Boundary(0), impacts.wall),
    ] {
        let rows = || sink.impacts.iter().filter(|row| row.with == with);
        assert_eq!(rows().map(|row| row.count).sum::<u64>(), sort.count);
        assert!(near(rows().map(|row| row.lost).sum(), sort.lost));
        for row in rows() {
            let mean = row.energy / row.count as f64;
            assert!(row.from <= mean * (1.0 + 1e-12) && mean <= row.to * (1.0 + 1e-12));
            // Smooth balls lose 1 - e^2 of an impact's energy, all in a lasting contact nothing.
            let share = 1.0 - if with == BodyRef::None { 0.98f64 } else { 0.95 }.powi(2);
            assert!(row.lost <= share * row.energy * (1.0 + 1e-9));
        }
        assert!(sort.lasting as f64 <= 0.05 * sort.count as f64);
    }
    // Momentum: what the balls have got since the start came from the wall and their weight.
    let momentum = |k: usize| {
        let grains = &sink.snapshots[k].0;
        grains.iter().map(|g| g.mass * g.velocity[2]).sum::<f64>()
    };
    let mass: f64 = sink.snapshots[0].0.iter().map(|g| g.mass).sum();
    let gained = momentum(sink.snapshots.len() - 1) - momentum(0);
    let given = -wall.impulse[2] - mass * 9.81 * 3.0;
    assert!((gained - given).abs() < 1e-10 * wall.normal_impulse);
    assert!(wall.normal_impulse > 1.9 * wall.impulse[2].abs());
}

/// A run from a checkpoint ends with the same bits, spectrum and counts included.
#[test]
fn a_resumed_mill_grinds_the_same() {
    let set = [("run.end_time", "0.4"), ("log.checkpoint", "0.25")];
    let (whole, records) = run(&set, None);
    let (resumed, rest) = run(&set, records.checkpoint.as_deref());
    assert_eq!(whole.state_hash, resumed.state_hash);
    assert_eq!(whole.impacts, resumed.impacts);
    assert_eq!(records.impacts, rest.impacts);
    assert!(!rest.impacts.is_empty());
    let later = records.series.len() - rest.series.len();
    assert_eq!(records.series[later..], rest.series[..]);
}

/// Slope and residual of a straight line through points by least squares.
fn line(points: &[[f64; 2]]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let slope = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum::<f64>()
        / points.iter().map(|p| (p[0] - x) * (p[0] - x)).sum::<f64>();
    let worst = points
        .iter()
        .map(|p| (p[1] - y - slope * (p[0] - x)).abs())
        .fold(0.0, f64::max);
    (slope, y - slope * x, worst)
}

/// Energy lost per second in the thesis's second mill (100 balls) at an amplitude and a frequency.
fn dissipation(amplitude: f64, frequency: f64) -> f64 {
    let motion = shaken("parabolic", amplitude, frequency);
    let set = [
        ("boundary[0].motion", motion.as_str()),
        ("fill[0].lattice.count", "100"),
        ("run.end_time", "4"),
    ];
    rates(&run(&set, None).1).lost
}

/// Thesis 3.6.4: H ~ A f^3. The cube is a law of scales: without gravity nothing but the frequency sets
/// the time, and at 26 Hz the lids' acceleration is 25 g; the mean over 3.9 s scatters by about 1 %, and
/// so the exponent over a factor of four by 0.02: within 0.06. In the amplitude H is straight,
/// as the thesis has it, from 8.5 mm on (below, the state is another, docs/mill.md): no
/// point is off by more than 3 % of the middle one. It is no proportion: the line meets zero near
/// 2.5 mm, so that the fitted exponent is above 1.
#[test]
fn dissipation_grows_with_amplitude_and_cubed_frequency() {
    let by_frequency: Vec<[f64; 2]> = [26.3, 52.6, 105.2]
        .map(|f| [libm::log(f), libm::log(dissipation(0.0109, f))])
        .to_vec();
    let (exponent, ..) = line(&by_frequency);
    assert!((exponent - 3.0).abs() < 0.06, "{exponent}");
    let amplitudes = [0.0085, 0.0109, 0.014, 0.018, 0.025];
    let points = amplitudes.map(|a| [a, dissipation(a, 52.6)]);
    let (slope, offset, worst) = line(&points);
    assert!(worst < 0.03 * points[2][1], "{points:?}: off by {worst}");
    let zero = -offset / slope;
    assert!((0.0015..0.0035).contains(&zero), "{zero}");
    let (exponent, ..) = line(&points.map(|p| p.map(libm::log)));
    assert!((1.1..1.4).contains(&exponent), "{exponent}");
}

/// A ball bounces on a floor that goes on parabolic arcs as on one whose arcs are given one by one.
/// The hits of the first half second agree to 1e-9 s: rounding grows by some 2 / (1 - e^2)^(1/2) a hit.
#[test]
fn arcs_and_their_pieces_are_one_path() {
    let (amplitude, frequency) = (0.002, 20.0);
    let pieces = (0..40u32)
        .map(|k| {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            MotionPiece {
                from: f64::from(k) / (2.0 * frequency),
                velocity: Vector3::z() * (8.0 * amplitude * frequency * side),
                acceleration: Vector3::z() * (-32.0 * amplitude * frequency * frequency * side),
            }
        })
        .collect();
    let hits = |motion: Motion<Spatial>| {
        let setup = one_wall(
            Shape::Plane(shapes::Plane {
                point: Vector3::zeros(),
                normal: Vector3::z(),
            }),
            motion,
            Vector3::z() * -9.81,
            vec![(Vector3::z() * 0.05, Vector3::zeros())],
        );
        let mut times = Vec::new();
        let mut engine = Engine::new(setup).unwrap();
        let mut note = |c: &Collision<Spatial>| times.push(c.time);
        assert_eq!(engine.run_with(0.9, u64::MAX, &mut note), Stopped::Until);
        times
    };
    let arcs = hits(Motion::Parabolic {
        amplitude: Vector3::z() * amplitude,
        frequency,
    });
    let pieces = hits(Motion::Pieces(pieces));
    assert!(arcs.len() > 3);
    for (a, b) in arcs.iter().zip(&pieces).filter(|(a, _)| **a < 0.5) {
        assert!((a - b).abs() < 1e-9, "{a} against {b}");
    }
}

const RADIUS: f64 = 0.005;

/// Balls and one wall, in a wide box.
fn one_wall(
    shape: Shape<Spatial>,
    motion: Motion<Spatial>,
    gravity: Vector3<f64>,
    balls: Vec<(Vector3<f64>, Vector3<f64>)>,
) -> Setup<Spatial> {
    Setup {
        bodies: balls
            .into_iter()
            .map(|(position, velocity)| Body {
                position,
                velocity,
                spin: Vector3::zeros(),
                rotation: Spatial::identity(),
                radius: RADIUS,
                mass: 1.0,
                species: 0,
            })
            .collect(),
        coming: Vec::new(),
        min: Vector3::repeat(-0.3),
        max: Vector3::repeat(0.3),
        periodic: [false; 3],
        gravity,
        fields: None,
        walls: vec![Boundary {
            motion,
            ..Boundary::standing(shape, 0)
        }],
        species: 1,
        rules: vec![Rule::smooth(0.9)],
        laws: Laws::default(),
        limits: Limits {
            contact_time: 1e-6,
            collapse_is_elastic: true,
            ..Limits::default()
        },
        shear: None,
        time: 0.0,
    }
}

/// A lid is met where it is, at rest or moving on any path, with and without gravity: the gap at each
/// hit is rounding, no ball is ever beyond it, and the book closes.
#[test]
fn lids_are_met_where_they_are() {
    let motions = [
        Motion::Fixed,
        Motion::Velocity(Vector3::new(0.01, 0.0, 0.02)),
        Motion::Harmonic {
            amplitude: Vector3::new(0.001, 0.0, 0.01),
            frequency: 30.0,
            phase: 0.4,
        },
        Motion::Parabolic {
            amplitude: Vector3::new(0.001, 0.0, 0.01),
            frequency: 30.0,
        },
    ];
    for motion in motions {
        for gravity in [Vector3::zeros(), Vector3::new(0.3, 0.0, 9.81)] {
            let shape = Shape::Vessel(Vessel {
                from: Vector3::z() * -3.0,
                to: Vector3::zeros(),
                radius: 0.05,
                lid_radius: 0.05,
            });
            let balls = (0..4)
                .map(|k| {
                    let k = f64::from(k);
                    let velocity = Vector3::new(0.3 - 0.1 * k, 0.2 * k, 0.1 - 0.3 * k);
                    (
                        Vector3::new(0.0, 0.012 * k - 0.02, 0.02 - 0.02 * k),
                        velocity,
                    )
                })
                .collect();
            let setup = one_wall(shape, motion.clone(), gravity, balls);
            let wall = Wall::new(&setup.walls[0], &[]).unwrap();
            let away = |x, time| wall.distance(&motion.pose(time), x);
            let mut engine = Engine::new(setup).unwrap();
            let start = engine.kinetic().0 + engine.potential();
            let mut hits = 0;
            let mut look = |c: &Collision<Spatial>| {
                if c.b == Other::Wall(0) {
                    hits += 1;
                    let gap = away(c.position, c.time) - RADIUS;
                    assert!(gap.abs() < 1e-12, "{gap}");
                }
            };
            for k in 1..=100 {
                let time = 0.01 * f64::from(k);
                assert_eq!(engine.run_with(time, u64::MAX, &mut look), Stopped::Until);
                for i in 0..4 {
                    let x = engine.moment(i).position;
                    assert!(away(x, time) > RADIUS - 1e-11, "{x} at {time}");
                }
            }
            assert!(hits > 8, "{motion:?}, {gravity}: {hits}");
            let tally = engine.tally();
            let book = engine.kinetic().0 + engine.potential() + tally.lost - tally.fed;
            assert!((book - start).abs() < 1e-11 * tally.fed.abs().max(1.0));
            let wall = engine.wall_tallies()[0];
            assert_eq!(
                (wall.hits, wall.lost),
                (tally.wall_hits, tally.lost_at_walls)
            );
        }
    }
}

/// A gas in vessels with half-spheres and with shallow lids for ends: P V = N T with the mean pressure on
/// all of the wall, as in cans (`gas`). Volume and area are those that centres have. Some 2e5 hits give
/// a spread of 0.3 %, the pairs' own room adds 4 phi = 0.2 %: within 1.5 %.
#[test]
fn pressure_does_not_depend_on_the_lids() {
    use std::f64::consts::PI;
    for lid in ["0.0315", "0.06"] {
        let set = [
            ("boundary[0].vessel.lid_radius", lid),
            ("boundary[0].motion", "{ velocity = [0.0, 0.0, 0.0] }"),
            ("field.gravity", "[0.0, 0.0, 0.0]"),
            ("events.rule[0].restitution", "1.0"),
            ("events.rule[1].restitution", "1.0"),
            ("events.contact_time", "0.0"),
            ("fill[0].lattice.count", "400"),
            ("fill[0].lattice.radius", "0.0005"),
            ("run.end_time", "30"),
            ("log.snapshots", "1"),
        ];
        let (figures, sink) = run(&set, None);
        let lid: f64 = lid.parse().unwrap();
        // The room of centres is a vessel too, narrower by a ball's radius all around.
        let (a, s) = (0.0315 - 0.0005, lid - 0.0005);
        let depth = (lid * lid - 0.0315f64 * 0.0315).max(0.0).sqrt();
        let rim = (s * s - a * a).sqrt();
        let straight = 0.103 - 2.0 * (depth - rim);
        let bulge = s - rim;
        let volume = PI * a * a * straight + 2.0 * PI * bulge * bulge * (s - bulge / 3.0);
        let area = 2.0 * PI * a * straight + 2.0 * 2.0 * PI * s * bulge;
        let pressure = figures.impacts.unwrap().walls[0].normal_impulse / (area * 30.0);
        let ratio = pressure * volume / (2.0 / 3.0 * figures.energy.kinetic);
        assert!((ratio - 1.0).abs() < 0.015, "lids of {lid} m: {ratio}");
        assert!(figures.energy.balance_error < 1e-12);
        let vessel = Vessel::<Spatial> {
            from: Vector3::zeros(),
            to: Vector3::z() * 0.103,
            radius: 0.0315,
            lid_radius: lid,
        };
        for (grains, _) in &sink.snapshots {
            for grain in grains {
                let x = Vector3::from(grain.position);
                assert!(vessel.clearance(x) > 0.0005 - 1e-11);
            }
        }
    }
}

/// For stepped grains too a vessel is where it is: the nearest of its surfaces is as far as the wall, and
/// a small ball that touches it away from the rims touches it once.
#[test]
fn vessels_are_felt_once() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for lid_radius in [0.0315, 0.04, 0.3] {
        let vessel = Vessel::<Spatial> {
            from: Vector3::new(0.01, -0.02, 0.03),
            to: Vector3::new(0.05, 0.03, 0.1),
            radius: 0.0315,
            lid_radius,
        };
        let shape = Shape::Vessel(vessel);
        let surfaces = shape.surfaces().unwrap();
        let (min, max) = shape.extent().unwrap();
        let mut inside = 0;
        while inside < 3000 {
            let x = Vector3::from_fn(|k, _| min[k] + (max[k] - min[k]) * random.random::<f64>());
            let clearance = vessel.clearance(x);
            if clearance < 0.0 {
                continue;
            }
            inside += 1;
            let probes: Vec<_> = surfaces.iter().filter_map(|s| s.probe(x)).collect();
            let nearest = probes
                .iter()
                .map(|p| p.distance)
                .fold(f64::INFINITY, f64::min);
            assert!(
                (nearest - clearance).abs() < 1e-14,
                "{x}: {nearest}, {clearance}"
            );
            let bound = surfaces
                .iter()
                .map(|s| s.distance_bound(x))
                .fold(f64::INFINITY, f64::min);
            assert!(bound <= nearest + 1e-14);
            for probe in &probes {
                assert!((Vector::norm(&probe.normal) - 1.0).abs() < 1e-12);
                // Away from the wall the distance grows as one goes.
                let further = vessel.clearance(x + probe.normal * 1e-6);
                assert!(probe.distance > clearance || further > clearance + 0.99e-6);
            }
            if lid_radius == 0.0315 {
                let touched = probes.iter().filter(|p| p.distance < 0.001).count();
                assert!(touched <= 1, "{x}: {probes:?}");
            }
        }
    }
    let flat = Vessel::<Spatial> {
        from: Vector3::zeros(),
        to: Vector3::z(),
        radius: 0.3,
        lid_radius: 0.2,
    };
    assert!(Shape::Vessel(flat).surfaces().is_err());
}

/// After 24 h at 100,000 collisions a second: particles that began four times as large are distributed
/// alike to 1e-4 of the mass (the slowest extra basket, 4 times the cross-section of 0.5 mm, is left
/// within seconds), and one sample of whole particles has the analytical masses: 2433 particles at the start scatter
/// the largest basket by less than 1e-3 (`grinding`).
#[test]
fn a_day_of_milling_forgets_where_it_began() {
    use arenite::study::grinding::{Analytical, Mill, Statistical};
    let probabilities = |initial_radius: f64| {
        let mill = Mill {
            ball_radius: 3.2e-3,
            balls: 125,
            vessel_radius: 31.5e-3,
            vessel_height: 103e-3,
            initial_radius,
            final_radius: 1e-6,
        };
        mill.probabilities().unwrap()
    };
    let day = |initial: f64| {
        let model = Analytical::new(1e5, probabilities(initial)).unwrap();
        model.masses(1.0, 86_400.0).unwrap()
    };
    let (fine, coarse) = (day(0.5e-3), day(2e-3));
    assert_eq!(fine.len() + 6, coarse.len());
    let mut sample = Statistical::new(probabilities(0.5e-3), 2433, 3).unwrap();
    sample.pass(8.64e9);
    for ((fine, coarse), sampled) in fine.iter().zip(&coarse[6..]).zip(sample.masses(1.0)) {
        assert!((fine - coarse).abs() < 1e-4, "{fine} against {coarse}");
        assert!((fine - sampled).abs() < 1e-3, "{fine} against {sampled}");
    }
    // The most is near 2 um: what one catch takes at that size is a day, 1 / (rate p).
    let most = (0..fine.len())
        .max_by(|&a, &b| fine[a].total_cmp(&fine[b]))
        .unwrap();
    assert!((1.9e-6..2.0e-6).contains(&(0.5e-3 * libm::exp2(-(most as f64) / 3.0))));
}
