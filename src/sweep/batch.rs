//! Runs a sweep, or a part of it, on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::claim::Claim;
use super::deal::Fate;
use super::file::{Point, Sweep};
use super::once::{Ended, Shared, once};
use super::row::{Row, publish};
use super::{Keep, Shard, SweepError};
use crate::record::{RecordError, Status};

/// Options for running a sweep.
pub struct Options<'a> {
    /// Folder of the sweep.
    pub dir: &'a Path,
    /// The part to run; none: all.
    pub shard: Option<Shard>,
    /// Number of threads, one per run.
    pub threads: usize,
    /// The output kept of each run.
    pub keep: Keep,
    /// Whether to repeat runs that failed or reached their time limit.
    pub retry: bool,
    /// Flag that stops all runs after a checkpoint.
    pub stop: &'a AtomicBool,
    /// Receives the progress, from any thread, one call at a time.
    pub look: &'a (dyn Fn(&Look) + Sync),
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("dir", &self.dir)
            .field("shard", &self.shard)
            .field("threads", &self.threads)
            .field("keep", &self.keep)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// Progress of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Number of runs of this part.
    pub all: usize,
    /// Number of these that were complete before.
    pub there: usize,
    /// Number of runs that have ended since.
    pub ended: usize,
    /// Number of complete runs that ended in a jam.
    pub jammed: usize,
    /// Number of complete runs that failed.
    pub failed: usize,
    /// Sum of the completed fractions of the runs in progress.
    pub under_way: f64,
}

/// Result of running a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    /// Final progress.
    pub look: Look,
    /// Number of runs that another process was executing.
    pub elsewhere: usize,
    /// Whether the sweep was stopped by its flag.
    pub stopped: bool,
}

/// Runs the points that the folder does not contain yet.
///
/// # Errors
/// A sweep in which no run can start, and a folder that cannot be written. A single run that fails is no error: it
/// has a row.
pub fn run(sweep: &Sweep, options: &Options<'_>) -> Result<Done, SweepError> {
    let points = sweep.points()?;
    let (open, look) = prepare(sweep, options, &points)?;
    let threads = options.threads.clamp(1, open.len().max(1));
    let supply = InOrder {
        open,
        next: AtomicUsize::new(0),
    };
    let batch = Batch::new(sweep, options, &points, &supply, threads, look);
    pool(threads)?.broadcast(|worker| batch.work(worker.index()));
    batch.end()
}

/// Prepares the folder; returns the open runs, as indices of points, and the progress of the sweep.
pub(super) fn prepare(
    sweep: &Sweep,
    options: &Options<'_>,
    points: &[Point],
) -> Result<(Vec<usize>, Look), SweepError> {
    let dir = options.dir;
    for folder in [dir.join("rows"), dir.join("runs")] {
        std::fs::create_dir_all(&folder).map_err(RecordError::io("cannot create", &folder))?;
    }
    let mut look = Look::default();
    let mut open = Vec::new();
    for (index, point) in points.iter().enumerate() {
        if options
            .shard
            .is_some_and(|shard| !shard.holds(point.number))
        {
            continue;
        }
        look.all += 1;
        match there(dir, point, options.retry) {
            Some(row) => {
                look.there += 1;
                look.count(&row);
            }
            None => open.push(index),
        }
    }
    if look.there == 0 {
        hopeless(sweep, open.iter().map(|index| &points[*index]))?;
    }
    publish(&dir.join("sweep.toml"), sweep.text.as_bytes())?;
    Ok((open, look))
}

/// Returns a pool of threads for the runs.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, SweepError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|why| SweepError::Threads(why.to_string()))
}

/// Returns the row of a run that needs no more work.
pub(super) fn there(dir: &Path, point: &Point, retry: bool) -> Option<Row> {
    Row::read(dir, &point.label).filter(|row| row.complete() || !retry)
}

/// Returns an error if no run of the sweep can start: then the sweep itself has a fault, such as a misspelt key.
fn hopeless<'a>(sweep: &Sweep, open: impl Iterator<Item = &'a Point>) -> Result<(), SweepError> {
    let mut first = None;
    for point in open {
        match sweep.resolve(point) {
            Ok(_) => return Ok(()),
            Err(problem) => drop(first.get_or_insert(problem)),
        }
    }
    first.map_or(Ok(()), |problem| Err(problem.into()))
}

/// Source of runs for the threads.
pub(super) trait Supply: Sync {
    /// Returns the next run, as index of a point; waits if necessary. None when there are no more.
    fn next(&self) -> Option<usize>;

    /// Whether there are runs that have not begun.
    fn left(&self) -> bool;

    /// Reports how a run ended, or why it could not be written.
    fn ended(&self, run: usize, fate: Result<Fate, String>);
}

/// Supplies runs in order.
struct InOrder {
    open: Vec<usize>,
    next: AtomicUsize,
}

