//! `arenite sweep`: executes many runs and writes one table.

mod plan;
mod progress;
mod told;

use std::path::PathBuf;

use super::SweepArgs;
use super::failure::Failure;
use super::interrupt;
use super::report::{message, print, print_json};
use super::together::{self, Job};
use crate::ranks::Ranks;
use crate::record::{RecordError, write_file};
use crate::sweep::{
    self, Done, Keep, Look, OVERRIDES, Options, Point, Row, Shard, Sweep, SweepError,
    study::SweepStudy,
};

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Problem(problem) => Failure::Scenario(problem),
            SweepError::Record(error) => error.into(),
            SweepError::Threads(_)
            | SweepError::Rank { .. }
            | SweepError::Unlike { .. }
            | SweepError::Apart { .. }
            | SweepError::Messages(_) => Failure::Run(error.to_string()),
        }
    }
}

/// Runs a sweep, or the rest of it, with all processes that were started together; prints the results of all runs.
pub(super) fn sweep(args: &SweepArgs) -> Result<(), Failure> {
    let ranks = together::begin(match args.shard {
        Some(_) => Job::Part,
        None => Job::Sweep,
    })?;
    let done = asked(args, &ranks);
    // Only rank 0 reports, and its status counts.
    if ranks.rank() == 0 { done } else { Ok(()) }
}

fn asked(args: &SweepArgs, ranks: &dyn Ranks) -> Result<(), Failure> {
    let call = together::agreed(ranks, load(args, ranks))?;
    match (args.check || args.merge, ranks.rank()) {
        (false, _) => call.run(),
        (true, 0) if args.check => plan::check(&call),
        (true, 0) => call.merge(),
        (true, _) => Ok(()),
    }
}

fn load<'a>(args: &'a SweepArgs, ranks: &'a dyn Ranks) -> Result<Call<'a>, Failure> {
    let sweep = Sweep::load(&args.file, &args.set)?;
    let dir = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("runs").join(format!("sweep-{}", sweep.name)));
    let points = sweep.points()?;
    let threads = args.threads.map_or_else(
        || match ranks.size() {
            1 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            // The launcher of the processes has assigned the cores.
            _ => 1,
        },
        usize::from,
    );
    Ok(Call {
        args,
        ranks,
        sweep,
        points,
        dir,
        threads,
    })
}

/// A call of the command.
struct Call<'a> {
    args: &'a SweepArgs,
    ranks: &'a dyn Ranks,
    sweep: Sweep,
    points: Vec<Point>,
    dir: PathBuf,
    threads: usize,
}

