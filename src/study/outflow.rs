//! Jams in a discharge: their probability, and the number of grains that flow out between two of them.
//!
//! Each grain that reaches the orifice either passes or completes an arch, with a probability q that does not depend
//! on what passed before: then the number of grains between two jams is geometric, as observed in silos (Zuriguel,
//! Garcimartin, Maza, Pugnaloni & Pastor 2005, Phys. Rev. E 71, 051303; To 2005, Phys. Rev. E 71, 060301), with the
//! mean s = (1 - q) / q. In runs that end empty, or by their time limit, grains passed without a jam: they count as
//! censored observations, and the maximum-likelihood estimate is all grains out over all jams.
//!
//! The fraction of runs that end in a jam takes account of runs that reached their time limit while flowing: they are
//! censored. Empty runs cannot jam any more, which is not censoring but a competing event. The fraction is therefore
//! the cumulative incidence of jams by Aalen and Johansen (1978, Scand. J. Stat. 5, 141-150), with the survival
//! function of Kaplan and Meier (1958, J. Am. Stat. Assoc. 53, 457-481); without censored runs it is the plain
//! fraction, with its interval by Wilson.

use serde::Serialize;

use super::ensemble::Interval;
use super::error::StudyError;
use super::proportion::Proportion;

/// The outflow of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outflow {
    /// Number of grains that left.
    pub grains: u64,
    /// Number of jams, including the final one.
    pub jams: u64,
    /// Whether the run ended in a jam.
    pub jammed: bool,
    /// Whether it reached its time limit: it neither jammed nor became empty.
    pub censored: bool,
    /// Start of the silence of its jam, or the time at which it became empty or ended, s.
    pub time: f64,
}

/// Statistics of jams over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Jamming {
    /// Runs that ended in a jam, out of all.
    pub jammed: Proportion,
    /// Number of runs that reached their time limit while flowing.
    pub censored: u64,
    /// Probability of a jam within the observed time, taking account of censored runs.
    pub probability: f64,
    /// Wilson's interval of the probability, for the number of uncensored runs that would give the same variance.
    pub wilson: Interval,
    /// Fraction whose outcome is unknown because of the time limit.
    pub undecided: f64,
    /// Time by which half of all runs have jammed, s; none if fewer did.
    pub median_time: Option<f64>,
    /// Interval of Clopper and Pearson, of the plain count.
    pub clopper_pearson: Interval,
    /// Grains discharged in all runs.
    pub grains: u64,
    /// Jams in all runs.
    pub jams: u64,
    /// Mean number of grains that flow out between two jams; none without a jam.
    pub avalanche: Option<f64>,
    /// Lower and upper bound of that mean; none: no upper bound. By Clopper and Pearson for q.
    pub avalanche_interval: (f64, Option<f64>),
    /// Confidence level of the intervals.
    pub level: f64,
}

/// Returns jam probability and mean outflow between jams, with intervals.
///
/// # Errors
/// No runs; a level that is not between 0 and 1.
pub fn jamming(runs: &[Outflow], level: f64) -> Result<Jamming, StudyError> {
    let stuck = runs.iter().filter(|run| run.jammed).count() as u64;
    let jammed = Proportion::new(stuck, runs.len() as u64)?;
    let grains: u64 = runs.iter().map(|run| run.grains).sum();
    let jams: u64 = runs.iter().map(|run| run.jams).sum();
    // Of the grains that reached the orifice, the fraction that blocked it.
    let low_and_high = match Proportion::new(jams, grains + jams) {
        Ok(q) => {
            let q = q.clopper_pearson(level)?;
            let size = |q: f64| (q > 0.0).then(|| (1.0 - q) / q);
            (size(q.high).unwrap_or(0.0), size(q.low))
        }
        Err(_) => (0.0, None),
    };
    let incidence = Incidence::of(runs);
    Ok(Jamming {
        jammed,
        censored: runs.iter().filter(|run| run.censored).count() as u64,
        probability: incidence.share,
        wilson: wilson(incidence.share, incidence.trials, level)?,
        undecided: incidence.undecided,
        median_time: incidence.median,
        clopper_pearson: jammed.clopper_pearson(level)?,
        grains,
        jams,
        avalanche: (jams > 0).then(|| grains as f64 / jams as f64),
        avalanche_interval: low_and_high,
        level,
    })
}

