//! Plots of a sweep: figures against varied keys, as curves, dots or maps.

use super::groups::{Bar, Group, Key};
use super::source::Source;
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling, Tile};
use crate::view::report::plots::three;

/// Greatest number of curves in a plot: beyond it, dots.
const CURVES: usize = 8;
/// Greatest number of tiles of a map along an axis.
const TILES: usize = 60;

/// A figure of the runs.
pub(super) struct Figure<'a> {
    /// Name in the table.
    pub(super) name: &'a str,
    pub(super) title: String,
    pub(super) unit: &'a str,
    pub(super) about: String,
    pub(super) value: &'a dyn Fn(&Group) -> Option<Bar>,
}

/// Converts a name to one that is valid in a page and as a file name.
pub(super) fn slug(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c.is_ascii_alphanumeric() {
            true => text.push(c.to_ascii_lowercase()),
            false if !text.ends_with('-') && !text.is_empty() => text.push('-'),
            false => {}
        }
    }
    text.trim_end_matches('-').to_string()
}

/// Returns a figure's name with its unit.
fn label(name: &str, unit: &str) -> String {
    match unit {
        "" | "1" => name.into(),
        unit => format!("{name} ({unit})"),
    }
}

/// Returns the scaling of a key's axis: `even` unless it is logarithmic.
fn scaling(key: &Key, even: Scaling) -> Scaling {
    if key.log { Scaling::Log } else { even }
}

/// Plots a figure against a key.
pub(super) fn along(
    source: &Source,
    groups: &[Group],
    keys: &[Key],
    key: &Key,
    figure: &Figure<'_>,
) -> Option<Plot> {
    let id = format!("{}-by-{}", slug(figure.name), slug(&key.name));
    let title = format!("{} by {}", figure.title, key.name);
    let unit = source.column(&key.name).map_or("", |column| &column.unit);
    let mut plot = Plot::new(
        id,
        &title,
        Axis::new(&label(&key.name, unit), scaling(key, Scaling::Even)),
        Axis::new(&label(figure.name, figure.unit), Scaling::Even),
    );
    plot.about = figure.about.clone();
    let others = others(source, groups, key);
    let there: usize = others.iter().map(|(_, list)| list.len()).sum();
    let few = others.len() <= CURVES && there >= 2 * others.len();
    let drawn = match few {
        true => curves(&mut plot, groups, key, figure, &others),
        false => dots(&mut plot, groups, keys, key, figure),
    };
    drawn.then_some(plot)
}

/// Returns the groups that differ only in this key, by the values of the others.
fn others(source: &Source, groups: &[Group], key: &Key) -> Vec<(String, Vec<usize>)> {
    let mut sorted: Vec<(String, Vec<usize>)> = Vec::new();
    for (k, group) in groups.iter().enumerate() {
        if !key.values[k].is_finite() {
            continue;
        }
        let settings = source.parameters.iter().zip(&group.settings).enumerate();
        let words: Vec<String> = settings
            .filter(|(place, _)| *place != key.place)
            .map(|(_, (name, value))| format!("{name} = {}", shown(value)))
            .collect();
        let words = words.join(", ");
        match sorted.iter_mut().find(|(name, _)| *name == words) {
            Some((_, list)) => list.push(k),
            None => sorted.push((words, vec![k])),
        }
    }
    for (_, list) in &mut sorted {
        list.sort_by(|a, b| key.values[*a].total_cmp(&key.values[*b]));
    }
    sorted
}

/// Formats a value of a key for display.
pub(super) fn shown(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if value.fract() != 0.0 => {
            let short = three(value);
            // A value given by the user is shown as written, if that is short.
            if text.len() <= short.len() + 2 {
                text.into()
            } else {
                short
            }
        }
        _ => text.into(),
    }
}

