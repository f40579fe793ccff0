//! Finds equal rows of values: each would repeat the same run in the same folder.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::axis::{Column, Scalar, Setting};

/// Returns the rows that differ from all rows before them, and for each other row the row that it repeats.
pub(super) fn different(columns: &[Column]) -> (Vec<usize>, Vec<(usize, usize)>) {
    let rows = columns.first().map_or(0, |column| column.settings.len());
    let mut seen: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let (mut new, mut again) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let row_of = columns.iter().map(|column| identity(&column.settings[row]));
        match seen.entry(row_of.collect()) {
            Entry::Vacant(entry) => {
                entry.insert(row);
                new.push(row);
            }
            Entry::Occupied(entry) => again.push((*entry.get(), row)),
        }
    }
    (new, again)
}

/// Returns the first row that repeats an earlier one, after that one.
pub(super) fn twice(columns: &[Column]) -> Option<(usize, usize)> {
    different(columns).1.first().copied()
}

/// Returns a text that is the same for equal values, however they are written: 1 and 1.0, "a" and 'a'.
fn identity(setting: &Setting) -> String {
    match &setting.scalar {
        Scalar::Flag(flag) => flag.to_string(),
        Scalar::Integer(value) => format!("{value}"),
        Scalar::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
            format!("{}", *value as i64)
        }
        Scalar::Float(value) => format!("{value:?}"),
        // A text and a list with the same characters are different values.
        Scalar::Text(text) if setting.text.starts_with(['"', '\'']) => format!("\"{text}\""),
        Scalar::Text(text) => text.clone(),
    }
}
