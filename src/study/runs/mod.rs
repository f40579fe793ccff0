//! Finished runs side by side: settings, figures, curves, forces, paths, and means over seeds.

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

/// Why runs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// Not the folder of a run.
    #[error("{}: {what}", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A run that did not come to its end.
    #[error("{}: the run was stopped at {at} s; finish it with `arenite run` and --resume", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// How far it came, s.
        at: f64,
    },
    /// A run that failed, which a resume would do again.
    #[error("{}: the run failed at {at} s: {why}", folder.display())]
    Failed {
        /// The folder.
        folder: PathBuf,
        /// How far it came, s.
        at: f64,
        /// Its error.
        why: String,
    },
    /// Runs in the plane and in space.
    #[error("{} is a run in {first} dimensions, {} one in {second}: compare runs of one kind", folder.display(), other.display())]
    Dimensions {
        /// The first run.
        folder: PathBuf,
        /// Its dimensions.
        first: usize,
        /// One that is different.
        other: PathBuf,
        /// Its dimensions.
        second: usize,
    },
    /// A record that cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Runs side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The runs, in the order given.
    pub runs: Vec<Run>,
    /// Each run but the first beside the one that it is measured against.
    pub pairs: Vec<Pair>,
    /// The runs by setting.
    pub groups: Vec<Group>,
    /// Means of each group beside those of the first, where both have at least two runs.
    pub differences: Vec<Difference>,
    /// Margin within which means count as equal, as a share of the first.
    pub margin: f64,
}

/// Reads runs and compares them; `margin` as in [`Comparison`].
///
/// # Errors
/// A folder that holds no finished run; runs of different dimensions.
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

/// Names of all figures of any run, in the order in which they come.
pub fn figure_names(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for figure in runs.iter().flat_map(|run| &run.figures) {
        if !names.contains(&figure.name) {
            names.push(figure.name.clone());
        }
    }
    names
}