impl Supply for InOrder {
    fn next(&self) -> Option<usize> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.open.get(next).copied()
    }

    fn left(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.open.len()
    }

    fn ended(&self, _run: usize, _fate: Result<Fate, String>) {}
}

struct State {
    done: Done,
    shares: Vec<f64>,
    error: Option<RecordError>,
}

/// The runs on the threads of one process.
pub(super) struct Batch<'a> {
    shared: Shared<'a>,
    retry: bool,
    points: &'a [Point],
    supply: &'a dyn Supply,
    state: Mutex<State>,
    look: &'a (dyn Fn(&Look) + Sync),
}

impl<'a> Batch<'a> {
    pub fn new(
        sweep: &'a Sweep,
        options: &Options<'a>,
        points: &'a [Point],
        supply: &'a dyn Supply,
        threads: usize,
        look: Look,
    ) -> Self {
        Batch {
            shared: Shared {
                sweep,
                dir: options.dir,
                keep: options.keep,
                stop: options.stop,
            },
            retry: options.retry,
            points,
            supply,
            state: Mutex::new(State {
                done: Done {
                    look,
                    ..Done::default()
                },
                shares: vec![0.0; threads],
                error: None,
            }),
            look: options.look,
        }
    }

    /// Returns the result.
    pub fn end(self) -> Result<Done, SweepError> {
        let state = self.state.into_inner().unwrap_or_else(|e| e.into_inner());
        match state.error {
            Some(error) => Err(error.into()),
            None => Ok(state.done),
        }
    }

    /// Returns the sum of the completed fractions of the runs in progress.
    pub fn under_way(&self) -> f64 {
        self.with(|state| state.shares.iter().sum())
    }

    /// Executes one run after another until none is left.
    pub fn work(&self, worker: usize) {
        loop {
            let stopped = self.shared.stop.load(Ordering::Relaxed);
            let broken = self.with(|state| state.error.is_some());
            if stopped || broken {
                let left = self.supply.left();
                self.with(|state| state.done.stopped |= stopped && left);
                return;
            }
            let Some(run) = self.supply.next() else {
                return;
            };
            let point = &self.points[run];
            // Another process may have completed it meanwhile.
            let ended = match there(self.shared.dir, point, self.retry) {
                Some(row) => Ok(Ended::Row(Box::new(row))),
                None => self.claimed(point, worker),
            };
            let fate = match &ended {
                Ok(Ended::Row(row)) => Ok(Fate::of(row)),
                Ok(Ended::Stopped) => Ok(Fate::Stopped),
                Ok(Ended::Elsewhere) => Ok(Fate::Elsewhere),
                Err(error) => Err(error.to_string()),
            };
            self.note(worker, ended);
            self.supply.ended(run, fate);
        }
    }

    /// Executes a run unless another process is executing it.
    fn claimed(&self, point: &Point, worker: usize) -> Result<Ended, RecordError> {
        let dir = self.shared.dir;
        let Some(_claim) = Claim::take(dir, &point.label)? else {
            return Ok(Ended::Elsewhere);
        };
        // Another process may have completed it just now.
        match there(dir, point, self.retry) {
            Some(row) => Ok(Ended::Row(Box::new(row))),
            None => self.guarded(point, worker),
        }
    }

    /// Executes a run; a panic, a fault of the program, counts as a failed run.
    fn guarded(&self, point: &Point, worker: usize) -> Result<Ended, RecordError> {
        let mut progress = |share: f64| {
            self.with(|state| {
                state.shares[worker] = share;
                self.show(state);
            });
        };
        let run = AssertUnwindSafe(|| once(&self.shared, point, &mut progress));
        catch_unwind(run).unwrap_or_else(|what| {
            let said = what
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| what.downcast_ref::<&str>().copied());
            let error = format!("a fault of the program: {}", said.unwrap_or("it panicked"));
            let row = Row::failed(point.seed, &error);
            row.write(self.shared.dir, &point.label)?;
            Ok(Ended::Row(Box::new(row)))
        })
    }

    fn note(&self, worker: usize, ended: Result<Ended, RecordError>) {
        self.with(|state| {
            state.shares[worker] = 0.0;
            match ended {
                Ok(Ended::Row(row)) => {
                    state.done.look.ended += 1;
                    state.done.look.count(&row);
                }
                Ok(Ended::Stopped) => state.done.stopped = true,
                Ok(Ended::Elsewhere) => state.done.elsewhere += 1,
                Err(error) => drop(state.error.get_or_insert(error)),
            }
            self.show(state);
        });
    }

    fn show(&self, state: &State) {
        let look = Look {
            under_way: state.shares.iter().sum(),
            ..state.done.look
        };
        (self.look)(&look);
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // A panic while the lock was held cannot leave the state half changed: each change is one step.
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        act(&mut state)
    }
}

impl Look {
    fn count(&mut self, row: &Row) {
        self.jammed += usize::from(row.status == Status::Jammed);
        self.failed += usize::from(row.status == Status::Failed);
    }
}
