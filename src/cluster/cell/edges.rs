//! The edges of a periodic cell, and the flow of a cell with changing edges.

use serde::{Deserialize, Serialize};

use crate::geometry::Vector;

/// Edges of a cell: along the axes, except that the second is displaced along the first. Also used
/// for their rates and accelerations. The first edge is (a, 0, 0), the second (offset, b, 0), the
/// third (0, 0, c), with the lengths a, b and c; in the plane the third length is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edges {
    /// Lengths along the axes.
    pub lengths: [f64; 3],
    /// Displacement along x of the image above the cell.
    pub offset: f64,
}

impl Edges {
    /// These edges plus `times` others.
    pub fn plus(&self, times: f64, other: &Edges) -> Edges {
        Edges {
            lengths: std::array::from_fn(|k| self.lengths[k] + times * other.lengths[k]),
            offset: self.offset + times * other.offset,
        }
    }

    /// These edges times a number.
    pub fn times(&self, times: f64) -> Edges {
        Edges::default().plus(times, self)
    }

    /// Volume of the cell, in the plane its area.
    pub fn volume(&self) -> f64 {
        self.lengths.iter().product()
    }

    /// The flow that moves with edges that change at these rates.
    pub fn flow(&self, rates: &Edges) -> Flow {
        let along: [f64; 3] = std::array::from_fn(|k| rates.lengths[k] / self.lengths[k]);
        Flow {
            along,
            across: (rates.offset - along[0] * self.offset) / self.lengths[1],
        }
    }

    /// Sum of multiples of the edges along each axis: the vector from the cell to one of its images.
    pub fn image<V: Vector>(&self, turns: [f64; 3]) -> V {
        V::from_fn(|k| {
            let along = turns[k] * self.lengths[k];
            if k == 0 && turns[1] != 0.0 {
                along + turns[1] * self.offset
            } else {
                along
            }
        })
    }

    /// Number of edges along each axis between a difference of two positions and its nearest image.
    pub fn turns<V: Vector>(&self, d: V) -> [f64; 3] {
        let mut turns = [0.0; 3];
        turns[1] = (d[1] / self.lengths[1]).round();
        let shifted = d[0] - turns[1] * self.offset;
        turns[0] = (shifted / self.lengths[0]).round();
        if V::LEN == 3 {
            turns[2] = (d[2] / self.lengths[2]).round();
        }
        turns
    }
}

/// A velocity field linear in the position: extension along each axis, and shear of x along y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Rates of strain along the axes, 1/s.
    pub along: [f64; 3],
    /// Rate of shear, 1/s.
    pub across: f64,
}

impl Flow {
    /// Velocity at a position relative to the origin of the cell.
    pub fn at<V: Vector>(&self, x: V) -> V {
        V::from_fn(|k| {
            let along = self.along[k] * x[k];
            if k == 0 {
                along + self.across * x[1]
            } else {
                along
            }
        })
    }

    /// Upper bound of the speed over the distance, 1/s.
    pub fn bound(&self) -> f64 {
        let squares = self.along.iter().map(|rate| rate * rate);
        (squares.sum::<f64>() + self.across * self.across).sqrt()
    }

    /// Power of this flow on a virial: the sum over links of the force times the flow over the
    /// vector between their ends, W.
    pub fn power(&self, virial: &[[f64; 3]; 3]) -> f64 {
        let along: f64 = (0..3).map(|k| self.along[k] * virial[k][k]).sum();
        along + self.across * virial[1][0]
    }
}
