//! Meshes of triangles as walls: each point sees each plane part, ridge and tip once, at the true distance,
//! however the plane parts are divided into triangles.

use arenite::geometry::Spatial;
use arenite::geometry::surface::mesh::Exactness;
use arenite::geometry::surface::{Probe, SpatialSurface, Surface};
use arenite::walls::{MeshShape, Shape};
use nalgebra::{Rotation3, Vector3};
use proptest::prelude::*;

use crate::support::Dice;

type V3 = Vector3<f64>;

/// A mesh as a scenario makes it.
pub fn mesh(corners: &[V3], triangles: &[[u32; 3]]) -> Shape<Spatial> {
    Shape::Mesh(MeshShape {
        corners: corners.to_vec(),
        triangles: triangles.to_vec(),
        exactness: Exactness::of(corners),
    })
}

/// The square from -1 to 1 at height 0, divided at random into large and tiny triangles.
pub fn shattered(new_corners: usize, seed: u64) -> (Vec<V3>, Vec<[u32; 3]>) {
    shattered_to(new_corners, seed, 1e-8)
}

/// The same: each new corner divides a triangle, a fifth of them that around a point, until it has no more than
/// this area.
fn shattered_to(new_corners: usize, seed: u64, least: f64) -> (Vec<V3>, Vec<[u32; 3]>) {
    let mut dice = Dice(seed);
    let at = |x: f64, y: f64| V3::new(x, y, 0.0);
    let mut corners = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    let middle = at(0.013, -0.007);
    for _ in 0..new_corners {
        let around = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|i: u32| corners[i as usize]);
            let side = |p: V3, q: V3| (q - p).cross(&(middle - p)).z > 0.0;
            let large = (b - a).cross(&(c - a)).z > 2.0 * least;
            large && side(a, b) && side(b, c) && side(c, a)
        };
        let hit = if dice.roll() < 0.2 {
            triangles.iter().position(around)
        } else {
            None
        };
        let count = triangles.len() as f64;
        let k = hit.unwrap_or_else(|| (dice.roll() * count) as usize);
        let [a, b, c] = triangles[k];
        let (u, v) = (dice.between(0.2, 0.5), dice.between(0.2, 0.5));
        let [p, q, r] = [a, b, c].map(|i| corners[i as usize]);
        let new = corners.len() as u32;
        corners.push(p + (q - p) * u + (r - p) * (v * (1.0 - u)));
        triangles[k] = [a, b, new];
        triangles.push([b, c, new]);
        triangles.push([c, a, new]);
    }
    (corners, triangles)
}

