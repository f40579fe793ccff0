//! Makes the monostable body of Conway and Guy (Guy 1969, SIAM Review 11, 78: a prism whose cross-section is
//! two spirals of similar right-angled triangles, cut obliquely at both ends), as a clump of spheres or as
//! a surface.
//!
//! ```text
//! cargo run --release --example monostable > models/grains/monostable.toml
//! cargo run --release --example monostable -- stl > monostable.stl
//! ```
//!
//! From O to the corners of the cross-section the ways are cos^k(pi/m), at angles k pi/m from the top: the
//! foot of the perpendicular from O to each side is the lower corner of that side, so that a centre of mass
//! below O rolls off every side but the last, on which it comes to rest. The ends are cut so that the bottom is the
//! longest, which brings the centre of mass down, and so long that it cannot stand on an end.
//!
//! The clump has a small sphere at each corner of the polyhedron, and a chain of larger ones inside, each as
//! large as it can be: what is round the whole is the polyhedron with its edges rounded by the radius of
//! the small ones, so that it stands on the same faces. Only the place of the centre of mass is another; the
//! test `it::cavity::the_monostable_body_has_one_face_to_stand_on` finds it below O and counts
//! the faces.

use std::f64::consts::PI;

/// Triangles to each side of the cross-section. Nine do for the solid (19 faces); with more the centre of
/// mass lies further below O, so that a clump may be coarse.
const M: usize = 15;
/// How fast the ends slope, as length over height.
const SLOPE: f64 = 3.0;
/// Half of the length at the top, over the least with which the body does not lie on a sloping end while its
/// centre of mass is at the height of O.
const TOP: f64 = 1.1;
/// Radius of the spheres at the corners.
const ROUND: f64 = 0.1;
/// Distance of the spheres of the chain.
const CHAIN: f64 = 0.35;

/// Corners of the cross-section from the top on, clockwise.
fn section() -> Vec<[f64; 2]> {
    let turn = PI / M as f64;
    let corner = |k: usize| {
        let (r, angle) = (turn.cos().powi(k as i32), k as f64 * turn);
        [r * angle.sin(), r * angle.cos()]
    };
    let right: Vec<[f64; 2]> = (0..M).map(corner).collect();
    let left = right[1..].iter().rev().map(|&[x, y]| [-x, y]);
    right.iter().copied().chain(left).collect()
}

/// Half of the length at a height.
fn half_length(y: f64) -> f64 {
    TOP / SLOPE + SLOPE * (1.0 - y)
}

/// Distance of a place in the plane of symmetry to the surface, from inside.
fn depth(section: &[[f64; 2]], y: f64, z: f64) -> f64 {
    let end = (half_length(y) - z.abs()) / (1.0 + SLOPE * SLOPE).sqrt();
    let sides = section.iter().zip(section.iter().cycle().skip(1));
    let side = |(p, q): (&[f64; 2], &[f64; 2])| {
        let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
        // Clockwise: the inside is on the right.
        (dx * (p[1] - y) - dy * p[0]) / dx.hypot(dy)
    };
    sides.map(side).fold(end, f64::min)
}

fn clump() {
    let section = section();
    println!(
        "# A body with one face to stand on, after Conway and Guy: {} sides and two oblique ends, all edges rounded\n\
         # (examples/monostable.rs). y points from that face up, z along the body.\n\
         density = 1.0 # kg/m^3; cases that name this shape give their own\n\
         spheres = [",
        section.len()
    );
    let print = |x: f64, y: f64, z: f64, r: f64| {
        println!("  {{ centre = [{x:.5}, {y:.5}, {z:.5}], radius = {r:.5} }},");
    };
    for &[x, y] in &section {
        for z in [half_length(y), -half_length(y)] {
            print(x, y, z, ROUND);
        }
    }
    let bottom = section[M - 1][1];
    let longest = half_length(bottom);
    let count = (longest / CHAIN) as i32;
    for k in -count..=count {
        let z = f64::from(k) * longest / (f64::from(count) + 0.5);
        // The deepest place: the depth is concave.
        let (mut low, mut high) = (bottom, 1.0);
        for _ in 0..100 {
            let (u, v) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
            if depth(&section, u, z) < depth(&section, v, z) {
                low = u;
            } else {
                high = v;
            }
        }
        let y = 0.5 * (low + high);
        // Rounded down, so as to stay inside.
        print(0.0, y, z, ROUND + depth(&section, y, z) - 1e-5);
    }
    println!("]");
}

fn surface() {
    let section = section();
    let n = section.len();
    let at = |k: usize, side: f64| {
        let [x, y] = section[k % n];
        [x, y, side * half_length(y)]
    };
    let facet = |corners: [[f64; 3]; 3]| {
        println!("facet normal 0 0 0\nouter loop");
        for [x, y, z] in corners {
            println!("vertex {x:.9} {y:.9} {z:.9}");
        }
        println!("endloop\nendfacet");
    };
    println!("solid monostable");
    for k in 0..n {
        let [a, b] = [at(k, 1.0), at(k + 1, 1.0)];
        let [c, d] = [at(k, -1.0), at(k + 1, -1.0)];
        facet([a, b, c]);
        facet([b, d, c]);
    }
    // Seen from outside the corners of the front end go counter-clockwise backwards.
    for k in 1..n - 1 {
        facet([at(0, 1.0), at(k + 1, 1.0), at(k, 1.0)]);
        facet([at(0, -1.0), at(k, -1.0), at(k + 1, -1.0)]);
    }
    println!("endsolid monostable");
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => clump(),
        Some("stl") => surface(),
        Some(other) => eprintln!("`{other}`: give nothing for a clump, or `stl` for a surface"),
    }
}
