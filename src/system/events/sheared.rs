//! Sheared boxes in an event-driven run: rates for the engine, and the box's part of series and summary.
//!
//! Forces of hard collisions have no values at a moment: pressures are means over a time, of the momentum that went over it.

use serde::{Deserialize, Serialize};

use super::Events;
use crate::cluster::CellSetup;
use crate::collide::engine::{FluxTensor, ShearRate};
use crate::geometry::Dimension;
use crate::record::{CellFigures, CellRow};
use crate::system::{Setup, beside_cell};

/// Momentum that went through the box up to a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Mark {
    /// Time, s.
    time: f64,
    /// Flux times volume and time, J s.
    flux: FluxTensor,
}

/// What means of the pressure need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Means {
    /// The start of the run.
    start: Mark,
    /// The last row of the series.
    row: Mark,
    /// The middle of the run, once it has passed.
    middle: Option<Mark>,
    /// Mean pressure before the last row, Pa.
    pressure: FluxTensor,
}

/// Returns the rates of shear in order of time, as the engine takes them.
fn rates(cell: &CellSetup) -> Vec<ShearRate> {
    let spans = cell.shears.iter().map(|shear| shear.span);
    let mut times: Vec<f64> = spans
        .flat_map(|span| std::iter::once(span.from).chain(span.until))
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let rate = |from: f64| ShearRate {
        from,
        rate: cell.shear(from),
    };
    times.into_iter().map(rate).collect()
}

/// Returns the rates of shear of a setup; `None` without a box that moves.
///
/// # Errors
/// What such a box does not support, in words.
pub(super) fn shear<D: Dimension>(setup: &Setup<D>) -> Result<Option<Vec<ShearRate>>, String> {
    let Some(cell) = &setup.space.cell else {
        return Ok(None);
    };
    match beside_cell(setup) {
        Some((key, why)) => Err(format!("a periodic box that moves {why}; mind `{key}`")),
        None => Ok(Some(rates(cell))),
    }
}

impl<D: Dimension> Events<D> {
    /// Opens the means of a box that moves; `None` for any other.
    pub(super) fn open_means(time: f64, flux: Option<FluxTensor>) -> Option<Means> {
        let mark = Mark { time, flux: flux? };
        Some(Means {
            start: mark,
            row: mark,
            ..Means::default()
        })
    }

    fn mark(&self) -> Mark {
        Mark {
            time: self.engine.time(),
            flux: self.engine.flux().unwrap_or_default().total(),
        }
    }

    /// Mean pressure since a mark, Pa, in the plane N/m; 0 where no time went by.
    fn pressure_since(&self, mark: &Mark) -> FluxTensor {
        let now = self.mark();
        let over = (now.time - mark.time) * self.engine.volume();
        if over <= 0.0 {
            return FluxTensor::default();
        }
        std::array::from_fn(|i| std::array::from_fn(|j| (now.flux[i][j] - mark.flux[i][j]) / over))
    }

    /// Returns the middle of the run, s, where it lies before a time and is still to be marked.
    pub(super) fn middle_before(&self, until: f64) -> Option<f64> {
        let means = self.tally.means.as_ref()?;
        let middle = 0.5 * self.setup.run.end_time;
        (means.middle.is_none() && middle <= until).then_some(middle)
    }

    /// Marks the middle of the run: means of the summary begin.
    pub(super) fn mark_middle(&mut self) {
        let mark = self.mark();
        if let Some(means) = &mut self.tally.means {
            means.middle = Some(mark);
        }
    }

    fn lengths(&self) -> [f64; 3] {
        let axis = |k: usize| self.setup.space.periodic.get(k).copied().flatten();
        std::array::from_fn(|k| axis(k).map_or(1.0, |axis| axis.length))
    }

    /// Share of the box that grains fill.
    fn filled(&self) -> f64 {
        let filled = self
            .present()
            .map(|(_, grain)| D::ball_measure(grain.radius));
        filled.sum::<f64>() / self.engine.volume()
    }

    /// Returns the box's part of a row of the series; its means begin anew.
    pub(super) fn cell_row(&mut self) -> Option<CellRow> {
        let means = self.tally.means?;
        let (row, pressure) = (self.mark(), self.pressure_since(&means.row));
        self.tally.means = Some(Means {
            row,
            pressure,
            ..means
        });
        let now = self.engine.shearing().unwrap_or_default();
        Some(CellRow {
            lengths: self.lengths(),
            offset: now.offset,
            sheared: now.sheared,
            fraction: self.filled(),
            coordination: 0.0,
            pressure,
        })
    }

    /// Returns the box's figures for the summary: the pressure is the mean since the last row, or before it.
    pub(super) fn cell_figures(&self) -> Option<CellFigures> {
        let means = self.tally.means.as_ref()?;
        let within = |t: FluxTensor| -> Vec<Vec<f64>> {
            t[..D::N].iter().map(|row| row[..D::N].to_vec()).collect()
        };
        let now = self.engine.shearing().unwrap_or_default();
        let late = self.pressure_since(means.middle.as_ref().unwrap_or(&means.start));
        let pressure = match self.engine.time() > means.row.time {
            true => self.pressure_since(&means.row),
            false => means.pressure,
        };
        Some(CellFigures {
            lengths: self.lengths()[..D::N].to_vec(),
            offset: now.offset,
            sheared: now.sheared,
            fraction: self.filled(),
            coordination: 0.0,
            pressure: within(pressure),
            mean_pressure: within(late),
            friction: (now.rate != 0.0 && late[1][1] > 0.0).then(|| -late[1][0] / late[1][1]),
        })
    }
}
