//! The primitive surfaces of one boundary, with a search tree if there are many.

use std::ops::Deref;

use super::{BoxTree, Probe, Surface};
use crate::geometry::{Dimension, Vector};

/// The primitive surfaces of a boundary, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces<D: Dimension> {
    list: Vec<D::Surface>,
    search: Search<D::Vector>,
}

/// How the surfaces near a point are found.
#[derive(Clone, Debug, PartialEq)]
enum Search<V: Vector> {
    /// All or none, by a ball around all of them, if there is one: its centre and its radius, m.
    Few(Option<(V, f64)>),
    Many(BoxTree<V>),
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

/// Returns a ball around balls: its centre and its radius, m, with a margin for rounding; none if one of them is
/// infinite.
fn ball_around_all<V: Vector>(
    balls: impl Iterator<Item = Option<(V, f64)>> + Clone,
) -> Option<(V, f64)> {
    let count = balls.clone().count().max(1) as f64;
    let mut middle = V::default();
    for ball in balls.clone() {
        middle += ball?.0 * (1.0 / count);
    }
    let reach = |(centre, radius): (V, f64)| (centre - middle).norm() + radius;
    let radius = balls.flatten().map(reach).fold(0.0, f64::max);
    Some((middle, radius * (1.0 + 1e-9)))
}

impl<D: Dimension> Pieces<D> {
    /// Collects surfaces; makes a tree if all of them are pieces of a mesh or of a rough wall.
    pub fn new(list: Vec<D::Surface>) -> Self {
        let boxes: Option<Vec<_>> = list.iter().map(Surface::bounds).collect();
        let boxes = boxes.filter(|boxes| !boxes.is_empty());
        let search = match boxes {
            Some(boxes) => Search::Many(BoxTree::new(boxes.into_iter())),
            None => Search::Few(ball_around_all(list.iter().map(Surface::around))),
        };
        Pieces { list, search }
    }

    /// Whether there are so many that candidates of all of them share a list.
    pub fn are_many(&self) -> bool {
        matches!(self.search, Search::Many(_))
    }

    /// Calls `f` with the number of each surface that may be within `reach` of a point; if there are few, with all or
    /// none.
    #[inline]
    pub fn near(&self, x: D::Vector, reach: f64, mut f: impl FnMut(usize)) {
        match &self.search {
            Search::Few(around) => {
                let far = |(middle, radius): (D::Vector, f64)| {
                    let most = radius + reach;
                    most >= 0.0 && (x - middle).norm_squared() > most * most
                };
                if !around.is_some_and(far) {
                    (0..self.list.len()).for_each(f);
                }
            }
            Search::Many(tree) => tree.near(x, reach, |k| f(k as usize)),
        }
    }

    /// Returns the contact of a surface with a grain at `x`, as [`Surface::probe`]; none also if a surface that
    /// continues it nearly straight is nearer.
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

    /// Returns the least bound of the distances of all surfaces from a point, m.
    pub fn distance(&self, x: D::Vector) -> f64 {
        let bound = |surface: &D::Surface| surface.distance_bound(x);
        match &self.search {
            Search::Few(_) => self.list.iter().map(bound).fold(f64::INFINITY, f64::min),
            Search::Many(tree) => tree.least(x, |k| bound(&self.list[k as usize])),
        }
    }
}
