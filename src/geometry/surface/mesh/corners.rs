//! Merges coincident corners of triangles, and finds corners that lie on sides of other triangles.

use nalgebra::Vector3;
use rustc_hash::FxHashMap;

use crate::geometry::Vector;
use crate::geometry::surface::BoxTree;

type V3 = Vector3<f64>;

/// Merges corners within `near` of each other to the first of them.
pub(super) fn welded(corners: &[V3], faces: &[[u32; 3]], near: f64) -> (Vec<V3>, Vec<[u32; 3]>) {
    let mut kept: Vec<V3> = Vec::new();
    // Only for look-ups, so that its order does not matter.
    let mut cells: FxHashMap<[i64; 3], Vec<u32>> = FxHashMap::default();
    let cell = |x: &V3| [x.x, x.y, x.z].map(|c| libm::floor(c / near) as i64);
    let mut number = Vec::with_capacity(corners.len());
    for x in corners {
        let own = cell(x);
        let mut same = None;
        for i in -1..=1 {
            for j in -1..=1 {
                for k in -1..=1 {
                    let there = [own[0] + i, own[1] + j, own[2] + k];
                    for &other in cells.get(&there).into_iter().flatten() {
                        if Vector::norm(&(x - kept[other as usize])) <= near {
                            same = Some(same.map_or(other, |s: u32| s.min(other)));
                        }
                    }
                }
            }
        }
        number.push(same.unwrap_or_else(|| {
            let new = kept.len() as u32;
            kept.push(*x);
            cells.entry(own).or_default().push(new);
            new
        }));
    }
    let faces = faces.iter().map(|face| face.map(|i| number[i as usize]));
    (kept, faces.collect())
}

/// Returns the least height of a triangle, m; 0 if two corners coincide.
pub(super) fn least_height([a, b, c]: [V3; 3]) -> f64 {
    let longest = [b - a, c - b, a - c]
        .iter()
        .map(Vector::norm)
        .fold(0.0, f64::max);
    let twice = Vector::norm(&(b - a).cross(&(c - a)));
    if longest > 0.0 { twice / longest } else { 0.0 }
}

/// Coordinates along a side with their corners, and the greatest distance of these corners from it, m.
type OnSide = (Vec<(f64, u32)>, f64);

/// By side of each triangle: corners of other triangles that lie on it between its ends, in order along it, and the
/// greatest distance of these from it, m.
pub(super) struct OnSides {
    by_side: FxHashMap<(u32, u8), OnSide>,
}

impl OnSides {
    pub(super) fn find(corners: &[V3], faces: &[[u32; 3]], near: f64) -> Self {
        let at = |i: u32| corners[i as usize];
        let room = V3::repeat(near);
        let tree = BoxTree::new(faces.iter().map(|face| {
            let [a, b, c] = face.map(at);
            [a.inf(&b).inf(&c) - room, a.sup(&b).sup(&c) + room]
        }));
        let mut used = vec![false; corners.len()];
        faces
            .iter()
            .flatten()
            .for_each(|&corner| used[corner as usize] = true);
        // A side that two triangles share from end to end is whole.
        let mut shared: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for face in faces {
            for side in 0..3 {
                *shared.entry(ends(*face, side)).or_default() += 1;
            }
        }
        let mut by_side: FxHashMap<(u32, u8), OnSide> = FxHashMap::default();
        for corner in (0..corners.len() as u32).filter(|&corner| used[corner as usize]) {
            let x = at(corner);
            tree.near(x, 0.0, |number| {
                let face = faces[number as usize];
                if face.contains(&corner) {
                    return;
                }
                for side in 0..3 {
                    let (from, to) = ends(face, side);
                    if shared[&(from, to)] > 1 {
                        continue;
                    }
                    let (p, q) = (at(from), at(to));
                    let along = q - p;
                    let share = Vector::dot(&(x - p), &along) / along.norm_squared();
                    let off = Vector::norm(&(x - (p + along * share)));
                    if share > 0.0 && share < 1.0 && off <= near {
                        let (list, most) = by_side.entry((number, side as u8)).or_default();
                        list.push((share, corner));
                        *most = most.max(off);
                    }
                }
            });
        }
        for (list, _) in by_side.values_mut() {
            list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        OnSides { by_side }
    }
    /// Returns the greatest distance of the corners on a side from it, m.
    pub(super) fn off(&self, face: usize, side: usize) -> f64 {
        let found = self.by_side.get(&(face as u32, side as u8));
        found.map_or(0.0, |(_, off)| *off)
    }
    /// Returns the parts of a side, from corner to corner.
    pub(super) fn parts(&self, face: usize, side: usize, [from, to]: [u32; 2]) -> Vec<[u32; 2]> {
        let found = self.by_side.get(&(face as u32, side as u8));
        let between = found.into_iter().flat_map(|(list, _)| list);
        let mut parts = Vec::with_capacity(1);
        let mut last = from;
        for &(_, corner) in between {
            parts.push([last, corner]);
            last = corner;
        }
        parts.push([last, to]);
        parts
    }
}

/// Returns the ends of a side of a triangle, the one with the lower number first.
pub(super) fn ends(face: [u32; 3], side: usize) -> (u32, u32) {
    let (a, b) = (face[side], face[(side + 1) % 3]);
    (a.min(b), a.max(b))
}
