//! Neighbour search on a uniform grid: grains are sorted by cell and tested against the cells around.

use super::periodic::{Images, is_under};
use super::sorted::Sorted;
use super::{BroadPhase, PeriodicAxis};
use crate::geometry::{Dimension, Vector};

/// Pairs as found, and buffers to sort them.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<(u32, u32)>,
    /// Start of the pairs of each grain.
    places: Vec<u32>,
}

impl Found {
    /// Sorts the pairs found among `grains` grains, by counting over the first number and then
    /// within each grain; removes duplicates if pairs may have been found `twice`.
    pub(super) fn sort(&mut self, grains: usize, twice: bool, out: &mut Vec<(u32, u32)>) {
        self.places.clear();
        self.places.resize(grains + 1, 0);
        for &(a, _) in &self.pairs {
            self.places[a as usize] += 1;
        }
        let mut sum = 0;
        for place in &mut self.places {
            sum += *place;
            *place = sum;
        }
        out.clear();
        out.resize(self.pairs.len(), (0, 0));
        for &pair in &self.pairs {
            let place = &mut self.places[pair.0 as usize];
            *place -= 1;
            out[*place as usize] = pair;
        }
        for bounds in self.places.windows(2) {
            let own = &mut out[bounds[0] as usize..bounds[1] as usize];
            if own.len() > 1 {
                own.sort_unstable_by_key(|pair| pair.1);
            }
        }
        if twice {
            out.dedup();
        }
    }
}

/// Grains in cells as wide as the greatest reach, by a counting sort (no hashing). Time and memory
/// are proportional to the number of grains, whatever the extent of the space that they fill; grain
/// sizes should not differ widely ([`super::Levels`]). It does not allocate once the arrays have
/// grown.
#[derive(Clone, Debug, Default)]
pub struct Cells<D: Dimension> {
    sorted: Sorted<D>,
    found: Found,
    tests: u64,
}

impl<D: Dimension> Cells<D> {
    /// A search without grains.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<D: Dimension> BroadPhase<D> for Cells<D> {
    fn pairs(
        &mut self,
        positions: &[D::Vector],
        radii: &[f64],
        margin: f64,
        periodic: &[Option<PeriodicAxis>],
        out: &mut Vec<(u32, u32)>,
    ) {
        debug_assert_eq!(positions.len(), radii.len());
        let images = Images::new::<D>(periodic);
        let all = images.wrapped(positions, radii);
        self.sorted.build(all, margin, images);
        self.found.pairs.clear();
        self.tests = self.sorted.find(margin, &mut self.found.pairs);
        self.found.sort(positions.len(), images.any(), out);
    }

    fn near(&self, point: D::Vector, reach: f64, out: &mut Vec<u32>) {
        out.clear();
        near(&self.sorted, point, reach, out);
        out.sort_unstable();
    }

    fn tests(&self) -> u64 {
        self.tests
    }
}

/// Appends the grains whose surface is closer to a point than `reach`, m.
pub(super) fn near<D: Dimension>(
    sorted: &Sorted<D>,
    point: D::Vector,
    reach: f64,
    out: &mut Vec<u32>,
) {
    let images = &sorted.grid.images;
    let point = images.wrap(point);
    sorted.each_near(point, reach, |entries| {
        for entry in entries {
            let delta = images.shorten(entry.position - point);
            if is_under(delta.norm_squared(), entry.radius + reach) {
                out.push(entry.number);
            }
        }
    });
}
