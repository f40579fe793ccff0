//! The hopper over many fillings: rate of discharge, ledger and speed, a line each.
//!
//! ```text
//! cargo run --release --example hopper_seeds -- SCENARIO STEP FINISH SEEDS [FILL.csv ...]
//! ```
//!
//! STEP is a number of seconds or `auto`. With files (columns id,x,y,r,vx,vy), each is a filling;
//! else SEEDS fillings are drawn by seed. The speed is that of the discharge alone: settling is
//! run once more by itself and its time taken off. Times are of the processor.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use arenite::record::NullSink;
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Setup, System};

use arenite::geometry::Planar;

/// Processor time of this process, s, where Linux tells it; else the time since the first call.
fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    told.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn timed(setup: Setup<Planar>) -> (System<Planar>, f64) {
    let start = clock();
    let stop = AtomicBool::new(false);
    let mut control = Control::new(&stop);
    let mut system = System::new(setup).expect("the scenario runs");
    system
        .run(&mut NullSink, &mut control)
        .expect("the run goes through");
    (system, clock() - start)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, step, finish, seeds, files @ ..] = &arguments[..] else {
        eprintln!("usage: hopper_seeds SCENARIO STEP FINISH SEEDS [FILL.csv ...]");
        std::process::exit(2);
    };
    let seeds: u64 = seeds.parse().expect("SEEDS is a whole number");
    let count = if files.is_empty() {
        seeds
    } else {
        files.len() as u64
    };
    println!("filling,out,rate,status,ledger,step,million_grain_steps_per_s,discharge_s");
    for k in 0..count {
        let mut overrides = vec![
            Override::option("SEEDS", "seed", &(k + 1).to_string()),
            Override::option("FINISH", "run.end_time", finish),
        ];
        if step != "auto" {
            overrides.push(Override::option("STEP", "run.step", step));
        }
        let resolved = Scenario::load(scenario, &overrides)
            .and_then(|s| s.resolve())
            .unwrap_or_else(|problem| {
                eprintln!("{}", problem.render(false));
                std::process::exit(2);
            });
        let AnySetup::Planar(mut setup) = resolved.setup else {
            eprintln!("a planar scenario, please");
            std::process::exit(2);
        };
        let mut name = format!("seed {}", k + 1);
        if let Some(file) = files.get(k as usize) {
            name.clone_from(file);
            let text = std::fs::read_to_string(file).expect("the file can be read");
            let density = setup.grains[0].mass
                / std::f64::consts::PI
                / (setup.grains[0].radius * setup.grains[0].radius);
            let material = setup.grains[0].material;
            setup.grains = text
                .lines()
                .skip(1)
                .enumerate()
                .map(|(id, line)| {
                    let v: Vec<f64> = line
                        .split(',')
                        .map(|x| x.parse().expect("a number"))
                        .collect();
                    let position = nalgebra::Vector2::new(v[1], v[2]);
                    let mut grain =
                        arenite::body::Grain::new(id as u32, material, v[3], density, position);
                    grain.velocity = nalgebra::Vector2::new(v[4], v[5]);
                    grain
                })
                .collect();
        }
        let mut settling = setup.clone();
        settling.run.end_time = 1e-9;
        let (_, settle) = timed(settling);
        let (system, all) = timed(setup);
        let figures = system.summary();
        let out = figures.discharge.map_or(0, |d| d.count);
        println!(
            "{name},{out},{:.2},{:?},{:.2e},{:.2e},{:.1},{:.3}",
            out as f64 / figures.time.simulated,
            figures.status,
            figures.energy.balance_error,
            system.step_size(),
            figures.work.grain_steps as f64 / (all - settle) / 1e6,
            all - settle,
        );
    }
}
