//! Axes of a sweep: keys and the values that they take together.

use std::collections::BTreeMap;
use std::ops::Range;

use super::SweepError;
use super::alike::{different, twice};
use super::sample;
use super::spec::{RangeSpec, SampleSpec, Scale, SweepSpec, Values};
use crate::scenario::path::Place;
use crate::scenario::{Document, Node, Problem, Value};

/// The value of a key in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value as TOML.
    pub text: String,
    /// The value in the table.
    pub scalar: Scalar,
}

/// A value of a column of parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text, or a value that is no scalar, as TOML.
    Text(String),
}

impl Setting {
    pub(super) fn number(value: f64, whole: bool) -> Self {
        // Floats cannot represent all integers beyond 2^53; such values stay floats.
        if whole && value.abs() < 9e15 {
            let value = value.round() as i64;
            return Setting {
                text: value.to_string(),
                scalar: Scalar::Integer(value),
            };
        }
        Setting {
            text: format!("{value:?}"),
            scalar: Scalar::Float(value),
        }
    }

    /// Returns the value as a number, if it is one.
    pub fn value(&self) -> Option<f64> {
        match self.scalar {
            Scalar::Integer(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Flag(_) | Scalar::Text(_) => None,
        }
    }
}

/// Position of a setting in the sweep file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spans {
    pub key: Range<usize>,
    pub value: Range<usize>,
}

/// A key and its values, one for each row of its axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// A key of the scenario, or a variable with its `$`.
    pub key: String,
    pub settings: Vec<Setting>,
    pub spans: Vec<Spans>,
}

/// Keys that vary together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub columns: Vec<Column>,
    pub rows: usize,
}

/// Greatest number of values of one key, and of runs.
pub(super) const MOST: usize = 1_000_000;

/// Greatest number of values of all keys together, enough for that many runs with a few keys.
const MOST_VALUES: usize = 3_000_000;

/// Refuses too many values before they are made.
fn count_values(
    document: &Document,
    place: &Place,
    all: &mut usize,
    more: usize,
) -> Result<(), SweepError> {
    *all = all.saturating_add(more);
    if *all <= MOST_VALUES {
        return Ok(());
    }
    let text = format!("all keys together have more than {MOST_VALUES} values");
    let problem = Problem::at_key(place, text).label("too many");
    Err(problem.located(document).into())
}

/// Returns the axes of a sweep: keys of the grid, rows of each zip, samples.
pub(super) fn axes(document: &Document, spec: &SweepSpec) -> Result<Vec<Axis>, SweepError> {
    let mut axes = Vec::new();
    let mut all = 0;
    let place = Place::of("grid");
    for (key, key_span) in keys(document, &place) {
        let values = &spec.grid[&key];
        let column = column(document, &place.key(&key), &key, key_span, values)?;
        count_values(document, &place.key(&key), &mut all, column.settings.len())?;
        if let Some((_, second)) = twice(std::slice::from_ref(&column)) {
            let text = format!(
                "`{key}` has the value {} twice",
                column.settings[second].text
            );
            let problem = Problem::at(&place.key(&key).index(second), text).label("twice");
            return Err(problem.located(document).into());
        }
        axes.push(Axis {
            rows: column.settings.len(),
            columns: vec![column],
        });
    }
    for (k, zip) in spec.zip.iter().enumerate() {
        let place = Place::of("zip").index(k);
        let mut columns: Vec<Column> = Vec::new();
        for (key, key_span) in keys(document, &place) {
            let here = place.key(&key);
            let column = column(document, &here, &key, key_span, &zip[&key])?;
            if let Some(first) = columns.first() {
                let (a, b) = (first.settings.len(), column.settings.len());
                if a != b {
                    return Err(Problem::at(
                        &here,
                        format!("`{key}` has {b} values, but `{}` has {a}", first.key),
                    )
                    .help("the values of one zip go together: each key needs as many")
                    .located(document)
                    .into());
                }
            }
            count_values(document, &here, &mut all, column.settings.len())?;
            columns.push(column);
        }
        if let Some((first, second)) = twice(&columns) {
            let values = columns
                .iter()
                .map(|column| format!("{} = {}", column.key, column.settings[second].text));
            let text = format!(
                "rows {} and {} of the zip are the same: {}",
                first + 1,
                second + 1,
                values.collect::<Vec<_>>().join(", ")
            );
            let listed = columns
                .iter()
                .map(|column| place.key(&column.key).index(second))
                .find(|place| document.get(place).is_some());
            let problem = Problem::at(listed.as_ref().unwrap_or(&place), text).label("twice");
            return Err(problem.located(document).into());
        }
        let Some(first) = columns.first() else {
            return Err(Problem::at(&place, "the zip holds no key")
                .located(document)
                .into());
        };
        axes.push(Axis {
            rows: first.settings.len(),
            columns,
        });
    }
    if let Some(sample) = &spec.sample {
        axes.push(sampled(document, sample)?);
    }
    Ok(axes)
}

