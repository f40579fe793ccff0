//! A bed that stands still answers a blow, and the loss of a support, as a stepped one: who slept must not decide what
//! follows. The reference is the same scenario with every grain stepped, and that nothing brings energy in.

use arenite::cluster::integrate::Integrate;
use arenite::record::{MemorySink, SeriesRow, Summary};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Setup, System};

use crate::support;

/// A law by which grains of this mass, kg, and stiffness, N/m, lose energy at this damping ratio against a wall, for both pairs.
fn linear(stiffness: f64, mass: f64, ratio: f64) -> String {
    let damping = 2.0 * ratio * (stiffness * mass).sqrt();
    ["a", "w"]
        .map(|b| {
            format!(
                "[[law]]\nbetween = [\"a\", \"{b}\"]\nlinear = {{ normal_stiffness = {stiffness}, tangential_stiffness = {}, \
                 normal_damping = {damping}, tangential_damping = {}, friction = 0.4 }}\n",
                0.7 * stiffness,
                0.5 * damping
            )
        })
        .concat()
}

/// Disks of 10 mm in a cup, and one of another size that falls on them.
fn disks(ratio: f64, damping: f64) -> String {
    let mass = std::f64::consts::PI * 1e-4 * 1000.0;
    let radius = 0.01 * ratio;
    format!(
        "name = \"blow\"\ndimension = 2\n[field]\ngravity = [0.0, -9.81]\n[run]\nend_time = 0.72\n[log]\nsnapshots = 0.004\n\
         series = 0.01\n[morph]\n[material.a]\ndensity = 1000.0\n[material.w]\n{}[[boundary]]\nname = \"cup\"\nmaterial = \"w\"\n\
         polyline = {{ points = [[0.0, 3.0], [0.0, 0.0], [0.3, 0.0], [0.3, 3.0]] }}\n[[fill]]\nmaterial = \"a\"\n[fill.lattice]\n\
         count = 75\nradius = {{ min = 0.009, max = 0.011 }}\nmin = [0.0, 0.0]\nmax = [0.3, 0.4]\njitter = 0.5\n[[fill]]\n\
         material = \"a\"\n[[fill.grains]]\nposition = [0.15, {}]\nradius = {radius}\n",
        linear(6e5, mass, damping),
        1.7 + radius
    )
}

/// Spheres of 5 mm in a box, and one of another size that falls on them; by a linear law, or by Hertz's.
fn spheres(ratio: f64, damping: Option<f64>) -> String {
    let (mass, radius) = (2500.0 * 5.236e-7, 0.005 * ratio);
    let law = match damping {
        Some(damping) => linear(6e3, mass, damping),
        None => ["a", "w"]
            .map(|b| format!("[[law]]\nbetween = [\"a\", \"{b}\"]\nhertz = {{ restitution = 0.6, friction = 0.4 }}\n"))
            .concat(),
    };
    format!(
        "name = \"blow\"\ndimension = 3\n[field]\ngravity = [0.0, 0.0, -9.81]\n[run]\nend_time = 0.46\n[log]\nsnapshots = 0.002\n\
         series = 0.01\n[morph]\n[material.a]\ndensity = 2500.0\nyoung = 5e6\npoisson = 0.25\n[material.w]\nyoung = 5e6\n\
         poisson = 0.25\n{law}[[boundary]]\nname = \"cup\"\nmaterial = \"w\"\nbox = {{ min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 1.0], \
         grains = \"inside\" }}\n[[fill]]\nmaterial = \"a\"\n[fill.lattice]\ncount = 100\nradius = {{ min = 0.0045, max = 0.0055 }}\n\
         min = [0.0, 0.0, 0.0]\nmax = [0.05, 0.05, 0.15]\njitter = 0.5\n[[fill]]\nmaterial = \"a\"\n[[fill.grains]]\n\
         position = [0.025, 0.025, {}]\nradius = {radius}\n",
        0.8 + radius
    )
}

fn setup(text: &str, seed: u64, still: bool) -> AnySetup {
    let set = [format!("seed={seed}"), format!("morph.rigid={still}")];
    let set: Vec<Override> = set.iter().map(|set| Override::set(set).unwrap()).collect();
    Scenario::parse("blow", text, None, &set)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)))
        .setup
}

/// What came of a run: records and summary.
fn outcome(text: &str, seed: u64, still: bool) -> (MemorySink, Summary) {
    fn run<D: Integrate>(setup: &Setup<D>) -> (MemorySink, Summary) {
        let (system, records): (System<D>, _) = support::run(setup);
        (records, system.summary())
    }
    match setup(text, seed, still) {
        AnySetup::Planar(setup) => run(&setup),
        AnySetup::Spatial(setup) => run(&setup),
    }
}

