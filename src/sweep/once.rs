//! Executes one run of a sweep, from its point to its row; continues where a killed one stopped.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Keep;
use super::file::{Point, Sweep};
use super::row::Row;
use crate::cluster::integrate::Integrate;
use crate::record::{
    AvalancheRow, EventRow, GrainRow, ImpactRow, LinkRow, RecordError, RunFolder, SeriesRow, Sink,
    Status, Summary, Table, WearRow, ZoneRow, read,
};
use crate::scenario::AnySetup;
use crate::system::{Control, Outcome, Progress, Setup, SystemError, driver_of};

/// Result of executing a run.
pub(super) enum Ended {
    /// The row is written.
    Row(Box<Row>),
    /// Stopped from outside, after a checkpoint.
    Stopped,
    /// Another process is executing it.
    Elsewhere,
}

/// Data shared by all runs of a batch.
pub(super) struct Shared<'a> {
    pub sweep: &'a Sweep,
    pub dir: &'a Path,
    pub keep: Keep,
    pub stop: &'a AtomicBool,
}

/// Executes a point and writes its row; `progress` receives the completed fraction.
pub(super) fn once(
    shared: &Shared<'_>,
    point: &Point,
    progress: &mut (dyn FnMut(f64) + Send),
) -> Result<Ended, RecordError> {
    let resolved = match shared.sweep.resolve(point) {
        Ok(resolved) => resolved,
        Err(problem) => {
            let row = Row::failed(point.seed, problem.title());
            row.write(shared.dir, &point.label)?;
            return Ok(Ended::Row(Box::new(row)));
        }
    };
    let about = About {
        scenario: resolved.spec.name.clone(),
        toml: resolved.toml,
    };
    match resolved.setup {
        AnySetup::Planar(setup) => run_in(shared, point, &about, setup, progress),
        AnySetup::Spatial(setup) => run_in(shared, point, &about, setup, progress),
    }
}

/// Description of the run besides its setup.
struct About {
    scenario: String,
    toml: String,
}

fn run_in<D: Integrate>(
    shared: &Shared<'_>,
    point: &Point,
    about: &About,
    setup: Setup<D>,
    progress: &mut (dyn FnMut(f64) + Send),
) -> Result<Ended, RecordError> {
    let path = shared.dir.join("runs").join(&point.label);
    let begin = |setup: &Setup<D>| {
        let meta = crate::system::run_meta(setup, &about.toml);
        RunFolder::create(&path, &meta, 1, true)
    };
    let (folder, state) = match take_up(&path, &about.toml) {
        TakenUp::Finished(summary) => return end(shared, point, &path, *summary),
        TakenUp::Elsewhere => return Ok(Ended::Elsewhere),
        TakenUp::State(folder, state) => (*folder, state),
        TakenUp::Nothing => match begin(&setup) {
            Err(RecordError::Busy { .. }) => return Ok(Ended::Elsewhere),
            other => (other?, None),
        },
    };
    let (seed, finish) = (setup.seed, setup.run.end_time);
    let start = -setup.run.settle.map_or(0.0, |settle| settle.at_most);
    let fail = |error: &SystemError| {
        let row = Row::failed(Some(seed), &error.to_string());
        row.write(shared.dir, &point.label)?;
        Ok(Ended::Row(Box::new(row)))
    };
    let again = state.is_some().then(|| setup.clone());
    let (mut system, folder) = match (driver_of(setup, state.as_deref()), again) {
        (Ok(system), _) => (system, folder),
        // A checkpoint of another version of the program: the run starts again.
        (Err(_), Some(setup)) => {
            drop(folder);
            let folder = begin(&setup)?;
            match driver_of(setup, None) {
                Ok(system) => (system, folder),
                Err(error) => return fail(&error),
            }
        }
        (Err(error), None) => return fail(&error),
    };
    let mut folder = folder;
    folder.without_clock();
    let mut sink = Kept {
        folder,
        keep: shared.keep,
    };
    let mut look = |now: Progress| {
        progress(((now.time - start) / (finish - start)).clamp(0.0, 1.0));
    };
    let mut control = Control {
        interrupted: shared.stop,
        wall_limit: shared.sweep.spec.wall_limit.map(seconds),
        progress: Some(&mut look),
        threads: 1,
    };
    let outcome = system.run(&mut sink, &mut control);
    let mut figures = system.summary();
    figures.arenite = env!("CARGO_PKG_VERSION").into();
    figures.scenario = about.scenario.clone();
    figures.seed = seed;
    figures.status = match &outcome {
        Ok(Outcome::Finished) => Status::Finished,
        Ok(Outcome::Jammed) => Status::Jammed,
        Ok(Outcome::Empty) => Status::Empty,
        Ok(Outcome::Interrupted) => Status::Interrupted,
        Err(_) => Status::Failed,
    };
    figures
        .warnings
        .extend(outcome.as_ref().err().map(ToString::to_string));
    let written = sink.folder.finish(&figures);
    match outcome {
        Ok(Outcome::Interrupted) => {
            written?;
            if shared.stop.load(Ordering::Relaxed) {
                return Ok(Ended::Stopped);
            }
            // The run's own time limit: it has a row, and a checkpoint to continue from.
            let row = Row::of(figures, &path)?;
            row.write(shared.dir, &point.label)?;
            Ok(Ended::Row(Box::new(row)))
        }
        Ok(_) => {
            written?;
            end(shared, point, &path, figures)
        }
        Err(error) => fail(&error),
    }
}

