//! Slopes of beds of disks and of grains of arcs in a box that turns slowly.

use arenite::scenario::{AnySetup, Scenario};
use arenite::system::Setup;
use arenite::{geometry::Planar, record::GrainRow};

use crate::support::run;

/// How fast the box turns, rad/s.
const RATE: f64 = 0.5;

/// Sixty grains of a shape (or disks) of the same areas in a square box that turns, told in its frame.
fn turning_box(shape: &str, seed: u32) -> Setup<Planar> {
    let shape = if shape.is_empty() {
        String::new()
    } else {
        format!("shape = \"{shape}\"\nequal_measure = true\n")
    };
    let text = format!(
        "name = \"box\"\ndimension = 2\nseed = {seed}\n[field]\ngravity = [0.0, -9.8]\n[run]\n\
         end_time = 14.6\n[settle]\nat_most = 1.0\n[log]\nseries = \"never\"\nsnapshots = 0.05\n\
         checkpoint = \"never\"\n[material.stone]\ndensity = 2500.0\n[[law]]\n\
         between = [\"stone\", \"stone\"]\n[law.linear]\nnormal_stiffness = 2e6\n\
         tangential_stiffness = 1e6\nnormal_damping = 300.0\ntangential_damping = 150.0\n\
         friction = 0.5\n[[boundary]]\nname = \"box\"\nmaterial = \"stone\"\n\
         polyline = {{ closed = true, points = [[-0.18, -0.18], [0.18, -0.18], [0.18, 0.18], \
         [-0.18, 0.18]] }}\n[[fill]]\nmaterial = \"stone\"\n{shape}[fill.lattice]\ncount = 60\n\
         radius = {{ mean = 0.012, spread = 0.1 }}\nmin = [-0.179, -0.179]\nmax = [0.179, 0.179]\n\
         jitter = 1.0\nspeed = 0.2\n[[perturb]]\ntime = 0.0\ntilt = {{ rate = -{RATE} }}\n"
    );
    let scenario = Scenario::parse("box.toml", &text, None, &[]);
    match scenario.and_then(|s| s.resolve()).unwrap().setup {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("planar"),
    }
}

/// The angle by which the middle of the mass is off the direction of gravity, rad: of a bed that half fills a
/// round box, its slope.
fn lean(grains: &[GrainRow]) -> f64 {
    let sum = |k: usize| -> f64 { grains.iter().map(|g| g.mass * g.position[k]).sum() };
    let (x, y) = (sum(0), sum(1));
    let (sine, cosine) = (-RATE * grains[0].time).sin_cos();
    // Gravity is (sine, -cosine).
    (sine * y + cosine * x).atan2(sine * x - cosine * y)
}

/// Mean lean over the last whole turn of the box, in degrees.
fn mean_lean(shape: &str, seed: u32) -> f64 {
    let setup = turning_box(shape, seed);
    let from = setup.run.end_time - std::f64::consts::TAU / RATE;
    let (system, sink) = run(&setup);
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-2, "{balance}");
    let rows = sink.snapshots.iter().map(|(grains, _)| grains);
    let leans: Vec<f64> = rows.filter(|g| g[0].time > from).map(|g| lean(g)).collect();
    (leans.iter().sum::<f64>() / leans.len() as f64).to_degrees()
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let scatter: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (scatter / (count * (count - 1.0))).sqrt())
}

/// Beds of quasi-triangles lie steeper than beds of disks. Single means scatter by 0.56 degrees, so that eight a
/// side find a difference of 0.8 degrees with a power of 80 % at 95 % (two-sided); it is four. Half of the
/// smallest difference of interest, 2 degrees, must lie outside of the interval.
#[test]
#[ignore = "long: a minute"]
fn slopes_grow_from_disks_to_triangles() {
    let of = |shape: &str| {
        let leans: Vec<f64> = (1..=8).map(|seed| mean_lean(shape, seed)).collect();
        let (mean, error) = mean_and_error(&leans);
        println!("{shape}: {mean:.2} +- {error:.2}: {leans:.2?}");
        (mean, error)
    };
    let (disks, triangles) = (of(""), of("quasi-triangle"));
    let (more, error) = (triangles.0 - disks.0, disks.1.hypot(triangles.1));
    // Student's t of 14 degrees of freedom at 95 %.
    assert!(more - 2.145 * error > 1.0, "{more} +- {error}");
}
