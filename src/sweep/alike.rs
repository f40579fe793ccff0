//! Rows of values that are the same: each would be the same run again, in the same folder.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::axis::{Column, Scalar, Setting};

/// The rows of columns that differ from all rows before them, and which row each of the others repeats.
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

/// The first row that is the same as one before, after that one.
pub(super) fn twice(columns: &[Column]) -> Option<(usize, usize)> {
    different(columns).1.first().copied()
}

/// What is equal in equal values, however they are written: 1 and 1.0, "a" and 'a'.
fn identity(setting: &Setting) -> String {
    match &setting.scalar {
        Scalar::Flag(flag) => flag.to_string(),
        Scalar::Integer(value) => format!("{value}"),
        Scalar::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
            format!("{}", *value as i64)
        }
        Scalar::Float(value) => format!("{value:?}"),
        // A text and a list that reads alike are two values.
        Scalar::Text(text) if setting.text.starts_with(['"', '\'']) => format!("\"{text}\""),
        Scalar::Text(text) => text.clone(),
    }
}
