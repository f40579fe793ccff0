//! Reports: a page with the figures of a run, an animation of its snapshots, and plots; a page of a sweep; a page of
//! a comparison of runs.
//!
//! A page is self-contained: it opens from the disk, without server, network or any other file. Plots are SVG drawn
//! by `view::plot`; the animation unpacks the data packed by `film`.

mod comparison;
mod film;
mod kept;
mod live;
mod page;
mod plots;
mod run;
mod sheet;
mod sweep;

use std::path::Path;

#[doc(hidden)]
pub use live::{Live, Shown};
use run::Run;

pub use comparison::comparison;
pub(crate) use comparison::cumulative;
pub use sheet::SheetTable;
pub use sweep::sweep;

use crate::record::RecordError;
use crate::view::plot::{self, Plot};

/// Limits of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    /// Greatest size of the animation in the page, bytes: of a longer one only every second, third, ... snapshot is
    /// kept.
    pub most: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions { most: 28_000_000 }
    }
}

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The page.
    pub html: String,
    /// Notes for the user: omitted snapshots, a missing animation.
    pub notes: Vec<String>,
    /// Plots, in order.
    pub drawings: Vec<Drawing>,
}

/// A plot of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing(Plot);

impl Drawing {
    /// Returns the name, used in the page and for files.
    pub fn name(&self) -> &str {
        &self.0.id
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// Returns the drawing as a separate SVG file.
    pub fn svg(&self) -> String {
        plot::alone(&self.0)
    }

    /// Returns the table behind it as comma-separated values.
    pub fn csv(&self) -> String {
        plot::csv(&self.0.table)
    }
}

impl Report {
    /// Returns the names of the plots, in order.
    pub fn plots(&self) -> Vec<&str> {
        self.drawings.iter().map(Drawing::name).collect()
    }
}

/// Returns the report of a run.
///
/// # Errors
/// A folder that cannot be read as that of a finished run.
pub fn report(dir: &Path, options: &ReportOptions) -> Result<Report, RecordError> {
    let run = Run::read(dir, options.most)?;
    let plots = plots::plots(&run)?;
    let notes = notes(&run);
    Ok(Report {
        html: page::page(&run, &plots, &notes, page::Kind::Report)?,
        notes,
        drawings: plots.into_iter().map(Drawing).collect(),
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
