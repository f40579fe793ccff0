//! Euler's equations at the time of the positions, iterated (Ostanin et al. 2024, section 3.6, as in PFC): spins are
//! stored at half steps.

use nalgebra::Vector3;

use super::PrincipalMoments;
use super::turn;

/// Returns the spins at the time of the positions and half a step later, from the one half a step before; all in the
/// laboratory frame.
pub(super) fn spins(
    body: &PrincipalMoments,
    orientation: &[f64; 4],
    before: Vector3<f64>,
    torque: Vector3<f64>,
    step: f64,
    rounds: u8,
) -> (Vector3<f64>, Vector3<f64>) {
    let start = turn::inward(orientation, before);
    let torque = turn::inward(orientation, torque);
    let (mut now, mut after) = (start, start);
    for _ in 0..rounds.max(1) {
        let change = body.spin(torque - now.cross(&body.momentum(now)));
        after = start + change * step;
        now = 0.5 * (start + after);
    }
    (
        turn::outward(orientation, now),
        turn::outward(orientation, after),
    )
}

/// Rotates a body with the spin at the middle of the step.
pub(super) fn drift(orientation: [f64; 4], spin: Vector3<f64>, step: f64) -> [f64; 4] {
    turn::unit(turn::product(turn::exponential(spin * step), orientation))
}
