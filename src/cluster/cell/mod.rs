//! Periodic cells whose edges change with time: sheared (Lees and Edwards 1972), strained, or under pressure.
//!
//! Grains have absolute positions and velocities, as everywhere. An image is displaced by a sum of edges H
//! and moves with the sum of their rates dH/dt; so these change the velocity of a grain that enters on the
//! other side, and a link across the border involves the velocity of the image. In addition grains have the
//! acceleration (d2H/dt2) H^-1 x: with it a homogeneous flow, (dH/dt) H^-1 x, stays homogeneous for any
//! motion of the edges, all places in the cell are equivalent, and lengths under pressure obey the equations
//! of Andersen (1980) and of Parrinello and Rahman (1981). At a constant rate of shear it is 0.
//!
//! The edges are integrated like the grains, by the leapfrog, so that grains and their images move
//! on the same paths up to rounding.

pub mod drive;
mod edges;
mod setup;
mod sums;

pub use edges::{Edges, Flow};
pub use setup::{CellControl, CellDrive, CellSetup, CellShear, Span};
pub use sums::CellSums;

use serde::{Deserialize, Serialize};

/// Sums over links or grains of the product of two vectors: displacement or velocity first, force or momentum second.
pub type Tensor = [[f64; 3]; 3];

/// Stress in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellStress {
    /// Of links at the evaluation: sum of the vector from the second grain to the first times the force on the first, J.
    pub links: Tensor,
    /// Pressure of links and motion at the evaluation, Pa; in the plane N/m.
    pub pressure: Tensor,
    /// Sum of the pressure over the steps since the last row of the series.
    pub sum: Tensor,
    /// Number of these steps.
    pub steps: u64,
    /// Sum over the steps of the second half of the run.
    pub late: Tensor,
    /// Number of these steps.
    pub late_steps: u64,
}

/// State of the edges of a cell, as stored in a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// Fixed least corner, m.
    pub origin: [f64; 3],
    /// Edges at the evaluation, m.
    pub edges: Edges,
    /// Rates of the edges at the evaluation, predicted like the velocities of grains, m/s.
    pub rates: Edges,
    /// Rates of the edges over the last step, m/s.
    pub carried: Edges,
    /// Rates of the edges over the coming step, m/s.
    pub next: Edges,
    /// Accelerations of the edges at the evaluation, m/s^2.
    pub acceleration: Edges,
    /// Accelerations at the evaluation before.
    pub previous: Edges,
    /// Index of the drive of each axis.
    pub drives: [Option<u32>; 3],
    /// Rate of shear, 1/s.
    pub shear: f64,
    /// Whether the first evaluation is done.
    pub started: bool,
    /// Present and mean stress.
    pub stress: CellStress,
    /// Accumulated shear.
    pub sheared: f64,
}

impl CellState {
    /// The flow of the cell at the evaluation.
    pub fn flow(&self) -> Flow {
        self.edges.flow(&self.rates)
    }
}

impl CellStress {
    /// The mean pressure from a sum over steps; the present pressure without steps.
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
