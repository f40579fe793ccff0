//! Random clumps.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, UnitCircle, UnitSphere};

use super::FitError;
use crate::body::{Ball, Clump};
use crate::geometry::{Dimension, Vector};

/// Number of failed draws of a ball after which the settings count as impossible.
const TRIES: usize = 10_000;

/// Settings of a random clump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Random {
    /// Number of disks or spheres.
    pub count: usize,
    /// Smallest radius over the largest possible one, above 0 to 1; radii are uniformly distributed in between.
    pub least: f64,
    /// Overlap of a ball with the one that it is joined to: 0 if they touch, towards 1 if the smaller one is hidden
    /// in the other.
    pub overlap: f64,
    /// Seed.
    pub seed: u64,
}

impl Random {
    /// Returns a connected clump: each ball is joined to a random earlier one, in a direction distributed uniformly
    /// over the circle or sphere. The largest possible radius is 1. No ball is hidden in another.
    ///
    /// # Errors
    /// When a number is out of range, or balls find no place.
    pub fn clump<D: Dimension>(&self) -> Result<Clump<D>, FitError> {
        if !(0.0..1.0).contains(&self.overlap) {
            return Err(FitError::Overlap(self.overlap));
        }
        if !(self.least > 0.0 && self.least <= 1.0) {
            return Err(FitError::Least(self.least));
        }
        if self.count == 0 {
            return Err(FitError::Count);
        }
        let mut stream = ChaCha8Rng::seed_from_u64(self.seed);
        let mut balls: Vec<Ball<D>> = Vec::new();
        let mut tries = 0;
        while balls.len() < self.count {
            let radius = self.least + (1.0 - self.least) * stream.random::<f64>();
            if balls.is_empty() {
                let centre = D::Vector::default();
                balls.push(Ball { centre, radius });
                continue;
            }
            let parent = balls[stream.random_range(0..balls.len())];
            let direction = direction::<D>(&mut stream);
            // From just hidden to just touching.
            let (apart, lesser) = ((radius - parent.radius).abs(), radius.min(parent.radius));
            let distance = apart + (1.0 - self.overlap) * 2.0 * lesser;
            let centre = parent.centre + direction * distance;
            let hides =
                |b: &Ball<D>| (b.centre - centre).norm() <= (b.radius - radius).abs() + 1e-9;
            if !balls.iter().any(hides) {
                balls.push(Ball { centre, radius });
                continue;
            }
            tries += 1;
            if tries > TRIES {
                return Err(FitError::NoPlace(balls.len()));
            }
        }
        Clump::new(balls).map_err(FitError::Clump)
    }
}

fn direction<D: Dimension>(stream: &mut ChaCha8Rng) -> D::Vector {
    if D::N == 2 {
        let way: [f64; 2] = UnitCircle.sample(stream);
        D::Vector::from_fn(|k| way[k])
    } else {
        let way: [f64; 3] = UnitSphere.sample(stream);
        D::Vector::from_fn(|k| way[k])
    }
}
