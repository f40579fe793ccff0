//! Maps of the heat dissipated by slides in a quasi-static filling: over the whole filling, and after the last grain.

use std::collections::BTreeMap;

use super::three;
use crate::record::{RecordError, Table, read};
use crate::view::plot::{Axis, Column, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Side of a cell, mean diameters.
const DIAMETERS: f64 = 1.5;

/// A slide: position, heat, and the number of the event that caused it.
struct Slide {
    at: [f64; 2],
    energy: f64,
    cause: i64,
}

/// Returns both maps, in the plane, if slides were logged with their heat.
pub(super) fn slides(run: &Run) -> Result<Vec<Plot>, RecordError> {
    let quasi_static = run.given.as_ref().is_some_and(|given| given.quasi_static);
    if !quasi_static || run.meta.dimensions != 2 {
        return Ok(Vec::new());
    }
    let all = logged(run)?;
    let Some(radius) = run.frames.as_ref().map(|frames| frames.mean_radius()) else {
        return Ok(Vec::new());
    };
    let size = 2.0 * DIAMETERS * radius;
    let last = all.iter().map(|slide| slide.cause).max();
    let mut plots = Vec::new();
    plots.extend(map(
        "slide-heat",
        "Heat of slides",
        "over the whole filling",
        size,
        all.iter(),
    ));
    plots.extend(map(
        "slide-heat-last",
        "Heat of the last slides",
        "after the last grain that made links slide",
        size,
        all.iter().filter(|slide| Some(slide.cause) == last),
    ));
    Ok(plots)
}

fn logged(run: &Run) -> Result<Vec<Slide>, RecordError> {
    let Some(events) = read::table_if_there(&run.dir, Table::Events)? else {
        return Ok(Vec::new());
    };
    let (kinds, causes) = (events.names("kind")?, events.integers("cause")?);
    let (x, y) = (events.floats("x")?, events.floats("y")?);
    let energy = events.floats("energy")?;
    let slides = (0..events.rows).filter(|&k| {
        let hot = energy[k] > 0.0 && x[k].is_finite() && y[k].is_finite();
        hot && kinds[k].as_deref() == Some("slip-link")
    });
    let slides = slides
        .map(|k| Slide {
            at: [x[k], y[k]],
            energy: energy[k],
            cause: causes[k].unwrap_or(0),
        })
        .collect();
    Ok(slides)
}

fn map<'a>(
    id: &'static str,
    title: &str,
    when: &str,
    size: f64,
    slides: impl Iterator<Item = &'a Slide>,
) -> Option<Plot> {
    let mut cells: BTreeMap<[i64; 2], f64> = BTreeMap::new();
    for slide in slides {
        let cell = slide.at.map(|x| (x / size).floor() as i64);
        *cells.entry(cell).or_default() += slide.energy;
    }
    let most = cells.values().fold(0.0f64, |most, heat| most.max(*heat));
    let all: f64 = cells.values().sum();
    if cells.len() < 3 || most <= 0.0 {
        return None;
    }
    let middle = |k: i64| (k as f64 + 0.5) * size;
    let axis = |label: &str| Axis::new(label, Scaling::Tight);
    let mut plot = Plot::new(id, title, axis("x (m)"), axis("y (m)"));
    plot.equal = true;
    plot.about = format!(
        "Heat of the slides in cells of {} m {when}: {} J in all, the darkest cell {} J; the shade goes by the root.",
        three(size),
        three(all),
        three(most)
    );
    let shades = cells
        .iter()
        .map(|([i, j], heat)| [middle(*i), middle(*j), (heat / most).sqrt()]);
    plot.draw("", 1, Mark::Cells(size, shades.collect()));
    let column = |axis: usize| cells.keys().map(|cell| middle(cell[axis])).collect();
    plot.table = vec![
        Column::new("x", "m", column(0)),
        Column::new("y", "m", column(1)),
        Column::new("heat", "J", cells.values().copied().collect()),
    ];
    Some(plot)
}
