//! Columns of the tables: their meaning, and how a value is packed.

use std::fmt;

/// The tables of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// A row per logged event.
    Events,
    /// A row per log tick.
    Series,
    /// A row per grain per snapshot.
    Grains,
    /// A row per link per snapshot.
    Links,
    /// A row per micro-avalanche.
    Avalanches,
    /// A row per cell of the field of stagnant zones.
    Stagnant,
    /// A row per class of the spectrum of impacts.
    Impacts,
    /// A row per cell of the map of a wall.
    Wear,
}

impl Table {
    /// All tables, in the order in which checkpoints note the length of their spools.
    pub const ALL: [Table; 8] = [
        Table::Events,
        Table::Series,
        Table::Grains,
        Table::Links,
        Table::Avalanches,
        Table::Stagnant,
        Table::Impacts,
        Table::Wear,
    ];

    /// Returns the table's name.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Events => "events",
            Table::Series => "series",
            Table::Grains => "grains",
            Table::Links => "links",
            Table::Avalanches => "avalanches",
            Table::Stagnant => "stagnant",
            Table::Impacts => "impacts",
            Table::Wear => "wear",
        }
    }

    /// Returns what a row stands for.
    pub const fn about(self) -> &'static str {
        match self {
            Table::Events => "a row per logged event",
            Table::Series => "a row per log tick",
            Table::Grains => "a row per grain per snapshot",
            Table::Links => "a row per link per snapshot",
            Table::Avalanches => "a row per micro-avalanche",
            Table::Stagnant => {
                "a row per cell that ever held a grain's centre, with `log.stagnant`"
            }
            Table::Impacts => {
                "a row per class of impact energy and partner that holds a collision, with `log.impacts`"
            }
            Table::Wear => {
                "a row per cell of a wall that anything slid on or struck, with `log.wear`"
            }
        }
    }

    /// Returns the name of its file in the run's folder.
    pub fn file_name(self) -> String {
        format!("{}.parquet", self.name())
    }
}

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Real numbers: Parquet DOUBLE.
    Float,
    /// Whole numbers: Parquet INT64.
    Integer,
    /// True or false: Parquet BOOLEAN.
    Flag,
    /// One of these names: Parquet strings, dictionary-encoded.
    Name(&'static [&'static str]),
}

/// A column: its name, unit and meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in all files.
    pub name: String,
    /// SI unit; "1" for numbers without one, empty for names and flags.
    pub unit: &'static str,
    /// Meaning.
    pub about: String,
    /// Type of the values.
    pub kind: Kind,
    /// Whether a row may lack a value.
    pub nullable: bool,
}

impl Column {
    /// Returns the number of bytes of a packed value.
    pub(super) fn width(&self) -> usize {
        match self.kind {
            Kind::Float | Kind::Integer => 8,
            Kind::Flag | Kind::Name(_) => 1,
        }
    }
}

/// A value to be written to a spool. In nullable columns NaN, the least integer and [`Value::NO_NAME`] mean that
/// there is no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Float(f64),
    Integer(i64),
    Flag(bool),
    Name(u8),
}

impl Value {
    /// Means that there is no name.
    pub(super) const NO_NAME: u8 = u8::MAX;

    /// Returns the real number; NaN for other types.
    pub(super) fn float(self) -> f64 {
        match self {
            Value::Float(v) => v,
            _ => f64::NAN,
        }
    }

    /// Returns the whole number; the least integer for other types.
    pub(super) fn integer(self) -> i64 {
        match self {
            Value::Integer(v) => v,
            _ => i64::MIN,
        }
    }

    /// Appends the value to a packed row, little-endian.
    #[inline]
    pub(super) fn pack(self, row: &mut Vec<u8>) {
        match self {
            Value::Float(v) => row.extend_from_slice(&v.to_le_bytes()),
            Value::Integer(v) => row.extend_from_slice(&v.to_le_bytes()),
            Value::Flag(v) => row.push(u8::from(v)),
            Value::Name(v) => row.push(v),
        }
    }
}

/// A column, and the function that takes its value from a row.
pub(super) struct Field<R> {
    pub(super) column: Column,
    pub(super) get: Box<dyn Fn(&R) -> Value + Send + Sync>,
}

impl<R> fmt::Debug for Field<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.column.fmt(f)
    }
}

/// Fields of a table under construction.
pub(super) struct Fields<R>(pub(super) Vec<Field<R>>);

impl<R> Fields<R> {
    fn push(
        &mut self,
        kind: Kind,
        nullable: bool,
        (name, unit, about): (impl Into<String>, &'static str, impl Into<String>),
        get: Box<dyn Fn(&R) -> Value + Send + Sync>,
    ) {
        self.0.push(Field {
            column: Column {
                name: name.into(),
                unit,
                about: about.into(),
                kind,
                nullable,
            },
            get,
        });
    }

    /// Adds a column with a real number in every row.
    pub(super) fn float(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> f64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Float(get(row)));
        self.push(Kind::Float, false, what, get);
    }

    /// Adds a column of real numbers; NaN means no value.
    pub(super) fn float_or_none(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> f64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Float(get(row)));
        self.push(Kind::Float, true, what, get);
    }

    /// Adds a column with a whole number in every row.
    pub(super) fn integer(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> i64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Integer(get(row)));
        self.push(Kind::Integer, false, what, get);
    }

    /// Adds a column of whole numbers; the least integer means no value.
    pub(super) fn integer_or_none(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> i64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Integer(get(row)));
        self.push(Kind::Integer, true, what, get);
    }

    /// Adds a column of flags.
    pub(super) fn flag(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> bool + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Flag(get(row)));
        self.push(Kind::Flag, false, what, get);
    }

    /// Adds a column whose values are indices into `names`.
    pub(super) fn name(
        &mut self,
        names: &'static [&'static str],
        nullable: bool,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> Option<u8> + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Name(get(row).unwrap_or(Value::NO_NAME)));
        self.push(Kind::Name(names), nullable, what, get);
    }

    /// Adds the columns of a vector; `z` is omitted in the plane. `names` holds a `*` for the axis.
    pub(super) fn vector(
        &mut self,
        dimensions: usize,
        (name, unit, about): (&str, &'static str, &str),
        get: impl Fn(&R) -> [f64; 3] + Copy + Send + Sync + 'static,
    ) {
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate().take(dimensions) {
            let what = (
                name.replace('*', axis),
                unit,
                format!("{about}, along {axis}"),
            );
            self.float(what, move |row| get(row)[k]);
        }
    }

    /// Adds the columns of an angular velocity or moment: in the plane only the component about z, which comes first
    /// in the rows.
    pub(super) fn turn(
        &mut self,
        dimensions: usize,
        (name, unit, about): (&str, &'static str, &str),
        planar: usize,
        get: impl Fn(&R) -> [f64; 3] + Copy + Send + Sync + 'static,
    ) {
        if dimensions == 2 {
            let what = (name, unit, format!("{about}, anticlockwise"));
            self.float(what, move |row| get(row)[planar]);
        } else {
            for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let what = (
                    format!("{name}_{axis}"),
                    unit,
                    format!("{about}, about {axis}"),
                );
                self.float(what, move |row| get(row)[k]);
            }
        }
    }
}
