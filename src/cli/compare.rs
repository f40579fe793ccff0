//! `arenite compare`: compares runs.

use super::CompareArgs;
use super::failure::Failure;
use super::page::only_over_a_page;
use super::plot;
use super::report::{print, print_json, short};
use crate::record::write_file;
use crate::study::runs::{self, Comparison, Figure, Group, RunsError};
use crate::view::report::{SheetTable, comparison, cumulative};
use crate::view::{Curve, Panel, chart};

/// Greatest number of runs in one table, to fit a terminal.
const ACROSS: usize = 6;

/// Numbers of runs above this are not shown exactly.
const MANY: f64 = 10_000.0;

/// Compares finished runs; prints tables, or JSON.
pub(super) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let found = runs::compare(&args.dirs, args.margin)?;
    if let Some(path) = &args.plot {
        plot(&found, path)?;
    }
    if let Some(path) = &args.out {
        only_over_a_page(path)?;
        let page = comparison(&found, tables(&found))?;
        write_file(path, page.html.as_bytes())?;
        if !args.json {
            return print(format!("{}\n", path.display()).as_bytes());
        }
    }
    if args.json {
        let value = serde_json::to_value(&found)
            .map_err(|why| Failure::Run(format!("cannot write the comparison: {why}")))?;
        return print_json(&value);
    }
    print(text(&found).as_bytes())
}

impl From<RunsError> for Failure {
    fn from(error: RunsError) -> Self {
        Failure::Input(error.to_string())
    }
}

/// Draws the curves of the runs: one colour per setting, or per run where all settings differ.
fn plot(found: &Comparison, path: &std::path::Path) -> Result<(), Failure> {
    let by_group = found.groups.iter().any(|group| group.runs.len() > 1);
    let key = |run: usize| match by_group {
        true => {
            let mut groups = found.groups.iter();
            groups.position(|g| g.runs.contains(&run)).unwrap_or(0)
        }
        false => run,
    };
    let panel = |title: &str, along: &str, curve: &dyn Fn(&runs::Run) -> Vec<[f64; 2]>| Panel {
        title: title.into(),
        along: along.into(),
        curves: found
            .runs
            .iter()
            .enumerate()
            .map(|(k, run)| Curve {
                points: curve(run),
                key: key(k),
            })
            .filter(|curve| !curve.points.is_empty())
            .collect(),
    };
    let mut panels = Vec::new();
    let leaves = |run: &runs::Run| run.discharged.iter().any(|p| p[1] > 0.0);
    if found.runs.iter().any(leaves) {
        panels.push(panel("discharged, grains", "time, s", &|run| {
            run.discharged.clone()
        }));
    }
    panels.push(panel("kinetic energy, J", "time, s", &|run| {
        run.kinetic.clone()
    }));
    panels.push(panel("energy dissipated, J", "time, s", &|run| {
        run.dissipated.clone()
    }));
    panels.push(panel(
        "share of links with less force, at the end",
        "normal force over its mean",
        &|run| cumulative(&run.forces),
    ));
    panels.retain(|panel| !panel.curves.is_empty());
    let keys: Vec<String> = match by_group {
        true => found
            .groups
            .iter()
            .map(|group| format!("{} runs  {}", group.runs.len(), settings(&group.settings)))
            .collect(),
        false => found
            .runs
            .iter()
            .map(|run| {
                format!(
                    "{}, seed {}  {}",
                    run.scenario,
                    run.seed,
                    settings(&run.settings)
                )
            })
            .collect(),
    };
    let picture = chart(&panels, &keys);
    plot::write(&picture, path)
}

