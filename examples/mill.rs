//! The shaker ball mill: what the thesis measured, its size distribution after a day, and where it
//! grinds best (docs/mill.md).
//!
//! ```text
//! cargo run --release --example mill -- FOLDER
//! ```
//!
//! Tables go to the screen as Markdown, charts into the folder as SVG. A minute or two.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use arenite::record::{BodyRef, MemorySink, SeriesRow};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::study::grinding::{Analytical, Mill, Statistical};
use arenite::system::{Control, driver_of};
use arenite::view::{Curve, Panel, chart};

/// Impacts of two balls that count as hard, J: such as are over about the mean of the thesis's mill.
const HARD: f64 = 0.05;
/// Of the thesis's mill, m, Hz, m/s^2.
const AMPLITUDE: f64 = 0.0109;
const FREQUENCY: f64 = 52.6;
const ACCELERATION: f64 = 32.0 * AMPLITUDE * FREQUENCY * FREQUENCY;
const DAY: f64 = 86_400.0;

/// How a mill runs.
#[derive(Clone, Copy)]
struct Operation {
    path: &'static str,
    amplitude: f64,
    frequency: f64,
    balls: u32,
}

const THESIS: Operation = Operation {
    path: "parabolic",
    amplitude: AMPLITUDE,
    frequency: FREQUENCY,
    balls: 125,
};

/// What it does, per second, once the start is forgotten.
struct Rates {
    /// Collisions of two balls, of these such as are hard, and with walls, 1/s.
    balls: f64,
    hard: f64,
    walls: f64,
    /// Energy lost in collisions of balls and at walls, and fed in, W.
    lost: [f64; 2],
    fed: f64,
    /// Kinetic energy, mean over the rows, J.
    kinetic: f64,
}

fn measure(how: Operation, seconds: f64) -> Rates {
    let Operation {
        path,
        amplitude: a,
        frequency: f,
        balls,
    } = how;
    let finish = 0.2 + seconds;
    let motion = format!("{{ {path} = {{ amplitude = [0.0, 0.0, {a}], frequency = {f} }} }}");
    let overrides = [
        Override::option("MOTION", "boundary[0].motion", &motion),
        Override::option("BALLS", "fill[0].lattice.count", &balls.to_string()),
        Override::option("FINISH", "run.end_time", &finish.to_string()),
        Override::option("SNAPSHOTS", "log.snapshots", "\"never\""),
    ];
    let resolved = Scenario::load("mill", &overrides)
        .and_then(|s| s.resolve())
        .unwrap_or_else(|problem| {
            eprintln!("{}", problem.render(false));
            std::process::exit(2);
        });
    let AnySetup::Spatial(setup) = resolved.setup else {
        unreachable!("a mill is spatial");
    };
    let stop = AtomicBool::new(false);
    let mut control = Control::new(&stop);
    let mut sink = MemorySink::default();
    let mut run = driver_of(setup, None).expect("the scenario runs");
    run.run(&mut sink, &mut control)
        .expect("the run goes through");
    let steady: Vec<&SeriesRow> = sink.series.iter().filter(|row| row.time > 0.199).collect();
    let (first, last) = (steady[0], steady[steady.len() - 1]);
    let per = |x: f64| x / (last.time - first.time);
    let counted = |k: usize| per((last.collisions[k] - first.collisions[k]) as f64);
    let of_balls = || sink.impacts.iter().filter(|row| row.with == BodyRef::None);
    let count = |hard: bool| {
        let rows = of_balls().filter(|row| !hard || row.from >= HARD);
        rows.map(|row| row.count).sum::<u64>() as f64
    };
    let at_walls = last.dissipated_at_walls - first.dissipated_at_walls;
    let all = last.dissipated[2] - first.dissipated[2];
    Rates {
        balls: counted(0),
        hard: counted(0) * count(true) / count(false).max(1.0),
        walls: counted(1),
        lost: [per(all - at_walls), per(at_walls)],
        fed: per(last.injected - first.injected),
        kinetic: steady.iter().map(|row| row.kinetic).sum::<f64>() / steady.len() as f64,
    }
}

/// The thesis's vessel, with particles of half a millimetre at the start.
fn mill(balls: u32, initial_radius: f64) -> Mill {
    Mill {
        ball_radius: 3.2e-3,
        balls,
        vessel_radius: 31.5e-3,
        vessel_height: 103e-3,
        initial_radius,
        final_radius: 1e-6,
    }
}

/// Hours until half of the mass is in the last basket, at a rate of collisions.
fn hours_to_half(balls: u32, rate: f64) -> f64 {
    let probabilities = mill(balls, 0.5e-3).probabilities().expect("a mill");
    let model = Analytical::new(rate, probabilities).expect("a model");
    let ground = |hours: f64| {
        let masses = model.masses(1.0, 3600.0 * hours).expect("a time");
        masses[masses.len() - 1]
    };
    let (mut low, mut high) = (0.0, 1e7);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if ground(middle) < 0.5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Slope and offset of a straight line by least squares.
fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let up: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let slope = up / points.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>();
    [slope, y - slope * x]
}

