//! Cuts a mesh of triangles into facets, ridges and tips.
//!
//! Connected coplanar triangles become one facet: grains do not feel the edges between them, and a link keeps its
//! contact history from one to the next. A ridge is a straight line where facets meet at an angle or end; collinear
//! sides between the same facets form one ridge. Corners within a hair of each other are merged, and a corner that
//! lies on another triangle's side divides it, so that triangles need not match corner to corner.

mod corners;
mod facet;
mod lines;

use std::sync::Arc;

use nalgebra::Vector3;

use corners::{OnSides, ends, least_height, welded};
use facet::{Border, Cell};
pub use facet::{Facet, Ridge, Tip};
use lines::beside;

use super::{ShapeError, SpatialSurface};
use crate::geometry::Vector;

type V3 = Vector3<f64>;

/// Greatest number of triangles of a mesh.
pub const MOST_TRIANGLES: usize = 1_000_000;
/// Default tolerance for coplanar corners, relative to the greatest coordinate: more than ten times the rounding of
/// single precision, in which STL files are written.
const FLATNESS: f64 = 1e-6;
/// Distance, relative to the greatest coordinate, within which corners are merged.
const HAIR: f64 = 2.4e-7;
/// Upper bound of the rounding error relative to the size of a mesh, however far from the origin it lies.
const MOST_BLURRED: f64 = 1e-5;
/// Rounding error of double precision, relative to the greatest coordinate.
const ROUNDING: f64 = 1e-13;
/// Height in hairs below which triangles do not determine their plane.
const THIN: f64 = 8.0;
/// Height of a triangle over its longest side below which it counts as a line.
const NO_AREA: f64 = 1e-12;

/// Tolerances of the corners of a mesh, m.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Exactness {
    /// Corners within this distance are merged.
    pub hair: f64,
    /// Corners within this distance of a plane lie in it.
    pub flatness: f64,
}

impl Exactness {
    /// Returns the tolerances of corners from a file, in single precision.
    pub fn of(corners: &[V3]) -> Self {
        let first = corners.first().copied().unwrap_or_default();
        let far = |by: V3| corners.iter().map(|x| (x - by).amax()).fold(0.0, f64::max);
        let (reach, size) = (far(V3::zeros()), far(first));
        let hair = (HAIR * reach).min(MOST_BLURRED * size);
        Exactness {
            hair,
            flatness: hair * (FLATNESS / HAIR),
        }
    }
    /// Returns the tolerances of a scaled mesh.
    pub fn scaled(self, scale: f64) -> Self {
        Exactness {
            hair: self.hair * scale,
            flatness: self.flatness * scale,
        }
    }
}

/// Returns the first triangle without area: two of its corners coincide, or all are collinear.
pub fn degenerate(corners: &[V3], faces: &[[u32; 3]]) -> Option<usize> {
    faces.iter().position(|face| is_line(corners, *face))
}

/// Whether a triangle has no area.
pub fn is_line(corners: &[V3], face: [u32; 3]) -> bool {
    let [a, b, c] = face.map(|i| corners[i as usize]);
    let longest = Vector::norm(&(b - a)).max(Vector::norm(&(c - a)));
    least_height([a, b, c]) <= NO_AREA * longest
}

