//! Random lines through a body.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Integrals, MassError, MassProperties, Work};
use crate::body::Region;
use crate::geometry::{Dimension, Vector};

/// Number of batches whose scatter gives the error.
const BATCHES: usize = 64;

/// Greatest number of lines: an error of some 3e-5.
const MOST_SAMPLES: u64 = 1_000_000_000;

/// Settings of the sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarlo {
    /// Number of lines; with a tolerance the greatest number that is drawn.
    pub samples: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Greatest relative error, if required: one standard error.
    pub tolerance: Option<f64>,
}

/// Returns mass properties of any region from lines along the last coordinate at random positions, each integrated
/// along its parts inside; the error is one standard error from the scatter of 64 batches.
///
/// # Errors
/// When no line meets the body, there are more than 1e9, or the samples do not reach the tolerance.
pub fn monte_carlo<D: Dimension>(
    region: &impl Region<D>,
    how: MonteCarlo,
) -> Result<MassProperties<D>, MassError> {
    if how.samples > MOST_SAMPLES {
        return Err(MassError::TooManySamples(how.samples, MOST_SAMPLES));
    }
    let (min, max) = region.bounds();
    let middle = (min + max) * 0.5;
    let mut streams: Vec<ChaCha8Rng> = (0..BATCHES)
        .map(|batch| {
            let mut stream = ChaCha8Rng::seed_from_u64(how.seed);
            stream.set_stream(batch as u64);
            stream
        })
        .collect();
    let mut batches = vec![Integrals::<D>::new(middle); BATCHES];
    let most = how.samples.div_ceil(BATCHES as u64).max(1);
    let mut spans = Vec::new();
    let mut drawn = 0;
    let mut goal = if how.tolerance.is_some() {
        most.min(256)
    } else {
        most
    };
    loop {
        for (stream, batch) in streams.iter_mut().zip(&mut batches) {
            for _ in drawn..goal {
                line(region, min, max, stream, batch, &mut spans);
            }
        }
        drawn = goal;
        let result = summed(&batches, middle, &min, &max, drawn);
        match (result, how.tolerance) {
            (Ok(found), Some(wanted)) if found.error_estimate > wanted => {
                if drawn == most {
                    return Err(MassError::Tolerance {
                        wanted,
                        reached: found.error_estimate,
                        work: Work::Samples(drawn * BATCHES as u64),
                    });
                }
            }
            (Err(_), Some(_)) if drawn < most => {}
            (result, _) => return result,
        }
        goal = (2 * drawn).min(most);
    }
}

/// Adds one line to a batch.
fn line<D: Dimension>(
    region: &impl Region<D>,
    min: D::Vector,
    max: D::Vector,
    stream: &mut ChaCha8Rng,
    batch: &mut Integrals<D>,
    spans: &mut Vec<[f64; 2]>,
) {
    let last = D::N - 1;
    let at = D::Vector::from_fn(|k| {
        if k == last {
            0.0
        } else {
            min[k] + (max[k] - min[k]) * stream.random::<f64>()
        }
    });
    region.spans(at, spans);
    for &[from, to] in spans.iter() {
        let length = to - from;
        let mut centre = at - batch.origin;
        centre[last] = 0.5 * (from + to) - batch.origin[last];
        let mut second = [[0.0; 3]; 3];
        second[last][last] = length * length * length / 12.0;
        batch.add(length, centre, &second);
    }
}

/// Returns the mean over the batches with its standard error.
fn summed<D: Dimension>(
    batches: &[Integrals<D>],
    middle: D::Vector,
    min: &D::Vector,
    max: &D::Vector,
    drawn: u64,
) -> Result<MassProperties<D>, MassError> {
    let base: f64 = (0..D::N - 1).map(|k| max[k] - min[k]).product();
    let weight = base / (drawn as f64 * batches.len() as f64);
    let mut total = Integrals::new(middle);
    for batch in batches {
        total.add_weighted(batch, weight);
    }
    if total.measure <= 0.0 {
        return Err(MassError::Nothing);
    }
    let found = total.properties(0.0);
    // Leaves out one batch at a time (jackknife): the scatter of the rest also gives the error of ratios.
    let n = batches.len() as f64;
    let mut squares = 0.0_f64;
    let mut sums = [0.0; 13];
    for batch in batches {
        let mut rest = total;
        rest.add_weighted(batch, -weight);
        let mut scaled = Integrals::new(middle);
        scaled.add_weighted(&rest, n / (n - 1.0));
        for (sum, change) in sums
            .iter_mut()
            .zip(changes(&found, &scaled.properties(0.0)))
        {
            *sum += change * change;
        }
    }
    for sum in sums {
        squares = squares.max(sum);
    }
    let mut found = found;
    found.error_estimate = ((n - 1.0) / n * squares).sqrt();
    Ok(found)
}

/// Returns the differences by quantity, in the scales of [`MassProperties::distance`].
fn changes<D: Dimension>(a: &MassProperties<D>, b: &MassProperties<D>) -> [f64; 13] {
    let trace = a.polar();
    let mut all = [0.0; 13];
    all[0] = b.measure / a.measure - 1.0;
    let gyration = (trace / a.measure).sqrt();
    for i in 0..D::N {
        all[1 + i] = (b.centroid[i] - a.centroid[i]) / gyration;
        for j in 0..D::N {
            all[4 + 3 * i + j] = (b.second[i][j] - a.second[i][j]) / trace;
        }
    }
    all
}
