//! Groups of runs that differ only in the seed, and tests whether their means differ.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run::Run;
use crate::study::ensemble::{Interval, Spread, equivalent, spread};

/// Runs of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The setting.
    pub settings: BTreeMap<String, String>,
    /// Indices of its runs, from 0 in the given order.
    pub runs: Vec<usize>,
    /// Mean and spread of the figures that at least two of its runs have.
    pub figures: BTreeMap<String, Spread>,
}

/// Comparison of a figure of one group with that of the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Index of the group, from 0.
    pub group: usize,
    /// Name of the figure.
    pub figure: String,
    /// Mean of the group less that of the first.
    pub difference: f64,
    /// Standard error of the difference (Welch 1947).
    pub error: f64,
    /// Interval of the difference at a level of 0.95.
    pub interval: Interval,
    /// Whether the means are equal within the margin, by two one-sided t tests at 0.05 each (Schuirmann 1987); none
    /// where the first mean is 0.
    pub equivalent: Option<bool>,
    /// Runs per group that such a test needs to pass nine times in ten if the means are equal, from the observed
    /// spread; none where the first mean is 0.
    pub runs_needed: Option<f64>,
}

/// Groups runs of equal settings, in the order of their first appearance.
pub(super) fn groups(runs: &[Run]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (k, run) in runs.iter().enumerate() {
        match groups.iter_mut().find(|g| g.settings == run.settings) {
            Some(group) => group.runs.push(k),
            None => groups.push(Group {
                settings: run.settings.clone(),
                runs: vec![k],
                figures: BTreeMap::new(),
            }),
        }
    }
    for group in &mut groups {
        for name in super::figure_names(runs) {
            if let Ok(found) = spread(&values(runs, &group.runs, &name)) {
                group.figures.insert(name, found);
            }
        }
    }
    groups
}

fn values(runs: &[Run], of: &[usize], name: &str) -> Vec<f64> {
    of.iter().filter_map(|&k| runs[k].figure(name)).collect()
}

/// Quantile 0.95 of the normal distribution.
const ONE_SIDED: f64 = 1.644_853_626_951_472_7;

/// Compares the figures of each group with those of the first; `margin` is a fraction of the first mean.
pub(super) fn differences(runs: &[Run], groups: &[Group], margin: f64) -> Vec<Difference> {
    let mut found = Vec::new();
    let Some((first, others)) = groups.split_first() else {
        return found;
    };
    for (k, group) in others.iter().enumerate() {
        for name in super::figure_names(runs) {
            let (Some(a), Some(b)) = (first.figures.get(&name), group.figures.get(&name)) else {
                continue;
            };
            let (x, y) = (
                values(runs, &group.runs, &name),
                values(runs, &first.runs, &name),
            );
            // Any margin gives the same interval.
            let Ok(wide) = equivalent(&x, &y, 1.0, 0.025) else {
                continue;
            };
            let room = margin * a.mean.abs();
            let test = equivalent(&x, &y, room, 0.05).ok();
            // Power 0.9 at equal means: room = 2 z_0.95 sigma, sigma^2 = (s_a^2 + s_b^2) / n.
            let scatter = a.deviation * a.deviation + b.deviation * b.deviation;
            let needed = (2.0 * ONE_SIDED / room).powi(2) * scatter;
            found.push(Difference {
                group: k + 1,
                figure: name,
                difference: wide.difference,
                error: wide.error,
                interval: wide.interval,
                equivalent: test.map(|t| t.equivalent),
                runs_needed: (room > 0.0).then(|| needed.ceil().max(2.0)),
            });
        }
    }
    found
}
