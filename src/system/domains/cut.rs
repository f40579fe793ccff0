//! Distribution of grains over ranks: the box cut into domains, one for each rank.

use crate::geometry::{Dimension, Vector};
use crate::system::PeriodicAxis;

/// Number of bins of a load along an axis.
const BINS: usize = 1024;

/// Domains between planes across each axis, the same throughout the system.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    domains: [usize; 3],
    /// Inner planes of each axis, ascending, m.
    planes: [Vec<f64>; 3],
    periodic: [Option<PeriodicAxis>; 3],
}

/// Distribution of the work along each axis.
#[derive(Clone, Debug)]
pub(super) struct Load {
    low: [f64; 3],
    width: [f64; 3],
    /// Work per bin, axis by axis.
    pub bins: Vec<u64>,
}

impl Load {
    /// Creates an empty load between two corners, m.
    pub fn new(low: [f64; 3], high: [f64; 3]) -> Load {
        let width = std::array::from_fn(|k| (high[k] - low[k]) / BINS as f64);
        Load {
            low,
            width,
            bins: vec![0; 3 * BINS],
        }
    }

    /// Adds work at a place.
    pub fn add<V: Vector>(&mut self, x: V, work: u64) {
        for k in 0..V::LEN {
            let steps = (x[k] - self.low[k]) / self.width[k];
            // NaN counts as the first bin.
            let bin = (steps as usize).min(BINS - 1);
            self.bins[k * BINS + bin] += work;
        }
    }
}

impl Cut {
    /// Creates a cut that gives all grains to rank 0.
    pub fn none(domains: [usize; 3], periodic: &[Option<PeriodicAxis>]) -> Cut {
        Cut {
            domains,
            planes: std::array::from_fn(|k| vec![f64::INFINITY; domains[k] - 1]),
            periodic: std::array::from_fn(|k| periodic.get(k).copied().flatten()),
        }
    }

    /// Returns the number of domains along each axis.
    pub fn domains(&self) -> [usize; 3] {
        self.domains
    }

    /// Returns a cut with the same work between planes, axis by axis.
    pub fn balanced(&self, load: &Load) -> Cut {
        let mut cut = self.clone();
        for k in 0..3 {
            let bins = &load.bins[k * BINS..][..BINS];
            let all: u64 = bins.iter().sum();
            let (mut bin, mut before) = (0, 0);
            for (index, plane) in cut.planes[k].iter_mut().enumerate() {
                let wanted = all as f64 * (index + 1) as f64 / self.domains[k] as f64;
                while bin + 1 < BINS && (before + bins[bin]) as f64 <= wanted {
                    before += bins[bin];
                    bin += 1;
                }
                let part = if bins[bin] > 0 {
                    ((wanted - before as f64) / bins[bin] as f64).clamp(0.0, 1.0)
                } else {
                    0.5
                };
                *plane = load.low[k] + load.width[k] * (bin as f64 + part);
            }
        }
        cut
    }

    /// Returns the rank that steps a grain at a place.
    pub fn rank_of<V: Vector>(&self, x: V) -> usize {
        let mut rank = 0;
        for k in (0..V::LEN).rev() {
            let at = self.periodic[k].map_or(x[k], |axis| axis.wrap(x[k]));
            rank = rank * self.domains[k] + self.planes[k].partition_point(|plane| *plane <= at);
        }
        rank
    }

