//! Periodic cells whose edges change with time: sheared (Lees and Edwards 1972), strained, or under pressure.
//!
//! Grains have their places and velocities at rest space, as everywhere. An image is displaced by a sum of edges
//! H and moves with that of their rates dH/dt; so a grain that comes in on the other side changes its velocity by
//! these, and a link across the border feels the velocity of the image. A grain feels besides the acceleration
//! (d2H/dt2) H^-1 x: with it a flow that is the same everywhere, (dH/dt) H^-1 x, stays one whatever the edges do, no
//! place in the cell differs from any other, and lengths under pressure obey the equations of Andersen (1980) and of
//! Parrinello and Rahman (1981). At a constant rate of shear it is 0.
//!
//! Edges are stepped as grains are, by the leapfrog, so that grains and their images go on the same paths to
//! rounding.

pub mod drive;
mod edges;
mod setup;
mod sums;

pub use edges::{Edges, Flow};
pub use setup::{CellControl, CellDrive, CellSetup, CellShear, Span};
pub use sums::CellSums;

use serde::{Deserialize, Serialize};

/// Sums over links or grains of one vector times another: way or velocity first, force or momentum second.
pub type Tensor = [[f64; 3]; 3];

/// Stress in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellStress {
    /// Of links at the evaluation: sum of the way from the second grain to the first times the force on the first, J.
    pub links: Tensor,
    /// Pressure of links and motion at the evaluation, Pa; in the plane N/m.
    pub pressure: Tensor,
    /// Sum of that over the steps since the last row of the series.
    pub sum: Tensor,
    /// How many they are.
    pub steps: u64,
    /// Sum over the steps of the second half of the run.
    pub late: Tensor,
    /// How many they are.
    pub late_steps: u64,
}

/// Where the edges of a cell are, as a checkpoint holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// Least corner, m, which stays.
    pub origin: [f64; 3],
    /// Edges at the evaluation, m.
    pub edges: Edges,
    /// Their rates at the evaluation, foreseen as the velocities of grains are, m/s.
    pub rates: Edges,
    /// Their rates over the last step, m/s.
    pub carried: Edges,
    /// Their rates over the coming step, m/s.
    pub next: Edges,
    /// Rates of these at the evaluation, m/s^2.
    pub acceleration: Edges,
    /// The same at the evaluation before.
    pub previous: Edges,
    /// Which drive acts on each axis.
    pub drives: [Option<u32>; 3],
    /// Rate of shear, 1/s.
    pub shear: f64,
    /// Whether the first evaluation is over.
    pub started: bool,
    /// Stress, now and on average.
    pub stress: CellStress,
    /// Shear so far.
    pub sheared: f64,
}

impl CellState {
    /// The flow of the cell at the evaluation.
    pub fn flow(&self) -> Flow {
        self.edges.flow(&self.rates)
    }
}

impl CellStress {
    /// A sum of pressures over steps as their mean; the last where there was no step.
    fn mean(&self, sum: &Tensor, steps: u64) -> Tensor {
        if steps == 0 {
            return self.pressure;
        }
        sum.map(|row| row.map(|value| value / steps as f64))
    }

    /// Mean pressure since the last row of the series.
    pub fn mean_pressure(&self) -> Tensor {
        self.mean(&self.sum, self.steps)
    }

    /// Mean pressure in the second half of the run.
    pub fn late_pressure(&self) -> Tensor {
        self.mean(&self.late, self.late_steps)
    }
}
