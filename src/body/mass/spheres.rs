//! Unions of spheres of which no three overlap each other, in closed form.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::{Integrals, MassError, MassProperties};
use crate::body::{Ball, Clump};
use crate::geometry::Spatial;

/// Returns the mass properties of a spatial clump, exact: every sphere is cut off by the plane through its common
/// circle with each neighbour. This always applies to one or two spheres, and usually to rods and rings of spheres.
///
/// # Errors
/// When three spheres overlap each other: their caps would overlap too.
pub fn spheres(clump: &Clump<Spatial>) -> Result<MassProperties<Spatial>, MassError> {
    let bare: Vec<(usize, &Ball<Spatial>)> = clump.bare().collect();
    let neighbours = neighbours(&bare);
    if let Some([i, j, k]) = triples(&neighbours).next() {
        return Err(MassError::NoClosedForm(bare[i].0, bare[j].0, bare[k].0));
    }
    let mut integrals = Integrals::new(bare[0].1.centre);
    for (&(_, ball), near) in bare.iter().zip(&neighbours) {
        integrals.add_ball(ball.centre, ball.radius);
        for &j in near {
            take_cap(&mut integrals, ball, bare[j].1);
        }
    }
    Ok(integrals.properties(0.0))
}

/// Returns for each sphere those that overlap it, in order.
pub(super) fn neighbours(balls: &[(usize, &Ball<Spatial>)]) -> Vec<Vec<usize>> {
    let near =
        |a: &Ball<Spatial>, b: &Ball<Spatial>| (a.centre - b.centre).norm() < a.radius + b.radius;
    (0..balls.len())
        .map(|i| {
            (0..balls.len())
                .filter(|&j| j != i && near(balls[i].1, balls[j].1))
                .collect()
        })
        .collect()
}

/// Returns triples that overlap each other pair by pair.
pub(super) fn triples(neighbours: &[Vec<usize>]) -> impl Iterator<Item = [usize; 3]> {
    (0..neighbours.len()).flat_map(move |i| {
        let near = &neighbours[i];
        near.iter().filter(move |&&j| j > i).flat_map(move |&j| {
            let common = neighbours[j].iter();
            common
                .filter(move |&k| *k > j && near.binary_search(k).is_ok())
                .map(move |&k| [i, j, k])
        })
    })
}

/// Subtracts the cap of a sphere beyond the plane of its common circle with another.
fn take_cap(integrals: &mut Integrals<Spatial>, ball: &Ball<Spatial>, other: &Ball<Spatial>) {
    let arm = other.centre - ball.centre;
    let (d, r) = (arm.norm(), ball.radius);
    let axis: Vector3<f64> = arm / d;
    // The plane's height above the centre, and integrals from there to the pole.
    let h = 0.5 * (d + (r - other.radius) * (r + other.radius) / d);
    let volume = PI / 3.0 * (r - h) * (r - h) * (2.0 * r + h);
    let first = 0.25 * PI * ((r - h) * (r + h)).powi(2);
    let (r2, r5) = (r * r, r.powi(5));
    let (h3, h5) = (h.powi(3), h.powi(5));
    let along = PI * (r2 * (r2 * r - h3) / 3.0 - (r5 - h5) / 5.0);
    let across = 0.25 * PI * (8.0 / 15.0 * r5 - (r2 * r2 * h - 2.0 / 3.0 * r2 * h3 + h5 / 5.0));
    let c = ball.centre - integrals.origin;
    integrals.measure -= volume;
    integrals.first -= c * volume + axis * first;
    for i in 0..3 {
        for j in 0..3 {
            let own = axis[i] * axis[j] * (along - across);
            let shift = volume * c[i] * c[j] + first * (c[i] * axis[j] + axis[i] * c[j]);
            integrals.second[i][j] -= own + shift;
        }
        integrals.second[i][i] -= across;
    }
}
