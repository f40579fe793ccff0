//! Maps of coarse-grained fields: solid fraction, pressure, sliding.

use super::three;
use crate::event::Regime;
use crate::record::Status;
use crate::record::read::Snapshot;
use crate::study::coarse::{Field, Grid, Lucy, Sums, lattices, scene};
use crate::view::plot::{Axis, Column, INK, Mark, Plot, Scaling};
use crate::view::report::run::Run;

/// Greatest number of cells along the longer side.
const CELLS: f64 = 60.0;
/// Least solid fraction of a place that is shown.
const FILLED: f64 = 0.02;
/// Greatest number of strokes for principal directions.
const STROKES: usize = 900;
/// Least number of cells of a map.
const FEWEST: usize = 12;

/// Returns the maps of a run: the plane, or a vertical slice through the middle of space.
pub(super) fn maps(run: &Run, kept: &[Snapshot]) -> Vec<Plot> {
    let Some(fields) = Maps::of(run, kept) else {
        return Vec::new();
    };
    let plots = [fields.fraction(), fields.pressure(), fields.slides()];
    plots.into_iter().flatten().collect()
}

struct Maps {
    dimensions: usize,
    /// Axes of the map.
    axes: [usize; 2],
    side: f64,
    /// Times and averaging kernel, in words.
    of: String,
    points: Vec<[f64; 3]>,
    fields: Vec<Field>,
}

impl Maps {
    fn of(run: &Run, kept: &[Snapshot]) -> Option<Maps> {
        let frames = run.frames.as_ref()?;
        let last = kept.last().filter(|s| !s.grains.is_empty())?;
        let n = run.meta.dimensions;
        let diameter = 2.0 * frames.mean_radius();
        let [low, high] = run.film.as_ref()?.view();
        let up = n - 1;
        let span = (high[0] - low[0]).max(high[up] - low[up]);
        let side = diameter.max(span / CELLS);
        // A kernel narrower than the cells would only sample their centres.
        let kernel = Lucy::new(side, n).ok()?;
        let depth = 0.5 * (low[1] + high[1]);
        let (mut from, mut to) = (low, high);
        if n == 3 {
            (from[1], to[1]) = (depth - 0.5 * side, depth + 0.5 * side);
        }
        // Whole cells, so that they are squares.
        let axes = [0, up];
        for axis in axes {
            let cells = ((to[axis] - from[axis]) / side).ceil().max(1.0);
            let middle = 0.5 * (from[axis] + to[axis]);
            from[axis] = middle - 0.5 * cells * side;
            to[axis] = middle + 0.5 * cells * side;
        }
        let points = Grid::over(from, to, side, n).ok()?.points();
        let resting = last
            .grains
            .iter()
            .filter(|g| matches!(g.regime, Regime::Rest | Regime::Rigid));
        let still = 2 * resting.count() > last.grains.len()
            || run.summary.status == Status::Jammed
            || run.given.as_ref().is_some_and(|given| given.quasi_static);
        let taken: Vec<&Snapshot> = match still {
            true => vec![last],
            false => kept.iter().filter(|s| s.time >= 0.0).collect(),
        };
        let times: Vec<f64> = taken.iter().map(|s| s.time).collect();
        let mut sums = Sums::new(kernel, points).ok()?;
        let known = lattices(&run.meta, &run.series, &times);
        for (snapshot, lattice) in taken.into_iter().zip(known) {
            sums.add(&scene(snapshot, &run.meta, lattice?)).ok()?;
        }
        let when = match still {
            true => format!("at {} s", three(last.time)),
            false => format!("mean over {} snapshots from time 0 on", sums.moments()),
        };
        let place = match n {
            2 => String::new(),
            _ => {
                let depth = if depth.abs() < 1e-2 * side {
                    0.0
                } else {
                    depth
                };
                format!(", on the plane y = {} m", three(depth))
            }
        };
        Some(Maps {
            dimensions: n,
            axes,
            side,
            of: format!(
                "{when}{place}, smeared by Lucy's kernel of width {} m (reach twice that)",
                three(kernel.width())
            ),
            points: sums.points().to_vec(),
            fields: sums.fields(),
        })
    }

    /// Returns an empty map whose table contains the positions.
    fn plot(&self, id: &'static str, title: &str, shown: &[usize]) -> Plot {
        let name = |axis: usize| ["x", "y", "z"][self.axes[axis]];
        let axis = |k: usize| Axis::new(&format!("{} (m)", name(k)), Scaling::Tight);
        let mut plot = Plot::new(id, title, axis(0), axis(1));
        plot.equal = true;
        for k in 0..2 {
            let places = shown.iter().map(|p| self.points[*p][self.axes[k]]);
            plot.table.push(Column::new(name(k), "m", places.collect()));
        }
        plot
    }

    fn cells(&self, shown: &[usize], shade: impl Fn(&Field) -> f64) -> Mark {
        let cell = |p: &usize| {
            let at = self.points[*p];
            [at[self.axes[0]], at[self.axes[1]], shade(&self.fields[*p])]
        };
        Mark::Cells(self.side, shown.iter().map(cell).collect())
    }

    fn filled(&self) -> Vec<usize> {
        let filled = |p: &usize| self.fields[*p].fraction > FILLED;
        (0..self.fields.len()).filter(filled).collect()
    }

