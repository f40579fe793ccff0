//! Jams in a discharge: how probable, and how many grains flow out between two of them.
//!
//! Each grain that reaches the orifice either passes or completes an arch, with a probability q that does
//! not depend on what passed before: then the number of grains between two jams is geometric, as
//! silos show it (Zuriguel, Garcimartin, Maza, Pugnaloni & Pastor 2005, Phys. Rev. E 71, 051303; To 2005,
//! Phys. Rev. E 71, 060301), with the mean s = (1 - q) / q. Runs that end empty, or by their time, tell of
//! grains that passed without a jam: they count as such (a censored observation), and the estimate of
//! greatest likelihood is all grains out over all jams.

use serde::Serialize;

use super::ensemble::Interval;
use super::error::StudyError;
use super::proportion::Proportion;

/// The outflow of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outflow {
    /// Grains that left.
    pub grains: u64,
    /// Jams on the way, that in which it ended included.
    pub jams: u64,
    /// Whether it ended in a jam.
    pub jammed: bool,
}

/// What runs say of jams.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Jamming {
    /// Runs that ended in a jam, of all.
    pub jammed: Proportion,
    /// Their share.
    pub probability: f64,
    /// Interval of Wilson for it.
    pub wilson: Interval,
    /// Interval of Clopper and Pearson.
    pub clopper_pearson: Interval,
    /// Grains out, of all runs.
    pub grains: u64,
    /// Jams, of all runs.
    pub jams: u64,
    /// Mean number of grains that flow out between two jams; none without a jam.
    pub avalanche: Option<f64>,
    /// The least that it may be, and the most; none: no bound. By Clopper and Pearson for q.
    pub avalanche_interval: (f64, Option<f64>),
    /// Level of the intervals.
    pub level: f64,
}

/// Jam probability and mean outflow between jams, with intervals.
///
/// # Errors
/// No run; a level that is no share.
pub fn jamming(runs: &[Outflow], level: f64) -> Result<Jamming, StudyError> {
    let stuck = runs.iter().filter(|run| run.jammed).count() as u64;
    let jammed = Proportion::new(stuck, runs.len() as u64)?;
    let grains: u64 = runs.iter().map(|run| run.grains).sum();
    let jams: u64 = runs.iter().map(|run| run.jams).sum();
    // Of the grains that reached the orifice, those that stopped all.
    let low_and_high = match Proportion::new(jams, grains + jams) {
        Ok(q) => {
            let q = q.clopper_pearson(level)?;
            let size = |q: f64| (q > 0.0).then(|| (1.0 - q) / q);
            (size(q.high).unwrap_or(0.0), size(q.low))
        }
        Err(_) => (0.0, None),
    };
    Ok(Jamming {
        jammed,
        probability: jammed.estimate(),
        wilson: jammed.wilson(level)?,
        clopper_pearson: jammed.clopper_pearson(level)?,
        grains,
        jams,
        avalanche: (jams > 0).then(|| grains as f64 / jams as f64),
        avalanche_interval: low_and_high,
        level,
    })
}