impl Call<'_> {
    fn say(&self, text: &str) {
        if !self.quiet() {
            message(text);
        }
    }

    /// Whether this process prints nothing.
    fn quiet(&self) -> bool {
        self.args.quiet || self.ranks.rank() != 0
    }

    /// Refuses a folder that contains files with the names of a sweep's, but no sweep.
    fn refuse_strange(&self) -> Result<(), Failure> {
        let ours = |name: &str| {
            let text = std::fs::read_to_string(self.dir.join(name));
            text.is_ok_and(|text| text == self.sweep.text)
        };
        if self.dir.join("rows").is_dir() || ours("sweep.toml") {
            return Ok(());
        }
        let names = [
            "sweep.toml",
            "sweep.csv",
            "sweep.parquet",
            "study.json",
            OVERRIDES,
        ];
        match names.iter().find(|name| self.dir.join(name).exists()) {
            None => Ok(()),
            Some(name) => Err(Failure::Input(format!(
                "{} is there, but no rows of a sweep beside it; choose another folder with -o, or move it away",
                self.dir.join(name).display()
            ))),
        }
    }

    /// Marks the folder as that of the sweep.
    fn begin(&self) -> Result<(), Failure> {
        self.refuse_strange()?;
        let others = sweep::others(&self.points, &self.dir);
        if others > 0 {
            self.say(&format!(
                "{} holds {} of other points, as of an earlier state of the sweep file: kept, but not in the table",
                self.dir.display(),
                runs(others)
            ));
        }
        let rows = self.dir.join("rows");
        std::fs::create_dir_all(&rows).map_err(RecordError::io("cannot create", &rows))?;
        self.keep_overrides()
    }

    fn run(&self) -> Result<(), Failure> {
        let begun = match self.ranks.rank() {
            0 => self.begin(),
            _ => Ok(()),
        };
        together::agreed(self.ranks, begun)?;
        let stop = interrupt::flag(self.quiet());
        let meter = (!self.quiet()).then(progress::Meter::new);
        let look = |look: &Look| {
            if let Some(meter) = &meter {
                meter.update(look);
            }
        };
        let options = Options {
            dir: &self.dir,
            shard: self.args.shard,
            threads: self.threads,
            keep: self.args.keep.map_or(self.sweep.spec.keep, Keep::from),
            retry: self.args.retry,
            stop,
            look: &look,
        };
        let done = sweep::run_over(&self.sweep, &options, self.ranks);
        if let Some(meter) = &meter {
            meter.end();
        }
        let done = done?;
        if self.ranks.rank() != 0 {
            return Ok(());
        }
        let rows = sweep::read_rows(&self.points, &self.dir);
        if let Some(shard) = self.args.shard {
            let part = self.part(&rows, shard);
            self.write(&part, Some(shard))?;
        }
        let whole = rows.iter().all(Option::is_some);
        if self.args.shard.is_none() || whole {
            self.write(&rows, None)?;
        }
        if done.stopped {
            let left = rows.iter().filter(|row| row.is_none()).count();
            return Err(Failure::Interrupted(format!(
                "interrupted with {} to go; go on with the same command (table so far in {})",
                runs(left),
                self.dir.display()
            )));
        }
        self.result(&rows, &done)
    }

    /// Stores the settings of the command line, which are part of the sweep in the folder.
    fn keep_overrides(&self) -> Result<(), Failure> {
        let file = self.dir.join(OVERRIDES);
        if self.args.set.is_empty() {
            if file.exists() {
                write_file(&file, b"[]\n")?;
            }
            return Ok(());
        }
        let given = self.args.set.iter();
        let given: Vec<String> = given.map(|o| format!("{}={}", o.path, o.value)).collect();
        let mut text = serde_json::to_string_pretty(&given)
            .map_err(|why| Failure::Run(format!("cannot write what was set: {why}")))?;
        text.push('\n');
        write_file(&file, text.as_bytes())?;
        Ok(())
    }

    /// Returns the rows of one part only.
    fn part(&self, rows: &[Option<Row>], shard: Shard) -> Vec<Option<Row>> {
        let ours = |(point, row): (&Point, &Option<Row>)| {
            row.clone().filter(|_| shard.holds(point.number))
        };
        self.points.iter().zip(rows).map(ours).collect()
    }

    fn write(&self, rows: &[Option<Row>], shard: Option<Shard>) -> Result<(), Failure> {
        let table = sweep::table(&self.sweep, &self.points, rows);
        sweep::write_table(&table, &self.dir, shard)?;
        Ok(())
    }

    /// Merges the rows of all parts.
    fn merge(&self) -> Result<(), Failure> {
        let rows = sweep::read_rows(&self.points, &self.dir);
        let missing: Vec<&Point> = self
            .points
            .iter()
            .zip(&rows)
            .filter_map(|(point, row)| row.is_none().then_some(point))
            .collect();
        if let Some(first) = missing.first() {
            return Err(Failure::Input(format!(
                "{}: {} of {} are not there, the first of them run {} ({}); run them, or copy the `rows` of the other parts here",
                self.dir.display(),
                missing.len(),
                runs(rows.len()),
                first.number,
                first.label
            )));
        }
        self.write(&rows, None)?;
        let failed = |row: &&Option<Row>| row.as_ref().is_some_and(|row| row.error.is_some());
        let look = Look {
            all: rows.len(),
            there: rows.len(),
            failed: rows.iter().filter(failed).count(),
            ..Look::default()
        };
        let done = Done {
            look,
            ..Done::default()
        };
        self.result(&rows, &done)
    }

    /// Prints the result of the sweep and the statistics of all runs.
    fn result(&self, rows: &[Option<Row>], done: &Done) -> Result<(), Failure> {
        let missing = rows.iter().filter(|row| row.is_none()).count();
        if done.elsewhere > 0 {
            self.say(&format!(
                "{} under way in another process: the table lacks them until `--merge`",
                are(done.elsewhere)
            ));
        }
        let failed = self.points.iter().zip(rows).filter_map(|(point, row)| {
            let error = row.as_ref()?.error.as_deref()?;
            Some(format!(
                "run {} failed: {error} ({})",
                point.number, point.label
            ))
        });
        let failed: Vec<String> = failed.collect();
        for text in failed.iter().take(MOST_TOLD) {
            self.say(text);
        }
        if failed.len() > MOST_TOLD {
            self.say(&format!("and {} more failed", failed.len() - MOST_TOLD));
        }
        if let Some(shard) = self.args.shard
            && missing > 0
        {
            if self.args.quiet {
                return Ok(());
            }
            return print(
                format!(
                    "part {shard} of {}: {} done; of all parts {} to go\n",
                    self.sweep.name,
                    runs(done.look.there + done.look.ended),
                    runs(missing)
                )
                .as_bytes(),
            );
        }
        let found = sweep::study::study(&self.sweep, &self.points, rows);
        self.keep_study(&found)?;
        if let Some(path) = &self.args.plot {
            told::plot(&self.sweep, &found, path)?;
        }
        if !failed.is_empty() && failed.len() == rows.len() {
            return Err(Failure::Run("all runs failed".into()));
        }
        if self.args.json {
            let value = serde_json::to_value(&found)
                .map_err(|why| Failure::Run(format!("cannot write the study: {why}")))?;
            return print_json(&value);
        }
        if self.args.quiet {
            return Ok(());
        }
        print(told::text(&self.sweep, &found, rows, &self.dir).as_bytes())
    }

    fn keep_study(&self, found: &SweepStudy) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(found)
            .map_err(|why| Failure::Run(format!("cannot write the study: {why}")))?;
        text.push('\n');
        write_file(&self.dir.join("study.json"), text.as_bytes())?;
        Ok(())
    }
}

/// Greatest number of failures listed one by one.
const MOST_TOLD: usize = 5;

/// Formats a number of runs.
fn runs(count: usize) -> String {
    match count {
        1 => "1 run".into(),
        count => format!("{count} runs"),
    }
}

fn are(count: usize) -> String {
    match count {
        1 => "1 run is".into(),
        count => format!("{count} runs are"),
    }
}
