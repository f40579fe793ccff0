//! The folder of a run: creates, locks, writes, resumes and finishes it.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clock::{self, Clock};
use super::column::{Column, Field, Table};
use super::convert::write_table;
use super::meta::RunMeta;
use super::rows::{
    AvalancheRow, EventRow, GrainRow, ImpactRow, LinkRow, SeriesRow, Sink, WearRow, ZoneRow,
};
use super::spool::{Extent, Spools, spool_path};
use super::state::{self, Checkpoint, checksum};
use super::summary::{Status, Summary};
use super::sums::sum_of;
use super::tables::{self, InSnapshot, columns};
use super::whole::{part, publish, remove_if_there, sync_folder, write_part, write_whole};
use super::{RecordError, read};

pub(super) const SCENARIO: &str = "scenario.toml";
pub(super) const SUMMARY: &str = "summary.json";
const RUN: &str = "run.json";

/// The folder of a run in progress: a [`Sink`] that writes to the disk.
pub struct RunFolder {
    folder: PathBuf,
    checkpoints: PathBuf,
    meta: RunMeta,
    threads: usize,
    spools: Spools,
    snapshots: u64,
    fields: AllFields,
    clock: Clock,
    /// Kept for its lock, which the system releases however the process ends.
    _lock: File,
}

struct AllFields {
    events: Vec<Field<EventRow>>,
    series: Vec<Field<SeriesRow>>,
    grains: Vec<Field<InSnapshot<GrainRow>>>,
    links: Vec<Field<InSnapshot<LinkRow>>>,
    avalanches: Vec<Field<AvalancheRow>>,
    zones: Vec<Field<ZoneRow>>,
    impacts: Vec<Field<ImpactRow>>,
    wear: Vec<Field<WearRow>>,
}

impl fmt::Debug for RunFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunFolder")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// `run.json`: the run's description and the checksum of its scenario.
#[derive(serde::Serialize, serde::Deserialize)]
struct RunFile {
    meta: RunMeta,
    scenario_checksum: String,
}

impl RunFolder {
    /// Creates the folder of a new run, with its scenario, and locks it. A run that is already there is replaced only
    /// with `force`.
    ///
    /// # Errors
    /// A folder that holds another run or other files, in which another run writes, or that cannot be written.
    pub fn create(
        dir: &Path,
        meta: &RunMeta,
        threads: usize,
        force: bool,
    ) -> Result<RunFolder, RecordError> {
        let checkpoints = dir.join("checkpoint");
        if !force {
            refuse_strange(dir, &checkpoints)?;
        }
        fs::create_dir_all(&checkpoints).map_err(RecordError::io("cannot create", &checkpoints))?;
        let lock = lock(dir, &checkpoints)?;
        if !force {
            refuse_to_replace(dir, &checkpoints)?;
        }
        clear(dir, &checkpoints)?;
        // Walls only serve pictures, and JSON has no infinities: walls with infinite coordinates are omitted.
        let mut meta = meta.clone();
        meta.walls
            .retain(|w| w.points.as_flattened().iter().all(|x| x.is_finite()));
        let meta = &meta;
        let run = RunFile {
            meta: meta.clone(),
            scenario_checksum: fingerprint(&meta.scenario_toml),
        };
        // Serializing strings and finite numbers as JSON cannot fail.
        let run = serde_json::to_vec_pretty(&run).unwrap_or_default();
        write_whole(&checkpoints.join(RUN), &run)?;
        let spools = Spools::open(
            &checkpoints,
            &[Extent::default(); Table::ALL.len()],
            threads,
        )?;
        write_whole(&dir.join(SCENARIO), meta.scenario_toml.as_bytes())?;
        Ok(RunFolder::new(
            dir,
            checkpoints,
            meta.clone(),
            threads,
            spools,
            0,
            lock,
        ))
    }

