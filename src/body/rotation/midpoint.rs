//! Mutze's direct midpoint for the free top (Polyspherical grains and their dynamics, eq. 59), as
//! printed, repaired, and in terms of the angular momentum.
//!
//! His rotation vectors, tan(angle / 2) times the axis, represent the rotations of a step; the orientation is a
//! quaternion, so that no angle is singular. As in the paper a rotation by the angle vector a is approximated by the
//! rotation vector a / 2: their difference is of third order.

use nalgebra::Vector3;

use super::PrincipalMoments;
use super::turn;

/// Rotates by an angle vector: `exp(angle) o r` with the paper's approximation of exp.
fn turned(orientation: &[f64; 4], angle: Vector3<f64>) -> [f64; 4] {
    turn::unit(turn::product(
        turn::from_rotation_vector(0.5 * angle),
        *orientation,
    ))
}

/// Returns `I_r v`.
fn momentum_of(body: &PrincipalMoments, r: &[f64; 4], v: Vector3<f64>) -> Vector3<f64> {
    turn::outward(r, body.momentum(turn::inward(r, v)))
}

/// Returns `I_r^-1 v`.
pub(super) fn spin_of(body: &PrincipalMoments, r: &[f64; 4], v: Vector3<f64>) -> Vector3<f64> {
    turn::outward(r, body.spin(turn::inward(r, v)))
}

/// Returns orientation and spin after the free step as printed.
pub(super) fn printed(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    spin: Vector3<f64>,
    time: f64,
) -> ([f64; 4], Vector3<f64>) {
    let middle = turned(&orientation, spin * (0.5 * time));
    let inertia = momentum_of(body, &middle, spin);
    // Inertia at the midpoint, its inverse at the start: as printed, and of first order.
    let after = spin + spin_of(body, &orientation, inertia.cross(&spin)) * time;
    (turned(&orientation, (spin + after) * (0.5 * time)), after)
}

/// Returns orientation and spin after the repaired free step: the spin at the midpoint is predicted, and everything
/// is evaluated there.
pub(super) fn repaired(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    spin: Vector3<f64>,
    time: f64,
) -> ([f64; 4], Vector3<f64>) {
    let change = |r: &[f64; 4], w: Vector3<f64>| {
        let inside = turn::inward(r, w);
        turn::outward(r, body.spin(body.momentum(inside).cross(&inside)))
    };
    let foreseen = spin + change(&orientation, spin) * (0.5 * time);
    let middle = turned(&orientation, spin * (0.5 * time));
    let after = spin + change(&middle, foreseen) * time;
    (turned(&orientation, (spin + after) * (0.5 * time)), after)
}

/// Returns the orientation after the free step that stores the angular momentum.
pub(super) fn with_momentum(
    body: &PrincipalMoments,
    orientation: [f64; 4],
    momentum: Vector3<f64>,
    time: f64,
) -> [f64; 4] {
    let spin = spin_of(body, &orientation, momentum);
    let middle = turned(&orientation, spin * (0.5 * time));
    turned(&orientation, spin_of(body, &middle, momentum) * time)
}
