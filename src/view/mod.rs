//! Pictures of a run, and the entry point of all exports.
//!
//! A [`Picture`] is a list of plain shapes in pixels, made from a snapshot by [`picture`]; two
//! small writers turn it into SVG and PNG. No system fonts are needed. What reads a run's folder fails where its
//! records are missing or damaged, or a file cannot be written, with a [`RecordError`] that names the file.
//!
//! ```no_run
//! use arenite::record::RecordError;
//! use arenite::view::report::{ReportOptions, report};
//! use arenite::view::{ExportFormat, export};
//!
//! fn main() -> Result<(), RecordError> {
//!     let folder = "runs/hopper-1".as_ref();
//!     for file in export(folder, ExportFormat::Vtk, None)? {
//!         println!("{}", file.display());
//!     }
//!     let page = report(folder, &ReportOptions::default())?;
//!     println!("plots: {}", page.plots().join(", "));
//!     Ok(())
//! }
//! ```

mod camera;
mod chart;
mod colour;
mod fields;
mod gif;
mod grains;
mod moving;
mod picture;
mod plot;
mod png;
pub mod report;
mod scene;
mod sketch;
mod strokes;
mod svg;
mod zones;

use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use chart::{Curve, Panel, chart};
pub use fields::{FieldOptions, FieldsError, export_fields};
pub use picture::{Colour, Picture, Shape};
pub use scene::{Colouring, PictureOptions, Subject, draw, picture};
#[doc(hidden)]
pub use sketch::{Sketch, sketch};

use crate::record::{DataFormat, RecordError, export_data, write_file};

/// Formats to which a run can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// ParaView: PolyData files with collections that carry the times.
    Vtk,
    /// OVITO: extended XYZ.
    Xyz,
    /// Spreadsheets: one file per table.
    Csv,
    /// LAMMPS: a data file of the last snapshot.
    Lammps,
    /// Nodes of the hierarchy at each snapshot.
    Nodes,
    /// A raster picture.
    Png,
    /// A vector picture.
    Svg,
    /// An animation of all snapshots.
    Gif,
}

/// Limit on the frames of an animation; more would make the file too large.
const MOST_FRAMES: usize = 300;
/// Greatest width and height of an animation, px, if no width is given.
const GIF_WIDTH: f32 = 480.0;
const GIF_HEIGHT: f32 = 640.0;
/// Frames of an animation per second.
const GIF_RATE: f64 = 20.0;

/// Returns the snapshots of a run as an animated GIF.
fn animation(dir: &Path, options: &PictureOptions) -> Result<Vec<u8>, RecordError> {
    let mut strip = scene::Strip::open(dir, MOST_FRAMES)?;
    // The format counts hundredths of a second; browsers slow down rates above fifty frames per second.
    let delay = (100.0 / options.rate.unwrap_or(GIF_RATE))
        .round()
        .clamp(2.0, 6000.0) as u16;
    let mut fault = None;
    let bytes = gif::gif(strip.count, delay, |k| match strip.picture(k) {
        Ok(picture) => {
            let picture = picture?;
            let scale = match options.width {
                Some(width) => width as f32 / picture.width,
                None => (GIF_WIDTH / picture.width).min(GIF_HEIGHT / picture.height),
            };
            picture.pixels(scale)
        }
        Err(why) => {
            fault = Some(why);
            None
        }
    });
    match (bytes, fault) {
        (_, Some(why)) => Err(why),
        (Some(bytes), None) => Ok(bytes),
        (None, None) => Err(RecordError::Damaged {
            path: dir.display().to_string(),
            what: "the animation is too large to draw".into(),
        }),
    }
}

/// PNG pixels per nominal pixel of the picture.
pub(crate) const PNG_SCALE: f32 = 2.0;

/// Writes a run in another format into the folder `out`, by default `export` in the run's folder; returns the files
/// that a user opens.
pub fn export(
    dir: &Path,
    format: ExportFormat,
    out: Option<&Path>,
) -> Result<Vec<PathBuf>, RecordError> {
    export_with(dir, format, out, &PictureOptions::default())
}

/// As [`export`], with options for the contents of pictures.
pub fn export_with(
    dir: &Path,
    format: ExportFormat,
    out: Option<&Path>,
    options: &PictureOptions,
) -> Result<Vec<PathBuf>, RecordError> {
    let base = match options.subject {
        Subject::Grains => "picture",
        Subject::Stagnant => "stagnant",
    };
    let (end, bytes) = match format {
        ExportFormat::Vtk => return export_data(dir, DataFormat::Vtk, out),
        ExportFormat::Xyz => return export_data(dir, DataFormat::Xyz, out),
        ExportFormat::Csv => return export_data(dir, DataFormat::Csv, out),
        ExportFormat::Lammps => return export_data(dir, DataFormat::Lammps, out),
        ExportFormat::Nodes => return export_data(dir, DataFormat::Nodes, out),
        ExportFormat::Gif => ("gif", animation(dir, options)?),
        ExportFormat::Svg => ("svg", picture(dir, options)?.to_svg().into_bytes()),
        ExportFormat::Png => {
            let png = picture(dir, options)?.to_png(PNG_SCALE);
            let png = png.ok_or_else(|| RecordError::Damaged {
                path: dir.display().to_string(),
                what: "the picture is too large to draw".into(),
            })?;
            ("png", png)
        }
    };
    let out = out.map_or_else(|| dir.join("export"), Path::to_path_buf);
    let path = out.join(format!("{base}.{end}"));
    write_file(&path, &bytes)?;
    Ok(vec![path])
}
