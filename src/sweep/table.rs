//! The table of all runs of a sweep.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::axis::Scalar;
use super::file::{OWN_COLUMNS, Point, Sweep};
use super::row::{Row, figure_columns, publish};
use super::{Shard, SweepError};
use crate::record::{Cells, FigureValue, Frame, FrameColumn, Kind, RecordError, Status};

/// Returns the rows in a folder, for each point one or none.
pub fn read_rows(points: &[Point], dir: &Path) -> Vec<Option<Row>> {
    let row = |point: &Point| Row::read(dir, &point.label);
    points.iter().map(row).collect()
}

/// Returns the number of rows in a folder that belong to none of these points, as of a sweep that was changed since.
pub(crate) fn others(points: &[Point], dir: &Path) -> usize {
    let ours: std::collections::BTreeSet<&str> =
        points.iter().map(|point| point.label.as_str()).collect();
    let Ok(entries) = std::fs::read_dir(dir.join("rows")) else {
        return 0;
    };
    let other = |name: &str| {
        let label = name.strip_suffix(".json");
        label.is_some_and(|label| !name.starts_with('.') && !ours.contains(label))
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| other(name)).count()
}

/// Returns the name of a run's status in the tables.
pub(crate) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Finished => "finished",
        Status::Jammed => "jammed",
        Status::Empty => "empty",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    }
}

/// Returns the table of the points that have a row: varied values, seed, status, figures, error, label.
pub fn table(sweep: &Sweep, points: &[Point], rows: &[Option<Row>]) -> Frame {
    let there: Vec<(&Point, &Row)> = points
        .iter()
        .zip(rows)
        .filter_map(|(point, row)| Some((point, row.as_ref()?)))
        .collect();
    let mut columns = Vec::new();
    let mut add = |name: &str, unit, about: &str, cells| {
        columns.push(FrameColumn {
            name: name.into(),
            unit,
            about: about.into(),
            cells,
        });
    };
    let numbers = there.iter().map(|(point, _)| Some(point.number as i64));
    add("run", "1", ABOUT[0], Cells::Integers(numbers.collect()));
    for (k, name) in sweep.parameters().iter().enumerate() {
        let scalars: Vec<&Scalar> = there
            .iter()
            .map(|(point, _)| &point.settings[k].1.scalar)
            .collect();
        add(name, "", "what the sweep varies", cells(&scalars));
    }
    let seeds = there.iter().map(|(_, row)| {
        let seed = row.seed.map(i64::try_from);
        seed.and_then(Result::ok)
    });
    add("seed", "1", ABOUT[2], Cells::Integers(seeds.collect()));
    let names = there
        .iter()
        .map(|(_, row)| Some(status_name(row.status).to_string()));
    add("status", "", ABOUT[3], Cells::Texts(names.collect()));
    let values: Vec<Option<Vec<Option<FigureValue>>>> =
        there.iter().map(|(_, row)| row.figures()).collect();
    for (k, column) in figure_columns().into_iter().enumerate() {
        let values = values.iter().map(|row| row.as_ref().and_then(|row| row[k]));
        let cells = match column.kind {
            Kind::Integer => {
                let whole = |value| match value {
                    FigureValue::Integer(value) => i64::try_from(value).ok(),
                    FigureValue::Float(_) => None,
                };
                Cells::Integers(values.map(|value| value.and_then(whole)).collect())
            }
            _ => {
                let value = |value: Option<FigureValue>| value.map(FigureValue::value);
                // NaN becomes none, as in summary.json.
                let finite = |value: &f64| value.is_finite();
                Cells::Floats(values.map(|v| value(v).filter(finite)).collect())
            }
        };
        add(&column.name, column.unit, &column.about, cells);
    }
    let errors = there.iter().map(|(_, row)| row.error.clone());
    add("error", "", ABOUT[4], Cells::Texts(errors.collect()));
    let labels = there.iter().map(|(point, _)| Some(point.label.clone()));
    add("label", "", ABOUT[1], Cells::Texts(labels.collect()));
    let about = json!({
        "name": sweep.name,
        "scenario": sweep.spec.scenario,
        "version": env!("CARGO_PKG_VERSION"),
        "file": sweep.text,
    });
    Frame {
        name: "sweep".into(),
        columns,
        metadata: vec![("arenite.sweep".into(), about.to_string())],
    }
}