/// Returns the keys of a table in the order of the file, with their positions.
pub(super) fn keys(document: &Document, place: &Place) -> Vec<(String, Range<usize>)> {
    match document.get(place).map(|node| &node.value) {
        Some(Value::Table(entries)) => {
            let name =
                |entry: &crate::scenario::Entry| (entry.key.clone(), entry.key_span.range.clone());
            entries.iter().map(name).collect()
        }
        _ => Vec::new(),
    }
}

fn column(
    document: &Document,
    place: &Place,
    key: &str,
    key_span: Range<usize>,
    values: &Values,
) -> Result<Column, SweepError> {
    let wrong = |text: String| SweepError::from(Problem::at(place, text).located(document));
    let spans = |node: &Node| Spans {
        key: key_span.clone(),
        value: node.span.range.clone(),
    };
    let node = document
        .get(place)
        .ok_or_else(|| wrong(format!("`{key}` is gone")))?;
    let (settings, spans) = match (values, &node.value) {
        (Values::List(_), Value::List(items)) => {
            let settings = items.iter().map(|item| written(document, item)).collect();
            (settings, items.iter().map(spans).collect())
        }
        (Values::Range(range), _) => {
            let numbers = spread(document, place, range)?;
            let count = numbers.len();
            (numbers, vec![spans(node); count])
        }
        _ => (Vec::new(), Vec::new()),
    };
    if settings.is_empty() {
        return Err(wrong(format!("`{key}` has no value")));
    }
    Ok(Column {
        key: key.to_string(),
        settings,
        spans,
    })
}

