//! The parts of a mesh of triangles that a grain can touch: plane facets, straight ridges, tips.
//!
//! A facet owns the region straight before or behind one of its triangles; a ridge the region beside its length and
//! beyond all triangles that meet in it; a tip the region beyond the ends of all edges that meet in it. Each boundary
//! between two of them is tested by the same numbers on both sides, so that rounding leaves no point without an owner
//! or with two. Only on the concave side of a ridge do the zones of two facets overlap: there a grain has two
//! contacts, or one where they meet so nearly straight that both contacts would form and break at once.

use nalgebra::Vector3;

use crate::geometry::surface::{BoxTree, Probe, Simple};
use crate::geometry::{Spatial, Vector};

type V3 = Vector3<f64>;

/// Up to this many triangles of a facet are searched one by one.
const FEW: usize = 6;

/// The side of a triangle, in the plane of its facet: the points on the triangle's side of it have `inward . x >=
/// from`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Border {
    /// Unit vector in the plane, across the side, into the triangle.
    pub inward: V3,
    /// Coordinate of the side along it, m, less a margin that closes gaps of rounding.
    pub from: f64,
}

impl Border {
    #[inline]
    fn holds(&self, x: V3) -> bool {
        Vector::dot(&self.inward, &x) >= self.from
    }
}

/// A triangle of a facet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Corners, in the facet's plane.
    pub corners: [V3; 3],
    /// Sides.
    pub borders: [Border; 3],
}

impl Cell {
    #[inline]
    fn faces(&self, x: V3) -> bool {
        self.borders.iter().all(|border| border.holds(x))
    }
    fn bounds(&self, room: f64) -> [V3; 2] {
        let [a, b, c] = &self.corners;
        let room = V3::repeat(room);
        [a.inf(b).inf(c) - room, a.sup(b).sup(c) + room]
    }
    /// Returns the distance of a point, given its height over the plane, m.
    fn distance(&self, x: V3, height: f64) -> f64 {
        if self.faces(x) {
            return height.abs();
        }
        let [a, b, c] = self.corners;
        let beside = |p: V3, q: V3| {
            let along = q - p;
            let share = (Vector::dot(&(x - p), &along) / along.norm_squared()).clamp(0.0, 1.0);
            Vector::norm(&(x - (p + along * share)))
        };
        beside(a, b).min(beside(b, c)).min(beside(c, a))
    }
}

/// Connected coplanar triangles, thin and two-sided.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet {
    normal: V3,
    offset: f64,
    cells: Vec<Cell>,
    tree: Option<BoxTree<V3>>,
    bounds: [V3; 2],
    /// Greatest margin of its zone beyond its triangles, m.
    room: f64,
    beside: Box<[u32]>,
}

impl Facet {
    /// Returns the facet in the plane normal . x = offset; `room` bounds the margin of borders beyond their sides, m.
    pub fn new(normal: V3, offset: f64, cells: Vec<Cell>, room: f64) -> Self {
        let boxes = || cells.iter().map(|cell| cell.bounds(room));
        let tree = (cells.len() > FEW).then(|| BoxTree::new(boxes()));
        let first = [V3::repeat(f64::INFINITY), V3::repeat(f64::NEG_INFINITY)];
        let bounds = boxes().fold(first, |[a, b], [c, d]| [a.inf(&c), b.sup(&d)]);
        Facet {
            normal,
            offset,
            cells,
            tree,
            bounds,
            room,
            beside: Box::default(),
        }
    }
    /// Sets the facets that continue this one nearly straight.
    pub fn set_beside(&mut self, beside: Vec<u32>) {
        self.beside = beside.into();
    }
    /// Whether a point lies straight before or behind it.
    pub fn covers(&self, x: V3) -> bool {
        self.faces(x, self.height(x))
    }
    /// Returns its plane, as seen from a point.
    #[inline]
    pub fn simple(&self, x: V3) -> Simple<Spatial> {
        let side = if self.height(x) >= 0.0 { 1.0 } else { -1.0 };
        Simple::Plane {
            normal: self.normal * side,
            offset: self.offset * side,
        }
    }
    /// Returns the facets that continue this one nearly straight.
    pub fn beside(&self) -> &[u32] {
        &self.beside
    }
    #[inline]
    fn height(&self, x: V3) -> f64 {
        Vector::dot(&self.normal, &x) - self.offset
    }
    fn faces(&self, x: V3, height: f64) -> bool {
        let Some(tree) = &self.tree else {
            return self.cells.iter().any(|cell| cell.faces(x));
        };
        let mut found = false;
        tree.near(x - self.normal * height, self.room, |k| {
            found = found || self.cells[k as usize].faces(x);
        });
        found
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: V3) -> Option<Probe<Spatial>> {
        let height = self.height(x);
        self.faces(x, height).then(|| {
            if height >= 0.0 {
                Probe {
                    distance: height,
                    normal: self.normal,
                }
            } else {
                Probe {
                    distance: -height,
                    normal: -self.normal,
                }
            }
        })
    }
    /// Returns the distance of `x`, m.
    pub fn distance(&self, x: V3) -> f64 {
        let height = self.height(x);
        match &self.tree {
            None => {
                let all = self.cells.iter().map(|cell| cell.distance(x, height));
                all.fold(f64::INFINITY, f64::min)
            }
            Some(tree) => tree.least(x, |k| self.cells[k as usize].distance(x, height)),
        }
    }
    /// Returns a lower bound of the displacement from a point at this distance to the zone, m; the margin beyond the
    /// triangles is subtracted.
    pub fn way_to_zone(&self, x: V3, distance: f64) -> f64 {
        let height = self.height(x);
        let square = (distance - height) * (distance + height);
        (square.max(0.0).sqrt() - self.room).max(0.0)
    }
    /// Returns one of its corners.
    pub fn point(&self) -> V3 {
        self.cells[0].corners[0]
    }
    /// Returns its bounding box.
    pub fn bounds(&self) -> [V3; 2] {
        self.bounds
    }
}

