//! The free top by the discrete equation of Moser and Veselov (1991), made of fourth order.
//!
//! With the step's rotation as a unit quaternion (rho, rho_0) in the body's frame, moments J and the
//! angular momentum m in the body's frame before the step,
//!
//! ```text
//! h m / 2 = rho_0 J rho + rho x J rho.
//! ```
//!
//! The right side, turned back by the rotation, is rho_0 J rho - rho x J rho: momentum after the step is
//! that of before, seen from the new orientation, so that the momentum in the laboratory frame is
//! conserved by construction, and m . J^-1 m follows from the equation. J are modified moments
//! ([`super::PrincipalMoments`]): functions of energy and size of the momentum, which hence are
//! both conserved. No transcendental function is needed, except for round bodies, which turn exactly.

use nalgebra::Vector3;

use super::PrincipalMoments;
use super::turn;

/// Greatest angle of one discrete step, rad. The equation has a solution well beyond; larger steps
/// are divided.
const GREATEST: f64 = 0.5;

/// Parts of a step at most: beyond 500 rad a step nothing is resolved anyway.
const PARTS: f64 = 1024.0;

/// Rounds at most. From the first guess four suffice at the greatest angle.
const ROUNDS: usize = 8;

/// Error of the rotation that is left, of the rotation.
const LEFT: f64 = 1e-20;

/// Turns a free body with the angular momentum (laboratory frame) over a time.
pub(super) fn drift(
    body: &PrincipalMoments,
    mut orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
) -> [f64; 4] {
    if body.round() {
        let angle = momentum * (body.inverse()[0] * time);
        return turn::unit(turn::product(turn::exponential(angle), orientation));
    }
    let mut inside = turn::inward(&orientation, momentum);
    let angle = time.abs() * body.spin(inside).norm();
    if angle <= GREATEST {
        return step(body, orientation, inside, time);
    }
    let parts = (angle / GREATEST).ceil().min(PARTS);
    for _ in 0..parts as u32 {
        orientation = step(body, orientation, inside, time / parts);
        inside = turn::inward(&orientation, momentum);
    }
    orientation
}

/// One discrete step; the momentum is in the body's frame.
fn step(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
) -> [f64; 4] {
    let inverse = Vector3::from(body.modified_inverse(&momentum, time));
    let moments = inverse.map(|i| 1.0 / i);
    let right = momentum * (0.5 * time);
    let rho = solve(
        body.ratio(),
        &moments,
        &right,
        inverse.component_mul(&right),
    );
    let rest = (1.0 - rho.norm_squared()).max(0.0).sqrt();
    turn::unit(turn::product(orientation, [rho.x, rho.y, rho.z, rest]))
}

/// Solves `rho_0 J rho + rho x J rho = right` by Newton's method from a guess.
fn solve(
    ratio: f64,
    moments: &Vector3<f64>,
    right: &Vector3<f64>,
    guess: Vector3<f64>,
) -> Vector3<f64> {
    let mut rho = guess;
    for _ in 0..ROUNDS {
        let square = rho.norm_squared();
        let rest = (1.0 - square).max(0.25).sqrt();
        let inner = moments.component_mul(&rho);
        let left = inner * rest + rho.cross(&inner) - right;
        // Columns of the derivative: J_j (rho_0 e_j + rho x e_j) + e_j x J rho - J rho rho_j / rho_0.
        let fall = inner / rest;
        let [a, b, c] = [moments.x, moments.y, moments.z];
        let first = Vector3::new(a * rest, a * rho.z - inner.z, inner.y - a * rho.y) - fall * rho.x;
        let second =
            Vector3::new(inner.z - b * rho.z, b * rest, b * rho.x - inner.x) - fall * rho.y;
        let third = Vector3::new(c * rho.y - inner.y, inner.x - c * rho.x, c * rest) - fall * rho.z;
        let normal = second.cross(&third);
        let change = Vector3::new(
            left.dot(&normal),
            left.dot(&third.cross(&first)),
            left.dot(&first.cross(&second)),
        ) / first.dot(&normal);
        rho -= change;
        // What a round leaves is about the square of its change, times the ratio of the moments.
        let move_square = change.norm_squared();
        if move_square * move_square * ratio * ratio <= LEFT * LEFT * square {
            break;
        }
    }
    rho
}