/// Meanings of the columns that every table has, in the order of [`OWN_COLUMNS`].
const ABOUT: [&str; OWN_COLUMNS.len()] = [
    "number of the run, from 1, in the order of the sweep",
    "name of the run's folder in `runs`",
    "seed",
    "`finished`, `jammed`, `empty`, `interrupted` (its time on the clock was up) or `failed`",
    "why it failed",
];

/// Converts the values of a parameter to a column of the narrowest type that fits all.
fn cells(scalars: &[&Scalar]) -> Cells {
    let all = |fits: fn(&Scalar) -> bool| scalars.iter().all(|scalar| fits(scalar));
    if all(|s| matches!(s, Scalar::Integer(_))) {
        let value = |s: &&Scalar| match s {
            Scalar::Integer(value) => Some(*value),
            _ => None,
        };
        return Cells::Integers(scalars.iter().map(value).collect());
    }
    if all(|s| matches!(s, Scalar::Integer(_) | Scalar::Float(_))) {
        let value = |s: &&Scalar| match s {
            Scalar::Integer(value) => Some(*value as f64),
            Scalar::Float(value) => Some(*value),
            _ => None,
        };
        return Cells::Floats(scalars.iter().map(value).collect());
    }
    if all(|s| matches!(s, Scalar::Flag(_))) {
        let value = |s: &&Scalar| match s {
            Scalar::Flag(value) => Some(*value),
            _ => None,
        };
        return Cells::Flags(scalars.iter().map(value).collect());
    }
    let value = |s: &&Scalar| {
        Some(match s {
            Scalar::Text(text) => text.clone(),
            Scalar::Flag(value) => value.to_string(),
            Scalar::Integer(value) => value.to_string(),
            Scalar::Float(value) => format!("{value:?}"),
        })
    };
    Cells::Texts(scalars.iter().map(value).collect())
}

/// Writes the table as Parquet and as CSV, each complete or not at all; returns their paths.
pub(crate) fn write(
    frame: &Frame,
    dir: &Path,
    shard: Option<Shard>,
) -> Result<[PathBuf; 2], SweepError> {
    let stem = match shard {
        Some(shard) => format!("sweep-{}-of-{}", shard.index, shard.count),
        None => "sweep".into(),
    };
    let parquet = dir.join(format!("{stem}.parquet"));
    let csv = dir.join(format!("{stem}.csv"));
    std::fs::create_dir_all(dir).map_err(RecordError::io("cannot create", dir))?;
    publish(&parquet, &frame.parquet(&parquet)?)?;
    publish(&csv, frame.csv().as_bytes())?;
    Ok([parquet, csv])
}

/// Returns the columns of a sweep's table as Markdown, for the documentation.
pub fn describe() -> String {
    let mut text = String::from("| column | unit | type | holds |\n|---|---|---|---|\n");
    let own = [
        ("run", "1", "int64", ABOUT[0]),
        (
            "*what varies*",
            "",
            "double, int64, boolean or string",
            "a column for each key and variable, by its path or name",
        ),
        ("seed", "1", "int64", ABOUT[2]),
        ("status", "", "string", ABOUT[3]),
    ];
    let mut line = |name: &str, unit: &str, kind: &str, about: &str| {
        let name = match name.starts_with('*') {
            true => name.to_string(),
            false => format!("`{name}`"),
        };
        text += &format!("| {name} | {unit} | {kind} | {about} |\n");
    };
    for (name, unit, kind, about) in own {
        line(name, unit, kind, about);
    }
    for column in figure_columns() {
        let kind = match column.kind {
            Kind::Integer => "int64",
            _ => "double",
        };
        line(&column.name, column.unit, kind, &column.about);
    }
    line("error", "", "string", ABOUT[4]);
    line("label", "", "string", ABOUT[1]);
    text
}
