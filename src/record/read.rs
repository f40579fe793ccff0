//! Reads the tables of a run back as columns, complete or one row group at a time.
//!
//! Every reader takes the run's folder. It fails where a file is missing, does not fit the checksum of the summary, or
//! cannot be decoded, with a [`RecordError`] that names the file.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::basic::Type as Physical;
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::aliases::{column_before, column_now};
use super::column::{Kind, Table, Value};
use super::convert::{META_KEY, refused};
use super::folder::{SCENARIO, SUMMARY};
use super::meta::RunMeta;
use super::rows::{AvalancheRow, BodyRef, SeriesRow};
use super::summary::Summary;
use super::sums;
use super::tables::series_fields;
use super::{Column, RecordError};
use crate::stress::Place;

pub use super::clock::{Tick, clock};
pub use super::snapshots::{Snapshot, Snapshots};

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real numbers; NaN where there is no value.
    Floats(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// True or false.
    Flags(Vec<bool>),
    /// Names.
    Names(Vec<Option<String>>),
}

impl Values {
    /// Returns the values as they would be read back from the column.
    fn of(column: &Column, values: impl Iterator<Item = Value>) -> Values {
        match column.kind {
            Kind::Float => Values::Floats(values.map(|v| v.float()).collect()),
            Kind::Integer => {
                let absent = |v: &i64| column.nullable && *v == i64::MIN;
                let whole = values.map(|v| Some(v.integer()).filter(|v| !absent(v)));
                Values::Integers(whole.collect())
            }
            Kind::Flag => Values::Flags(values.map(|v| v == Value::Flag(true)).collect()),
            Kind::Name(names) => {
                let name = |v| match v {
                    Value::Name(k) => names.get(usize::from(k)).map(|n| (*n).to_string()),
                    _ => None,
                };
                Values::Names(values.map(name).collect())
            }
        }
    }
}

/// Columns of a table, all of equal length, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Number of rows.
    pub rows: usize,
    /// Name and values, in the order of the file.
    pub columns: Vec<(String, Values)>,
    path: PathBuf,
}

impl Columns {
    /// Returns the series of a run in progress, from its rows.
    pub(crate) fn of_series(rows: &[SeriesRow], meta: &RunMeta) -> Columns {
        let fields = series_fields(
            meta.dimensions,
            &meta.boundaries,
            &meta.meters,
            meta.extras(),
        );
        let columns = fields.iter().map(|field| {
            let values = rows.iter().map(|row| (field.get)(row));
            (field.column.name.clone(), Values::of(&field.column, values))
        });
        Columns {
            rows: rows.len(),
            columns: columns.collect(),
            path: PathBuf::from(Table::Series.file_name()),
        }
    }

    /// Returns the values of a column, or none if there is no such column.
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.columns
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, values)| values)
    }

    pub(super) fn lacking(&self, name: &str) -> RecordError {
        RecordError::damaged(
            &self.path,
            format!("has no column {name} of the right type"),
        )
    }

    /// Returns a column of real numbers.
    ///
    /// # Errors
    /// No column of that name and kind.
    pub fn floats(&self, name: &str) -> Result<&[f64], RecordError> {
        match self.get(name) {
            Some(Values::Floats(values)) => Ok(values),
            _ => Err(self.lacking(name)),
        }
    }

    /// Returns a column of whole numbers.
    ///
    /// # Errors
    /// No column of that name and kind.
    pub fn integers(&self, name: &str) -> Result<&[Option<i64>], RecordError> {
        match self.get(name) {
            Some(Values::Integers(values)) => Ok(values),
            _ => Err(self.lacking(name)),
        }
    }

    /// Returns a column of flags.
    ///
    /// # Errors
    /// No column of that name and kind.
    pub fn flags(&self, name: &str) -> Result<&[bool], RecordError> {
        match self.get(name) {
            Some(Values::Flags(values)) => Ok(values),
            _ => Err(self.lacking(name)),
        }
    }

    /// Returns a column of names.
    ///
    /// # Errors
    /// No column of that name and kind.
    pub fn names(&self, name: &str) -> Result<&[Option<String>], RecordError> {
        match self.get(name) {
            Some(Values::Names(values)) => Ok(values),
            _ => Err(self.lacking(name)),
        }
    }
}

