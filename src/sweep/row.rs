//! The row of a run of a sweep: a small file that is complete or absent.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::record::{self, Column, FigureValue, Kind, RecordError, Status, Summary, read};
use crate::study::runs::middle_rate;

/// Result of a run that has ended, in any way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Seed; none if the scenario was invalid and the sweep names no seeds.
    pub seed: Option<u64>,
    /// Status at the end.
    pub status: Status,
    /// Error of a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Figures; none for a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Mean discharge rate in the middle of the run, 1/s, from its series; none where too few grains flowed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middle_rate: Option<f64>,
}

/// Returns the columns of a run's figures: those of its summary, and those from its series.
pub fn figure_columns() -> Vec<Column> {
    let mut columns = record::figure_columns();
    let after = columns.iter().position(|c| c.name == "discharge.mean_rate");
    let column = Column {
        name: "discharge.middle_rate".into(),
        unit: "1/s",
        about: "mean rate between the times at which a tenth and six tenths of all were out: without the start and the stragglers".into(),
        kind: Kind::Float,
        nullable: true,
    };
    columns.insert(after.map_or(columns.len(), |k| k + 1), column);
    columns
}

/// A row as stored in its file.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    row: Row,
    /// Checksum of the row without this field; rows of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

impl Row {
    /// Returns the row of a failed run.
    pub(super) fn failed(seed: Option<u64>, error: &str) -> Self {
        Row {
            seed,
            status: Status::Failed,
            // On one line, for the table.
            error: Some(error.split_whitespace().collect::<Vec<_>>().join(" ")),
            ..Row::default()
        }
    }

    /// Returns the row of a run with figures and a series in a folder.
    ///
    /// # Errors
    /// The series cannot be read.
    pub(super) fn of(summary: Summary, folder: &Path) -> Result<Self, RecordError> {
        let series = read::series(folder)?;
        let times = series.floats("time")?.iter().copied();
        let out = series.integers("discharged")?.iter();
        let out = out.map(|count| count.unwrap_or(0) as f64);
        let curve: Vec<[f64; 2]> = times.zip(out).map(Into::into).collect();
        Ok(Row {
            seed: Some(summary.seed),
            status: summary.status,
            error: None,
            summary: Some(summary),
            middle_rate: middle_rate(&curve),
        })
    }

    /// Returns the figures in the order of [`figure_columns`]; none for a failed run.
    pub(super) fn figures(&self) -> Option<Vec<Option<FigureValue>>> {
        let summary = self.summary.as_ref()?;
        let mut values = record::figures(summary);
        let columns = record::figure_columns();
        let after = columns.iter().position(|c| c.name == "discharge.mean_rate");
        let middle = self.middle_rate.map(FigureValue::Float);
        values.insert(after.map_or(values.len(), |k| k + 1), middle);
        Some(values)
    }

    /// Whether the run completed by itself.
    pub fn complete(&self) -> bool {
        !matches!(self.status, Status::Failed | Status::Interrupted)
    }

    /// Reads the row of a run; none if it is missing, unreadable, or was changed since: its run is then repeated.
    pub(super) fn read(dir: &Path, label: &str) -> Option<Row> {
        let bytes = std::fs::read(path(dir, label)).ok()?;
        let Stored { row, checksum } = serde_json::from_slice(&bytes).ok()?;
        if checksum.is_some_and(|written| row.checksum().ok() != Some(written)) {
            return None;
        }
        // A row without figures that did not fail is invalid.
        (row.summary.is_some() || row.status == Status::Failed).then_some(row)
    }

    /// Writes the row.
    pub(super) fn write(&self, dir: &Path, label: &str) -> Result<(), RecordError> {
        let path = path(dir, label);
        let text = || {
            let stored = Stored {
                row: self.clone(),
                checksum: Some(self.checksum()?),
            };
            serde_json::to_string_pretty(&stored)
        };
        let text = text().map_err(|why| RecordError::damaged(&path, why.to_string()))?;
        publish(&path, (text + "\n").as_bytes())
    }

    /// Returns a checksum of all values.
    fn checksum(&self) -> serde_json::Result<String> {
        // Computed from the row as read back, in which NaN has become none.
        let read: Row = serde_json::from_slice(&serde_json::to_vec(self)?)?;
        let bytes = serde_json::to_vec(&read)?;
        Ok(format!("{:016x}", record::checksum(&bytes)))
    }
}

fn path(dir: &Path, label: &str) -> PathBuf {
    dir.join("rows").join(format!("{label}.json"))
}

/// Writes a file so that it is complete or absent at any time, even where several processes write it.
pub(super) fn publish(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".part-")
        .tempfile_in(folder)
        .map_err(RecordError::io("cannot write into", folder))?;
    file.write_all(bytes)
        .and_then(|()| file.as_file().sync_all())
        .map_err(RecordError::io("cannot write", path))?;
    readable(file.as_file()).map_err(RecordError::io("cannot write", path))?;
    file.persist(path)
        .map_err(|error| RecordError::io("cannot write", path)(error.error))?;
    Ok(())
}

/// Makes a file readable for all: temporary files are private, results are not.
fn readable(file: &std::fs::File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}