fn curves(
    plot: &mut Plot,
    groups: &[Group],
    key: &Key,
    figure: &Figure<'_>,
    others: &[(String, Vec<usize>)],
) -> bool {
    plot.table = vec![Column::new(&key.name, "1", key.distinct.clone())];
    let mut any = false;
    for (colour, (name, list)) in others.iter().enumerate() {
        let mut bars: Vec<Option<Bar>> = vec![None; key.distinct.len()];
        for &k in list {
            let place = key.distinct.partition_point(|value| *value < key.values[k]);
            bars[place] = (figure.value)(&groups[k]);
        }
        let points: Vec<(f64, Bar)> = key
            .distinct
            .iter()
            .zip(&bars)
            .filter_map(|(x, bar)| Some((*x, (*bar)?)))
            .collect();
        if points.is_empty() {
            continue;
        }
        any = true;
        let line: Vec<[f64; 2]> = points.iter().map(|(x, bar)| [*x, bar.value]).collect();
        let errors: Vec<[f64; 3]> = points
            .iter()
            .filter(|(_, bar)| bar.low < bar.high)
            .map(|(x, bar)| [*x, bar.low, bar.high])
            .collect();
        plot.draw(name, colour, Mark::Line(line.clone()));
        plot.draw("", colour, Mark::Dots(line));
        if !errors.is_empty() {
            plot.draw("", colour, Mark::Errors(errors));
        }
        let column = |get: fn(&Bar) -> f64| -> Vec<f64> {
            bars.iter()
                .map(|bar| bar.as_ref().map_or(f64::NAN, get))
                .collect()
        };
        let comma = if name.is_empty() { "" } else { ", " };
        for (what, get) in [
            ("", (|bar| bar.value) as fn(&Bar) -> f64),
            (" from", |bar| bar.low),
            (" to", |bar| bar.high),
        ] {
            let head = format!("{}{what}{comma}{name}", figure.name);
            plot.table
                .push(Column::new(&head, figure.unit, column(get)));
        }
    }
    any
}

/// Draws a dot for each combination.
fn dots(plot: &mut Plot, groups: &[Group], keys: &[Key], key: &Key, figure: &Figure<'_>) -> bool {
    let mut points: Vec<(usize, f64, Bar)> = (0..groups.len())
        .filter(|k| key.values[*k].is_finite())
        .filter_map(|k| Some((k, key.values[k], (figure.value)(&groups[k])?)))
        .collect();
    points.sort_by(|a, b| a.1.total_cmp(&b.1));
    let errors = points.iter().filter(|(_, _, bar)| bar.low < bar.high);
    let errors: Vec<[f64; 3]> = errors.map(|(_, x, bar)| [*x, bar.low, bar.high]).collect();
    plot.draw(
        "",
        0,
        Mark::Dots(points.iter().map(|(_, x, bar)| [*x, bar.value]).collect()),
    );
    if !errors.is_empty() && points.len() <= 2 * TILES {
        plot.draw("", 0, Mark::Errors(errors));
    }
    plot.about += " A dot for each combination of values.";
    plot.table = vec![
        Column::new(&key.name, "1", points.iter().map(|p| p.1).collect()),
        Column::new(
            figure.name,
            figure.unit,
            points.iter().map(|p| p.2.value).collect(),
        ),
    ];
    for other in keys.iter().filter(|other| other.place != key.place) {
        let values = points.iter().map(|(k, _, _)| other.values[*k]).collect();
        plot.table.push(Column::new(&other.name, "1", values));
    }
    !points.is_empty()
}

/// Plots a figure over two keys, if all their combinations were run.
pub(super) fn map(
    source: &Source,
    groups: &[Group],
    keys: &[Key],
    figure: &Figure<'_>,
) -> Option<Plot> {
    let [a, b] = keys else { return None };
    if source.parameters.len() != 2
        || a.distinct.len() * b.distinct.len() != groups.len()
        || a.distinct.len().max(b.distinct.len()) > TILES
    {
        return None;
    }
    let values: Vec<Option<Bar>> = groups.iter().map(figure.value).collect();
    let known = || values.iter().flatten().map(|bar| bar.value);
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    if low >= high {
        return None;
    }
    let axis = |key: &Key| {
        let unit = source.column(&key.name).map_or("", |column| &column.unit);
        Axis::new(&label(&key.name, unit), scaling(key, Scaling::Tight))
    };
    let mut plot = Plot::new(
        format!("{}-map", slug(figure.name)),
        &figure.title,
        axis(a),
        axis(b),
    );
    plot.about = format!(
        "Means over seeds, from {} (pale) to {} (full).",
        three(low),
        three(high)
    );
    let mut tiles = Vec::new();
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    for (k, bar) in values.iter().enumerate() {
        let (x, y) = (a.values[k], b.values[k]);
        columns[0].push(x);
        columns[1].push(y);
        columns[2].push(bar.map_or(f64::NAN, |bar| bar.value));
        if let Some(bar) = bar {
            tiles.push(Tile {
                x: around(a, x),
                y: around(b, y),
                shade: 0.08 + 0.84 * (bar.value - low) / (high - low),
                word: three(bar.value),
            });
        }
    }
    plot.draw("", 0, Mark::Tiles(tiles));
    let [x, y, z] = columns;
    plot.table = vec![
        Column::new(&a.name, "1", x),
        Column::new(&b.name, "1", y),
        Column::new(figure.name, figure.unit, z),
    ];
    Some(plot)
}