/// Limit on the rows of a row group: this program writes fewer, but a few bytes in a damaged file can claim any
/// number of equal rows.
const MOST_ROWS: usize = 1 << 22;

/// Message for a column at which the decoding crate panics.
const UNDECODED: &str = "a column is damaged and cannot be decoded";

/// An open table, read one row group at a time so that memory use stays constant.
pub struct TableReader {
    path: PathBuf,
    file: SerializedFileReader<File>,
    next: usize,
    /// Whether the file belongs to a run's folder, whose summary has its checksum.
    of_run: bool,
}

impl std::fmt::Debug for TableReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableReader")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl TableReader {
    /// Opens a table of a run's folder.
    pub fn open(dir: &Path, table: Table) -> Result<TableReader, RecordError> {
        TableReader::of(dir.join(table.file_name()), true)
    }

    fn of(path: PathBuf, of_run: bool) -> Result<TableReader, RecordError> {
        let file = File::open(&path).map_err(RecordError::io("cannot read", &path))?;
        let file = SerializedFileReader::new(file).map_err(refused("cannot read", &path))?;
        Ok(TableReader {
            path,
            file,
            next: 0,
            of_run,
        })
    }

    /// Returns the number of rows of the whole table.
    pub fn rows(&self) -> usize {
        self.file.metadata().file_metadata().num_rows().max(0) as usize
    }

    /// Returns a value of the file's metadata, such as "units.x".
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata()?;
        let find = |key: &str| pairs.iter().find(|pair| pair.key == key);
        let before = || {
            find(&format!(
                "units.{}",
                column_before(key.strip_prefix("units.")?)?
            ))
        };
        find(key).or_else(before)?.value.as_deref()
    }

    /// Returns the description of the run; only the table of grains contains the walls.
    pub fn meta(&self) -> Result<RunMeta, RecordError> {
        let text = self.metadata(META_KEY).unwrap_or_default();
        let wrong = |why: String| {
            let what = format!("the metadata {META_KEY} cannot be read: {why}");
            RecordError::damaged(&self.path, what)
        };
        let meta: RunMeta = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        meta.check().map_err(wrong)?;
        Ok(meta)
    }

    /// Returns the next row group, or none at the end. The first call checks that the file is the one that the run
    /// wrote.
    ///
    /// # Errors
    /// A file that is not the one that the run wrote, or cannot be read.
    pub fn next_group(&mut self) -> Result<Option<Columns>, RecordError> {
        let refused = refused("cannot read", &self.path);
        if self.next == 0 && self.of_run {
            sums::check(&self.path)?;
        }
        if self.next >= self.file.num_row_groups() {
            return Ok(None);
        }
        let group = self.file.get_row_group(self.next).map_err(&refused)?;
        self.next += 1;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
        if rows > MOST_ROWS || group.num_columns() == 0 {
            let what = format!(
                "has {rows} rows of {} columns in one group, which Arenite never writes",
                group.num_columns()
            );
            return Err(RecordError::damaged(&self.path, what));
        }
        let mut columns = Vec::new();
        for index in 0..group.num_columns() {
            let about = group.metadata().column(index).column_descr();
            let name = column_now(about.name()).to_string();
            let nullable = about.max_def_level() > 0;
            let read = || read_column(group.get_column_reader(index)?, rows, nullable);
            // The decoding crate panics at some damaged files.
            let read = catch_unwind(AssertUnwindSafe(read));
            let read = read.unwrap_or_else(|_| Err(ParquetError::General(UNDECODED.into())));
            let values = read.map_err(&refused)?;
            let values = values.ok_or_else(|| {
                let what = format!("column {name} has an unexpected type");
                RecordError::damaged(&self.path, what)
            })?;
            columns.push((name, values));
        }
        Ok(Some(Columns {
            rows,
            columns,
            path: self.path.clone(),
        }))
    }
}

