//! Micro-avalanches of a filling: sizes, places, frequencies (thesis 4.7.2).

use serde::Serialize;

use super::correlation::{Correlation, spearman};
use super::error::{StudyError, check, enough};
#[doc(no_inline)]
pub use crate::record::Place;
use crate::record::{AvalancheRow, BodyRef};

/// The changes of links that the addition of one grain caused.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Avalanche {
    /// Number of the added grain.
    pub addition: u64,
    /// Size: slides, breaks and insertions of links.
    pub size: u64,
    /// Energy dissipated as heat, J.
    pub energy: f64,
    /// Diagonal of the box around the links involved, m.
    pub extent: f64,
    /// Energy by place, as in [`Place::ALL`], J.
    pub heat: [f64; 4],
}

impl From<&AvalancheRow> for Avalanche {
    fn from(row: &AvalancheRow) -> Self {
        Avalanche {
            addition: match row.trigger {
                BodyRef::Grain(id) => u64::from(id),
                _ => row.avalanche,
            },
            size: row.size,
            energy: row.energy,
            extent: row.extent,
            heat: row.by_place,
        }
    }
}

/// Statistics of the avalanches of one filling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AvalancheSummary {
    /// Number of grains added.
    pub additions: usize,
    /// Number of additions without an avalanche.
    pub quiet: usize,
    /// Total size.
    pub size: u64,
    /// Total energy dissipated as heat, J.
    pub energy: f64,
    /// Energy by place, as in [`Place::ALL`], J.
    pub energy_by_place: [f64; 4],
    /// Number of avalanches that reached each place.
    pub avalanches_by_place: [usize; 4],
    /// Mean size of the avalanches, none if there were none.
    pub mean_size: Option<f64>,
    /// The avalanche of greatest size, the first of equal ones.
    pub largest: Option<Avalanche>,
    /// The avalanche of greatest energy, the first of equal ones.
    pub hottest: Option<Avalanche>,
    /// The avalanche of greatest extent, the first of equal ones.
    pub widest: Option<Avalanche>,
    /// Rank correlation of size and number of grains present, without the quiet additions. None where either is
    /// constant.
    pub size_with_filling: Option<Correlation>,
}

/// Computes statistics of the avalanches that adding `additions` grains caused.
///
/// # Errors
/// More avalanches than additions; figures that are not finite.
pub fn summarise(
    avalanches: &[Avalanche],
    additions: usize,
) -> Result<AvalancheSummary, StudyError> {
    enough("additions", additions, 1)?;
    enough("additions", additions, avalanches.len())?;
    for a in avalanches {
        check("energy of an avalanche", a.energy, "a number", |_| true)?;
        check("extent of an avalanche", a.extent, "at least 0", |v| {
            v >= 0.0
        })?;
    }
    let loud: Vec<&Avalanche> = avalanches.iter().filter(|a| a.size > 0).collect();
    let size: u64 = loud.iter().map(|a| a.size).sum();
    let mut summary = AvalancheSummary {
        additions,
        quiet: additions - loud.len(),
        size,
        energy: loud.iter().map(|a| a.energy).sum(),
        energy_by_place: [0.0; 4],
        avalanches_by_place: [0; 4],
        mean_size: (!loud.is_empty()).then(|| size as f64 / loud.len() as f64),
        largest: greatest(&loud, |a| a.size as f64),
        hottest: greatest(&loud, |a| a.energy),
        widest: greatest(&loud, |a| a.extent),
        size_with_filling: None,
    };
    for a in &loud {
        for k in 0..4 {
            summary.energy_by_place[k] += a.heat[k];
            summary.avalanches_by_place[k] += usize::from(a.heat[k] > 0.0);
        }
    }
    let column = |f: fn(&Avalanche) -> f64| loud.iter().map(|a| f(a)).collect::<Vec<_>>();
    let (filling, sizes) = (column(|a| a.addition as f64), column(|a| a.size as f64));
    summary.size_with_filling = spearman(&filling, &sizes).ok();
    Ok(summary)
}

fn greatest(avalanches: &[&Avalanche], of: fn(&Avalanche) -> f64) -> Option<Avalanche> {
    let mut best: Option<&Avalanche> = None;
    for &a in avalanches {
        if best.is_none_or(|b| of(a) > of(b)) {
            best = Some(a);
        }
    }
    best.copied()
}

/// Returns the sizes above 0 as numbers, for a histogram or the fit of a law.
pub fn sizes(avalanches: &[Avalanche]) -> Vec<f64> {
    let sizes = avalanches.iter().filter(|a| a.size > 0);
    sizes.map(|a| a.size as f64).collect()
}

/// Returns the energies above 0, J.
pub fn energies(avalanches: &[Avalanche]) -> Vec<f64> {
    let energies = avalanches.iter().map(|a| a.energy);
    energies.filter(|&e| e > 0.0).collect()
}

/// Returns the numbers of additions between successive avalanches of at least `size` slides: the waiting times
/// between large ones. Avalanches must be in the order of their additions.
pub fn waits(avalanches: &[Avalanche], size: u64) -> Vec<u64> {
    let large: Vec<u64> = avalanches
        .iter()
        .filter(|a| a.size >= size.max(1))
        .map(|a| a.addition)
        .collect();
    large
        .windows(2)
        .map(|w| w[1].saturating_sub(w[0]))
        .collect()
}
