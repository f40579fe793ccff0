//! Goodness of fit: whether the data could come from the power law fitted to them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use serde::Serialize;

use super::error::{StudyError, enough};
use super::power_law::{Drawer, PowerLaw, Sample, Search};

/// Result of the test of a fitted law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Goodness {
    /// Fraction of samples drawn from the law that are at least as far from their own fit as the data are from
    /// theirs.
    pub probability: f64,
    /// Standard error of that fraction.
    pub error: f64,
    /// Number of samples drawn.
    pub replicas: usize,
}

/// Below this probability a power law is ruled out (Clauset et al. 2009, 4.1).
pub const RULED_OUT: f64 = 0.1;

/// Tests a law fitted to `values` with the same `search` (Clauset et al. 2009, 4.1): samples of the same size are
/// drawn, from the law above x_min and from the data below, and are fitted anew, including x_min. Each has a random
/// stream of its own, so that the result depends on the seed alone. An error of 0.01 needs 2500 replicas.
pub fn goodness(
    values: &[f64],
    law: &PowerLaw,
    search: &Search,
    replicas: usize,
    seed: u64,
) -> Result<Goodness, StudyError> {
    enough("replicas", replicas, 1)?;
    // The law must be fitted to the same data: their counts determine the mixture.
    Sample::new(values, law.support)?;
    let body: Vec<f64> = values.iter().copied().filter(|&v| v < law.start).collect();
    if values.len() != law.count || body.len() + law.tail != law.count {
        return Err(StudyError::Unequal {
            what: "sizes and those that were fitted",
            first: values.len(),
            second: law.count,
        });
    }
    let drawer = Drawer::new(*law);
    let outcomes: Vec<Option<bool>> = (0..replicas as u64)
        .into_par_iter()
        .map(|replica| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(replica);
            let draw = |_| {
                let place = rng.random_range(0..law.count);
                if place < body.len() {
                    body[rng.random_range(0..body.len())]
                } else {
                    drawer.draw(&mut rng)
                }
            };
            let drawn = (0..law.count).map(draw).collect();
            let fit = Sample::sorted(drawn, law.support).fit(search).ok()?;
            Some(fit.distance >= law.distance)
        })
        .collect();
    let valid: Vec<bool> = outcomes.into_iter().flatten().collect();
    if valid.is_empty() {
        return Err(StudyError::Undetermined {
            what: "the goodness of a power law",
        });
    }
    let n = valid.len() as f64;
    let probability = valid.iter().filter(|&&far| far).count() as f64 / n;
    Ok(Goodness {
        probability,
        error: (probability * (1.0 - probability) / n).sqrt(),
        replicas: valid.len(),
    })
}
