//! `clock.csv`: wall-clock time of a run, beside its series.
//!
//! All other output of a run is the same each time; wall-clock time is not. It therefore has a file of its own, which
//! no other table refers to and which may be lost: no error of this file ends a run.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Name of the file.
pub(super) const FILE: &str = "clock.csv";

const HEAD: &str = "time,wall,events\n";

/// A row of `clock.csv`, written with a row of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Simulated time, s.
    pub time: f64,
    /// Wall-clock time since the run began, s, without the time between an interruption and `--resume`.
    pub wall: f64,
    /// Events handled so far.
    pub events: u64,
}

/// Reads `clock.csv` of a run; empty where the run has none.
pub fn clock(dir: &Path) -> Vec<Tick> {
    let text = fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    text.lines().skip(1).map_while(tick).collect()
}

/// Parses a line; none if it was cut off.
fn tick(line: &str) -> Option<Tick> {
    let mut cells = line.split(',');
    let mut next = || cells.next();
    let (time, wall, events) = (next()?, next()?, next()?);
    Some(Tick {
        time: time.parse().ok()?,
        wall: wall.parse().ok()?,
        events: events.parse().ok()?,
    })
}

/// Writes `clock.csv`.
#[derive(Debug)]
pub(super) struct Clock {
    dir: PathBuf,
    since: Instant,
    state: State,
}

#[derive(Debug)]
enum State {
    /// No row was written yet.
    Waiting,
    /// The file, and the wall-clock time before this process, s.
    Going(BufWriter<File>, f64),
    Stopped,
}

impl Clock {
    /// Returns a clock that starts now.
    pub(super) fn new(dir: &Path) -> Clock {
        Clock {
            dir: dir.to_path_buf(),
            since: Instant::now(),
            state: State::Waiting,
        }
    }

    pub(super) fn stop(&mut self) {
        self.state = State::Stopped;
    }

    /// Writes a row.
    pub(super) fn tick(&mut self, time: f64, events: u64) {
        if matches!(self.state, State::Waiting) {
            self.state = match begin(&self.dir, time) {
                Ok((out, before)) => State::Going(out, before),
                Err(_) => State::Stopped,
            };
        }
        if let State::Going(out, before) = &mut self.state {
            let wall = *before + self.since.elapsed().as_secs_f64();
            if writeln!(out, "{time},{wall:.6},{events}").is_err() {
                self.state = State::Stopped;
            }
        }
    }

    /// Flushes the buffer to the file.
    pub(super) fn flush(&mut self) {
        if let State::Going(out, _) = &mut self.state
            && out.flush().is_err()
        {
            self.state = State::Stopped;
        }
    }
}

/// Creates the file, or, in a resumed run, rewrites it with its rows before `time`; also returns the wall-clock time
/// of those.
fn begin(dir: &Path, time: f64) -> std::io::Result<(BufWriter<File>, f64)> {
    let mut before = clock(dir);
    before.truncate(before.partition_point(|tick| tick.time < time));
    let mut out = BufWriter::new(File::create(dir.join(FILE))?);
    out.write_all(HEAD.as_bytes())?;
    for tick in &before {
        writeln!(out, "{},{:.6},{}", tick.time, tick.wall, tick.events)?;
    }
    Ok((out, before.last().map_or(0.0, |tick| tick.wall)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_goes_on_where_a_run_is_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Clock::new(folder.path());
        for k in 0..4u32 {
            first.tick(f64::from(k), u64::from(10 * k));
        }
        first.flush();
        // The run repeats everything after the checkpoint.
        let mut second = Clock::new(folder.path());
        second.tick(2.0, 21);
        second.tick(3.0, 31);
        second.flush();
        let ticks = clock(folder.path());
        let rows: Vec<(f64, u64)> = ticks.iter().map(|t| (t.time, t.events)).collect();
        assert_eq!(rows, [(0.0, 0), (1.0, 10), (2.0, 21), (3.0, 31)]);
        assert!(ticks.windows(2).all(|w| w[1].wall >= w[0].wall));
    }

    #[test]
    fn a_file_that_cannot_be_written_or_read_ends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere");
        let mut lost = Clock::new(&nowhere);
        lost.tick(0.0, 1);
        lost.tick(1.0, 2);
        lost.flush();
        assert!(clock(&nowhere).is_empty());
        fs::write(
            folder.path().join(FILE),
            "time,wall,events\n0,1.5,7\n0.5,2,",
        )
        .unwrap();
        assert_eq!(clock(folder.path()).len(), 1);
        let mut silent = Clock::new(&nowhere);
        silent.stop();
        silent.tick(0.0, 1);
        assert!(clock(&nowhere).is_empty());
    }
}
