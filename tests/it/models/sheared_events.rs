//! Sheared periodic boxes (`[[periodic.shear]]`) in runs from collision to collision (`[events]`): the same figures and rows as stepped
//! runs, the same steady flow, saved states, and what is refused.

use std::sync::atomic::AtomicBool;

use arenite::control::Command;
use arenite::record::{MemorySink, Summary};
use arenite::system::Control;

use crate::support::{Checkpoints, Dice, close, driven, driver};

/// Grains on a lattice with random velocities, which sum up to none: a mean velocity across the flow would make one along it.
fn lattice(dimension: usize, count: usize, length: f64, seed: u64) -> String {
    let side = (count as f64).powf(1.0 / dimension as f64).round() as usize;
    let mut dice = Dice(seed);
    let mut speeds: Vec<[f64; 3]> = (0..count)
        .map(|_| std::array::from_fn(|_| dice.between(-0.02, 0.02)))
        .collect();
    for k in 0..3 {
        let mean = speeds.iter().map(|v| v[k]).sum::<f64>() / count as f64;
        speeds.iter_mut().for_each(|v| v[k] -= mean);
    }
    let grain = |(index, speed): (usize, &[f64; 3])| {
        let step = |k: usize| (index / side.pow(k as u32) % side) as f64 + 0.5;
        let place: Vec<f64> = (0..dimension)
            .map(|k| step(k) * length / side as f64)
            .collect();
        format!(
            "{{ position = {place:?}, radius = 0.005, velocity = {:?} }}",
            &speed[..dimension]
        )
    };
    let all: Vec<String> = speeds.iter().enumerate().map(grain).collect();
    all.join(", ")
}

/// A gas of equal grains that fill 0.3 of a square or cubic box and lose a fifth of the approach speed; `more` comes last.
fn gas(dimension: usize, (seed, end): (u64, f64), shears: &str, more: &str) -> String {
    // A contact lasts 4 ms, some hundredth of the time between two.
    let (count, length, contact) = match dimension {
        2 => (
            196,
            0.226_5,
            "normal_stiffness = 2.42e4, normal_damping = 4.37",
        ),
        _ => (
            216,
            0.072_24,
            "normal_stiffness = 161.6, normal_damping = 0.029_17",
        ),
    };
    let third = if dimension == 3 {
        format!("z = [0.0, {length}]\n")
    } else {
        String::new()
    };
    format!(
        r#"
name = "sheared"
dimension = {dimension}
seed = {seed}
[run]
end_time = {end}
[log]
series = {every}
snapshots = {half}
[periodic]
x = [0.0, {length}]
y = [0.0, {length}]
{third}{shears}
[material.grain]
density = 1000.0
[[law]]
between = ["grain", "grain"]
linear = {{ {contact}, tangential_stiffness = 0.0, tangential_damping = 0.0, friction = 0.0 }}
[[fill]]
material = "grain"
grains = [{grains}]
{more}
"#,
        every = end / 100.0,
        half = 0.5 * end,
        grains = lattice(dimension, count, length, seed),
    )
}

const STEADY: &str = "[[periodic.shear]]\nrate = 1.0\n";
const EVENTS: &str = "[events]\n";

