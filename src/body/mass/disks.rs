//! Unions of disks in closed form: the arcs that no other disk covers bound the union.

use std::f64::consts::TAU;

use nalgebra::Vector2;

use super::{Integrals, MassProperties, arc};
use crate::body::{Ball, Clump};
use crate::geometry::Planar;

/// Returns the mass properties of a planar clump, exact: Green's theorem over the outer arcs.
pub fn disks(clump: &Clump<Planar>) -> MassProperties<Planar> {
    let balls: Vec<Ball<Planar>> = clump.bare().map(|(_, ball)| *ball).collect();
    union(&balls, balls[0].centre).properties(0.0)
}

/// Returns integrals over a union of disks, relative to a point.
pub(super) fn union(disks: &[Ball<Planar>], origin: Vector2<f64>) -> Integrals<Planar> {
    let mut integrals = Integrals::new(origin);
    let mut covered: Vec<[f64; 2]> = Vec::new();
    for (i, disk) in disks.iter().enumerate() {
        covered.clear();
        let mut buried = false;
        for (j, other) in disks.iter().enumerate().filter(|&(j, _)| j != i) {
            let arm = other.centre - disk.centre;
            let distance = arm.norm();
            if distance + disk.radius <= other.radius {
                // Of two equal disks the first one counts.
                buried |= disk.radius < other.radius || j < i;
            } else if distance < disk.radius + other.radius && distance + other.radius > disk.radius
            {
                let direction = libm::atan2(arm.y, arm.x);
                let half = opening(distance, disk.radius, other.radius);
                cover(&mut covered, direction - half, direction + half);
            }
        }
        if buried {
            continue;
        }
        covered.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut open_from = 0.0;
        for &[from, to] in &covered {
            if from > open_from {
                arc(&mut integrals, disk.centre, disk.radius, open_from, from);
            }
            open_from = to.max(open_from);
        }
        if open_from < TAU {
            arc(&mut integrals, disk.centre, disk.radius, open_from, TAU);
        }
    }
    integrals
}

/// Returns half the angle that the common chord with another circle spans at a circle's centre, by the area of the
/// triangle of both centres and a common point.
fn opening(distance: f64, radius: f64, other: f64) -> f64 {
    let (d, r, s) = (distance, radius, other);
    let square = (d + r + s) * (r + s - d) * (d - r + s) * (d + r - s);
    libm::atan2(square.max(0.0).sqrt(), d * d + (r - s) * (r + s))
}

/// Records the angles between two angles as covered, as parts of 0 to a whole turn.
fn cover(covered: &mut Vec<[f64; 2]>, from: f64, to: f64) {
    let turns = (from / TAU).floor() * TAU;
    let (from, to) = (from - turns, to - turns);
    if to > TAU {
        covered.push([from, TAU]);
        covered.push([0.0, to - TAU]);
    } else {
        covered.push([from, to]);
    }
}