    /// Resumes a run that was interrupted or killed: returns the folder, the scenario and the state of the last valid
    /// checkpoint (none: start from the beginning). Everything written after that checkpoint is cut off, so that the
    /// logs continue without a trace of the interruption.
    ///
    /// # Errors
    /// A folder without a run that can be resumed, in which another run writes, or whose files are damaged.
    pub fn resume(
        dir: &Path,
        threads: usize,
    ) -> Result<(RunFolder, String, Option<Vec<u8>>), RecordError> {
        let nothing = |what: &str| RecordError::NothingToResume {
            path: dir.display().to_string(),
            what: what.into(),
        };
        let checkpoints = dir.join("checkpoint");
        if !checkpoints.join(RUN).is_file() || !dir.join(SCENARIO).is_file() {
            return Err(nothing("no run was started in this folder"));
        }
        let lock = lock(dir, &checkpoints)?;
        if finished(dir)? {
            return Err(nothing("the run is finished"));
        }
        let path = checkpoints.join(RUN);
        let run = fs::read(&path).map_err(RecordError::io("cannot read", &path))?;
        let run: RunFile =
            serde_json::from_slice(&run).map_err(|e| RecordError::damaged(&path, e.to_string()))?;
        let path = dir.join(SCENARIO);
        let scenario = fs::read_to_string(&path).map_err(RecordError::io("cannot read", &path))?;
        if fingerprint(&scenario) != run.scenario_checksum {
            return Err(RecordError::damaged(
                &path,
                "was changed after the run was started; restore it, or run it into another folder",
            ));
        }
        let with_its_records = |checkpoint: &Checkpoint| {
            let mut spools = Table::ALL.into_iter().zip(&checkpoint.spools);
            spools.all(|(table, extent)| extent.is_in(&spool_path(&checkpoints, table)))
        };
        let checkpoint = state::load(&checkpoints, with_its_records)?;
        let (extents, snapshots, state) = match checkpoint {
            Some(c) => (c.spools, c.snapshots, Some(c.state.into_owned())),
            None => (vec![Extent::default(); Table::ALL.len()], 0, None),
        };
        clear_parts(dir)?;
        clear_parts(&checkpoints)?;
        let spools = Spools::open(&checkpoints, &extents, threads)?;
        let meta = RunMeta {
            scenario_toml: scenario.clone(),
            ..run.meta
        };
        let folder = RunFolder::new(dir, checkpoints, meta, threads, spools, snapshots, lock);
        Ok((folder, scenario, state))
    }

