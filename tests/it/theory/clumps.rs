//! What Ostanin et al. (Rigid clumps in MercuryDPM, 2024) show by rods, dominoes, a monostable body and clumps in
//! a drum, as scenarios. References: equipartition, a wave of one speed, statics, the balance of moments.

use arenite::body::{Ball, Clump, Formed, SHAPES, ShapeTemplate};
use arenite::geometry::{Planar, Spatial};
use arenite::record::GrainRow;
use arenite::system::Setup;
use nalgebra::{UnitQuaternion, Vector3};

use crate::support::{close, planar, run, spatial};

/// Energy of turning over that of moving, of a rod in its box, meant over a time.
fn share(velocity: &str, rotation: f64, finish: f64) -> f64 {
    let options = [
        &format!("fill[0].grains[0].velocity={velocity}"),
        &format!("fill[0].grains[0].rotation={rotation}"),
        &format!("run.end_time={finish}"),
        "log.snapshots=0.1",
        "log.series=never",
    ];
    let setup = planar("rod-box", &options);
    let moment = setup.grains[0].moment_of_inertia();
    let (system, sink) = run(&setup);
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-3, "{balance}");
    let (mut turning, mut moving) = (0.0, 0.0);
    for (grains, _) in &sink.snapshots {
        let grain = &grains[0];
        let speed = grain.velocity[0].powi(2) + grain.velocity[1].powi(2);
        moving += 0.5 * grain.mass * speed;
        turning += 0.5 * moment * grain.spin[0].powi(2);
    }
    turning / moving
}

/// Rods that start at other angles; the error of their mean is that of their scatter.
fn equipartition(rods: u32, finish: f64, most: f64) {
    let count = f64::from(rods);
    for (velocity, ratio) in [("[0.0,1.0]", 1.0), ("[0.9,1.0]", 0.5)] {
        let angle = |k: u32| 0.1 + 1.3 * f64::from(k) / count;
        let shares: Vec<f64> = (0..rods)
            .map(|k| share(velocity, angle(k), finish))
            .collect();
        let mean = shares.iter().sum::<f64>() / count;
        let scatter: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let error = (scatter / (count * (count - 1.0))).sqrt();
        println!("{velocity}: {mean:.4} +- {error:.4} of {ratio}");
        assert!(error < most * ratio, "{error}");
        close("ratio", mean, ratio, 3.0 * error);
    }
}

/// A rod that goes up and down has one way to move and one to turn, and as much energy of one as of the
/// other; one that is thrown askew has two ways to move and turning gets half. Within three standard
/// errors.
#[test]
fn a_rod_shares_its_energy() {
    equipartition(10, 100.0, 0.1);
}

/// The same to 1 %: some 50,000 collisions, as in the paper.
#[test]
#[ignore = "long: some 2 minutes"]
fn a_rod_shares_its_energy_in_the_long_run() {
    equipartition(24, 800.0, 0.015);
}

/// Times at which each domino has fallen by a tenth of a radian.
fn falls(push: f64) -> Vec<f64> {
    let setup = planar(
        "domino",
        &[
            &format!("fill[1].grains[0].velocity=[{push},0.0]"),
            "run.end_time=1.1",
            "log.snapshots=0.001",
            "log.series=never",
        ],
    );
    let count = setup.matter.forms.len();
    assert_eq!(count, 1);
    let (_, sink) = run(&setup);
    let fallen = |grain: u32| {
        let row = |rows: &&(Vec<GrainRow>, Vec<_>)| {
            let row = rows.0.iter().find(|row| row.grain == grain).unwrap();
            row.rotation[0] < -0.1
        };
        let first = sink.snapshots.iter().find(row);
        first.map_or(f64::NAN, |rows| rows.0[0].time)
    };
    (0..30).map(fallen).collect()
}

/// The wave of falling dominoes goes on at one speed, which the push does not know: the speeds of two
/// lengths of nine dominoes and of pushes of 0.5, 1 and 2 m/s, of which the last takes the first domino twice as
/// fast as the wave, differ by less than 4 %. (Single steps from one to the next are uneven by a tenth, since the faces
/// are rows of disks: of nine a thirtieth is left.)
#[test]
fn a_wave_of_dominoes_forgets_its_push() {
    let mut speeds = Vec::new();
    for push in [0.5, 1.0, 2.0] {
        let times = falls(push);
        assert!(times.iter().all(|time| time.is_finite()), "{times:?}");
        let speed = |from: usize| 9.0 * 0.02 / (times[from + 9] - times[from]);
        println!(
            "push {push}: first {:.3}, then {:.3} and {:.3} m/s",
            0.02 / (times[1] - times[0]),
            speed(10),
            speed(19)
        );
        speeds.extend([speed(10), speed(19)]);
    }
    let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
    for speed in &speeds {
        close("speed", *speed, mean, 0.04 * mean);
    }
}

