//! Export for ParaView: values of a grid of equal cells, as ImageData files (.vti).

use std::fs;
use std::path::Path;

use super::vtk::{collection, floats, save};
use crate::record::RecordError;

/// An array with values for all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CellArray {
    /// Name of the array.
    pub name: String,
    /// Number of values per cell: 1, 3 or 9.
    pub components: usize,
    /// All components of a cell, then those of the next; cells along x first.
    pub values: Vec<f64>,
}

/// A grid of cells with values; in the plane the cells have no extent along the third axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellImage {
    /// Corner with the least coordinates, m.
    pub origin: [f64; 3],
    /// Sides of a cell, m.
    pub step: [f64; 3],
    /// Cells along each axis.
    pub count: [usize; 3],
    /// Values of the cells.
    pub arrays: Vec<CellArray>,
}

impl CellImage {
    /// Writes the file, complete or not at all.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        make_folder(path)?;
        let extent: Vec<String> = (0..3)
            .map(|k| match self.step[k] > 0.0 {
                true => format!("0 {}", self.count[k]),
                false => "0 0".into(),
            })
            .collect();
        let extent = extent.join(" ");
        let three = |v: [f64; 3]| format!("{:?} {:?} {:?}", v[0], v[1], v[2]);
        // Readers reject a spacing of 0, even along an axis without extent.
        let spacing = self.step.map(|s| if s > 0.0 { s } else { 1.0 });
        let arrays: String = self
            .arrays
            .iter()
            .map(|a| floats(&a.name, a.components, &a.values))
            .collect();
        let text = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <ImageData WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\">\n<Piece Extent=\"{extent}\">\n\
             <CellData>\n{arrays}</CellData>\n</Piece>\n</ImageData>\n</VTKFile>\n",
            three(self.origin),
            three(spacing)
        );
        save(path, &text)
    }
}

/// Writes a collection that lists the files in a folder beside it, with their times.
///
/// # Errors
/// An error of the operating system.
pub fn write_collection(
    path: &Path,
    folder: &str,
    times: &[(f64, String)],
) -> Result<(), RecordError> {
    make_folder(path)?;
    save(path, &collection(folder, times))
}

fn make_folder(path: &Path) -> Result<(), RecordError> {
    match path.parent() {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(RecordError::io("cannot create", folder))
        }
        None => Ok(()),
    }
}
