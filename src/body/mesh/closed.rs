//! Checks that triangles bound a body.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use petgraph::unionfind::UnionFind;

use super::{Mesh, MeshError, crossing};

/// Ratio of a part's volume to that of its bounding cube below which it encloses nothing.
const FLAT: f64 = 1e-12;

/// Merges the common corners of triangles.
pub(super) fn joined(triangles: &[[Vector3<f64>; 3]]) -> Result<Mesh, MeshError> {
    let mut indices: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    let mut mesh = Mesh {
        vertices: Vec::new(),
        faces: Vec::with_capacity(triangles.len()),
        dropped: 0,
    };
    for (i, triangle) in triangles.iter().enumerate() {
        if !triangle.iter().all(|v| v.iter().all(|c| c.is_finite())) {
            return Err(MeshError::Numbers(i));
        }
        let face = triangle.map(|v| {
            // 0 and -0 are equal.
            let v = v.map(|c| c + 0.0);
            *indices
                .entry([v.x, v.y, v.z].map(f64::to_bits))
                .or_insert_with(|| {
                    mesh.vertices.push(v);
                    mesh.vertices.len() - 1
                })
        });
        if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
            mesh.dropped += 1;
        } else {
            mesh.faces.push(face);
        }
    }
    if mesh.faces.is_empty() {
        return Err(MeshError::Empty);
    }
    Ok(mesh)
}

/// Checks that every edge is traversed equally often in both directions.
pub(super) fn check_edges(mesh: &Mesh) -> Result<(), MeshError> {
    let mut edges: BTreeMap<(usize, usize), [usize; 2]> = BTreeMap::new();
    for face in &mesh.faces {
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            edges.entry((a.min(b), a.max(b))).or_default()[usize::from(a > b)] += 1;
        }
    }
    let ends = |&(a, b): &(usize, usize)| [a, b].map(|i| mesh.vertices[i].into());
    let first = |wrong: &dyn Fn(&[usize; 2]) -> bool| {
        let mut all = edges.iter().filter(|(_, ways)| wrong(ways));
        all.next().map(|(edge, _)| (ends(edge), 1 + all.count()))
    };
    if let Some(([from, to], edges)) = first(&|ways| (ways[0] + ways[1]) % 2 == 1) {
        return Err(MeshError::Open { edges, from, to });
    }
    if let Some(([from, to], edges)) = first(&|ways| ways[0] != ways[1]) {
        return Err(MeshError::Turned { edges, from, to });
    }
    Ok(())
}

/// Checks that connected parts face outwards, or inwards if they are cavities of others.
pub(super) fn check_sides(mesh: &Mesh) -> Result<(), MeshError> {
    let parts = parts(mesh);
    let volumes: Vec<f64> = parts.iter().map(|faces| volume(mesh, faces)).collect();
    for (faces, &enclosed) in parts.iter().zip(&volumes) {
        if enclosed.abs() <= FLAT * around(mesh, faces) {
            return Err(MeshError::Flat);
        }
        if enclosed > 0.0 {
            continue;
        }
        let corner = mesh.vertices[mesh.faces[faces[0]][0]];
        let mut others = parts.iter().zip(&volumes).filter(|(_, v)| **v > 0.0);
        if !others.any(|(other, _)| encloses(mesh, other, corner)) {
            return Err(MeshError::InsideOut(enclosed));
        }
    }
    Ok(())
}

/// Returns the faces of each connected part.
fn parts(mesh: &Mesh) -> Vec<Vec<usize>> {
    let mut joined = UnionFind::new(mesh.vertices.len());
    for face in &mesh.faces {
        joined.union(face[0], face[1]);
        joined.union(face[0], face[2]);
    }
    // In the order of their first faces.
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut number = BTreeMap::new();
    for (i, face) in mesh.faces.iter().enumerate() {
        let part = *number.entry(joined.find(face[0])).or_insert(parts.len());
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(i);
    }
    parts
}

fn corners(mesh: &Mesh, face: usize) -> [Vector3<f64>; 3] {
    mesh.faces[face].map(|i| mesh.vertices[i])
}

fn volume(mesh: &Mesh, faces: &[usize]) -> f64 {
    let origin = mesh.vertices[mesh.faces[faces[0]][0]];
    let signed = |&face: &usize| {
        let [a, b, c] = corners(mesh, face).map(|v| v - origin);
        a.dot(&b.cross(&c)) / 6.0
    };
    faces.iter().map(signed).sum()
}

/// Returns the volume of a cube around a part.
fn around(mesh: &Mesh, faces: &[usize]) -> f64 {
    let origin = mesh.vertices[mesh.faces[faces[0]][0]];
    let all = faces.iter().flat_map(|&face| corners(mesh, face));
    let reach = all.map(|v| (v - origin).norm()).fold(0.0, f64::max);
    reach * reach * reach
}

fn encloses(mesh: &Mesh, faces: &[usize], point: Vector3<f64>) -> bool {
    let above = |&face: &usize| crossing(&corners(mesh, face), point.x, point.y);
    let ways = faces.iter().filter_map(above);
    ways.filter(|(z, _)| *z > point.z)
        .map(|(_, way)| way)
        .sum::<i32>()
        < 0
}
