//! Converts spools to Parquet tables.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::RecordError;
use super::column::{Column, Kind, Table, Value};
use super::meta::RunMeta;

/// Rows of a row group: few enough to bound the memory for writing and reading, enough to compress well.
const GROUP: usize = 1 << 16;

/// Key of the run's description in the files' metadata.
pub(super) const META_KEY: &str = "arenite.run";

/// Converts an error of the Parquet layer to a [`RecordError`] with the path.
pub(super) fn refused(
    action: &'static str,
    path: &Path,
) -> impl Fn(ParquetError) -> RecordError + use<> {
    let path = path.to_path_buf();
    move |error| match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(source) => RecordError::io(action, &path)(*source),
            Err(other) => RecordError::damaged(&path, format!("{action}: {other}")),
        },
        other => RecordError::damaged(&path, format!("{action}: {other}")),
    }
}

fn schema(table: Table, columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::new();
    for column in columns {
        let (physical, logical) = match column.kind {
            Kind::Float => (Physical::DOUBLE, None),
            Kind::Integer => (Physical::INT64, None),
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Name(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if column.nullable {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()?;
        fields.push(Arc::new(field));
    }
    let root = Type::group_type_builder(table.name()).with_fields(fields);
    Ok(Arc::new(root.build()?))
}

/// Returns the settings for writing the columns. Real numbers rarely repeat, except where a column is the same for
/// many rows; there a dictionary would only cost memory, since zstd does not need it.
fn properties(
    columns: &[Column],
    metadata: Vec<KeyValue>,
) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("arenite version {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP))
        .set_key_value_metadata(Some(metadata));
    for column in columns {
        let path = ColumnPath::new(vec![column.name.clone()]);
        if column.kind == Kind::Float {
            properties = properties.set_column_dictionary_enabled(path, false);
        } else if column.kind == Kind::Integer {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::PLAIN);
        }
    }
    Ok(properties.build())
}

/// Returns units, meanings and the run's description as file metadata.
fn metadata(table: Table, columns: &[Column], meta: &RunMeta) -> Vec<KeyValue> {
    let mut pairs = Vec::new();
    let mut pair = |key: String, value: String| pairs.push(KeyValue::new(key, value));
    for column in columns {
        if !column.unit.is_empty() {
            pair(format!("units.{}", column.name), column.unit.to_string());
        }
        pair(format!("about.{}", column.name), column.about.clone());
    }
    let mut meta = meta.clone();
    if table != Table::Grains {
        // The walls are needed once only: pictures and exports read them from the table of grains.
        meta.walls.clear();
        meta.shapes.clear();
    }
    // A structure of strings and finite numbers can be written as JSON.
    pair(
        META_KEY.into(),
        serde_json::to_string(&meta).unwrap_or_default(),
    );
    pairs
}

/// Writes a spool as a Parquet table; returns the number of rows. A torn last row is omitted.
pub(super) fn write_table(
    table: Table,
    columns: &[Column],
    meta: &RunMeta,
    spool: &Path,
    out: &mut (impl Write + Send),
    path: &Path,
) -> Result<u64, RecordError> {
    let refused = refused("cannot write", path);
    let width: usize = columns.iter().map(Column::width).sum();
    let input = File::open(spool).map_err(RecordError::io("cannot read", spool))?;
    let length = input
        .metadata()
        .map_err(RecordError::io("cannot read", spool))?
        .len();
    let mut input = BufReader::with_capacity(1 << 18, input);
    let properties = properties(columns, metadata(table, columns, meta)).map_err(&refused)?;
    let schema = schema(table, columns).map_err(&refused)?;
    let mut writer =
        SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(&refused)?;
    let rows = length / width as u64;
    let mut left = rows;
    let mut block = Vec::new();
    while left > 0 {
        let count = left.min(GROUP as u64) as usize;
        block.resize(count * width, 0);
        input
            .read_exact(&mut block)
            .map_err(RecordError::io("cannot read", spool))?;
        let mut group = writer.next_row_group().map_err(&refused)?;
        let mut offset = 0;
        for column in columns {
            let Some(mut writer) = group.next_column().map_err(&refused)? else {
                return Err(RecordError::damaged(
                    path,
                    "has fewer columns than its schema",
                ));
            };
            write_column(column, block.chunks_exact(width), offset, &mut writer)
                .map_err(&refused)?;
            writer.close().map_err(&refused)?;
            offset += column.width();
        }
        group.close().map_err(&refused)?;
        left -= count as u64;
    }
    writer.close().map_err(&refused)?;
    Ok(rows)
}

/// Writes one column of a row group from its packed rows.
fn write_column<'a>(
    column: &Column,
    rows: impl ExactSizeIterator<Item = &'a [u8]>,
    offset: usize,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    let eight = |row: &[u8]| -> [u8; 8] { std::array::from_fn(|k| row[offset + k]) };
    // Where a value may be missing there is one definition level per row: 1 for present, 0 for missing.
    let mut levels: Vec<i16> = Vec::new();
    let mut present = |there: bool| {
        if column.nullable {
            levels.push(i16::from(there));
        }
        there || !column.nullable
    };
    match column.kind {
        Kind::Float => {
            let values: Vec<f64> = rows
                .map(|row| f64::from_le_bytes(eight(row)))
                .filter(|v| present(!v.is_nan()))
                .collect();
            let levels = column.nullable.then_some(levels.as_slice());
            writer
                .typed::<DoubleType>()
                .write_batch(&values, levels, None)?;
        }
        Kind::Integer => {
            let values: Vec<i64> = rows
                .map(|row| i64::from_le_bytes(eight(row)))
                .filter(|&v| present(v != i64::MIN))
                .collect();
            let levels = column.nullable.then_some(levels.as_slice());
            writer
                .typed::<Int64Type>()
                .write_batch(&values, levels, None)?;
        }
        Kind::Flag => {
            let values: Vec<bool> = rows.map(|row| row[offset] != 0).collect();
            writer
                .typed::<BoolType>()
                .write_batch(&values, None, None)?;
        }
        Kind::Name(names) => {
            let shared: Vec<ByteArray> = names.iter().map(|&n| ByteArray::from(n)).collect();
            let mut values = Vec::with_capacity(rows.len());
            for row in rows {
                let there = row[offset] != Value::NO_NAME;
                if present(there) {
                    let name = shared.get(row[offset] as usize).ok_or_else(|| {
                        ParquetError::General(format!("{} has an unknown name", column.name))
                    })?;
                    values.push(name.clone());
                }
            }
            let levels = column.nullable.then_some(levels.as_slice());
            writer
                .typed::<ByteArrayType>()
                .write_batch(&values, levels, None)?;
        }
    }
    Ok(())
}