    fn column(
        &self,
        name: &str,
        unit: &str,
        shown: &[usize],
        of: impl Fn(&Field) -> f64,
    ) -> Column {
        Column::new(
            name,
            unit,
            shown.iter().map(|p| of(&self.fields[*p])).collect(),
        )
    }

    fn fraction(&self) -> Option<Plot> {
        let shown = self.filled();
        if shown.len() < FEWEST {
            return None;
        }
        let most = shown
            .iter()
            .map(|p| self.fields[*p].fraction)
            .fold(0.0, f64::max);
        let mut plot = self.plot("density-map", "Solid fraction", &shown);
        plot.about = format!(
            "Share of the place that grains fill, {}. The darker the denser; the darkest: {}.",
            self.of,
            three(most)
        );
        plot.draw(
            "",
            0,
            self.cells(&shown, |f| 0.05 + 0.9 * f.fraction / most),
        );
        plot.table
            .push(self.column("solid_fraction", "1", &shown, |f| f.fraction));
        let unit = if self.dimensions == 2 {
            "kg/m^2"
        } else {
            "kg/m^3"
        };
        plot.table
            .push(self.column("density", unit, &shown, |f| f.density));
        Some(plot)
    }

    fn pressure(&self) -> Option<Plot> {
        let n = self.dimensions;
        let shown = self.filled();
        let mut sizes: Vec<f64> = shown.iter().map(|p| self.fields[*p].pressure(n)).collect();
        sizes.sort_by(f64::total_cmp);
        // Single impacts must not leave everything else blank.
        let most = *sizes.get(sizes.len().saturating_sub(1) * 99 / 100)?;
        if shown.len() < FEWEST || most <= 0.0 || most.is_nan() {
            return None;
        }
        let unit = if n == 2 { "N/m" } else { "Pa" };
        let mut plot = self.plot("pressure-map", "Pressure", &shown);
        plot.about = format!(
            "Mean of the normal components of the pressure tensor, of contacts and of motion, {}. The darkest: {} {unit} \
             and more. Strokes: direction of the greatest pressure in this plane, the longer the more it is over the \
             least.",
            self.of,
            three(most)
        );
        plot.draw(
            "",
            0,
            self.cells(&shown, |f| {
                0.04 + 0.86 * (f.pressure(n) / most).clamp(0.0, 1.0)
            }),
        );
        let strokes = self.strokes(&shown, 0.02 * most);
        if !strokes.is_empty() {
            plot.draw("", INK, Mark::Line(strokes));
        }
        plot.table
            .push(self.column("pressure", unit, &shown, |f| f.pressure(n)));
        let names = ["x", "y", "z"];
        for i in self.axes {
            for j in self.axes {
                let name = format!("pressure_{}{}", names[i], names[j]);
                let of = |f: &Field| f.contact[i][j] + f.kinetic[i][j];
                plot.table.push(self.column(&name, unit, &shown, of));
            }
        }
        Some(plot)
    }

    /// Returns short lines along the greater principal pressure, with gaps between them.
    fn strokes(&self, shown: &[usize], least: f64) -> Vec<[f64; 2]> {
        let every = (shown.len() as f64 / STROKES as f64).sqrt().ceil().max(1.0);
        let [a, b] = self.axes;
        let corner = self.points[0];
        let mut strokes = Vec::new();
        for p in shown {
            let at = self.points[*p];
            let row = |axis: usize| ((at[axis] - corner[axis]) / self.side).round();
            if row(a) % every != 0.0 || row(b) % every != 0.0 {
                continue;
            }
            let field = &self.fields[*p];
            let part = |i: usize, j: usize| field.contact[i][j] + field.kinetic[i][j];
            let (mean, half) = (
                0.5 * (part(a, a) + part(b, b)),
                0.5 * (part(a, a) - part(b, b)),
            );
            let across = 0.5 * (part(a, b) + part(b, a));
            let apart = half.hypot(across);
            if mean <= least || apart <= 0.0 {
                continue;
            }
            let angle = 0.5 * libm::atan2(across, half);
            let length = 0.48 * every * self.side * (apart / mean).min(1.0);
            let (x, y) = (length * libm::cos(angle), length * libm::sin(angle));
            strokes.push([at[a] - x, at[b] - y]);
            strokes.push([at[a] + x, at[b] + y]);
            strokes.push([f64::NAN, f64::NAN]);
        }
        strokes
    }

    fn slides(&self) -> Option<Plot> {
        // A place reached only by the edge of one contact's kernel has no meaningful fraction.
        let most = self.fields.iter().map(|f| f.contacts).fold(0.0, f64::max);
        let shown: Vec<usize> = (0..self.fields.len())
            .filter(|p| self.fields[*p].contacts > 0.02 * most)
            .collect();
        if shown.len() < FEWEST || !self.fields.iter().any(|f| f.sliding > 0.0) {
            return None;
        }
        let share = |f: &Field| f.sliding / f.contacts;
        let mut plot = self.plot("slides", "Where links slide", &shown);
        plot.about = format!(
            "Share of the links that slide, {}. White: none; the darkest: all.",
            self.of
        );
        plot.draw("", 0, self.cells(&shown, |f| 0.03 + 0.9 * share(f)));
        let unit = if self.dimensions == 2 {
            "1/m^2"
        } else {
            "1/m^3"
        };
        plot.table
            .push(self.column("sliding_share", "1", &shown, share));
        plot.table
            .push(self.column("contacts", unit, &shown, |f| f.contacts));
        Some(plot)
    }
}