fn read_column(
    reader: ColumnReader,
    rows: usize,
    nullable: bool,
) -> Result<Option<Values>, ParquetError> {
    let mut levels: Vec<i16> = Vec::new();
    // Reads all records: one call may stop at the end of a page.
    macro_rules! all {
        ($reader:ident) => {{
            let mut values = Vec::new();
            let mut left = rows;
            while left > 0 {
                let levels = nullable.then_some(&mut levels);
                let (read, _, _) = $reader.read_records(left, levels, None, &mut values)?;
                if read == 0 {
                    return Err(ParquetError::EOF(format!("{left} rows are missing")));
                }
                left -= read;
            }
            spread(values, nullable.then_some(levels))
        }};
    }
    Ok(Some(match reader {
        ColumnReader::DoubleColumnReader(mut r) => {
            let values = all!(r);
            Values::Floats(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
        }
        ColumnReader::Int64ColumnReader(mut r) => Values::Integers(all!(r)),
        ColumnReader::BoolColumnReader(mut r) => {
            let values = all!(r);
            Values::Flags(values.into_iter().map(|v| v.unwrap_or(false)).collect())
        }
        ColumnReader::ByteArrayColumnReader(mut r) => {
            let values: Vec<Option<ByteArray>> = all!(r);
            let text = |v: ByteArray| String::from_utf8_lossy(v.data()).into_owned();
            Values::Names(values.into_iter().map(|v| v.map(text)).collect())
        }
        _ => return Ok(None),
    }))
}

/// Restores the missing values between the present ones.
fn spread<T>(values: Vec<T>, levels: Option<Vec<i16>>) -> Vec<Option<T>> {
    let mut values = values.into_iter();
    match levels {
        None => values.map(Some).collect(),
        Some(levels) => {
            let mut next = |level: i16| if level > 0 { values.next() } else { None };
            levels.into_iter().map(&mut next).collect()
        }
    }
}

/// Reads a whole table of a run's folder.
pub fn table(dir: &Path, table: Table) -> Result<Columns, RecordError> {
    whole(&mut TableReader::open(dir, table)?)
}

/// Like [`table`]; none where the folder has no such file: the run is in progress, or of an older version.
pub fn table_if_there(dir: &Path, of: Table) -> Result<Option<Columns>, RecordError> {
    match dir.join(of.file_name()).exists() {
        true => table(dir, of).map(Some),
        false => Ok(None),
    }
}

/// Reads the table of a sweep's folder; the reader gives its metadata, as [`TableReader::metadata`].
pub fn sweep(dir: &Path) -> Result<(Columns, TableReader), RecordError> {
    let mut reader = TableReader::of(dir.join("sweep.parquet"), false)?;
    Ok((whole(&mut reader)?, reader))
}

fn whole(reader: &mut TableReader) -> Result<Columns, RecordError> {
    let mut all = Columns {
        path: reader.path.clone(),
        ..Columns::default()
    };
    // A table without rows still has columns.
    for about in reader
        .file
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
    {
        let empty = match about.physical_type() {
            Physical::DOUBLE => Values::Floats(Vec::new()),
            Physical::INT64 => Values::Integers(Vec::new()),
            Physical::BOOLEAN => Values::Flags(Vec::new()),
            _ => Values::Names(Vec::new()),
        };
        let name = column_now(about.name()).to_string();
        all.columns.push((name, empty));
    }
    while let Some(group) = reader.next_group()? {
        all.rows += group.rows;
        for ((_, into), (_, from)) in all.columns.iter_mut().zip(group.columns) {
            match (into, from) {
                (Values::Floats(a), Values::Floats(b)) => a.extend(b),
                (Values::Integers(a), Values::Integers(b)) => a.extend(b),
                (Values::Flags(a), Values::Flags(b)) => a.extend(b),
                (Values::Names(a), Values::Names(b)) => a.extend(b),
                _ => return Err(RecordError::damaged(&all.path, "changes a column's type")),
            }
        }
    }
    Ok(all)
}

/// Reads all grains of all snapshots, as columns.
pub fn grains(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Grains)
}