    fn new(
        dir: &Path,
        checkpoints: PathBuf,
        meta: RunMeta,
        threads: usize,
        spools: Spools,
        snapshots: u64,
        lock: File,
    ) -> RunFolder {
        let n = meta.dimensions;
        let fields = AllFields {
            events: tables::event_fields(n),
            series: tables::series_fields(n, &meta.boundaries, &meta.meters, meta.extras()),
            grains: tables::grain_fields(n, meta.extras()),
            links: tables::link_fields(n, meta.extras()),
            avalanches: tables::avalanche_fields(n),
            zones: tables::zone_fields(n),
            impacts: tables::impact_fields(),
            wear: tables::wear_fields(n),
        };
        RunFolder {
            folder: dir.to_path_buf(),
            checkpoints,
            meta,
            threads,
            spools,
            snapshots,
            fields,
            clock: Clock::new(dir),
            _lock: lock,
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Omits `clock.csv`: where runs share a machine, the wall-clock time of one depends on the others.
    pub fn without_clock(&mut self) {
        self.clock.stop();
    }

    /// Returns the folder's description of the run.
    pub fn meta(&self) -> &RunMeta {
        &self.meta
    }

    /// Writes the tables and the summary; each gets its final name only when it is complete, the summary last. For a
    /// run that can be resumed (interrupted or failed) the spools are kept.
    ///
    /// # Errors
    /// A file that cannot be written. The rest is written all the same; the first error is returned, and the spools are
    /// kept so that no data are lost.
    pub fn finish(self, summary: &Summary) -> Result<(), RecordError> {
        let RunFolder {
            folder,
            checkpoints,
            meta,
            threads,
            mut spools,
            mut clock,
            _lock,
            ..
        } = self;
        clock.flush();
        let mut first = spools.sync().err();
        drop(spools);
        let job = |table: Table| -> Result<String, RecordError> {
            let path = folder.join(table.file_name());
            let columns: Vec<Column> = columns(
                table,
                meta.dimensions,
                &meta.boundaries,
                &meta.meters,
                meta.extras(),
            );
            let spool = spool_path(&checkpoints, table);
            write_part(&path, |out| {
                write_table(table, &columns, &meta, &spool, out, &path)
            })?;
            sum_of(&part(&path))
        };
        let written: Vec<Result<String, RecordError>> = if threads > 1 {
            std::thread::scope(|scope| {
                let job = &job;
                let running = Table::ALL.map(|table| scope.spawn(move || job(table)));
                let panicked = || {
                    let source = std::io::Error::other("the writing thread has ended");
                    Err(RecordError::io("cannot write", &folder)(source))
                };
                running
                    .into_iter()
                    .map(|h| h.join().unwrap_or_else(|_| panicked()))
                    .collect()
            })
        } else {
            Table::ALL.into_iter().map(job).collect()
        };
        // In a resumed run the old summary holds checksums of the tables that are now replaced.
        first = first.or(remove_if_there(&folder.join(SUMMARY)).err());
        let mut summary = summary.clone();
        for (table, sum) in Table::ALL.into_iter().zip(written) {
            let published = sum.and_then(|sum| {
                summary.checksums.insert(table.file_name(), sum);
                publish(&folder.join(table.file_name()))
            });
            first = first.or(published.err());
        }
        if let Some(error) = first {
            return Err(error);
        }
        sync_folder(&folder)?;
        let sum = sum_of(&folder.join(SCENARIO))?;
        summary.checksums.insert(SCENARIO.into(), sum);
        let path = folder.join(SUMMARY);
        let mut text = serde_json::to_string_pretty(&summary)
            .map_err(|e| RecordError::damaged(&path, e.to_string()))?;
        text.push('\n');
        write_whole(&path, text.as_bytes())?;
        if !can_go_on(summary.status) {
            for table in Table::ALL {
                remove_if_there(&spool_path(&checkpoints, table))?;
            }
        }
        Ok(())
    }
}

impl Sink for RunFolder {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        let fields = &self.fields.events;
        self.spools
            .append(Table::Events, |bytes| pack(fields, row, bytes))
    }

    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.clock.tick(row.time, row.events.iter().sum());
        let fields = &self.fields.series;
        self.spools
            .append(Table::Series, |bytes| pack(fields, row, bytes))
    }

    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        let number = self.snapshots;
        self.snapshots += 1;
        let fields = &self.fields.grains;
        for grain in grains {
            let row = (number, *grain);
            self.spools
                .append(Table::Grains, |bytes| pack(fields, &row, bytes))?;
        }
        let fields = &self.fields.links;
        for link in links {
            let row = (number, *link);
            self.spools
                .append(Table::Links, |bytes| pack(fields, &row, bytes))?;
        }
        Ok(())
    }

    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        let fields = &self.fields.avalanches;
        self.spools
            .append(Table::Avalanches, |bytes| pack(fields, row, bytes))
    }

    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        let fields = &self.fields.zones;
        self.spools
            .append(Table::Stagnant, |bytes| pack(fields, row, bytes))
    }

    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        let fields = &self.fields.impacts;
        self.spools
            .append(Table::Impacts, |bytes| pack(fields, row, bytes))
    }

    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        let fields = &self.fields.wear;
        self.spools
            .append(Table::Wear, |bytes| pack(fields, row, bytes))
    }

    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        let spools = self.spools.sync()?;
        self.clock.flush();
        let checkpoint = Checkpoint {
            spools,
            snapshots: self.snapshots,
            state: state.into(),
        };
        state::save(&self.checkpoints, &checkpoint)
    }
}