    /// Returns the extent of a rank's domain along an axis; an end without a neighbour is infinite.
    fn extent(&self, rank: usize, axis: usize) -> [f64; 2] {
        let across: usize = self.domains[..axis].iter().product();
        let index = rank / across % self.domains[axis];
        let planes = &self.planes[axis];
        let (first, last) = match self.periodic[axis] {
            Some(p) if self.domains[axis] > 1 => (p.origin, p.origin + p.length),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let low = if index == 0 { first } else { planes[index - 1] };
        let high = planes.get(index).copied().unwrap_or(last);
        [low, high]
    }

    /// Returns the shifts to images along an axis that may be nearer than the original.
    fn shifts(&self, axis: usize) -> impl Iterator<Item = f64> {
        let length = match self.periodic[axis] {
            Some(p) if self.domains[axis] > 1 => Some(p.length),
            _ => None,
        };
        std::iter::once(0.0).chain(length.into_iter().flat_map(|l| [-l, l]))
    }

    /// Returns the distance of a place from a rank's domain, m.
    pub fn distance<D: Dimension>(&self, rank: usize, x: D::Vector) -> f64 {
        let mut square = 0.0;
        for k in 0..D::N {
            let [low, high] = self.extent(rank, k);
            let gap = |shift: f64| (low - x[k] - shift).max(x[k] + shift - high).max(0.0);
            let gap = self.shifts(k).map(gap).fold(f64::INFINITY, f64::min);
            square += gap * gap;
        }
        square.sqrt()
    }

    /// Returns the gap between two domains along the axis where it is greatest, m.
    pub fn gap(&self, a: usize, b: usize) -> f64 {
        let along = |k: usize| {
            let ([la, ha], [lb, hb]) = (self.extent(a, k), self.extent(b, k));
            let gap = |shift: f64| (lb + shift - ha).max(la - hb - shift).max(0.0);
            self.shifts(k).map(gap).fold(f64::INFINITY, f64::min)
        };
        (0..3).map(along).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2;
    use rand::{RngExt, SeedableRng};

    fn cut(periodic: bool) -> Cut {
        let axis = PeriodicAxis {
            origin: -1.0,
            length: 4.0,
        };
        let periodic = [periodic.then_some(axis), None];
        let mut load = Load::new([-1.0, 0.0, 0.0], [3.0, 2.0, 0.0]);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..10_000 {
            let x = -1.0 + 4.0 * rng.random::<f64>().powi(2);
            load.add(Vector2::new(x, 2.0 * rng.random::<f64>()), 1);
        }
        Cut::none([3, 2, 1], &periodic).balanced(&load)
    }

    #[test]
    fn bricks_hold_the_same_work() {
        let cut = cut(false);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        let mut counts = [0; 6];
        for _ in 0..60_000 {
            let x = -1.0 + 4.0 * rng.random::<f64>().powi(2);
            let x = Vector2::new(x, 2.0 * rng.random::<f64>());
            let rank = cut.rank_of(x);
            counts[rank] += 1;
            assert_eq!(cut.distance::<Planar>(rank, x), 0.0);
        }
        // 1e4 draws determine the planes, and 1e4 fall into each domain: 2 % is about two standard deviations of either.
        assert!(
            counts.iter().all(|&n| (9_400..10_600).contains(&n)),
            "{counts:?}"
        );
    }

    /// The distance of a domain is that of the nearest place that its rank steps, images included.
    #[test]
    fn distances_are_those_of_places() {
        for periodic in [false, true] {
            let cut = cut(periodic);
            let mut nearest = [f64::INFINITY; 6];
            let x = Vector2::new(2.9, 0.3);
            for i in 0..400 {
                for j in 0..200 {
                    let y = Vector2::new(-0.995 + 0.01 * f64::from(i), 0.005 + 0.01 * f64::from(j));
                    let mut d = y - x;
                    if periodic {
                        d.x -= 4.0 * (d.x / 4.0).round();
                    }
                    let rank = cut.rank_of(y);
                    nearest[rank] = nearest[rank].min(d.norm());
                }
            }
            for (rank, nearest) in nearest.into_iter().enumerate() {
                let told = cut.distance::<Planar>(rank, x);
                // The grid of places is off by half a step each way.
                assert!(
                    told <= nearest && nearest < told + 0.015,
                    "{rank} {told} {nearest}"
                );
                let own = cut.rank_of(x);
                assert!(cut.gap(own, rank) <= told && cut.gap(own, rank) == cut.gap(rank, own));
            }
        }
    }
}
