//! A sweep file read and checked, and the runs that it comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SweepError;
use super::axis::{self, Axis, MOST, Scalar, Setting, Spans};
use super::expression;
use super::row::figure_columns;
use super::spec::{Seeds, SweepSpec};
use crate::record::checksum;
use crate::scenario::path::{Place, Step};
use crate::scenario::{
    Document, Origin, Override, Problem, Resolved, Scenario, Text, names, nearest,
};

/// A sweep: a scenario and what varies in it.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Its name; names the folder.
    pub name: String,
    /// What the file says.
    pub spec: SweepSpec,
    /// The file itself.
    pub text: String,
    document: Document,
    file: (Arc<str>, Arc<str>),
    base: Text,
    /// What the command line and `set` say for all runs.
    fixed: Vec<Override>,
    axes: Vec<Axis>,
    derived: Vec<Derived>,
    seeds: Vec<Option<u64>>,
    /// Hash of all that is the same in all runs.
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
    /// Its number, from 1, in the order of the table.
    pub number: usize,
    /// What varies, by key or variable (without `$`), in the order of the table.
    pub settings: Vec<(String, Setting)>,
    /// Its seed; none: that of the scenario.
    pub seed: Option<u64>,
    /// Name of its row and folder: what it is told by what varies, and by a hash of all that it starts
    /// from. So it keeps its name when the sweep grows.
    pub label: String,
    overrides: Vec<Override>,
}

/// Names of columns that every table has.
pub(super) const OWN_COLUMNS: [&str; 5] = ["run", "label", "seed", "status", "error"];

