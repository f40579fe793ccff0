//! Reads and checks a sweep file, and lists its runs.

mod check;
mod point;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SweepError;
use super::axis::{self, Axis, Setting, Spans};
use super::spec::SweepSpec;
use crate::input;
use crate::record::checksum;
use crate::scenario::path::{Place, Step};
use crate::scenario::{Document, Origin, Override, Problem, Resolved, Scenario, Text};
use crate::spelling::{names, nearest};

/// A sweep: a scenario and the keys varied in it.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Name of the sweep and of its folder.
    pub name: String,
    /// Contents of the file.
    #[doc(hidden)]
    pub spec: SweepSpec,
    /// Text of the file.
    pub text: String,
    document: Document,
    file: (Arc<str>, Arc<str>),
    base: Text,
    /// Settings of the command line and of `set` for all runs.
    fixed: Vec<Override>,
    axes: Vec<Axis>,
    derived: Vec<Derived>,
    seeds: Vec<Option<u64>>,
    /// Hash of the settings that are the same in all runs.
    common: u64,
}

#[derive(Clone, Debug)]
struct Derived {
    key: String,
    expression: String,
    spans: Spans,
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Number of the run, from 1, in the order of the table.
    pub number: usize,
    /// Varied values by key or variable (without `$`), in the order of the table.
    pub settings: Vec<(String, Setting)>,
    /// Seed; none: that of the scenario.
    pub seed: Option<u64>,
    /// Name of its row and folder, made from the varied values and a hash of all that the run starts from, so that it
    /// does not change when the sweep grows.
    pub label: String,
    overrides: Vec<Override>,
}

/// Limit on the size of a file, bytes: a million values need less.
const MOST_BYTES: u64 = 1 << 28;

/// Names of the columns that every table has.
pub(super) const OWN_COLUMNS: [&str; 5] = ["run", "label", "seed", "status", "error"];

impl Sweep {
    /// Loads a file, or the embedded sweep with a name, with values of the command line for all runs.
    ///
    /// # Errors
    /// A file that is no sweep, or names no scenario.
    pub fn load(reference: &str, overrides: &[Override]) -> Result<Self, SweepError> {
        let path = Path::new(reference);
        let written_as_path = reference.ends_with(".toml") || reference.contains(['/', '\\']);
        if !written_as_path && let Some(found) = super::embedded::sweep(reference) {
            let name = format!("{reference}.toml (embedded)");
            return Sweep::parse(&name, found.text, None, Some(reference), overrides);
        }
        if !written_as_path && !path.is_file() {
            let known = super::embedded::SWEEPS.iter().map(|item| item.name);
            let problem = Problem::plain(format!(
                "there is neither a file nor an embedded sweep `{reference}`"
            ));
            let problem = match nearest(reference, known.clone()) {
                Some(name) => problem.help(format!("did you mean `{name}`?")),
                None => problem,
            };
            let problem = problem.help(format!("embedded sweeps: {}", names(known)));
            return Err(problem.into());
        }
        let text = input::bytes_or_pipe(path, MOST_BYTES).and_then(input::text);
        let text = text.map_err(|why| {
            Problem::plain(format!("cannot read the sweep file {reference}: {why}"))
        })?;
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Sweep::parse(reference, &text, Some(folder), stem, overrides)
    }

    /// Parses a text; messages show `file` for it, its scenario is in `folder`, and `stem` names the sweep if the
    /// text does not.
    ///
    /// # Errors
    /// As [`Sweep::load`].
    pub fn parse(
        file: &str,
        text: &str,
        folder: Option<PathBuf>,
        stem: Option<&str>,
        overrides: &[Override],
    ) -> Result<Self, SweepError> {
        let mut document = Document::parse(file, text, &[])?;
        document.subject = "the sweep";
        for (key, ranges) in [("set", false), ("grid", true), ("derive", false)] {
            if let Some(table) = document.child_mut(&Step::Key(key.into())) {
                axis::flatten(table, ranges);
            }
        }
        document.each_of("zip", |table| axis::flatten(table, true));
        if let Some(sample) = document.child_mut(&Step::Key("sample".into()))
            && let Some(keys) = sample.child_mut(&Step::Key("keys".into()))
        {
            axis::flatten(keys, true);
        }
        let mut spec: SweepSpec = crate::scenario::read(&document)?;
        spec.study.rename_figures();
        let located = |problem: Problem| SweepError::from(problem.located(&document));
        let name = check::checked_name(&spec, stem).map_err(located)?;
        let place = Place::of("scenario");
        let base = Text::find(&spec.scenario, folder.as_deref())
            .map_err(|problem| located(problem.placed(&place)))?;
        for (key, value) in [("until", spec.until), ("wall_limit", spec.wall_limit)] {
            if let Some(value) = value.filter(|v| !v.is_finite() || *v <= 0.0) {
                let text = format!("`{key}` is {value}, but must be a finite time above 0");
                let problem = Problem::at(&Place::of(key), text).label("must be above 0, s");
                return Err(located(problem));
            }
        }
        let axes = axis::axes(&document, &spec)?;
        let seeds = check::seeds(&spec).map_err(located)?;
        let names: (Arc<str>, Arc<str>) = (file.into(), text.into());
        let (fixed, derived) = given(&document, &spec, &names, overrides);
        let mut sweep = Sweep {
            name,
            text: text.to_string(),
            file: names,
            base,
            fixed,
            axes,
            derived,
            seeds,
            common: 0,
            spec,
            document,
        };
        sweep.check_keys(overrides)?;
        sweep.check_count()?;
        sweep.check_study()?;
        sweep.common = sweep.hash_of_common();
        Ok(sweep)
    }

