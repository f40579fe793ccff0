//! Lines that stand for walls in pictures, as they are at the start of a run.

use std::f64::consts::TAU;

use crate::body::{Boundary, Shape};
use crate::geometry::{Dimension, Vector};
use crate::record::WallDrawing;

/// Corners of a drawn circle: smooth at the size of a picture.
const CORNERS: usize = 72;
/// Corners of all circles of a rough wall together, about.
const MOST_CORNERS: usize = 12_000;
/// So many gaps at most are drawn across a picture's diagonal, in a wall through which grains pass.
const MOST_DASHES: f64 = 200.0;
/// Meridians of a drawn surface of revolution.
const MERIDIANS: usize = 12;

/// Lines for a run's boundaries. Planes have no end: they are drawn across the box from `min` to
/// `max` (m), which should hold the grains with some room.
pub fn draw_walls<D: Dimension>(
    boundaries: &[Boundary<D>],
    min: D::Vector,
    max: D::Vector,
) -> Vec<WallDrawing> {
    let mut drawings = Vec::new();
    for boundary in boundaries {
        let mut lines = lines::<D>(&boundary.shape, min, max);
        if boundary.passes > 0.0 && D::N == 2 {
            let gap = (2.0 * boundary.passes).max((max - min).norm() / MOST_DASHES);
            lines = lines.iter().flat_map(|line| dashes(line, gap)).collect();
        }
        for (points, closed) in lines {
            drawings.push(WallDrawing {
                name: boundary.name.clone(),
                points,
                closed,
                endless: D::N == 2
                    && matches!(boundary.shape, Shape::Plane { .. })
                    && boundary.passes <= 0.0,
                opens_at: boundary.opens_at,
            });
        }
    }
    drawings
}

type Line = (Vec<[f64; 3]>, bool);

fn in_space<V: Vector>(v: V) -> [f64; 3] {
    let mut point = [0.0; 3];
    for (to, from) in point.iter_mut().zip(v.components()) {
        *to = from;
    }
    point
}

fn lines<D: Dimension>(shape: &Shape<D>, min: D::Vector, max: D::Vector) -> Vec<Line> {
    match shape {
        Shape::Plane { point, normal } => {
            let reach = (max - min).norm();
            plane(
                in_space(*point),
                in_space(*normal),
                in_space((min + max) * 0.5),
                reach,
                D::N,
            )
        }
        Shape::Polyline { points, closed } => {
            vec![(points.iter().map(|&p| in_space(p)).collect(), *closed)]
        }
        Shape::Box { min, max, .. } => edges(in_space(*min), in_space(*max), D::N),
        Shape::Ball { centre, radius, .. } => {
            let planes: &[[usize; 2]] = if D::N == 2 {
                &[[0, 1]]
            } else {
                &[[0, 1], [0, 2], [1, 2]]
            };
            let centre = in_space(*centre);
            let circle = |&[a, b]: &[usize; 2]| {
                let mut u = [0.0; 3];
                let mut v = [0.0; 3];
                u[a] = *radius;
                v[b] = *radius;
                (ring(centre, u, v), true)
            };
            planes.iter().map(circle).collect()
        }
        Shape::Arc {
            centre,
            radius,
            angles: [from, to],
        } => {
            let corner = |k: usize| {
                let angle = from + (to - from) * k as f64 / CORNERS as f64;
                let (sine, cosine) = libm::sincos(angle);
                add(in_space(*centre), [cosine, sine, 0.0], *radius)
            };
            vec![((0..=CORNERS).map(corner).collect(), false)]
        }
        Shape::Grains(list) => {
            // Of spheres the circle that is seen from the side; of very many one in so many.
            let up = D::N - 1;
            let corners = (MOST_CORNERS / list.len().max(1)).clamp(12, CORNERS);
            let circle = |&(centre, radius): &(D::Vector, f64)| {
                let axis = |k: usize| std::array::from_fn(|i| if i == k { radius } else { 0.0 });
                (ring_of(corners, in_space(centre), axis(0), axis(up)), true)
            };
            let every = list.len().div_ceil(MOST_CORNERS / 12);
            list.iter().step_by(every).map(circle).collect()
        }
        Shape::Revolved {
            origin,
            axis,
            profile,
        } => revolved(in_space(*origin), in_space(*axis), profile),
        Shape::Vessel(v) => revolved(in_space(v.from), in_space(v.axis()), &v.profile()),
        Shape::Mesh(mesh) => {
            let line = |ends: [D::Vector; 2]| (ends.map(in_space).to_vec(), false);
            mesh.lines().into_iter().map(line).collect()
        }
    }
}