/// A part of a straight ridge along which the same triangles meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Coordinate of its end along the ridge, m.
    pub until: f64,
    /// Sides of the triangles that meet in it.
    pub borders: Box<[Border]>,
}

/// A straight line in which facets meet or end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    start: V3,
    end: V3,
    along: V3,
    low: f64,
    high: f64,
    stretches: Box<[Stretch]>,
}

impl Ridge {
    /// Returns the ridge between two points; `borders` has the far end of each stretch from the start on, and its
    /// sides.
    pub fn new(start: V3, end: V3, borders: Vec<(V3, Vec<Border>)>) -> Self {
        let chord = end - start;
        let along = chord * (1.0 / Vector::norm(&chord));
        let (low, high) = (Vector::dot(&along, &start), Vector::dot(&along, &end));
        let stretch = |(far, borders): (V3, Vec<Border>)| Stretch {
            until: Vector::dot(&along, &far),
            borders: borders.into(),
        };
        Ridge {
            start,
            end,
            along,
            low,
            high,
            stretches: borders.into_iter().map(stretch).collect(),
        }
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: V3) -> Option<Probe<Spatial>> {
        let t = Vector::dot(&self.along, &x);
        if !(self.low <= t && t < self.high) {
            return None;
        }
        let index = self.stretches.partition_point(|stretch| stretch.until <= t);
        let stretch = &self.stretches[index.min(self.stretches.len() - 1)];
        if stretch.borders.iter().any(|border| border.holds(x)) {
            return None;
        }
        Some(to_point(x, self.start + self.along * (t - self.low)))
    }
    /// Returns the distance of `x`, m.
    pub fn distance(&self, x: V3) -> f64 {
        let t = Vector::dot(&self.along, &x).clamp(self.low, self.high);
        Vector::norm(&(x - (self.start + self.along * (t - self.low))))
    }
    /// Returns a lower bound of the displacement from a point to the zone, m.
    pub fn way_to_zone(&self, x: V3) -> f64 {
        let t = Vector::dot(&self.along, &x);
        let beyond = (self.low - t).max(t - self.high).max(0.0);
        let [stretch] = &self.stretches[..] else {
            return beyond;
        };
        let inside = |border: &Border| Vector::dot(&border.inward, &x) - border.from;
        stretch.borders.iter().map(inside).fold(beyond, f64::max)
    }
    /// Returns its ends.
    pub fn ends(&self) -> [V3; 2] {
        [self.start, self.end]
    }
    /// Returns the limit of its zone at its start or at its end.
    pub fn limit(&self, at_end: bool) -> Limit {
        Limit {
            along: self.along,
            at: if at_end { self.high } else { self.low },
            at_end,
        }
    }
    /// Returns its bounding box.
    pub fn bounds(&self) -> [V3; 2] {
        [self.start.inf(&self.end), self.start.sup(&self.end)]
    }
}

/// The limit of the zone of an edge at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    along: V3,
    at: f64,
    at_end: bool,
}

impl Limit {
    /// Returns the limit of an edge that only divides triangles, at its start or at its end.
    pub fn of(start: V3, end: V3, at_end: bool) -> Self {
        let chord = end - start;
        let along = chord * (1.0 / Vector::norm(&chord));
        Limit {
            along,
            at: Vector::dot(&along, if at_end { &end } else { &start }),
            at_end,
        }
    }
    /// Whether a point lies beyond it.
    #[inline]
    fn passed(&self, x: V3) -> bool {
        (Vector::dot(&self.along, &x) < self.at) != self.at_end
    }
}

/// A point in which ridges meet or end.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    point: V3,
    limits: Box<[Limit]>,
}

impl Tip {
    /// Returns the tip at a point where edges end.
    pub fn new(point: V3, limits: Vec<Limit>) -> Self {
        Tip {
            point,
            limits: limits.into(),
        }
    }
    /// Returns the contact with a grain at `x`.
    #[inline]
    pub fn probe(&self, x: V3) -> Option<Probe<Spatial>> {
        let beyond = self.limits.iter().all(|limit| limit.passed(x));
        beyond.then(|| to_point(x, self.point))
    }
    /// Returns the distance of `x`, m.
    pub fn distance(&self, x: V3) -> f64 {
        Vector::norm(&(x - self.point))
    }
    /// Returns a lower bound of the displacement from a point to the zone, m.
    pub fn way_to_zone(&self, x: V3) -> f64 {
        let short = |limit: &Limit| {
            let beyond = Vector::dot(&limit.along, &x) - limit.at;
            if limit.at_end { -beyond } else { beyond }
        };
        self.limits.iter().map(short).fold(0.0, f64::max)
    }
    /// Returns its position.
    pub fn point(&self) -> V3 {
        self.point
    }
}

fn to_point(x: V3, point: V3) -> Probe<Spatial> {
    let arm = x - point;
    let distance = Vector::norm(&arm);
    Probe {
        distance,
        normal: if distance > 0.0 {
            arm * (1.0 / distance)
        } else {
            V3::z()
        },
    }
}