    /// Returns the names of the columns of varied keys.
    pub fn parameters(&self) -> Vec<String> {
        let columns = self.axes.iter().flat_map(|axis| &axis.columns);
        columns
            .map(|column| column_name(&column.key).to_string())
            .collect()
    }

    /// Returns the number of runs.
    pub fn count(&self) -> usize {
        let rows: usize = self.axes.iter().map(|axis| axis.rows).product();
        rows * self.seeds.len()
    }

    /// Returns the number of values of each axis, with the names of its columns; seeds last.
    pub fn shape(&self) -> Vec<(Vec<String>, usize)> {
        let axis = |axis: &Axis| {
            let names = axis.columns.iter().map(|c| column_name(&c.key).to_string());
            (names.collect(), axis.rows)
        };
        let mut shape: Vec<(Vec<String>, usize)> = self.axes.iter().map(axis).collect();
        shape.push((vec!["seed".into()], self.seeds.len()));
        shape
    }

    /// Returns the hash of the common part of all runs: the program's version and the scenario with its files; the
    /// text of the scenario if it does not resolve without the varied values.
    fn hash_of_common(&self) -> u64 {
        let resolved = self.parsed(&[]).and_then(|scenario| scenario.resolve());
        let text = match &resolved {
            Ok(resolved) => &resolved.toml,
            Err(_) => &self.base.text,
        };
        let version = env!("CARGO_PKG_VERSION");
        checksum(format!("{version}\n{text}").as_bytes())
    }

    fn parsed(&self, overrides: &[Override]) -> Result<Scenario, Problem> {
        let base = &self.base;
        Scenario::parse(&base.name, &base.text, base.folder.as_deref(), overrides)
    }

    /// Returns the scenario of a run.
    ///
    /// # Errors
    /// A fault of the scenario, with its place in the sweep file if it comes from there.
    pub fn resolve(&self, point: &Point) -> Result<Resolved, Problem> {
        self.parsed(&point.overrides)?.resolve()
    }
}

/// Returns the column name of a key or variable.
pub(super) fn column_name(key: &str) -> &str {
    key.strip_prefix('$').unwrap_or(key)
}

/// Returns the fixed overrides, and the overrides derived from variables.
fn given(
    document: &Document,
    spec: &SweepSpec,
    names: &(Arc<str>, Arc<str>),
    overrides: &[Override],
) -> (Vec<Override>, Vec<Derived>) {
    let mut fixed = Vec::new();
    let origin = |spans: &Spans| Origin {
        name: names.0.clone(),
        text: names.1.clone(),
        path: spans.key.clone(),
        value: spans.value.clone(),
    };
    let spans_of = |place: &Place| {
        let value = document.get(place).map(|node| node.span.range.clone());
        let value = value.unwrap_or(0..0);
        Spans {
            key: value.clone(),
            value,
        }
    };
    if let Some(until) = spec.until {
        let spans = spans_of(&Place::of("until"));
        fixed.push(Override::from_file(
            "run.end_time",
            &format!("{until:?}"),
            origin(&spans),
        ));
    }
    let set = Place::of("set");
    for (key, key_span) in axis::keys(document, &set) {
        if let Some(node) = document.get(&set.key(&key)) {
            let spans = Spans {
                key: key_span,
                value: node.span.range.clone(),
            };
            let text = axis::written(document, node).text;
            fixed.push(Override::from_file(&key, &text, origin(&spans)));
        }
    }
    // The command line takes precedence over the file.
    fixed.extend_from_slice(overrides);
    let place = Place::of("derive");
    let derived = axis::keys(document, &place)
        .into_iter()
        .map(|(key, key_span)| {
            let value = spans_of(&place.key(&key)).value;
            Derived {
                expression: spec.derive.get(&key).cloned().unwrap_or_default(),
                spans: Spans {
                    key: key_span,
                    value,
                },
                key,
            }
        });
    let derived = derived.collect();
    (fixed, derived)
}

/// The JSON Schema of the sweep file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(SweepSpec).to_value()
}