/// Greatest speed up of the grain put in last after it was fastest down, over that speed; and how many of all grains stood still
/// just before.
fn rebound(text: &str, seed: u64, still: bool) -> (f64, f64) {
    let up = if text.contains("dimension = 3") { 2 } else { 1 };
    let (records, _) = outcome(text, seed, still);
    let (speeds, hit) = fall(&records, up);
    let most = speeds[hit..].iter().copied().fold(0.0, f64::max);
    (most / -speeds[hit], at_rest(&records, hit))
}

/// Speeds up of the grain put in last, by snapshot, m/s; and the snapshot in which it was fastest down.
fn fall(records: &MemorySink, up: usize) -> (Vec<f64>, usize) {
    let last = records.snapshots[0].0.iter().map(|g| g.grain).max();
    let speeds: Vec<f64> = records
        .snapshots
        .iter()
        .filter_map(|(grains, _)| grains.iter().find(|g| Some(g.grain) == last))
        .map(|g| g.velocity[up])
        .collect();
    let hit = (0..speeds.len())
        .min_by(|&a, &b| speeds[a].total_cmp(&speeds[b]))
        .unwrap();
    (speeds, hit)
}

/// Share of the grains that are at rest in a snapshot.
fn at_rest(records: &MemorySink, snapshot: usize) -> f64 {
    let grains = &records.snapshots[snapshot].0;
    let rests = grains
        .iter()
        .filter(|g| ["rest", "rigid"].contains(&g.regime.name()));
    rests.count() as f64 / grains.len() as f64
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Rebounds over some seeds are as of the stepped twin, within three standard errors of the difference and 0.02; and there was a bed
/// that stood still.
fn same_rebound(text: &str) {
    let of = |still: bool| -> (Vec<f64>, Vec<f64>) {
        (1..=8).map(|seed| rebound(text, seed, still)).unzip()
    };
    let ((still, shares), (stepped, _)) = (of(true), of(false));
    let share = shares.iter().sum::<f64>() / 8.0;
    assert!(
        share > 0.5,
        "{share} of the grains stand still when it strikes"
    );
    let ((a, ea), (b, eb)) = (mean_and_error(&still), mean_and_error(&stepped));
    assert!(
        (a - b).abs() < 3.0 * ea.hypot(eb) + 0.02,
        "still {a} +- {ea}, stepped {b} +- {eb}"
    );
}

#[test]
fn disks_rebound_from_a_still_bed_as_from_a_stepped_one() {
    for (ratio, damping) in [(0.7, 0.2), (1.0, 0.06), (1.5, 0.06), (2.5, 0.2)] {
        same_rebound(&disks(ratio, damping));
    }
}

#[test]
fn spheres_rebound_from_a_still_bed_as_from_a_stepped_one() {
    for (ratio, damping) in [(1.0, Some(0.1)), (2.0, Some(0.1)), (1.5, None)] {
        same_rebound(&spheres(ratio, damping));
    }
}

/// The wave of a blow undoes what friction holds, as far as it outweighs what links store: so far grains are woken, but not where dampers take
/// it up in the first contacts.
#[test]
fn a_blow_wakes_as_far_as_its_wave_counts() {
    // Means over fillings: 16 had 0.0 and 0.18 +- 0.08 each, at snapshots 4 ms apart.
    const SEEDS: u64 = 8;
    let [light, heavy] = [0.1, 2.0].map(|ratio| {
        let after = (1..=SEEDS).map(|seed| {
            let (records, _) = outcome(&disks(1.0, ratio), seed, true);
            let (_, hit) = fall(&records, 1);
            // The fastest snapshot may come just after the blow.
            let before = at_rest(&records, hit - 5);
            assert!(before > 0.6, "{before}");
            at_rest(&records, hit + 2)
        });
        after.sum::<f64>() / SEEDS as f64
    });
    println!("{light} {heavy}");
    assert!(light < 0.02 && heavy > 0.1, "{light} {heavy}");
}

/// Mechanical energy of a row, J.
fn mechanical(row: &SeriesRow) -> f64 {
    row.kinetic + row.potential + row.elastic
}

#[test]
fn a_ball_on_a_still_ball_loses_as_much_as_on_a_stepped_one() {
    for (dimension, damping) in [(2, 0.1), (3, 0.04)] {
        let at = |height: f64| {
            if dimension == 2 {
                format!("[0.0, {height}]")
            } else {
                format!("[0.0, 0.0, {height}]")
            }
        };
        let up = at(1.0);
        let mass = if dimension == 2 {
            std::f64::consts::PI * 0.1
        } else {
            4.18879e-3
        };
        let text = format!(
            "name = \"two\"\ndimension = {dimension}\n[field]\ngravity = {}\n[run]\nend_time = 0.5\n[log]\nseries = 0.002\n[morph]\n\
             [material.a]\ndensity = 1000.0\n[material.w]\n{}[[boundary]]\nname = \"floor\"\nmaterial = \"w\"\n\
             plane = {{ point = {}, normal = {up} }}\n[[fill]]\nmaterial = \"a\"\n[[fill.grains]]\nposition = {}\nradius = 0.01\n\
             [[fill.grains]]\nposition = {}\nradius = 0.01\n",
            at(-9.81),
            linear(2e6 * mass, mass, damping),
            at(0.0),
            at(0.00999),
            at(0.25)
        );
        let [still, stepped] = [true, false].map(|still| outcome(&text, 1, still));
        assert!(
            still.1.regimes.rest + still.1.regimes.rigid > 0.1,
            "{:?}",
            still.1.regimes
        );
        let rows =
            |of: &(MemorySink, Summary)| of.0.series.iter().map(mechanical).collect::<Vec<f64>>();
        let [still, stepped] = [rows(&still), rows(&stepped)];
        let left = |rows: &[f64]| rows[rows.len() - 1] / rows[0];
        assert!(
            (left(&still) - left(&stepped)).abs() < 0.02 * left(&stepped),
            "{dimension}: {} left, stepped {}",
            left(&still),
            left(&stepped)
        );
        let most = still.iter().copied().fold(0.0, f64::max);
        assert!(
            most <= 1.001 * still[0],
            "{dimension}: {most} of {}",
            still[0]
        );
    }
}

/// Nothing is fed and no wall moves: mechanical energy may only fall, whatever stands still and is woken.
#[test]
fn no_blow_on_a_still_bed_brings_energy_in() {
    for text in [disks(3.0, 0.05), spheres(2.5, Some(0.05))] {
        let (records, summary) = outcome(&text, 3, true);
        let rows: Vec<f64> = records.series.iter().map(mechanical).collect();
        let flowed = rows[0] - rows[rows.len() - 1];
        for pair in rows.windows(2) {
            assert!(
                pair[1] - pair[0] < 1e-3 * flowed,
                "{} of {flowed} J in a row",
                pair[1] - pair[0]
            );
        }
        let morph = summary.energy.dissipated.morph;
        assert!(
            morph.abs() < 0.01 * flowed,
            "morphs took {morph} of {flowed} J"
        );
    }
}

/// A column stands on a gate that opens: its top starts to fall as soon as the stepped twin's, to some contact times. Clocks by
/// how far it has fallen after that.
#[test]
fn a_column_falls_at_once_when_its_gate_opens() {
    let radius = 0.008;
    let mass = std::f64::consts::PI * radius * radius * 1000.0;
    for count in [6, 15, 20usize] {
        let mut text = format!(
            "name = \"column\"\ndimension = 2\n[field]\ngravity = [0.0, -9.81]\n[run]\nend_time = 0.65\n[log]\nsnapshots = 0.05\n[morph]\n\
             [material.a]\ndensity = 1000.0\n[material.w]\n{}[[boundary]]\nname = \"gate\"\nmaterial = \"w\"\nopens_at = 0.5\n\
             plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}\n[[fill]]\nmaterial = \"a\"\n",
            linear(6e5, mass, 0.3)
        );
        for k in 0..count {
            let height = radius * (1.0 + 2.0 * k as f64);
            text += &format!("[[fill.grains]]\nposition = [0.0, {height}]\nradius = {radius}\n");
        }
        let fallen = |still: bool| {
            let (records, _) = outcome(&text, 1, still);
            let of = |k: usize| {
                let grains = &records.snapshots[k].0;
                let top = grains.iter().max_by_key(|g| g.grain).unwrap();
                let stands = |name: &str| ["rest", "rigid"].contains(&name);
                let standing = grains.iter().filter(|g| stands(g.regime.name()));
                (top.position[1], standing.count())
            };
            // The gate opens at 0.5 s.
            let (_, standing) = of(9);
            let ((before, _), (after, _)) = (of(10), of(12));
            (before - after, standing)
        };
        let ((still, standing), (stepped, none)) = (fallen(true), fallen(false));
        // All but the top one, which presses on one other only.
        assert_eq!((standing, none), (count - 1, 0));
        let delay = |way: f64| 0.1 - (2.0 * way / 9.81).sqrt();
        assert!(
            delay(still) < delay(stepped) + 0.01,
            "{count}: after {} s, stepped {} s",
            delay(still),
            delay(stepped)
        );
    }
}

/// Sound runs draw no warning.
#[test]
fn a_bed_at_rest_that_is_struck_draws_no_warning() {
    for (text, still) in [
        (spheres(1.0, Some(0.3)), true),
        (spheres(1.0, Some(0.3)), false),
        (disks(1.0, 0.3), true),
    ] {
        let (_, summary) = outcome(&text, 1, still);
        assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    }
}
