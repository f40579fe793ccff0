//! Distance of two samples, or of two curves.

use serde::Serialize;

use super::ensemble::quantile;
use super::error::{StudyError, enough, finite};

/// Returns the greatest distance of the cumulative distributions of two samples (Kolmogorov, Smirnov).
pub fn sample_distance(first: &[f64], second: &[f64]) -> Result<f64, StudyError> {
    enough("values of a sample", first.len().min(second.len()), 1)?;
    finite("value of a sample", first)?;
    finite("value of a sample", second)?;
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (a, b) = (sorted(first), sorted(second));
    let (mut i, mut j) = (0, 0);
    let mut distance: f64 = 0.0;
    while i < a.len() && j < b.len() {
        // Equal values are skipped together: between them the distributions are undefined.
        let value = a[i].min(b[j]);
        while i < a.len() && a[i] <= value {
            i += 1;
        }
        while j < b.len() && b[j] <= value {
            j += 1;
        }
        let apart = i as f64 / a.len() as f64 - j as f64 / b.len() as f64;
        distance = distance.max(apart.abs());
    }
    Ok(distance)
}

/// Returns the values below which one to nine tenths of a sample lie.
pub fn deciles(values: &[f64]) -> Result<[f64; 9], StudyError> {
    enough("values of a sample", values.len(), 1)?;
    finite("value of a sample", values)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(std::array::from_fn(|k| {
        quantile(&sorted, 0.1 * (k + 1) as f64)
    }))
}

/// Distance of two curves, in the unit of their values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurveDistance {
    /// Root mean square difference.
    pub rms: f64,
    /// Greatest difference.
    pub largest: f64,
    /// Abscissa of the greatest difference.
    pub at: f64,
    /// Number of abscissas compared.
    pub points: usize,
}

/// Returns the distance of two curves (abscissa, value), each in order of abscissa, at those abscissas of the first
/// that both cover; the second is interpolated linearly.
pub fn curve_distance(
    first: &[[f64; 2]],
    second: &[[f64; 2]],
) -> Result<CurveDistance, StudyError> {
    enough("points of a curve", first.len().min(second.len()), 2)?;
    let mut found = CurveDistance {
        rms: 0.0,
        largest: 0.0,
        at: first[0][0],
        points: 0,
    };
    for &[x, y] in first {
        let after = second.partition_point(|p| p[0] < x);
        let other = match second.get(after) {
            Some(p) if p[0] == x => p[1],
            Some(p) if after > 0 => {
                let q = second[after - 1];
                q[1] + (p[1] - q[1]) * (x - q[0]) / (p[0] - q[0])
            }
            _ => continue,
        };
        let apart = (y - other).abs();
        found.points += 1;
        found.rms += apart * apart;
        if apart > found.largest {
            found.largest = apart;
            found.at = x;
        }
    }
    enough("places that both curves span", found.points, 1)?;
    found.rms = (found.rms / found.points as f64).sqrt();
    Ok(found)
}
