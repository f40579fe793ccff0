//! Data exports of a finished run for other programs. Pictures are drawn by the view, which
//! stands above.

mod csv;
mod lammps;
mod vtk;
mod xyz;

use std::fs;
use std::path::{Path, PathBuf};

use super::RecordError;

/// A file format of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFormat {
    /// ParaView: PolyData files of grains, links and walls, with collections that carry the times.
    Vtk,
    /// OVITO: one extended XYZ file with all snapshots.
    Xyz,
    /// Spreadsheets: a file per table.
    Csv,
    /// LAMMPS: a data file of the last snapshot, atom style sphere.
    Lammps,
}

/// Writes a run in another format into `out`, by default the folder `export` of the run; returns
/// the files that a user opens.
pub fn export_data(
    dir: &Path,
    format: DataFormat,
    out: Option<&Path>,
) -> Result<Vec<PathBuf>, RecordError> {
    let out = out.map_or_else(|| dir.join("export"), Path::to_path_buf);
    fs::create_dir_all(&out).map_err(RecordError::io("cannot create", &out))?;
    match format {
        DataFormat::Vtk => vtk::export(dir, &out),
        DataFormat::Xyz => xyz::export(dir, &out),
        DataFormat::Csv => csv::export(dir, &out),
        DataFormat::Lammps => lammps::export(dir, &out),
    }
}

/// The orientation as a unit quaternion x, y, z, w: in the plane a turn about z by the angle.
fn quaternion(rotation: [f64; 4], dimensions: usize) -> [f64; 4] {
    if dimensions == 2 {
        let (sin, cos) = libm::sincos(0.5 * rotation[0]);
        [0.0, 0.0, sin, cos]
    } else {
        rotation
    }
}

/// A spin as a vector in space: in the plane about z.
fn about_z(spin: [f64; 3], dimensions: usize) -> [f64; 3] {
    if dimensions == 2 {
        [0.0, 0.0, spin[0]]
    } else {
        spin
    }
}