impl Sweep {
    /// Loads a file, or the embedded sweep of a name, with values of the command line for all runs.
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
        let text = std::fs::read_to_string(path).map_err(|why| {
            Problem::plain(format!("cannot read the sweep file {reference}: {why}"))
        })?;
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Sweep::parse(reference, &text, Some(folder), stem, overrides)
    }

    /// Reads a text; `file` stands for it in messages, `folder` is where its scenario is, `stem` names the
    /// sweep if the text does not.
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
        let spec: SweepSpec = crate::scenario::read(&document)?;
        let located = |problem: Problem| SweepError::from(problem.located(&document));
        let name = checked_name(&spec, stem).map_err(located)?;
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
        let seeds = seeds(&spec).map_err(located)?;
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

    fn fail(&self, problem: Problem) -> SweepError {
        problem.located(&self.document).into()
    }

    /// Each key is a path, is there once, and is not one of those that have a place of their own.
    fn check_keys(&self, overrides: &[Override]) -> Result<(), SweepError> {
        let places = self.places();
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut variables = BTreeSet::new();
        for (place, key) in &places {
            let place = place.key(key);
            let fail = |text: String, label: &str| {
                Err(self.fail(Problem::at_key(&place, text).label(label)))
            };
            let fixed = place.0.first() == Some(&Step::Key("set".into()));
            let derives = place.0.first() == Some(&Step::Key("derive".into()));
            let normal = if let Some(name) = key.strip_prefix('$') {
                let good = name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !good {
                    let text =
                        format!("`{key}` is no variable: letters, digits and `_` follow the `$`");
                    return fail(text, "another name");
                }
                if fixed || derives {
                    let text = format!(
                        "`{key}` is a variable: it gets its values in `grid`, `zip` or `sample`"
                    );
                    return fail(text, "keys of the scenario only");
                }
                let figures = figure_columns();
                if OWN_COLUMNS.contains(&name) || figures.iter().any(|c| c.name == name) {
                    let text = format!("the table has a column `{name}` already");
                    return fail(text, "another name");
                }
                variables.insert(name.to_string());
                key.clone()
            } else {
                let path = match Place::parse(key) {
                    Ok(path) => path.to_string(),
                    Err(why) => {
                        return fail(
                            format!("`{key}` is not a key path: {why}"),
                            "as in run.finish",
                        );
                    }
                };
                match path.as_str() {
                    "seed" => {
                        return fail("seeds are listed in `seeds`".into(), "write seeds = ..");
                    }
                    "run.finish" if self.spec.until.is_some() => {
                        return fail("`run.finish` is given as `until` too".into(), "twice");
                    }
                    _ => path,
                }
            };
            if let Some(first) = seen.insert(normal, place.to_string()) {
                let text = format!("`{key}` is given twice, first as {first}");
                return fail(text, "twice");
            }
        }
        for item in overrides {
            let path = Place::parse(&item.path).map(|path| path.to_string());
            let path = path.unwrap_or_else(|_| item.path.clone());
            let given = seen.get(&path).filter(|place| !place.starts_with("set."));
            if let Some(place) = given {
                let text = format!("`{}`: the sweep varies this key ({place})", item.argument);
                return Err(Problem::plain(text).into());
            }
            if path == "seed" {
                let text = format!("`{}`: seeds are listed in `seeds`", item.argument);
                return Err(Problem::plain(text).into());
            }
        }
        let mut used = BTreeSet::new();
        for item in &self.derived {
            let place = Place::of("derive").key(&item.key);
            for name in expression::variables(&item.expression) {
                if !variables.contains(name) {
                    let known = variables.iter().map(String::as_str);
                    let text = format!("there is no variable `${name}`");
                    let problem = match nearest(name, known.clone()) {
                        Some(near) => {
                            Problem::at(&place, text).label(format!("did you mean `${near}`?"))
                        }
                        None => Problem::at(&place, text),
                    };
                    return Err(self.fail(problem.help(format!("there are: {}", names(known)))));
                }
                used.insert(name.to_string());
            }
        }
        if let Some(unused) = variables.difference(&used).next() {
            let key = format!("${unused}");
            let place = places.iter().find(|(_, there)| *there == key);
            let place = place.map_or(Place::default(), |(place, key)| place.key(key));
            let text = format!("nothing in `derive` uses the variable `{key}`");
            return Err(self.fail(Problem::at_key(&place, text).label("changes no run")));
        }
        Ok(())
    }

    /// All keys with the table that they stand in.
    fn places(&self) -> Vec<(Place, String)> {
        let mut tables = vec![Place::of("set"), Place::of("grid")];
        tables.extend((0..self.spec.zip.len()).map(|k| Place::of("zip").index(k)));
        tables.push(Place::of("sample").key("keys"));
        tables.push(Place::of("derive"));
        let keys = |place: Place| {
            let keys = axis::keys(&self.document, &place);
            keys.into_iter().map(move |(key, _)| (place.clone(), key))
        };
        tables.into_iter().flat_map(keys).collect()
    }

    fn check_count(&self) -> Result<(), SweepError> {
        let counts = self.axes.iter().map(|axis| axis.rows);
        let count = counts
            .chain([self.seeds.len()])
            .try_fold(1usize, usize::checked_mul);
        match count {
            Some(count) if count <= MOST => Ok(()),
            _ => {
                let counts: Vec<String> = self.axes.iter().map(|a| a.rows.to_string()).collect();
                let text = format!(
                    "the sweep has {} x {} seeds, more than {MOST} runs",
                    counts.join(" x "),
                    self.seeds.len()
                );
                Err(self.fail(Problem::plain(text).help("draw from the ranges with `sample`")))
            }
        }
    }

    /// What the study names is a column of the table.
    fn check_study(&self) -> Result<(), SweepError> {
        let figures: Vec<String> = figure_columns().into_iter().map(|c| c.name).collect();
        let parameters = self.parameters();
        let study = Place::of("study");
        let mut asked = Vec::new();
        for (k, name) in self.spec.study.figures.iter().flatten().enumerate() {
            asked.push((study.key("figures").index(k), name, &figures));
        }
        if let Some(beverloo) = &self.spec.study.beverloo {
            let place = study.key("beverloo");
            asked.push((place.key("rate"), &beverloo.rate, &figures));
            asked.push((place.key("width"), &beverloo.width, &parameters));
            if let Some(p) = beverloo.exponent.filter(|p| !p.is_finite() || *p <= 0.0) {
                let text = format!("`exponent` is {p}, but must be above 0");
                return Err(self.fail(Problem::at(&place.key("exponent"), text)));
            }
        }
        for (place, name, known) in asked {
            let bare = name.strip_prefix('$').unwrap_or(name);
            if known.iter().any(|there| there == bare) {
                continue;
            }
            let list = || known.iter().map(String::as_str);
            let problem = Problem::at(&place, format!("the table has no column `{bare}`"));
            let problem = match nearest(bare, list()) {
                Some(near) => problem.label(format!("did you mean `{near}`?")),
                None => problem,
            };
            let few = known.len() < 20;
            let help = match few {
                true => format!("there are: {}", names(list())),
                false => "docs/sweep.md lists all columns".into(),
            };
            return Err(self.fail(problem.help(help)));
        }
        Ok(())
    }

    /// Columns of what varies, as the table names them.
    pub fn parameters(&self) -> Vec<String> {
        let columns = self.axes.iter().flat_map(|axis| &axis.columns);
        columns
            .map(|column| column_name(&column.key).to_string())
            .collect()
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        let rows: usize = self.axes.iter().map(|axis| axis.rows).product();
        rows * self.seeds.len()
    }

    /// How many values each axis has, with the names of its columns; seeds last.
    pub fn shape(&self) -> Vec<(Vec<String>, usize)> {
        let axis = |axis: &Axis| {
            let names = axis.columns.iter().map(|c| column_name(&c.key).to_string());
            (names.collect(), axis.rows)
        };
        let mut shape: Vec<(Vec<String>, usize)> = self.axes.iter().map(axis).collect();
        shape.push((vec!["seed".into()], self.seeds.len()));
        shape
    }

    /// All runs, in the order of the table.
    ///
    /// # Errors
    /// An expression that has no value.
    pub fn points(&self) -> Result<Vec<Point>, SweepError> {
        (0..self.count()).map(|k| self.point(k)).collect()
    }

    /// A run, by its number from 0.
    fn point(&self, index: usize) -> Result<Point, SweepError> {
        let mut rest = index;
        let seed = self.seeds[rest % self.seeds.len()];
        rest /= self.seeds.len();
        let mut rows = vec![0; self.axes.len()];
        for (row, axis) in rows.iter_mut().zip(&self.axes).rev() {
            *row = rest % axis.rows;
            rest /= axis.rows;
        }
        let mut chosen = Vec::new();
        for (axis, row) in self.axes.iter().zip(rows) {
            for column in &axis.columns {
                let setting = &column.settings[row];
                chosen.push((column.key.as_str(), setting, &column.spans[row]));
            }
        }
        let mut overrides = self.fixed.clone();
        for (key, setting, spans) in &chosen {
            if !key.starts_with('$') {
                overrides.push(self.written(key, &setting.text, spans));
            }
        }
        let variables = axis::variables(chosen.iter().map(|(key, setting, _)| (*key, *setting)));
        for item in &self.derived {
            let found = expression::evaluate(&item.expression, &variables).map_err(|why| {
                let place = Place::of("derive").key(&item.key);
                let text = format!("`{}` cannot be worked out: {why}", item.expression);
                let values: Vec<String> = variables
                    .iter()
                    .map(|(name, value)| format!("${name} = {value}"))
                    .collect();
                let problem = Problem::at(&place, text);
                self.fail(match values.is_empty() {
                    true => problem,
                    false => problem.help(format!("with {}", values.join(", "))),
                })
            })?;
            let setting = Setting::number(found.value, found.whole);
            overrides.push(self.written(&item.key, &setting.text, &item.spans));
        }
        if let Some(seed) = seed {
            overrides.push(Override::option("seeds", "seed", &seed.to_string()));
        }
        let settings: Vec<(String, Setting)> = chosen
            .into_iter()
            .map(|(key, setting, _)| (column_name(key).to_string(), setting.clone()))
            .collect();
        let label = self.label(&settings, seed, &overrides);
        Ok(Point {
            number: index + 1,
            settings,
            seed,
            label,
            overrides,
        })
    }

    fn written(&self, key: &str, value: &str, spans: &Spans) -> Override {
        let origin = Origin {
            name: self.file.0.clone(),
            text: self.file.1.clone(),
            path: spans.key.clone(),
            value: spans.value.clone(),
        };
        Override::from_file(key, value, origin)
    }

    fn label(
        &self,
        settings: &[(String, Setting)],
        seed: Option<u64>,
        overrides: &[Override],
    ) -> String {
        /// Letters of a label before its hash.
        const LONGEST: usize = 80;
        let mut hashed = format!("{:016x}", self.common);
        for item in overrides {
            hashed += &format!("\n{}={}", item.path, item.value);
        }
        let hash = checksum(hashed.as_bytes());
        let hash = (hash >> 16) ^ (hash & 0xffff);
        let mut words: Vec<String> = settings
            .iter()
            .map(|(key, setting)| {
                let last = key.rsplit(['.', '"']).find(|word| !word.is_empty());
                let value = match &setting.scalar {
                    Scalar::Text(text) => text.as_str(),
                    _ => setting.text.as_str(),
                };
                format!("{}={value}", last.unwrap_or(key))
            })
            .collect();
        words.extend(seed.map(|seed| format!("seed={seed}")));
        let plain = |c: char| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '+' | '=' | ',' => c,
            _ => '_',
        };
        let words: String = words.join(",").chars().map(plain).take(LONGEST).collect();
        let words = words.trim_start_matches(['.', '-']);
        match words.is_empty() {
            true => format!("{hash:012x}"),
            false => format!("{words}-{hash:012x}"),
        }
    }

    /// What all runs have in common: the program's version and the scenario with the files that it reads;
    /// its text where it does not resolve without what varies.
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

    /// The scenario of a run.
    ///
    /// # Errors
    /// What is wrong with it, with the place in the sweep file where that is what is wrong.
    pub fn resolve(&self, point: &Point) -> Result<Resolved, Problem> {
        self.parsed(&point.overrides)?.resolve()
    }
}

