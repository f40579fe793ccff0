//! Unit quaternions as four numbers (x, y, z, w), with the operations needed in a step.

use nalgebra::Vector3;

/// Returns the product: first `b`, then `a`.
pub(super) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Removes the rounding error of the length: one iteration of Newton's method for 1 / sqrt.
pub(super) fn unit(q: [f64; 4]) -> [f64; 4] {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let scale = 1.5 - 0.5 * square;
    q.map(|x| x * scale)
}

/// Rotates a vector from the body's frame to the laboratory's.
pub(super) fn outward(q: &[f64; 4], v: Vector3<f64>) -> Vector3<f64> {
    let axis = Vector3::new(q[0], q[1], q[2]);
    let twice = 2.0 * axis.cross(&v);
    v + q[3] * twice + axis.cross(&twice)
}

/// Rotates a vector from the laboratory's frame to the body's.
pub(super) fn inward(q: &[f64; 4], v: Vector3<f64>) -> Vector3<f64> {
    outward(&[-q[0], -q[1], -q[2], q[3]], v)
}

/// Returns the quaternion of a rotation vector r = tan(angle / 2) times axis (Mutze's eq. 8).
pub(super) fn from_rotation_vector(r: Vector3<f64>) -> [f64; 4] {
    let w = 1.0 / (1.0 + r.norm_squared()).sqrt();
    [w * r.x, w * r.y, w * r.z, w]
}

/// Returns the quaternion of a rotation about a vector, whose length is the angle, rad.
pub(super) fn exponential(angle: Vector3<f64>) -> [f64; 4] {
    let half = 0.5 * angle.norm();
    // For smaller angles the first term of the series suffices.
    let share = if half < 1e-9 {
        0.5
    } else {
        0.5 * libm::sin(half) / half
    };
    [
        share * angle.x,
        share * angle.y,
        share * angle.z,
        libm::cos(half),
    ]
}
