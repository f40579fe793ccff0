//! Meshes of triangles: thin, open or closed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WallFeature;
use super::barrier::{Barrier, Stretches};
use super::drawing::Line;
use super::kind::{Corners, Kind, WallRow, around, spatial};
use crate::field::keys::SpinSpec;
use crate::geometry::surface::mesh::Exactness;
use crate::geometry::surface::{ShapeError, Surface};
use crate::geometry::three;
use crate::geometry::{Dimension, Vector};

mod read;

pub(super) const MESH: WallRow = spatial("wall.mesh", "meshes of triangles");

/// Greatest number of lines that show a mesh.
const MOST_LINES: usize = 4_000;

/// A mesh of triangles that is a wall; it need not be closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MeshShape<D: Dimension> {
    /// Corners.
    pub corners: Vec<D::Vector>,
    /// Triangles, by the numbers of their corners from 0 on.
    pub triangles: Vec<[u32; 3]>,
    /// Tolerances of the corners.
    pub exactness: Exactness,
}

fn one() -> f64 {
    1.0
}

fn is_one(scale: &f64) -> bool {
    *scale == 1.0
}

/// A mesh of triangles: `file`, or `corners` with `triangles`; scaled first, then turned about the origin, then
/// moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshKeys {
    /// From an STL file, text or binary, its path relative to the scenario's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Factor to m: 0.001 for a file in mm.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 0.0))]
    pub scale: f64,
    /// How it is turned: an axis of the length of the angle, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<SpinSpec>,
    /// Where the origin of the file comes to lie, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// Neighbouring triangles whose corners lie no further than this from one plane are one plane part, m. Absent:
    /// a millionth of the greatest coordinate of the file, scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub flatness: Option<f64>,
    /// Leave out triangles without area instead of refusing the mesh.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_degenerate: bool,
    /// The corners, in the unit of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<[f64; 3]>>,
    /// The triangles, by the numbers of their corners, from 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
}

impl<D: Dimension> MeshShape<D> {
    /// Returns the edges where facets meet or end, for drawings; of very many the longest.
    fn edges(&self) -> Vec<[D::Vector; 2]> {
        let Ok(pieces) = D::Surface::mesh(&self.corners, &self.triangles, self.exactness) else {
            return Vec::new();
        };
        let mut lines: Vec<[D::Vector; 2]> = pieces.iter().filter_map(Surface::ridge).collect();
        if lines.len() > MOST_LINES {
            let length = |[a, b]: &[D::Vector; 2]| (*b - *a).norm_squared();
            lines.sort_by(|a, b| length(b).total_cmp(&length(a)));
            lines.truncate(MOST_LINES);
        }
        lines
    }
}

impl<D: Dimension> Kind<D> for MeshShape<D> {
    fn feature(&self) -> WallFeature {
        WallFeature::MeshWall
    }

    fn primitives(&self) -> Result<Vec<D::Surface>, ShapeError> {
        D::Surface::mesh(&self.corners, &self.triangles, self.exactness)
    }

    fn shift(&mut self, by: D::Vector) {
        self.corners.iter_mut().for_each(|p| *p += by);
    }

    /// Returns the first corner.
    fn reference_point(&self) -> D::Vector {
        self.corners.first().copied().unwrap_or_default()
    }

    fn extent(&self) -> Option<Corners<D>> {
        around::<D>(&self.corners)
    }

    fn lines(&self, _view: Corners<D>) -> Vec<Line> {
        let line = |ends: [D::Vector; 2]| (ends.map(three).to_vec(), false);
        self.edges().into_iter().map(line).collect()
    }

    fn barrier(&self, up: Option<D::Vector>) -> Barrier<D> {
        let corners = |face: &[u32; 3]| face.map(|k| self.corners[k as usize]);
        let triangles = self.triangles.iter().map(corners).collect();
        Barrier::Triangles(Stretches::new(triangles, up))
    }

    fn clearance(&self, _x: D::Vector) -> Option<f64> {
        None
    }

    fn is_thin(&self) -> bool {
        true
    }

    fn mesh(&self) -> Option<&MeshShape<D>> {
        Some(self)
    }
}
