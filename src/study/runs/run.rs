//! Data of one run for a comparison: figures, curves and forces, read from its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::{RunsError, settings};
use crate::event::Regime;
use crate::record::read::{self, Snapshot, Snapshots};
use crate::record::{BodyRef, RunMeta, Status, Summary};
use crate::scenario::aliases;
use crate::study::network::{links, network};
use crate::study::repose::repose;
use crate::study::samples::deciles;

/// A number with its name and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name: the path in summary.json if it is there.
    pub name: String,
    /// SI unit; "1" without one.
    pub unit: &'static str,
    /// Value.
    pub value: f64,
}

fn as_map<S: Serializer>(figures: &[Figure], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(figures.iter().map(|f| (&f.name, f.value)))
}

/// A finished run.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Folder.
    pub folder: PathBuf,
    /// Name of its scenario.
    pub scenario: String,
    /// Seed.
    pub seed: u64,
    /// Status at the end.
    pub status: Status,
    /// Values of the scenario's keys that differ between the compared runs, except the seed.
    pub settings: BTreeMap<String, String>,
    /// Figures, in display order.
    #[serde(serialize_with = "as_map")]
    pub figures: Vec<Figure>,
    /// Deciles of the normal forces relative to their mean, in the last snapshot.
    pub force_deciles: Option<[f64; 9]>,
    /// Normal forces relative to their mean, in the last snapshot.
    #[serde(skip)]
    pub forces: Vec<f64>,
    /// Number of grains discharged over time, s.
    #[serde(skip)]
    pub discharged: Vec<[f64; 2]>,
    /// Kinetic energy over time, J.
    #[serde(skip)]
    pub kinetic: Vec<[f64; 2]>,
    /// Dissipated energy over time, J.
    #[serde(skip)]
    pub dissipated: Vec<[f64; 2]>,
    /// Description of the run in its folder.
    #[serde(skip)]
    pub meta: RunMeta,
    #[serde(skip)]
    pub(super) values: BTreeMap<String, toml::Value>,
}

impl Run {
    /// Reads a finished run.
    ///
    /// # Errors
    /// A folder without a run, or with one that did not finish.
    pub fn read(folder: &Path) -> Result<Run, RunsError> {
        let no_run = |what: &'static str| RunsError::NoRun {
            folder: folder.to_path_buf(),
            what,
        };
        if !folder.is_dir() {
            return Err(no_run("there is no such folder"));
        }
        if !folder.join("scenario.toml").is_file() {
            return Err(no_run("it has no scenario.toml; give the folder of a run"));
        }
        if !folder.join("summary.json").is_file() {
            return Err(no_run(
                "it has no summary.json yet: wait for the run to end, or go on with --resume",
            ));
        }
        let summary = read::summary(folder)?;
        if summary.status == Status::Failed {
            return Err(RunsError::Failed {
                folder: folder.to_path_buf(),
                at: summary.time.simulated,
                // The error comes last, after the warnings.
                why: summary.warnings.last().cloned().unwrap_or_default(),
            });
        }
        if summary.status == Status::Interrupted {
            return Err(RunsError::Unfinished {
                folder: folder.to_path_buf(),
                at: summary.time.simulated,
            });
        }
        let mut scenario: toml::Table = read::scenario(folder)?
            .parse()
            .map_err(|_| no_run("its scenario.toml cannot be read"))?;
        aliases::rename_table(&mut scenario);
        let (meta, last) = last_snapshot(folder)?;
        let series = read::series(folder)?;
        let times = series.floats("time")?;
        let curve = |values: Vec<f64>| times.iter().copied().zip(values).map(<[f64; 2]>::from);
        let discharged: Vec<f64> = series
            .integers("discharged")?
            .iter()
            .map(|n| n.unwrap_or(0) as f64)
            .collect();
        let mut dissipated = vec![0.0; series.rows];
        for kind in ["damping", "slip", "collision", "morph"] {
            let lost = series.floats(&format!("dissipated_{kind}"))?;
            for (sum, part) in dissipated.iter_mut().zip(lost) {
                *sum += part;
            }
        }
        // Where grains are bonded.
        if let Ok(lost) = series.floats("dissipated_breakage") {
            dissipated
                .iter_mut()
                .zip(lost)
                .for_each(|(sum, part)| *sum += part);
        }
        let mut figures = of_summary(&summary);
        let discharged: Vec<[f64; 2]> = curve(discharged).collect();
        if let Some(rate) = middle_rate(&discharged) {
            let after = figures.iter().position(|f| f.name == "discharge.mean_rate");
            let figure = Figure {
                name: "discharge.middle_rate".into(),
                unit: "1/s",
                value: rate,
            };
            figures.insert(after.map_or(figures.len(), |k| k + 1), figure);
        }
        let gravity = gravity(&scenario);
        // A run that all grains have left has no final state.
        if summary.grains.last > 0 && !last.grains.is_empty() {
            of_snapshot(&mut figures, &last, &meta, gravity);
            borne(&mut figures, &last, &meta, gravity);
        }
        let forces = over_mean(&last);
        Ok(Run {
            folder: folder.to_path_buf(),
            scenario: summary.scenario.clone(),
            seed: summary.seed,
            status: summary.status,
            settings: BTreeMap::new(),
            figures,
            force_deciles: deciles(&forces).ok(),
            forces,
            discharged,
            kinetic: curve(series.floats("kinetic")?.to_vec()).collect(),
            dissipated: curve(dissipated).collect(),
            meta,
            values: settings::flat(&scenario),
        })
    }

    /// Returns a figure by its name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let figure = self.figures.iter().find(|f| f.name == name)?;
        Some(figure.value)
    }
}

