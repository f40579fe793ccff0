//! Neighbour search over all pairs, for tests and for very few grains.

use super::periodic::{Images, is_under};
use super::{BroadPhase, PeriodicAxis};
use crate::geometry::{Dimension, Vector};

/// Tests every pair.
#[derive(Clone, Debug, Default)]
pub struct Brute<D: Dimension> {
    positions: Vec<D::Vector>,
    radii: Vec<f64>,
    images: Images,
}

impl<D: Dimension> Brute<D> {
    /// A search without grains.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<D: Dimension> BroadPhase<D> for Brute<D> {
    fn pairs(
        &mut self,
        positions: &[D::Vector],
        radii: &[f64],
        margin: f64,
        periodic: &[Option<PeriodicAxis>],
        out: &mut Vec<(u32, u32)>,
    ) {
        debug_assert_eq!(positions.len(), radii.len());
        self.images = Images::new::<D>(periodic);
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|x| self.images.wrap(*x)));
        self.radii.clear();
        self.radii.extend_from_slice(radii);
        out.clear();
        for (i, (a, r)) in self.positions.iter().zip(radii).enumerate() {
            for (j, (b, s)) in self.positions.iter().zip(radii).enumerate().skip(i + 1) {
                let delta = self.images.shorten(*b - *a);
                if is_under(delta.norm_squared(), r + s + margin) {
                    out.push((i as u32, j as u32));
                }
            }
        }
    }

    fn near(&self, point: D::Vector, reach: f64, out: &mut Vec<u32>) {
        out.clear();
        let point = self.images.wrap(point);
        for (i, (x, radius)) in self.positions.iter().zip(&self.radii).enumerate() {
            let delta = self.images.shorten(*x - point);
            if is_under(delta.norm_squared(), radius + reach) {
                out.push(i as u32);
            }
        }
    }

    fn tests(&self) -> u64 {
        let n = self.positions.len() as u64;
        n * n.saturating_sub(1) / 2
    }
}
