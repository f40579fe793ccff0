//! Description of a run that its folder keeps besides the rows.

use serde::{Deserialize, Serialize};

use super::shape::GrainShape;

/// Description of a run that its folder keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunMeta {
    /// Number of dimensions, 2 or 3.
    pub dimensions: usize,
    /// The resolved scenario, as written to `scenario.toml`.
    #[serde(skip)]
    pub scenario_toml: String,
    /// Names of the boundaries, in order; they name the columns of the wall loads.
    pub boundaries: Vec<String>,
    /// Names of the meters, in order; they name columns too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meters: Vec<String>,
    /// Version of the program.
    pub version: String,
    /// Walls as lines, for pictures and exports.
    #[serde(default)]
    pub walls: Vec<WallDrawing>,
    /// Shapes of grains other than disks or spheres; `shape` of a grain is an index into this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<GrainShape>,
    /// Origin and length of each periodic direction, m; none for directions that are not periodic or do not exist.
    #[serde(default)]
    pub periodic: [Option<[f64; 2]>; 3],
    /// Whether the edges of the periodic cell move: they are then in the series, and `periodic` is empty.
    #[serde(default)]
    pub cell: bool,
    /// Whether grains are bonded: the series then tells of bonds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bonds: bool,
    /// Least corner of such a cell, m; it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_corner: Option<[f64; 3]>,
}

/// What some runs have, and their series tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// A periodic cell whose edges move.
    pub cell: bool,
    /// Bonds.
    pub bonds: bool,
}

impl RunMeta {
    /// Returns what the run has of that which only some have.
    pub fn extras(&self) -> Extras {
        Extras {
            cell: self.cell,
            bonds: self.bonds,
        }
    }

    /// Checks a description that another program may have written; returns the fault.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(2..=3).contains(&self.dimensions) {
            return Err(format!("`dimensions` is {}", self.dimensions));
        }
        let arcs = self.shapes.iter().flat_map(|shape| &shape.parts);
        for [from, to] in arcs.filter_map(|part| part.arc) {
            let sound = from.is_finite() && (to - from).abs() <= 2.0 * std::f64::consts::TAU;
            if !sound {
                return Err(format!("an arc from {from} to {to} rad is none"));
            }
        }
        Ok(())
    }
}

/// A wall as a line, for pictures: several lines may have one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallDrawing {
    /// Name of the boundary.
    pub name: String,
    /// Corners at the start of the run, m; the plane leaves the third at 0.
    pub points: Vec<[f64; 3]>,
    /// Whether the last corner is joined to the first.
    pub closed: bool,
    /// An infinite line (a plane in two dimensions), given by two `points`: pictures draw it from edge to edge.
    #[serde(default)]
    pub endless: bool,
    /// Time at which a gate is removed, s; pictures of later times omit it.
    #[serde(default)]
    pub opens_at: Option<f64>,
}
