//! Walls as obstacles for straight lines.

use crate::geometry::{Dimension, Vector};

/// Number of height intervals for the look-up of triangles.
const STRETCHES: usize = 256;

/// A wall in its own frame.
#[derive(Debug)]
pub enum Barrier<D: Dimension> {
    /// The half-space behind a plane: the normal.
    Plane(D::Vector),
    /// A wall all around its inside.
    Around,
    /// A box touched from outside.
    Block(D::Vector, D::Vector),
    /// A circle or sphere touched from outside.
    Ball(D::Vector, f64),
    /// Segments in the plane.
    Segments(Vec<[D::Vector; 2]>),
    /// A surface of revolution: origin, unit axis, corners of the profile.
    Revolved(D::Vector, D::Vector, Vec<[f64; 2]>),
    /// Triangles in space.
    Triangles(Stretches<D>),
    /// A wall that no line is tested for.
    None,
}

/// Triangles sorted by height along gravity.
#[derive(Debug)]
pub struct Stretches<D: Dimension> {
    triangles: Vec<[D::Vector; 3]>,
    up: Option<D::Vector>,
    low: f64,
    height: f64,
    /// Triangles that reach into each interval; all of them in one where there is no gravity.
    lists: Vec<Vec<u32>>,
}

impl<D: Dimension> Barrier<D> {
    /// Whether a surface of revolution is met in every direction away from its axis; none for other walls.
    pub fn is_within(&self, x: D::Vector) -> Option<bool> {
        let Barrier::Revolved(origin, axis, profile) = self else {
            return None;
        };
        let arm = x - *origin;
        let height = arm.dot(axis);
        let distance = (arm - *axis * height).norm();
        Some(profile.windows(2).any(|pair| {
            let ([r, h], [s, k]) = (pair[0], pair[1]);
            if (h <= height) == (k <= height) {
                return false;
            }
            r + (s - r) * (height - h) / (k - h) >= distance
        }))
    }

    /// Whether a line from a point along a direction meets it.
    pub fn is_met(&self, x: D::Vector, way: D::Vector) -> bool {
        match self {
            Barrier::Plane(normal) => way.dot(normal) < -1e-9 * way.norm() * normal.norm(),
            Barrier::Around => true,
            Barrier::Block(min, max) => {
                let (mut from, mut to) = (0.0f64, f64::INFINITY);
                for k in 0..D::N {
                    let ends = [min[k] - x[k], max[k] - x[k]];
                    if way[k] == 0.0 {
                        if ends[0] > 0.0 || ends[1] < 0.0 {
                            return false;
                        }
                        continue;
                    }
                    let [a, b] = ends.map(|end| end / way[k]);
                    (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
                }
                from <= to
            }
            Barrier::Ball(centre, radius) => {
                let arm = *centre - x;
                let along = arm.dot(&way) / way.norm();
                along > 0.0 && arm.norm_squared() - along * along <= radius * radius
            }
            Barrier::Segments(list) => list.iter().any(|[a, b]| {
                let cross = |p: D::Vector, q: D::Vector| p[0] * q[1] - p[1] * q[0];
                let (p, q) = (*a - x, *b - x);
                let (sp, sq) = (cross(way, p), cross(way, q));
                // From one side of the line to the other, and ahead of the point, not behind it.
                (sp <= 0.0) != (sq <= 0.0) && {
                    let share = sp / (sp - sq);
                    (p + (q - p) * share).dot(&way) > 0.0
                }
            }),
            Barrier::Revolved(..) => self.is_within(x) == Some(true),
            Barrier::Triangles(stretches) => stretches.are_met(x, way),
            Barrier::None => false,
        }
    }
}

impl<D: Dimension> Stretches<D> {
    pub(super) fn new(triangles: Vec<[D::Vector; 3]>, up: Option<D::Vector>) -> Self {
        let mut made = Stretches {
            triangles,
            up,
            low: 0.0,
            height: 0.0,
            lists: Vec::new(),
        };
        let ends = |triangle: &[D::Vector; 3], up: &D::Vector| {
            let heights = triangle.map(|x| x.dot(up));
            let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
            (
                low,
                heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let Some(up) = up else {
            made.lists = vec![(0..made.triangles.len() as u32).collect()];
            return made;
        };
        let spans: Vec<(f64, f64)> = made.triangles.iter().map(|t| ends(t, &up)).collect();
        let low = spans
            .iter()
            .map(|span| span.0)
            .fold(f64::INFINITY, f64::min);
        let high = spans.iter().map(|span| span.1);
        let high = high.fold(f64::NEG_INFINITY, f64::max);
        (made.low, made.height) = (low, high - low);
        made.lists = vec![Vec::new(); STRETCHES];
        for (k, (from, to)) in spans.iter().enumerate() {
            for stretch in made.stretch(*from)..=made.stretch(*to) {
                made.lists[stretch].push(k as u32);
            }
        }
        made
    }

    fn stretch(&self, height: f64) -> usize {
        // The cast maps negative values to 0.
        let at = (height - self.low) / self.height * STRETCHES as f64;
        (at as usize).min(STRETCHES - 1)
    }

    fn are_met(&self, x: D::Vector, way: D::Vector) -> bool {
        let list = match &self.up {
            Some(up) => {
                let height = x.dot(up);
                if height < self.low || height > self.low + self.height {
                    return false;
                }
                &self.lists[self.stretch(height)]
            }
            None => &self.lists[0],
        };
        list.iter()
            .any(|&k| meets::<D>(&self.triangles[k as usize], x, way))
    }
}

/// Whether a line from a point along a direction meets a triangle (Moeller and Trumbore 1997).
fn meets<D: Dimension>([a, b, c]: &[D::Vector; 3], x: D::Vector, way: D::Vector) -> bool {
    let cross = |p: D::Vector, q: D::Vector| {
        D::Vector::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            p[i] * q[j] - p[j] * q[i]
        })
    };
    let (along, beside) = (*b - *a, *c - *a);
    let p = cross(way, beside);
    let det = along.dot(&p);
    if det == 0.0 {
        return false;
    }
    let arm = x - *a;
    let u = arm.dot(&p) / det;
    let q = cross(arm, along);
    let v = way.dot(&q) / det;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && beside.dot(&q) / det > 0.0
}
