//! Closed surfaces of triangles.

mod closed;
mod format;
mod stl;

use nalgebra::Vector3;

use super::Region;
use crate::geometry::Spatial;

/// Reasons why triangles do not bound a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A file that is not STL.
    #[error("is no STL file: neither text that begins with `solid` nor the binary form")]
    NotStl,
    /// A file of another format.
    #[error("is {0}, not STL: let the program that made it write STL, as text or binary")]
    Format(&'static str),
    /// A binary file of the wrong length.
    #[error(
        "is cut off or no STL file: it has {bytes} bytes, and {triangles} triangles take 84 + 50 x {triangles}"
    )]
    Length {
        /// Length of the file, bytes.
        bytes: usize,
        /// Number of triangles that its header states.
        triangles: u32,
    },
    /// A line of a text file is invalid.
    #[error("line {line}: {message}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The fault.
        message: &'static str,
    },
    /// There are no triangles.
    #[error("has no triangle that is more than a line")]
    Empty,
    /// A coordinate is not finite.
    #[error("triangle {0} has a coordinate that is not a finite number")]
    Numbers(usize),
    /// The surface has holes.
    #[error(
        "the surface is open: {edges} edges belong to one triangle only, the first from {from:?} to {to:?}; corners that are one must agree in every digit"
    )]
    Open {
        /// Number of open edges.
        edges: usize,
        /// First end of the first one.
        from: [f64; 3],
        /// Second end of the first one.
        to: [f64; 3],
    },
    /// Neighbouring triangles face different sides.
    #[error(
        "at {edges} edges neighbouring triangles are turned against each other, the first from {from:?} to {to:?}; seen from outside all corners must run counter-clockwise"
    )]
    Turned {
        /// Number of such edges.
        edges: usize,
        /// First end of the first one.
        from: [f64; 3],
        /// Second end of the first one.
        to: [f64; 3],
    },
    /// All triangles face inwards.
    #[error(
        "the surface is inside out: a part of it encloses a volume of {0:e}; seen from outside the corners of a triangle must run counter-clockwise"
    )]
    InsideOut(f64),
    /// The surface encloses no volume.
    #[error("the surface is closed, but flat: it encloses no volume")]
    Flat,
}

/// Returns the triangles in an STL file, text or binary, whatever they bound.
///
/// # Errors
/// When the file is not STL, or truncated.
pub fn stl_triangles(bytes: &[u8]) -> Result<Vec<[Vector3<f64>; 3]>, MeshError> {
    stl::read(bytes)
}

/// A closed surface of triangles whose normals point outwards. Parts of it may lie within others, as cavities do;
/// self-intersections are not detected.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vector3<f64>>,
    faces: Vec<[usize; 3]>,
    dropped: usize,
}

impl Mesh {
    /// Returns the surface of triangles whose corners run counter-clockwise seen from outside. Corners are merged if
    /// they agree in every digit; triangles with two coincident corners are dropped.
    ///
    /// # Errors
    /// When the surface is open, has inconsistent orientations, is inside out, or encloses nothing.
    pub fn new(triangles: &[[Vector3<f64>; 3]]) -> Result<Self, MeshError> {
        let mut mesh = closed::joined(triangles)?;
        closed::check_edges(&mesh)?;
        closed::check_sides(&mesh)?;
        mesh.vertices.shrink_to_fit();
        Ok(mesh)
    }
    /// Returns the surface in an STL file, text or binary.
    ///
    /// # Errors
    /// When the file is not STL, or its triangles do not bound a body.
    pub fn from_stl(bytes: &[u8]) -> Result<Self, MeshError> {
        Self::new(&stl::read(bytes)?)
    }
    /// Returns the triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [Vector3<f64>; 3]> + '_ {
        self.faces.iter().map(|face| face.map(|i| self.vertices[i]))
    }
    /// Returns the corners, each once.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }
    /// Returns the number of triangles dropped because two of their corners coincide.
    pub fn dropped(&self) -> usize {
        self.dropped
    }
}

impl Region<Spatial> for Mesh {
    fn bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        let first = self.vertices[0];
        let fold = |least: (Vector3<f64>, Vector3<f64>), v: &Vector3<f64>| {
            (least.0.inf(v), least.1.sup(v))
        };
        self.vertices.iter().fold((first, first), fold)
    }
    fn spans(&self, at: Vector3<f64>, spans: &mut Vec<[f64; 2]>) {
        spans.clear();
        let mut crossings: Vec<(f64, i32)> = Vec::new();
        for corners in self.triangles() {
            crossings.extend(crossing(&corners, at.x, at.y));
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut depth, mut from) = (0, 0.0);
        for (z, way) in crossings {
            if depth == 0 && way > 0 {
                from = z;
            }
            depth += way;
            if depth == 0 && way < 0 && z > from {
                spans.push([from, z]);
            }
        }
    }
    fn reach(&self, from: Vector3<f64>) -> f64 {
        let far = |v: &Vector3<f64>| (v - from).norm();
        self.vertices.iter().map(far).fold(0.0, f64::max)
    }
}

/// Returns where a vertical line crosses a triangle, and 1 if it enters the body there, -1 if it leaves. On an edge
/// the line counts for exactly one of the two neighbours.
pub(in crate::body) fn crossing(corners: &[Vector3<f64>; 3], x: f64, y: f64) -> Option<(f64, i32)> {
    let mut inside = false;
    for k in 0..3 {
        let (p, q) = (&corners[k], &corners[(k + 1) % 3]);
        // Both neighbours evaluate the edge from the same end, and so round in the same way.
        let (p, q) = if (p.y, p.x) < (q.y, q.x) {
            (p, q)
        } else {
            (q, p)
        };
        if (p.y <= y) != (q.y <= y) {
            inside ^= p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x) > x;
        }
    }
    if !inside {
        return None;
    }
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    if normal.z == 0.0 {
        return None;
    }
    let z = a.z - (normal.x * (x - a.x) + normal.y * (y - a.y)) / normal.z;
    Some((z, if normal.z < 0.0 { 1 } else { -1 }))
}