fn add(figures: &mut Vec<Figure>, name: &str, unit: &'static str, value: f64) {
    figures.push(Figure {
        name: name.into(),
        unit,
        value,
    });
}

fn last_snapshot(folder: &Path) -> Result<(RunMeta, Snapshot), RunsError> {
    let mut snapshots = Snapshots::open(folder)?;
    let mut last = Snapshot::default();
    while let Some(snapshot) = snapshots.next_snapshot()? {
        last = snapshot;
    }
    Ok((snapshots.meta, last))
}

fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// Returns the gravity of a scenario, m/s^2; 0 without any.
fn gravity(scenario: &toml::Table) -> [f64; 3] {
    let given = scenario.get("field").and_then(|field| field.get("gravity"));
    let given = given.and_then(toml::Value::as_array);
    let component = |k: usize| {
        let value = given.and_then(|list| list.get(k));
        value.and_then(|v| v.as_float().or(v.as_integer().map(|i| i as f64)))
    };
    std::array::from_fn(|k| component(k).unwrap_or(0.0))
}

/// Adds the fraction of the weight that each boundary carries, from the links at the end: the series has means over
/// steps, and where all grains are at rest there are none.
fn borne(figures: &mut Vec<Figure>, last: &Snapshot, meta: &RunMeta, gravity: [f64; 3]) {
    let size = norm(gravity);
    let weight = last.grains.iter().map(|g| g.mass).sum::<f64>() * size;
    if weight.is_nan() || weight <= 0.0 {
        return;
    }
    let mut along = vec![0.0; meta.boundaries.len()];
    for link in &last.links {
        let BodyRef::Boundary(wall) = link.body_b else {
            continue;
        };
        let Some(sum) = along.get_mut(usize::from(wall)) else {
            continue;
        };
        for k in 0..3 {
            // The normal points into the wall; the tangential force of a row is on the grain.
            let force = link.normal_force * link.normal[k] - link.tangential_force[k];
            *sum += force * gravity[k] / size;
        }
    }
    for (name, force) in meta.boundaries.iter().zip(along) {
        add(figures, &format!("weight.{name}"), "1", force / weight);
    }
}

fn of_summary(summary: &Summary) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut say = |name: &str, unit, value| add(&mut figures, name, unit, value);
    say("time.virtual", "s", summary.time.simulated);
    say("time.wall", "s", summary.time.wall);
    let work = &summary.work;
    if let Some(share) = work.stepped_share() {
        say("work.stepped_share", "1", share);
    }
    say("work.stress_solves", "1", work.stress_solves as f64);
    let regimes = &summary.regimes;
    say("regimes.flight", "1", regimes.flight);
    say("regimes.cluster", "1", regimes.cluster);
    say("regimes.rest", "1", regimes.rest);
    say("regimes.rigid", "1", regimes.rigid);
    let morphs = summary.events.by_kind.get("morph").copied();
    say("events.morph", "1", morphs.unwrap_or(0) as f64);
    let energy = &summary.energy;
    let lost = &energy.dissipated;
    let all = lost.total();
    say("energy.dissipated", "J", all);
    if all != 0.0 {
        say("energy.dissipated.damping_share", "1", lost.damping / all);
        say("energy.dissipated.slip_share", "1", lost.slip / all);
        say(
            "energy.dissipated.collision_share",
            "1",
            lost.collision / all,
        );
        say("energy.dissipated.morph_share", "1", lost.morph / all);
    }
    say("energy.kinetic", "J", energy.kinetic);
    say("energy.potential", "J", energy.potential);
    say("energy.elastic", "J", energy.elastic);
    say("energy.injected", "J", energy.injected);
    say("energy.removed", "J", energy.removed);
    say("energy.balance_error", "1", energy.balance_error);
    if let Some(discharge) = &summary.discharge {
        say("discharge.count", "1", discharge.count as f64);
        say("discharge.mean_rate", "1/s", discharge.mean_rate);
    }
    if let Some(jam) = &summary.jam {
        say("jam.time", "s", jam.time);
    }
    if let Some(avalanches) = &summary.avalanches {
        say("avalanches.count", "1", avalanches.count as f64);
        say("avalanches.energy", "J", avalanches.energy);
    }
    say("grains.final", "1", summary.grains.last as f64);
    figures
}

