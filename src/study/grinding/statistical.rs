//! The statistical grinding model: whole particles, many collisions in one draw (thesis 3.6.2).

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::binomial::binomial;
use super::chain::Chain;
use super::{StudyError, check_probabilities};
use crate::study::error::check;

/// Largest number of particles: above it, binomial numbers are not exact.
const MOST: f64 = 9e15;
/// Collisions of one batch times probability: the correlation that a batch neglects is of its square.
const LEAP: f64 = 0.05;

/// Particles in their baskets.
///
/// Per collision, the number of ground particles of basket i is binomial with (N_i, p_i). Here a batch of n = 2^s
/// collisions is drawn at once, and each particle of basket i is followed down with its fragments: the fraction that
/// has left basket j after n collisions, of what had reached it, is known from the chain, and so a particle of basket
/// j moves on with that probability. Means are exact for any n, and for n = 1 the whole model is; within a batch it
/// is neglected that two halves of one particle broke off at the same moment. A batch is kept so short that a
/// particle breaks twice in it once in a thousand times.
#[derive(Clone, Debug)]
pub struct Statistical {
    probabilities: Vec<f64>,
    counts: Vec<u64>,
    random: ChaCha8Rng,
    /// `onward[s][j * size + i]`: probability that, after 2^s collisions, a particle from basket j that has reached
    /// basket i has left it.
    onward: Vec<Vec<f64>>,
    last: Chain,
}

impl Statistical {
    /// Returns the model with `particles` in the first basket and the probabilities p_0 to p_k, the last of them 0.
    pub fn new(probabilities: Vec<f64>, particles: u64, seed: u64) -> Result<Self, StudyError> {
        check_probabilities(&probabilities)?;
        let size = probabilities.len();
        let what = "the number of particles when all are ground";
        let in_the_end = particles as f64 * libm::exp2((size - 1) as f64);
        check(what, in_the_end, "at most 9e15", |n| n <= MOST)?;
        let mut counts = vec![0; size];
        counts[0] = particles;
        let last = Chain::from_fn(size, |to, from| match to - from {
            0 => 1.0 - probabilities[from],
            1 => probabilities[from],
            _ => 0.0,
        });
        let onward = vec![leaving(&last)];
        Ok(Statistical {
            probabilities,
            counts,
            random: ChaCha8Rng::seed_from_u64(seed),
            onward,
            last,
        })
    }

    /// Returns the numbers of particles in the baskets.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the masses in the baskets, kg, if `mass` was in the first one at the start.
    pub fn masses(&self, mass: f64) -> Vec<f64> {
        let volume = |i: usize| libm::exp2(-(i as f64));
        let parts = self.counts.iter().enumerate();
        let whole: f64 = parts.clone().map(|(i, n)| *n as f64 * volume(i)).sum();
        parts
            .map(|(i, n)| mass * (*n as f64 * volume(i) / whole))
            .collect()
    }

    /// Whether all particles are in the last basket.
    pub fn is_ground(&self) -> bool {
        let (_, others) = self.counts.split_last().unwrap_or((&0, &[]));
        others.iter().all(|n| *n == 0)
    }

    /// Carries out a number of collisions of balls.
    pub fn collide(&mut self, mut collisions: u64) {
        while collisions > 0 && !self.is_ground() {
            let doublings = self.batch().min(collisions.ilog2());
            self.draw(doublings as usize);
            collisions -= 1 << doublings;
        }
    }

    /// Carries out as many collisions as a Poisson process has when `mean` are expected (at most 9e15): with them the
    /// mean masses are those of [`Analytical`](super::Analytical).
    pub fn pass(&mut self, mean: f64) {
        // Binomial over 9e15 trials: equals Poisson's law to mean / 9e15.
        let collisions = binomial(MOST as u64, mean / MOST, &mut self.random);
        self.collide(collisions);
    }

    /// Returns the doublings of the longest batch in which hardly any particle breaks twice.
    fn batch(&self) -> u32 {
        let present = |i: &usize| self.counts[*i] > 0;
        let first = (0..self.counts.len()).find(present).unwrap_or(0);
        // Broken particles go to the baskets below.
        let fastest = self.probabilities[first..]
            .iter()
            .copied()
            .fold(0.0, f64::max);
        if fastest > 0.0 {
            libm::log2(LEAP / fastest).clamp(0.0, 62.0) as u32
        } else {
            62
        }
    }

    /// Doubles the longest known batch.
    fn lengthen(&mut self) {
        let collisions = libm::exp2(self.onward.len() as f64);
        let staying = |i: usize| libm::exp(collisions * libm::log1p(-self.probabilities[i]));
        self.last = self.last.squared(staying);
        self.onward.push(leaving(&self.last));
    }

    /// Draws one batch of 2^doublings collisions.
    fn draw(&mut self, doublings: usize) {
        while self.onward.len() <= doublings {
            self.lengthen();
        }
        let size = self.counts.len();
        let onward = &self.onward[doublings];
        let mut after = vec![0; size];
        for from in 0..size {
            let mut moving = self.counts[from];
            for to in from..size {
                if moving == 0 {
                    break;
                }
                let gone = binomial(moving, onward[from * size + to], &mut self.random);
                after[to] += moving - gone;
                moving = 2 * gone;
            }
        }
        self.counts = after;
    }
}

/// Returns, for each start and each basket below, the fraction that leaves it again of what reaches it.
fn leaving(chain: &Chain) -> Vec<f64> {
    let size = chain.size();
    let mut onward = vec![0.0; size * size];
    for from in 0..size {
        let mut below = 0.0;
        for to in (from..size).rev() {
            let reached = below + chain.get(to, from);
            onward[from * size + to] = if reached > 0.0 { below / reached } else { 0.0 };
            below = reached;
        }
    }
    onward
}
