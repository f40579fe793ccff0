//! Filling by rows of cells, each with one grain at a random place inside its cell.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::obstacles::Obstacles;
use super::{FillError, FillRequest};
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// Width of a cell in mean diameters, where there is room: loose enough for grains to be
/// shaken out of their rows.
const LOOSE: f64 = 1.2;
/// Least width of a cell in largest diameters, so that rounding makes no overlap.
const TIGHT: f64 = 1.0 + 1e-9;

/// Greatest number of cells that are checked: ten for each grain that a scenario may start with.
const MOST_CELLS: usize = 100_000_000;

/// Fills the region from below, row by row (first coordinate fastest), one grain to a square or
/// cubic cell that is stretched to fill the width. A grain is moved from the middle of its cell by
/// up to `jitter` (0 to 1) of the room it has there; each component of its velocity is uniform in
/// +-`speed`, m/s. Cells in which it would overlap a wall or a grain stay empty. Cells are 1.2
/// mean diameters wide, or narrower where all grains fit only then.
pub fn lattice<D: Dimension>(
    request: &FillRequest<'_, D>,
    jitter: f64,
    speed: f64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Grain<D>>, FillError> {
    let (mean, largest) = request.check()?;
    if !(0.0..=1.0).contains(&jitter) {
        return Err(FillError::Number(format!(
            "the jitter must be from 0 to 1, not {jitter}"
        )));
    }
    if !(speed >= 0.0 && speed.is_finite()) {
        return Err(FillError::Number(format!(
            "the speed must be 0 m/s or more and finite, not {speed}"
        )));
    }
    let obstacles = Obstacles::new(request, largest)?;
    let tight = 2.0 * largest * TIGHT;
    let loose = (2.0 * mean * LOOSE).max(2.02 * largest);
    // Both tries start from the same stream, so that the looser one leaves no trace.
    let start = rng.clone();
    let (mut best, mut most) = (0, 0);
    for cell in [loose, tight] {
        *rng = start.clone();
        let cells = Cells::new(request, cell.max(tight));
        most = cells.len();
        let grains = fill(request, &obstacles, &cells, jitter, speed, rng);
        if grains.len() == request.count {
            return Ok(grains);
        }
        best = best.max(grains.len());
    }
    Err(FillError::NoRoom {
        placed: best,
        asked: request.count,
        advice: match most > MOST_CELLS {
            true => {
                "the region has more cells than are looked at, 1e8: let it lie closer around the vessel"
            }
            false => "enlarge the region (above all upwards) or lower the count",
        },
    })
}

/// Cells of a region: their number along each coordinate, and their size.
struct Cells<D: Dimension> {
    counts: [usize; 3],
    size: D::Vector,
}

impl<D: Dimension> Cells<D> {
    fn new(request: &FillRequest<'_, D>, least: f64) -> Self {
        let width = request.max - request.min;
        let mut counts = [1; 3];
        let mut size = D::Vector::default();
        // Widths stretch to fill the region; the height is the narrowest width.
        let mut height = f64::INFINITY;
        for k in 0..D::N - 1 {
            counts[k] = ((width[k] / least).floor() as usize).max(1);
            size[k] = width[k] / counts[k] as f64;
            height = height.min(size[k]);
        }
        let up = D::N - 1;
        // A region a single cell wide must not have tall rows.
        size[up] = height.min(1.5 * least);
        counts[up] = (width[up] / size[up]).floor() as usize;
        if counts[up] == 0 {
            (counts[up], size[up]) = (1, width[up]);
        }
        Cells { counts, size }
    }
    fn len(&self) -> usize {
        self.counts.iter().fold(1, |n, &m| n.saturating_mul(m))
    }
    /// Returns the cells along each coordinate that may hold a grain: any in the others would overlap a flat wall across the
    /// coordinate, a box or a ball around the grains. Adds one cell at either end, for rounding.
    fn open(&self, request: &FillRequest<'_, D>) -> [Range<usize>; 3] {
        let mut open = self.counts.map(|count| 0..count);
        for wall in request.boundaries {
            let pose = wall.motion.pose(0.0);
            let moved = pose.shift != D::Vector::default() || pose.rotation != D::identity();
            let Some((low, high)) = wall.shape.room().filter(|_| !moved) else {
                continue;
            };
            for (k, range) in open.iter_mut().enumerate().take(D::N) {
                let cell = |x: f64| (x - request.min[k]) / self.size[k];
                let (first, end) = (cell(low[k]).floor() - 1.0, cell(high[k]).ceil() + 1.0);
                if first > range.start as f64 {
                    range.start = first as usize;
                }
                if end < range.end as f64 {
                    range.end = end.max(0.0) as usize;
                }
            }
        }
        open
    }
    /// Iterates over the numbers of these cells, up to that of the last cell that is checked.
    fn numbers(&self, open: [Range<usize>; 3]) -> impl Iterator<Item = usize> {
        let [i, j, k] = if open.iter().any(Range::is_empty) {
            [0..0, 0..0, 0..0]
        } else {
            open
        };
        let [columns, rows, _] = self.counts;
        let row = k.flat_map(move |k| {
            j.clone()
                .map(move |j| j.saturating_add(k.saturating_mul(rows)))
        });
        let number = row.flat_map(move |row| {
            i.clone()
                .map(move |i| i.saturating_add(row.saturating_mul(columns)))
        });
        let most = self.len().min(MOST_CELLS);
        number.take_while(move |number| *number < most)
    }
    fn middle(&self, index: usize, min: D::Vector) -> D::Vector {
        let mut rest = index;
        D::Vector::from_fn(|k| {
            let i = rest % self.counts[k];
            rest /= self.counts[k];
            min[k] + (i as f64 + 0.5) * self.size[k]
        })
    }
}

/// Number of words of a stream that a random number uses.
const WORDS: usize = 2;

/// Advances a stream as if the numbers for so many cells had been drawn.
fn skip<D: Dimension>(rng: &mut ChaCha8Rng, cells: usize) {
    if cells > 0 {
        // A shift and a velocity per cell.
        let words = (cells * 2 * D::N * WORDS) as u128;
        rng.set_word_pos(rng.get_word_pos() + words);
    }
}

fn fill<D: Dimension>(
    request: &FillRequest<'_, D>,
    obstacles: &Obstacles<D>,
    cells: &Cells<D>,
    jitter: f64,
    speed: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Grain<D>> {
    let mut grains = Vec::with_capacity(request.count.min(cells.len()));
    let symmetric = |rng: &mut ChaCha8Rng| 2.0 * rng.random::<f64>() - 1.0;
    let mut drawn = None;
    let mut next = 0;
    for index in cells.numbers(cells.open(request)) {
        if grains.len() == request.count {
            break;
        }
        // A grain that finds no room goes to the next cell, so that no size is favoured.
        let (sort, r) = *drawn.get_or_insert_with(|| request.what.draw(rng));
        skip::<D>(rng, index - next);
        next = index + 1;
        let middle = cells.middle(index, request.min);
        let shift = D::Vector::from_fn(|k| {
            let room = (0.5 * cells.size[k] - r).max(0.0) * (1.0 - 1e-9);
            jitter * room * symmetric(rng)
        });
        let velocity = D::Vector::from_fn(|_| speed * symmetric(rng));
        let Some(x) = [middle + shift, middle]
            .into_iter()
            .find(|&x| !obstacles.overlaps(x, r) && request.allows(x, r))
        else {
            continue;
        };
        let mut grain = request.grain(grains.len(), (sort, r), x);
        grain.velocity = velocity;
        grains.push(grain);
        drawn = None;
    }
    grains
}
