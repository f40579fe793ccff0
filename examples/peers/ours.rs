//! Runs of Arenite in this process, on one thread.

use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::record::{
    AvalancheRow, EventRow, GrainRow, LinkRow, RecordError, SeriesRow, Sink, Summary,
};
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::system::{Control, Driver, Setup, System};

use super::{Fallible, Run, clock};

/// Drops all rows, and knows when they came.
#[derive(Default)]
pub struct Marks {
    /// Time of each row of the series, s, and processor time then, s.
    pub rows: Vec<(f64, f64)>,
    /// Grains that neither stood still nor flew at each of them.
    pub moving: Vec<u64>,
    /// Grains of each snapshot.
    pub snapshots: Vec<Vec<GrainRow>>,
    /// Whether snapshots are kept.
    pub keep: bool,
}

impl Sink for Marks {
    fn event(&mut self, _: &EventRow) -> Result<(), RecordError> {
        Ok(())
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), RecordError> {
        self.rows.push((row.time, clock::own()));
        self.moving.push(row.by_regime[1]);
        Ok(())
    }
    fn snapshot(&mut self, grains: &[GrainRow], _: &[LinkRow]) -> Result<(), RecordError> {
        if self.keep {
            self.snapshots.push(grains.to_vec());
        }
        Ok(())
    }
    fn avalanche(&mut self, _: &AvalancheRow) -> Result<(), RecordError> {
        Ok(())
    }
    fn checkpoint(&mut self, _: &[u8]) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Runs to the end: marks, figures, and processor time at the end, s.
pub fn drive(simulation: &mut dyn Driver, mut marks: Marks) -> Fallible<(Marks, Summary, f64)> {
    let stop = AtomicBool::new(false);
    simulation.run(&mut marks, &mut Control::new(&stop))?;
    let end = clock::own();
    Ok((marks, simulation.summary(), end))
}

/// The same of a setup step by step.
pub fn run<D: Integrate>(setup: Setup<D>, marks: Marks) -> Fallible<(Marks, Summary, f64)> {
    drive(&mut System::new(setup)?, marks)
}

/// From the first row at time 0 on, so that settling, the first lists and the first forces do not count.
pub fn from_time_0<D: Integrate>(setup: Setup<D>) -> Fallible<Run> {
    counted(&mut System::new(setup)?)
}

/// The same of any run.
pub fn counted(simulation: &mut dyn Driver) -> Fallible<Run> {
    let (marks, summary, end) = drive(simulation, Marks::default())?;
    let begin = marks.rows.iter().find(|(time, _)| *time >= 0.0);
    let begin = begin.ok_or("the run has no series")?.1;
    Ok(told(&summary, end - begin))
}

/// From the making of the system on.
pub fn whole<D: Integrate>(setup: Setup<D>) -> Fallible<Run> {
    let begin = clock::own();
    let (_, summary, end) = run(setup, Marks::default())?;
    Ok(told(&summary, end - begin))
}

fn told(summary: &Summary, seconds: f64) -> Run {
    let left = summary.grains.last;
    let (kinetic, error) = (summary.energy.kinetic, summary.energy.balance_error);
    Run {
        seconds,
        grain_steps: summary.work.grain_steps as f64,
        tells: format!(
            "{left} grains and {kinetic:.3e} J left, balance to {error:.0e}, {} collisions",
            summary.work.collisions
        ),
        through: summary.jam.is_none(),
    }
}

/// A scenario by its name with values put for those in it.
pub fn scenario(name: &str, values: &[(&str, String)]) -> Fallible<AnySetup> {
    let overrides: Vec<Override> = values
        .iter()
        .map(|(key, value)| Override::option("PEERS", key, value))
        .collect();
    resolve(Scenario::load(name, &overrides))
}

/// A scenario from its text.
pub fn written(text: &str) -> Fallible<AnySetup> {
    resolve(Scenario::parse("peers", text, None, &[]))
}

fn resolve(scenario: Result<Scenario, arenite::scenario::Problem>) -> Fallible<AnySetup> {
    let resolved = scenario.and_then(|s| s.resolve());
    Ok(resolved.map_err(|problem| problem.render(false))?.setup)
}
