//! A run that goes on from each of its checkpoints is the run that was never stopped.

use std::fmt::Debug;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arenite::cluster::integrate::Integrate;
use arenite::record::{
    AvalancheRow, EventRow, GrainRow, ImpactRow, LinkRow, RecordError, SeriesRow, Sink, Summary,
    WearRow, ZoneRow,
};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{Control, Outcome, Setup, SystemError, driver_of};

/// All that a run hands over, in words, and its checkpoints.
#[derive(Default)]
struct Log {
    rows: Vec<String>,
    states: Vec<Vec<u8>>,
    series: Vec<SeriesRow>,
    /// Number of rows at each checkpoint.
    at: Vec<usize>,
    /// Whether each second checkpoint is the last that the run does, as when it is killed there.
    deadly: bool,
}

impl Log {
    /// Without what came after it: the row of where a run was interrupted.
    fn forget_since_checkpoint(&mut self) {
        let rows = self.at.last().map_or(0, |&rows| rows);
        let series = |row: &&String| row.starts_with("SeriesRow");
        let later = self.rows[rows..].iter().filter(series).count();
        self.series.truncate(self.series.len() - later);
        self.rows.truncate(rows);
    }

    fn note(&mut self, row: &dyn Debug) -> Result<(), RecordError> {
        self.rows.push(format!("{row:?}"));
        Ok(())
    }
}

impl Sink for Log {
    fn event(&mut self, row: &EventRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.series.push(row.clone());
        self.note(row)
    }
    fn snapshot(&mut self, grains: &[GrainRow], links: &[LinkRow]) -> Result<(), RecordError> {
        self.note(&(grains, links))
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), RecordError> {
        self.note(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), RecordError> {
        self.states.push(state.to_vec());
        self.at.push(self.rows.len());
        match self.deadly && self.states.len() % 2 == 1 {
            false => Ok(()),
            true => Err(RecordError::Damaged {
                path: "trial".into(),
                what: "killed".into(),
            }),
        }
    }
}

/// Runs on from a state to the end, to an interruption, or until it is killed. The figures of a run that came to its end.
fn go_on<D: Integrate>(
    setup: &Setup<D>,
    state: Option<&[u8]>,
    log: &mut Log,
    limit: Option<Duration>,
) -> Result<Option<Summary>, String> {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    control.wall_limit = limit;
    let mut run = driver_of(setup.clone(), state).map_err(|e| e.to_string())?;
    match run.run(log, &mut control) {
        Ok(Outcome::Interrupted) => {
            log.forget_since_checkpoint();
            Ok(None)
        }
        Ok(_) => {
            let mut figures = run.summary();
            figures.time.wall = 0.0;
            figures.events.per_wall_second = 0.0;
            Ok(Some(figures))
        }
        Err(SystemError::Record(_)) if log.deadly => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether two states are the same but for the seconds on the clock: eight bytes in a row.
fn same_but_for_the_clock(a: &[u8], b: &[u8]) -> bool {
    let differ = |k: &usize| a[*k] != b[*k];
    let first = (0..a.len().min(b.len())).find(differ);
    let last = (0..a.len().min(b.len())).rev().find(differ);
    a.len() == b.len() && first.zip(last).is_none_or(|(first, last)| last - first < 8)
}

/// What was found on the way through the cases.
#[derive(Default, Debug)]
pub(super) struct Found {
    pub(super) cases: usize,
    pub(super) checkpoints: usize,
    pub(super) interrupts: usize,
    pub(super) sliding: usize,
    pub(super) flying: usize,
    pub(super) still: usize,
    /// With grains still to come, or to leave.
    pub(super) amid: usize,
}

impl Found {
    pub(super) fn add(&mut self, other: &Found) {
        let own = [
            &mut self.cases,
            &mut self.checkpoints,
            &mut self.interrupts,
            &mut self.sliding,
            &mut self.flying,
            &mut self.still,
            &mut self.amid,
        ];
        let more = [
            other.cases,
            other.checkpoints,
            other.interrupts,
            other.sliding,
            other.flying,
            other.still,
            other.amid,
        ];
        for (own, more) in own.into_iter().zip(more) {
            *own += more;
        }
    }
}

pub(super) fn resumes<D: Integrate>(setup: &Setup<D>, found: &mut Found) -> Result<(), String> {
    let mut whole = Log::default();
    let figures = go_on(setup, None, &mut whole, None)?.ok_or("it was interrupted")?;
    let figures = format!("{figures:?}");
    found.cases += 1;
    // Killed at each checkpoint, and on from there.
    let mut log = Log {
        deadly: true,
        ..Log::default()
    };
    let mut state: Option<Vec<u8>> = None;
    loop {
        let before = log.states.len();
        let end = go_on(setup, state.as_deref(), &mut log, None)?;
        if let Some(end) = end {
            let end = format!("{end:?}");
            if end != figures {
                return Err(format!("figures differ:\n{figures}\n{end}"));
            }
            break;
        }
        if log.states.len() == before {
            return Err("it ended without an end".into());
        }
        state = log.states.last().cloned();
    }
    for (k, (again, first)) in log.states.iter().zip(&whole.states).enumerate() {
        if !same_but_for_the_clock(again, first) {
            return Err(format!("checkpoint {k} differs"));
        }
    }
    if log.rows != whole.rows || log.at != whole.at {
        return Err("rows differ".into());
    }
    found.checkpoints += whole.states.len();
    for (k, &rows) in whole.at.iter().enumerate() {
        // The last row of the series before that checkpoint tells what went on.
        let count = whole.rows[..rows]
            .iter()
            .filter(|row| row.starts_with("SeriesRow"))
            .count();
        let (Some(then), Some(end)) = (whole.series[..count].last(), whole.series.last()) else {
            return Err(format!("no row before checkpoint {k}"));
        };
        found.sliding += usize::from(then.sliding > 0);
        found.flying += usize::from(then.by_regime[0] > 0);
        found.still += usize::from(then.by_regime[2] + then.by_regime[3] > 0);
        found.amid += usize::from(then.grains != end.grains || then.discharged != end.discharged);
    }
    // Stopped by the clock, as Ctrl-C does: amid settling too.
    if setup.run.settle.is_some() {
        let mut log = Log::default();
        let mut state: Option<Vec<u8>> = None;
        let mut stops = 0;
        let end = loop {
            // Some times: each goes on from where the one before was stopped.
            let limit = (stops < 4).then_some(Duration::ZERO);
            if let Some(end) = go_on(setup, state.as_deref(), &mut log, limit)? {
                break end;
            }
            stops += 1;
            state = log.states.last().cloned();
        };
        if format!("{end:?}") != figures || log.rows != whole.rows {
            return Err(format!("it was stopped {stops} times and is another"));
        }
        found.interrupts += stops;
    }
    Ok(())
}

pub(super) fn resolve(text: &str) -> Result<AnySetup, String> {
    Scenario::parse("trial", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .map(|resolved| resolved.setup)
        .map_err(|problem| problem.render(false))
}
