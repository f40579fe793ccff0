//! Reads a sweep's folder: the table of its runs, and its sweep file.

use std::path::Path;

use serde_json::Value;

use crate::record::read::{self, Values};
use crate::record::{Cells, Frame, RecordError};
use crate::scenario::Override;
use crate::sweep::spec::SweepSpec;
use crate::sweep::{self, OVERRIDES, Sweep};

/// The data of a sweep for its report.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) scenario: String,
    /// Contents of the sweep file.
    pub(super) spec: Option<SweepSpec>,
    /// Names of the varied keys, in the order of the table.
    pub(super) parameters: Vec<String>,
    pub(super) columns: Vec<Column>,
    /// Number of runs in the table.
    pub(super) rows: usize,
    /// Number of runs of the sweep; none if it is not known any more.
    pub(super) all: Option<usize>,
    /// Results over all runs, as in `study.json`; none if the sweep did not finish.
    pub(super) study: Option<Value>,
}

/// A column of the table.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) cells: Entries,
}

/// The cells of a column.
#[derive(Debug)]
pub(super) enum Entries {
    /// Numbers; NaN where there is no value.
    Numbers(Vec<f64>),
    /// Words; empty where there is no value.
    Words(Vec<String>),
}

impl Source {
    /// Reads the folder: its table, or, if the sweep was killed before it wrote one or has continued since, the rows
    /// of its runs.
    pub(super) fn read(dir: &Path) -> Result<Source, RecordError> {
        let written = dir.join("sweep.parquet").is_file();
        let mut table = match written {
            true => of_table(dir)?,
            false => Source::default(),
        };
        let file = dir.join("sweep.toml");
        let given = std::fs::read_to_string(dir.join(OVERRIDES)).unwrap_or_default();
        let given: Vec<String> = serde_json::from_str(&given).unwrap_or_default();
        let given: Vec<Override> = given.iter().filter_map(|o| Override::set(o).ok()).collect();
        let sweep = Sweep::load(&file.to_string_lossy(), &given);
        let points = sweep
            .as_ref()
            .ok()
            .and_then(|sweep| Some((sweep, sweep.points().ok()?)));
        if let Some((sweep, points)) = points {
            let rows = sweep::read_rows(&points, dir);
            let there = rows.iter().flatten().count();
            // Rows of another version, or of changed values, match none of these points.
            if there >= table.rows {
                table = of_frame(sweep::table(sweep, &points, &rows));
                let study = sweep::study::study(sweep, &points, &rows);
                table.study = serde_json::to_value(&study).ok();
                table.all = Some(points.len());
            }
        } else if !written {
            return Err(RecordError::Damaged {
                path: dir.display().to_string(),
                what: "the sweep has no table yet, and its scenario is not found from here: finish it, or \
                       stop it with Ctrl-C, and the table is written"
                    .into(),
            });
        }
        if table.study.is_none() {
            let text = std::fs::read_to_string(dir.join("study.json")).unwrap_or_default();
            table.study = serde_json::from_str(&text).ok();
        }
        if table.name.is_empty() || table.name == "sweep" {
            let name = dir.file_name().and_then(|name| name.to_str());
            table.name = name.unwrap_or("sweep").into();
        }
        Ok(table)
    }

    /// Returns a column of numbers.
    pub(super) fn numbers(&self, name: &str) -> Option<&[f64]> {
        match &self.column(name)?.cells {
            Entries::Numbers(values) => Some(values),
            Entries::Words(_) => None,
        }
    }

    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns a cell as text.
    pub(super) fn text(&self, name: &str, row: usize) -> String {
        match self.column(name).map(|column| &column.cells) {
            Some(Entries::Numbers(values)) if values[row].is_finite() => values[row].to_string(),
            Some(Entries::Words(words)) => words[row].clone(),
            _ => String::new(),
        }
    }

    /// Reads the description of the sweep from the table's metadata.
    fn tell(&mut self, about: &str) {
        let about: Value = serde_json::from_str(about).unwrap_or_default();
        let text = |key: &str| about[key].as_str().unwrap_or_default().to_string();
        self.name = text("name");
        self.scenario = text("scenario");
        self.spec = toml::from_str(&text("file")).ok();
        if let Some(spec) = &mut self.spec {
            spec.study.rename_figures();
        }
    }
}

/// Key of the table's metadata that describes the sweep.
const ABOUT: &str = "arenite.sweep";

/// Returns the names of the varied keys: those between the columns that every table has.
fn parameters(columns: &[Column]) -> Vec<String> {
    let names = columns.iter().map(|column| column.name.clone());
    names.skip(1).take_while(|name| name != "seed").collect()
}

fn of_table(dir: &Path) -> Result<Source, RecordError> {
    let (table, file) = read::sweep(dir)?;
    let column = |(name, values): (String, Values)| Column {
        unit: file.metadata(&format!("units.{name}")).unwrap_or("").into(),
        cells: match values {
            Values::Floats(values) => Entries::Numbers(values),
            Values::Integers(values) => {
                let real = |v: Option<i64>| v.map_or(f64::NAN, |v| v as f64);
                Entries::Numbers(values.into_iter().map(real).collect())
            }
            Values::Flags(values) => {
                Entries::Words(values.iter().map(ToString::to_string).collect())
            }
            Values::Names(words) => {
                Entries::Words(words.into_iter().map(Option::unwrap_or_default).collect())
            }
        },
        name,
    };
    let columns: Vec<Column> = table.columns.into_iter().map(column).collect();
    let mut source = Source {
        parameters: parameters(&columns),
        columns,
        rows: table.rows,
        ..Source::default()
    };
    source.tell(file.metadata(ABOUT).unwrap_or_default());
    Ok(source)
}

fn of_frame(frame: Frame) -> Source {
    let rows = frame.rows();
    let about = frame.metadata.iter().find(|(key, _)| key == ABOUT);
    let about = about.map_or(String::new(), |(_, text)| text.clone());
    let columns = frame.columns.into_iter().map(|column| Column {
        name: column.name,
        unit: column.unit.into(),
        cells: match column.cells {
            Cells::Floats(values) => {
                Entries::Numbers(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
            }
            Cells::Integers(values) => {
                let real = |v: Option<i64>| v.map_or(f64::NAN, |v| v as f64);
                Entries::Numbers(values.into_iter().map(real).collect())
            }
            Cells::Flags(values) => {
                let word = |v: Option<bool>| v.map_or(String::new(), |v| v.to_string());
                Entries::Words(values.into_iter().map(word).collect())
            }
            Cells::Texts(words) => {
                Entries::Words(words.into_iter().map(Option::unwrap_or_default).collect())
            }
        },
    });
    let columns: Vec<Column> = columns.collect();
    let mut source = Source {
        parameters: parameters(&columns),
        columns,
        rows,
        ..Source::default()
    };
    source.tell(&about);
    source
}
