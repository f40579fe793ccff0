//! `arenite report`: writes the page of a run or of a sweep, or its plots as files.

use std::io::Read;
use std::path::Path;

use super::failure::Failure;
use super::report::{message, print};
use super::{ReportArgs, run_folder};
use crate::record::write_file;
use crate::view::report::{Report, ReportOptions, report, sweep};

/// First bytes of every page.
const BEGINNING: &[u8] = b"<!DOCTYPE html>";
/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

/// Writes the report of a run or of a sweep, or its plots; prints the files to open.
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
            only_over_a_page(&out)?;
            write_file(&out, made.html.as_bytes())?;
            for note in &made.notes {
                message(note);
            }
            out.display().to_string()
        }
    };
    print(format!("{out}\n").as_bytes())
}

/// Refuses to overwrite anything but an older page: a mistyped name must not destroy another file.
pub(super) fn only_over_a_page(out: &Path) -> Result<(), Failure> {
    // A pipe or a device has no contents to lose, and opening one may wait for ever.
    if !std::fs::metadata(out).is_ok_and(|about| about.is_file()) {
        return Ok(());
    }
    let Ok(mut file) = std::fs::File::open(out) else {
        return Ok(());
    };
    let mut start = vec![0; BEGINNING.len()];
    let page = file.read_exact(&mut start).is_ok() && start.eq_ignore_ascii_case(BEGINNING);
    if page || file.metadata().is_ok_and(|about| about.len() == 0) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{}: there is a file that is no page of a report; choose another name, or remove it first",
        out.display()
    )))
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

/// Whether a folder is that of a sweep; a folder with a run's records is not.
fn of_sweep(dir: &Path) -> bool {
    let there = |name: &str| dir.join(name).is_file();
    !there("grains.parquet") && (there("sweep.parquet") || there("sweep.toml"))
}
