//! A tree of boxes around many small objects, to find those near a point, and the distance of the nearest.

use crate::geometry::Vector;

/// Greatest number of items in a box that is not split.
const LEAF: usize = 4;

/// Boxes of numbered objects, split repeatedly along their longest side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxTree<V: Vector> {
    nodes: Vec<Node<V>>,
    /// Numbers, those of a leaf contiguous, and their boxes.
    items: Vec<(u32, [V; 2])>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node<V> {
    bounds: [V; 2],
    /// For a leaf the index of its first item; else the second child, the first child being the next node.
    first: u32,
    /// Number of items; 0 for a split node.
    count: u32,
}

fn joined<V: Vector>([a, b]: [V; 2], [c, d]: [V; 2]) -> [V; 2] {
    [
        V::from_fn(|k| a[k].min(c[k])),
        V::from_fn(|k| b[k].max(d[k])),
    ]
}

/// Returns the square of the distance of a point from a box, m^2.
#[inline]
fn square<V: Vector>(x: V, [low, high]: &[V; 2]) -> f64 {
    let mut sum = 0.0;
    for k in 0..V::LEN {
        let beyond = (low[k] - x[k]).max(x[k] - high[k]).max(0.0);
        sum += beyond * beyond;
    }
    sum
}

impl<V: Vector> BoxTree<V> {
    /// Builds the tree from boxes (least and greatest corner), numbered in order.
    pub fn new(boxes: impl Iterator<Item = [V; 2]>) -> Self {
        let mut tree = BoxTree {
            nodes: Vec::new(),
            items: boxes.enumerate().map(|(k, b)| (k as u32, b)).collect(),
        };
        if !tree.items.is_empty() {
            tree.halve(0, tree.items.len());
        }
        tree
    }

    fn halve(&mut self, from: usize, to: usize) {
        let items = &mut self.items[from..to];
        let bounds = items[1..].iter().fold(items[0].1, |b, i| joined(b, i.1));
        let index = self.nodes.len();
        let is_leaf = items.len() <= LEAF;
        self.nodes.push(Node {
            bounds,
            first: from as u32,
            count: if is_leaf { items.len() as u32 } else { 0 },
        });
        if is_leaf {
            return;
        }
        let width = |k: usize| bounds[1][k] - bounds[0][k];
        let longest = (1..V::LEN).fold(0, |best, k| if width(k) > width(best) { k } else { best });
        let middle = items.len() / 2;
        // By number at equal positions, so that the tree is always the same.
        items.select_nth_unstable_by(middle, |a, b| {
            let place = |[low, high]: &[V; 2]| low[longest] + high[longest];
            place(&a.1).total_cmp(&place(&b.1)).then(a.0.cmp(&b.0))
        });
        self.halve(from, from + middle);
        self.nodes[index].first = self.nodes.len() as u32;
        self.halve(from + middle, to);
    }

    /// Calls `f` with each object whose box is within `reach` of a point.
    pub fn near(&self, x: V, reach: f64, mut f: impl FnMut(u32)) {
        if !self.nodes.is_empty() && reach >= 0.0 {
            self.near_of(0, x, reach * reach, &mut f);
        }
    }

    fn near_of(&self, node: usize, x: V, reach: f64, f: &mut impl FnMut(u32)) {
        let at = &self.nodes[node];
        if square(x, &at.bounds) > reach {
            return;
        }
        if at.count == 0 {
            self.near_of(node + 1, x, reach, f);
            self.near_of(at.first as usize, x, reach, f);
            return;
        }
        let first = at.first as usize;
        for (number, bounds) in &self.items[first..first + at.count as usize] {
            if square(x, bounds) <= reach {
                f(*number);
            }
        }
    }

    /// Returns the least distance from a point that `distance` gives for the objects in the boxes, m; infinity if
    /// there are none.
    pub fn least(&self, x: V, distance: impl Fn(u32) -> f64) -> f64 {
        let mut best = f64::INFINITY;
        if !self.nodes.is_empty() {
            self.least_of(0, x, &distance, &mut best);
        }
        best
    }

    fn least_of(&self, node: usize, x: V, distance: &impl Fn(u32) -> f64, best: &mut f64) {
        let at = &self.nodes[node];
        if at.count == 0 {
            let children = [node + 1, at.first as usize];
            let far = children.map(|child| square(x, &self.nodes[child].bounds));
            for k in if far[0] <= far[1] { [0, 1] } else { [1, 0] } {
                if far[k] <= *best * *best {
                    self.least_of(children[k], x, distance, best);
                }
            }
            return;
        }
        let first = at.first as usize;
        for (number, bounds) in &self.items[first..first + at.count as usize] {
            if square(x, bounds) <= *best * *best {
                *best = best.min(distance(*number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn finds_what_a_search_through_all_finds() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let mut any = || Vector3::from_fn(|_, _| rng.random::<f64>());
        let boxes: Vec<_> = (0..300)
            .map(|k| {
                let low = any();
                [low, low + any() * if k % 7 == 0 { 0.5 } else { 0.02 }]
            })
            .collect();
        let tree = BoxTree::new(boxes.iter().copied());
        let empty = BoxTree::<Vector3<f64>>::new(std::iter::empty());
        for k in 0..200 {
            let x = any() * 1.4;
            let reach = 0.001 * f64::from(k);
            let far = |b: &[Vector3<f64>; 2]| square(x, b).sqrt();
            let all = 0..boxes.len() as u32;
            let expected: Vec<u32> = all.filter(|&k| far(&boxes[k as usize]) <= reach).collect();
            let mut found = Vec::new();
            tree.near(x, reach, |k| found.push(k));
            found.sort_unstable();
            assert_eq!(found, expected);
            let least = boxes.iter().map(far).fold(f64::INFINITY, f64::min);
            assert_eq!(tree.least(x, |k| far(&boxes[k as usize])), least);
            empty.near(x, reach, |_| panic!("nothing is there"));
        }
    }
}