/// Returns the surface pieces of a mesh of triangles.
pub fn pieces(
    corners: &[V3],
    faces: &[[u32; 3]],
    exactness: Exactness,
) -> Result<Vec<SpatialSurface>, ShapeError> {
    if faces.len() > MOST_TRIANGLES {
        return Err(ShapeError::TooManyTriangles(faces.len(), MOST_TRIANGLES));
    }
    if !corners.iter().all(Vector::is_finite) {
        return Err(ShapeError::NotFinite("the corners' coordinates"));
    }
    for (k, face) in faces.iter().enumerate() {
        if let Some(&corner) = face.iter().find(|&&i| i as usize >= corners.len()) {
            return Err(ShapeError::NoCorner(k + 1, corner));
        }
    }
    if let Some(k) = degenerate(corners, faces) {
        return Err(ShapeError::NoArea(k + 1));
    }
    let extent = corners.iter().map(|x| x.amax()).fold(0.0, f64::max);
    let rounding = ROUNDING * extent;
    let hair = exactness.hair.max(10.0 * rounding);
    let (corners, faces) = welded(corners, faces, hair);
    // Triangles that are lines to rounding are dropped: their corners lie on sides of their neighbours.
    let height = |face: &[u32; 3]| least_height(face.map(|i| corners[i as usize]));
    let faces: Vec<[u32; 3]> = faces
        .into_iter()
        .filter(|&[a, b, c]| a != b && b != c && c != a && height(&[a, b, c]) > 1e3 * rounding)
        .collect();
    if faces.is_empty() {
        return Err(ShapeError::NoTriangles);
    }
    let on_sides = OnSides::find(&corners, &faces, 2.0 * hair);
    let net = Net {
        edges: edges(&faces, &on_sides),
        thin: faces
            .iter()
            .map(|face| height(face) < THIN * hair)
            .collect(),
        corners,
        faces,
        on_sides,
        hair,
        rounding,
    };
    Ok(net.cut(exactness.flatness.max(hair)))
}

/// A part of triangle sides between two neighbouring corners, and the triangles that have it.
struct Edge {
    /// Ends, the lower number first.
    ends: [u32; 2],
    /// Triangle and index of its side.
    sides: Vec<(u32, u8)>,
}

fn edges(faces: &[[u32; 3]], on_sides: &OnSides) -> Vec<Edge> {
    let mut all: Vec<([u32; 2], (u32, u8))> = Vec::with_capacity(3 * faces.len());
    for (k, face) in faces.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = ends(*face, side);
            for [a, b] in on_sides.parts(k, side, [from, to]) {
                if a != b {
                    all.push(([a.min(b), a.max(b)], (k as u32, side as u8)));
                }
            }
        }
    }
    all.sort_unstable();
    let same = all.chunk_by(|a, b| a.0 == b.0);
    same.map(|edge| Edge {
        ends: edge[0].0,
        sides: edge.iter().map(|(_, side)| *side).collect(),
    })
    .collect()
}

/// A plane: unit normal, offset.
type Plane = (V3, f64);

struct Net {
    corners: Vec<V3>,
    faces: Vec<[u32; 3]>,
    /// For each triangle whether rounding of its corners may have turned it over.
    thin: Vec<bool>,
    on_sides: OnSides,
    edges: Vec<Edge>,
    hair: f64,
    rounding: f64,
}

