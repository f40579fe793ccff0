//! The report of a sweep: its runs, figures against varied keys, jams, Beverloo's law, the table.

mod groups;
mod laws;
mod plots;
mod source;

use std::path::Path;

use groups::{Bar, Group, groups, keys};
use plots::{Figure, along, map, outflow};
use source::{Entries, Source};

use super::Report;
use super::page::sentence;
use super::plots::three;
use super::sheet::{Sheet, SheetTable};
use crate::record::RecordError;

/// Greatest number of rows of the table in the page; the folder has all.
const ROWS: usize = 200;
/// Number of failures that are listed one by one.
const TOLD: usize = 5;
/// Number of figures used if the sweep names none and none of the usual ones exists.
const SOME: usize = 4;

/// Figures shown if the sweep file does not name any.
const FIGURES: [&str; 8] = [
    "discharge.middle_rate",
    "discharge.count",
    "jam.time",
    "jam.span",
    "avalanches.count",
    "slope.mean",
    "energy.dissipated.slip",
    "energy.balance_error",
];

/// Returns the report of a sweep, whether or not all its runs are complete.
///
/// # Errors
/// A folder without a table and without readable rows.
pub fn sweep(dir: &Path) -> Result<Report, RecordError> {
    let source = Source::read(dir)?;
    let groups = groups(&source);
    let keys = keys(&source, &groups);
    let names = figures(&source, &groups);
    let mut all = Vec::new();
    let jams = groups.iter().any(|g| g.jamming.is_some_and(|j| j.jams > 0));
    if jams {
        let value = |group: &Group| group.jammed();
        let figure = Figure {
            name: "jam_probability",
            title: "Share of runs that end in a jam".into(),
            unit: "1",
            about: censored(&groups),
            value: &value,
        };
        all.extend(map(&source, &groups, &keys, &figure));
        all.extend(
            keys.iter()
                .filter_map(|key| along(&source, &groups, &keys, key, &figure)),
        );
        all.extend(outflow(&source, &groups));
    }
    if let Some(study) = &source.study {
        let asked = source
            .spec
            .as_ref()
            .and_then(|spec| spec.study.beverloo.as_ref());
        let (width, rate) = asked.map_or(("width", "rate"), |asked| {
            (asked.width.trim_start_matches('$'), asked.rate.as_str())
        });
        all.extend(laws::plots(study, width, rate));
    }
    for name in &names {
        let Some(column) = source.numbers(name) else {
            continue;
        };
        let value = |group: &Group| -> Option<Bar> { group.mean(column) };
        let unit = source.column(name).map_or("1", |column| &column.unit);
        let figure = Figure {
            name,
            title: name.clone(),
            unit,
            about: "Means over seeds with a standard error.".into(),
            value: &value,
        };
        all.extend(map(&source, &groups, &keys, &figure));
        all.extend(
            keys.iter()
                .filter_map(|key| along(&source, &groups, &keys, key, &figure)),
        );
    }
    let sheet = Sheet {
        name: source.name.clone(),
        status: status(&source),
        lead: lead(&source),
        tiles: tiles(&source, &groups),
        warnings: warnings(&source),
        tables: tables(&source, &groups, &names),
        plots: all,
        footer: vec![
            format!("arenite {} \u{b7} scenario {}", env!("CARGO_PKG_VERSION"), source.scenario),
            "The folder of the sweep holds sweep.csv and sweep.parquet with all figures of all runs. SI units; \
             angles in radians."
                .into(),
        ],
    };
    sheet.report()
}