fn seconds(limit: f64) -> Duration {
    Duration::try_from_secs_f64(limit).unwrap_or(Duration::MAX)
}

/// Writes the row of a finished run and removes the unwanted part of its folder. The row comes first: it needs the
/// series, and files left when the program is killed do no harm.
fn end(
    shared: &Shared<'_>,
    point: &Point,
    path: &Path,
    summary: Summary,
) -> Result<Ended, RecordError> {
    let row = Row::of(summary, path)?;
    row.write(shared.dir, &point.label)?;
    let remove = |path: &Path| match fs::remove_dir_all(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::io("cannot remove", path)(e))
        }
        _ => Ok(()),
    };
    match shared.keep {
        Keep::All => {}
        Keep::Row => remove(path)?,
        Keep::Summary | Keep::Series => {
            for table in Table::ALL {
                let file = path.join(table.file_name());
                if !shared.keep.table(table) && file.exists() {
                    fs::remove_file(&file).map_err(RecordError::io("cannot remove", &file))?;
                }
            }
            remove(&path.join("checkpoint"))?;
        }
    }
    Ok(Ended::Row(Box::new(row)))
}

/// State of a run found in its folder.
enum TakenUp {
    /// No run, or another run.
    Nothing,
    /// The unfinished run; it starts at the beginning if there is no checkpoint.
    State(Box<RunFolder>, Option<Vec<u8>>),
    /// The finished run, with the series from which its row is made.
    Finished(Box<Summary>),
    /// Another process writes into the folder.
    Elsewhere,
}

fn take_up(path: &Path, toml: &str) -> TakenUp {
    match RunFolder::resume(path, 1) {
        Ok((folder, there, state)) if there == toml => TakenUp::State(Box::new(folder), state),
        Err(RecordError::Busy { .. }) => TakenUp::Elsewhere,
        Err(RecordError::NothingToResume { .. }) => {
            let same = fs::read_to_string(path.join("scenario.toml")).is_ok_and(|t| t == toml);
            match read::summary(path) {
                Ok(summary)
                    if same
                        && !matches!(summary.status, Status::Failed | Status::Interrupted)
                        && read::series(path).is_ok() =>
                {
                    TakenUp::Finished(Box::new(summary))
                }
                _ => TakenUp::Nothing,
            }
        }
        // Damaged, or of another version: the run starts again.
        _ => TakenUp::Nothing,
    }
}

/// A run's folder that receives only the records to be kept.
struct Kept {
    folder: RunFolder,
    keep: Keep,
}

impl Sink for Kept {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        match self.keep.table(Table::Events) {
            true => self.folder.event(row),
            false => Ok(()),
        }
    }
    // Figures of the row need the series in any case.
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.folder.series(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        match self.keep.table(Table::Grains) {
            true => self.folder.snapshot(grains, links),
            false => Ok(()),
        }
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        match self.keep.table(Table::Avalanches) {
            true => self.folder.avalanche(row),
            false => Ok(()),
        }
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        match self.keep.table(Table::Stagnant) {
            true => self.folder.zone(row),
            false => Ok(()),
        }
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        match self.keep.table(Table::Impacts) {
            true => self.folder.impact(row),
            false => Ok(()),
        }
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        match self.keep.table(Table::Wear) {
            true => self.folder.wear(row),
            false => Ok(()),
        }
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.folder.checkpoint(state)
    }
}
