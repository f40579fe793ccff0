//! `arenite sweep --check`: describes the runs.

use serde_json::json;

use super::{Call, runs};
use crate::cli::failure::Failure;
use crate::cli::report::{duration, print, print_json, short};
use crate::cluster::integrate::Integrate;
use crate::scenario::AnySetup;
use crate::sweep::{self, Point};
use crate::system::{Setup, System};

/// Greatest number of points shown one by one.
const SHOWN: usize = 6;

/// Resolves all runs and lists them, with an estimate of their time.
pub(super) fn check(call: &Call<'_>) -> Result<(), Failure> {
    let rows = sweep::read_rows(&call.points, &call.dir);
    let ours = |point: &Point| {
        call.args
            .shard
            .is_none_or(|shard| shard.holds(point.number))
    };
    let (mut part, mut there, mut wrong) = (0, 0, Vec::new());
    let (mut grain_steps, mut seconds, mut counted) = (0.0, 0.0, true);
    let mut first = None;
    for (point, row) in call.points.iter().zip(&rows) {
        if !ours(point) {
            continue;
        }
        part += 1;
        if row.is_some() {
            there += 1;
            continue;
        }
        match call.sweep.resolve(point) {
            Ok(resolved) => {
                let cost = match &resolved.setup {
                    AnySetup::Planar(setup) => cost(setup),
                    AnySetup::Spatial(setup) => cost(setup),
                };
                match cost {
                    Ok(Some((steps, time))) => {
                        grain_steps += steps;
                        seconds += time;
                    }
                    Ok(None) => counted = false,
                    Err(why) => wrong.push((point, why)),
                }
            }
            Err(problem) => {
                wrong.push((point, problem.title().to_string()));
                first.get_or_insert(problem);
            }
        }
    }
    let open = part - there;
    if open > 0
        && wrong.len() == open
        && let Some(problem) = first
    {
        return Err(problem.into());
    }
    let threads = call.threads.min(open.max(1));
    let clock = counted.then_some(seconds / threads as f64);
    if call.args.json {
        let points: Vec<serde_json::Value> = call
            .points
            .iter()
            .filter(|point| ours(point))
            .map(|point| {
                let settings: serde_json::Map<String, serde_json::Value> = point
                    .settings
                    .iter()
                    .map(|(name, setting)| (name.clone(), json!(setting.text)))
                    .collect();
                json!({"run": point.number, "label": point.label, "seed": point.seed, "settings": settings})
            })
            .collect();
        let wrong: Vec<serde_json::Value> = wrong
            .iter()
            .map(|(point, why)| json!({"run": point.number, "error": why}))
            .collect();
        print_json(&json!({
            "name": call.sweep.name,
            "scenario": call.sweep.spec.scenario,
            "folder": call.dir,
            "runs": part,
            "done": there,
            "wrong": wrong,
            "grain_steps_at_most": counted.then_some(grain_steps),
            "estimated_seconds_at_most": clock,
            "threads": threads,
            "points": points,
        }))?;
        return verdict(wrong.len(), open);
    }
    let mut lines = vec![match &call.sweep.spec.description {
        Some(text) => format!("{}: {text}", call.sweep.name),
        None => call.sweep.name.clone(),
    }];
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<10} {text}"));
    line("scenario", call.sweep.spec.scenario.clone());
    for (names, count) in call.sweep.shape() {
        let values = if count == 1 { "value" } else { "values" };
        line("varies", format!("{} ({count} {values})", names.join(", ")));
    }
    let of = match call.args.shard {
        Some(shard) => format!(", of which part {shard} has {part}"),
        None => String::new(),
    };
    line("runs", format!("{}{of}", call.points.len()));
    let told: Vec<&Point> = call.points.iter().filter(|point| ours(point)).collect();
    for (k, point) in told.iter().enumerate() {
        if told.len() <= SHOWN || k + 1 < SHOWN || k + 1 == told.len() {
            line("", format!("{:>4}  {}", point.number, point.label));
        } else if k + 1 == SHOWN {
            line("", " ...".into());
        }
    }
    line("folder", call.dir.display().to_string());
    if there > 0 {
        line("done", format!("{} already", runs(there)));
    }
    for (point, why) in wrong.iter().take(super::MOST_TOLD) {
        line("wrong", format!("run {}: {why}", point.number));
    }
    if wrong.len() > super::MOST_TOLD {
        line(
            "wrong",
            format!("and {} more", wrong.len() - super::MOST_TOLD),
        );
    }
    match clock {
        _ if open == 0 => line("cost", "nothing is left to run".into()),
        Some(clock) => line(
            "cost",
            format!(
                "at most {} grain-steps, about {} on {threads} thread{}",
                short(grain_steps),
                duration(clock),
                if threads == 1 { "" } else { "s" }
            ),
        ),
        None => line("cost", "not foreseen: the runs have no steps".into()),
    }
    lines.push(String::new());
    print(lines.join("\n").as_bytes())?;
    verdict(wrong.len(), open)
}

/// Returns an error if any run cannot start, even if the others could.
fn verdict(wrong: usize, open: usize) -> Result<(), Failure> {
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::Input(format!(
            "{wrong} of {} cannot start",
            runs(open)
        ))),
    }
}

/// Returns the grain-steps of a run and an upper bound of their time, s; none for a run without steps.
fn cost<D: Integrate>(setup: &Setup<D>) -> Result<Option<(f64, f64)>, String> {
    if setup.models.quasi_static.is_some() || setup.models.events.is_some() {
        return Ok(None);
    }
    let plan = System::plan(setup).map_err(|why| why.to_string())?;
    Ok(Some((plan.grain_steps, plan.seconds)))
}