fn exponent(points: &[[f64; 2]]) -> f64 {
    line(&points.iter().map(|p| p.map(f64::ln)).collect::<Vec<_>>())[0]
}

/// The thesis's case: rates, on both paths.
fn thesis_case() -> f64 {
    println!("### The thesis's case\n");
    println!(
        "| path | collisions of balls, 1/s | with walls, 1/s | together | fed in, W | lost by balls, W | at walls, W | kinetic, J |\n|---|---|---|---|---|---|---|---|"
    );
    let mut rate = 0.0;
    for path in ["parabolic", "harmonic"] {
        let r = measure(Operation { path, ..THESIS }, 10.0);
        let [balls, walls] = r.lost;
        println!(
            "| {path} | {:.0} | {:.0} | {:.0} | {:.0} | {balls:.0} | {walls:.0} | {:.1} |",
            r.balls,
            r.walls,
            r.balls + r.walls,
            r.fed,
            r.kinetic
        );
        if path == "parabolic" {
            rate = r.balls;
        }
    }
    rate
}

/// Dissipation against amplitude and frequency, 100 balls (thesis 3.6.4).
fn dissipation(folder: &Path) {
    let lost = |amplitude, frequency| {
        let how = Operation {
            amplitude,
            frequency,
            balls: 100,
            ..THESIS
        };
        measure(how, 8.0).lost.iter().sum::<f64>()
    };
    let amplitudes = [
        0.004, 0.0055, 0.007, 0.0085, 0.0109, 0.014, 0.018, 0.0215, 0.025,
    ];
    let by_amplitude = amplitudes.map(|a| [1e3 * a, lost(a, FREQUENCY)]);
    let frequencies = [13.15, 20.0, 26.3, 40.0, 52.6, 80.0, 105.2];
    let by_frequency = frequencies.map(|f| [f, lost(AMPLITUDE, f)]);
    println!("\n### Energy lost, 100 balls\n");
    println!(
        "| amplitude, mm, at 52.6 Hz | W | frequency, Hz, at 10.9 mm | W |\n|---|---|---|---|"
    );
    for k in 0..amplitudes.len() {
        let cell =
            |row: Option<&[f64; 2]>| row.map_or("| ".into(), |[x, y]| format!("{x} | {y:.1}"));
        println!(
            "| {} | {} |",
            cell(by_amplitude.get(k)),
            cell(by_frequency.get(k))
        );
    }
    let upper = &by_amplitude[3..];
    let [slope, offset] = line(upper);
    println!(
        "\nfrequency: exponent {:.3}; amplitude from 8.5 mm on: exponent {:.2}, straight line {slope:.2} W/mm (A - {:.2} mm)",
        exponent(&by_frequency),
        exponent(upper),
        -offset / slope
    );
    let fit: Vec<[f64; 2]> = upper
        .iter()
        .map(|p| [p[0], offset + slope * p[0]])
        .collect();
    let cubes: Vec<[f64; 2]> = by_frequency.iter().map(|p| [p[0].powi(3), p[1]]).collect();
    let [a, b] = line(&cubes);
    let cubic = cubes.iter().map(|p| [p[0], a * p[0] + b]).collect();
    let panel = |title: &str, along: &str, points: Vec<[f64; 2]>, fit| Panel {
        title: title.into(),
        along: along.into(),
        curves: vec![
            Curve { points, key: 0 },
            Curve {
                points: fit,
                key: 1,
            },
        ],
    };
    save(
        folder,
        "mill-dissipation",
        &[
            panel(
                "energy lost, W, at 52.6 Hz",
                "amplitude, mm",
                by_amplitude.to_vec(),
                fit,
            ),
            panel(
                "energy lost, W, at 10.9 mm",
                "frequency cubed, 1/s^3",
                cubes,
                cubic,
            ),
        ],
        &["simulated", "straight line"],
    );
}

