//! Columns of the tables: what they hold and how a value is packed.

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

    /// Its name.
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

    /// What a row is.
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

    /// Its file in the run's folder.
    pub fn file_name(self) -> String {
        format!("{}.parquet", self.name())
    }
}

/// What the values of a column are.
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
    /// Its name in all files.
    pub name: String,
    /// SI unit; "1" for numbers without one, empty for names and flags.
    pub unit: &'static str,
    /// What it holds.
    pub about: String,
    /// What its values are.
    pub kind: Kind,
    /// Whether a row may have none.
    pub nullable: bool,
}

impl Column {
    /// Bytes of a packed value.
    pub(super) fn width(&self) -> usize {
        match self.kind {
            Kind::Float | Kind::Integer => 8,
            Kind::Flag | Kind::Name(_) => 1,
        }
    }
}

/// A value on its way to a spool. In columns that may have none, NaN, the least integer and
/// [`Value::NO_NAME`] stand for none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Float(f64),
    Integer(i64),
    Flag(bool),
    Name(u8),
}

impl Value {
    /// Stands for no name.
    pub(super) const NO_NAME: u8 = u8::MAX;

    /// The real number that it is, or NaN.
    pub(super) fn float(self) -> f64 {
        match self {
            Value::Float(v) => v,
            _ => f64::NAN,
        }
    }

    /// The whole number that it is, or the least one.
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

/// A column together with how its value is taken from a row.
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

    /// A real number in every row.
    pub(super) fn float(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> f64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Float(get(row)));
        self.push(Kind::Float, false, what, get);
    }

    /// A real number, none where it is NaN.
    pub(super) fn float_or_none(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> f64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Float(get(row)));
        self.push(Kind::Float, true, what, get);
    }

    /// A whole number in every row.
    pub(super) fn integer(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> i64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Integer(get(row)));
        self.push(Kind::Integer, false, what, get);
    }

    /// A whole number, none where it is the least integer.
    pub(super) fn integer_or_none(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> i64 + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Integer(get(row)));
        self.push(Kind::Integer, true, what, get);
    }

    /// True or false.
    pub(super) fn flag(
        &mut self,
        what: (impl Into<String>, &'static str, impl Into<String>),
        get: impl Fn(&R) -> bool + Send + Sync + 'static,
    ) {
        let get = Box::new(move |row: &R| Value::Flag(get(row)));
        self.push(Kind::Flag, false, what, get);
    }

    /// One of `names`, by index.
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

    /// A vector: `z` is left out in the plane. `names` holds a `*` for the axis.
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

    /// A spin or moment: in the plane the one component about z, which the rows hold first.
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
