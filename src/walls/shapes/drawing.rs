//! Lines that represent walls in pictures.

use crate::geometry::{cross, dot};
use std::f64::consts::TAU;

/// Corners of a drawn circle: smooth at the size of a picture.
pub(super) const CORNERS: usize = 72;
/// Number of meridians of a drawn surface of revolution.
pub const MERIDIANS: usize = 12;

/// Corners of a line, and whether the last is joined to the first.
pub type Line = (Vec<[f64; 3]>, bool);

pub fn add(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + share * b[k])
}

/// The vector with length 1; one that has no direction stays as it is.
fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    if length > 0.0 {
        a.map(|x| x / length)
    } else {
        a
    }
}

/// Returns two unit vectors perpendicular to a unit vector.
pub(super) fn across(axis: [f64; 3]) -> [[f64; 3]; 2] {
    // The coordinate axis with the least component gives the most accurate cross product.
    let least = (0..3)
        .min_by(|&a, &b| axis[a].abs().total_cmp(&axis[b].abs()))
        .unwrap_or(0);
    let mut other = [0.0; 3];
    other[least] = 1.0;
    let u = unit(cross(axis, other));
    [u, cross(axis, u)]
}

/// Draws a plane as a line or a square about its point nearest to the middle of the view.
pub(super) fn plane(
    point: [f64; 3],
    normal: [f64; 3],
    middle: [f64; 3],
    reach: f64,
    n: usize,
) -> Vec<Line> {
    let normal = unit(normal);
    let height = dot(add(middle, point, -1.0), normal);
    let centre = add(middle, normal, -height);
    let half = 0.5 * reach;
    if n == 2 {
        let along = [-normal[1], normal[0], 0.0];
        return vec![(
            vec![add(centre, along, -half), add(centre, along, half)],
            false,
        )];
    }
    let [u, v] = across(normal);
    let corner = |a: f64, b: f64| add(add(centre, u, a * half), v, b * half);
    let square = vec![
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    vec![(square, true)]
}

pub(super) fn edges(min: [f64; 3], max: [f64; 3], n: usize) -> Vec<Line> {
    let face = |z: f64| {
        let corners = [
            [min[0], min[1]],
            [max[0], min[1]],
            [max[0], max[1]],
            [min[0], max[1]],
        ];
        corners.map(|[x, y]| [x, y, z]).to_vec()
    };
    if n == 2 {
        return vec![(face(0.0), true)];
    }
    let (low, high) = (face(min[2]), face(max[2]));
    let posts = low
        .iter()
        .zip(&high)
        .map(|(&a, &b)| (vec![a, b], false))
        .collect::<Vec<_>>();
    let mut lines = vec![(low, true), (high, true)];
    lines.extend(posts);
    lines
}

/// Returns a circle or an ellipse from two half axes.
pub(super) fn ring(centre: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Vec<[f64; 3]> {
    ring_of(CORNERS, centre, u, v)
}

pub(super) fn ring_of(corners: usize, centre: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Vec<[f64; 3]> {
    let corner = |k: usize| {
        let (sin, cos) = libm::sincos(TAU * k as f64 / corners as f64);
        add(add(centre, u, cos), v, sin)
    };
    (0..corners).map(corner).collect()
}

/// Draws rings at the corners of the profile, and meridians.
pub(super) fn revolved(origin: [f64; 3], axis: [f64; 3], profile: &[[f64; 2]]) -> Vec<Line> {
    let axis = unit(axis);
    let [u, v] = across(axis);
    let mut lines = Vec::new();
    for &[radius, height] in profile.iter().filter(|corner| corner[0] > 0.0) {
        let scaled = |w: [f64; 3]| w.map(|x| x * radius);
        lines.push((ring(add(origin, axis, height), scaled(u), scaled(v)), true));
    }
    for k in 0..MERIDIANS {
        let (sin, cos) = libm::sincos(TAU * k as f64 / MERIDIANS as f64);
        let out = add(u.map(|x| x * cos), v, sin);
        let corner = |&[radius, height]: &[f64; 2]| add(add(origin, axis, height), out, radius);
        lines.push((profile.iter().map(corner).collect(), false));
    }
    lines
}

/// Draws circles along a ring-shaped tube, outside, inside, above and below, and around it.
pub(super) fn torus(centre: [f64; 3], axis: [f64; 3], radius: f64, tube: f64) -> Vec<Line> {
    let axis = unit(axis);
    let [u, v] = across(axis);
    let scaled = |w: [f64; 3], by: f64| w.map(|x| x * by);
    let along = |distance: f64, height: f64| {
        let middle = add(centre, axis, height);
        (ring(middle, scaled(u, distance), scaled(v, distance)), true)
    };
    let mut lines = vec![
        along(radius + tube, 0.0),
        along(radius - tube, 0.0),
        along(radius, tube),
        along(radius, -tube),
    ];
    for k in 0..MERIDIANS {
        let (sin, cos) = libm::sincos(TAU * k as f64 / MERIDIANS as f64);
        let out = add(u.map(|x| x * cos), v, sin);
        let middle = add(centre, out, radius);
        lines.push((ring(middle, scaled(out, tube), scaled(axis, tube)), true));
    }
    lines
}
