//! Three numbers: vectors of the plane and of space alike, as records and fields have them.

use nalgebra::Vector3;

use super::Vector;

/// A vector of either dimension in space; in the plane the third number is 0.
pub fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// Vector product.
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    Vector3::from(a).cross(&Vector3::from(b)).into()
}

/// Scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    Vector3::from(a).dot(&Vector3::from(b))
}