/// The shape of the monostable body, from its file.
fn monostable() -> Vec<Ball<Spatial>> {
    let (_, _, text) = SHAPES
        .iter()
        .find(|(name, ..)| *name == "monostable")
        .unwrap();
    let table: toml::Table = text.parse().unwrap();
    let number = |value: &toml::Value| value.as_float().unwrap();
    let ball = |value: &toml::Value| Ball {
        centre: Vector3::from_fn(|k, _| number(&value["centre"][k])),
        radius: number(&value["radius"]),
    };
    table["spheres"]
        .as_array()
        .unwrap()
        .iter()
        .map(ball)
        .collect()
}

/// How high the centre of mass is over a table on which the body is pressed with this direction down.
fn height(balls: &[Ball<Spatial>], centroid: Vector3<f64>, down: Vector3<f64>) -> f64 {
    let reach = |ball: &Ball<Spatial>| (ball.centre - centroid).dot(&down) + ball.radius;
    balls.iter().map(reach).fold(f64::NEG_INFINITY, f64::max)
}

/// Where that height has a minimum the body can stand. From 3,000 directions, spread evenly, the way down
/// always ends at the face that y points away from: there is no other minimum, of whatever depth.
/// Steps are halved down to 1e-6 rad, which the grooves between neighbouring sides of a polyhedron do
/// not stop: each corner is tried besides the steepest way.
#[test]
fn the_monostable_body_has_one_face_to_stand_on() {
    let balls = monostable();
    let form: ShapeTemplate<Spatial> =
        Spatial::clump("monostable", &Clump::new(balls.clone()).unwrap()).unwrap();
    let centroid = form.centroid;
    // Below O, by which alone it rolls; the solid's is 0.068 below.
    assert!(
        centroid.y < -0.05 && centroid.x.abs() < 1e-9 && centroid.z.abs() < 1e-9,
        "{centroid:?}"
    );
    let golden = std::f64::consts::PI * (3.0 - 5.0f64.sqrt());
    let count = 3000;
    let mut worst = 1.0f64;
    for k in 0..count {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sine, cosine) = (golden * k as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        let mut down = Vector3::new(across * cosine, across * sine, z);
        let mut low = height(&balls, centroid, down);
        let mut step = 0.1;
        while step > 1e-6 {
            let side = down
                .cross(&if down.x.abs() < 0.5 {
                    Vector3::x()
                } else {
                    Vector3::y()
                })
                .normalize();
            let other = down.cross(&side);
            let tries = (0..64).map(|k| {
                let (sine, cosine) = (std::f64::consts::TAU * f64::from(k) / 64.0).sin_cos();
                (down + (side * cosine + other * sine) * step).normalize()
            });
            let best = tries
                .map(|way| (height(&balls, centroid, way), way))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap();
            if best.0 < low {
                (low, down) = best;
            } else {
                step *= 0.5;
            }
        }
        worst = worst.min(-down.y);
    }
    println!("the least of all: {worst}");
    assert!(worst > 1.0 - 1e-6, "{worst}");
}

/// Where the shape's y points at the end of a run, up being 1.
fn ends_up(rotation: &str) -> (f64, f64) {
    let setup: Setup<Spatial> = spatial(
        "gomboc",
        &[
            &format!("fill[0].grains[0].rotation={rotation}"),
            "log.snapshots=never",
            "log.series=never",
        ],
    );
    let (system, _) = run(&setup);
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-3, "{balance}");
    let last = system.grains_at(setup.run.end_time)[0];
    let own = setup.matter.forms[0].axes.inverse() * Vector3::y();
    ((last.rotation * own).z, last.kinetic_energy())
}

fn rolls_home(starts: &[&str]) {
    for start in starts {
        let (up, energy) = ends_up(start);
        println!("{start}: {up:.6}, {energy:.1e} J");
        // What still rocks has less energy than the lowest of its other sides would ask for.
        assert!(up > 0.99, "{start}: {up}");
        assert!(energy < 2e-5, "{energy}");
    }
}

/// The body, dropped askew and upside down, comes to rest on its one face.
#[test]
fn the_monostable_body_rolls_home() {
    rolls_home(&["[-1.4,0.2,0.1]", "[-1.5708,0.0,0.02]"]);
}

/// The same from twenty orientations at random.
#[test]
#[ignore = "long: some 2 minutes"]
fn the_monostable_body_rolls_home_from_anywhere() {
    let mut dice = crate::support::Dice(19);
    for _ in 0..20 {
        let turn: UnitQuaternion<f64> = Spatial::any_rotation([0.0; 3].map(|_| dice.roll()));
        let axis = turn.scaled_axis();
        rolls_home(&[&format!("[{},{},{}]", axis.x, axis.y, axis.z)]);
    }
}

