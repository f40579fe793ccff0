//! Neighbour search on a grid of several levels, for grains of widely different sizes.
//!
//! Each level has cells for grains up to its own size. A grain searches its own level around its own cell,
//! and larger grains in the cells of their levels (Ogarko and Luding 2012 compare such methods). The size
//! distribution determines which sizes share a level: dynamic programming over classes of sizes finds the
//! levels of least cost exactly, for given costs of a distance computation and of a look-up in another level.

use super::cells::{Found, near};
use super::periodic::Images;
use super::sorted::Sorted;
use super::{BroadPhase, PeriodicAxis};
use crate::geometry::Dimension;

/// Greatest ratio of the radii in a class of sizes.
const SPREAD: f64 = 1.4;
/// Greatest number of classes; the last one contains all smaller sizes.
const CLASSES: usize = 24;
/// Cost of a look-up in a row of another level's cells, in distance computations.
const LOOK: f64 = 5.0;
/// Fraction of the cost of one grid that several levels must save to be used.
const GAIN: f64 = 0.1;
/// Sample size for the estimate of the space that grains fill.
const SAMPLE: usize = 256;

/// A search on one grid or several, whichever is expected to be faster.
#[derive(Clone, Debug, Default)]
pub struct Levels<D: Dimension> {
    /// Whether to use several levels whenever sizes differ.
    always: bool,
    /// Levels, the smallest grains first; those beyond `used` are spare buffers.
    levels: Vec<Sorted<D>>,
    used: usize,
    /// Grains sorted by level.
    grains: Vec<(D::Vector, f64, u32)>,
    found: Found,
    hits: Vec<u32>,
    tests: u64,
}

impl<D: Dimension> Levels<D> {
    /// A search that uses one grid where that is expected to be as fast.
    pub fn new() -> Self {
        Self::default()
    }

    /// A search that uses several levels whenever sizes differ by more than a third.
    pub fn always() -> Self {
        Levels {
            always: true,
            ..Self::default()
        }
    }

    /// Number of levels of the last build.
    pub fn count(&self) -> usize {
        self.used
    }

    /// Chooses the levels; returns the greatest radius of each, ascending.
    fn choose(
        &self,
        positions: &[D::Vector],
        radii: &[f64],
        margin: f64,
        periodic: &Images,
    ) -> Vec<f64> {
        let greatest = radii.iter().copied().fold(0.0, f64::max);
        let classes = classes(radii, greatest);
        if classes.len() < 2 {
            return vec![greatest];
        }
        let cost = Cost {
            dimensions: D::N as i32,
            space: space::<D>(positions, periodic),
            margin,
        };
        cost.partition(&classes, self.always)
    }

