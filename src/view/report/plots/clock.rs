//! Plots of wall-clock performance: rate of events, and simulated time per second.

use super::{Course, ROWS, three};
use crate::record::read::{Tick, clock};
use crate::view::plot::{Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Returns the run's clock, thinned like its series; empty if it has none.
pub(super) fn ticks(run: &Run) -> Vec<Tick> {
    let all = clock(&run.dir);
    let every = all.len().div_ceil(ROWS).max(1);
    all.into_iter().step_by(every).collect()
}

/// Returns for each tick the rate of `what` per second of wall-clock time, within a window of simulated time.
fn rates(ticks: &[Tick], window: f64, what: fn(&Tick) -> f64) -> Vec<f64> {
    let rate = |tick: &Tick| {
        let from = ticks.partition_point(|t| t.time < tick.time - 0.5 * window);
        let to = ticks.partition_point(|t| t.time <= tick.time + 0.5 * window);
        let (first, last) = (&ticks[from], &ticks[to.saturating_sub(1).max(from)]);
        let wall = last.wall - first.wall;
        match wall > 0.0 {
            true => (what(last) - what(first)) / wall,
            false => f64::NAN,
        }
    };
    ticks.iter().map(rate).collect()
}

fn points(ticks: &[Tick], values: &[f64]) -> Vec<[f64; 2]> {
    let both = ticks.iter().zip(values);
    both.filter(|(_, value)| value.is_finite())
        .map(|(tick, value)| [tick.time, *value])
        .collect()
}

fn table(ticks: &[Tick]) -> Vec<Column> {
    vec![
        Column::new("time", "s", ticks.iter().map(|t| t.time).collect()),
        Column::new("wall", "s", ticks.iter().map(|t| t.wall).collect()),
    ]
}

/// Plots the events handled per second of wall-clock time.
pub(super) fn events(course: &Course<'_>, ticks: &[Tick]) -> Option<Plot> {
    let grows = ticks.last()?.events > ticks.first()?.events;
    if ticks.len() < 3 || !grows {
        return None;
    }
    let rate = rates(ticks, course.window(), |tick| tick.events as f64);
    let mut plot = course.plot(
        "event-rate-clock",
        "Events on the clock",
        "events a second on the clock (1/s)",
        Scaling::Log,
    );
    plot.about = format!(
        "Events handled in a second on the clock, over windows of {} s of simulated time. It depends on the machine, \
         and on what else it did.",
        three(course.window())
    );
    plot.draw("", 0, Mark::Line(points(ticks, &rate)));
    plot.table = table(ticks);
    plot.table
        .push(Column::new("event_rate_clock", "1/s", rate));
    Some(plot)
}

/// Returns the seconds of wall-clock time per simulated second; none if the run has no clock.
pub(super) fn pace(course: &Course<'_>, ticks: &[Tick]) -> Option<Vec<[f64; 2]>> {
    let rate = rates(ticks, course.window(), |tick| tick.time);
    let drawn = points(ticks, &rate).into_iter();
    let drawn: Vec<[f64; 2]> = drawn
        .filter(|[_, rate]| *rate > 0.0)
        .map(|[time, rate]| [time, 1.0 / rate])
        .collect();
    (ticks.len() > 2 && !drawn.is_empty()).then_some(drawn)
}

/// Plots the simulated time per second of wall-clock time.
pub(super) fn efficiency(course: &Course<'_>, ticks: &[Tick]) -> Option<Plot> {
    if ticks.len() < 3 {
        return None;
    }
    let rate = rates(ticks, course.window(), |tick| tick.time);
    let drawn = points(ticks, &rate);
    if drawn.is_empty() {
        return None;
    }
    let mut plot = course.plot(
        "efficiency",
        "Efficiency",
        "simulated time over time on the clock",
        Scaling::Log,
    );
    plot.about = format!(
        "Simulated time over time on the clock, over windows of {} s of simulated time: above 1 the run is faster than \
         what it simulates.",
        three(course.window())
    );
    plot.draw("", 0, Mark::Line(drawn));
    plot.table = table(ticks);
    plot.table.push(Column::new("efficiency", "1", rate));
    Some(plot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_clock() {
        // A tenth of a second is simulated per second of wall-clock time, with 50 events; the second half is twice as
        // fast.
        let tick = |k: u32| {
            let wall = if k < 10 {
                f64::from(k)
            } else {
                0.5 * f64::from(k + 10)
            };
            Tick {
                time: 0.1 * f64::from(k),
                wall,
                events: u64::from(50 * k),
            }
        };
        let ticks: Vec<Tick> = (0..=20).map(tick).collect();
        let events = rates(&ticks, 0.25, |t| t.events as f64);
        assert!((events[3] - 50.0).abs() < 1e-9 && (events[17] - 100.0).abs() < 1e-9);
        let simulated = rates(&ticks, 0.25, |t| t.time);
        assert!((simulated[3] - 0.1).abs() < 1e-9 && (simulated[17] - 0.2).abs() < 1e-9);
    }
}
