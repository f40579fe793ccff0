//! Lines by which a wall is drawn.

use std::f64::consts::TAU;

use super::Shape;
use crate::geometry::{Dimension, Vector};

/// Sides of the polygon that stands for a circle.
const SIDES: usize = 64;

/// A line through points, and whether its last point is joined to its first; in the plane the
/// third coordinate is 0.
pub type OutlineLine = (Vec<[f64; 3]>, bool);

impl<D: Dimension> Shape<D> {
    /// Lines in the wall's own frame, m. An unbounded plane is clipped to the box `min` to `max`
    /// (in the same frame); a circle is a polygon of 64 sides, a sphere three of them; a revolved
    /// profile is drawn on both sides of its axis; of a mesh the lines where its plane parts meet or end.
    pub fn outline(&self, min: D::Vector, max: D::Vector) -> Vec<OutlineLine> {
        match self {
            Shape::Plane { point, normal } => clipped_plane::<D>(*point, *normal, min, max)
                .into_iter()
                .collect(),
            Shape::Polyline { points, closed } => {
                vec![(points.iter().map(row::<D>).collect(), *closed)]
            }
            Shape::Box { min, max, .. } => block::<D>(*min, *max),
            Shape::Ball { centre, radius, .. } => {
                let mut lines = vec![circle::<D>(*centre, *radius, 0, 1)];
                if D::N == 3 {
                    lines.push(circle::<D>(*centre, *radius, 0, 2));
                    lines.push(circle::<D>(*centre, *radius, 1, 2));
                }
                lines
            }
            Shape::Revolved {
                origin,
                axis,
                profile,
            } => meridians::<D>(*origin, *axis, profile),
            Shape::Vessel(vessel) => meridians::<D>(vessel.from, vessel.axis(), &vessel.profile()),
            Shape::Mesh(mesh) => {
                let line = |ends: [D::Vector; 2]| (ends.iter().map(row::<D>).collect(), false);
                mesh.lines().into_iter().map(line).collect()
            }
        }
    }
}

fn row<D: Dimension>(v: &D::Vector) -> [f64; 3] {
    [v[0], v[1], if D::N == 3 { v[2] } else { 0.0 }]
}

fn circle<D: Dimension>(centre: D::Vector, radius: f64, a: usize, b: usize) -> OutlineLine {
    let points = (0..SIDES).map(|i| {
        let (sine, cosine) = libm::sincos(TAU * i as f64 / SIDES as f64);
        let mut p = row::<D>(&centre);
        p[a] += radius * cosine;
        p[b] += radius * sine;
        p
    });
    (points.collect(), true)
}

/// The corner of a box by its bits: bit k takes the greatest coordinate k.
fn corner<D: Dimension>(min: D::Vector, max: D::Vector, bits: usize) -> [f64; 3] {
    row::<D>(&D::Vector::from_fn(|k| {
        if bits >> k & 1 == 1 { max[k] } else { min[k] }
    }))
}

fn block<D: Dimension>(min: D::Vector, max: D::Vector) -> Vec<OutlineLine> {
    let at = |bits| corner::<D>(min, max, bits);
    let mut lines = vec![(vec![at(0), at(1), at(3), at(2)], true)];
    if D::N == 3 {
        lines.push((vec![at(4), at(5), at(7), at(6)], true));
        for bits in [0, 1, 3, 2] {
            lines.push((vec![at(bits), at(bits | 4)], false));
        }
    }
    lines
}

/// The part of a plane inside a box: a segment or a convex polygon; none when it misses the box.
fn clipped_plane<D: Dimension>(
    point: D::Vector,
    normal: D::Vector,
    min: D::Vector,
    max: D::Vector,
) -> Option<OutlineLine> {
    let height = |bits: usize| {
        (0..D::N)
            .map(|k| {
                let c = if bits >> k & 1 == 1 { max[k] } else { min[k] };
                normal[k] * (c - point[k])
            })
            .sum::<f64>()
    };
    let mut cuts: Vec<[f64; 3]> = Vec::new();
    for bits in 0..1_usize << D::N {
        for k in (0..D::N).filter(|k| bits >> k & 1 == 0) {
            let (a, b) = (height(bits), height(bits | 1 << k));
            if (a <= 0.0) != (b <= 0.0) {
                let share = a / (a - b);
                let mut p = corner::<D>(min, max, bits);
                p[k] += share * (max[k] - min[k]);
                cuts.push(p);
            }
        }
    }
    if D::N == 2 {
        return (cuts.len() == 2).then_some((cuts, false));
    }
    if cuts.len() < 3 {
        return None;
    }
    // Around the middle in order of angle: the section of a box is convex.
    let middle = [0, 1, 2].map(|k| cuts.iter().map(|p| p[k]).sum::<f64>() / cuts.len() as f64);
    let (n, u) = (row::<D>(&normal), [0, 1, 2].map(|k| cuts[0][k] - middle[k]));
    let w = cross(n, u);
    let length = |v: [f64; 3]| dot(v, v).sqrt();
    let angle = |p: &[f64; 3]| {
        let arm = [0, 1, 2].map(|k| p[k] - middle[k]);
        libm::atan2(dot(arm, w) / length(w), dot(arm, u) / length(u))
    };
    cuts.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    Some((cuts, true))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The profile on both sides of its axis, in the plane of the axis and x (or the next coordinate
/// when the axis lies along x).
fn meridians<D: Dimension>(
    origin: D::Vector,
    axis: D::Vector,
    profile: &[[f64; 2]],
) -> Vec<OutlineLine> {
    let along = axis * (1.0 / axis.norm());
    let k = usize::from(along[0].abs() > 0.9);
    let across = D::Vector::from_fn(|i| f64::from(u8::from(i == k))) - along * along[k];
    let across = across * (1.0 / across.norm());
    [1.0, -1.0]
        .map(|side| {
            let points = profile.iter().map(|&[distance, height]| {
                row::<D>(&(origin + across * (side * distance) + along * height))
            });
            (points.collect(), false)
        })
        .to_vec()
}