impl Net {
    fn cut(&self, flatness: f64) -> Vec<SpatialSurface> {
        let (planes, facet_of) = self.facets(flatness);
        let borders: Vec<[Border; 3]> = (0..self.faces.len())
            .map(|face| self.borders(face, planes[facet_of[face] as usize].0))
            .collect();
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); planes.len()];
        for (face, &facet) in facet_of.iter().enumerate() {
            let (normal, offset) = planes[facet as usize];
            let onto = |x: V3| x - normal * (Vector::dot(&normal, &x) - offset);
            cells[facet as usize].push(Cell {
                corners: self.points(face).map(onto),
                borders: borders[face],
            });
        }
        let most = (0..self.faces.len()).flat_map(|face| (0..3).map(move |side| (face, side)));
        let most = most.map(|(face, side)| self.on_sides.off(face, side));
        let room = most.fold(0.0, f64::max) + 10.0 * self.rounding;
        let facets = planes.iter().zip(cells);
        let mut facets: Vec<Facet> = facets
            .map(|(&(normal, offset), cells)| Facet::new(normal, offset, cells, room))
            .collect();
        let (felt, seams) = self.felt(&facet_of, &borders, &facets);
        for (facet, beside) in facets.iter_mut().zip(beside(&planes, &felt)) {
            facet.set_beside(beside);
        }
        let mut pieces: Vec<SpatialSurface> = facets
            .into_iter()
            .map(|facet| SpatialSurface::Facet(Arc::new(facet)))
            .collect();
        self.ridges_and_tips(&felt, &seams, &mut pieces);
        pieces
    }

    fn points(&self, face: usize) -> [V3; 3] {
        self.faces[face].map(|i| self.corners[i as usize])
    }

    /// Returns planes, and for each triangle the index of its own: grown from the largest triangles.
    fn facets(&self, flatness: f64) -> (Vec<Plane>, Vec<u32>) {
        let area: Vec<V3> = (0..self.faces.len())
            .map(|face| {
                let [a, b, c] = self.points(face);
                (b - a).cross(&(c - a))
            })
            .collect();
        let size: Vec<f64> = area.iter().map(Vector::norm).collect();
        let mut beside: Vec<Vec<u32>> = vec![Vec::new(); self.faces.len()];
        for edge in &self.edges {
            for &(a, _) in &edge.sides {
                let others = edge.sides.iter().map(|&(b, _)| b).filter(|&b| b != a);
                beside[a as usize].extend(others);
            }
        }
        let mut order: Vec<u32> = (0..self.faces.len() as u32).collect();
        order.sort_by(|&a, &b| {
            size[b as usize]
                .total_cmp(&size[a as usize])
                .then(a.cmp(&b))
        });
        let mut facet_of = vec![u32::MAX; self.faces.len()];
        let mut planes: Vec<Plane> = Vec::new();
        for &seed in &order {
            if facet_of[seed as usize] != u32::MAX {
                continue;
            }
            let s = seed as usize;
            let facet = planes.len() as u32;
            let normal = area[s] * (1.0 / size[s]);
            let offset = Vector::dot(&normal, &self.points(s)[0]);
            let mut members = vec![seed];
            facet_of[s] = facet;
            let (mut next, mut off) = (0, 0.0f64);
            while let Some(&face) = members.get(next) {
                next += 1;
                for &other in &beside[face as usize] {
                    let o = other as usize;
                    let turned = Vector::dot(&area[o], &normal).abs() < 0.5 * size[o];
                    if facet_of[o] != u32::MAX || turned && !self.thin[o] {
                        continue;
                    }
                    let height = |x: &V3| (Vector::dot(&normal, x) - offset).abs();
                    let far = self.points(o).iter().map(height).fold(0.0, f64::max);
                    if far <= flatness {
                        facet_of[o] = facet;
                        members.push(other);
                        off = off.max(far);
                    }
                }
            }
            // Where corners deviate from the first triangle's plane by more than rounding, a plane is fitted to all
            // of them.
            planes.push(if off > self.rounding {
                self.fitted(&members, normal, &area)
            } else {
                (normal, offset)
            });
        }
        (planes, facet_of)
    }

    fn fitted(&self, members: &[u32], like: V3, area: &[V3]) -> Plane {
        let mut sum = V3::zeros();
        for &face in members {
            let area = area[face as usize];
            sum += area * Vector::dot(&area, &like).signum();
        }
        let normal = sum * (1.0 / Vector::norm(&sum));
        let corners = members.iter().flat_map(|&face| self.points(face as usize));
        let heights = corners.map(|x| Vector::dot(&normal, &x)).sum::<f64>();
        (normal, heights / (3 * members.len()) as f64)
    }

    /// Returns the sides of a triangle in a plane with this normal. A side that two triangles of a facet share has
    /// the same numbers in both except for the sign.
    fn borders(&self, face: usize, normal: V3) -> [Border; 3] {
        std::array::from_fn(|side| {
            let (from, to) = ends(self.faces[face], side);
            let [p, q] = [from, to].map(|i| self.corners[i as usize]);
            let across = normal.cross(&(q - p));
            let length = Vector::norm(&across);
            if length <= self.rounding {
                // Perpendicular to the plane: a sliver that contains no points.
                return Border {
                    inward: V3::zeros(),
                    from: f64::INFINITY,
                };
            }
            let across = across * (1.0 / length);
            let third = self.points(face)[(side + 2) % 3];
            let sign = Vector::dot(&across, &(third - p)).signum();
            let room = self.on_sides.off(face, side) + self.rounding;
            Border {
                inward: across * sign,
                from: sign * Vector::dot(&across, &p) - room,
            }
        })
    }
}
