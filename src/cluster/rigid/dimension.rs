//! What rigid bodies need of a dimension: principal axes, compositions of rotations, rows of members.

use nalgebra::{Matrix2, Matrix3, Rotation3, SymmetricEigen, UnitQuaternion, Vector2, Vector3};

use crate::cluster::arrays::Arrays;
use crate::geometry::{Dimension, Planar, Spatial};

/// State of a member as the rows of its slot have it.
#[derive(Clone, Copy, Debug)]
pub struct MemberState<D: Dimension> {
    /// Centre, m.
    pub position: D::Vector,
    /// Velocity at the time of the position, m/s, and the one that the integrator stores.
    pub velocity: [D::Vector; 2],
    /// The same for the spin, rad/s.
    pub spin: [D::Spin; 2],
    /// Orientation, if it is to be written too; in the plane it always is.
    pub rotation: Option<D::Rotation>,
}

/// Operations on rigid bodies in a dimension.
pub trait RigidDimension: Dimension {
    /// Returns the rotation `inner` followed by `outer`.
    fn composed(outer: Self::Rotation, inner: Self::Rotation) -> Self::Rotation;
    /// Returns the inverse of a rotation.
    fn inverse(rotation: Self::Rotation) -> Self::Rotation;
    /// Returns the rotation of the principal axes of an inertia tensor, and its moments in their order, kg m^2.
    fn principal(inertia: Matrix3<f64>) -> (Self::Rotation, [f64; 3]);
    /// Returns the rotation that brings the first vectors of pairs nearest to the second ones (Kabsch 1976).
    fn nearest_turn(pairs: &[[Self::Vector; 2]]) -> Self::Rotation;
    /// Writes the rows of a slot but those of radius, mass and inertia.
    fn put_member(arrays: &mut Arrays<Self>, slot: usize, state: &MemberState<Self>);
}

impl RigidDimension for Planar {
    fn composed(outer: f64, inner: f64) -> f64 {
        outer + inner
    }
    fn inverse(rotation: f64) -> f64 {
        -rotation
    }
    fn principal(inertia: Matrix3<f64>) -> (f64, [f64; 3]) {
        (0.0, [0.0, 0.0, inertia[(2, 2)]])
    }
    fn nearest_turn(pairs: &[[Vector2<f64>; 2]]) -> f64 {
        let both = pairs.iter().fold(Matrix2::zeros(), |sum, [from, to]| {
            sum + from * to.transpose()
        });
        libm::atan2(both[(0, 1)] - both[(1, 0)], both[(0, 0)] + both[(1, 1)])
    }
    fn put_member(arrays: &mut Arrays<Self>, slot: usize, state: &MemberState<Self>) {
        let row = &mut arrays.rows[slot].0;
        let radius = row[3];
        (row[0], row[1]) = (state.position.x, state.position.y);
        if let Some(angle) = state.rotation {
            row[2] = radius * angle;
        }
        let [seen, stored] = state.velocity;
        (row[4], row[5], row[6]) = (seen.x, seen.y, radius * state.spin[0]);
        let kept = &mut arrays.state[slot].0;
        (kept[0], kept[1], kept[2]) = (stored.x, stored.y, radius * state.spin[1]);
    }
}

impl RigidDimension for Spatial {
    fn composed(outer: UnitQuaternion<f64>, inner: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        outer * inner
    }
    fn inverse(rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        rotation.inverse()
    }
    fn principal(inertia: Matrix3<f64>) -> (UnitQuaternion<f64>, [f64; 3]) {
        let eigen = SymmetricEigen::new(inertia);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        let rotation = Rotation3::from_matrix_unchecked(axes);
        let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
        (rotation, eigen.eigenvalues.into())
    }
    fn nearest_turn(pairs: &[[Vector3<f64>; 2]]) -> UnitQuaternion<f64> {
        let both = pairs.iter().fold(Matrix3::zeros(), |sum, [from, to]| {
            sum + from * to.transpose()
        });
        let found = both.svd(true, true);
        let (Some(u), Some(v)) = (found.u, found.v_t) else {
            return UnitQuaternion::identity();
        };
        let mut sign = Matrix3::identity();
        sign[(2, 2)] = (v.transpose() * u.transpose()).determinant().signum();
        let turn = v.transpose() * sign * u.transpose();
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn))
    }
    fn put_member(arrays: &mut Arrays<Self>, slot: usize, state: &MemberState<Self>) {
        let radius = arrays.rows[slot].0[3];
        let [seen, stored] = state.velocity;
        let [spin, kept] = state.spin.map(|spin| spin * radius);
        let (row, turning) = (&mut arrays.rows[slot].0, &mut arrays.spins[slot].0);
        let own = &mut arrays.state[slot].0;
        for k in 0..3 {
            (row[k], row[4 + k]) = (state.position[k], seen[k]);
            turning[k] = spin[k];
            (own[k], own[4 + k]) = (stored[k], kept[k]);
        }
        if let Some(rotation) = state.rotation {
            turning[4..7].fill(0.0);
            arrays.rotation[slot] = rotation;
        }
    }
}