/// Returns a value as written in the file.
pub(super) fn written(document: &Document, node: &Node) -> Setting {
    let text = document
        .sources
        .get(node.span.source)
        .and_then(|source| source.text.get(node.span.range.clone()))
        .unwrap_or_default()
        .to_string();
    let scalar = match &node.value {
        Value::Boolean(flag) => Scalar::Flag(*flag),
        Value::Integer(number) => match i64::try_from(*number) {
            Ok(number) => Scalar::Integer(number),
            Err(_) => Scalar::Float(*number as f64),
        },
        Value::Float(number) => Scalar::Float(*number),
        Value::Text(text) => Scalar::Text(text.clone()),
        // On one line, for the table.
        _ => Scalar::Text(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    Setting { text, scalar }
}

/// Checks a range of any kind.
fn check_range(document: &Document, place: &Place, range: &RangeSpec) -> Result<(), SweepError> {
    for (key, value) in [("from", range.from), ("to", range.to)] {
        if !value.is_finite() {
            return Err(Problem::at(
                &place.key(key),
                format!("`{key}` is {value}, but must be a finite number"),
            )
            .located(document)
            .into());
        }
        if range.scale == Scale::Log && value <= 0.0 {
            return Err(Problem::at(
                &place.key(key),
                format!("`{key}` is {value}, but equal ratios need numbers above 0"),
            )
            .label("must be greater than 0")
            .located(document)
            .into());
        }
    }
    Ok(())
}

/// Returns the number at a fraction of a range.
fn along(range: &RangeSpec, share: f64) -> f64 {
    match range.scale {
        // Gives both ends exactly.
        Scale::Linear => range.from * (1.0 - share) + range.to * share,
        Scale::Log if share == 0.0 => range.from,
        Scale::Log if share == 1.0 => range.to,
        Scale::Log => range.from * libm::pow(range.to / range.from, share),
    }
}

/// Returns the numbers of a range.
fn spread(
    document: &Document,
    place: &Place,
    range: &RangeSpec,
) -> Result<Vec<Setting>, SweepError> {
    check_range(document, place, range)?;
    let fail = |key: &str, text: String, label: &str| {
        let problem = match key {
            "" => Problem::at_key(place, text),
            key => Problem::at(&place.key(key), text),
        };
        SweepError::from(problem.label(label).located(document))
    };
    let most = |count: f64| {
        let text = format!("the range has {count} values, at most {MOST} are allowed");
        fail("", text, "too many")
    };
    let numbers: Vec<f64> = match (range.count, range.by) {
        (Some(0), None) => {
            return Err(fail("count", "`count` is 0".into(), "must be 1 or more"));
        }
        (Some(count), None) if count > MOST as u64 => return Err(most(count as f64)),
        (Some(1), None) => vec![range.from],
        (Some(count), None) => {
            let last = (count - 1) as f64;
            (0..count).map(|k| along(range, k as f64 / last)).collect()
        }
        (None, Some(by)) => {
            if range.scale == Scale::Log {
                let text = "equal ratios require `count`, not `by`";
                return Err(fail("by", text.into(), "remove this"));
            }
            let steps = (range.to - range.from) / by;
            if !steps.is_finite() || steps < 0.0 {
                let text = format!(
                    "steps of {by} do not lead from {} to {}",
                    range.from, range.to
                );
                return Err(fail("by", text, "wrong sign, or 0"));
            }
            // Tolerates rounding, but not one step too many.
            let count = (steps * (1.0 + 1e-12) + 1e-9).floor() + 1.0;
            if count > MOST as f64 {
                return Err(most(count));
            }
            let number = |k: usize| range.from + k as f64 * by;
            (0..count as usize).map(number).collect()
        }
        (Some(_), Some(_)) => {
            let text = "a range has `count` or `by`, not both";
            return Err(fail("by", text.into(), "remove one"));
        }
        (None, None) => {
            let text = "a range needs `count` or `by`";
            return Err(fail("", text.into(), "how many values?"));
        }
    };
    let whole = range.whole || range.by.is_some_and(|_| are_whole(document, place));
    let settings: Vec<Setting> = numbers
        .into_iter()
        .map(|x| Setting::number(x, whole))
        .collect();
    for pair in settings.windows(2) {
        if pair[0] == pair[1] {
            let text = format!("the range gives {} twice", pair[0].text);
            return Err(fail("", text, "fewer values, or a wider range"));
        }
    }
    Ok(settings)
}

/// Whether all numbers of a range are written as integers.
fn are_whole(document: &Document, place: &Place) -> bool {
    ["from", "to", "by"].into_iter().all(|key| {
        let node = document.get(&place.key(key));
        node.is_some_and(|node| matches!(node.value, Value::Integer(_)))
    })
}

/// Returns the samples as an axis.
fn sampled(document: &Document, spec: &SampleSpec) -> Result<Axis, SweepError> {
    let place = Place::of("sample");
    let fail = |place: &Place, text: String| Err(Problem::at(place, text).located(document).into());
    if spec.count == 0 || spec.count > MOST as u64 {
        let text = format!("`count` is {}, but must be 1 to {MOST}", spec.count);
        return fail(&place.key("count"), text);
    }
    let inner = place.key("keys");
    let keys = keys(document, &inner);
    if keys.is_empty() {
        return fail(&inner, "there is no key to draw".into());
    }
    if spec.method == sample::Method::Sobol && keys.len() > sample::SOBOL_KEYS {
        let text = format!(
            "`sobol` draws at most {} keys, here are {}",
            sample::SOBOL_KEYS,
            keys.len()
        );
        return Err(Problem::at(&inner, text)
            .help("`method` can be `latin-hypercube` or `random`")
            .located(document)
            .into());
    }
    let count = spec.count as usize;
    count_values(document, &inner, &mut 0, count.saturating_mul(keys.len()))?;
    let points = sample::points(spec.method, count, keys.len(), spec.seed);
    let mut columns = Vec::new();
    for (axis, (key, key_span)) in keys.into_iter().enumerate() {
        let here = inner.key(&key);
        let places = points.iter().map(|point| point[axis]);
        let Some(node) = document.get(&here) else {
            return fail(&here, format!("`{key}` is gone"));
        };
        let span = |node: &Node| Spans {
            key: key_span.clone(),
            value: node.span.range.clone(),
        };
        let (settings, spans) = match (&spec.keys[&key], &node.value) {
            (Values::Range(range), _) => {
                check_range(document, &here, range)?;
                for (word, there) in [("count", range.count.is_some()), ("by", range.by.is_some())]
                {
                    if there {
                        let text = format!("a sample draws from all of the range: no `{word}`");
                        return fail(&here.key(word), text);
                    }
                }
                if range.from >= range.to {
                    let text = format!(
                        "a sample draws between two numbers, but `from` is {} and `to` {}",
                        range.from, range.to
                    );
                    return fail(&here.key("to"), text);
                }
                let number = |share| match range.whole {
                    // Each integer has the same probability, including the ends.
                    true => {
                        let wide = RangeSpec {
                            to: range.to + 1.0,
                            ..range.clone()
                        };
                        Setting::number(along(&wide, share).floor().min(range.to), true)
                    }
                    false => Setting::number(along(range, share), false),
                };
                (places.map(number).collect(), vec![span(node); count])
            }
            (Values::List(_), Value::List(items)) if !items.is_empty() => {
                let chosen: Vec<&Node> = places
                    .map(|share| (share * items.len() as f64) as usize)
                    .map(|k| &items[k.min(items.len() - 1)])
                    .collect();
                let settings = chosen.iter().map(|node| written(document, node)).collect();
                (settings, chosen.into_iter().map(span).collect())
            }
            _ => return fail(&here, format!("`{key}` has no value")),
        };
        columns.push(Column {
            key,
            settings,
            spans,
        });
    }
    // A sample drawn again is one run, at its first position.
    let (rows, again) = different(&columns);
    if !again.is_empty() {
        for column in &mut columns {
            column.settings = rows.iter().map(|&k| column.settings[k].clone()).collect();
            column.spans = rows.iter().map(|&k| column.spans[k].clone()).collect();
        }
    }
    Ok(Axis {
        rows: rows.len(),
        columns,
    })
}

/// Flattens nested tables to one with dotted keys: `run.tolerance = [..]` is `"run.tolerance" = [..]`. Where ranges
/// are allowed, a table with a key of a range is a range.
pub(super) fn flatten(table: &mut Node, ranges: bool) {
    const OF_RANGES: [&str; 6] = ["from", "to", "count", "by", "scale", "whole"];
    let Value::Table(entries) = &mut table.value else {
        return;
    };
    let mut flat = Vec::new();
    for mut entry in std::mem::take(entries) {
        let nested = match &entry.node.value {
            Value::Table(inner) => {
                let of_range = |e: &crate::scenario::Entry| OF_RANGES.contains(&e.key.as_str());
                !(inner.is_empty() || ranges && inner.iter().any(of_range))
            }
            _ => false,
        };
        if !nested {
            flat.push(entry);
            continue;
        }
        flatten(&mut entry.node, ranges);
        if let Value::Table(inner) = entry.node.value {
            for mut child in inner {
                // An unquoted key cannot contain a dot: this one was quoted, and is a path.
                child.key = format!("{}.{}", entry.key, child.key);
                flat.push(child);
            }
        }
    }
    *entries = flat;
}

/// Returns the variables of a run by name, without their `$`.
pub(super) fn variables<'a>(
    settings: impl Iterator<Item = (&'a str, &'a Setting)>,
) -> BTreeMap<&'a str, f64> {
    let variable = |(key, setting): (&'a str, &Setting)| {
        let name = key.strip_prefix('$')?;
        Some((name, setting.value()?))
    };
    settings.filter_map(variable).collect()
}