fn run(text: &str) -> (MemorySink, Summary) {
    driven(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Kinetic energy, pressure along y, along x and shear stress in the second half of a run.
fn steady(text: &str) -> [f64; 4] {
    let (sink, summary) = run(text);
    let late = &sink.series[sink.series.len() / 2..];
    let kinetic = late.iter().map(|row| row.kinetic).sum::<f64>() / late.len() as f64;
    assert!(
        summary.energy.balance_error_max < 5e-3,
        "{:?}",
        summary.energy
    );
    let p = summary.cell.unwrap().mean_pressure;
    [kinetic, p[1][1], p[0][0], -p[1][0]]
}

/// Means over seeds, and their errors.
fn means(runs: &[[f64; 4]]) -> [[f64; 2]; 4] {
    let count = runs.len() as f64;
    std::array::from_fn(|k| {
        let mean = runs.iter().map(|run| run[k]).sum::<f64>() / count;
        let spread: f64 = runs
            .iter()
            .map(|run| (run[k] - mean) * (run[k] - mean))
            .sum();
        [mean, (spread / (count - 1.0) / count).sqrt()]
    })
}

/// Stiff contacts step by step and collisions of the same law give the same steady flow: temperature, both normal stresses and shear
/// stress, which differ by what chance leaves and by the hundredth of the time that contacts take.
#[test]
fn the_steady_flow_is_that_of_stepped_contacts() {
    for (dimension, seeds) in [(2, 4), (3, 3)] {
        let of = |model: &str, end: f64| -> Vec<[f64; 4]> {
            let text = |seed| gas(dimension, (seed, end), STEADY, model);
            (1..=seeds).map(|seed| steady(&text(seed))).collect()
        };
        // Collisions cost little: their means are taken over longer runs.
        let (stepped, collided) = (means(&of("", 60.0)), means(&of(EVENTS, 300.0)));
        println!("{dimension}: {stepped:?} {collided:?}");
        for ([a, da], [b, db]) in stepped.into_iter().zip(collided) {
            let (off, error) = (a / b - 1.0, (da * da + db * db).sqrt() / b);
            assert!(error < 0.025, "{error}");
            assert!(off.abs() < 0.02 + 3.0 * error, "{off} with {error}");
        }
    }
}

/// Rows tell where the images are and how far the shear is as those of steps do, and velocities in space; the balance closes.
#[test]
fn rows_are_those_of_stepped_runs() {
    let shears = "[[periodic.shear]]\nrate = 3.0\n[[periodic.shear]]\nrate = -5.0\nfrom = 0.411\nuntil = 0.7\n";
    for dimension in [2, 3] {
        let (events, summary) = run(&gas(dimension, (1, 1.0), shears, EVENTS));
        let (stepped, other) = run(&gas(dimension, (1, 1.0), shears, ""));
        assert_eq!(events.series.len(), stepped.series.len());
        let length = summary.cell.as_ref().unwrap().lengths[0];
        for (a, b) in events.series.iter().zip(&stepped.series) {
            let (cell, twin) = (a.cell.unwrap(), b.cell.unwrap());
            assert_eq!(a.time, b.time);
            assert_eq!(cell.lengths, twin.lengths);
            // Steps change the rate up to a step late.
            close("shear", cell.sheared, twin.sheared, 5e-3);
            let apart = cell.offset - twin.offset;
            let apart = apart - length * (apart / length).round();
            close("offset", apart, 0.0, 5e-3 * length);
            close("fraction", cell.fraction, twin.fraction, 1e-12);
            assert!(a.balance_error < 1e-11, "{}", a.balance_error);
        }
        // At the start all take on the flow: the same velocities in space.
        for (a, b) in events.snapshots[0].0.iter().zip(&stepped.snapshots[0].0) {
            for k in 0..3 {
                close("velocity", a.velocity[k], b.velocity[k], 1e-12);
            }
        }
        let (cell, twin) = (summary.cell.unwrap(), other.cell.unwrap());
        close("shear", cell.sheared, 3.0 * 0.711 - 5.0 * 0.289, 1e-12);
        assert_eq!(cell.mean_pressure.len(), twin.mean_pressure.len());
        assert!(cell.friction.is_some());
        assert!(
            summary.energy.balance_error_max < 1e-11,
            "{:?}",
            summary.energy
        );
        assert!(summary.energy.injected != 0.0);
    }
}

/// A grain that goes over the borders is where a stepped one is, but for the image that the rows have of it.
#[test]
fn grains_cross_the_border_as_in_steps() {
    let one = r#"
name = "one"
dimension = 2
[run]
end_time = 1.0
[log]
series = 0.1
snapshots = 0.1
[periodic]
x = [-0.02, 0.1]
y = [0.01, 0.1]
[[periodic.shear]]
rate = 3.0
[material.grain]
density = 1000.0
[[law]]
between = ["grain", "grain"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 0.0, normal_damping = 1.0, tangential_damping = 0.0, friction = 0.0 }
[[fill]]
material = "grain"
grains = [{ position = [0.03, 0.07], radius = 0.01, velocity = [0.05, 0.31] }]
"#;
    let (events, _) = run(&format!("{one}{EVENTS}"));
    let (stepped, _) = run(one);
    assert_eq!(events.snapshots.len(), stepped.snapshots.len());
    for (a, b) in events.snapshots.iter().zip(&stepped.snapshots) {
        let (a, b) = (a.0[0], b.0[0]);
        let mut way: [f64; 3] = std::array::from_fn(|k| a.position[k] - b.position[k]);
        let turns = (way[1] / 0.09).round();
        way[0] -= turns * 3.0 * 0.09 * a.time;
        way[0] -= 0.12 * (way[0] / 0.12).round();
        close("along", way[0], 0.0, 1e-9);
        close("across", way[1], turns * 0.09, 1e-9);
        let faster = a.velocity[0] - b.velocity[0];
        close("velocity", faster, turns * 3.0 * 0.09, 1e-9);
        assert_eq!(a.velocity[1], b.velocity[1]);
    }
}

/// A rate of 0 changes no bit of a periodic run, and the run tells the pressure.
#[test]
fn no_rate_is_a_periodic_box() {
    for dimension in [2, 3] {
        let (sink, still) = run(&gas(
            dimension,
            (1, 2.0),
            "[[periodic.shear]]\nrate = 0.0\n",
            EVENTS,
        ));
        let (_, plain) = run(&gas(dimension, (1, 2.0), "", EVENTS));
        assert_eq!(still.state_hash, plain.state_hash);
        assert!(plain.cell.is_none());
        let cell = still.cell.unwrap();
        assert!(cell.mean_pressure[1][1] > 0.0 && cell.friction.is_none());
        assert!(
            sink.series
                .iter()
                .all(|row| row.cell.unwrap().offset == 0.0)
        );
    }
}

/// A run goes on from each saved state with the same bits, also over a change of the rate and the middle of the run.
#[test]
fn saved_states_go_on_the_same() {
    let shears = "[[periodic.shear]]\nrate = 3.0\n[[periodic.shear]]\nrate = 8.0\nfrom = 0.9\n";
    for dimension in [2, 3] {
        let soft = "[events]\ncollisions = \"soft\"\ntolerance = 0.001\n";
        for model in [EVENTS, soft] {
            let text = gas(dimension, (2, 2.0), shears, model);
            let text = text.replace("[log]\n", "[log]\ncheckpoint = 0.37\n");
            let never = AtomicBool::new(false);
            let mut whole = driver(&text, None).unwrap();
            let mut states = Checkpoints::default();
            whole.run(&mut states, &mut Control::new(&never)).unwrap();
            let wanted = whole.summary();
            assert_eq!(states.states.len(), 5);
            for state in &states.states {
                let mut resumed = driver(&text, Some(state)).unwrap();
                resumed
                    .run(&mut MemorySink::default(), &mut Control::new(&never))
                    .unwrap();
                let got = resumed.summary();
                assert_eq!(got.state_hash, wanted.state_hash);
                assert_eq!(got.energy, wanted.energy);
                assert_eq!(got.cell, wanted.cell);
            }
        }
    }
}

/// What a program gives and takes on the way is in the balance, against the flow.
#[test]
fn taps_and_removals_by_command_are_in_the_balance() {
    for dimension in [2, 3] {
        let never = AtomicBool::new(false);
        let (mut sink, mut control) = (MemorySink::default(), Control::new(&never));
        let mut run = driver(&gas(dimension, (1, 2.0), STEADY, EVENTS), None).unwrap();
        run.run_until(0.5, &mut sink, &mut control).unwrap();
        let tap = Command::Tap {
            velocity: [0.03, 0.02, 0.0],
            region: None,
        };
        run.command(&tap, &mut sink).unwrap();
        let near = if dimension == 2 {
            [0.1, 0.1, 0.0]
        } else {
            [0.03; 3]
        };
        run.command(&Command::Remove { near }, &mut sink).unwrap();
        run.run(&mut sink, &mut control).unwrap();
        let summary = run.summary();
        assert!(summary.energy.removed > 0.0);
        assert!(
            summary.energy.balance_error_max < 1e-11,
            "{:?}",
            summary.energy
        );
    }
}

/// What does not go together is told in words.
#[test]
fn what_a_sheared_box_does_not_take_is_told() {
    let squeezed =
        "[[periodic.shear]]\nrate = 1.0\n[[periodic.drive]]\naxes = [\"x\"]\nstrain_rate = -0.1\n";
    for (shears, more, words) in [
        (squeezed, EVENTS, "whose lengths change"),
        (
            STEADY,
            "[events]\n[field]\ngravity = [0.0, -9.81]\n",
            "supports no gravity",
        ),
    ] {
        let error = driven(&gas(2, (1, 1.0), shears, more)).unwrap_err();
        let flowing = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(words), "{error}");
    }
}