/// Reads all links of all snapshots, as columns.
pub fn links(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Links)
}

/// Reads the series, as columns.
pub fn series(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Series)
}

/// Reads the logged events, as columns.
pub fn events(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Events)
}

/// Reads all micro-avalanches, as columns.
pub fn avalanches(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Avalanches)
}

/// Reads the field of stagnant zones, as columns; empty unless the scenario requested it.
pub fn stagnant(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Stagnant)
}

/// Reads the spectrum of impacts, as columns; empty unless the scenario requested it.
pub fn impacts(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Impacts)
}

/// Reads the maps of walls, as columns; empty unless the scenario requested them.
pub fn wear(dir: &Path) -> Result<Columns, RecordError> {
    table(dir, Table::Wear)
}

/// Reads all micro-avalanches, as the rows that the driver wrote.
pub fn avalanche_rows(dir: &Path) -> Result<Vec<AvalancheRow>, RecordError> {
    let c = avalanches(dir)?;
    let dimensions = meta(dir)?.dimensions;
    let counts = [
        "avalanche",
        "size",
        "slides",
        "breaks",
        "insertions",
        "rounds",
        "links",
        "grains",
    ];
    let mut whole = Vec::new();
    for name in counts {
        whole.push(c.integers(name)?);
    }
    let mut real = Vec::new();
    for name in ["start", "energy", "energy_thesis", "extent"] {
        real.push(c.floats(name)?);
    }
    let mut by_place = Vec::new();
    for place in Place::ALL {
        by_place.push(c.floats(&format!("energy_{}", place.name()))?);
    }
    let mut axes = Vec::new();
    for axis in ["x", "y", "z"].into_iter().take(dimensions) {
        axes.push(c.floats(axis)?);
    }
    let places = c.names("place")?;
    let triggers = c.integers("trigger")?;
    let count = |k: usize, i: usize| whole[k][i].unwrap_or(0).max(0) as u64;
    let row = |i: usize| AvalancheRow {
        avalanche: count(0, i),
        start: real[0][i],
        size: count(1, i),
        slides: count(2, i),
        breaks: count(3, i),
        insertions: count(4, i),
        rounds: count(5, i),
        links: count(6, i),
        grains: count(7, i),
        energy: real[1][i],
        energy_thesis: real[2][i],
        extent: real[3][i],
        position: std::array::from_fn(|k| axes.get(k).map_or(0.0, |axis| axis[i])),
        place: Place::ALL
            .into_iter()
            .find(|place| places[i].as_deref() == Some(place.name())),
        by_place: std::array::from_fn(|k| by_place[k][i]),
        trigger: BodyRef::from_code(triggers[i].unwrap_or(i64::MIN)),
    };
    Ok((0..c.rows).map(row).collect())
}

/// Reads the summary of a run.
pub fn summary(dir: &Path) -> Result<Summary, RecordError> {
    let path = dir.join(SUMMARY);
    let text = fs::read(&path).map_err(RecordError::io("cannot read", &path))?;
    serde_json::from_slice(&text).map_err(|e| RecordError::damaged(&path, e.to_string()))
}

/// Reads the resolved scenario of a run.
///
/// # Errors
/// A file that cannot be read, or was changed after the run had ended.
pub fn scenario(dir: &Path) -> Result<String, RecordError> {
    let path = dir.join(SCENARIO);
    let text = fs::read_to_string(&path).map_err(RecordError::io("cannot read", &path))?;
    sums::check(&path)?;
    Ok(text)
}

/// Reads the description of the run, including walls.
pub fn meta(dir: &Path) -> Result<RunMeta, RecordError> {
    TableReader::open(dir, Table::Grains)?.meta()
}

/// Returns the columns of a table of this run.
pub fn columns(dir: &Path, table: Table) -> Result<Vec<Column>, RecordError> {
    let meta = meta(dir)?;
    Ok(super::columns(
        table,
        meta.dimensions,
        &meta.boundaries,
        &meta.meters,
        meta.extras(),
    ))
}
