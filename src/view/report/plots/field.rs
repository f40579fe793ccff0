//! Plots of fields: mean velocity, stagnant zones, wear of walls.

use std::collections::BTreeMap;

use super::three;
use crate::record::read::{self, Columns};
use crate::record::{RecordError, Table};
use crate::view::plot::{Axis, Column, INK, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Side of a cell, mean diameters.
const DIAMETERS: f64 = 2.5;
/// Greatest number of cells along the longer side.
const CELLS: f64 = 60.0;
/// Least ratio of mean velocity to speed: in a gas the mean velocity is meaningless.
const ORDERED: f64 = 0.35;
/// Least number of grains seen in a cell that is shown.
const SEEN: f64 = 3.0;

fn plot(id: &'static str, title: &str) -> Plot {
    let axis = |label: &str| Axis::new(label, Scaling::Tight);
    let mut plot = Plot::new(id, title, axis("x (m)"), axis("y (m)"));
    plot.equal = true;
    plot
}

/// Returns the 90th percentile of speeds: free fall past an orifice must not shorten all arrows.
fn strong(speeds: impl Iterator<Item = f64>) -> f64 {
    let mut speeds: Vec<f64> = speeds.collect();
    speeds.sort_by(f64::total_cmp);
    let place = speeds.len().saturating_sub(1) * 9 / 10;
    speeds.get(place).copied().unwrap_or(0.0)
}

fn arrows(cells: &[[f64; 4]], size: f64) -> (Mark, f64) {
    let fastest = strong(cells.iter().map(|[_, _, u, v]| u.hypot(*v)));
    let arrow = |[x, y, u, v]: &[f64; 4]| {
        let speed = u.hypot(*v);
        let length = 0.95 * size * (speed / fastest.max(f64::MIN_POSITIVE)).min(1.0);
        let (a, b) = match speed > 0.0 {
            true => (0.5 * length * u / speed, 0.5 * length * v / speed),
            false => (0.0, 0.0),
        };
        [x - a, y - b, x + a, y + b]
    };
    (Mark::Arrows(cells.iter().map(arrow).collect()), fastest)
}

/// Plots the mean velocity over all snapshots, in the plane.
pub(super) fn velocity(run: &Run) -> Option<Plot> {
    let frames = run.frames.as_ref().filter(|_| run.meta.dimensions == 2)?;
    let radius = frames.mean_radius();
    let [low, high] = run.film.as_ref()?.view();
    let span = (high[0] - low[0]).max(high[1] - low[1]);
    let size = (2.0 * DIAMETERS * radius).max(span / CELLS);
    let mut cells: BTreeMap<[i64; 2], [f64; 4]> = BTreeMap::new();
    let mut speeds = [0.0; 2];
    for grain in frames
        .frames
        .iter()
        .filter(|f| f.time >= 0.0)
        .flat_map(|f| &f.grains)
    {
        let [x, y, _] = grain.position.map(f64::from);
        let inside = (low[0]..=high[0]).contains(&x) && (low[1]..=high[1]).contains(&y);
        let [u, v, _] = grain.velocity.map(f64::from);
        if inside && u.is_finite() && v.is_finite() {
            let cell = [((x - low[0]) / size) as i64, ((y - low[1]) / size) as i64];
            let sum = cells.entry(cell).or_default();
            *sum = [sum[0] + 1.0, sum[1] + u, sum[2] + v, sum[3] + u.hypot(v)];
        }
    }
    let looks = frames.frames.iter().filter(|f| f.time >= 0.0).count() as f64;
    cells.retain(|_, sum| sum[0] >= SEEN);
    for sum in cells.values() {
        speeds[0] += sum[1].hypot(sum[2]);
        speeds[1] += sum[3];
    }
    if cells.len() < 6 || speeds[0].is_nan() || speeds[0] < ORDERED * speeds[1] || speeds[1] <= 0.0
    {
        return None;
    }
    let middle = |k: i64, axis: usize| low[axis] + (k as f64 + 0.5) * size;
    let list: Vec<[f64; 4]> = cells
        .iter()
        .map(|([i, j], s)| [middle(*i, 0), middle(*j, 1), s[1] / s[0], s[2] / s[0]])
        .collect();
    let most = cells.values().map(|s| s[0]).fold(0.0, f64::max);
    let shades = list
        .iter()
        .zip(cells.values())
        .map(|(c, s)| [c[0], c[1], 0.6 * s[0] / most]);
    let (arrows, fastest) = arrows(&list, size);
    let mut plot = plot("velocity", "Mean velocity");
    plot.about = format!(
        "Mean velocity of the grains whose centre is in a cell of {} m, over the snapshots from time 0 on. Arrows \
         are as long as a cell at {} m/s and more; shades tell how many grains were seen.",
        three(size),
        three(fastest)
    );
    plot.draw("", 7, Mark::Cells(size, shades.collect()));
    plot.draw("", INK, arrows);
    let column = |k: usize| list.iter().map(|c| c[k]).collect();
    plot.table = vec![
        Column::new("x", "m", column(0)),
        Column::new("y", "m", column(1)),
        Column::new("velocity_x", "m/s", column(2)),
        Column::new("velocity_y", "m/s", column(3)),
        Column::new(
            "grains",
            "1",
            cells.values().map(|s| s[0] / looks.max(1.0)).collect(),
        ),
    ];
    Some(plot)
}

/// Plots the fraction of time for which each place is stagnant, in the plane.
pub(super) fn stagnant(run: &Run) -> Result<Option<Plot>, RecordError> {
    let Some(columns) = planar(run, Table::Stagnant)? else {
        return Ok(None);
    };
    let real = |name: &str| columns.floats(name).map(<[f64]>::to_vec);
    let (x, y, size) = (real("x")?, real("y")?, real("size")?);
    let (occupied, still) = (real("occupied")?, real("still")?);
    let (u, v) = (real("velocity_x")?, real("velocity_y")?);
    let side = size[0];
    let shades =
        (0..columns.rows).map(|k| [x[k], y[k], 0.08 + 0.85 * still[k] * occupied[k].min(1.0)]);
    let cells: Vec<[f64; 4]> = (0..columns.rows)
        .map(|k| [x[k], y[k], u[k], v[k]])
        .collect();
    let (arrows, fastest) = arrows(&cells, side);
    let mut plot = plot("stagnant", "Stagnant zones");
    plot.about = format!(
        "The darker, the more of the time the grains in a cell of {} m stand still (regimes rest and rigid). \
         Arrows: mean velocity of what passes, a cell long at {} m/s and more.",
        three(side),
        three(fastest)
    );
    plot.draw("", 0, Mark::Cells(side, shades.collect()));
    plot.draw("", INK, arrows);
    plot.table = vec![
        Column::new("x", "m", x),
        Column::new("y", "m", y),
        Column::new("occupied", "1", occupied),
        Column::new("still", "1", still),
        Column::new("velocity_x", "m/s", u),
        Column::new("velocity_y", "m/s", v),
    ];
    Ok(Some(plot))
}

/// Returns a table with at least one row, of a run in the plane.
fn planar(run: &Run, table: Table) -> Result<Option<Columns>, RecordError> {
    let columns = read::table_if_there(&run.dir, table)?;
    Ok(columns.filter(|c| c.rows > 0 && run.meta.dimensions == 2))
}

/// Plots the sliding wear of walls, by place in their own frames, in the plane.
pub(super) fn wear(run: &Run) -> Result<Option<Plot>, RecordError> {
    let Some(columns) = planar(run, Table::Wear)? else {
        return Ok(None);
    };
    let real = |name: &str| columns.floats(name).map(<[f64]>::to_vec);
    let (x, y, size) = (real("x")?, real("y")?, real("size")?);
    let (way, friction, energy) = (
        real("archard_work")?,
        real("friction")?,
        real("impact_energy")?,
    );
    let side = size[0];
    let most = way.iter().copied().fold(0.0, f64::max);
    // By the root, so that slightly worn places are visible too.
    let shade = |k: usize| 0.08 + 0.85 * (way[k] / most.max(f64::MIN_POSITIVE)).sqrt();
    let shades = (0..columns.rows).map(|k| [x[k], y[k], shade(k)]);
    let mut plot = plot("wear", "Wear of walls");
    plot.about = format!(
        "Archard work (normal force times sliding distance) in cells of {} m, each wall where it was set up; the darkest: {} J.",
        three(side),
        three(most)
    );
    plot.draw("", 0, Mark::Cells(side, shades.collect()));
    plot.table = vec![
        Column::new("x", "m", x),
        Column::new("y", "m", y),
        Column::new("archard_work", "J", way),
        Column::new("friction", "J", friction),
        Column::new("impact_energy", "J", energy),
    ];
    Ok(Some(plot))
}
