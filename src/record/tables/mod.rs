//! The fields of each table: the only definition of a column's name, its unit, its meaning and the source of its
//! value.

mod course;
mod snapshot;
mod study;

pub(in crate::record) use course::{event_fields, series_fields};
pub(in crate::record) use snapshot::{grain_fields, link_fields};
pub(in crate::record) use study::{avalanche_fields, impact_fields, wear_fields, zone_fields};

use super::column::{Column, Field, Kind, Table};
use super::meta::Extras;
use crate::event::{EventKind, Regime};

/// Names of the kinds of events, in order.
pub(in crate::record) static KINDS: [&str; EventKind::ALL.len()] = {
    let mut names = [""; EventKind::ALL.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = EventKind::ALL[k].name();
        k += 1;
    }
    names
};

/// All regimes, in order of their numbers.
pub(in crate::record) const REGIMES: [Regime; 4] =
    [Regime::Flight, Regime::Cluster, Regime::Rest, Regime::Rigid];

/// Names of the regimes, in order.
pub(in crate::record) static REGIME_NAMES: [&str; 4] = [
    Regime::Flight.name(),
    Regime::Cluster.name(),
    Regime::Rest.name(),
    Regime::Rigid.name(),
];

const BODY: &str = "grains from 0, boundary i of the scenario as -1 - i, none where there is none";

/// A grain or link with the number of its snapshot.
pub(in crate::record) type InSnapshot<R> = (u64, R);

fn only_columns<R>(fields: Vec<Field<R>>) -> Vec<Column> {
    fields.into_iter().map(|field| field.column).collect()
}

/// Returns the columns of a table, in order, for a run in 2 or 3 dimensions with these boundaries and meters, with
/// what else it has.
pub fn columns(
    table: Table,
    dimensions: usize,
    boundaries: &[String],
    meters: &[String],
    extras: Extras,
) -> Vec<Column> {
    match table {
        Table::Events => only_columns(event_fields(dimensions)),
        Table::Series => only_columns(series_fields(dimensions, boundaries, meters, extras)),
        Table::Grains => only_columns(grain_fields(dimensions, extras)),
        Table::Links => only_columns(link_fields(dimensions, extras)),
        Table::Avalanches => only_columns(avalanche_fields(dimensions)),
        Table::Stagnant => only_columns(zone_fields(dimensions)),
        Table::Impacts => only_columns(impact_fields()),
        Table::Wear => only_columns(wear_fields(dimensions)),
    }
}

/// Returns all columns as Markdown tables, for the documentation.
pub fn describe() -> String {
    let boundary = ["NAME".to_string()];
    let all = Extras {
        cell: true,
        bonds: true,
    };
    let mut text = String::new();
    for table in Table::ALL {
        let planar = columns(table, 2, &boundary, &boundary, all);
        let spatial = columns(table, 3, &boundary, &boundary, all);
        text += &format!("### {}: {}\n\n", table.file_name(), table.about());
        text += "| column | unit | type | holds |\n|---|---|---|---|\n";
        let only_planar = planar
            .iter()
            .filter(|c| !spatial.iter().any(|s| s.name == c.name));
        for column in spatial.iter().chain(only_planar) {
            let scope = match (
                planar.iter().any(|c| c.name == column.name),
                spatial.iter().any(|c| c.name == column.name),
            ) {
                (true, false) => " (plane only)",
                (false, true) => " (space only)",
                _ => "",
            };
            let kind = match column.kind {
                Kind::Float => "double",
                Kind::Integer => "int64",
                Kind::Flag => "boolean",
                Kind::Name(_) => "string",
            };
            let none = if column.nullable { ", may be null" } else { "" };
            text += &format!(
                "| `{}` | {} | {kind}{none} | {}{scope} |\n",
                column.name, column.unit, column.about
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_dimension_and_the_walls() {
        let walls = ["left".to_string(), "left".to_string()];
        let names = |table, dimensions| -> Vec<String> {
            let columns = columns(
                table,
                dimensions,
                &walls,
                &["below".into()],
                Extras::default(),
            );
            columns.into_iter().map(|c| c.name).collect()
        };
        assert_eq!(
            names(Table::Events, 3).join(" "),
            "seq time kind regime_from regime_to body_a body_b link x y z energy cause"
        );
        assert!(!names(Table::Events, 2).contains(&"z".to_string()));
        assert!(names(Table::Grains, 2).contains(&"angle".to_string()));
        assert!(names(Table::Grains, 3).contains(&"rotation_w".to_string()));
        let series = names(Table::Series, 2);
        assert!(series.ends_with(&[
            "wall_left_2_force_x".to_string(),
            "wall_left_2_force_y".to_string(),
            "wall_left_2_moment".to_string(),
            "wall_left_2_work".to_string(),
            "wall_left_2_shift_x".to_string(),
            "wall_left_2_shift_y".to_string(),
            "meter_below_count".to_string(),
            "meter_below_mass".to_string(),
        ]));
        let mut sorted = series.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), series.len());
    }

    #[test]
    fn every_column_is_described() {
        let all = Extras {
            cell: true,
            bonds: true,
        };
        for table in Table::ALL {
            for column in columns(table, 3, &["w".to_string()], &["m".to_string()], all) {
                assert!(!column.about.is_empty(), "{}", column.name);
                let bare = matches!(column.kind, Kind::Flag | Kind::Name(_));
                assert_eq!(column.unit.is_empty(), bare, "{}", column.name);
            }
        }
        assert!(describe().contains("| `angle` | rad | double |"));
    }
}
