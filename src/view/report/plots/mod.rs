//! Selects the plots of a report: all for which the run recorded data.

mod clock;
mod course;
mod energy;
mod field;
mod heat;
mod maps;
mod motion;
mod packing;
mod samples;
mod sides;
mod sizes;
mod speeds;

pub(super) use course::mean_rate;

use super::kept::kept;
use super::run::Run;
use crate::record::RecordError;
use crate::view::plot::{Axis, Plot, Scaling};

/// Limit on the rows of a table behind a plot; of longer series every second, third, ... tick is used.
const ROWS: usize = 20_000;

/// Returns the plots of a run, in display order.
///
/// # Errors
/// A table that cannot be read; a missing one is skipped.
pub(super) fn plots(run: &Run) -> Result<Vec<Plot>, RecordError> {
    let course = Course::new(run);
    let kept = match run.frames {
        Some(_) => kept(&run.dir)?,
        None => Vec::new(),
    };
    let mut plots = Vec::new();
    plots.extend(course::discharged(run, &course));
    plots.extend(course::rate(run, &course));
    plots.extend(course::regimes(&course));
    plots.extend(energy::stacked(&course));
    plots.extend(energy::motion(&course));
    plots.extend(energy::balance(&course));
    plots.extend(course::events(&course));
    plots.extend(course::collisions(&course));
    let ticks = clock::ticks(run);
    plots.extend(clock::events(&course, &ticks));
    plots.extend(clock::efficiency(&course, &ticks));
    plots.extend(course::work(&course, clock::pace(&course, &ticks)));
    plots.extend(course::contacts(&course));
    plots.extend(course::groups(&course));
    plots.extend(packing::contact_number(run, &kept));
    plots.extend(course::walls(run, &course));
    plots.extend(course::wall_work(run, &course));
    plots.extend(samples::meters(run, &course));
    plots.extend(samples::stress(run, &course));
    plots.extend(packing::pressure(run));
    plots.extend(packing::forces(run));
    plots.extend(field::velocity(run));
    plots.extend(maps::maps(run, &kept));
    plots.extend(sides::alternating(run));
    plots.extend(field::stagnant(run)?);
    plots.extend(field::wear(run)?);
    plots.extend(heat::slides(run)?);
    plots.extend(sizes::avalanches(run)?);
    plots.extend(sizes::impacts(run)?);
    plots.extend(motion::plots(run));
    plots.extend(speeds::velocities(run));
    Ok(plots)
}

/// The series, thinned if it is long.
struct Course<'a> {
    run: &'a Run,
    /// One of this many rows is used.
    every: usize,
    time: Vec<f64>,
    /// Times to mark by a line: the start after a settling, jams.
    marks: Vec<(f64, String)>,
}

impl<'a> Course<'a> {
    fn new(run: &'a Run) -> Course<'a> {
        let rows = run.series.rows;
        let mut course = Course {
            run,
            every: rows.div_ceil(ROWS).max(1),
            time: Vec::new(),
            marks: Vec::new(),
        };
        course.time = course.column("time");
        if course.time.first().is_some_and(|t| *t < 0.0) {
            course.marks.push((0.0, "start".into()));
        }
        let jams = run.summary.jams.iter().chain(&run.summary.jam);
        for jam in jams {
            if !course.marks.iter().any(|m| m.0 == jam.time) {
                course.marks.push((jam.time, "jam".into()));
            }
        }
        course
    }

    /// Returns a column of the series.
    fn column(&self, name: &str) -> Vec<f64> {
        let all = self.run.column(name);
        let last = all.len().saturating_sub(1);
        let rows = all.into_iter().enumerate();
        rows.filter(|(k, _)| k.is_multiple_of(self.every) || *k == last)
            .map(|(_, value)| value)
            .collect()
    }

    /// Returns points over time.
    fn over_time(&self, values: &[f64]) -> Vec<[f64; 2]> {
        let times = self.time.iter().copied();
        times
            .zip(values.iter().copied())
            .map(<[f64; 2]>::from)
            .collect()
    }

    /// Returns an empty plot over time.
    fn plot(&self, id: &'static str, title: &str, y: &str, scaling: Scaling) -> Plot {
        let mut plot = Plot::new(
            id,
            title,
            Axis::new("time (s)", Scaling::Tight),
            Axis::new(y, scaling),
        );
        plot.timed = true;
        plot.marks = self.marks.clone();
        plot
    }

    /// Returns the length of a window for rates: a fortieth of the run, at least five ticks.
    fn window(&self) -> f64 {
        let (Some(first), Some(last)) = (self.time.first(), self.time.last()) else {
            return 1.0;
        };
        let tick = (last - first) / self.time.len().saturating_sub(1).max(1) as f64;
        ((last - first) / 40.0).max(5.0 * tick)
    }
}

/// Formats a number with three digits.
pub(super) fn three(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) {
        let digits = (2.0 - libm::log10(size.max(1e-300)).floor()).clamp(0.0, 5.0) as usize;
        let digits = if size == 0.0 { 0 } else { digits };
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    }
}
