//! A table whose columns are known only at run time, written as Parquet or as comma-separated values.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::RecordError;
use super::convert::refused;

/// Values of a column, one per row; none where there is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers.
    Floats(Vec<Option<f64>>),
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// True or false.
    Flags(Vec<Option<bool>>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

/// A column of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// Name of the column.
    pub name: String,
    /// SI unit; "1" for numbers without one, empty where it is not known.
    pub unit: &'static str,
    /// Meaning.
    pub about: String,
    /// Values.
    pub cells: Cells,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Name of the table.
    pub name: String,
    /// Columns of equal length.
    pub columns: Vec<FrameColumn>,
    /// Further metadata of the Parquet file.
    pub metadata: Vec<(String, String)>,
}

impl Frame {
    /// Returns the column with a name.
    pub fn column(&self, name: &str) -> Option<&FrameColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the table as comma-separated values with a header line; numbers have enough digits to be read back
    /// exactly, and a missing value is empty.
    pub fn csv(&self) -> String {
        let heads: Vec<String> = self.columns.iter().map(|c| quoted(&c.name)).collect();
        let mut text = heads.join(",") + "\n";
        for row in 0..self.rows() {
            for (k, column) in self.columns.iter().enumerate() {
                if k > 0 {
                    text.push(',');
                }
                match &column.cells {
                    Cells::Floats(v) => text.extend(v[row].map(|x| format!("{x:?}"))),
                    Cells::Integers(v) => text.extend(v[row].map(|x| x.to_string())),
                    Cells::Flags(v) => text.extend(v[row].map(|x| x.to_string())),
                    Cells::Texts(v) => text.extend(v[row].as_deref().map(quoted)),
                }
            }
            text.push('\n');
        }
        text
    }

    /// Returns the number of rows: that of the shortest column.
    pub fn rows(&self) -> usize {
        let lengths = self.columns.iter().map(|column| column.cells.len());
        lengths.min().unwrap_or(0)
    }

    /// Returns the table as Parquet; `path` is for messages.
    ///
    /// # Errors
    /// An error of the Parquet layer.
    pub fn parquet(&self, path: &Path) -> Result<Vec<u8>, RecordError> {
        self.write().map_err(refused("cannot write", path))
    }

    fn write(&self) -> Result<Vec<u8>, ParquetError> {
        let mut fields = Vec::new();
        let mut pairs = Vec::new();
        for column in &self.columns {
            let (physical, logical) = match column.cells {
                Cells::Floats(_) => (Physical::DOUBLE, None),
                Cells::Integers(_) => (Physical::INT64, None),
                Cells::Flags(_) => (Physical::BOOLEAN, None),
                Cells::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let field = Type::primitive_type_builder(&column.name, physical)
                .with_logical_type(logical)
                .with_repetition(Repetition::OPTIONAL);
            fields.push(Arc::new(field.build()?));
            if !column.unit.is_empty() {
                let key = format!("units.{}", column.name);
                pairs.push(KeyValue::new(key, column.unit.to_string()));
            }
            let key = format!("about.{}", column.name);
            pairs.push(KeyValue::new(key, column.about.clone()));
        }
        let extra = self.metadata.iter().cloned();
        pairs.extend(extra.map(|(key, value)| KeyValue::new(key, value)));
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("arenite version {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_key_value_metadata(Some(pairs));
        for column in &self.columns {
            if !matches!(column.cells, Cells::Texts(_)) {
                let path = ColumnPath::new(vec![column.name.clone()]);
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::PLAIN);
            }
        }
        let schema = Type::group_type_builder(&self.name).with_fields(fields);
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(
            &mut bytes,
            Arc::new(schema.build()?),
            Arc::new(properties.build()),
        )?;
        let mut group = writer.next_row_group()?;
        for column in &self.columns {
            let Some(mut out) = group.next_column()? else {
                return Err(ParquetError::General("a column is missing".into()));
            };
            match &column.cells {
                Cells::Floats(v) => {
                    let (values, levels) = present(v);
                    out.typed::<DoubleType>()
                        .write_batch(&values, Some(&levels), None)?;
                }
                Cells::Integers(v) => {
                    let (values, levels) = present(v);
                    out.typed::<Int64Type>()
                        .write_batch(&values, Some(&levels), None)?;
                }
                Cells::Flags(v) => {
                    let (values, levels) = present(v);
                    out.typed::<BoolType>()
                        .write_batch(&values, Some(&levels), None)?;
                }
                Cells::Texts(v) => {
                    let (values, levels) = present(v);
                    let values: Vec<ByteArray> =
                        values.iter().map(|x| ByteArray::from(x.as_str())).collect();
                    out.typed::<ByteArrayType>()
                        .write_batch(&values, Some(&levels), None)?;
                }
            }
            out.close()?;
        }
        group.close()?;
        writer.close()?;
        Ok(bytes)
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Floats(v) => v.len(),
            Cells::Integers(v) => v.len(),
            Cells::Flags(v) => v.len(),
            Cells::Texts(v) => v.len(),
        }
    }
}

/// Returns the present values, and for each row whether it has one.
fn present<T: Clone>(cells: &[Option<T>]) -> (Vec<T>, Vec<i16>) {
    let levels = cells.iter().map(|cell| i16::from(cell.is_some()));
    (cells.iter().flatten().cloned().collect(), levels.collect())
}

/// Quotes a field as in RFC 4180.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let column = |name: &str, cells| FrameColumn {
            name: name.into(),
            unit: "",
            about: String::new(),
            cells,
        };
        let frame = Frame {
            name: "t".into(),
            columns: vec![
                column("a[0],b", Cells::Floats(vec![Some(0.1), None, Some(1e-300)])),
                column(
                    "t",
                    Cells::Texts(vec![Some("x \"y\"".into()), Some("plain".into()), None]),
                ),
                column("n", Cells::Integers(vec![Some(-1), Some(2), None])),
            ],
            metadata: Vec::new(),
        };
        assert_eq!(
            frame.csv(),
            "\"a[0],b\",t,n\n0.1,\"x \"\"y\"\"\",-1\n,plain,2\n1e-300,,\n"
        );
    }
}