/// Returns the figures to show: those that the sweep names, or the usual ones, or some that differ.
fn figures(source: &Source, groups: &[Group]) -> Vec<String> {
    let there = |name: &str| {
        let values = source.numbers(name);
        values.is_some_and(|values| values.iter().any(|value| value.is_finite()))
    };
    let asked = source
        .spec
        .as_ref()
        .and_then(|spec| spec.study.figures.clone());
    if let Some(asked) = asked {
        return asked.into_iter().filter(|name| there(name)).collect();
    }
    let usual: Vec<String> = FIGURES
        .into_iter()
        .filter(|name| there(name))
        .map(String::from)
        .collect();
    if usual.len() > 1 || groups.len() < 2 {
        return usual;
    }
    let own = ["run", "seed"];
    let differs = |values: &[f64]| {
        let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        known.windows(2).any(|pair| pair[0] != pair[1])
    };
    let others = source.columns.iter().filter(|column| {
        let given = own.contains(&column.name.as_str()) || source.parameters.contains(&column.name);
        let number = matches!(&column.cells, Entries::Numbers(values) if differs(values));
        number && !given && !usual.contains(&column.name) && !column.name.starts_with("events.")
    });
    let others = others.take(SOME).map(|column| column.name.clone());
    usual.iter().cloned().chain(others).collect()
}

fn count(source: &Source, status: &str) -> usize {
    let rows = 0..source.rows;
    rows.filter(|row| source.text("status", *row) == status)
        .count()
}

fn status(source: &Source) -> (&'static str, String) {
    let failed = count(source, "failed");
    match source.all {
        Some(all) if source.rows < all => (
            "interrupted",
            format!("{} of {all} runs so far", source.rows),
        ),
        _ if failed > 0 => ("jammed", format!("done; {failed} failed")),
        _ => ("finished", "done".into()),
    }
}

fn lead(source: &Source) -> String {
    let told = source
        .spec
        .as_ref()
        .and_then(|spec| spec.description.clone());
    let text = sentence(&told.unwrap_or_default());
    let varies = match source.parameters.is_empty() {
        true => "the seed".into(),
        false => source.parameters.join(", "),
    };
    text + &format!("A sweep of {}; what varies: {varies}.", source.scenario)
}

fn tiles(source: &Source, groups: &[Group]) -> Vec<[String; 3]> {
    let mut tiles = vec![[
        "runs".into(),
        source.rows.to_string(),
        match source.all {
            Some(all) if all > source.rows => format!("{} to go", all - source.rows),
            _ => String::new(),
        },
    ]];
    for (status, name) in [
        ("finished", "finished"),
        ("empty", "empty"),
        ("jammed", "jammed"),
        ("interrupted", "stopped by the clock"),
        ("failed", "failed"),
    ] {
        let found = count(source, status);
        if found > 0 {
            let share = 100.0 * found as f64 / source.rows.max(1) as f64;
            tiles.push([name.into(), found.to_string(), format!("{share:.0} %")]);
        }
    }
    let most = groups.iter().map(|group| group.rows.len()).max();
    tiles.push([
        "combinations".into(),
        groups.len().to_string(),
        format!("at most {} runs each", most.unwrap_or(0)),
    ]);
    if let Some(times) = source.numbers("time.virtual") {
        let all: f64 = times.iter().filter(|time| time.is_finite()).sum();
        tiles.push([
            "simulated".into(),
            format!("{} s", three(all)),
            "all runs together".into(),
        ]);
    }
    tiles
}

fn warnings(source: &Source) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(runs) = source.all.filter(|all| *all > source.rows) {
        all.push(format!(
            "{} of {runs} runs are there: what follows holds for them. The same `arenite sweep` goes on.",
            source.rows
        ));
    }
    let failed: Vec<usize> = (0..source.rows)
        .filter(|row| source.text("status", *row) == "failed")
        .collect();
    for row in failed.iter().take(TOLD) {
        all.push(format!(
            "Run {} failed: {} ({})",
            source.text("run", *row),
            source.text("error", *row),
            source.text("label", *row)
        ));
    }
    if failed.len() > TOLD {
        all.push(format!("and {} more failed", failed.len() - TOLD));
    }
    all
}

/// Formats a cell for display.
fn cell(source: &Source, name: &str, row: usize) -> String {
    match source.column(name).map(|column| &column.cells) {
        Some(Entries::Numbers(values)) => match values[row] {
            value if !value.is_finite() => "\u{2013}".into(),
            value if value.fract() == 0.0 && value.abs() < 1e15 => value.to_string(),
            value => plots::shown(&value.to_string()),
        },
        Some(Entries::Words(words)) => words[row].clone(),
        None => String::new(),
    }
}