/// The middle part of a discharge: without the start, and without the last grains, which determine when the discharge
/// ends.
const MIDDLE: [f64; 2] = [0.1, 0.6];

/// Returns the mean rate of discharge in its middle part, 1/s, from the count of grains over time; none for fewer
/// than 20.
pub(crate) fn middle_rate(discharged: &[[f64; 2]]) -> Option<f64> {
    let all = discharged.last()?[1];
    if all < 20.0 {
        return None;
    }
    let when = |share: f64| {
        let after = discharged.partition_point(|p| p[1] < share * all);
        let (p, q) = (
            discharged.get(after.checked_sub(1)?)?,
            discharged.get(after)?,
        );
        Some(p[0] + (share * all - p[1]) / (q[1] - p[1]) * (q[0] - p[0]))
    };
    let [from, to] = MIDDLE;
    let lasted = when(to)? - when(from)?;
    (lasted > 0.0).then(|| (to - from) * all / lasted)
}

/// Adds the figures of the final state.
fn of_snapshot(figures: &mut Vec<Figure>, last: &Snapshot, meta: &RunMeta, gravity: [f64; 3]) {
    let grains = last.grains.len() as f64;
    // As in `fabric::contact_number`: a link between grains is a contact of both.
    let contacts: usize = last
        .links
        .iter()
        .map(|link| {
            let ends = [link.body_a, link.body_b];
            ends.iter()
                .filter(|end| matches!(end, BodyRef::Grain(_)))
                .count()
        })
        .sum();
    add(figures, "contacts_per_grain", "1", contacts as f64 / grains);
    let network = network(meta.dimensions, last.grains.len(), &links(last));
    if let Some(network) = network.ok().filter(|n| n.contacts > 0) {
        add(figures, "rattler_share", "1", network.rattlers);
        let shares = [
            ("contacts_per_bearing_grain", network.coordination_bearing),
            ("sliding_share", network.sliding),
            ("contact_anisotropy", network.anisotropy),
        ];
        for (name, value) in shares {
            if let Some(value) = value {
                add(figures, name, "1", value);
            }
        }
    }
    let pressed: Vec<f64> = last.links.iter().map(|link| link.normal_force).collect();
    if !pressed.is_empty() {
        let mean = pressed.iter().sum::<f64>() / pressed.len() as f64;
        add(figures, "mean_normal_force", "N", mean);
    }
    let size = norm(gravity);
    if size > 0.0 {
        let mass: f64 = last.grains.iter().map(|g| g.mass).sum();
        let moment: f64 = last
            .grains
            .iter()
            .map(|g| {
                let along: f64 = (0..3).map(|k| g.position[k] * gravity[k]).sum();
                -g.mass * along / size
            })
            .sum();
        add(figures, "centre_of_mass_height", "m", moment / mass);
    }
    if meta.dimensions == 2 && gravity[0] == 0.0 && gravity[1] < 0.0 {
        let disks: Vec<([f64; 2], f64)> = last
            .grains
            .iter()
            .filter(|g| g.regime != Regime::Flight)
            .map(|g| ([g.position[0], g.position[1]], g.radius))
            .collect();
        if let Ok(found) = repose(&disks) {
            for (name, slope) in [("left", found.left), ("right", found.right)] {
                if let Some(slope) = slope {
                    add(figures, &format!("slope.{name}"), "rad", slope.angle);
                }
            }
            if let Some(mean) = found.mean() {
                add(figures, "slope.mean", "rad", mean);
            }
        }
    }
}

/// Returns the normal forces relative to their mean, in the order of the links.
fn over_mean(last: &Snapshot) -> Vec<f64> {
    let forces: Vec<f64> = last
        .links
        .iter()
        .map(|link| link.normal_force)
        .filter(|f| *f > 0.0 && f.is_finite())
        .collect();
    crate::study::distribution::over_mean(&forces).unwrap_or_default()
}
