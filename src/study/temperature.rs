//! Rearrangement of the forces by a small change, such as that of all radii by temperature (thesis 4.7; Liu & Nagel
//! 1992, Claudin & Bouchaud 1997).

use std::collections::BTreeMap;

use serde::Serialize;

use super::correlation::{Correlation, pearson};
use super::error::{StudyError, check, enough, finite, positive};

/// Fractions of links whose force changed by more than a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The threshold, for instance 0.1.
    pub part: f64,
    /// Fraction of links whose force changed by more than this fraction of its initial value.
    pub of_itself: f64,
    /// Fraction of links whose force changed by more than this fraction of the mean force.
    pub of_mean: f64,
}

/// Comparison of the forces on the same links before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rearrangement {
    /// Number of links compared.
    pub links: usize,
    /// Mean magnitude of the force before, N.
    pub mean_before: f64,
    /// Mean magnitude of the force after, N.
    pub mean_after: f64,
    /// Correlation of before and after; 1 if all forces change by one factor.
    pub correlation: Correlation,
    /// Sum of the magnitudes of all changes over the sum of the magnitudes before.
    pub relative_change: f64,
    /// Greatest change over the mean magnitude before.
    pub greatest_change: f64,
    /// Fractions of links changed, in the order of the given thresholds.
    pub changed: Vec<Changed>,
}

/// Compares forces (N); those of one link have the same index in both lists. Needs three links.
pub fn rearrangement(
    before: &[f64],
    after: &[f64],
    parts: &[f64],
) -> Result<Rearrangement, StudyError> {
    let correlation = pearson(before, after)?;
    let n = before.len() as f64;
    let amount = |v: &[f64]| v.iter().map(|f| f.abs()).sum::<f64>() / n;
    let mean_before = positive("mean amount of the forces before", amount(before))?;
    let moves: Vec<f64> = before
        .iter()
        .zip(after)
        .map(|(b, a)| (a - b).abs())
        .collect();
    let share = |over: &dyn Fn(f64) -> f64| {
        let pairs = moves.iter().zip(before);
        pairs.filter(|(m, b)| **m > over(b.abs())).count() as f64 / n
    };
    let mut changed = Vec::with_capacity(parts.len());
    for &part in parts {
        check("part of a force", part, "at least 0", |p| p >= 0.0)?;
        changed.push(Changed {
            part,
            of_itself: share(&|force| part * force),
            of_mean: share(&|_| part * mean_before),
        });
    }
    Ok(Rearrangement {
        links: before.len(),
        mean_before,
        mean_after: amount(after),
        correlation,
        relative_change: moves.iter().sum::<f64>() / (n * mean_before),
        greatest_change: moves.iter().copied().fold(0.0, f64::max) / mean_before,
        changed,
    })
}

/// Forces of two states that do not have the same links, matched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Matched<K> {
    /// Links of both states, in order.
    pub links: Vec<K>,
    /// Their forces before, N.
    pub before: Vec<f64>,
    /// Their forces after, N.
    pub after: Vec<f64>,
    /// Links only in the state before: opened.
    pub opened: Vec<K>,
    /// Links only in the state after: closed.
    pub closed: Vec<K>,
}

/// Matches the forces of two states by the names of their links. A name given twice keeps its last force.
pub fn matched<K: Ord + Clone>(
    before: &[(K, f64)],
    after: &[(K, f64)],
) -> Result<Matched<K>, StudyError> {
    enough("links before", before.len(), 1)?;
    let map = |state: &[(K, f64)]| -> Result<BTreeMap<K, f64>, StudyError> {
        let mut forces = BTreeMap::new();
        for (key, force) in state {
            finite("force of a link", &[*force])?;
            forces.insert(key.clone(), *force);
        }
        Ok(forces)
    };
    let (first, mut second) = (map(before)?, map(after)?);
    let mut matched = Matched {
        links: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        opened: Vec::new(),
        closed: Vec::new(),
    };
    for (key, force) in first {
        if let Some(later) = second.remove(&key) {
            matched.links.push(key);
            matched.before.push(force);
            matched.after.push(later);
        } else {
            matched.opened.push(key);
        }
    }
    matched.closed = second.into_keys().collect();
    Ok(matched)
}
