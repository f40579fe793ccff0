//! What sleeping does to the forces of a bed: a stepped run is copied, one copy goes on with rest and two stepped, through the same landings,
//! and the normal forces of links that are at rest in the first are compared. The second stepped copy has a gravity that differs by 1e-12: what
//! chaos does.
//!
//! ```text
//! cargo run --release --example branch_twins -- SCENARIO SEEDS FROM FOR [KEY=VALUE ...]
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::event::Regime;
use arenite::record::{BodyRef, MemorySink, NullSink};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Setup, System};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Normal forces of links, N, by their bodies.
type Forces = BTreeMap<(String, String), f64>;

fn setup(scenario: &str, seed: u64, keys: &[String]) -> Result<AnySetup, Failure> {
    let mut overrides = vec![Override::option("SEEDS", "seed", &seed.to_string())];
    for key in keys {
        let (key, value) = key.split_once('=').ok_or("KEY=VALUE")?;
        overrides.push(Override::option("KEY=VALUE", key, value));
    }
    let resolved = Scenario::load(scenario, &overrides)
        .and_then(|scenario| scenario.resolve())
        .map_err(|problem| problem.render(false))?;
    Ok(resolved.setup)
}

fn name(body: &BodyRef) -> String {
    format!("{body:?}")
}

/// Goes on from a state; returns all forces at the end, and the names of the grains at rest there, ascending.
fn branch<D: Integrate>(
    setup: Setup<D>,
    state: &[u8],
    end: f64,
) -> Result<(Forces, Vec<String>), Failure> {
    let never = AtomicBool::new(false);
    let mut system = System::restore(setup, state)?;
    system.extend(end);
    let mut sink = MemorySink::default();
    system.run(&mut sink, &mut Control::new(&never))?;
    let (grains, links) = sink.snapshots.pop().ok_or("the run made no snapshot")?;
    let mut asleep: Vec<String> = grains
        .iter()
        .filter(|grain| matches!(grain.regime, Regime::Rest | Regime::Rigid))
        .map(|grain| name(&BodyRef::Grain(grain.grain)))
        .collect();
    asleep.sort();
    let mut forces = Forces::new();
    for link in &links {
        let (a, b) = (name(&link.body_a), name(&link.body_b));
        let key = if a < b { (a, b) } else { (b, a) };
        *forces.entry(key).or_default() += link.normal_force;
    }
    Ok((forces, asleep))
}

/// Returns, of links among grains at rest and walls, the difference of the sums of forces and the sum of all differences, over the second sum.
fn apart(one: &Forces, other: &Forces, asleep: &[String]) -> [f64; 2] {
    let sleeps = |body: &String| body.starts_with("Boundary") || asleep.binary_search(body).is_ok();
    let among = |forces: &Forces| -> Forces {
        let inside = forces.iter().filter(|((a, b), _)| sleeps(a) && sleeps(b));
        inside.map(|(key, force)| (key.clone(), *force)).collect()
    };
    let (one, other) = (among(one), among(other));
    let sum: f64 = other.values().sum();
    let of = |forces: &Forces, key| forces.get(key).copied().unwrap_or(0.0);
    let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let all: f64 = keys
        .iter()
        .map(|key| (of(&one, key) - of(&other, key)).abs())
        .sum();
    [one.values().sum::<f64>() / sum - 1.0, all / sum]
}

/// Branches one run, and says how far the branches are apart.
fn twins<D: Integrate>(mut setup: Setup<D>, from: f64, more: f64) -> Result<String, Failure> {
    let morph = setup.models.morph.take();
    setup.log.series = None;
    setup.log.checkpoint = None;
    setup.log.snapshots = None;
    setup.run.end_time = from;
    let never = AtomicBool::new(false);
    let mut base = System::new(setup.clone())?;
    base.run(&mut NullSink, &mut Control::new(&never))?;
    let state = base.save()?;
    setup.log.snapshots = Some(from + more);
    let mut sleeping = setup.clone();
    sleeping.models.morph = morph;
    let (asleep, who) = branch(sleeping, &state, from + more)?;
    let (stepped, _) = branch(setup.clone(), &state, from + more)?;
    let mut chaotic = setup.clone();
    chaotic.fields.gravity = chaotic.fields.gravity * (1.0 + 1e-12);
    let (again, _) = branch(chaotic, &state, from + more)?;
    let [mean, all] = apart(&asleep, &stepped, &who);
    let [chaos_mean, chaos] = apart(&again, &stepped, &who);
    Ok(format!(
        "{} at rest: asleep {mean:+.4}, {all:.4}; chaos {chaos_mean:+.4}, {chaos:.4}",
        who.len()
    ))
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, seeds, from, more, keys @ ..] = &arguments[..] else {
        return Err("usage: branch_twins SCENARIO SEEDS FROM FOR [KEY=VALUE ...]".into());
    };
    let (from, more): (f64, f64) = (from.parse()?, more.parse()?);
    for seed in 1..=seeds.parse()? {
        let line = match setup(scenario, seed, keys)? {
            AnySetup::Planar(setup) => twins(setup, from, more)?,
            AnySetup::Spatial(setup) => twins(setup, from, more)?,
        };
        println!("seed {seed}: {line}");
    }
    Ok(())
}
