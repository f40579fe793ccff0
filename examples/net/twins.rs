//! Ensembles: means of what a dozen scenarios measure, over 16 seeds.

use std::collections::BTreeMap;
use std::path::Path;

use arenite::record::read;
use serde::{Deserialize, Serialize};

use super::{Asked, Fallible, run};

const FILE: &str = "benches/net/twins.toml";
const SEEDS: u64 = 16;
/// Standard errors of a difference from which on two means differ. Student's t of 30 degrees of freedom is so far off with a
/// probability of 4e-4: in one of a dozen comparisons of 200 figures that do not differ.
const FAR: f64 = 4.0;

/// Scenarios, and what makes the long ones short.
const SCENARIOS: [(&str, &[&str]); 15] = [
    ("hopper", &[]),
    ("hopper-poly", &[]),
    ("hopper-clumps", &[]),
    ("hopper-ovals", &[]),
    ("silo-fill", &["feed.0.count=600", "run.end_time=6.5"]),
    ("fill-3d", &["feed.0.count=500", "run.end_time=2.5"]),
    ("heap", &[]),
    ("funnel", &[]),
    ("tilt", &[]),
    ("rain", &[]),
    ("drum", &["run.end_time=3.0"]),
    ("settle-shapes", &[]),
    ("gas", &[]),
    ("mill", &[]),
    ("pile", &[]),
];

/// Mean and its standard error.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mean {
    mean: f64,
    error: f64,
}

type Figures<T> = BTreeMap<String, T>;

/// Mean of the second half of a column.
fn late(values: &[f64]) -> f64 {
    mean(&values[values.len() / 2..])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The figures of a run.
fn figures(folder: &run::Folder) -> Fallible<Figures<f64>> {
    let s = folder.summary()?;
    let mut all = Figures::new();
    let mut put = |name: &str, value: f64| {
        if value.is_finite() {
            all.insert(name.to_string(), value);
        }
    };
    put("time", s.time.simulated);
    put("final", s.grains.last as f64);
    put("kinetic", s.energy.kinetic);
    put("potential", s.energy.potential);
    put("elastic", s.energy.elastic);
    put("damping", s.energy.dissipated.damping);
    put("slip", s.energy.dissipated.slip);
    put("collision", s.energy.dissipated.collision);
    put("morph", s.energy.dissipated.morph);
    put("injected", s.energy.injected);
    put("flight", s.regimes.flight);
    put("still", s.regimes.rest + s.regimes.rigid);
    put("collisions", s.work.collisions as f64);
    if let Some(discharge) = &s.discharge {
        put("discharged", discharge.count as f64);
        put("rate", discharge.mean_rate);
    }
    if let Some(avalanches) = &s.avalanches {
        put("avalanches", avalanches.count as f64);
        put("largest", avalanches.largest as f64);
    }
    if s.discharge.is_some() {
        put("jammed", f64::from(u8::from(s.jam.is_some())));
    }
    series(folder.path(), &mut put)?;
    forces(folder.path(), &mut put)?;
    Ok(all)
}

/// Contact number and loads of walls, means of the second half of the run.
fn series(folder: &Path, put: &mut impl FnMut(&str, f64)) -> Fallible {
    let series = read::series(folder)?;
    let column = |name: &str| -> Fallible<Vec<f64>> {
        match series.floats(name) {
            Ok(values) => Ok(values.to_vec()),
            Err(_) => {
                let values = series.integers(name)?.iter();
                Ok(values.map(|n| n.map_or(f64::NAN, |n| n as f64)).collect())
            }
        }
    };
    let (grains, links) = (column("grains")?, column("links")?);
    let pairs = grains
        .iter()
        .zip(&links)
        .filter(|(grains, _)| **grains > 0.0);
    let numbers: Vec<f64> = pairs.map(|(grains, links)| 2.0 * links / grains).collect();
    put("contacts", late(&numbers));
    put("late-kinetic", late(&column("kinetic")?));
    for (name, _) in &series.columns {
        if name.starts_with("wall_") && name.contains("_force_") {
            put(name, late(&column(name)?));
        }
    }
    Ok(())
}

/// Mean force and share of sliding contacts, over all snapshots.
fn forces(folder: &Path, put: &mut impl FnMut(&str, f64)) -> Fallible {
    let links = read::links(folder)?;
    put("force", mean(links.floats("normal_force")?));
    let slipping = links.flags("slip")?;
    let share = slipping.iter().filter(|s| **s).count() as f64 / slipping.len() as f64;
    put("sliding", share);
    Ok(())
}

fn ensemble(asked: &Asked, name: &str, sets: &[&str]) -> Fallible<Figures<Mean>> {
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let runs = run::all(&seeds, asked.jobs, |seed| {
        let mut arguments = vec![name.to_string(), "--seed".into(), seed.to_string()];
        for set in sets {
            arguments.extend(["--set".into(), set.to_string()]);
        }
        figures(&run::run(&asked.program, &arguments)?)
    })?;
    let mut columns: Figures<Vec<f64>> = Figures::new();
    for (figure, value) in runs.into_iter().flatten() {
        columns.entry(figure).or_default().push(value);
    }
    // What not all runs have is no figure of the ensemble.
    columns.retain(|_, values| values.len() == seeds.len());
    let mean_of = |values: &Vec<f64>| {
        let (n, mean) = (values.len() as f64, mean(values));
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        let error = (square / (n * (n - 1.0))).sqrt();
        Mean { mean, error }
    };
    Ok(columns
        .iter()
        .map(|(name, values)| (name.clone(), mean_of(values)))
        .collect())
}

pub fn twins(asked: &Asked) -> Fallible<bool> {
    let text = std::fs::read_to_string(FILE).unwrap_or_default();
    let mut before: BTreeMap<String, Figures<Mean>> = toml::from_str(&text)?;
    let (mut far, mut compared) = (0, 0);
    let known = SCENARIOS.iter().map(|(name, _)| *name);
    if let Some(name) = asked
        .names
        .iter()
        .find(|name| !known.clone().any(|k| k == *name))
    {
        let known: Vec<&str> = known.collect();
        return Err(format!("{name} has no twin: {}", known.join(", ")).into());
    }
    for (name, sets) in SCENARIOS {
        if !asked.names.is_empty() && !asked.names.iter().any(|n| n == name) {
            continue;
        }
        let now = ensemble(asked, name, sets)?;
        if asked.bless {
            before.insert(name.into(), now);
            continue;
        }
        let was = before
            .get(name)
            .ok_or(format!("nothing is written down of {name}"))?;
        for (figure, was) in was {
            let Some(now) = now.get(figure) else {
                println!("{name}, {figure}: missing");
                far += 1;
                continue;
            };
            let error = was.error.hypot(now.error);
            let off = (now.mean - was.mean) / error;
            compared += 1;
            // Means that are equal without scatter differ by nothing.
            if now.mean != was.mean && (off.is_nan() || off.abs() > FAR) {
                println!(
                    "{name}, {figure}: {:.6e} +- {:.1e}, was {:.6e} +- {:.1e}: {off:+.1} standard errors",
                    now.mean, now.error, was.mean, was.error
                );
                far += 1;
            }
        }
        println!("{name}: done");
    }
    if asked.bless {
        std::fs::write(FILE, toml::to_string(&before)?)?;
        return Ok(true);
    }
    println!("{compared} figures, {far} differ");
    Ok(far == 0)
}
