//! The hard collision: an instantaneous exchange of momentum along the normal.

use crate::geometry::{Dimension, Vector};

/// Velocities after a frictionless hard collision of two spheres, m/s (thesis eqs. 3.13, 3.14).
/// `normal` is the unit vector from the first to the second; `restitution` the ratio of the normal
/// relative speeds after and before.
pub fn spheres<D: Dimension>(
    masses: [f64; 2],
    velocities: [D::Vector; 2],
    normal: D::Vector,
    restitution: f64,
) -> [D::Vector; 2] {
    let [first, second] = masses;
    let approach = normal.dot(&(velocities[0] - velocities[1]));
    let exchanged = (1.0 + restitution) * approach / (first + second);
    [
        velocities[0] - normal * (exchanged * second),
        velocities[1] + normal * (exchanged * first),
    ]
}

/// Velocity after a frictionless hard collision with a wall that moves with `wall`, m/s (thesis
/// eqs. 3.15 to 3.17); `normal` is the wall's unit normal.
pub fn sphere_plane<D: Dimension>(
    velocity: D::Vector,
    wall: D::Vector,
    normal: D::Vector,
    restitution: f64,
) -> D::Vector {
    let rate = normal.dot(&(velocity - wall));
    velocity - normal * ((1.0 + restitution) * rate)
}

/// Work that a moving wall does on a sphere in a hard collision, J: C = (1 + e) m w (w - v) with
/// the normal velocities w of the wall and v of the sphere before (thesis eq. 3.18, corrected: the
/// 2 printed there in place of 1 + e holds for e = 1 only).
pub fn wall_work(mass: f64, velocity: f64, wall: f64, restitution: f64) -> f64 {
    (1.0 + restitution) * mass * wall * (wall - velocity)
}
