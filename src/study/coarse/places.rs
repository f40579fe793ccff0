//! Positions at which fields are evaluated, and periodic images of their sources.

use crate::study::StudyError;
use crate::study::error::{check, positive};

/// Limit on the points of a grid: their sums take some 200 MB.
pub const MOST_POINTS: f64 = 1e6;

/// A grid of equal cells; fields are evaluated at their centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Corner with the least coordinates, m.
    pub origin: [f64; 3],
    /// Sides of a cell, m; in the plane the third is 0.
    pub step: [f64; 3],
    /// Cells along each axis; in the plane 1 along the third.
    pub count: [usize; 3],
}

impl Grid {
    /// Returns a grid over a box in 2 or 3 dimensions: along each axis the least number of equal cells that are at
    /// most of this size.
    ///
    /// # Errors
    /// A size that is not above 0, a box without extent, or more than [`MOST_POINTS`] cells.
    pub fn over(
        low: [f64; 3],
        high: [f64; 3],
        cell: f64,
        dimensions: usize,
    ) -> Result<Grid, StudyError> {
        positive("side of a cell", cell)?;
        let mut grid = Grid {
            origin: [0.0; 3],
            step: [0.0; 3],
            count: [1; 3],
        };
        let mut counts = [1.0; 3];
        for axis in 0..dimensions {
            let length = positive("extent of the grid", high[axis] - low[axis])?;
            // An extra cell caused only by rounding is avoided.
            counts[axis] = (length / cell * (1.0 - 1e-12)).ceil().max(1.0);
            grid.origin[axis] = low[axis];
            grid.step[axis] = length / counts[axis];
        }
        check(
            "number of points",
            counts.iter().product(),
            "at most 1e6; take wider cells",
            |n| n <= MOST_POINTS,
        )?;
        grid.count = counts.map(|n| n as usize);
        Ok(grid)
    }

    /// Returns the area or volume of a cell.
    pub fn cell(&self) -> f64 {
        self.step.iter().filter(|s| **s > 0.0).product()
    }

    /// Returns the centres of the cells, along x first.
    pub fn points(&self) -> Vec<[f64; 3]> {
        let [nx, ny, nz] = self.count;
        let mut points = Vec::with_capacity(nx * ny * nz);
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let at = [i, j, k];
                    points.push(std::array::from_fn(|axis| {
                        self.origin[axis] + (at[axis] as f64 + 0.5) * self.step[axis]
                    }));
                }
            }
        }
        points
    }
}

/// Periodic directions: a box along the axes, whose image above in y may be displaced along x (Lees and Edwards), and
/// whose edges may move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lattice {
    /// Length of each periodic direction, m.
    pub lengths: [Option<f64>; 3],
    /// Displacement of the image above along x, m.
    pub offset: f64,
    /// Rates of change of the lengths, m/s.
    pub rates: [f64; 3],
    /// Rate of change of the displacement, m/s.
    pub offset_rate: f64,
}

impl Lattice {
    /// Checks that lengths are above 0 and all numbers finite.
    pub(super) fn checked(&self) -> Result<(), StudyError> {
        for length in self.lengths.into_iter().flatten() {
            positive("length of a periodic direction", length)?;
        }
        for value in [self.offset, self.offset_rate].iter().chain(&self.rates) {
            check(
                "motion of a periodic box",
                *value,
                "a finite number",
                |_| true,
            )?;
        }
        Ok(())
    }

    /// Reduces a displacement to that of the nearest image.
    pub fn nearest(&self, way: [f64; 3]) -> [f64; 3] {
        let mut way = way;
        if let Some(length) = self.lengths[2] {
            way[2] -= length * (way[2] / length).round();
        }
        if let Some(length) = self.lengths[1] {
            let over = (way[1] / length).round();
            way[1] -= length * over;
            way[0] -= self.offset * over;
        }
        if let Some(length) = self.lengths[0] {
            way[0] -= length * (way[0] / length).round();
        }
        way
    }