#[inline]
fn pack<R>(fields: &[Field<R>], row: &R, bytes: &mut Vec<u8>) {
    for field in fields {
        (field.get)(row).pack(bytes);
    }
}

fn fingerprint(scenario: &str) -> String {
    format!("{:016x}", checksum(scenario.as_bytes()))
}

fn can_go_on(status: Status) -> bool {
    matches!(status, Status::Interrupted | Status::Failed)
}

/// Whether the folder holds a run that has finished.
fn finished(dir: &Path) -> Result<bool, RecordError> {
    if !dir.join(SUMMARY).exists() {
        return Ok(false);
    }
    Ok(!can_go_on(read::summary(dir)?.status))
}

/// How long to retry a lock held elsewhere: a child process that another thread is starting holds every open file for
/// a moment, until it executes the other program.
const LOCK_PATIENCE: Duration = Duration::from_millis(300);

/// Locks the folder for this process.
fn lock(dir: &Path, checkpoints: &Path) -> Result<File, RecordError> {
    let locked = super::lock::lock(&checkpoints.join("lock"), LOCK_PATIENCE)?;
    locked.ok_or_else(|| RecordError::Busy {
        path: dir.display().to_string(),
    })
}

fn refuse_to_replace(dir: &Path, checkpoints: &Path) -> Result<(), RecordError> {
    let what = if dir.join(SUMMARY).exists() && finished(dir).unwrap_or(true) {
        "holds a finished run; choose another folder, or replace it with --force"
    } else if checkpoints.join(RUN).exists() && dir.join(SCENARIO).exists() {
        "holds a run that was not finished; go on with --resume, or replace it with --force"
    } else {
        return Ok(());
    };
    Err(RecordError::Exists {
        path: dir.display().to_string(),
        what: what.into(),
    })
}

/// Refuses a folder with tables but no sign that a run wrote them here: archived ones, or those of another program.
fn refuse_strange(dir: &Path, checkpoints: &Path) -> Result<(), RecordError> {
    if checkpoints.join(RUN).exists() || dir.join(SUMMARY).exists() {
        return Ok(());
    }
    let tables = Table::ALL.map(Table::file_name);
    let Some(there) = tables.into_iter().find(|name| dir.join(name).exists()) else {
        return Ok(());
    };
    Err(RecordError::Exists {
        path: dir.join(there).display().to_string(),
        what:
            "is there, but no run that it is of; choose another folder, or replace it with --force"
                .into(),
    })
}

/// Removes the files of a previous run: the summary first, so that after a crash the remains are not taken for a
/// finished run. Files that no run writes are left alone.
fn clear(dir: &Path, checkpoints: &Path) -> Result<(), RecordError> {
    remove_if_there(&dir.join(SUMMARY))?;
    remove_if_there(&dir.join(SCENARIO))?;
    remove_if_there(&checkpoints.join(RUN))?;
    // Like every error of `clock.csv`, a failure here is ignored.
    let _ = fs::remove_file(dir.join(clock::FILE));
    for table in Table::ALL {
        remove_if_there(&dir.join(table.file_name()))?;
        remove_if_there(&spool_path(checkpoints, table))?;
    }
    for (_, path) in state::list(checkpoints)? {
        remove_if_there(&path)?;
    }
    clear_parts(dir)?;
    clear_parts(checkpoints)
}

/// Removes temporary files of a killed run.
fn clear_parts(dir: &Path) -> Result<(), RecordError> {
    for entry in fs::read_dir(dir).map_err(RecordError::io("cannot read", dir))? {
        let path = entry.map_err(RecordError::io("cannot read", dir))?.path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let Some(stem) = name.strip_suffix(".part") else {
            continue;
        };
        let ours = stem == SUMMARY
            || stem == SCENARIO
            || stem == RUN
            || stem.starts_with("state-")
            || Table::ALL.iter().any(|table| table.file_name() == stem);
        if ours {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}