/// Aligns cells in columns: the first to the left, the others to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| {
        let cells = rows.iter().filter_map(|row| row.get(k));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (k, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            line += &match k {
                0 => format!("  {cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Shows angles in degrees.
fn shown(value: f64, unit: &str) -> String {
    short(if unit == "rad" {
        value.to_degrees()
    } else {
        value
    })
}

fn titled(name: &str, unit: &str) -> String {
    match unit {
        "1" => name.into(),
        "rad" => format!("{name}, deg"),
        unit => format!("{name}, {unit}"),
    }
}

fn text(found: &Comparison) -> String {
    let mut text = legend(found);
    for first in (0..found.runs.len()).step_by(ACROSS) {
        let last = (first + ACROSS).min(found.runs.len());
        text += &figures(found, first..last);
    }
    text += &deciles(found);
    text += &pairs(found);
    text += &groups(found);
    text
}

fn settings(group: &std::collections::BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = group.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    pairs.join(", ")
}

fn legend(found: &Comparison) -> String {
    let mut rows = Vec::new();
    for (k, run) in found.runs.iter().enumerate() {
        let status = serde_json::to_value(run.status).unwrap_or_default();
        rows.push(vec![
            format!("{}", k + 1),
            format!(
                "{}: {}, seed {}, {}{}{}",
                run.folder.display(),
                run.scenario,
                run.seed,
                status.as_str().unwrap_or_default(),
                if run.settings.is_empty() { "" } else { "; " },
                settings(&run.settings),
            ),
        ]);
    }
    // Both columns are left-aligned.
    let lines = rows
        .iter()
        .map(|row| format!("  {:<3}{}\n", row[0], row[1]));
    format!("runs\n{}", lines.collect::<String>())
}

/// Returns the unit of a figure.
fn unit(found: &Comparison, name: &str) -> &'static str {
    let figure = |run: &'_ runs::Run| -> Option<Figure> {
        run.figures.iter().find(|f| f.name == name).cloned()
    };
    found.runs.iter().find_map(figure).map_or("1", |f| f.unit)
}

fn figures(found: &Comparison, which: std::ops::Range<usize>) -> String {
    format!("figures\n{}", table(&figure_rows(found, which)))
}

fn figure_rows(found: &Comparison, which: std::ops::Range<usize>) -> Vec<Vec<String>> {
    let mut head = vec!["run".to_string()];
    head.extend(which.clone().map(|k| format!("{}", k + 1)));
    let mut rows = vec![head];
    for name in runs::figure_names(&found.runs) {
        let unit = unit(found, &name);
        let mut row = vec![titled(&name, unit)];
        for run in &found.runs[which.clone()] {
            let value = run.figure(&name);
            row.push(value.map_or("-".into(), |v| shown(v, unit)));
        }
        rows.push(row);
    }
    rows
}

/// Returns the tables of the page: figures of all runs, and means over seeds with their differences.
fn tables(found: &Comparison) -> Vec<SheetTable> {
    let runs = found.runs.iter().enumerate();
    let which: Vec<String> = runs
        .map(|(k, run)| {
            let status = serde_json::to_value(run.status).unwrap_or_default();
            let status = status.as_str().unwrap_or_default().to_string();
            let settings = settings(&run.settings);
            let comma = if settings.is_empty() { "" } else { ", " };
            format!(
                "{}: {}, {status}{comma}{settings}",
                k + 1,
                run.folder.display()
            )
        })
        .collect();
    let several = found.groups.iter().any(|group| group.runs.len() > 1);
    let means = several.then(|| SheetTable {
        title: "Means over seeds".into(),
        about: "Means with standard errors; the difference from the first group, that over its error, the interval that \
                holds it with 95 % (Welch 1947), whether the means are equal but for the margin (Schuirmann 1987)."
            .into(),
        rows: group_rows(found),
    });
    let figures = SheetTable {
        title: "Figures".into(),
        about: format!("Runs: {}.", which.join("; ")),
        rows: figure_rows(found, 0..found.runs.len()),
    };
    means.into_iter().chain([figures]).collect()
}

/// Least number of links for deciles: of fewer the outer ones are single links.
const FEWEST: usize = 30;

/// Returns deciles of the forces, of the first runs only: the pairs contain the distance of all.
fn deciles(found: &Comparison) -> String {
    let mut head = vec!["run".to_string(), "links".to_string()];
    head.extend((1..10).map(|k| format!("{} %", 10 * k)));
    let mut rows = vec![head];
    for (k, run) in found.runs.iter().enumerate() {
        if let Some(deciles) = run.force_deciles {
            let count = run.forces.len();
            let mut row = vec![format!("{}", k + 1), count.to_string()];
            row.extend(deciles.map(|d| match count < FEWEST {
                true => "-".to_string(),
                false => format!("{d:.3}"),
            }));
            rows.push(row);
        }
    }
    if rows.len() < 2 {
        return String::new();
    }
    format!(
        "normal force over its mean: so much of the links is below (of {FEWEST} links or more)\n{}",
        table(&rows)
    )
}

fn pairs(found: &Comparison) -> String {
    if found.pairs.is_empty() {
        return String::new();
    }
    let head = [
        "run",
        "against",
        "forces (KS)",
        "discharged, most",
        "kinetic, rms J",
        "dissipated, rms J",
        "paths at the end, rms m",
        "most m",
        "parted, s",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    for pair in &found.pairs {
        let say = |value: Option<f64>| value.map_or("-".into(), short);
        let paths = pair.trajectories.as_ref();
        let last = |list: &dyn Fn(&runs::Trajectories) -> &Vec<f64>| {
            paths.and_then(|p| list(p).last().copied())
        };
        rows.push(vec![
            format!("{}", pair.run + 1),
            format!("{}", pair.reference + 1),
            say(pair.forces),
            say(pair.discharged.map(|c| c.largest)),
            say(pair.kinetic.map(|c| c.rms)),
            say(pair.dissipated.map(|c| c.rms)),
            say(last(&|p| &p.rms)),
            say(last(&|p| &p.largest)),
            match paths {
                Some(paths) => paths.parted.map_or("never".into(), short),
                None => "-".into(),
            },
        ]);
    }
    format!(
        "one beside the other: greatest distance of the force distributions, distance of curves, of \
         the paths of equal grains (parted: a mean radius)\n{}",
        table(&rows)
    )
}

fn groups(found: &Comparison) -> String {
    let several = |group: &&Group| group.runs.len() > 1;
    if found.groups.iter().filter(several).count() == 0 {
        return String::new();
    }
    let mut text = String::from("means over seeds, with standard errors\n");
    for (k, group) in found.groups.iter().enumerate() {
        text += &format!(
            "  group {}: {} run{}{}{}\n",
            k + 1,
            group.runs.len(),
            if group.runs.len() == 1 { "" } else { "s" },
            if group.settings.is_empty() { "" } else { "; " },
            settings(&group.settings)
        );
    }
    text + &table(&group_rows(found))
}

fn group_rows(found: &Comparison) -> Vec<Vec<String>> {
    let mut head = vec!["figure".to_string()];
    for k in 0..found.groups.len() {
        head.push(format!("group {}", k + 1));
    }
    let percent = short(100.0 * found.margin);
    if !found.differences.is_empty() {
        for title in ["difference", "in errors", "95 % interval"] {
            head.push(title.into());
        }
        head.push(format!("within {percent} %"));
        head.push("runs to tell".into());
    }
    let mut rows = vec![head];
    for name in runs::figure_names(&found.runs) {
        let unit = unit(found, &name);
        let mean = |group: &Group| {
            group.figures.get(&name).map_or("-".into(), |s| {
                format!("{} +- {}", shown(s.mean, unit), shown(s.error, unit))
            })
        };
        let mut row = vec![titled(&name, unit)];
        row.extend(found.groups.iter().map(mean));
        let mut differ = found.differences.iter().filter(|d| d.figure == name);
        let begin = row.clone();
        let first = differ.next();
        for (nth, d) in first.into_iter().chain(differ).enumerate() {
            if nth > 0 {
                // With more than two groups, one line each.
                rows.push(std::mem::replace(
                    &mut row,
                    vec![String::new(); begin.len()],
                ));
                row[0] = format!("  group {}", d.group + 1);
            }
            let errors = match d.error > 0.0 {
                true => format!("{:.1}", d.difference / d.error),
                false => "-".into(),
            };
            row.extend([
                shown(d.difference, unit),
                errors,
                format!(
                    "{} to {}",
                    shown(d.interval.low, unit),
                    shown(d.interval.high, unit)
                ),
                match d.equivalent {
                    Some(true) => "yes".into(),
                    Some(false) => "not shown".into(),
                    None => "-".into(),
                },
                match d.runs_needed {
                    Some(runs) if runs > MANY => format!("over {MANY}"),
                    runs => runs.map_or("-".into(), short),
                },
            ]);
        }
        rows.push(row);
    }
    rows
}