/// Returns the interval that a value represents: halfway to its neighbours.
fn around(key: &Key, value: f64) -> [f64; 2] {
    let all = &key.distinct;
    let place = all.partition_point(|v| *v < value);
    let half = |a: f64, b: f64| match key.log {
        true => (a * b).sqrt(),
        false => 0.5 * (a + b),
    };
    // At the ends, as far as on the other side.
    let beyond = |end: f64, next: f64| match key.log {
        true => end * (end / next).sqrt(),
        false => end + 0.5 * (end - next),
    };
    let low = match place {
        0 => beyond(all[0], all[1]),
        k => half(all[k - 1], all[k]),
    };
    let high = match all.get(place + 1) {
        Some(next) => half(value, *next),
        None => beyond(all[place], all[place - 1]),
    };
    [low, high]
}

/// Plots the distribution of the outflow before a jam: the fraction of jammed runs with a greater outflow.
pub(super) fn outflow(source: &Source, groups: &[Group]) -> Option<Plot> {
    let counts = source.numbers("discharge.count")?;
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    for group in groups {
        let jammed = |row: &&usize| source.text("status", **row) == "jammed";
        let mut sizes: Vec<f64> = group
            .rows
            .iter()
            .filter(jammed)
            .map(|&row| counts[row])
            .collect();
        sizes.retain(|size| size.is_finite());
        if sizes.len() >= LEAST {
            sizes.sort_by(f64::total_cmp);
            let settings = source.parameters.iter().zip(&group.settings);
            let words: Vec<String> = settings
                .map(|(name, value)| format!("{name} = {}", shown(value)))
                .collect();
            found.push((words.join(", "), sizes));
        }
    }
    if found.is_empty() {
        return None;
    }
    // Selects evenly from the whole range of settings, if there are more than can be drawn.
    let every = found.len().div_ceil(CURVES);
    let found: Vec<_> = found.into_iter().step_by(every).collect();
    let mut plot = Plot::new(
        "outflow",
        "Outflow before a jam",
        Axis::new("grains that flowed out", Scaling::Even),
        Axis::new("share of the runs with more", Scaling::Log),
    );
    plot.about = format!(
        "Of the runs that jammed, the share in which more grains flowed out than so many; a straight line where each \
         grain jams the orifice with the same probability. Combinations with at least {LEAST} jams."
    );
    let mut sizes_all = Vec::new();
    let mut shares = Vec::new();
    let mut which = Vec::new();
    for (colour, (name, sizes)) in found.iter().enumerate() {
        let n = sizes.len() as f64;
        let mut line = vec![[0.0, 1.0]];
        for (k, size) in sizes.iter().enumerate() {
            let share = (n - k as f64 - 1.0) / n;
            line.push([*size, share]);
            sizes_all.push(*size);
            shares.push(share);
            which.push(colour as f64 + 1.0);
        }
        // No run exceeds the greatest value, and zero has no place on this axis.
        line.pop();
        plot.draw(name, colour, Mark::Step(line));
    }
    plot.table = vec![
        Column::new("grains", "1", sizes_all),
        Column::new("share_with_more", "1", shares),
        Column::new("curve", "1", which),
    ];
    Some(plot)
}

/// Least number of jams for a distribution.
const LEAST: usize = 5;