/// Cumulative incidence of jams, with competing ends of runs taken into account.
struct Incidence {
    /// Incidence at the end of the observed time.
    share: f64,
    /// Fraction that may still jam or become empty.
    undecided: f64,
    /// Number of uncensored runs that would give the same variance.
    trials: f64,
    /// Time by which half have jammed, s.
    median: Option<f64>,
}

impl Incidence {
    fn of(runs: &[Outflow]) -> Incidence {
        // At equal times jams come first, then runs that become empty, then censored ones.
        let rank = |run: &Outflow| u8::from(!run.jammed) + u8::from(run.censored);
        let mut sorted: Vec<&Outflow> = runs.iter().collect();
        sorted.sort_by(|a, b| a.time.total_cmp(&b.time).then(rank(a).cmp(&rank(b))));
        let censored = runs.iter().any(|run| run.censored);
        // At each time: runs at risk, jams, jams and other ends; the survival before it; the incidence after.
        let mut steps: Vec<[f64; 5]> = Vec::new();
        let (mut survival, mut share, mut median) = (1.0, 0.0, None);
        let (mut at, mut jams) = (0, 0u64);
        while at < sorted.len() {
            let time = sorted[at].time;
            let there = (sorted.len() - at) as f64;
            let now = sorted[at..].iter().take_while(|run| run.time == time);
            let (mut jammed, mut over, mut all) = (0u64, 0u64, 0);
            for run in now {
                all += 1;
                jammed += u64::from(run.jammed);
                over += u64::from(!run.censored);
            }
            jams += jammed;
            share += survival * jammed as f64 / there;
            if !censored {
                // Exact, without rounding.
                share = jams as f64 / runs.len() as f64;
            }
            steps.push([there, jammed as f64, over as f64, survival, share]);
            survival *= 1.0 - over as f64 / there;
            if share >= 0.5 && median.is_none() {
                median = Some(time);
            }
            at += all;
        }
        // Variance of the incidence (Marubini & Valsecchi 1995, Analysing Survival Data from Clinical Trials and Observational
        // Studies, eq. 10.12).
        let mut variance = 0.0;
        for [there, jammed, over, before, until] in steps {
            let rest = share - until;
            if there > over {
                variance += rest * rest * over / (there * (there - over));
            }
            variance += before * before * (there - jammed) * jammed / (there * there * there);
            variance -= 2.0 * rest * before * jammed / (there * there);
        }
        let count = runs.len() as f64;
        let spread = share * (1.0 - share);
        let trials = match censored && variance > 0.0 && spread > 0.0 {
            true => (spread / variance).min(count),
            // All or none jam: only runs observed to the end count.
            false => {
                let end = sorted.last().map_or(0.0, |run| run.time);
                let whole = runs.iter().filter(|run| !run.censored || run.time >= end);
                whole.count().max(1) as f64
            }
        };
        Incidence {
            share,
            undecided: if censored { survival } else { 0.0 },
            trials,
            median,
        }
    }
}

/// Returns Wilson's interval of a fraction of this many trials, which need not be a whole number.
fn wilson(share: f64, trials: f64, level: f64) -> Result<Interval, StudyError> {
    let z = super::special::normal_quantile(0.5 + 0.5 * level);
    let all = 1.0 + z * z / trials;
    let middle = (share + z * z / (2.0 * trials)) / all;
    let half = z / all * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt();
    Ok(Interval {
        low: (middle - half).max(0.0),
        high: (middle + half).min(1.0),
        level,
    })
}
