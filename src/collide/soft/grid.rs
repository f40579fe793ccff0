//! Interpolation of four functions at once on an even grid over up to three coordinates.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Number of nodes for interpolation along one axis: a polynomial of fifth degree.
const WIDTH: usize = 6;

/// 1 / product of (j - m) over the other nodes m: normalises each weight to 1 at its own node.
const SCALE: [f64; WIDTH] = [
    -1.0 / 120.0,
    1.0 / 24.0,
    -1.0 / 12.0,
    1.0 / 12.0,
    -1.0 / 24.0,
    1.0 / 120.0,
];

/// Evenly spaced nodes of one coordinate; a single one if it does not vary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::collide) struct Axis {
    low: f64,
    high: f64,
    nodes: usize,
}

impl Axis {
    /// From `low` to `high` with at least six nodes, or one node if both are equal.
    pub fn new(low: f64, high: f64, nodes: usize) -> Self {
        let nodes = if high > low { nodes.max(WIDTH) } else { 1 };
        Axis { low, high, nodes }
    }
    /// The same range with another number of nodes.
    pub fn with_nodes(self, nodes: usize) -> Self {
        Axis::new(self.low, self.high, nodes)
    }
    pub fn nodes(&self) -> usize {
        self.nodes
    }
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
    /// The point at a fraction of the range from 0 to 1.
    pub fn at_share(&self, share: f64) -> f64 {
        self.low + (self.high - self.low) * share
    }
    pub fn node(&self, index: usize) -> f64 {
        if self.nodes == 1 {
            self.low
        } else {
            self.at_share(index as f64 / (self.nodes - 1) as f64)
        }
    }
    /// First of the nodes around a point, and their weights.
    #[inline]
    pub fn stencil(&self, x: f64) -> (usize, [f64; WIDTH]) {
        let place = (x - self.low) / (self.high - self.low) * (self.nodes - 1) as f64;
        // A conversion to an integer gives 0 for negative numbers and NaN.
        let first = (place as usize).saturating_sub(2).min(self.nodes - WIDTH);
        let t = place - first as f64;
        let mut below = [1.0; WIDTH];
        let mut above = [1.0; WIDTH];
        for j in 1..WIDTH {
            below[j] = below[j - 1] * (t - (j - 1) as f64);
            above[WIDTH - 1 - j] = above[WIDTH - j] * (t - (WIDTH - j) as f64);
        }
        let mut weights = [0.0; WIDTH];
        for j in 0..WIDTH {
            weights[j] = below[j] * above[j] * SCALE[j];
        }
        (first, weights)
    }
}

/// Values on the nodes of three axes; the last one varies fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Grid {
    axes: [Axis; 3],
    values: Vec<[f64; 4]>,
}

impl Grid {
    /// Values of a function on all nodes; computed in parallel, with the same result as in sequence.
    pub fn build<E: Send>(
        axes: [Axis; 3],
        function: impl Fn([f64; 3]) -> Result<[f64; 4], E> + Sync,
    ) -> Result<Self, E> {
        let [n0, n1, n2] = axes.map(|axis| axis.nodes);
        let values = (0..n0 * n1 * n2)
            .into_par_iter()
            .map(|index| {
                let place = [index / (n1 * n2), index / n2 % n1, index % n2];
                function([0, 1, 2].map(|k| axes[k].node(place[k])))
            })
            .collect::<Result<Vec<_>, E>>()?;
        Ok(Grid { axes, values })
    }

    pub fn nodes(&self) -> usize {
        self.values.len()
    }

    /// The values at a point of the axes' ranges.
    #[inline]
    pub fn at(&self, point: [f64; 3]) -> [f64; 4] {
        if self.axes[0].nodes == 1 {
            return self.plane(0, point);
        }
        let (first, weights) = self.axes[0].stencil(point[0]);
        let (row, row_weights) = self.axes[1].stencil(point[1]);
        let (column, column_weights) = self.axes[2].stencil(point[2]);
        let mut sum = [0.0; 4];
        for i in 0..WIDTH {
            let part = self.patch(first + i, row, &row_weights, column, &column_weights);
            add(&mut sum, weights[i], &part);
        }
        sum
    }

    /// The values on one plane of the first axis.
    #[inline]
    fn plane(&self, plane: usize, point: [f64; 3]) -> [f64; 4] {
        let (row, row_weights) = self.axes[1].stencil(point[1]);
        let (column, column_weights) = self.axes[2].stencil(point[2]);
        self.patch(plane, row, &row_weights, column, &column_weights)
    }

    #[inline(always)]
    fn patch(
        &self,
        plane: usize,
        row: usize,
        row_weights: &[f64; WIDTH],
        column: usize,
        column_weights: &[f64; WIDTH],
    ) -> [f64; 4] {
        let (n1, n2) = (self.axes[1].nodes, self.axes[2].nodes);
        let mut sum = [0.0; 4];
        for (j, weight) in row_weights.iter().enumerate() {
            let start = (plane * n1 + row + j) * n2 + column;
            let nodes = &self.values[start..start + WIDTH];
            let mut part = [0.0; 4];
            for (weight, node) in column_weights.iter().zip(nodes) {
                add(&mut part, *weight, node);
            }
            add(&mut sum, *weight, &part);
        }
        sum
    }
}

#[inline(always)]
fn add(sum: &mut [f64; 4], weight: f64, value: &[f64; 4]) {
    for k in 0..4 {
        sum[k] += weight * value[k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial of fifth degree in each coordinate is reproduced to rounding, also at the edges.
    #[test]
    fn fifth_degree_is_exact() {
        let f = |x: [f64; 3]| {
            let p = |x: f64| 1.0 + x * (0.5 - x * (0.3 + x * (0.2 - x * (0.7 - 0.4 * x))));
            let [a, b, c] = x.map(p);
            [a * b * c, a, b - c, a * c]
        };
        for first in [Axis::new(-1.0, 2.0, 9), Axis::new(0.3, 0.3, 9)] {
            let axes = [first, Axis::new(0.0, 0.5, 6), Axis::new(1.0, 1.5, 17)];
            let grid = Grid::build(axes, |x| Ok::<_, ()>(f(x))).unwrap();
            for share in [0.0, 0.013, 0.5, 0.77, 1.0] {
                let x = axes.map(|axis| axis.at_share(share));
                let (got, want) = (grid.at(x), f(x));
                for k in 0..4 {
                    // Values up to 30, weights below 1: about ten rounding errors.
                    assert!((got[k] - want[k]).abs() < 1e-12);
                }
            }
        }
    }
}
