//! The free top by the discrete equation of Moser and Veselov (1991), modified to fourth order.
//!
//! With the step's rotation as a unit quaternion (rho, rho_0) in the body's frame, moments J and the
//! angular momentum m in the body's frame before the step,
//!
//! ```text
//! h m / 2 = rho_0 J rho + rho x J rho.
//! ```
//!
//! The right side, rotated back by the step, is rho_0 J rho - rho x J rho: the momentum after the step is that
//! before, relative to the new orientation, so that the momentum in the laboratory frame is conserved by
//! construction, and m . J^-1 m follows from the equation. J are modified moments ([`super::PrincipalMoments`]):
//! functions of energy and magnitude of the momentum, which are therefore both conserved. No transcendental function
//! is needed, except for round bodies, which are rotated exactly.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::PrincipalMoments;
use super::turn;

/// Greatest angle of one discrete step, rad. The equation has a solution well beyond; larger steps are divided.
pub(super) const GREATEST: f64 = 0.5;

/// The same for the parts of a long free turn.
const FINE: f64 = 0.1;

/// Greatest numbers of parts of a step and of a long free turn: beyond 500 rad per step nothing is resolved anyway.
const PARTS: f64 = 1024.0;
const FINE_PARTS: f64 = 65536.0;

/// Greatest number of iterations. Six suffice at the greatest angle.
pub(super) const ROUNDS: usize = 12;

/// Accepted relative error of the rotation: well below rounding, so that it does not accumulate in long runs.
pub(super) const LEFT: f64 = 1e-18;

/// While an iteration moves by more than this fraction, the derivative is recomputed.
pub(super) const FAR: f64 = 1e-3;

/// Rotates a free body, whose orientation leads from its principal axes to the laboratory frame, over a time (s) with
/// the angular momentum (kg m^2/s, laboratory frame): the part of [`super::Rotation::kick_drift`] between two kicks
/// of the default method, for engines that store momenta themselves.
pub fn free_turn(
    body: &PrincipalMoments,
    orientation: UnitQuaternion<f64>,
    momentum: Vector3<f64>,
    time: f64,
) -> UnitQuaternion<f64> {
    let q = orientation.coords;
    let [x, y, z, w] = turned(body, [q.x, q.y, q.z, q.w], momentum, time, FINE, FINE_PARTS);
    UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
}

/// Rotates a free body with the angular momentum (laboratory frame) over a step.
pub(super) fn drift(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
) -> [f64; 4] {
    turned(body, orientation, momentum, time, GREATEST, PARTS)
}

/// The same in parts of at most `greatest` rad, `most` at most.
fn turned(
    body: &PrincipalMoments,
    mut orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
    greatest: f64,
    most: f64,
) -> [f64; 4] {
    if body.round() {
        let angle = momentum * (body.inverse()[0] * time);
        return turn::unit(turn::product(turn::exponential(angle), orientation));
    }
    let mut inside = turn::inward(&orientation, momentum);
    let angle = time.abs() * body.spin(inside).norm();
    if angle <= greatest {
        return step(body, orientation, inside, time);
    }
    let parts = (angle / greatest).ceil().min(most);
    for _ in 0..parts as u32 {
        orientation = step(body, orientation, inside, time / parts);
        inside = turn::inward(&orientation, momentum);
    }
    orientation
}

/// Performs one discrete step; the momentum is in the body's frame.
fn step(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
) -> [f64; 4] {
    let inverse = Vector3::from(body.modified_inverse(&momentum, time));
    let moments = inverse.map(|i| 1.0 / i);
    let right = momentum * (0.5 * time);
    let rho = solve(body.ratio(), &moments, &inverse, &right);
    let rest = (1.0 - rho.norm_squared()).max(0.0).sqrt();
    turn::unit(turn::product(orientation, [rho.x, rho.y, rho.z, rest]))
}

/// Solves `rho_0 J rho + rho x J rho = right` by Newton's method; the derivative is kept once the solution is near.
fn solve(
    ratio: f64,
    moments: &Vector3<f64>,
    inverse: &Vector3<f64>,
    right: &Vector3<f64>,
) -> Vector3<f64> {
    // To second order.
    let first = inverse.component_mul(right);
    let mut rho = first - inverse.component_mul(&first.cross(right));
    let mut rows = [Vector3::zeros(); 3];
    // Square of the distance from the solution at which the derivative was computed, as far as it is known.
    let mut taken = f64::INFINITY;
    for _ in 0..ROUNDS {
        let square = rho.norm_squared();
        // The limit is far beyond the greatest angle.
        let rest = (1.0 - square).max(0.25).sqrt();
        let inner = moments.component_mul(&rho);
        let left = inner * rest + rho.cross(&inner) - right;
        let anew = taken > FAR * FAR * square;
        if anew {
            rows = inverted(moments, &rho, &inner, rest);
        }
        let change = Vector3::new(left.dot(&rows[0]), left.dot(&rows[1]), left.dot(&rows[2]));
        rho -= change;
        let moved = change.norm_squared();
        if anew {
            taken = moved;
        }
        // An iteration leaves its change times the distance of the derivative, times at most the ratio.
        if moved * taken * (ratio * ratio) <= LEFT * LEFT * square {
            break;
        }
    }
    rho
}

/// Returns the rows of the inverse of the derivative of `rho_0 J rho + rho x J rho`.
fn inverted(
    moments: &Vector3<f64>,
    rho: &Vector3<f64>,
    inner: &Vector3<f64>,
    rest: f64,
) -> [Vector3<f64>; 3] {
    // Columns: J_j (rho_0 e_j + rho x e_j) + e_j x J rho - J rho rho_j / rho_0.
    let fall = inner / rest;
    let [a, b, c] = [moments.x, moments.y, moments.z];
    let first = Vector3::new(a * rest, a * rho.z - inner.z, inner.y - a * rho.y) - fall * rho.x;
    let second = Vector3::new(inner.z - b * rho.z, b * rest, b * rho.x - inner.x) - fall * rho.y;
    let third = Vector3::new(c * rho.y - inner.y, inner.x - c * rho.x, c * rest) - fall * rho.z;
    let normal = second.cross(&third);
    let scale = 1.0 / first.dot(&normal);
    [
        normal * scale,
        third.cross(&first) * scale,
        first.cross(&second) * scale,
    ]
}
