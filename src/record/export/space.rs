//! The periodic box of a run at any time, as other programs need it.
//!
//! A fixed box is known from the start. The edges of a moving box are in the series: between two rows lengths are
//! interpolated linearly, and so is the displacement, by the shear accumulated in between, since the displacement
//! itself is recorded only modulo whole lengths.

use std::path::Path;

use crate::record::RecordError;
use crate::record::meta::RunMeta;
use crate::record::read;

/// The box at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Edges {
    /// Origin and length along each periodic axis, m.
    pub axes: [Option<[f64; 2]>; 3],
    /// Displacement of the image above the box along x, m.
    pub offset: f64,
}

/// The box of a run.
#[derive(Debug, Default)]
pub(super) struct Space {
    stays: [Option<[f64; 2]>; 3],
    moves: Option<Moving>,
}

/// The moving edges, from the series.
#[derive(Debug)]
struct Moving {
    corner: [f64; 3],
    times: Vec<f64>,
    lengths: Vec<Vec<f64>>,
    offset: Vec<f64>,
    shear: Vec<f64>,
}

impl Space {
    /// Reads the description of the box from the folder.
    pub(super) fn open(dir: &Path, meta: &RunMeta) -> Result<Space, RecordError> {
        let moves = match meta.cell_corner.filter(|_| meta.cell) {
            Some(corner) => Some(Moving::read(dir, corner, meta.dimensions)?),
            None => None,
        };
        Ok(Space {
            stays: meta.periodic,
            moves: moves.filter(|moving| !moving.times.is_empty()),
        })
    }

    /// Returns the box at a time, s.
    pub(super) fn at(&self, time: f64) -> Edges {
        match &self.moves {
            Some(moving) => moving.at(time),
            None => Edges {
                axes: self.stays,
                offset: 0.0,
            },
        }
    }
}

impl Moving {
    fn read(dir: &Path, corner: [f64; 3], dimensions: usize) -> Result<Moving, RecordError> {
        let series = read::series(dir)?;
        let column = |name: &str| series.floats(name).map(<[f64]>::to_vec);
        let axes = ["x", "y", "z"].into_iter().take(dimensions);
        Ok(Moving {
            corner,
            times: column("time")?,
            lengths: axes
                .map(|axis| column(&format!("cell_length_{axis}")))
                .collect::<Result<_, _>>()?,
            offset: column("cell_offset")?,
            shear: column("cell_shear")?,
        })
    }

    fn at(&self, time: f64) -> Edges {
        let last = self.times.len() - 1;
        let after = self.times.partition_point(|t| *t < time).min(last);
        // Before the first row and after the last the box is as in that row.
        let before = match self.times[after] > time {
            true => after.saturating_sub(1),
            false => after,
        };
        let lasted = self.times[after] - self.times[before];
        let share = match lasted > 0.0 {
            true => (time - self.times[before]) / lasted,
            false => 0.0,
        };
        let between = |values: &[f64]| values[before] + share * (values[after] - values[before]);
        let mut edges = Edges::default();
        for (k, lengths) in self.lengths.iter().enumerate() {
            edges.axes[k] = Some([self.corner[k], between(lengths)]);
        }
        let (x, y) = (between(&self.lengths[0]), between(&self.lengths[1]));
        let came = self.offset[after] - self.offset[before];
        let foreseen = (self.shear[after] - self.shear[before]) * y;
        let turns = ((foreseen - came) / x).round();
        let offset = self.offset[before] + share * (came + turns * x);
        edges.offset = offset - x * (offset / x).round();
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 2 m by 1 m, sheared at 1.5 1/s and recorded every second: the displacement exceeds half a length
    /// between rows, and it is known only modulo whole lengths.
    #[test]
    fn the_box_between_two_rows_of_the_series() {
        let wrapped = |offset: f64| offset - 2.0 * (offset / 2.0).round();
        let times = vec![0.0, 1.0, 2.0];
        let moving = Moving {
            corner: [-1.0, 3.0, 0.0],
            lengths: vec![vec![2.0; 3], vec![1.0; 3]],
            offset: times.iter().map(|t| wrapped(1.5 * t)).collect(),
            shear: times.iter().map(|t| 1.5 * t).collect(),
            times,
        };
        for (time, told) in [
            (0.0, 0.0),
            (0.5, 0.75),
            (0.9, -0.65),
            (1.6, 0.4),
            (3.0, 1.0),
        ] {
            let edges = moving.at(time);
            assert_eq!(edges.axes, [Some([-1.0, 2.0]), Some([3.0, 1.0]), None]);
            // Displacements that differ by a whole length are equal.
            let off = wrapped(edges.offset - told).abs();
            assert!(off < 1e-12, "{time}: {}", edges.offset);
        }
    }
}
