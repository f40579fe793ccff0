//! The dimension of space as a type.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use serde::{Deserialize, Serialize};

use super::surface::Surface;

/// A position, velocity or force in two or three dimensions.
pub trait Vector:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + Index<usize, Output = f64>
    + IndexMut<usize>
    + Serialize
    + for<'a> Deserialize<'a>
{
    /// Number of components.
    const LEN: usize;
    /// Returns the scalar product.
    fn dot(&self, other: &Self) -> f64;
    /// Returns the vector with components given by a function of their index.
    fn from_fn(component: impl FnMut(usize) -> f64) -> Self;
    /// Returns the square of the length.
    fn norm_squared(&self) -> f64 {
        self.dot(self)
    }
    /// Returns the length.
    fn norm(&self) -> f64 {
        self.norm_squared().sqrt()
    }
    /// Returns the components in order.
    fn components(&self) -> impl Iterator<Item = f64> {
        let v = *self;
        (0..Self::LEN).map(move |k| v[k])
    }
    /// Whether every component is a finite number.
    fn is_finite(&self) -> bool {
        self.components().all(f64::is_finite)
    }
    /// Returns the vector from a slice of exactly [`Vector::LEN`] numbers, or none.
    fn from_slice(values: &[f64]) -> Option<Self> {
        (values.len() == Self::LEN).then(|| Self::from_fn(|k| values[k]))
    }
}

macro_rules! vector {
    ($type:ty, $len:expr) => {
        impl Vector for $type {
            const LEN: usize = $len;
            #[inline(always)]
            fn dot(&self, other: &Self) -> f64 {
                let mut sum = self[0] * other[0];
                for k in 1..$len {
                    sum += self[k] * other[k];
                }
                sum
            }
            #[inline(always)]
            fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
                let mut v = Self::default();
                for k in 0..$len {
                    v[k] = component(k);
                }
                v
            }
        }
    };
}
vector!(Vector2<f64>, 2);
vector!(Vector3<f64>, 3);

