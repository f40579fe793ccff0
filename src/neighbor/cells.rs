//! A uniform grid: grains are sorted by cell, and look into the cells around their own.

use super::periodic::{Images, is_under};
use super::sorted::Sorted;
use super::{BroadPhase, PeriodicAxis};
use crate::geometry::{Dimension, Vector};

/// Pairs as found, and the room to sort them.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<(u32, u32)>,
    /// Where the pairs of each grain go.
    places: Vec<u32>,
}

impl Found {
    /// Sorts what was found among so many grains, by counting over the first number and then within each
    /// grain; pairs may have been found twice.
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
/// are proportional to the number of grains, whatever the extent of the space that they fill; the
/// sizes of grains should not differ widely ([`super::Levels`]). Nothing is allocated once the arrays have
/// grown.
#[derive(Clone, Debug, Default)]
pub struct Cells<D: Dimension> {
    sorted: Sorted<D>,
    found: Found,
    tests: u64,
}

impl<D: Dimension> Cells<D> {
    /// A search that knows no grains yet.
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

/// Appends the grains whose surface is nearer to a point than `reach`, m.
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