fn heads(source: &Source, names: &[String]) -> Vec<String> {
    let unit = |name: &String| match source.column(name).map_or("", |column| &column.unit) {
        "" | "1" => name.clone(),
        unit => format!("{name}, {unit}"),
    };
    names.iter().map(unit).collect()
}

fn tables(source: &Source, groups: &[Group], names: &[String]) -> Vec<SheetTable> {
    let mut means = vec![heads(source, &source.parameters)];
    means[0].push("runs".into());
    means[0].extend(heads(source, names));
    let jams = groups.iter().any(|g| g.jamming.is_some_and(|j| j.jams > 0));
    if jams {
        let more = [
            "share jammed",
            "95 %",
            "time up",
            "half jammed by, s",
            "grains per jam",
            "95 % ",
        ];
        means[0].extend(more.map(String::from));
    }
    for group in groups.iter().take(ROWS) {
        let mut row: Vec<String> = group.settings.iter().map(|s| plots::shown(s)).collect();
        row.push(group.rows.len().to_string());
        for name in names {
            let bar = source.numbers(name).and_then(|column| group.mean(column));
            row.push(match bar {
                None => "\u{2013}".into(),
                Some(bar) if bar.low < bar.high => {
                    format!("{} \u{b1} {}", three(bar.value), three(bar.value - bar.low))
                }
                Some(bar) => three(bar.value),
            });
        }
        if jams {
            row.extend(jam_cells(group));
        }
        means.push(row);
    }
    let mut runs: Vec<String> = vec!["run".into()];
    runs.extend(source.parameters.iter().cloned());
    runs.extend(["seed".into(), "status".into()]);
    runs.extend(names.iter().cloned());
    if count(source, "failed") > 0 {
        runs.push("error".into());
    }
    let mut rows = vec![heads(source, &runs)];
    for row in 0..source.rows.min(ROWS) {
        rows.push(runs.iter().map(|name| cell(source, name, row)).collect());
    }
    let first = |count: usize, of: &str| match count > ROWS {
        true => format!(" The first {ROWS} of {count} {of}."),
        false => String::new(),
    };
    vec![
        SheetTable {
            title: "Means over seeds".into(),
            about: format!(
                "With a standard error. A click on a head sorts.{}",
                first(groups.len(), "combinations")
            ),
            rows: means,
        },
        SheetTable {
            title: "Runs".into(),
            about: format!(
                "What varies, how each run ended, and the figures above; sweep.csv has all figures.{}",
                first(source.rows, "runs")
            ),
            rows,
        },
    ]
}

/// Returns the remarks on the fraction of jams.
fn censored(groups: &[Group]) -> String {
    let found = || groups.iter().filter_map(|group| group.jamming);
    let runs: u64 = found().map(|jamming| jamming.censored).sum();
    let most = found().map(|jamming| jamming.undecided).fold(0.0, f64::max);
    let mut text = "With Wilson's interval (95 %).".to_string();
    if runs > 0 {
        text += &format!(
            " The time of {runs} runs was up while they flowed: the share takes account of them (Kaplan and Meier 1958; with \
             runs that become empty, Aalen and Johansen 1978); up to {most:.2} of the runs at one setting may still jam."
        );
    }
    text
}

fn jam_cells(group: &Group) -> [String; 6] {
    let Some(jamming) = &group.jamming else {
        return std::array::from_fn(|_| "\u{2013}".to_string());
    };
    let (low, high) = jamming.avalanche_interval;
    [
        format!("{:.2}", jamming.probability),
        format!("{:.3} to {:.3}", jamming.wilson.low, jamming.wilson.high),
        jamming.censored.to_string(),
        jamming.median_time.map_or("\u{2013}".into(), three),
        jamming.avalanche.map_or("\u{2013}".into(), three),
        match high {
            Some(high) => format!("{} to {}", three(low), three(high)),
            None => format!("{} or more", three(low)),
        },
    ]
}
