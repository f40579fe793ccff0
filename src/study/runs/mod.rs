//! Comparison of finished runs: settings, figures, curves, forces, paths, and means over seeds.

mod group;
mod pair;
mod run;
mod settings;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use group::{Difference, Group};
pub use pair::{Pair, Trajectories};
pub(crate) use run::middle_rate;
pub use run::{Figure, Run};

use crate::record::RecordError;

/// Reasons why runs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// The folder is not that of a run.
    #[error("{}: {what}", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// The fault.
        what: &'static str,
    },
    /// The run did not finish.
    #[error("{}: the run was stopped at {at} s; finish it with `arenite run` and --resume", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// Simulated time that it reached, s.
        at: f64,
    },
    /// The run failed, and would fail again on resuming.
    #[error("{}: the run failed at {at} s: {why}", folder.display())]
    Failed {
        /// The folder.
        folder: PathBuf,
        /// Simulated time that it reached, s.
        at: f64,
        /// Error of the run.
        why: String,
    },
    /// Some runs are in the plane and some in space.
    #[error("{} is a run in {first} dimensions, {} one in {second}: compare runs of one kind", folder.display(), other.display())]
    Dimensions {
        /// The first run.
        folder: PathBuf,
        /// Number of its dimensions.
        first: usize,
        /// A run with another number of dimensions.
        other: PathBuf,
        /// Number of its dimensions.
        second: usize,
    },
    /// A record that cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Comparison of runs.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The runs, in the order given.
    pub runs: Vec<Run>,
    /// Comparison of each run but the first with its reference run.
    pub pairs: Vec<Pair>,
    /// The runs by setting.
    pub groups: Vec<Group>,
    /// Comparison of the means of each group with those of the first, where both have at least two runs.
    pub differences: Vec<Difference>,
    /// Margin within which means count as equal, as a fraction of the first.
    pub margin: f64,
}

/// Reads runs and compares them; `margin` as in [`Comparison`].
///
/// # Errors
/// A folder without a finished run; runs of different dimensions.
pub fn compare<P: AsRef<Path>>(folders: &[P], margin: f64) -> Result<Comparison, RunsError> {
    let mut runs = Vec::new();
    for folder in folders {
        runs.push(Run::read(folder.as_ref())?);
    }
    for run in &runs {
        if run.meta.dimensions != runs[0].meta.dimensions {
            return Err(RunsError::Dimensions {
                folder: runs[0].folder.clone(),
                first: runs[0].meta.dimensions,
                other: run.folder.clone(),
                second: run.meta.dimensions,
            });
        }
    }
    let values: Vec<_> = runs
        .iter_mut()
        .map(|run| std::mem::take(&mut run.values))
        .collect();
    for (run, settings) in runs.iter_mut().zip(settings::differences(&values)) {
        run.settings = settings;
    }
    let mut pairs = Vec::new();
    for k in 1..runs.len() {
        let like = |other: &Run| other.seed == runs[k].seed && other.scenario == runs[k].scenario;
        let reference = runs[..k].iter().position(like).unwrap_or(0);
        pairs.push(pair::pair(&runs, k, reference)?);
    }
    let groups = group::groups(&runs);
    let differences = group::differences(&runs, &groups, margin);
    Ok(Comparison {
        runs,
        pairs,
        groups,
        differences,
        margin,
    })
}

/// Returns the names of all figures of any run, in the order in which they first appear.
pub fn figure_names(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for figure in runs.iter().flat_map(|run| &run.figures) {
        if !names.contains(&figure.name) {
            names.push(figure.name.clone());
        }
    }
    names
}