/// The table's name of a key or variable.
pub(super) fn column_name(key: &str) -> &str {
    key.strip_prefix('$').unwrap_or(key)
}

fn checked_name(spec: &SweepSpec, stem: Option<&str>) -> Result<String, Problem> {
    let allowed = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match (&spec.name, stem) {
        (Some(name), _) if allowed(name) => Ok(name.clone()),
        (Some(name), _) => Err(Problem::at(
            &Place::of("name"),
            format!("`{name}` cannot be a name: letters, digits, `-`, `_` and `.`"),
        )
        .label("names the folder of the sweep")),
        (None, Some(stem)) if allowed(stem) => Ok(stem.to_string()),
        (None, _) => Ok("sweep".into()),
    }
}

fn seeds(spec: &SweepSpec) -> Result<Vec<Option<u64>>, Problem> {
    let place = Place::of("seeds");
    let run = |from: u64, count: u64| {
        if count == 0 {
            return Err(Problem::at(&place, "there is no seed").label("1 or more"));
        }
        if count > MOST as u64
            || from
                .checked_add(count)
                .is_none_or(|end| end > i64::MAX as u64)
        {
            let text = format!("{count} seeds from {from} on are too many");
            return Err(Problem::at(&place, text).label(format!("at most {MOST}")));
        }
        Ok((from..from + count).map(Some).collect())
    };
    match &spec.seeds {
        None => Ok(vec![None]),
        Some(Seeds::Count(count)) => run(1, *count),
        Some(Seeds::From(range)) => run(range.from, range.count),
        Some(Seeds::List(list)) => {
            let mut seen = BTreeSet::new();
            for (k, seed) in list.iter().enumerate() {
                if !seen.insert(seed) {
                    let text = format!("the seed {seed} is there twice");
                    return Err(Problem::at(&place.index(k), text).label("twice"));
                }
            }
            match list.is_empty() {
                true => run(1, 0),
                false => Ok(list.iter().copied().map(Some).collect()),
            }
        }
    }
}

/// What is the same in all runs, and what follows from variables.
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
            "run.finish",
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
    // The command line comes after what the file says.
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
