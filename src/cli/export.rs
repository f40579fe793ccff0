//! `arenite export`: writes the records of a run in other formats.

use std::path::PathBuf;

use super::failure::Failure;
use super::report::print;
use super::{ExportArgs, ExportTo, Show, run_folder};
use crate::view;

/// Writes the records of a run in another format; prints the files to open.
pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    run_folder(&args.dir)?;
    let picture = matches!(args.to, ExportTo::Png | ExportTo::Svg);
    let fields = matches!(args.to, ExportTo::Fields);
    let options = view::PictureOptions {
        time: args.time,
        subject: match args.show {
            Show::Grains => view::Subject::Grains,
            Show::Stagnant => view::Subject::Stagnant,
        },
        rate: args.fps,
        width: args.width,
        ..view::PictureOptions::default()
    };
    if (args.fps.is_some() || args.width.is_some()) && !matches!(args.to, ExportTo::Gif) {
        return Err(Failure::Input(
            "--fps and --width belong to an animation (--to gif)".into(),
        ));
    }
    if options.time.is_some() && !picture && !fields {
        return Err(Failure::Input(
            "--time chooses the moment of a picture (png, svg) or of fields; other formats hold all snapshots"
                .into(),
        ));
    }
    if (args.kernel.is_some() || args.cell.is_some()) && !fields {
        return Err(Failure::Input(
            "--kernel and --cell belong to fields (--to fields)".into(),
        ));
    }
    if args.show == Show::Stagnant && !picture {
        return Err(Failure::Input(
            "--show chooses what a picture shows (png, svg); --to csv writes the table".into(),
        ));
    }
    if args.show == Show::Stagnant && options.time.is_some() {
        return Err(Failure::Input(
            "stagnant zones are of the whole run; leave --time out".into(),
        ));
    }
    let format = match args.to {
        ExportTo::Vtk => view::ExportFormat::Vtk,
        ExportTo::Xyz => view::ExportFormat::Xyz,
        ExportTo::Csv => view::ExportFormat::Csv,
        ExportTo::Lammps => view::ExportFormat::Lammps,
        ExportTo::Nodes => view::ExportFormat::Nodes,
        ExportTo::Png => view::ExportFormat::Png,
        ExportTo::Svg => view::ExportFormat::Svg,
        ExportTo::Gif => view::ExportFormat::Gif,
        ExportTo::Fields => {
            let options = view::FieldOptions {
                width: args.kernel,
                cell: args.cell,
                time: args.time,
            };
            let files = view::export_fields(&args.dir, args.out.as_deref(), &options);
            return told(&files.map_err(|why| match why {
                view::FieldsError::Record(why) => why.into(),
                other => Failure::Input(other.to_string()),
            })?);
        }
    };
    let files = view::export_with(&args.dir, format, args.out.as_deref(), &options)?;
    told(&files)
}

fn told(files: &[PathBuf]) -> Result<(), Failure> {
    let lines: String = files
        .iter()
        .map(|file| format!("{}\n", file.display()))
        .collect();
    print(lines.as_bytes())
}