    /// Sorts grains by level, given the greatest radius of each level.
    fn split(
        &mut self,
        bounds: &[f64],
        positions: &[D::Vector],
        radii: &[f64],
        images: &Images,
    ) -> Vec<usize> {
        let level_of = |radius: f64| {
            let above = bounds.iter().position(|&bound| radius <= bound);
            above.unwrap_or(bounds.len() - 1)
        };
        let mut ends = vec![0; bounds.len()];
        for &radius in radii {
            ends[level_of(radius)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        self.grains.clear();
        self.grains.resize(radii.len(), Default::default());
        for grain in images.wrapped(positions, radii) {
            let place = &mut ends[level_of(grain.1)];
            self.grains[*place] = grain;
            *place += 1;
        }
        ends
    }

    /// Finds pairs of a grain of one level and one of a higher level.
    fn across<const PERIODIC: bool>(&mut self, margin: f64) {
        let (levels, images) = (&self.levels[..self.used], &self.levels[0].grid.images);
        let (found, hits) = (&mut self.found.pairs, &mut self.hits);
        let mut tests = 0;
        for (index, level) in levels.iter().enumerate() {
            for here in &level.entries {
                for above in &levels[index + 1..] {
                    above.each_near(here.position, here.radius + margin, |others| {
                        tests += others.len() as u64;
                        let near = here.reached::<PERIODIC>(others, margin, images, hits);
                        let a = here.number;
                        found.extend(near.iter().map(|&b| (a.min(b), a.max(b))));
                    });
                }
            }
        }
        self.tests += tests;
    }
}

impl<D: Dimension> BroadPhase<D> for Levels<D> {
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
        let bounds = self.choose(positions, radii, margin, &images);
        self.used = bounds.len();
        if self.levels.len() < self.used {
            self.levels.resize_with(self.used, Sorted::default);
        }
        self.found.pairs.clear();
        self.tests = 0;
        if self.used == 1 {
            self.levels[0].build(images.wrapped(positions, radii), margin, images);
        } else {
            let ends = self.split(&bounds, positions, radii, &images);
            let mut start = 0;
            for (level, &end) in self.levels.iter_mut().zip(&ends) {
                level.build(self.grains[start..end].iter().copied(), margin, images);
                start = end;
            }
        }
        for level in &mut self.levels[..self.used] {
            self.tests += level.find(margin, &mut self.found.pairs);
        }
        if self.used > 1 {
            if images.any() {
                self.across::<true>(margin);
            } else {
                self.across::<false>(margin);
            }
        }
        self.found.sort(positions.len(), images.any(), out);
    }

    fn near(&self, point: D::Vector, reach: f64, out: &mut Vec<u32>) {
        out.clear();
        for level in &self.levels[..self.used] {
            near(level, point, reach, out);
        }
        out.sort_unstable();
    }

    fn tests(&self) -> u64 {
        self.tests
    }
}

/// A class of grains of similar size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Class {
    count: f64,
    /// Greatest radius in the class, m.
    radius: f64,
}

/// The classes of sizes that occur, ascending.
fn classes(radii: &[f64], greatest: f64) -> Vec<Class> {
    let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
    // Also true without grains, or with points only.
    if least * SPREAD >= greatest {
        return Vec::new();
    }
    let mut floors = [0.0; CLASSES];
    let mut bound = greatest;
    for floor in &mut floors[..CLASSES - 1] {
        bound /= SPREAD;
        *floor = bound;
    }
    let mut all = [Class::default(); CLASSES];
    for &radius in radii {
        let class = floors.partition_point(|&floor| radius <= floor);
        let class = &mut all[class.min(CLASSES - 1)];
        class.count += 1.0;
        class.radius = class.radius.max(radius);
    }
    all.into_iter().filter(|c| c.count > 0.0).rev().collect()
}

/// Area or volume that most grains fill: that of the box that excludes the outermost ones of a sample.
fn space<D: Dimension>(positions: &[D::Vector], periodic: &Images) -> f64 {
    let every = positions.len().div_ceil(SAMPLE).max(1);
    let mut space = 1.0;
    for k in 0..D::N {
        if let Some(axis) = periodic.axis(k) {
            space *= axis.length;
            continue;
        }
        let sample = positions.iter().step_by(every).map(|x| x[k]);
        let mut sample: Vec<f64> = sample.filter(|x| x.is_finite()).collect();
        sample.sort_unstable_by(f64::total_cmp);
        let out = sample.len() / 32;
        if let (Some(low), Some(high)) = (
            sample.get(out),
            sample.get(sample.len().saturating_sub(1 + out)),
        ) {
            space *= high - low;
        }
    }
    space
}

/// Cost model of a build, in distance computations.
struct Cost {
    dimensions: i32,
    /// Area or volume that grains fill.
    space: f64,
    /// Margin of the search, m.
    margin: f64,
}

impl Cost {
    /// Width of the cells of a level.
    fn width(&self, level: Class) -> f64 {
        let cells = (2.0 * level.count).max(1024.0);
        let least = libm::pow(self.space / cells, 1.0 / f64::from(self.dimensions));
        (2.0 * level.radius + self.margin).max(least)
    }

    /// Number of grains of a level in a box of the given width.
    fn within(&self, level: Class, width: f64) -> f64 {
        let box_of = width.powi(self.dimensions);
        if box_of < self.space {
            level.count * (box_of / self.space)
        } else {
            level.count
        }
    }

