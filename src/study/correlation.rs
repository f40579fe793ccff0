//! Correlation of two quantities.

use serde::Serialize;

use super::error::{StudyError, enough, finite};
use super::special::student_tail;

/// A coefficient of correlation with its significance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Correlation {
    /// Number of pairs.
    pub count: usize,
    /// The coefficient, -1 to 1.
    pub coefficient: f64,
    /// Probability of a coefficient at least as far from 0 without any relation, by Student's t: exact for normal
    /// pairs, approximate for ranks of ten pairs or more.
    pub probability: f64,
}

/// Returns Pearson's coefficient of linear correlation. Needs three pairs.
pub fn pearson(first: &[f64], second: &[f64]) -> Result<Correlation, StudyError> {
    let count = pairs(first, second)?;
    let n = count as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let (ma, mb) = (mean(first), mean(second));
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (a, b) = (a - ma, b - mb);
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    if !(aa > 0.0 && bb > 0.0) {
        return Err(StudyError::Undetermined {
            what: "the correlation with a constant",
        });
    }
    let coefficient = (ab / (aa.sqrt() * bb.sqrt())).clamp(-1.0, 1.0);
    let rest = 1.0 - coefficient * coefficient;
    let probability = if rest > 0.0 {
        2.0 * student_tail(coefficient.abs() * ((n - 2.0) / rest).sqrt(), n - 2.0)
    } else {
        0.0
    };
    Ok(Correlation {
        count,
        coefficient,
        probability,
    })
}

/// Returns Spearman's coefficient, that of the ranks: it measures any monotonic relation.
pub fn spearman(first: &[f64], second: &[f64]) -> Result<Correlation, StudyError> {
    pairs(first, second)?;
    pearson(&ranks(first), &ranks(second))
}

fn pairs(first: &[f64], second: &[f64]) -> Result<usize, StudyError> {
    if first.len() != second.len() {
        return Err(StudyError::Unequal {
            what: "pairs to correlate",
            first: first.len(),
            second: second.len(),
        });
    }
    enough("pairs to correlate", first.len(), 3)?;
    finite("value to correlate", first)?;
    finite("value to correlate", second)?;
    Ok(first.len())
}

/// Returns ranks from 1; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    for tied in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let first = order.partition_point(|&i| values[i] < values[tied[0]]);
        for &i in tied {
            ranks[i] = first as f64 + 0.5 * (tied.len() + 1) as f64;
        }
    }
    ranks
}
