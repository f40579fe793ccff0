//! `arenite report`: the page of a run or of a sweep, or its plots as files.

use std::path::Path;

use super::failure::Failure;
use super::report::{message, print};
use super::{ReportArgs, run_folder};
use crate::record::write_file;
use crate::view::report::{Report, ReportOptions, report, sweep};

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

/// Writes the report of a run or of a sweep, or the plots of it; prints what to open.
pub(super) fn page(args: &ReportArgs) -> Result<(), Failure> {
    let made = made(args)?;
    let out = match &args.plots {
        Some(folder) => {
            for drawing in &made.drawings {
                let file = |end| folder.join(format!("{}.{end}", drawing.name()));
                write_file(&file("svg"), drawing.svg().as_bytes())?;
                write_file(&file("csv"), drawing.csv().as_bytes())?;
            }
            format!("{}: {} plots", folder.display(), made.drawings.len())
        }
        None => {
            let out = args.out.clone();
            let out = out.unwrap_or_else(|| args.dir.join("report.html"));
            write_file(&out, made.html.as_bytes())?;
            for note in &made.notes {
                message(note);
            }
            out.display().to_string()
        }
    };
    print(format!("{out}\n").as_bytes())
}

fn made(args: &ReportArgs) -> Result<Report, Failure> {
    let dir = &args.dir;
    if !dir.is_dir() {
        return Err(Failure::Input(format!(
            "there is no folder {}; give the folder of a run or of a sweep",
            dir.display()
        )));
    }
    if of_sweep(dir) {
        return sweep(dir).map_err(|error| Failure::Input(error.to_string()));
    }
    run_folder(dir)?;
    let options = args
        .max_size
        .map_or(ReportOptions::default(), |size| ReportOptions {
            most: (size * MEGABYTE) as usize,
        });
    Ok(report(dir, &options)?)
}

/// Whether a folder is that of a sweep; one that holds a run's records is not.
fn of_sweep(dir: &Path) -> bool {
    let there = |name: &str| dir.join(name).is_file();
    !there("grains.parquet") && (there("sweep.parquet") || there("sweep.toml"))
}
