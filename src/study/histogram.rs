//! Counts and densities in bins of equal width, linear or logarithmic.

use serde::Serialize;

use super::error::{StudyError, check, enough, finite, positive};

/// One bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Lower end, included.
    pub low: f64,
    /// Upper end, excluded except for the last bin of a linear histogram.
    pub high: f64,
    /// Number of values in the bin.
    pub count: u64,
    /// Fraction of all values, including those outside the bins, per width of the bin.
    pub density: f64,
}

/// Returns a histogram in `bins` equal bins from `low` to `high`; values outside count only in the total.
pub fn histogram(values: &[f64], low: f64, high: f64, bins: usize) -> Result<Vec<Bin>, StudyError> {
    enough("values in a histogram", values.len(), 1)?;
    enough("bins of a histogram", bins, 1)?;
    finite("value in a histogram", values)?;
    finite("end of a histogram", &[low, high])?;
    let width = positive("width of a histogram", high - low)? / bins as f64;
    let mut counts = vec![0u64; bins];
    for &v in values.iter().filter(|&&v| (low..=high).contains(&v)) {
        counts[(((v - low) / width) as usize).min(bins - 1)] += 1;
    }
    let total = values.len() as f64;
    Ok(counts
        .into_iter()
        .enumerate()
        .map(|(k, count)| Bin {
            low: low + width * k as f64,
            high: low + width * (k + 1) as f64,
            count,
            density: count as f64 / (total * width),
        })
        .collect())
}

/// Returns a histogram of positive values in bins with a fixed ratio of ends, `per_decade` bins per factor of ten,
/// from the least value on. Empty bins are kept.
///
/// For whole numbers (`whole`) the ends are whole numbers too and the width is the count of whole numbers in a bin:
/// else the density of small sizes would depend on where the ends happen to fall.
pub fn log_histogram(values: &[f64], per_decade: u32, whole: bool) -> Result<Vec<Bin>, StudyError> {
    enough("values in a histogram", values.len(), 1)?;
    enough("bins per decade", per_decade as usize, 1)?;
    check(
        "bins per decade",
        f64::from(per_decade),
        "at most 1000",
        |n| n <= 1000.0,
    )?;
    for &v in values {
        positive("value in a logarithmic histogram", v)?;
        if whole {
            check("size", v, "a whole number", |v| v == v.floor())?;
        }
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, greatest) = (sorted[0], sorted[sorted.len() - 1]);
    let total = sorted.len() as f64;
    let mut bins = Vec::new();
    let (mut low, mut begin, mut k) = (least, 0, 0u32);
    while low <= greatest {
        let mut high = low;
        while high <= low {
            k += 1;
            high = least * libm::exp10(f64::from(k) / f64::from(per_decade));
            if whole {
                high = high.ceil();
            }
        }
        let end = sorted.partition_point(|&v| v < high);
        let count = (end - begin) as u64;
        bins.push(Bin {
            low,
            high,
            count,
            density: count as f64 / (total * (high - low)),
        });
        (low, begin) = (high, end);
    }
    Ok(bins)
}
