//! Links that press, each seen from the grain that came later, and the bed that they hold.

use super::contacts::Body;
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// A link between two bodies, with its force.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Pressed<D: Dimension> {
    /// Index of a grain.
    pub grain: usize,
    /// Body that it touches: of grains one that came before it.
    pub with: Body,
    /// Direction from the grain to the other body.
    pub normal: D::Vector,
    /// Force along the normal, N; positive in compression.
    pub pressure: f64,
    /// Force across the normal, on the grain, N.
    pub shear: D::Vector,
    /// Greatest overlap so far, m, where the law depends on it.
    pub deepest: f64,
}

/// A filling in equilibrium by overlaps and springs.
#[derive(Debug)]
pub(in crate::system) struct Placed<D: Dimension> {
    /// Grains at their places, at rest.
    pub grains: Vec<Grain<D>>,
    /// Links that press.
    pub links: Vec<Pressed<D>>,
    /// Greatest residual of a grain, over the mean weight.
    pub left: f64,
    /// Greatest distance of a grain from where the filling had it, over its radius.
    pub moved: f64,
    /// Number of slides of links in the search.
    pub slides: usize,
}

impl<D: Dimension> Placed<D> {
    /// Returns the force across the link of a grain with another body in a direction (N, on the grain), and the greatest overlap of the link
    /// so far, m.
    pub fn held(&self, grain: usize, with: Body, direction: D::Vector) -> Option<(D::Vector, f64)> {
        let (grain, with, direction, sign) = match with {
            // The link belongs to the grain that came later.
            Body::Grain(other) if other > grain => (other, Body::Grain(grain), -direction, -1.0),
            with => (grain, with, direction, 1.0),
        };
        let link = known(&self.links, grain, with, direction)?;
        Some((across(link, direction) * sign, link.deepest))
    }
}

/// Returns the sort key of a body beside a grain.
pub(super) fn order(with: Body) -> (u8, usize) {
    match with {
        Body::Wall(wall) => (0, wall),
        Body::Grain(other) => (1, other),
    }
}

/// Returns the link of a grain with a body beside it, if it presses: of several pieces of a wall the one nearest to the direction.
pub(super) fn known<D: Dimension>(
    links: &[Pressed<D>],
    grain: usize,
    with: Body,
    direction: D::Vector,
) -> Option<&Pressed<D>> {
    known_at(links, grain, with, direction).map(|index| &links[index])
}

/// Returns the index of that link.
pub(super) fn known_at<D: Dimension>(
    links: &[Pressed<D>],
    grain: usize,
    with: Body,
    direction: D::Vector,
) -> Option<usize> {
    let key = |link: &Pressed<D>| (link.grain, order(link.with));
    let sought = (grain, order(with));
    let first = links.partition_point(|link| key(link) < sought);
    let same = (first..links.len()).take_while(|&index| key(&links[index]) == sought);
    let along = |index: &usize| links[*index].normal.dot(&direction);
    let nearest = same.max_by(|a, b| along(a).total_cmp(&along(b)))?;
    (along(&nearest) > 0.9).then_some(nearest)
}

/// Returns the shear of a link whose normal has turned: as large, across the new one.
pub(super) fn across<D: Dimension>(link: &Pressed<D>, normal: D::Vector) -> D::Vector {
    let flat = link.shear - normal * link.shear.dot(&normal);
    let (size, left) = (link.shear.norm(), flat.norm());
    if left > 0.0 {
        flat * (size / left)
    } else {
        flat
    }
}