/// In the mean over a time in which the bed goes round, the moment of the drum's wall about its axis bears the
/// weight of what lies off it; what is left is the change of angular momentum over that time.
fn drum(finish: f64, tolerance: f64) {
    let setup: Setup<Spatial> = spatial(
        "drum-clumps",
        &[&format!("run.end_time={finish}"), "log.snapshots=0.02"],
    );
    let (system, sink) = run(&setup);
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-3, "{balance}");
    let from = 2.0;
    let mut offset = (0.0, 0.0);
    let mut slope = 0.0f64;
    for (grains, _) in sink.snapshots.iter().filter(|rows| rows.0[0].time > from) {
        let moment: f64 = grains.iter().map(|g| g.mass * g.position[0]).sum();
        let depth: f64 = grains.iter().map(|g| g.mass * g.position[2]).sum();
        offset = (offset.0 + 9.8 * moment, offset.1 + 1.0);
        slope += moment.atan2(-depth);
    }
    let rows: Vec<_> = sink.series.iter().filter(|row| row.time > from).collect();
    // What grains do to the wall about its centre, y.
    let wall: f64 = rows.iter().map(|row| row.walls[0][4]).sum::<f64>() / rows.len() as f64;
    let weight = offset.0 / offset.1;
    let slope = (slope / offset.1).abs().to_degrees();
    println!(
        "moment of the wall {wall:.4}, of the weight {weight:.4} N m; bed at {slope:.1} degrees"
    );
    close("moment", wall, weight, tolerance * weight.abs());
    assert!((25.0..60.0).contains(&slope), "{slope}");
}

#[test]
fn a_drum_bears_what_it_lifts() {
    drum(4.0, 0.03);
}

#[test]
#[ignore = "long: a minute"]
fn a_drum_bears_what_it_lifts_in_the_long_run() {
    drum(20.0, 0.01);
}

/// Planar and spatial setups that the tests above take to be so.
#[test]
fn the_scenarios_are_what_these_tests_take_them_for() {
    let domino: Setup<Planar> = planar("domino", &[]);
    assert_eq!(domino.grains.len(), 31);
    assert_eq!(domino.matter.forms[0].parts.len(), 24);
    let gomboc: Setup<Spatial> = spatial("gomboc", &[]);
    assert!(
        gomboc.matter.forms[0].parts.len() >= 80,
        "{}",
        gomboc.matter.forms[0].parts.len()
    );
}

/// Spins about the body's axes at times, by Euler's equations for the moments of inertia of the shape: Runge and Kutta's method.
fn free_spin(moments: [f64; 3], mut w: [f64; 3], until: f64, mut f: impl FnMut(f64, [f64; 3])) {
    let [a, b, c] = moments;
    let rate = |w: [f64; 3]| {
        [
            (b - c) / a * w[1] * w[2],
            (c - a) / b * w[2] * w[0],
            (a - b) / c * w[0] * w[1],
        ]
    };
    let h = 1e-4;
    let along = |w: [f64; 3], k: [f64; 3], h: f64| std::array::from_fn(|i| w[i] + h * k[i]);
    for step in 0..(until / h).round() as u32 {
        f(f64::from(step) * h, w);
        let k1 = rate(w);
        let k2 = rate(along(w, k1, 0.5 * h));
        let k3 = rate(along(w, k2, 0.5 * h));
        let k4 = rate(along(w, k3, h));
        w = std::array::from_fn(|i| w[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
}

/// Times at which a number changes its sign.
fn turns(values: &[(f64, f64)]) -> Vec<f64> {
    let changes = values.windows(2).filter(|w| w[0].1 * w[1].1 < 0.0);
    changes.map(|w| 0.5 * (w[0].0 + w[1].0)).collect()
}

/// The T-bar turns over as often, and when, Euler's equations say: with moments that are summed here from its eight spheres.
#[test]
fn a_t_bar_turns_over_again_and_again() {
    let setup = spatial("tbar", &["log.snapshots=0.02", "log.series=never"]);
    let spin = setup.grains[0].spin;
    let (_, sink) = run(&setup);
    let seen: Vec<(f64, f64)> = sink
        .snapshots
        .iter()
        .map(|(grains, _)| {
            let [x, y, z, w] = grains[0].rotation;
            let turned = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
            let in_body = turned.inverse() * Vector3::from(grains[0].spin);
            (grains[0].time, in_body.y)
        })
        .collect();
    let seen = turns(&seen);
    // Eight touching spheres of a unit diameter: five in the bar along x, three in the stem along y.
    let spheres: Vec<[f64; 2]> = (0..5)
        .map(|k| [f64::from(k) - 2.0, 0.0])
        .chain((1..4).map(|k| [0.0, f64::from(k)]))
        .collect();
    let middle = spheres.iter().map(|s| s[1]).sum::<f64>() / 8.0;
    let sum = |f: fn([f64; 2]) -> f64| {
        let of = |s: &[f64; 2]| f([s[0], s[1] - middle]) + 0.1;
        spheres.iter().map(of).sum::<f64>()
    };
    let moments = [
        sum(|[_, y]| y * y),
        sum(|[x, _]| x * x),
        sum(|[x, y]| x * x + y * y),
    ];
    let mut wanted = Vec::new();
    free_spin(
        moments,
        [spin.x, spin.y, spin.z],
        setup.run.end_time,
        |t, w| wanted.push((t, w[1])),
    );
    let wanted = turns(&wanted);
    assert!(wanted.len() >= 4, "{wanted:?}");
    assert_eq!(seen.len(), wanted.len(), "{seen:?} {wanted:?}");
    for (seen, wanted) in seen.iter().zip(&wanted) {
        assert!((seen - wanted).abs() < 0.05, "{seen} {wanted}");
    }
}