/// The size distribution after a day, by the analytical model and one sample of whole particles.
fn size_distribution(folder: &Path, measured: f64) {
    println!("\n### Sizes after 24 h, share of the mass in %\n");
    let rates = [1e5, measured];
    let model = |initial: f64, rate: f64| {
        let probabilities = mill(125, initial).probabilities().expect("a mill");
        let model = Analytical::new(rate, probabilities).expect("a model");
        model.masses(100.0, DAY).expect("a time")
    };
    let found = rates.map(|rate| model(0.5e-3, rate));
    // From four times the size the baskets are the same, six further down.
    let coarse = &model(2e-3, rates[0])[6..];
    let mut sample = Statistical::new(mill(125, 0.5e-3).probabilities().expect("a mill"), 2433, 1)
        .expect("a sample");
    sample.pass(rates[0] * DAY);
    let sampled = sample.masses(100.0);
    println!(
        "| radius, um | analytical, 100,000 /s | one sample, 100,000 /s | from 2 mm, 100,000 /s | analytical, {measured:.0} /s |\n|---|---|---|---|---|"
    );
    let radius = |k: usize| 1e6 * mill(125, 0.5e-3).radius(k);
    for k in 0..found[0].len() {
        if found.iter().any(|masses| masses[k] > 5e-4) {
            println!(
                "| {:.2} | {:.3} | {:.3} | {:.3} | {:.3} |",
                radius(k),
                found[0][k],
                sampled[k],
                coarse[k],
                found[1][k]
            );
        }
    }
    let curve = |masses: &[f64], key| Curve {
        points: (0..masses.len())
            .map(|k| [radius(k), masses[k]])
            .filter(|point| point[0] < 6.0)
            .collect(),
        key,
    };
    let all = [&found[0], &sampled, &found[1]];
    save(
        folder,
        "mill-sizes",
        &[Panel {
            title: "share of the mass after 24 h, %".into(),
            along: "radius, um".into(),
            curves: (0..).zip(all).map(|(key, m)| curve(m, key)).collect(),
        }],
        &[
            "analytical, 100,000 /s",
            "one sample, 100,000 /s",
            &format!("analytical, {measured:.0} /s"),
        ],
    );
}

/// Amplitude and filling under the acceleration of the thesis's shaker: a longer way is slower.
fn study(folder: &Path) {
    println!(
        "\n### Operating points at the thesis's acceleration, {ACCELERATION:.0} m/s^2; hard: over {HARD} J\n"
    );
    println!(
        "| amplitude, mm | frequency, Hz | balls | room filled, % | collisions of balls, 1/s | hard, 1/s | fed in, W | lost by balls, % | hard, 1/J | half ground after, h | so by hard ones, h |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let (mut hard, mut each) = (Vec::new(), Vec::new());
    let amplitudes = [0.006, 0.008, AMPLITUDE, 0.016, 0.022, 0.03];
    let mut best: Option<(f64, Operation)> = None;
    for (key, amplitude) in amplitudes.into_iter().enumerate() {
        let frequency = (ACCELERATION / (32.0 * amplitude)).sqrt();
        let (mut hard_here, mut each_here) = (Vec::new(), Vec::new());
        for balls in [50, 75, 100, 125, 150, 200, 250, 300, 350, 400, 450] {
            let how = Operation {
                amplitude,
                frequency,
                balls,
                ..THESIS
            };
            let r = measure(how, 3.0);
            let vessel = mill(balls, 0.5e-3);
            let whole = mill(0, 0.5e-3).available();
            let filled = 100.0 * (1.0 - vessel.available() / whole);
            println!(
                "| {:.1} | {frequency:.1} | {balls} | {filled:.1} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} |",
                1e3 * amplitude,
                r.balls,
                r.hard,
                r.fed,
                100.0 * r.lost[0] / r.fed,
                r.hard / r.fed,
                hours_to_half(balls, r.balls),
                hours_to_half(balls, r.hard.max(1.0)),
            );
            hard_here.push([f64::from(balls), r.hard]);
            each_here.push([f64::from(balls), r.hard / r.fed]);
            let hours = hours_to_half(balls, r.hard.max(1.0));
            if best.is_none_or(|(least, _)| hours < least) {
                best = Some((hours, how));
            }
        }
        hard.push(Curve {
            points: hard_here,
            key,
        });
        each.push(Curve {
            points: each_here,
            key,
        });
    }
    if let Some((hours, how)) = best {
        println!(
            "\nbest by hard collisions: {:.1} mm, {:.1} Hz, {} balls: half ground after {hours:.1} h",
            1e3 * how.amplitude,
            how.frequency,
            how.balls
        );
    }
    let panel = |title: &str, curves| Panel {
        title: title.into(),
        along: "balls".into(),
        curves,
    };
    let keys: Vec<String> = amplitudes
        .iter()
        .map(|a| {
            let f = (ACCELERATION / (32.0 * a)).sqrt();
            format!("{:.1} mm, {f:.1} Hz", 1e3 * a)
        })
        .collect();
    save(
        folder,
        "mill-study",
        &[
            panel("collisions of balls over 50 mJ, 1/s", hard),
            panel("the same per joule fed in", each),
        ],
        &keys.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

fn save(folder: &Path, name: &str, panels: &[Panel], keys: &[&str]) {
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let path = folder.join(format!("{name}.svg"));
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(&path, chart(panels, &keys).to_svg()).expect("the chart can be written");
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: mill FOLDER");
        std::process::exit(2);
    };
    let folder = Path::new(&folder);
    let rate = thesis_case();
    dissipation(folder);
    size_distribution(folder, rate);
    study(folder);
}
