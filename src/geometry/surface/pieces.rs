//! The primitive surfaces of one boundary; where they are many, with a tree to find those near a point.

use std::ops::Deref;

use super::{BoxTree, Probe, Surface};
use crate::geometry::Dimension;

/// The primitive surfaces of a boundary, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces<D: Dimension> {
    list: Vec<D::Surface>,
    tree: Option<BoxTree<D::Vector>>,
}

impl<D: Dimension> Deref for Pieces<D> {
    type Target = [D::Surface];
    fn deref(&self) -> &[D::Surface] {
        &self.list
    }
}

impl<D: Dimension> IntoIterator for Pieces<D> {
    type Item = D::Surface;
    type IntoIter = std::vec::IntoIter<D::Surface>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<D: Dimension> Pieces<D> {
    /// Of surfaces; a tree is made where all of them are pieces of a mesh or of a rough wall.
    pub fn new(list: Vec<D::Surface>) -> Self {
        let boxes: Option<Vec<_>> = list.iter().map(Surface::bounds).collect();
        let boxes = boxes.filter(|boxes| !boxes.is_empty());
        Pieces {
            tree: boxes.map(|boxes| BoxTree::new(boxes.into_iter())),
            list,
        }
    }

    /// Whether they are so many that candidates of all of them share a list.
    pub fn are_many(&self) -> bool {
        self.tree.is_some()
    }

    /// Calls back with the number of each surface that may be no further than `reach` from a point; with all
    /// where they are few.
    pub fn near(&self, x: D::Vector, reach: f64, mut f: impl FnMut(usize)) {
        match &self.tree {
            None => (0..self.list.len()).for_each(f),
            Some(tree) => tree.near(x, reach, |k| f(k as usize)),
        }
    }

    /// The contact of a surface with a grain at `x`, as [`Surface::probe`]; none also where a surface beside it that
    /// goes on nearly straight is nearer.
    #[inline]
    pub fn probe(&self, surface: usize, x: D::Vector) -> Option<Probe<D>> {
        let probe = self.list[surface].probe(x)?;
        let nearer = |&other: &u32| {
            let found = self.list[other as usize].probe(x);
            found.is_some_and(|p| (p.distance, other as usize) < (probe.distance, surface))
        };
        let beside = self.list[surface].beside();
        (!beside.iter().any(nearer)).then_some(probe)
    }

    /// The least of the bounds of the distances of all surfaces from a point, m.
    pub fn distance(&self, x: D::Vector) -> f64 {
        let bound = |surface: &D::Surface| surface.distance_bound(x);
        match &self.tree {
            None => self.list.iter().map(bound).fold(f64::INFINITY, f64::min),
            Some(tree) => tree.least(x, |k| bound(&self.list[k as usize])),
        }
    }
}
