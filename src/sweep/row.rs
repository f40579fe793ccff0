//! What a run of a sweep leaves for the table: a small file that is whole or absent.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::record::{self, Column, FigureValue, Kind, RecordError, Status, Summary, read};
use crate::study::runs::middle_rate;

/// A run that came to its end, in whatever way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its seed; none where the scenario was wrong and the sweep names no seeds.
    pub seed: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its figures; none of a run that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Mean rate of discharge in its middle, 1/s, from its series; none where too few flowed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middle_rate: Option<f64>,
}

/// Columns of the figures of a run: those of its summary, and what its series says.
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

/// A row as its file has it.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    row: Row,
    /// Checksum of the row without it; none of rows of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

impl Row {
    /// A run that failed.
    pub(super) fn failed(seed: Option<u64>, error: &str) -> Self {
        Row {
            seed,
            status: Status::Failed,
            // On one line, for the table.
            error: Some(error.split_whitespace().collect::<Vec<_>>().join(" ")),
            ..Row::default()
        }
    }

    /// A run with figures, whose series is in a folder.
    ///
    /// # Errors
    /// That the series cannot be read.
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

    /// Its figures in the order of [`figure_columns`]; none of a run that failed.
    pub(super) fn figures(&self) -> Option<Vec<Option<FigureValue>>> {
        let summary = self.summary.as_ref()?;
        let mut values = record::figures(summary);
        let columns = record::figure_columns();
        let after = columns.iter().position(|c| c.name == "discharge.mean_rate");
        let middle = self.middle_rate.map(FigureValue::Float);
        values.insert(after.map_or(values.len(), |k| k + 1), middle);
        Some(values)
    }

    /// Whether the run came to an end of its own.
    pub fn complete(&self) -> bool {
        !matches!(self.status, Status::Failed | Status::Interrupted)
    }

    /// Reads the row of a run; none if there is none, none that can be read, or one that was changed since: its run is done
    /// again.
    pub(super) fn read(dir: &Path, label: &str) -> Option<Row> {
        let bytes = std::fs::read(path(dir, label)).ok()?;
        let Stored { row, checksum } = serde_json::from_slice(&bytes).ok()?;
        if checksum.is_some_and(|written| row.checksum().ok() != Some(written)) {
            return None;
        }
        // One without figures that did not fail is no row of ours.
        (row.summary.is_some() || row.status == Status::Failed).then_some(row)
    }

    /// Writes it.
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

    /// What changes with each of its values.
    fn checksum(&self) -> serde_json::Result<String> {
        // As it will be read: what is no number is none by then.
        let read: Row = serde_json::from_slice(&serde_json::to_vec(self)?)?;
        let bytes = serde_json::to_vec(&read)?;
        Ok(format!("{:016x}", record::checksum(&bytes)))
    }
}

fn path(dir: &Path, label: &str) -> PathBuf {
    dir.join("rows").join(format!("{label}.json"))
}

/// Writes a file so that it is whole or absent at any moment, also where several processes write it.
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

/// Temporary files are for their owner alone; results are not.
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
