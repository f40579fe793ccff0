//! Groups of runs of a sweep that differ only in the seed.

use super::source::{Entries, Source};
use crate::study::ensemble::spread;
use crate::study::outflow::{Jamming, Outflow, jamming};
use crate::sweep::study::LEVEL;

/// Runs of one combination of values.
#[derive(Debug)]
pub(super) struct Group {
    /// Values of the varied keys, as in the table.
    pub(super) settings: Vec<String>,
    /// Rows of the group in the table, those of completed runs.
    pub(super) rows: Vec<usize>,
    pub(super) jamming: Option<Jamming>,
}

/// A value with its lower and upper bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Groups the runs.
pub(super) fn groups(source: &Source) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for row in 0..source.rows {
        let settings: Vec<String> = source
            .parameters
            .iter()
            .map(|name| source.text(name, row))
            .collect();
        let place = *places.entry(settings.clone()).or_insert_with(|| {
            groups.push(Group {
                settings,
                rows: Vec::new(),
                jamming: None,
            });
            groups.len() - 1
        });
        if matches!(
            source.text("status", row).as_str(),
            "finished" | "jammed" | "empty"
        ) {
            groups[place].rows.push(row);
        }
    }
    let (count, jams) = (
        source.numbers("discharge.count"),
        source.numbers("jams.count"),
    );
    let time = |row: usize, jammed: bool| {
        let name = if jammed { "jam.time" } else { "time.virtual" };
        source.numbers(name).map_or(0.0, |column| column[row])
    };
    if let (Some(count), Some(jams)) = (count, jams) {
        for group in &mut groups {
            let outflow = |&row: &usize| {
                let status = source.text("status", row);
                (count[row].is_finite() && jams[row].is_finite()).then(|| Outflow {
                    grains: count[row] as u64,
                    jams: jams[row] as u64,
                    jammed: status == "jammed",
                    censored: status == "finished",
                    time: time(row, status == "jammed"),
                })
            };
            let outflows: Vec<Outflow> = group.rows.iter().filter_map(outflow).collect();
            group.jamming = jamming(&outflows, LEVEL).ok();
        }
    }
    groups
}

impl Group {
    /// Returns the finite values of a figure.
    pub(super) fn values(&self, column: &[f64]) -> Vec<f64> {
        let values = self.rows.iter().map(|&row| column[row]);
        values.filter(|value| value.is_finite()).collect()
    }

    /// Returns the mean of a figure with its standard error, if there are enough runs.
    pub(super) fn mean(&self, column: &[f64]) -> Option<Bar> {
        let values = self.values(column);
        let value = values.iter().sum::<f64>() / values.len() as f64;
        let error = spread(&values).map_or(0.0, |found| found.error);
        (!values.is_empty()).then_some(Bar {
            value,
            low: value - error,
            high: value + error,
        })
    }

    /// Returns the fraction of runs that ended in a jam, with Wilson's interval.
    pub(super) fn jammed(&self) -> Option<Bar> {
        let jamming = self.jamming?;
        Some(Bar {
            value: jamming.probability,
            low: jamming.wilson.low,
            high: jamming.wilson.high,
        })
    }
}

/// A varied key with numeric values.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Index among the varied keys.
    pub(super) place: usize,
    pub(super) name: String,
    /// Value of each group.
    pub(super) values: Vec<f64>,
    /// Distinct values, in order.
    pub(super) distinct: Vec<f64>,
    /// Whether the values form a geometric rather than an arithmetic series.
    pub(super) log: bool,
}

/// Least ratio of the extreme values of a key drawn on a logarithmic axis.
const FACTOR: f64 = 30.0;

/// Returns the varied keys with numeric values.
pub(super) fn keys(source: &Source, groups: &[Group]) -> Vec<Key> {
    let mut keys = Vec::new();
    for (place, name) in source.parameters.iter().enumerate() {
        let is_number = source
            .column(name)
            .is_some_and(|column| matches!(column.cells, Entries::Numbers(_)));
        if !is_number {
            continue;
        }
        let value = |group: &Group| group.settings[place].parse().unwrap_or(f64::NAN);
        let values: Vec<f64> = groups.iter().map(value).collect();
        let mut distinct: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let (Some(&first), Some(&last)) = (distinct.first(), distinct.last()) else {
            continue;
        };
        if first < last {
            keys.push(Key {
                place,
                name: name.clone(),
                values,
                distinct,
                log: first > 0.0 && last >= FACTOR * first,
            });
        }
    }
    keys
}
