//! Exports of a finished run in data formats of other programs. The module `view`, a layer above, draws pictures.

mod csv;
mod image;
mod lammps;
mod nodes;
mod older;
mod space;
mod vtk;
mod xyz;

pub use image::{CellArray, CellImage, write_collection};
pub(crate) use older::forget_older;

use std::fs;
use std::path::{Path, PathBuf};

use super::RecordError;
use super::rows::GrainRow;
use super::shape::GrainShape;

/// A file format of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFormat {
    /// ParaView: PolyData files of grains, links and walls, with collections that carry the times.
    Vtk,
    /// OVITO: one extended XYZ file with all snapshots.
    Xyz,
    /// Spreadsheets: one file per table.
    Csv,
    /// LAMMPS: a data file of the last snapshot, atom style sphere.
    Lammps,
    /// Nodes of the hierarchy at each snapshot: a table.
    Nodes,
}

/// Writes a run in another format into `out`, by default the folder `export` of the run; returns the files that a
/// user opens.
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
        DataFormat::Nodes => nodes::export(dir, &out),
    }
}

/// Returns the orientation as a unit quaternion x, y, z, w: in the plane a rotation about z by the angle.
fn quaternion(rotation: [f64; 4], dimensions: usize) -> [f64; 4] {
    if dimensions == 2 {
        let (sin, cos) = libm::sincos(0.5 * rotation[0]);
        [0.0, 0.0, sin, cos]
    } else {
        rotation
    }
}

/// Returns the spheres drawn for each grain, with position and radius, m: the grain itself, or the components of a
/// clump.
fn parts<'a>(
    shapes: &[GrainShape],
    grains: &'a [GrainRow],
    dimensions: usize,
) -> Vec<(&'a GrainRow, [f64; 3], f64)> {
    let mut parts = Vec::with_capacity(grains.len());
    for grain in grains {
        let shape = grain.shape.and_then(|k| shapes.get(usize::from(k)));
        match shape.filter(|shape| !shape.is_arcs()) {
            Some(shape) => {
                let balls = shape.balls(grain, dimensions);
                parts.extend(balls.into_iter().map(|(x, radius)| (grain, x, radius)));
            }
            None => parts.push((grain, grain.position, grain.radius)),
        }
    }
    parts
}

/// Converts an angular velocity to a vector in space: in the plane about z.
fn about_z(spin: [f64; 3], dimensions: usize) -> [f64; 3] {
    if dimensions == 2 {
        [0.0, 0.0, spin[0]]
    } else {
        spin
    }
}
