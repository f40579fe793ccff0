//! Links that press, each seen from the grain that came later, and the bed that they hold.

use super::contacts::Body;
use crate::body::Grain;
use crate::geometry::{Dimension, Vector};

/// A link between two bodies, with its force.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Pressed<D: Dimension> {
    /// Index of a grain.
    pub grain: usize,
    /// What it touches: of grains one that came before it.
    pub with: Body,
    /// From the grain to the other body.
    pub normal: D::Vector,
    /// Along the normal, N; positive in compression.
    pub pressure: f64,
    /// Across it, on the grain, N.
    pub shear: D::Vector,
    /// The overlap to which it was loaded, m, where it remembers that.
    pub deepest: f64,
}

/// A filling in equilibrium by overlaps and springs.
#[derive(Debug)]
pub(in crate::system) struct Placed<D: Dimension> {
    /// Grains where they lie, at rest.
    pub grains: Vec<Grain<D>>,
    /// Links that press.
    pub links: Vec<Pressed<D>>,
    /// The greatest force that a grain lacks, over the mean weight.
    pub left: f64,
    /// How far a grain is from where the filling had it at most, over its radius.
    pub moved: f64,
    /// Slides of links on the way there.
    pub slides: usize,
}

impl<D: Dimension> Placed<D> {
    /// The force across the link of a grain with another body (N, on the grain), which lies in a direction, and the overlap to which it was loaded, m.
    pub fn held(&self, grain: usize, with: Body, direction: D::Vector) -> Option<(D::Vector, f64)> {
        let (grain, with, direction, sign) = match with {
            // The one that came later knows of it.
            Body::Grain(other) if other > grain => (other, Body::Grain(grain), -direction, -1.0),
            with => (grain, with, direction, 1.0),
        };
        let link = known(&self.links, grain, with, direction)?;
        Some((across(link, direction) * sign, link.deepest))
    }
}

/// The order of bodies beside a grain.
pub(super) fn order(with: Body) -> (u8, usize) {
    match with {
        Body::Wall(wall) => (0, wall),
        Body::Grain(other) => (1, other),
    }
}

/// The link of a grain with a body beside it, if it presses: of several pieces of a wall that which lies most in the same direction.
pub(super) fn known<D: Dimension>(
    links: &[Pressed<D>],
    grain: usize,
    with: Body,
    direction: D::Vector,
) -> Option<&Pressed<D>> {
    known_at(links, grain, with, direction).map(|index| &links[index])
}

/// Its index.
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

/// The shear of a link whose normal has turned: as large, across the new one.
pub(super) fn across<D: Dimension>(link: &Pressed<D>, normal: D::Vector) -> D::Vector {
    let flat = link.shear - normal * link.shear.dot(&normal);
    let (size, left) = (link.shear.norm(), flat.norm());
    if left > 0.0 {
        flat * (size / left)
    } else {
        flat
    }
}
