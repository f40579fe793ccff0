//! `arenite report`: the page of a run.

use super::failure::Failure;
use super::report::{message, print};
use super::{ReportArgs, run_folder};
use crate::record::write_file;
use crate::view::report::{ReportOptions, report};

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

/// Writes the report of a run; prints the file to open.
pub(super) fn page(args: &ReportArgs) -> Result<(), Failure> {
    run_folder(&args.dir)?;
    let options = args
        .max_size
        .map_or(ReportOptions::default(), |size| ReportOptions {
            most: (size * MEGABYTE) as usize,
        });
    let page = report(&args.dir, &options)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| args.dir.join("report.html"));
    write_file(&out, page.html.as_bytes())?;
    for note in &page.notes {
        message(note);
    }
    print(format!("{}\n", out.display()).as_bytes())
}