/// The dimension of space, as a type parameter: it determines vectors, spins, rotations and surfaces.
pub trait Dimension: Copy + Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Number of coordinates: 2 or 3.
    const N: usize;
    /// Number of components of a spin: 1 or 3.
    #[doc(hidden)]
    const SPINS: usize;
    /// Positions, velocities, forces.
    type Vector: Vector;
    /// Angular velocities (rad/s) and moments (N m): a number in the plane, a vector in space.
    #[doc(hidden)]
    type Spin: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + Add<Output = Self::Spin>
        + AddAssign
        + Sub<Output = Self::Spin>
        + Neg<Output = Self::Spin>
        + Mul<f64, Output = Self::Spin>
        + Serialize
        + for<'a> Deserialize<'a>;
    /// Orientations: an angle (rad) in the plane, a unit quaternion in space.
    #[doc(hidden)]
    type Rotation: Copy + Debug + PartialEq + Send + Sync + Serialize + for<'a> Deserialize<'a>;
    /// Primitive surfaces that boundaries are made of.
    #[doc(hidden)]
    type Surface: Surface<Self>;
    /// An array with an entry for each unknown of a body, displacement first; in the plane it has an unused fourth
    /// entry, since vector units need four.
    #[doc(hidden)]
    type Unknowns<T: Copy + Default>: Copy + Default + AsRef<[T]> + AsMut<[T]>;

    /// Returns the velocity of a point at `arm` from the centre of a body that turns with `spin`.
    #[doc(hidden)]
    fn cross_spin(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// Returns the moment of `force` that acts at `arm` from the centre.
    #[doc(hidden)]
    fn moment(arm: Self::Vector, force: Self::Vector) -> Self::Spin;
    /// Returns a component of a spin.
    #[doc(hidden)]
    fn spin_component(spin: Self::Spin, index: usize) -> f64;
    /// Returns a spin from its components; there are [`Dimension::SPINS`] of them.
    #[doc(hidden)]
    fn spin_from_fn(component: impl FnMut(usize) -> f64) -> Self::Spin;
    /// Returns the scalar product of two spins.
    #[doc(hidden)]
    fn spin_dot(a: Self::Spin, b: Self::Spin) -> f64;
    /// Returns the identity rotation.
    #[doc(hidden)]
    fn identity() -> Self::Rotation;
    /// Returns `rotation` followed by the rotation vector `turn` (rad, spin times time).
    #[doc(hidden)]
    fn turned(rotation: Self::Rotation, turn: Self::Spin) -> Self::Rotation;
    /// Rotates a vector.
    #[doc(hidden)]
    fn rotate(rotation: Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Rotates a vector by the inverse of a rotation.
    #[doc(hidden)]
    fn unrotate(rotation: Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Returns the rotational energy of a body, J, from its principal moments (kg m^2); the plane uses the last.
    #[doc(hidden)]
    fn turning_energy(rotation: Self::Rotation, spin: Self::Spin, moments: [f64; 3]) -> f64;
    /// Returns the components of a rotation for files, and their number: the angle, or x, y, z, w.
    #[doc(hidden)]
    fn rotation_components(rotation: Self::Rotation) -> ([f64; 4], usize);
    /// Returns the area of a disk or the volume of a sphere, m^2 or m^3.
    #[doc(hidden)]
    fn ball_measure(radius: f64) -> f64;
    /// Moment of inertia of a solid disk or sphere over mass and radius squared: 1/2 or 2/5.
    #[doc(hidden)]
    const BALL_INERTIA: f64;
}

/// Two dimensions: disks; densities in kg/m^2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planar;

/// Three dimensions: spheres; densities in kg/m^3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spatial;

impl Dimension for Planar {
    const N: usize = 2;
    const SPINS: usize = 1;
    type Vector = Vector2<f64>;
    type Spin = f64;
    type Rotation = f64;
    type Surface = super::surface::PlanarSurface;
    type Unknowns<T: Copy + Default> = [T; 4];

    #[inline(always)]
    fn cross_spin(spin: f64, arm: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(-spin * arm.y, spin * arm.x)
    }
    #[inline(always)]
    fn moment(arm: Vector2<f64>, force: Vector2<f64>) -> f64 {
        arm.x * force.y - arm.y * force.x
    }
    #[inline(always)]
    fn spin_component(spin: f64, _index: usize) -> f64 {
        spin
    }
    #[inline(always)]
    fn spin_from_fn(mut component: impl FnMut(usize) -> f64) -> f64 {
        component(0)
    }
    #[inline(always)]
    fn spin_dot(a: f64, b: f64) -> f64 {
        a * b
    }
    fn identity() -> f64 {
        0.0
    }
    #[inline(always)]
    fn turned(rotation: f64, turn: f64) -> f64 {
        rotation + turn
    }
    fn rotate(rotation: f64, v: Vector2<f64>) -> Vector2<f64> {
        let (s, c) = libm::sincos(rotation);
        Vector2::new(c * v.x - s * v.y, s * v.x + c * v.y)
    }
    fn unrotate(rotation: f64, v: Vector2<f64>) -> Vector2<f64> {
        Self::rotate(-rotation, v)
    }
    fn turning_energy(_: f64, spin: f64, moments: [f64; 3]) -> f64 {
        0.5 * moments[2] * spin * spin
    }
    fn rotation_components(rotation: f64) -> ([f64; 4], usize) {
        ([rotation, 0.0, 0.0, 0.0], 1)
    }
    fn ball_measure(radius: f64) -> f64 {
        std::f64::consts::PI * radius * radius
    }
    const BALL_INERTIA: f64 = 0.5;
}

impl Dimension for Spatial {
    const N: usize = 3;
    const SPINS: usize = 3;
    type Vector = Vector3<f64>;
    type Spin = Vector3<f64>;
    type Rotation = UnitQuaternion<f64>;
    type Surface = super::surface::SpatialSurface;
    type Unknowns<T: Copy + Default> = [T; 6];

    #[inline(always)]
    fn cross_spin(spin: Vector3<f64>, arm: Vector3<f64>) -> Vector3<f64> {
        spin.cross(&arm)
    }
    #[inline(always)]
    fn moment(arm: Vector3<f64>, force: Vector3<f64>) -> Vector3<f64> {
        arm.cross(&force)
    }
    #[inline(always)]
    fn spin_component(spin: Vector3<f64>, index: usize) -> f64 {
        spin[index]
    }
    #[inline(always)]
    fn spin_from_fn(component: impl FnMut(usize) -> f64) -> Vector3<f64> {
        <Vector3<f64> as Vector>::from_fn(component)
    }
    #[inline(always)]
    fn spin_dot(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
        Vector::dot(&a, &b)
    }
    fn identity() -> UnitQuaternion<f64> {
        UnitQuaternion::identity()
    }
    fn turned(rotation: UnitQuaternion<f64>, turn: Vector3<f64>) -> UnitQuaternion<f64> {
        // libm instead of the platform's sine: the same bits everywhere.
        let angle = Vector::norm(&turn);
        let (s, c) = libm::sincos(0.5 * angle);
        let k = if angle > 1e-8 {
            s / angle
        } else {
            0.5 - angle * angle / 48.0
        };
        let step = nalgebra::Quaternion::new(c, turn.x * k, turn.y * k, turn.z * k);
        UnitQuaternion::new_normalize(step * rotation.into_inner())
    }
    fn rotate(rotation: UnitQuaternion<f64>, v: Vector3<f64>) -> Vector3<f64> {
        rotation * v
    }
    fn unrotate(rotation: UnitQuaternion<f64>, v: Vector3<f64>) -> Vector3<f64> {
        rotation.inverse() * v
    }
    fn turning_energy(rotation: UnitQuaternion<f64>, spin: Vector3<f64>, moments: [f64; 3]) -> f64 {
        let own = rotation.inverse() * spin;
        0.5 * (0..3).map(|k| moments[k] * own[k] * own[k]).sum::<f64>()
    }
    fn rotation_components(rotation: UnitQuaternion<f64>) -> ([f64; 4], usize) {
        ([rotation.i, rotation.j, rotation.k, rotation.w], 4)
    }
    fn ball_measure(radius: f64) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
    }
    const BALL_INERTIA: f64 = 0.4;
}
