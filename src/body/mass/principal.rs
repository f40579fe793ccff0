//! Principal axes.

use super::MassProperties;
use crate::geometry::{Dimension, Vector};

/// Principal moments and their axes: in space three, in the plane the two for rotations about axes in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Principal<D: Dimension> {
    /// Moments of inertia per density, least first.
    pub moments: Vec<f64>,
    /// Unit vectors, one per moment, right-handed.
    pub axes: Vec<D::Vector>,
}

/// Number of sweeps after which a 3 x 3 matrix is certainly diagonal: each sweep doubles the correct digits.
const ROUNDS: usize = 12;

/// Returns principal moments and axes, by successive plane rotations (Jacobi). The largest coordinate of every axis
/// but the last is positive; a diagonal tensor keeps the coordinate axes.
pub fn principal<D: Dimension>(properties: &MassProperties<D>) -> Principal<D> {
    let mut tensor = properties.inertia();
    let mut axes: Vec<D::Vector> = (0..D::N)
        .map(|i| D::Vector::from_fn(|k| f64::from(u8::from(i == k))))
        .collect();
    for _ in 0..ROUNDS {
        for p in 0..D::N {
            for q in p + 1..D::N {
                rotate::<D>(&mut tensor, &mut axes, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..D::N).collect();
    order.sort_by(|&a, &b| tensor[a][a].total_cmp(&tensor[b][b]));
    let moments = order.iter().map(|&i| tensor[i][i]).collect();
    let mut axes: Vec<D::Vector> = order.iter().map(|&i| axes[i]).collect();
    let last = D::N - 1;
    for axis in &mut axes[..last] {
        let largest = (0..D::N).fold(0, |k, i| {
            // Nearly equal sizes count as equal, so that rounding does not determine the sign.
            if axis[i].abs() > axis[k].abs() * (1.0 + 1e-9) {
                i
            } else {
                k
            }
        });
        if axis[largest] < 0.0 {
            *axis = -*axis;
        }
    }
    let a = axes[0];
    axes[last] = D::Vector::from_fn(|k| {
        if D::N == 2 {
            return if k == 0 { -a[1] } else { a[0] };
        }
        let (b, i, j) = (axes[1], (k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    });
    Principal { moments, axes }
}

/// Makes one off-diagonal entry 0.
fn rotate<D: Dimension>(tensor: &mut [[f64; 3]; 3], axes: &mut [D::Vector], p: usize, q: usize) {
    let off = tensor[p][q];
    if off == 0.0 {
        return;
    }
    let ratio = (tensor[q][q] - tensor[p][p]) / (2.0 * off);
    let tangent = if ratio.is_finite() {
        1.0_f64.copysign(ratio) / (ratio.abs() + (1.0 + ratio * ratio).sqrt())
    } else {
        0.0
    };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    for k in 0..D::N {
        let (a, b) = (tensor[k][p], tensor[k][q]);
        (tensor[k][p], tensor[k][q]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    for k in 0..D::N {
        let (a, b) = (tensor[p][k], tensor[q][k]);
        (tensor[p][k], tensor[q][k]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    let (a, b) = (axes[p], axes[q]);
    axes[p] = a * cosine - b * sine;
    axes[q] = a * sine + b * cosine;
}