    /// Calls `visit` with the displacement and the velocity change of each image that brings something between `low`
    /// and `high` into the box `within`.
    pub(super) fn images(
        &self,
        [low, high]: [[f64; 3]; 2],
        within: [[f64; 3]; 2],
        mut visit: impl FnMut([f64; 3], [f64; 3]),
    ) {
        let range = |axis: usize, by: f64| match self.lengths[axis] {
            Some(length) => {
                let first = ((within[0][axis] - high[axis] - by) / length).ceil() as i64;
                let last = ((within[1][axis] - low[axis] - by) / length).floor() as i64;
                first..=last
            }
            None => 0..=0,
        };
        let length = |axis: usize| self.lengths[axis].unwrap_or(0.0);
        for k in range(2, 0.0) {
            for j in range(1, 0.0) {
                let (j, k) = (j as f64, k as f64);
                let by = match self.lengths[1] {
                    Some(_) => j * self.offset,
                    None => 0.0,
                };
                for i in range(0, by) {
                    let i = i as f64;
                    let shift = [i * length(0) + by, j * length(1), k * length(2)];
                    let turn = [
                        i * self.rates[0] + j * self.offset_rate,
                        j * self.rates[1],
                        k * self.rates[2],
                    ];
                    visit(shift, turn);
                }
            }
        }
    }
}

/// Points, indexed by position.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) points: Vec<[f64; 3]>,
    /// Bounding box of the points.
    pub(super) bounds: [[f64; 3]; 2],
    /// Side of a bin, m.
    side: f64,
    bins: [usize; 3],
    /// Index in `order` of the first point of each bin.
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl Places {
    /// Sorts points into bins of about this side.
    pub(super) fn new(points: Vec<[f64; 3]>, side: f64) -> Result<Places, StudyError> {
        check(
            "number of points",
            points.len() as f64,
            "from 1 to 1e6",
            |n| (1.0..=MOST_POINTS).contains(&n),
        )?;
        for value in points.iter().flatten() {
            check("coordinate of a point", *value, "a finite number", |_| true)?;
        }
        let bound = |of: fn(f64, f64) -> f64, start: f64| {
            std::array::from_fn(|k| points.iter().fold(start, |edge, p| of(edge, p[k])))
        };
        let bounds = [
            bound(f64::min, f64::INFINITY),
            bound(f64::max, f64::NEG_INFINITY),
        ];
        // Limits the number of bins to a few times the number of points, however sparse these are.
        let mut side = side;
        let count = |side: f64, k: usize| ((bounds[1][k] - bounds[0][k]) / side).floor() + 1.0;
        while (0..3).map(|k| count(side, k)).product::<f64>() > 4.0 * points.len() as f64 + 64.0 {
            side *= 2.0;
        }
        let bins: [usize; 3] = std::array::from_fn(|k| count(side, k) as usize);
        let mut places = Places {
            points,
            bounds,
            side,
            bins,
            starts: vec![0; bins.iter().product::<usize>() + 1],
            order: Vec::new(),
        };
        let of: Vec<usize> = places.points.iter().map(|p| places.bin(*p)).collect();
        for bin in &of {
            places.starts[bin + 1] += 1;
        }
        for k in 1..places.starts.len() {
            places.starts[k] += places.starts[k - 1];
        }
        let mut next = places.starts.clone();
        places.order = vec![0; of.len()];
        for (point, bin) in of.iter().enumerate() {
            places.order[next[*bin] as usize] = point as u32;
            next[*bin] += 1;
        }
        Ok(places)
    }

    fn along(&self, x: f64, axis: usize) -> usize {
        let bin = ((x - self.bounds[0][axis]) / self.side).floor();
        bin.clamp(0.0, (self.bins[axis] - 1) as f64) as usize
    }

    fn bin(&self, p: [f64; 3]) -> usize {
        let [i, j, k] = [0, 1, 2].map(|axis| self.along(p[axis], axis));
        (k * self.bins[1] + j) * self.bins[0] + i
    }

    /// Calls `visit` with all points between two corners, and some around.
    pub(super) fn near(
        &self,
        low: [f64; 3],
        high: [f64; 3],
        mut visit: impl FnMut(usize, [f64; 3]),
    ) {
        let outside = |k: usize| high[k] < self.bounds[0][k] || low[k] > self.bounds[1][k];
        if (0..3).any(outside) {
            return;
        }
        let [first, last] = [low, high].map(|c| [0, 1, 2].map(|axis| self.along(c[axis], axis)));
        for k in first[2]..=last[2] {
            for j in first[1]..=last[1] {
                let row = (k * self.bins[1] + j) * self.bins[0];
                let from = self.starts[row + first[0]] as usize;
                let to = self.starts[row + last[0] + 1] as usize;
                for &point in &self.order[from..to] {
                    visit(point as usize, self.points[point as usize]);
                }
            }
        }
    }
}