/// How many plane parts, ridges and tips there are.
fn counts(shape: &Shape<Spatial>) -> [usize; 3] {
    let mut counts = [0; 3];
    for surface in shape.surfaces().unwrap().iter() {
        match surface {
            SpatialSurface::Facet(_) => counts[0] += 1,
            SpatialSurface::Ridge(_) => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    counts
}

fn probes(shape: &Shape<Spatial>, x: V3) -> Vec<Probe<Spatial>> {
    let surfaces = shape.surfaces().unwrap();
    surfaces.iter().filter_map(|s| s.probe(x)).collect()
}

/// Distance of a point from a triangle by the region of the plane over which it lies (any textbook of
/// computational geometry).
fn to_triangle([a, b, c]: [V3; 3], x: V3) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let over = |p: V3, q: V3| normal.cross(&(q - p)).dot(&(x - p)) >= 0.0;
    if over(a, b) && over(b, c) && over(c, a) {
        return (normal.dot(&(x - a)) / normal.norm()).abs();
    }
    let beside = |p: V3, q: V3| {
        let share = ((x - p).dot(&(q - p)) / (q - p).norm_squared()).clamp(0.0, 1.0);
        (x - p - (q - p) * share).norm()
    };
    beside(a, b).min(beside(b, c)).min(beside(c, a))
}

fn distance(corners: &[V3], triangles: &[[u32; 3]], x: V3) -> f64 {
    triangles
        .iter()
        .map(|face| to_triangle(face.map(|i| corners[i as usize]), x))
        .fold(f64::INFINITY, f64::min)
}

fn any_point(far: f64) -> impl Strategy<Value = V3> {
    (-far..far, -far..far, -far..far).prop_map(|(x, y, z)| V3::new(x, y, z))
}

/// Triangles over a grid of 4 by 4 corners at any heights.
fn terrain(heights: &[f64]) -> (Vec<V3>, Vec<[u32; 3]>) {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for (k, z) in heights.iter().enumerate() {
        corners.push(V3::new(
            (k % 4) as f64 * 0.5 - 0.75,
            (k / 4) as f64 * 0.5 - 0.75,
            *z,
        ));
    }
    for row in 0..3 {
        for column in 0..3 {
            let a = row * 4 + column;
            triangles.extend([[a, a + 1, a + 5], [a, a + 5, a + 4]]);
        }
    }
    (corners, triangles)
}

proptest! {
    #![proptest_config(crate::same_cases(256))]

    /// Over hills, hollows and saddles the nearest piece that owns a point is the nearest point of the mesh, and
    /// bounds are bounds. Products of coordinates about 1 are rounded by less than 1e-12, corners are one within
    /// 2.4e-7 of the greatest coordinate.
    #[test]
    fn nearest_of_a_terrain(
        heights in prop::collection::vec(-0.6..0.6, 16),
        x in any_point(1.3),
    ) {
        let (corners, triangles) = terrain(&heights);
        let shape = mesh(&corners, &triangles);
        let wanted = distance(&corners, &triangles, x);
        let found = probes(&shape, x);
        let nearest = found.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        prop_assert!((nearest - wanted).abs() < 1e-12, "{nearest} against {wanted}");
        for probe in found {
            prop_assert!((probe.normal.norm() - 1.0).abs() < 1e-14);
            let foot = x - probe.normal * probe.distance;
            prop_assert!(distance(&corners, &triangles, foot) < 1e-12);
        }
        let pieces = shape.surfaces().unwrap();
        for surface in pieces.iter() {
            let bound = surface.distance_bound(x);
            prop_assert!(surface.probe(x).is_none_or(|p| bound <= p.distance + 1e-12));
            prop_assert!(bound >= wanted - 1e-12);
        }
        prop_assert!((pieces.distance(x) - wanted).abs() < 1e-12);
        // The tree leaves out nothing.
        let mut near = Vec::new();
        pieces.near(x, 0.4, |k| near.push(k));
        for (k, surface) in pieces.iter().enumerate() {
            prop_assert!(near.contains(&k) || surface.distance_bound(x) > 0.4);
        }
    }

    /// Outside of a convex body each point has exactly one nearest piece: a ridge or a tip counts once.
    #[test]
    fn one_contact_outside_of_a_convex_body(turn in any_point(3.0), x in any_point(2.0)) {
        let (corners, triangles) = icosahedron();
        let turn = Rotation3::new(turn);
        let corners: Vec<V3> = corners.iter().map(|c| turn * c).collect();
        let inside = triangles.iter().all(|face| {
            let [a, b, c] = face.map(|i| corners[i as usize]);
            (b - a).cross(&(c - a)).dot(&(x - a)) < 0.0
        });
        if !inside {
            // The far sides are faced through the body, from further away than its least thickness of 1.5.
            let wanted = distance(&corners, &triangles, x);
            let found = probes(&mesh(&corners, &triangles), x);
            let near = found.iter().filter(|p| p.distance < wanted + 0.5).count();
            prop_assert_eq!(near, 1);
        }
    }
}

fn icosahedron() -> (Vec<V3>, Vec<[u32; 3]>) {
    let golden = 0.5 + 1.25_f64.sqrt();
    let mut corners = Vec::new();
    for k in 0..3 {
        for (a, b) in [
            (1.0, golden),
            (1.0, -golden),
            (-1.0, golden),
            (-1.0, -golden),
        ] {
            let mut corner = V3::zeros();
            corner[k] = a;
            corner[(k + 1) % 3] = b;
            corners.push(corner * (1.0 / (1.0 + golden * golden).sqrt()));
        }
    }
    let edge = 2.0 / (1.0 + golden * golden).sqrt();
    let mut triangles = Vec::new();
    for a in 0..12_u32 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let p = [a, b, c].map(|i| corners[i as usize]);
                let side = |i: usize, j: usize| (p[i] - p[j]).norm() < 1.01 * edge;
                if side(0, 1) && side(1, 2) && side(2, 0) {
                    let out = (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&p[0]) > 0.0;
                    triangles.push(if out { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    assert_eq!(triangles.len(), 20);
    (corners, triangles)
}

/// However a square is divided, level or tilted, with corners as they are or rounded to single precision, it is
/// one plane part with four ridges and four tips, and every point sees it as it sees a plane.
#[test]
fn a_divided_plane_is_one_piece() {
    let (corners, triangles) = shattered(600, 5);
    assert_eq!(triangles.len(), 1202);
    let area = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|i| corners[i as usize]);
        (b - a).cross(&(c - a)).norm() / 2.0
    };
    let [least, most] = triangles
        .iter()
        .map(area)
        .fold([f64::INFINITY, 0.0], |[l, m], a| [l.min(a), a.max(m)]);
    assert!(most > 1e7 * least, "large and tiny: {least:e} to {most:e}");
    let turn = Rotation3::new(V3::new(0.3, -0.5, 0.2));
    let tilt = |c: &V3| turn * c + V3::new(0.2, 0.1, 3.0);
    let tilted: Vec<V3> = corners.iter().map(tilt).collect();
    // Rounding makes lines of what is too small.
    let (coarse, other) = shattered_to(600, 5, 1e-5);
    let single = |c: &V3| tilt(c).map(|x| f64::from(x as f32));
    let rounded: Vec<V3> = coarse.iter().map(single).collect();
    let mut dice = Dice(11);
    for (name, corners, triangles, off) in [
        ("level", &corners, &triangles, 0.0),
        ("tilted", &tilted, &triangles, 1e-14),
        // Heights about 3 are rounded by 1.2e-7 at most.
        ("rounded", &rounded, &other, 2e-7),
    ] {
        let shape = mesh(corners, triangles);
        assert_eq!(counts(&shape), [1, 4, 4], "{name}");
        let level = name == "level";
        let normal = if level { V3::z() } else { turn * V3::z() };
        let pieces = shape.surfaces().unwrap();
        for _ in 0..2000 {
            let at = V3::new(dice.between(-0.99, 0.99), dice.between(-0.99, 0.99), 0.0);
            let height = dice.between(-0.5, 0.5);
            let x = if level { at } else { tilt(&at) } + normal * height;
            let found: Vec<_> = pieces.iter().filter_map(|s| s.probe(x)).collect();
            assert_eq!(found.len(), 1, "{name}: {at:?}");
            let apart = (found[0].distance - height.abs()).abs();
            assert!(apart <= off, "{name}: {apart:e}");
            let turned = (found[0].normal - normal * height.signum()).norm();
            assert!(turned <= off, "{name}: {turned:e}");
        }
    }
}

/// Bricks laid off by half: corners lie on the sides of others, and there is still but one plane. So it is with a
/// sliver along the side of two, which has hardly any area.
#[test]
fn corners_on_sides_divide_them() {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let mut brick = |x: f64, y: f64, width: f64| {
        let first = corners.len() as u32;
        for (i, j) in [(0.0, 0.0), (width, 0.0), (width, 0.1), (0.0, 0.1)] {
            corners.push(V3::new(x + i, y + j, 0.7));
        }
        triangles.push([first, first + 1, first + 2]);
        triangles.push([first, first + 2, first + 3]);
    };
    for row in 0..6 {
        let y = 0.1 * f64::from(row);
        if row % 2 == 0 {
            (0..4).for_each(|k| brick(0.3 * f64::from(k), y, 0.3));
        } else {
            brick(0.0, y, 0.15);
            (0..3).for_each(|k| brick(0.15 + 0.3 * f64::from(k), y, 0.3));
            brick(1.05, y, 0.15);
        }
    }
    assert_eq!(counts(&mesh(&corners, &triangles)), [1, 4, 4]);
    let thin = [
        V3::zeros(),
        V3::x(),
        V3::new(0.5, 1e-8, 0.0),
        V3::y(),
        -V3::y(),
    ];
    let divided = [[0, 1, 2], [0, 2, 3], [2, 1, 3], [1, 0, 4]];
    assert_eq!(counts(&mesh(&thin, &divided)), [1, 3, 3]);
}

/// A cube, its sides divided at random or not, has 6 plane parts, 12 ridges and 8 tips; a triangle alone 1, 3
/// and 3; an open trough of two squares 2, 7 and 6.
#[test]
fn counts_of_simple_bodies() {
    let (flat, triangles) = shattered(60, 2);
    let (mut corners, mut faces) = (Vec::new(), Vec::new());
    for turn in [
        V3::zeros(),
        V3::x(),
        -V3::x(),
        V3::y(),
        -V3::y(),
        V3::x() * 2.0,
    ] {
        let turn = Rotation3::new(turn * std::f64::consts::FRAC_PI_2);
        let first = corners.len() as u32;
        corners.extend(flat.iter().map(|c| turn * (c + V3::z())));
        faces.extend(triangles.iter().map(|face| face.map(|i| i + first)));
    }
    assert_eq!(counts(&mesh(&corners, &faces)), [6, 12, 8]);
    let three = [V3::zeros(), V3::x(), V3::y()];
    assert_eq!(counts(&mesh(&three, &[[0, 1, 2]])), [1, 3, 3]);
    let trough = [
        V3::zeros(),
        V3::x(),
        V3::new(1.0, 1.0, 0.0),
        V3::y(),
        V3::new(0.0, 0.5, 1.0),
        V3::new(1.0, 0.5, 1.0),
    ];
    let faces = [[0, 1, 2], [0, 2, 3], [0, 1, 5], [0, 5, 4]];
    assert_eq!(counts(&mesh(&trough, &faces)), [2, 7, 6]);
}

/// A hole in a plate: its rim is ridges, and what is over the hole does not see the plate.
#[test]
fn a_hole_is_a_hole() {
    let ring = |radius: f64| {
        (0..40).map(move |k| {
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * f64::from(k) / 40.0);
            V3::new(radius * cosine, radius * sine, 0.0)
        })
    };
    let corners: Vec<V3> = ring(1.0).chain(ring(0.4)).collect();
    let triangles: Vec<[u32; 3]> = (0..40_u32)
        .flat_map(|k| {
            let n = (k + 1) % 40;
            [[k, n, 40 + k], [n, 40 + n, 40 + k]]
        })
        .collect();
    let shape = mesh(&corners, &triangles);
    assert_eq!(counts(&shape), [1, 80, 80]);
    let over = probes(&shape, V3::new(0.39, 0.001, 0.2));
    let wanted = distance(&corners, &triangles, V3::new(0.39, 0.001, 0.2));
    let nearest = over
        .iter()
        .map(|p| p.distance)
        .fold(f64::INFINITY, f64::min);
    assert!((nearest - wanted).abs() < 1e-14);
    assert!(nearest > 0.2);
    assert_eq!(probes(&shape, V3::new(0.7, 0.0, 0.2)).len(), 1);
}
