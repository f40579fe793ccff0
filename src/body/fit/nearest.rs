//! The nearest point of a surface of triangles, by a tree of boxes.

use nalgebra::Vector3;

use crate::body::Mesh;

/// Number of triangles in a leaf of the tree.
const LEAF: usize = 4;

/// A box of the tree around triangles `first..last`; its halves, if any, are other boxes.
struct Node {
    min: Vector3<f64>,
    max: Vector3<f64>,
    first: usize,
    last: usize,
    halves: Option<[usize; 2]>,
}

/// A surface prepared for distance queries.
pub struct Nearest {
    triangles: Vec<[Vector3<f64>; 3]>,
    nodes: Vec<Node>,
}

impl Nearest {
    /// Builds the tree of a surface.
    pub fn new(mesh: &Mesh) -> Self {
        let mut tree = Nearest {
            triangles: mesh.triangles().collect(),
            nodes: Vec::new(),
        };
        tree.split(0, tree.triangles.len());
        tree
    }

    fn split(&mut self, first: usize, last: usize) -> usize {
        let own = &mut self.triangles[first..last];
        let corner = own[0][0];
        let (mut min, mut max) = (corner, corner);
        for v in own.iter().flatten() {
            (min, max) = (min.inf(v), max.sup(v));
        }
        let index = self.nodes.len();
        let halved = own.len() > LEAF;
        if halved {
            let axis = (max - min).imax();
            let middle = |t: &[Vector3<f64>; 3]| t[0][axis] + t[1][axis] + t[2][axis];
            // A stable sort: equal ones keep their order, and so the tree is always the same.
            own.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        }
        self.nodes.push(Node {
            min,
            max,
            first,
            last,
            halves: None,
        });
        if halved {
            let half = first.midpoint(last);
            let halves = [self.split(first, half), self.split(half, last)];
            self.nodes[index].halves = Some(halves);
        }
        index
    }

    /// Returns the point of the surface nearest to a point, and its distance, m.
    pub fn find(&self, point: Vector3<f64>) -> (Vector3<f64>, f64) {
        let mut best = (self.triangles[0][0], f64::INFINITY);
        let mut stack = vec![(0, 0.0)];
        while let Some((index, least)) = stack.pop() {
            if least >= best.1 {
                continue;
            }
            let node = &self.nodes[index];
            let Some(halves) = node.halves else {
                for triangle in &self.triangles[node.first..node.last] {
                    let found = on_triangle(point, triangle);
                    let square = (found - point).norm_squared();
                    if square < best.1 {
                        best = (found, square);
                    }
                }
                continue;
            };
            let mut next = halves.map(|half| (half, self.away(half, point)));
            if next[0].1 < next[1].1 {
                next.swap(0, 1);
            }
            // The nearer half is on top.
            stack.extend(next);
        }
        (best.0, best.1.sqrt())
    }

    /// Returns the distance of a point from the surface, m; positive inside and outside.
    pub fn distance(&self, point: Vector3<f64>) -> f64 {
        self.find(point).1
    }

    /// Returns the triangles, in the order of the tree.
    pub fn triangles(&self) -> &[[Vector3<f64>; 3]] {
        &self.triangles
    }

    /// Returns the square of the distance of a box.
    fn away(&self, index: usize, point: Vector3<f64>) -> f64 {
        let node = &self.nodes[index];
        let outside = (node.min - point).sup(&(point - node.max));
        outside.map(|c| c.max(0.0)).norm_squared()
    }
}

/// Returns the point of a triangle nearest to a point: in its plane if the foot lies within all edges, else on one of
/// them.
fn on_triangle(point: Vector3<f64>, corners: &[Vector3<f64>; 3]) -> Vector3<f64> {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square > 0.0 {
        let foot = point - normal * (normal.dot(&(point - a)) / square);
        let within = |p: Vector3<f64>, q: Vector3<f64>| (q - p).cross(&(foot - p)).dot(&normal);
        if within(a, b) >= 0.0 && within(b, c) >= 0.0 && within(c, a) >= 0.0 {
            return foot;
        }
    }
    let mut best = (a, f64::INFINITY);
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let along = q - p;
        let share = along.dot(&(point - p)) / along.norm_squared();
        let found = p + along * share.clamp(0.0, 1.0);
        let away = (found - point).norm_squared();
        if away < best.1 {
            best = (found, away);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree finds the same as a search of all triangles.
    #[test]
    fn the_tree_leaves_nothing_out() -> Result<(), crate::body::MeshError> {
        let mesh = Mesh::from_stl(include_bytes!("../../../tests/data/box.stl"))?;
        let tree = Nearest::new(&mesh);
        let (min, max) = crate::body::Region::bounds(&mesh);
        for k in 0..500 {
            let share = |n: usize| -0.5 + 2.0 * ((k * n) % 101) as f64 / 101.0;
            let at = Vector3::new(share(37), share(53), share(71));
            let point = min + (max - min).component_mul(&at);
            let plain = mesh
                .triangles()
                .map(|t| (on_triangle(point, &t) - point).norm());
            let plain = plain.fold(f64::INFINITY, f64::min);
            // The root of the same least square.
            assert!((tree.distance(point) - plain).abs() <= 1e-15 * (1.0 + plain));
        }
        Ok(())
    }
}
