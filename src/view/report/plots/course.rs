//! Plots of the series: quantities and event rates over time.

use super::{Course, three};
use crate::event::{EventKind, Regime};
use crate::record::MODELS;
use crate::study::discharge::{block_rate, moving_rate};
use crate::view::plot::{Column, INK, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Indices of the regimes' colours, in their order, among those of the page: as in pictures.
const REGIMES: [usize; 4] = [5, 3, 7, 6];
/// Greatest number of curves in a plot.
const CURVES: usize = 8;
/// Kinds of events that only record output.
const BOOKKEEPING: [&str; 4] = ["log-state", "visualize", "checkpoint", "finish"];
/// Number of blocks for the error of a rate.
const BLOCKS: usize = 10;

pub(super) fn time(course: &Course<'_>) -> Column {
    Column::new("time", "s", course.time.clone())
}

/// Plots the number of grains that have left.
pub(super) fn discharged(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let counts = course.column("discharged");
    if !counts.iter().any(|n| *n > 0.0) {
        return None;
    }
    let mut plot = course.plot(
        "discharged",
        "Discharge",
        "grains discharged",
        Scaling::Even,
    );
    plot.about = "Grains removed through an outlet so far.".into();
    if let Some(d) = run.summary.discharge.filter(|d| d.count > 1) {
        plot.about += &format!(
            " From the first ({} s) to the last ({} s) {} grains left, {} a second.",
            three(d.first),
            three(d.last),
            d.count,
            three(d.mean_rate)
        );
    }
    plot.draw("", 0, Mark::Step(course.over_time(&counts)));
    plot.table = vec![time(course), Column::new("discharged", "1", counts)];
    Some(plot)
}

/// Returns the mean rate of discharge and its standard error, 1/s; none where too few grains have left.
pub(in crate::view::report) fn mean_rate(run: &Run) -> Option<(f64, f64)> {
    let d = run.summary.discharge.filter(|d| d.count >= 50)?;
    let (times, counts) = (run.column("time"), run.column("discharged"));
    let found = block_rate(&times, &counts, d.first, d.last, BLOCKS).ok()?;
    Some((d.mean_rate, found.error))
}

/// Plots the rate at which grains leave.
pub(super) fn rate(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let d = run
        .summary
        .discharge
        .filter(|d| d.count > 4 && d.last > d.first)?;
    let counts = course.column("discharged");
    let tick = course.time.get(1)? - course.time.first()?;
    let window = ((d.last - d.first) / 20.0).max(5.0 * tick);
    let rates = moving_rate(&course.time, &counts, window).ok()?;
    let mut plot = course.plot(
        "discharge-rate",
        "Rate of discharge",
        "grains a second (1/s)",
        Scaling::Even,
    );
    plot.about = format!(
        "Grains that leave within a window of {} s about each moment, over its length.",
        three(window)
    );
    plot.draw("moving average", 0, Mark::Line(course.over_time(&rates)));
    plot.draw(
        "mean from the first grain to the last",
        1,
        Mark::Dashed(vec![[d.first, d.mean_rate], [d.last, d.mean_rate]]),
    );
    if let Some((mean, error)) = mean_rate(run) {
        plot.about += &format!(
            " Mean {} \u{b1} {} 1/s: (count \u{2212} 1) / (last \u{2212} first), with the standard error \
             from {BLOCKS} equally long blocks.",
            three(mean),
            three(error)
        );
    }
    plot.table = vec![time(course), Column::new("discharge_rate", "1/s", rates)];
    Some(plot)
}

/// Plots the fraction of grains under each model.
pub(super) fn regimes(course: &Course<'_>) -> Option<Plot> {
    let all = [Regime::Flight, Regime::Cluster, Regime::Rest, Regime::Rigid];
    let counts = all.map(|regime| course.column(&format!("grains_{}", regime.name())));
    let total: Vec<f64> = (0..course.time.len())
        .map(|k| {
            counts
                .iter()
                .map(|c| c.get(k).copied().unwrap_or(0.0))
                .sum()
        })
        .collect();
    if course.time.len() < 2 || !total.iter().any(|n| *n > 0.0) {
        return None;
    }
    let mut plot = course.plot(
        "regimes",
        "Grains by regime",
        "share of the grains",
        Scaling::Tight,
    );
    plot.about = "Share of the grains under each model: flight on analytic paths, cluster integrated \
                  step by step, rest and rigid standing still (rigid: in groups that lock each other)."
        .into();
    plot.table = vec![time(course)];
    let mut lower = vec![0.0; total.len()];
    for (k, regime) in all.into_iter().enumerate() {
        let share: Vec<f64> = counts[k]
            .iter()
            .zip(&total)
            .map(|(n, all)| if *all > 0.0 { n / all } else { 0.0 })
            .collect();
        if share.iter().any(|s| *s > 0.0) {
            let upper: Vec<f64> = lower.iter().zip(&share).map(|(l, s)| l + s).collect();
            let area = (0..upper.len()).map(|i| [course.time[i], lower[i], upper[i]]);
            plot.draw(regime.name(), REGIMES[k], Mark::Area(area.collect()));
            lower = upper;
        }
        plot.table.push(Column::new(
            &format!("grains_{}", regime.name()),
            "1",
            counts[k].clone(),
        ));
    }
    Some(plot)
}

/// Returns the growth rate of a count of the series, over a window around each tick.
fn rates(course: &Course<'_>, counts: &[f64]) -> Vec<f64> {
    let rates = moving_rate(&course.time, counts, course.window());
    rates.unwrap_or_else(|_| vec![0.0; counts.len()])
}

/// Plots events per second of simulated time.
pub(super) fn events(course: &Course<'_>) -> Option<Plot> {
    let mut kinds: Vec<(&str, Vec<f64>)> = EventKind::ALL
        .into_iter()
        .map(|kind| {
            let name = format!("events_{}", kind.name().replace('-', "_"));
            (kind.name(), course.column(&name))
        })
        .filter(|(name, _)| !BOOKKEEPING.contains(name))
        .filter(|(_, counts)| counts.last().is_some_and(|n| *n > 0.0) && counts.len() > 2)
        .collect();
    if kinds.is_empty() {
        return None;
    }
    let most = |k: &(&str, Vec<f64>)| k.1.last().copied().unwrap_or(0.0);
    kinds.sort_by(|a, b| most(b).total_cmp(&most(a)));
    kinds.truncate(CURVES);
    let mut plot = course.plot("events", "Events", "events a second (1/s)", Scaling::Log);
    let figures = &course.run.summary.events;
    plot.about = format!(
        "Events by kind for each simulated second, over windows of {} s. In all {} events, {} for \
         each simulated second and {} for each second on the clock.",
        three(course.window()),
        figures.total,
        three(figures.per_virtual_second),
        three(figures.per_wall_second)
    );
    plot.table = vec![time(course)];
    for (k, (name, counts)) in kinds.into_iter().enumerate() {
        let rate = rates(course, &counts);
        plot.draw(name, k, Mark::Line(course.over_time(&rate)));
        plot.table.push(Column::new(name, "1/s", rate));
    }
    Some(plot)
}

/// Plots collisions per second.
pub(super) fn collisions(course: &Course<'_>) -> Option<Plot> {
    let mut plot = course.plot(
        "collisions",
        "Collisions",
        "collisions a second (1/s)",
        Scaling::Even,
    );
    plot.about = format!(
        "Collisions in flight for each simulated second, over windows of {} s.",
        three(course.window())
    );
    plot.table = vec![time(course)];
    let kinds = [("grain", "of two grains"), ("wall", "of grains with walls")];
    for (k, (name, words)) in kinds.into_iter().enumerate() {
        let counts = course.column(&format!("collisions_{name}"));
        if counts.len() > 2 && counts.last().is_some_and(|n| *n > 0.0) {
            let rate = rates(course, &counts);
            plot.draw(words, k, Mark::Line(course.over_time(&rate)));
            plot.table
                .push(Column::new(&format!("collisions_{name}"), "1/s", rate));
        }
    }
    (!plot.layers.is_empty()).then_some(plot)
}

/// Plots groups of grains at rest.
pub(super) fn groups(course: &Course<'_>) -> Option<Plot> {
    let mut plot = course.plot("groups", "Groups at rest", "number", Scaling::Even);
    plot.about = "Groups of grains that stand still and hang together by their links, grains in the largest of them, and \
                  rigid groups, in which all lock each other."
        .into();
    let columns = [
        ("rest_groups", "groups"),
        ("largest_rest_group", "grains in the largest"),
        ("rigid_groups", "rigid groups"),
    ];
    numbers(course, plot, columns)
}

/// Plots the processor's work by model, beside wall-clock time.
pub(super) fn work(course: &Course<'_>, clock: Option<Vec<[f64; 2]>>) -> Option<Plot> {
    let mut plot = course.plot(
        "work",
        "Work by model",
        "work over simulated time",
        Scaling::Log,
    );
    plot.about = format!(
        "Work of the processor for a simulated second under each model, over windows of {} s, as counted: steps, collisions and solves, \
         each by what it takes on a common machine. Beside it the time on the clock, in which all else is too.",
        three(course.window())
    );
    plot.table = vec![time(course)];
    for (k, model) in MODELS.into_iter().enumerate() {
        let sums = course.column(&format!("work_{model}"));
        if sums.len() > 2 && sums.last().is_some_and(|n| *n > 0.0) {
            let rate = rates(course, &sums);
            plot.draw(model, k, Mark::Line(course.over_time(&rate)));
            plot.table
                .push(Column::new(&format!("work_{model}"), "s/s", rate));
        }
    }
    if plot.layers.is_empty() {
        return None;
    }
    if let Some(points) = clock {
        plot.draw("on the clock", INK, Mark::Dashed(points));
    }
    Some(plot)
}

/// Plots links and clusters.
pub(super) fn contacts(course: &Course<'_>) -> Option<Plot> {
    let mut plot = course.plot("contacts", "Contacts", "number", Scaling::Even);
    plot.about = "Links: contacts that are open now, those that slide among them. Clusters: groups of grains \
                  that links connect."
        .into();
    let columns = [
        ("links", "links"),
        ("sliding", "links that slide"),
        ("clusters", "clusters"),
    ];
    numbers(course, plot, columns)
}

/// Plots columns of the series, given by name and label, that are not always 0; none if all are.
fn numbers(course: &Course<'_>, mut plot: Plot, columns: [(&str, &str); 3]) -> Option<Plot> {
    plot.table = vec![time(course)];
    for (k, (name, words)) in columns.into_iter().enumerate() {
        let values = course.column(name);
        if values.len() > 2 && values.iter().any(|n| *n > 0.0) {
            plot.draw(words, k, Mark::Line(course.over_time(&values)));
            plot.table.push(Column::new(name, "1", values));
        }
    }
    (!plot.layers.is_empty()).then_some(plot)
}

/// Plots the loads on walls.
pub(super) fn walls(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let axes = ["x", "y", "z"].into_iter().take(run.meta.dimensions);
    let axes: Vec<&str> = axes.collect();
    let mut loads: Vec<(String, Vec<f64>)> = Vec::new();
    let columns = run.series.columns.iter();
    let names =
        columns.filter_map(|(name, _)| name.strip_prefix("wall_")?.strip_suffix("_force_x"));
    for name in names {
        let parts: Vec<Vec<f64>> = axes
            .iter()
            .map(|axis| course.column(&format!("wall_{name}_force_{axis}")))
            .collect();
        let size = |k: usize| parts.iter().map(|p| p[k] * p[k]).sum::<f64>().sqrt();
        let size: Vec<f64> = (0..course.time.len()).map(size).collect();
        if size.iter().any(|f| *f > 0.0) {
            loads.push((name.to_string(), size));
        }
    }
    if loads.is_empty() || course.time.len() < 3 {
        return None;
    }
    let mean = |v: &[f64]| v.iter().filter(|f| f.is_finite()).sum::<f64>();
    loads.sort_by(|a, b| mean(&b.1).total_cmp(&mean(&a.1)));
    loads.truncate(CURVES);
    let unit = if run.meta.dimensions == 2 { "N/m" } else { "N" };
    let mut plot = course.plot(
        "wall-loads",
        "Loads of the walls",
        &format!("force ({unit})"),
        Scaling::Even,
    );
    let window = course.window();
    plot.about = format!(
        "Size of the mean force of the grains on each wall since the tick before, drawn as means over \
         {} s; the table has each tick.",
        three(window)
    );
    plot.table = vec![time(course)];
    for (k, (name, load)) in loads.into_iter().enumerate() {
        plot.draw(&name, k, Mark::Line(smooth(&course.time, &load, window)));
        plot.table
            .push(Column::new(&format!("{name}_force"), unit, load));
    }
    Some(plot)
}

/// Plots the work done by walls.
pub(super) fn wall_work(run: &Run, course: &Course<'_>) -> Option<Plot> {
    let columns = run.series.columns.iter();
    let named = columns.filter_map(|(name, _)| name.strip_prefix("wall_")?.strip_suffix("_work"));
    let mut works: Vec<(String, Vec<f64>)> = named
        .map(|name| {
            (
                name.to_string(),
                course.column(&format!("wall_{name}_work")),
            )
        })
        .filter(|(_, work)| work.iter().any(|w| *w != 0.0))
        .collect();
    if works.is_empty() || course.time.len() < 3 {
        return None;
    }
    let done = |work: &[f64]| work.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
    works.sort_by(|a, b| done(&b.1).total_cmp(&done(&a.1)));
    let all: f64 = works.iter().filter_map(|(_, work)| work.last()).sum();
    works.truncate(CURVES);
    let mut plot = course.plot("wall-work", "Work of the walls", "work (J)", Scaling::Even);
    plot.about = format!(
        "Work that moving walls did on grains so far; where grains drive a wall it is negative. All together: {} J.",
        three(all)
    );
    plot.table = vec![time(course)];
    for (k, (name, work)) in works.into_iter().enumerate() {
        plot.draw(&name, k, Mark::Line(course.over_time(&work)));
        plot.table
            .push(Column::new(&format!("{name}_work"), "J", work));
    }
    Some(plot)
}

/// Returns averages over a window around each tick.
fn smooth(times: &[f64], values: &[f64], window: f64) -> Vec<[f64; 2]> {
    let (mut low, mut high, mut sum) = (0, 0, 0.0);
    let mut points = Vec::with_capacity(times.len());
    for &time in times {
        while high < times.len() && times[high] <= time + 0.5 * window {
            sum += values[high];
            high += 1;
        }
        while times[low] < time - 0.5 * window {
            sum -= values[low];
            low += 1;
        }
        points.push([time, (sum / (high - low).max(1) as f64).max(0.0)]);
    }
    points
}

/// Colour of text, for theoretical curves.
pub(super) const THEORY: usize = INK;
