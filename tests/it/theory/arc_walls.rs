//! Arcs as walls: as circles where these have the same surface, and as the end of a chain where they end.

use std::f64::consts::{PI, TAU};

use arenite::geometry::Planar;
use arenite::system::Setup;
use arenite::walls::Shape;
use arenite::walls::shapes;

use crate::support::*;

const G: f64 = 9.81;
const MASS: f64 = 0.1;
const RADIUS: f64 = 0.01;

fn thrown(shape: Shape<Planar>, x: [f64; 2], v: [f64; 2]) -> Setup<Planar> {
    let mut setup: Setup<Planar> = empty(linear(1e5, 8e4, 20.0, 10.0, 0.4), 1e-5, 0.4);
    setup.fields.gravity = place::<Planar>(0.0, -G);
    wall(&mut setup, "wall", shape);
    let (x, v) = (place::<Planar>(x[0], x[1]), place::<Planar>(v[0], v[1]));
    add(&mut setup, RADIUS, MASS, x, v);
    setup
}

fn arc(angles: [f64; 2]) -> Shape<Planar> {
    Shape::Arc(shapes::Arc {
        centre: place::<Planar>(0.02, -0.01),
        radius: 0.1,
        angles,
    })
}

fn ball(inside: bool) -> Shape<Planar> {
    Shape::Ball(shapes::Ball {
        centre: place::<Planar>(0.02, -0.01),
        radius: 0.1,
        inside,
    })
}

/// Places and velocities at the end are the same to rounding, which bounces make grow.
#[track_caller]
fn same(a: &Setup<Planar>, b: &Setup<Planar>) {
    let (a, b) = (end(a)[0], end(b)[0]);
    let off = (a.position - b.position).norm() + (a.velocity - b.velocity).norm();
    assert!(off < 1e-9, "{off}");
    // It was not merely falling.
    assert!(a.spin.abs() > 0.1, "{a:?}");
}

/// In the bowl of its lower half a disk rolls to and fro as in a whole circle; on the hill of its upper half as on one.
#[test]
fn an_arc_is_a_piece_of_a_circle() {
    let (x, v) = ([0.08, -0.03], [0.0, 0.2]);
    same(&thrown(arc([PI, TAU]), x, v), &thrown(ball(true), x, v));
    same(&thrown(arc([-PI, 0.0]), x, v), &thrown(ball(true), x, v));
    let (x, v) = ([0.03, 0.13], [0.1, 0.0]);
    same(&thrown(arc([0.2, PI]), x, v), &thrown(ball(false), x, v));
}

/// A disk that strikes its end from beyond goes as from the end of a straight wall there, and falls past what is no wall.
#[test]
fn an_arc_ends() {
    let tip = place::<Planar>(0.02, 0.09);
    let chain = Shape::Polyline(shapes::Polyline {
        points: vec![tip, place::<Planar>(-0.2, 0.09)],
        closed: false,
    });
    let (x, v) = ([0.028, 0.13], [0.0, 0.0]);
    same(&thrown(arc([0.5 * PI, PI]), x, v), &thrown(chain, x, v));
    let free = end(&thrown(arc([PI, 1.5 * PI]), [0.05, 0.13], [0.0, 0.0]))[0];
    close("falls", free.position[1], 0.13 - 0.5 * G * 0.16, 1e-12);
}