/// A line with gaps as wide as what passes, and as much between them, from one of its corners to the next.
fn dashes((points, closed): &Line, gap: f64) -> Vec<Line> {
    let ends = points
        .iter()
        .skip(1)
        .chain(points.iter().take(usize::from(*closed)));
    let mut cut = Vec::new();
    for (&from, &to) in points.iter().zip(ends) {
        let along = add(to, from, -1.0);
        let count = (dot(along, along).sqrt() / (2.0 * gap)).ceil().max(1.0);
        for k in 0..count as u32 {
            let share = |part: f64| add(from, along, (f64::from(k) + part) / count);
            cut.push((vec![share(0.25), share(0.75)], false));
        }
    }
    cut
}

fn add(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + share * b[k])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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

/// Two unit vectors across a unit vector.
fn across(axis: [f64; 3]) -> [[f64; 3]; 2] {
    // The coordinate axis that is least along it gives the safest cross product.
    let least = (0..3)
        .min_by(|&a, &b| axis[a].abs().total_cmp(&axis[b].abs()))
        .unwrap_or(0);
    let mut other = [0.0; 3];
    other[least] = 1.0;
    let u = unit(cross(axis, other));
    [u, cross(axis, u)]
}

/// A plane as a line or a square about the point of it that is nearest to the middle of the view.
fn plane(point: [f64; 3], normal: [f64; 3], middle: [f64; 3], reach: f64, n: usize) -> Vec<Line> {
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

fn edges(min: [f64; 3], max: [f64; 3], n: usize) -> Vec<Line> {
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

/// A circle or an ellipse from two half axes.
fn ring(centre: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Vec<[f64; 3]> {
    ring_of(CORNERS, centre, u, v)
}

fn ring_of(corners: usize, centre: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Vec<[f64; 3]> {
    let corner = |k: usize| {
        let (sin, cos) = libm::sincos(TAU * k as f64 / corners as f64);
        add(add(centre, u, cos), v, sin)
    };
    (0..corners).map(corner).collect()
}

/// Rings at the corners of the profile, and meridians.
fn revolved(origin: [f64; 3], axis: [f64; 3], profile: &[[f64; 2]]) -> Vec<Line> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Motion;
    use crate::geometry::{Planar, Spatial};
    use nalgebra::{Vector2, Vector3};

    fn wall<D: Dimension>(shape: Shape<D>) -> Boundary<D> {
        Boundary {
            name: "w".into(),
            material: 0,
            shape,
            motion: Motion::Fixed,
            opens_at: Some(2.0),
            passes: 0.0,
            belt: Default::default(),
        }
    }

    #[test]
    fn a_plane_is_drawn_where_it_is() {
        let floor = wall::<Planar>(Shape::Plane {
            point: Vector2::new(50.0, 1.0),
            normal: Vector2::new(0.0, 2.0),
        });
        let lines = draw_walls(&[floor], Vector2::new(-3.0, 0.0), Vector2::new(3.0, 8.0));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].opens_at, Some(2.0));
        assert!(lines[0].points.iter().all(|p| (p[1] - 1.0).abs() < 1e-12));
        assert_eq!(lines[0].points[0][0], -lines[0].points[1][0]);
    }

    #[test]
    fn a_cone_keeps_its_radii() {
        let cone = wall::<Spatial>(Shape::Revolved {
            origin: Vector3::new(1.0, 2.0, 3.0),
            axis: Vector3::new(0.0, 0.0, 2.0),
            profile: vec![[0.5, 0.0], [1.5, 4.0]],
        });
        let lines = draw_walls(&[cone], Vector3::repeat(-1.0), Vector3::repeat(1.0));
        assert_eq!(lines.len(), 2 + MERIDIANS);
        for point in lines.iter().flat_map(|line| &line.points) {
            let radius = (point[0] - 1.0).hypot(point[1] - 2.0);
            let expected = 0.5 + (point[2] - 3.0) / 4.0;
            assert!((radius - expected).abs() < 1e-12, "{point:?}");
        }
    }
}