    /// Cost of the pairs within a level.
    fn own(&self, level: Class) -> f64 {
        0.5 * level.count * self.within(level, 3.0 * self.width(level))
    }

    /// Cost of searching a higher level for the grains of a class.
    fn look(&self, class: Class, above: Class) -> f64 {
        let reach = 2.0 * (class.radius + above.radius + self.margin);
        let width = self.width(above);
        let rows = (1.0 + reach / width).powi(self.dimensions - 1);
        class.count * (LOOK * rows + self.within(above, reach + width))
    }

    /// Greatest radii of the levels with the least cost; more than one level if `always`.
    fn partition(&self, classes: &[Class], always: bool) -> Vec<f64> {
        let n = classes.len();
        // Least cost of levels for the classes up to each, and where the last of these levels begins.
        let mut best = vec![(0.0, 0); n + 1];
        let mut one = f64::INFINITY;
        for end in 1..=n {
            best[end] = (f64::INFINITY, 0);
            let mut level = Class {
                count: 0.0,
                radius: classes[end - 1].radius,
            };
            for begin in (0..end).rev() {
                level.count += classes[begin].count;
                let below = classes[..begin].iter();
                let looks: f64 = below.map(|&class| self.look(class, level)).sum();
                let cost = best[begin].0 + self.own(level) + looks;
                if (begin, end) == (0, n) {
                    one = cost;
                    if always {
                        continue;
                    }
                }
                if cost < best[end].0 {
                    best[end] = (cost, begin);
                }
            }
        }
        if !always && best[n].0 > (1.0 - GAIN) * one {
            return vec![classes[n - 1].radius];
        }
        let mut bounds = Vec::new();
        let mut end = n;
        while end > 0 {
            bounds.push(classes[end - 1].radius);
            end = best[end].1;
        }
        bounds.reverse();
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost() -> Cost {
        Cost {
            dimensions: 3,
            space: 1.0,
            margin: 1e-4,
        }
    }

    /// Compares with all partitions of five classes into levels.
    #[test]
    fn the_least_cost() {
        let class = |count, radius| Class { count, radius };
        let classes = [
            class(2e5, 1e-3),
            class(5e4, 2e-3),
            class(3e3, 5e-3),
            class(500.0, 0.012),
            class(20.0, 0.05),
        ];
        let of = |cuts: u32| {
            let (mut sum, mut begin) = (0.0, 0);
            for end in 1..=5 {
                if end < 5 && cuts >> (end - 1) & 1 == 0 {
                    continue;
                }
                let level = class(
                    classes[begin..end].iter().map(|c| c.count).sum(),
                    classes[end - 1].radius,
                );
                let looks = classes[..begin].iter().map(|&c| cost().look(c, level));
                sum += cost().own(level) + looks.sum::<f64>();
                begin = end;
            }
            sum
        };
        let best = (0..16).min_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap();
        let bounds: Vec<f64> = (1..=5)
            .filter(|&end| end == 5 || best >> (end - 1) & 1 == 1)
            .map(|end| classes[end - 1].radius)
            .collect();
        assert_eq!(cost().partition(&classes, false), bounds);
        assert!(bounds.len() > 1 && of(best) < 0.2 * of(0));
    }

    /// Grains of about one size share one grid, unless several levels are requested.
    #[test]
    fn one_size() {
        assert!(classes(&[1.0, 1.2, 0.9], 1.2).is_empty());
        assert!(classes(&[], 0.0).is_empty());
        assert!(classes(&[0.0, 0.0], 0.0).is_empty());
        let two = classes(&[0.0, 1.0, 1.0], 1.0);
        assert_eq!(two.len(), 2);
        let few = [(1e4, 0.02), (1e4, 0.03)].map(|(count, radius)| Class { count, radius });
        assert_eq!(cost().partition(&few, false), [0.03]);
        assert_eq!(cost().partition(&few, true), [0.02, 0.03]);
    }
}
