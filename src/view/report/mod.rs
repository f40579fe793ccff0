//! The report of a run: one page with its figures, an animation of its snapshots, and plots.
//!
//! The page holds all it needs: it opens from the disk, without server, network or any file beside
//! it. Plots are SVG that `view::plot` drew; the animation unpacks what `film` packed.

mod base64;
mod film;
mod kept;
mod live;
mod page;
mod plots;
mod run;

use std::path::Path;

use base64::base64;
pub use live::{Live, Shown};
use run::Run;

use crate::record::RecordError;

/// What a report may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    /// Size of the animation in the page, bytes at most: of a longer one only each second, third...
    /// snapshot is kept.
    pub most: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions { most: 28_000_000 }
    }
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The page.
    pub html: String,
    /// What a user should know of it: snapshots that were left out, an animation that is not there.
    pub notes: Vec<String>,
    /// Names of its plots, in their order.
    pub plots: Vec<&'static str>,
}

/// The report of a run.
///
/// # Errors
/// A folder that cannot be read as that of a run that has ended.
pub fn report(dir: &Path, options: &ReportOptions) -> Result<Report, RecordError> {
    let run = Run::read(dir, options.most)?;
    let plots = plots::plots(&run);
    let notes = notes(&run);
    Ok(Report {
        html: page::page(&run, &plots, &notes, page::Kind::Report)?,
        notes,
        plots: plots.iter().map(|plot| plot.id).collect(),
    })
}

fn notes(run: &Run) -> Vec<String> {
    let Some(frames) = &run.frames else {
        let why = match run.summary.time.simulated < 0.0 {
            true => {
                "no animation: the run was stopped while its grains settled; go on with `arenite run` \
                 and --resume"
            }
            false => {
                "no animation: the run recorded no snapshot with grains; run it with --set \
                 log.snapshots=SECONDS"
            }
        };
        return vec![why.into()];
    };
    if frames.frames.len() == frames.recorded {
        return Vec::new();
    }
    vec![format!(
        "the animation has {} of {} snapshots, so that the page stays small; --max-size changes how small",
        frames.frames.len(),
        frames.recorded
    )]
}
